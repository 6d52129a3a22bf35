# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab process: brings an estate up, says so in the state directory, and stays until it is told to end."""

from __future__ import annotations

import os
import signal
import time
from types import FrameType
from typing import Any

from . import inventory
from .cloud.faults import Timing
from .commands import Say, describe
from .estate import ESTATES
from .processes import ProcessId
from .running import Lab
from .state import FAILED, READY, STARTING, Found, StateDirectory


def run(estate: str, state: StateDirectory, *, speed: float, say: Say) -> None:
    """Be the lab, until SIGTERM or Ctrl-C; then leave nothing."""
    came: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        if len(came) == 1:  # a second Ctrl-C does not break off the cleaning up
            raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    lab = Lab(state.path, Timing(speed=speed, provision=speed, deprovision=speed))
    try:
        record = _start(lab, estate, state)
        say(describe(state, Found(running=True, record=record)))
        while True:
            signal.pause()
    except KeyboardInterrupt:
        _quietly_end(lab)
        state.remove()
    except Exception as error:
        _quietly_end(lab)
        state.write({"phase": FAILED, "processes": [], "problem": _sentence(error)})
        state.release()
        raise


def _start(lab: Lab, estate: str, state: StateDirectory) -> dict[str, Any]:
    begun = time.monotonic()
    specs = ESTATES[estate]
    processes = [ProcessId.of("lab", os.getpid())]
    record: dict[str, Any] = {"phase": STARTING, "estate": estate, "processes": [p.as_record() for p in processes]}
    state.write(record)
    if any(spec.platform == "AWS" for spec in specs):
        processes.append(ProcessId.of("moto", lab.moto.pid))
        record["processes"] = [process.as_record() for process in processes]
        state.write(record)
    moto_up = time.monotonic()
    lab.bring_up(specs)
    inventory.write(lab)
    record |= {
        "phase": READY,
        "seconds": time.monotonic() - begun,
        "seconds_after_moto": time.monotonic() - moto_up,
        "admin": {"url": lab.server.url, "token": lab.server.admin_token},
        "aws_endpoint": lab.moto.endpoint if lab.has_moto else "",
        "clusters": [
            {
                "name": name,
                "platform": running.spec.platform,
                "version": running.spec.release,
                "url": running.url,
                "kubeconfig": str(running.kubeconfig),
            }
            for name, running in lab.clusters.items()
        ],
    }
    state.write(record)
    return record


def _quietly_end(lab: Lab) -> None:
    """Stop everything, whatever else is sent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    lab.stop()


def _sentence(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text if text.endswith((".", "!")) else f"{text}."
