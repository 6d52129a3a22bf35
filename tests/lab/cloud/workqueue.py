# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller's work queue: each key once, due at a time, with a count of failures in a row."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class WorkQueue(Generic[T]):
    """`take()` blocks until a key is due; None once closed."""

    def __init__(self) -> None:
        self._due: dict[T, float] = {}
        self._failures: Counter[T] = Counter()
        self._changed = threading.Condition()
        self._closed = False

    def add(self, key: T, delay: float = 0.0) -> None:
        """Due after `delay`, or earlier if it was to be earlier."""
        with self._changed:
            due = time.monotonic() + delay
            self._due[key] = min(due, self._due.get(key, due))
            self._changed.notify()

    def hurry(self) -> None:
        """Everything that waits is due now."""
        with self._changed:
            self._due = dict.fromkeys(self._due, 0.0)
            self._changed.notify()

    def take(self) -> T | None:
        with self._changed:
            while not self._closed:
                key = min(self._due, key=lambda item: self._due[item], default=None)
                if key is None:
                    self._changed.wait()
                    continue
                left = self._due[key] - time.monotonic()
                if left <= 0:
                    del self._due[key]
                    return key
                self._changed.wait(left)
            return None

    def failed(self, key: T) -> int:
        """Count one more failure in a row; how many that makes."""
        with self._changed:
            self._failures[key] += 1
            return self._failures[key]

    def forget(self, key: T) -> None:
        with self._changed:
            self._failures.pop(key, None)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
