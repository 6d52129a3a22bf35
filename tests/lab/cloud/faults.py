# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trouble on demand: a cloud that refuses or hangs, and how slow the good path is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

ENSURE, DELETE = "ensure", "delete"


@dataclass(frozen=True)
class Timing:
    """Seconds. `speed` scales the controller's retry back-off (5 s doubling to 300 s on a real one)."""

    provision: float = 0.0
    deprovision: float = 0.0
    retry_first: float = 5.0
    retry_most: float = 300.0
    speed: float = 1.0

    def back_off(self, failures: int) -> float:
        # min() inside: 2.0**failures overflows a float after a thousand retries.
        return min(self.retry_first * 2.0 ** min(failures - 1, 30), self.retry_most) * self.speed


@dataclass
class _Fault:
    message: str | None  # None: hang instead of refusing
    service: str
    times: int | None

    def applies_to(self, service: str) -> bool:
        return self.service in ("", service) and self.times != 0


class CloudFaults:
    """Thread-safe switches of one cluster's cloud. A hold is a cloud that neither succeeds nor fails."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: dict[str, list[_Fault]] = {ENSURE: [], DELETE: []}
        self._on_clear: Callable[[], None] = lambda: None

    def fail_ensure(self, message: str, *, service: str = "", times: int | None = None) -> None:
        """Every (or the next `times`) provisioning of `service` (default: any) fails with this text."""
        self._add(ENSURE, message, service, times)

    def fail_delete(self, message: str, *, service: str = "", times: int | None = None) -> None:
        self._add(DELETE, message, service, times)

    def hold_ensure(self, service: str = "") -> None:
        self._add(ENSURE, None, service, None)

    def hold_delete(self, service: str = "") -> None:
        self._add(DELETE, None, service, None)

    def clear(self) -> None:
        """The cloud works again, and what failed is tried at once instead of after its back-off."""
        with self._lock:
            for faults in self._faults.values():
                faults.clear()
        self._on_clear()

    def on_clear(self, act: Callable[[], None]) -> None:
        self._on_clear = act

    def holds(self, operation: str, service: str) -> bool:
        with self._lock:
            return any(fault.message is None and fault.applies_to(service) for fault in self._faults[operation])

    def take(self, operation: str, service: str) -> str | None:
        """The text this attempt is to fail with, None when it may go on."""
        with self._lock:
            for fault in self._faults[operation]:
                if fault.message is not None and fault.applies_to(service):
                    if fault.times is not None:
                        fault.times -= 1
                    return fault.message
        return None

    def _add(self, operation: str, message: str | None, service: str, times: int | None) -> None:
        with self._lock:
            self._faults[operation].append(_Fault(message, service, times))
