# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the waits of a change of class are over, as pure functions over what was just read (CLS-4, CLS-5)."""

from __future__ import annotations

from collections.abc import Sequence

from ..aws.cloud_controller import FailureCause
from ..data import Json, dig
from ..events import told_at
from ..waits import Look, addresses, ready
from . import names
from .state import class_of

_CLOUD = "service-controller"  # how the cloud provider's controller signs its events
UNWATCHED = FailureCause(
    "class_unwatched",
    "Nobody watches its class: no address, no event and no finalizer since the class was set.",
    "Install the controller of that class, then run again; or go back: undo has the steps.",
)


def concerning(events: Sequence[Json], lb_class: str | None, since: float | None) -> list[Json]:
    """Those about the load balancer that is to come. A flip keeps the uid, so those about the old one have it, too.

    The cloud provider's controller has no say in a class. `since`: when the change began; None: nobody knows.
    """
    begun = float("-inf") if since is None else since // 1  # events have whole seconds
    later = [event for event in events if (told_at(event) or begun) >= begun]
    return [event for event in later if lb_class is None or dig(event, "source", "component") != _CLOUD]


def taken_up(service: Json, events: Sequence[Json], waited: float, deadline: float) -> Look:
    """It has an address. A class that nobody watches has neither address nor event, for ever."""
    look = ready(service, events)
    if look.done or look.failure or class_of(service) is None or waited < deadline or _touched(service, events):
        return look
    return Look(False, look.waiting_for, UNWATCHED, f"class {class_of(service)}")


def _touched(service: Json, events: Sequence[Json]) -> bool:
    uid = dig(service, "metadata", "uid")
    told = any(dig(event, "involvedObject", "uid") == uid for event in events)
    return told or bool(dig(service, "metadata", "finalizers"))


def serves(service: Json, events: Sequence[Json], endpoints: int | None, waited: float, deadline: float) -> Look:
    """It has an address and somebody behind it; where endpoints may not be read, the address has to do."""
    look = taken_up(service, events, waited, deadline)
    if not look.done or endpoints is None or endpoints > 0:
        return look
    return Look(False, "a ready endpoint behind the new Service", detail=", ".join(addresses(service)))


def holders(service: Json, lb_class: str | None, owner: str) -> list[tuple[str, str]]:
    """The finalizers that still speak of a load balancer, each with who takes it off. `lb_class`: its old class."""
    found = dig(service, "metadata", "finalizers") or ()
    pairs = [(name, names.finalizer_owner(name, lb_class, owner)) for name in found]
    return [(name, who) for name, who in pairs if who]


def let_go(holding: Sequence[tuple[str, str]], removal: Look) -> Look:
    """Its controller has cleaned up, as far as finalizers tell. `removal`: what events say of taking it away."""
    if not holding:
        return Look(True)
    listed = ", ".join(f"{name}, which {who} takes off" for name, who in holding)
    waiting = f"the old load balancer to be cleaned up (finalizer {listed})"
    return Look(False, waiting, removal.failure, removal.detail)


def left_cause(load_balancer: str) -> FailureCause:
    return FailureCause(
        "lb_left_behind",
        f"The finalizer is gone, but the cloud still has the load balancer {load_balancer}.",
        "Delete it there, then run again; or say preflight: skip to go on beside it.",
    )
