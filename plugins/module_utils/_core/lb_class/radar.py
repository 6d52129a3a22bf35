# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the radar tells of classes: one nobody watches, and finalizers that stay, with their owner (CLS-4, CLS-5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..data import Json, dig
from ..model import Decision, Finding, Severity, Target, Verdict
from . import looks
from .owner import owner
from .state import class_of
from .told import holding

_REMEDY = "Install its controller, or use another class; service_lb_class tells the ways."


def let_go(services: Iterable[Json]) -> list[Json]:
    """Those of another type that a load balancer's controller still holds: the type was taken away from them."""
    others = (item for item in services if dig(item, "spec", "type") != "LoadBalancer")
    return [item for item in others if looks.holders(item, None, "its controller")]


def row(platform: str, service: Json, cluster: str = "") -> Decision:
    """Of one of those."""
    meta = service["metadata"]
    target = Target("Service", meta["name"], meta.get("namespace", ""), cluster)
    who = owner(service, platform, None, {}).name or "its controller"
    held = holding(str(target), looks.holders(service, None, who), None)
    text = f"Its type is {dig(service, 'spec', 'type')}, and the load balancer that it had is not cleaned up yet."
    shown = {"class": "", "addresses": []}
    return Decision(target, Verdict.IN_PROGRESS, text, findings=held, before=shown, after=shown)


def held_by(platform: str, service: Json) -> str:
    """Every finalizer, with who takes it off where that is known."""
    lb_class = class_of(service)
    who = owner(service, platform, lb_class, {}).name or "its controller"
    known = dict(looks.holders(service, lb_class, who))
    listed = dig(service, "metadata", "finalizers") or ()
    return ", ".join(f"{name} ({known[name]} takes it off)" if name in known else str(name) for name in listed)


def unwatched(service: Json, events: Sequence[Json], where: str) -> tuple[Finding, ...]:
    """A class without an address and without a word of anybody but the cloud provider's controller."""
    lb_class = class_of(service)
    look = looks.taken_up(service, looks.concerning(events, lb_class, None), 1.0, 0.0)
    if look.failure is not looks.UNWATCHED:
        return ()
    what = (
        f"loadBalancerClass {lb_class!r}: no address, no event and no finalizer, so nothing seems to watch this class."
    )
    return (Finding("class_unwatched", Severity.WARNING, where, what, _REMEDY, lb_class),)
