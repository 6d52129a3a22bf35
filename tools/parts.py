# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run named parts of `make test` and `make lint`, and show at the end what passed and how long each took.

The gates run two at a time and are quiet unless they fail; the tests come after them, with their output as it comes,
and beside them those that need OpenStack. Every part runs, whatever failed before it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from collection_copy import refresh_copy
from project_files import BUILD, ROOT

MAIN, GATES = BUILD / "venv" / "bin", BUILD / "gates" / "bin"
TYPED = ("plugins/module_utils", "plugins/plugin_utils", "plugins/action")
IMPORT_ROOT = BUILD / "collections"
PYTESTED = ("tests/integration", "tests/conformance", "tests/tools", "tests/chaos")
#: Time a part gets to put its servers away after Ctrl-C, before it is killed.
GRACE_SECONDS = 30


@dataclass(frozen=True)
class Part:
    command: tuple[str | Path, ...]
    #: Alone and with its output as it comes.
    live: bool = False


GATE_PARTS = {
    "house": Part((MAIN / "python", "tools/house_rules.py")),
    "findings": Part((MAIN / "python", "tools/findings.py", "--check")),
    "ruff": Part((GATES / "ruff", "check", "--output-format", "concise", ".")),
    "format": Part((GATES / "ruff", "format", "--check", "--quiet", ".")),
    "shell": Part((GATES / "shellcheck", ".ci/run")),  # the *.sh files are for sanity
    "mypy": Part((GATES / "mypy", *TYPED)),
    "sanity": Part((MAIN / "python", "tools/ansible_test.py", "sanity")),
    "ansible-lint": Part((MAIN / "python", "tools/collection_gates.py", "ansible-lint")),
    "docs": Part((MAIN / "python", "tools/collection_gates.py", "docs")),
    "changelog": Part((MAIN / "python", "tools/collection_gates.py", "changelog")),
    "galaxy": Part((MAIN / "python", "tools/collection_gates.py", "galaxy")),
}
TEST_PARTS = {
    "units": Part((MAIN / "python", "tools/ansible_test.py", "units", "--num-workers", "2"), live=True),
    "conformance": Part((MAIN / "python", "-m", "tests.conformance"), live=True),
    # tests/unit has just run, as units.
    "pytest": Part((MAIN / "python", "-m", "pytest", "-m", "not long and not openstack", *PYTESTED), live=True),
    "openstack": Part((MAIN / "python", "-m", "pytest", "-q", "-m", "openstack and not long", "tests/integration")),
}
#: Waits for its own servers most of the time, so it has the second lane while the live parts run.
BESIDE = ("openstack",)
PARTS = GATE_PARTS | TEST_PARTS
GROUPS = {"lint": list(GATE_PARTS), "test": list(PARTS)}
# The longest first, so that two lanes end at about the same time.
LONG_GATES = ("sanity", "galaxy", "ansible-lint", "docs")


@dataclass(frozen=True)
class Outcome:
    name: str
    code: int
    seconds: float
    last_line: str


class Lanes:
    """The children that run now, so that an interruption reaches all of them."""

    def __init__(self) -> None:
        self.children: set[subprocess.Popen[str]] = set()
        self.stopped = False

    def run(self, name: str) -> Outcome:
        part, started = PARTS[name], time.monotonic()
        if self.stopped:
            return Outcome(name, 130, 0.0, "not run")
        if part.live:
            print(f"\n== {name}", flush=True)
        pipe = None if part.live else subprocess.PIPE
        # Not in the terminal's process group: we pass the interruption on ourselves, once.
        child = subprocess.Popen(
            part.command, cwd=ROOT, env=environment(), text=True, errors="replace", stdin=subprocess.DEVNULL,
            stdout=pipe, stderr=pipe and subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self.children.add(child)
        output = child.communicate()[0] or ""
        self.children.discard(child)
        outcome = Outcome(name, child.returncode, time.monotonic() - started, last_line(output))
        if not part.live and not self.stopped:
            show(outcome, output)
        return outcome

    def run_in_order(self, names: list[str]) -> list[Outcome]:
        return [self.run(name) for name in names]

    def stop(self, *_signal: object) -> None:
        """Pass an interruption on; a part that has not ended after its grace is killed."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.stopped = True
        for number, wait in ((signal.SIGINT, GRACE_SECONDS), (signal.SIGKILL, 5)):
            for child in list(self.children):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, number)
            deadline = time.monotonic() + wait
            while self.children and time.monotonic() < deadline:
                time.sleep(0.1)


def environment() -> dict[str, str]:
    return os.environ | {
        "PYTHONPATH": str(IMPORT_ROOT),
        "ANSIBLE_COLLECTIONS_PATH": str(IMPORT_ROOT),
        "ANSIBLE_HOME": str(BUILD / "ansible-home"),
        "PATH": f"{MAIN}:{os.environ.get('PATH', os.defpath)}",
    }


def last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:80] if lines else ""


def show(outcome: Outcome, output: str) -> None:
    if outcome.code:
        print(f"\n== {outcome.name}: FAILED\n{output.rstrip()}", flush=True)
    else:
        print(f"== {outcome.name}: ok, {outcome.seconds:.1f} s  {outcome.last_line}", flush=True)


def table(outcomes: list[Outcome], seconds: float) -> str:
    rows = [f"  {one.name:<14}{'ok' if one.code == 0 else 'FAILED':<8}{one.seconds:>8.1f} s" for one in outcomes]
    failed = [one.name for one in outcomes if one.code]
    end = f"failed: {', '.join(failed)}" if failed else f"all {len(outcomes)} parts passed"
    return "\n".join(["", "  part          result    time", *rows, f"  {end} in {seconds:.0f} s"])


def run_all(names: list[str], lanes: Lanes) -> list[Outcome]:
    beside = [name for name in names if name in BESIDE]
    live = [name for name in names if PARTS[name].live]
    quiet = sorted((name for name in names if name not in (*live, *beside)), key=lambda name: name not in LONG_GATES)
    # Always in threads: the main thread stays free to hear an interruption.
    with ThreadPoolExecutor(max_workers=2) as pool:
        outcomes = list(pool.map(lanes.run, quiet))
    with ThreadPoolExecutor(max_workers=2) as pool:
        outcomes += [one for lane in pool.map(lanes.run_in_order, (live, beside)) for one in lane]
    return sorted(outcomes, key=lambda one: names.index(one.name))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=[*GROUPS, *PARTS], metavar="PART")
    asked = parser.parse_args().names
    names = list(dict.fromkeys(one for name in asked for one in GROUPS.get(name, [name])))
    lanes, started = Lanes(), time.monotonic()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lanes.stop)
    refresh_copy()
    outcomes = run_all(names, lanes)
    if lanes.stopped:
        print("interrupted; what was running has been stopped", file=sys.stderr)
        return 130
    print(table(outcomes, time.monotonic() - started), flush=True)
    return 1 if any(one.code for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
