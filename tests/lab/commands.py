# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`up`, `down` and `status`: a lab as a process of its own that outlives the command which started it.

Nothing here loads the lab itself, so that looking and ending are quick; `serving` is the process behind `up`.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from . import ROOT
from .processes import ProcessId, interrupts_held_back, spawn_detached
from .state import AWS_ENV, INVENTORY, READY, STARTING, Found, LabProblem, StateDirectory

DEFAULT_STATE = ROOT / ".build" / "lab" / "estate"  # beside the OpenStack lab
UP_SECONDS = 120.0
_MEGABYTE = 1024 * 1024

Say = Callable[[str], None]


def up(estate: str, state: StateDirectory, *, speed: float, say: Say) -> None:
    """Start a lab in the background and wait until it is ready."""
    child: subprocess.Popen[bytes] | None = None
    try:
        with interrupts_held_back():
            for line in state.claim():
                say(line)
            arguments = [
                "--estate",
                estate,
                "--state",
                str(state.path),
                "--speed",
                str(speed),
                "--lock",
                str(state.lock),
            ]
            child = spawn_detached(["up", "--foreground", *arguments], state.log, keep=(state.lock,))
        found = _wait_until_up(state, child)
    except BaseException:
        # Ctrl-C, or a start that takes too long: nothing stays behind.
        if child is not None:
            ProcessId.of("lab", child.pid).end()
            child.wait()
        state.abandon()
        raise
    if found.phase == READY:
        state.release()
        say(describe(state, found))
        return
    child.wait()
    reason = str((found.record or {}).get("problem") or f"it ended with code {child.returncode}")
    state.release()
    raise LabProblem(f"The lab did not start: {reason} Its logs are in {state.path}.")


def down(state: StateDirectory, *, say: Say) -> None:
    found = state.look()
    if found.record is None and not found.running:
        say(f"No lab is running in {state.path}.")
        return
    state.end(found)
    words = "Ended the lab" if found.running else "Cleaned up what a lab that is no longer running left"
    say(f"{words} in {state.path}.")


def describe(state: StateDirectory, found: Found) -> str:
    """What runs, where its files are, what it costs."""
    record = found.record or {}
    if not found.running:
        left = " An earlier run left its files there; up or down will clean them." if found.record else ""
        return f"No lab is running in {state.path}.{left}"
    if found.phase == STARTING:
        return f"A lab is starting in {state.path}."
    lines = [f"Lab {record['estate']!r}: {len(record['clusters'])} clusters, ready in {record['seconds']:.1f} s"]
    lines[0] += f" ({record['seconds_after_moto']:.1f} s after moto was up)."
    width = max(len(cluster["name"]) for cluster in record["clusters"])
    for cluster in record["clusters"]:
        about = f"{cluster['platform']} {cluster['version']}"
        lines.append(f"  {cluster['name']:<{width}}  {about:<18} {cluster['url']}")
    total = 0
    for process in found.processes:
        total += process.memory()
        lines.append(f"  pid {process.pid} ({process.name}): {process.memory() // _MEGABYTE} MB")
    lines.append(f"Memory: {total // _MEGABYTE} MB.")
    lines.append(f"Kubeconfigs: {state.path / 'kubeconfig'}/<cluster>.yaml (also .reader.yaml, .nobody.yaml)")
    lines.append(f"Inventory:   {state.path / INVENTORY}")
    lines.append(f"AWS:         . {state.path / AWS_ENV}")
    lines.append(f"End it with: python -m tests.lab down --state {state.path}")
    return "\n".join(lines)


def _wait_until_up(state: StateDirectory, child: subprocess.Popen[bytes]) -> Found:
    """Ready, or failed, or the process gone; Ctrl-C comes through as KeyboardInterrupt."""
    deadline = time.monotonic() + UP_SECONDS
    while time.monotonic() < deadline:
        found = Found(running=True, record=state.read())
        if found.phase != STARTING or child.poll() is not None:
            return found
        time.sleep(0.05)
    raise LabProblem(f"The lab was not ready after {UP_SECONDS:.0f} s, so it was ended.")
