# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A lab's state directory from claim to removal: who may touch it, what condition it is in, how it is cleared."""

from __future__ import annotations

import contextlib
import fcntl
import json
import shutil
import signal
import threading
from collections.abc import Iterator
from typing import Any

from .errors import LabError
from .paths import State
from .processes import Record, records, stop


@contextlib.contextmanager
def claimed(state: State) -> Iterator[None]:
    """Alone with the state directory, while it is brought up or down."""
    existed = state.root.exists()
    if existed and not state.root.is_dir():
        raise LabError(f"{state.root} is not a directory; name another one with --state.")
    if existed and any(state.root.iterdir()) and not (state.marker.exists() or state.lock.exists()):
        raise LabError(
            f"{state.root} holds other files, and a lab removes its directory in the end; name an empty one."
        )
    state.root.mkdir(parents=True, exist_ok=True)
    with state.lock.open("a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LabError(
                f"The lab in {state.root} is just being started or stopped by another process; wait for that to end."
            ) from None
        yield


def read_marker(state: State) -> dict[str, Any]:
    """Empty when there is no lab, or one that was killed before it could say anything about itself."""
    try:
        content: dict[str, Any] = json.loads(state.marker.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content


def write_marker(state: State, **content: object) -> None:
    draft = state.marker.with_suffix(".new")
    draft.write_text(json.dumps(content, indent=2), encoding="utf-8")
    draft.replace(state.marker)


def running(state: State) -> list[Record]:
    return [record for record in records(state) if record.alive]


def empty(state: State) -> None:
    """End what this lab started, and nothing else; then remove what it wrote, all but the claim."""
    for record in records(state):
        # What they would write in an orderly end is removed in the next line.
        stop(record, sign=signal.SIGKILL)
    for path in state.root.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path != state.lock:
            path.unlink(missing_ok=True)


def clear(state: State) -> None:
    empty(state)
    shutil.rmtree(state.root, ignore_errors=True)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """A second Ctrl-C must not stop the clearing up after the first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
