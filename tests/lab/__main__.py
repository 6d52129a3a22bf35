# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.lab up | down | status | demo`: the lab's front door."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .state import StateDirectory


def main(arguments: list[str] | None = None) -> int:
    # Everything else is imported below: Ctrl-C while Python loads it is a sentence, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _run(_parser().parse_args(arguments))
    except KeyboardInterrupt:
        print("Interrupted; nothing was left running.", file=sys.stderr)
        return 130
    except ModuleNotFoundError as error:
        print(f"The lab needs the Python package {error.name}: run `make venv` first.", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    if options.command == "demo":
        from .demo import main as show

        return int(show() or 0)
    from . import commands
    from .state import LabProblem, StateDirectory

    state = StateDirectory(options.state or commands.DEFAULT_STATE, getattr(options, "lock", None))
    try:
        if options.command == "up" and options.foreground:
            _serve(options, state)
        elif options.command == "up":
            commands.up(options.estate, state, speed=options.speed, say=_say)
        elif options.command == "down":
            commands.down(state, say=_say)
        else:
            found = state.look()
            _say(commands.describe(state, found))
            return 0 if found.running else 3
    except (LabProblem, OSError, RuntimeError) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def _serve(options: argparse.Namespace, state: StateDirectory) -> None:
    try:
        if options.lock is None:
            for line in state.claim():
                _say(line)
        else:
            os.set_inheritable(options.lock, False)
        from . import serving

        serving.run(options.estate, state, speed=options.speed, say=_say)
    except BaseException:  # Ctrl-C before the lab itself could take care of it
        state.abandon()
        raise


def _say(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    from .estate import ESTATES

    parser = argparse.ArgumentParser(prog="python -m tests.lab", description=__doc__)
    verbs = parser.add_subparsers(dest="command", required=True)
    state = argparse.ArgumentParser(add_help=False)
    state.add_argument("--state", type=Path, help="the lab's directory (default: .build/lab/estate below the project)")
    up = verbs.add_parser("up", parents=[state], help="start a lab and wait until it is ready")
    up.add_argument("--estate", default="demo", choices=sorted(ESTATES), help="which clusters (default: demo)")
    up.add_argument("--foreground", action="store_true", help="stay in the terminal; Ctrl-C ends the lab")
    up.add_argument(
        "--speed",
        type=float,
        default=0.1,
        help="how slow clouds and retries are: 1 is like real ones (default: 0.1)",
    )
    up.add_argument("--lock", type=int, help=argparse.SUPPRESS)
    verbs.add_parser("down", parents=[state], help="end the lab that up started")
    verbs.add_parser("status", parents=[state], help="what runs, where its files are; exit code 3 when nothing does")
    verbs.add_parser("demo", help="show the demo estate's load balancers and what is pending")
    return parser


if __name__ == "__main__":
    sys.exit(main())
