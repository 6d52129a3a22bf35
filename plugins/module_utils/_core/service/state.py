# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain Service as it was found, with the manifest that a stopped run may have kept of it."""

from __future__ import annotations

from dataclasses import dataclass

from .. import serving
from ..aws.facts import AwsAnswer
from ..data import Json, dig
from ..holder import Holder
from ..model import Target
from ..operator.names import Infra
from ..platforms import platform


@dataclass(frozen=True)
class ObservedService:
    infra: Infra
    namespace: str
    name: str
    service: Json = None
    kept: Json = None  # the ConfigMap that holds the manifest of a Service we deleted
    cluster: str = ""
    aws: AwsAnswer | None = None  # None: not asked yet
    holder: Holder | None = None  # another run that has the lock; looked for where a manifest is kept
    events: tuple[Json, ...] | None = ()  # looked for where it does not serve; None: not permitted
    now: float | None = None  # seconds, by the cluster's clock
    taken: tuple[str, ...] = ()  # fields whose values went to another Service while this one was away

    @property
    def platform(self) -> str:
        return self.infra.platform

    @property
    def target(self) -> Target:
        return Target("Service", self.name, self.namespace, self.cluster)

    @property
    def annotations(self) -> dict[str, str]:
        return dict(dig(self.service, "metadata", "annotations") or {})

    @property
    def going(self) -> bool:
        """Deleted, but its load balancer is not gone yet."""
        return serving.going(self.service)

    @property
    def fits(self) -> bool:
        """Is the published address that of a load balancer as the annotations want it?"""
        known = platform(self.platform)
        internal = known.internal_for_cloud(self.annotations)
        return not known.scope_in_place or serving.fits_scope(self.service, internal)

    @property
    def silent(self) -> bool:
        """It does not serve, or not as it says: events may tell why."""
        return serving.silent(self.service) or not self.fits

    @property
    def deleted_by_us(self) -> bool:
        """A run of ours was stopped after it had deleted this very Service, or one that has left since."""
        if self.kept is None:
            return False
        uid = dig(self.service, "metadata", "uid")
        return uid is None or (self.going and dig(self.kept, "data", "uid") == uid)
