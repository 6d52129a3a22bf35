# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who holds the lock of a target, as its Lease says it (CORE-11). Pure: what time it is, is told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from .data import Json, dig
from .model import Finding, Severity, Target

PROCESS = "lb-estate.edgeworks.io/process"  # annotation: which process on which machine, to tell a dead one at once
TAKEN_FROM = "lb-estate.edgeworks.io/taken-over-from"
SECONDS = 60  # how long a sign of life counts, whatever a Lease says: no typo locks a target for years
_SKEW = 10.0  # seconds: answers tell the server's time in whole ones, and several servers differ a little
_MICRO_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"


@dataclass(frozen=True)
class Holder:
    """`age`: seconds since the last sign of life. `gone`: its process is known to have ended.

    `ahead`: its last sign of life is in the future, by a clock that is wrong somewhere. How old that is nobody can
    tell, so it counts as alive until it was watched for as long as a lock lasts (`still`).
    """

    name: str
    since: str
    age: float
    seconds: int
    gone: bool = False
    ahead: bool = False
    still: bool = False

    @property
    def alive(self) -> bool:
        return bool(self.name) and not self.gone and not self.still and self.age <= self.seconds

    @property
    def unclear(self) -> bool:
        return self.alive and self.ahead

    def __str__(self) -> str:
        if self.ahead:
            return f"{self.name} since {self.since}, last sign of life {-self.age:.0f} s ahead of the server's clock"
        return f"{self.name} since {self.since}, last sign of life {max(self.age, 0):.0f} s ago"


def lock_name(target: Target) -> str:
    """One Lease per target, beside it."""
    return f"lb-estate-{target.kind.lower()}-{target.name}"


def holder_of(lease: Json, now: float, gone: bool = False) -> Holder | None:
    """None where there is no Lease or nobody in it. One whose times cannot be read has expired."""
    name = dig(lease, "spec", "holderIdentity")
    if not name:
        return None
    length = dig(lease, "spec", "leaseDurationSeconds")
    seconds = min(length, SECONDS) if isinstance(length, int) else 0
    renewed = seconds_of(dig(lease, "spec", "renewTime"))
    age = float("inf") if renewed is None else now - renewed
    since = str(dig(lease, "spec", "acquireTime") or "an unknown time")
    return Holder(str(name), since, age, seconds, gone, ahead=age < -_SKEW)


def seconds_of(text: Json) -> float | None:
    try:
        return datetime.strptime(str(text), _MICRO_TIME).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def micro_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime(_MICRO_TIME)


def busy(holder: Holder | None, where: str) -> tuple[Finding, ...]:
    """A run that is under way is never taken for one that was stopped."""
    if holder is None or not holder.alive:
        return ()
    what = f"Another run is changing it right now: {holder}."
    remedy = f"Wait until it has ended. If it was killed, its lock expires {holder.seconds} s after that."
    return (Finding("locked", Severity.ERROR, where, what, remedy, holder.name),)


def unknown(unread: bool) -> tuple[Finding, ...]:
    if not unread:
        return ()
    what = "Leases may not be read, so whether a run is at work on what has marks of one, or was stopped, is not known."
    return (Finding("locks_unread", Severity.INFO, "Leases", what, "Permit get leases."),)
