# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What events say of a Service's load balancer: the newest trouble, its cause and age (SUB-10, SCO-8). Time is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from .aws.cloud_controller import FailureCause, classify
from .data import Json, dig

_FAILED, _MADE = "SyncLoadBalancerFailed", "EnsuredLoadBalancer"
# What the service controller says when it is the removal that fails.
_REMOVAL = ("failed to delete load balancer", "before cleanup", "cleanup finalizer")
_UNITS = ((86400, "days"), (3600, "h"), (60, "min"))


@dataclass(frozen=True)
class Trouble:
    """One refusal of the cloud, in the controller's words. `at`: seconds, None where the event has no time."""

    text: str
    cause: FailureCause
    at: float | None = None

    def quoted(self, now: float | None) -> str:
        ago = since(self.at, now)
        return f"{self.text} ({ago} ago)" if ago else self.text


def trouble(events: Sequence[Json], uid: str, *, removal: bool = False) -> Trouble | None:
    """The newest failure of this very Service, unless it was made since. `removal`: of taking it away."""
    told = [event for event in events if dig(event, "involvedObject", "uid") == uid and _counts(event, removal)]
    newest = max(told, key=_order, default=None)
    if newest is None or newest.get("reason") != _FAILED:
        return None
    text = str(newest.get("message") or "")
    return Trouble(text, classify(text), told_at(newest))


def _counts(event: Json, removal: bool) -> bool:
    if event.get("reason") == _FAILED:
        return any(part in str(event.get("message") or "") for part in _REMOVAL) is removal
    return event.get("reason") == _MADE and not removal


def _order(event: Json) -> tuple[float, int]:
    """Times have whole seconds; of two in one second, the one that was written later."""
    version = str(dig(event, "metadata", "resourceVersion") or "")
    return told_at(event) or 0.0, int(version) if version.isdecimal() else 0


def told_at(event: Json) -> float | None:
    """When it was said last, in seconds; None where it does not say."""
    times = (event.get("lastTimestamp"), dig(event, "series", "lastObservedTime"), event.get("eventTime"))
    found = (moment(text) for text in (*times, dig(event, "metadata", "creationTimestamp")))
    return next((seconds for seconds in found if seconds is not None), None)


def moment(text: Json) -> float | None:
    """A time as the API writes it, in seconds; None where it is none."""
    try:
        found = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def age(at: float | None, now: float | None) -> float | None:
    return None if at is None or now is None else max(now - at, 0.0)


def since(at: float | None, now: float | None) -> str:
    """How long ago, for a sentence; '' where nobody knows."""
    seconds = age(at, now)
    if seconds is None:
        return ""
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= 2 * size), (1, "s"))
    return f"{seconds // size:.0f} {unit}"
