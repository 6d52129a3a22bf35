# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.lab.openstack up|down|status [--state DIRECTORY]`."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from .errors import LabError, sentence_of
from .lab import OpenStackLab, is_up, stop_lab
from .lifecycle import read_marker, running
from .paths import DEFAULT_STATE, State

NOT_UP = 3


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.openstack", description="The OpenStack part of the lab.")
    parser.add_argument("command", choices=["up", "down", "status"])
    parser.add_argument("--state", type=Path, default=DEFAULT_STATE, help="the lab's directory, removed by `down`")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return {"up": up, "down": down, "status": status}[arguments.command](arguments.state.absolute())
    except LabError as error:
        _say(str(error))
        return 1
    except OSError as error:
        _say(sentence_of(error))
        return 1
    except KeyboardInterrupt:
        _say("interrupted; nothing was left running")
        return 130


def up(directory: Path) -> int:
    if is_up(State(directory)):
        _say(f"already up in {directory}")
        return 0
    began = time.monotonic()
    lab = OpenStackLab.start(directory, say=_say, owned=False)
    _say(f"up after {time.monotonic() - began:.1f} s")
    print(f"export OS_CLIENT_CONFIG_FILE={lab.clouds_yaml} OS_CLOUD={lab.admin_cloud}")
    print(f"export LB_ESTATE_OPENSTACK_LAB={directory}")
    return 0


def down(directory: Path) -> int:
    _say("stopped and removed" if stop_lab(directory) else f"no lab in {directory}")
    return 0


def status(directory: Path) -> int:
    state = State(directory)
    ports = read_marker(state).get("ports", {})
    for record in running(state):
        where = ports.get(record.name, "-")
        print(f"{record.name:10} pid {record.pid:<8} port {where}")
    whole = is_up(state)
    print(f"{'up' if whole else 'not up'} in {directory}")
    return 0 if whole else NOT_UP


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    print(f"openstack lab: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
