# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults on demand, per cluster: slow, lost, refused, stale, stuck (lab: faults on demand)."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

# A test that never lets go must not hang for good.
_LONGEST_HOLD = 25.0
KINDS = ("latency", "hold", "drop_before", "drop_after", "error", "stale", "stuck_finalizer")


@dataclass
class Fault:
    """One kind of trouble and the requests it befalls; None matches everything, `count` None never runs out.

    latency: `seconds` before handling. hold: before handling, until `let_go()` or it is cleared. drop_before /
    drop_after: the connection dies before, or after the write took effect but before the client hears (a watch: once it
    began). error: `status` (with `retry_after`). stale: a read answers `back` writes ago. stuck_finalizer: removal of
    `finalizer` is undone silently (`mode` ignore) or refused (`deny`), for every writer.
    """

    kind: str
    verb: str | None = None
    resource: str | None = None
    namespace: str | None = None
    name: str | None = None
    subresource: str | None = None
    count: int | None = None
    probability: float = 1.0
    seed: int = 0
    seconds: float = 0.0
    status: int = 503
    retry_after: int | None = None
    message: str = ""
    back: int = 1
    finalizer: str = ""
    mode: str = "ignore"
    id: int = 0
    hits: int = 0
    _draw: random.Random = field(default_factory=random.Random, repr=False)
    _going_on: threading.Event = field(default_factory=threading.Event, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown fault kind {self.kind!r}; one of {', '.join(KINDS)}")
        if self.mode not in ("ignore", "deny"):
            raise ValueError(f"unknown stuck_finalizer mode {self.mode!r}; ignore or deny")
        self._draw = random.Random(self.seed)

    def matches(self, verb: str, resource: str, namespace: str, name: str, subresource: str) -> bool:
        wanted = (self.verb, self.resource, self.namespace, self.name, self.subresource)
        have = (verb, resource, namespace, name, subresource)
        return all(want is None or got in want.split(",") for want, got in zip(wanted, have, strict=True))

    def describe(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in fields(self) if not entry.name.startswith("_")}

    def hold(self) -> None:
        self._going_on.wait(_LONGEST_HOLD)

    def let_go(self) -> None:
        """What is held goes on, and what comes later is not held at all."""
        self._going_on.set()


@dataclass(frozen=True)
class Trouble:
    """What befalls one request."""

    latency: float = 0.0
    held: tuple[Fault, ...] = ()
    drop_before: bool = False
    drop_after: bool = False
    error: Fault | None = None
    stale: int = 0


NO_TROUBLE = Trouble()


class Faults:
    """The active faults of one cluster; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active: list[Fault] = []
        self._ids = itertools.count(1)

    def add(self, kind: str, **options: Any) -> Fault:
        fault = Fault(kind, **options)
        with self._lock:
            fault.id = next(self._ids)
            self._active.append(fault)
        return fault

    def clear(self, fault_id: int | None = None) -> None:
        with self._lock:
            ended = [f for f in self._active if fault_id in (None, f.id)]
            self._active = [f for f in self._active if f not in ended]
        for fault in ended:
            fault.let_go()

    def active(self) -> list[Fault]:
        with self._lock:
            return list(self._active)

    def _strikes(self, fault: Fault, where: tuple[str, str, str, str, str]) -> bool:
        """Whether the fault hits this request; counts it, and retires the fault with its last count."""
        if not fault.matches(*where) or (fault.probability < 1.0 and fault._draw.random() >= fault.probability):
            return False
        fault.hits += 1
        if fault.count is not None and fault.hits >= fault.count:
            self._active.remove(fault)
        return True

    def _hits(self, kinds: tuple[str, ...], where: tuple[str, str, str, str, str]) -> Iterator[Fault]:
        return (fault for fault in list(self._active) if fault.kind in kinds and self._strikes(fault, where))

    def befalling(self, verb: str, resource: str, namespace: str, name: str, subresource: str) -> Trouble:
        """Consumes the counts of everything that hits this request; the first refusal or drop ends the search."""
        if not self._active:
            return NO_TROUBLE
        where = (verb, resource, namespace, name, subresource)
        with self._lock:
            latency = sum(fault.seconds for fault in self._hits(("latency",), where))
            held = tuple(self._hits(("hold",), where))
            fatal = next(self._hits(("drop_before", "drop_after", "error", "stale"), where), None)
        if fatal is None:
            return Trouble(latency=latency, held=held)
        return Trouble(
            latency=latency,
            held=held,
            drop_before=fatal.kind == "drop_before",
            drop_after=fatal.kind == "drop_after",
            error=fatal if fatal.kind == "error" else None,
            stale=fatal.back if fatal.kind == "stale" else 0,
        )

    def holding(self, resource: str, namespace: str, name: str, removed: set[str]) -> list[Fault]:
        """The stuck-finalizer faults that forbid removing one of these finalizers now."""
        if not self._active or not removed:
            return []
        where = ("update", resource, namespace, name, "")
        with self._lock:
            stuck = [fault for fault in self._active if fault.kind == "stuck_finalizer" and fault.finalizer in removed]
            return [fault for fault in stuck if self._strikes(fault, where)]
