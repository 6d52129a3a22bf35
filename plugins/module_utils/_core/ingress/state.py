# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wanted of an IngressController's load balancer, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from .. import serving
from ..aws.cloud_controller import live_kind
from ..aws.facts import AwsAnswer
from ..data import Json, dig, fixed, plain
from ..holder import Holder
from ..model import Disruption, Pending, Target
from ..operator import messages, names, subnets
from ..operator.diff import annotations_of
from ..operator.names import Infra
from ..operator.predict import Settled
from ..operator.subnets import Subnets
from ..platforms import AWS, platform
from ..profiles import Profile
from .effects import Effect

# Our transaction's mark in the auto-delete annotation; a later run recognises one that a crash left behind (SUB-6).
TRANSACTION_PREFIX = "edgeworks.lb_estate/"
# Edits that a recreation is to put back wait in this annotation of the IngressController, lest a crash loses them.
EDITS = "lb-estate.edgeworks.io/edits"
# What spec said before a frozen operator was thawed waits in this one until the last stage.
RESCUE = "lb-estate.edgeworks.io/rescue"


class Keep(Enum):
    """Not a value: what to do with a field no value is given for."""

    LEAVE = "leave"
    CLEAR = "clear"


LEAVE, CLEAR = Keep.LEAVE, Keep.CLEAR


@dataclass(frozen=True)
class Wanted:
    """Fields left at LEAVE or '' are none of this run's business."""

    scope: str = ""
    lb_type: str = ""  # '' = follow the type in force (SUB-2)
    subnets: Subnets | Keep = LEAVE
    eips: Json = LEAVE
    adopt: bool = False  # subnets and EIPs are those of the Service's annotations (SUB-7)
    create: Json = None  # further spec of an IngressController to create when there is none (SUB-9)

    def __post_init__(self) -> None:
        for name in ("eips", "create"):
            value = getattr(self, name)
            if not isinstance(value, Keep):
                object.__setattr__(self, name, fixed(value))

    @property
    def asked(self) -> frozenset[str]:
        """The operator's names of the fields this run asks for."""
        fields = {
            messages.SCOPE: bool(self.scope),
            messages.TYPE: bool(self.lb_type),
            messages.SUBNETS: self.subnets is not LEAVE,
            messages.EIPS: self.eips is not LEAVE,
        }
        return frozenset(name for name, given in fields.items() if given)


@dataclass(frozen=True)
class Way:
    """How to make a pending change real (CORE-9), and what to do besides."""

    effectuate: str = "report"  # report, operator, delete
    restore_edits: bool = False
    unfreeze: bool = False
    asked: frozenset[str] = frozenset()  # lb_effectuate: fields asked for beyond Wanted's
    whole: bool = False  # lb_effectuate: whatever is pending is this run's business, asked for or not
    accept_version: str = ""  # a version that was never measured, and is to be written to all the same

    def asks(self, wanted: Wanted) -> frozenset[str]:
        """The fields that this run may effectuate. Of a rescue, what spec said before is remembered, not asked for."""
        return self.asked if self.whole else self.asked | wanted.asked


@dataclass(frozen=True)
class Candidate:
    """One possible change with everything the model says of it."""

    patch: dict[str, Any]
    settled: Settled
    pending: tuple[Pending, ...]
    cost: Disruption
    why: str  # why the patch itself costs that
    effects: tuple[Effect, ...] = ()  # on the live Service, at once

    @property
    def moves(self) -> bool:
        """The address changes with the patch."""
        return any(effect.moves for effect in self.effects)

    @property
    def replaces(self) -> bool:
        """The type changes in place: the cloud makes another load balancer at the patch."""
        return any(effect.key == names.AWS_TYPE for effect in self.effects)


@dataclass(frozen=True)
class Observed:
    """One IngressController with everything a decision needs; plain data from a port or a directory of exports."""

    profile: Profile
    infra: Infra
    name: str
    ic: Json = None
    service: Json = None
    cluster: str = ""
    upgrading: bool = False  # a rollout of another version is under way
    aws: AwsAnswer | None = None  # None: not asked yet
    holder: Holder | None = None  # another run that has the lock; looked for where there is a mark of ours
    events: tuple[Json, ...] | None = ()  # of the Service, looked for where it does not serve; None: not permitted
    now: float | None = None  # seconds, by the cluster's clock
    record: Json = None  # its DNSRecord, looked for where the operator's word may be of the Service before

    @property
    def target(self) -> Target:
        return Target("IngressController", self.name, names.OPERATOR_NAMESPACE, self.cluster)

    @property
    def marked(self) -> bool:
        """A run of ours is at work on it, or was stopped."""
        return self.left_armed or EDITS in (dig(self.ic, "metadata", "annotations") or {})

    @property
    def touched(self) -> bool:
        """Something of ours stands on it; whether a run is at work or was stopped, its lock tells."""
        return self.marked or RESCUE in (dig(self.ic, "metadata", "annotations") or {})

    @property
    def annotations(self) -> dict[str, str]:
        return dict(annotations_of(self.service)) if self.service is not None else {}

    @property
    def type_in_force(self) -> str:
        """The live Service's type; without one, what the operator would make."""
        if self.service is not None:
            return subnets.lb_type(self.annotations)
        for part in ("status", "spec"):
            found = dig(
                self.ic, part, "endpointPublishingStrategy", "loadBalancer", "providerParameters", "aws", "type"
            )
            if found:
                return str(found)
        return names.CLASSIC

    @property
    def strategy(self) -> dict[str, Any]:
        found = dig(self.ic, "spec", "endpointPublishingStrategy")
        return dict(plain(found)) if found is not None else {}

    @property
    def auto_delete(self) -> str | None:
        """The annotation's value, None when absent. Only its presence counts for the operator."""
        found = (dig(self.ic, "metadata", "annotations") or {}).get(names.AUTO_DELETE)
        return None if found is None else str(found)

    @property
    def going(self) -> bool:
        """Its Service is deleted, but not gone yet."""
        return serving.going(self.service)

    @property
    def silent(self) -> bool:
        """Its Service does not serve, or not as it says: events may tell why."""
        return serving.silent(self.service) or not self.fits

    @property
    def fits(self) -> bool:
        """Is the published address that of a load balancer as the Service wants it? For changes in place."""
        known = platform(self.infra.platform)
        if known.scope_in_place:
            return serving.fits_scope(self.service, known.internal_for_cloud(self.annotations))
        if self.infra.platform == AWS and self.profile.type_in_place:
            return live_kind(self.service) in ("", subnets.lb_type(self.annotations))
        return True

    @property
    def left_armed(self) -> bool:
        """A transaction of ours was killed between arming and disarming."""
        return (self.auto_delete or "").startswith(TRANSACTION_PREFIX)
