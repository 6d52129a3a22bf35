# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a Service's load balancer serve? One word, and what to say where it does not (CORE-14).

`in_progress` is for what progresses; a refusal of the cloud, or too long a silence, is a failure with its cause.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from .data import Json, dig
from .events import Trouble, age, moment, since, trouble
from .model import Finding, Severity
from .waits import addresses, held_by

# A cloud that has not made or removed a load balancer in this time does not progress.
PATIENCE = 900.0
_RETRY = "Its controller tries again by itself, within 5 minutes."
_DENY = ("lb_missing", "address_unexpected")
_PRIVATE = tuple(
    ipaddress.ip_network(text)
    for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fe80::/10")
)


class State(str, Enum):
    SERVING = "serving"
    UNAVAILABLE = "unavailable"  # it has an address, and its owner says that it does not work
    STALE = "stale"  # it has an address, but not yet the one of what was changed in place
    MAKING = "making"
    FAILED = "failed"
    GOING = "going"
    DOWN = "down"


@dataclass(frozen=True)
class Serving:
    """`hopeful`: waiting may help. `findings`: the first says what is wrong, where something is."""

    state: State = State.SERVING
    hopeful: bool = True
    findings: tuple[Finding, ...] = ()

    @property
    def up(self) -> bool:
        return self.state is State.SERVING

    @property
    def says(self) -> str:
        return self.findings[0].what if self.findings and not self.up else ""


@dataclass(frozen=True)
class Seen:
    """A Service and what is said of it. `thing`: how a sentence calls it."""

    service: Json
    events: Sequence[Json] = ()
    now: float | None = None
    where: str = ""
    thing: str = "It"

    @property
    def uid(self) -> str:
        return str(dig(self.service, "metadata", "uid") or "")


def going(service: Json) -> bool:
    """Deleted, but its load balancer is not gone yet."""
    return bool(dig(service, "metadata", "deletionTimestamp"))


def silent(service: Json) -> bool:
    """Its events are worth a look."""
    return service is None or going(service) or not addresses(service)


def fits_scope(service: Json, internal: bool) -> bool:
    """Is the address of the kind that the scope has? A name tells nothing."""
    private = [any(ip.version == net.version and ip in net for net in _PRIVATE) for ip in _ips(service)]
    return not private or internal in private


def _ips(service: Json) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    found = (_ip(text) for text in addresses(service))
    return [ip for ip in found if ip is not None]


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def serving(seen: Seen) -> Serving:
    """What the Service and its events say."""
    if seen.service is None:
        return _down(seen)
    if going(seen.service):
        return _going(seen)
    return _unserved(seen) if not addresses(seen.service) else Serving()


def _down(seen: Seen) -> Serving:
    what = f"{seen.thing} is down: there is no Service, and so no load balancer at all."
    finding = Finding("lb_down", Severity.WARNING, seen.where, what, "See that its owner makes it.")
    return Serving(State.DOWN, findings=(finding,))


def _going(seen: Seen) -> Serving:
    begun = moment(dig(seen.service, "metadata", "deletionTimestamp"))
    ago, long = since(begun, seen.now), (age(begun, seen.now) or 0.0) > PATIENCE
    found = trouble(seen.events, seen.uid, removal=True)
    what = f"{seen.thing} is down: its Service is being deleted{f' since {ago}' if ago else ''}"
    what += f", held by the finalizers {held_by(seen.service)}."
    if found is None and not long:
        remedy = "It is an outage in progress: a new load balancer comes only once the old one is gone."
        return Serving(State.GOING, findings=(Finding("lb_going", Severity.WARNING, seen.where, what, remedy),))
    remedy = "See what still holds the old load balancer, and the log of the controller that removes the finalizer."
    if found is not None:
        what += f" The cloud refuses to remove the load balancer: {found.quoted(seen.now)}."
        remedy = found.cause.remedy if found.cause.terminal else remedy
    hopeful = not long and not (found is not None and found.cause.terminal)
    return Serving(State.GOING, hopeful, (Finding("lb_stuck", Severity.ERROR, seen.where, what, remedy),))


def _unserved(seen: Seen) -> Serving:
    made = moment(dig(seen.service, "metadata", "creationTimestamp"))
    ago, long = since(made, seen.now), (age(made, seen.now) or 0.0) > PATIENCE
    down = f"{seen.thing} is down: its load balancer has no address"
    when = f", {ago} after its Service was made" if ago else ""
    what = f"{down}{when}"
    found = trouble(seen.events, seen.uid)
    if found is not None:
        return _refused(seen, found, f"{what}.", State.FAILED, not long)
    if long:
        remedy = "No event says why: see whether the cloud controller is alive, and its log."
        return Serving(State.FAILED, False, (Finding("lb_stalled", Severity.ERROR, seen.where, f"{what}.", remedy),))
    what, remedy = f"{down} yet{when}.", "Wait for the cloud to make it."
    finding = Finding("lb_pending", Severity.WARNING, seen.where, what, remedy)
    return Serving(State.MAKING, findings=(finding,))


def _refused(seen: Seen, found: Trouble, what: str, state: State, hopeful: bool = True) -> Serving:
    known = found.cause.terminal
    text = f"{what} {found.cause.what} The event: {found.quoted(seen.now)}."
    code, remedy = found.cause.code if known else "lb_refused", f"{found.cause.remedy} {_RETRY}"
    return Serving(state, hopeful and not known, (Finding(code, Severity.ERROR, seen.where, text, remedy, found.text),))


def denied(findings: Iterable[Finding]) -> str:
    """What says that the load balancer is not as its Service wants it; beside that nobody may say that all agrees."""
    return " ".join(entry.what for entry in findings if entry.code.endswith("_not_in_force") or entry.code in _DENY)


def softer(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Of a failure that a task does something about."""
    return tuple(
        replace(entry, severity=Severity.WARNING) if entry.severity is Severity.ERROR else entry for entry in findings
    )


def changed_in_vain(seen: Seen) -> Serving:
    """Its address does not fit what was changed in place: does the cloud refuse the change?"""
    found, have = trouble(seen.events, seen.uid), ", ".join(addresses(seen.service))
    if found is not None:
        return _refused(seen, found, f"{seen.thing} still has the old load balancer ({have}).", State.STALE)
    if not _ips(seen.service):
        return Serving()
    what = f"The address {have} does not look like one of the load balancer that the Service asks for."
    remedy = "Give the cloud a moment to change it, then see the controller's log."
    return Serving(findings=(Finding("address_unexpected", Severity.WARNING, seen.where, what, remedy),))


def ready_endpoints(slices: Iterable[Json]) -> list[Json]:
    """Of a Service's EndpointSlices, as kube-proxy sees them: one that does not say is ready."""
    found = (endpoint for part in slices for endpoint in part.get("endpoints") or ())
    return [endpoint for endpoint in found if dig(endpoint, "conditions", "ready") is not False]
