# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wanted of a Service's class, and the Service as it was found with all that bears on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..data import Json, dig
from ..events import moment
from ..service.kept import manifest_kept, record_of
from ..service.state import ObservedService
from ..shape import Misshapen
from ..waits import addresses
from .watched import Evidence

REPORT, TYPE_FLIP, RECREATE, SIDE_BY_SIDE = "report", "type_flip", "recreate", "side_by_side"
BESIDE = "lb-estate.edgeworks.io/beside"  # annotation of a second Service: the name of the first


@dataclass(frozen=True)
class WantedClass:
    """`lb_class` None: no class. `moved_because`: why somebody says that traffic has moved; '': nobody does."""

    lb_class: str | None
    way: str = REPORT
    suffix: str = "next"
    moved_because: str = ""
    known: Mapping[str, str] = field(default_factory=dict)  # class → who watches it, as the estate knows
    allow_unwatched: str = ""


@dataclass(frozen=True)
class ObservedClass(ObservedService):
    successor: Json = None  # the Service that stands, or is to stand, beside this one
    endpoints: int | None = None  # ready ones behind the successor; None: may not be read
    evidence: Evidence | None = None  # None: not looked for yet
    left: tuple[str, ...] = ()  # load balancers that the cloud still has though their Service let them go
    unproven: str = ""  # why the cloud could not be asked for them

    @property
    def lb_class(self) -> str | None:
        return class_of(self.service)

    @property
    def uid(self) -> str:
        return str(dig(self.service, "metadata", "uid") or "")

    @property
    def record(self) -> Mapping[str, str]:
        """What a run of ours wrote down beside the manifest: its way, and what the Service had then."""
        return record_of(self.kept)

    @property
    def old_addresses(self) -> tuple[str, ...]:
        """Before anything was done to it."""
        try:
            told = json.loads(self.record.get("addresses", "[]"))
        except ValueError:
            told = []
        listed = told if isinstance(told, list) else []
        return tuple(addresses(self.service)) or tuple(str(one) for one in listed)

    @property
    def begun(self) -> float | None:
        """When a run of ours kept its manifest, in seconds; None where nothing is kept."""
        return moment(dig(self.kept, "metadata", "creationTimestamp"))

    @property
    def manifest(self) -> dict[str, Any] | None:
        """As it was before a run of ours took its load balancer; None where nothing usable is kept."""
        if self.kept is None:
            return None
        try:
            return manifest_kept(self)
        except Misshapen:
            return None

    @property
    def flipped(self) -> bool:
        """A run of ours was stopped after it had taken the type LoadBalancer away from this very Service."""
        begun = self.record.get("way") == TYPE_FLIP and self.record.get("uid") == self.uid
        alive = self.service is not None and not self.going
        return begun and alive and dig(self.service, "spec", "type") != "LoadBalancer"

    @property
    def stopped(self) -> bool:
        """A run of ours was, after it had taken the load balancer away."""
        return self.deleted_by_us or self.flipped

    @property
    def ours_beside(self) -> bool:
        """The successor was made by us for this Service."""
        return bool(dig(self.successor, "metadata", "annotations", BESIDE) == self.name)


def class_of(service: Json) -> str | None:
    found = dig(service, "spec", "loadBalancerClass")
    return None if found is None else str(found)


def successor_name(name: str, suffix: str) -> str:
    return f"{name}-{suffix}"


def is_retired(wanted: WantedClass, observed: ObservedClass) -> bool:
    """The second Service is there in the first one's stead."""
    fits = wanted.way in (SIDE_BY_SIDE, REPORT) and class_of(observed.successor) == wanted.lb_class
    return fits and observed.ours_beside


def stands_beside(wanted: WantedClass, observed: ObservedClass) -> bool:
    """There is a second Service, and the first one has not the class that is asked for."""
    return wanted.way == SIDE_BY_SIDE and observed.successor is not None and observed.lb_class != wanted.lb_class


def serves(observed: ObservedClass) -> bool:
    """Does the second one? Where endpoints may not be read, the address has to do."""
    return bool(addresses(observed.successor)) and (observed.endpoints is None or observed.endpoints > 0)


def begins(wanted: WantedClass, observed: ObservedClass) -> bool:
    """This run is the one that takes the first step."""
    live = observed.service is not None and not observed.stopped
    return live and not stands_beside(wanted, observed) and observed.lb_class != wanted.lb_class
