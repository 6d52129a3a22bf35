# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`make demo`: the demo estate comes up on this machine, its load balancers are shown, and it is put away again."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import PortError
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube

from . import demo_view
from .cloud.faults import Timing
from .cloud.moto_server import MotoFailed
from .demo_view import Balancer
from .estate import DEMO
from .running import Lab, LabCluster

# Clouds a tenth as slow as in the background lab: nobody watches them here.
_TIMING = Timing(speed=0.02)
_WIDTH_WITHOUT_TERMINAL = 120
_BOLD, _YELLOW, _PLAIN = "\033[1m", "\033[33m", "\033[0m"


def main() -> int:
    try:
        _show()
    except (PortError, MotoFailed, OSError, TimeoutError) as problem:
        print(f"The demo could not go on: {problem}", file=sys.stderr)
        return 1
    return 0


def _show() -> None:
    begun = time.monotonic()
    _say(f"Starting {len(DEMO)} small OpenShift clusters: ")
    with _estate() as lab:
        _say(f"ready after {time.monotonic() - begun:.1f} s.\n\n")
        order = [spec.name for spec in DEMO]
        with ThreadPoolExecutor(max_workers=4) as pool:
            found = pool.map(_look, [lab.clusters[name] for name in order])
        balancers = [balancer for cluster in found for balancer in cluster]
        _print(balancers)
    seconds = time.monotonic() - begun
    print(f"\nStopped again after {seconds:.1f} s; nothing is left running. To keep it: make lab-up")


def _say(text: str) -> None:
    print(text, end="", flush=True)


def _look(cluster: LabCluster) -> list[Balancer]:
    with Kube.connect({"kubeconfig": str(cluster.kubeconfigs["reader"])}, environ={}) as kube:
        return demo_view.look(cluster.name, kube)


def _print(balancers: list[Balancer]) -> None:
    width = shutil.get_terminal_size((_WIDTH_WITHOUT_TERMINAL, 24)).columns
    pending = [balancer for balancer in balancers if balancer.changes]
    header, *lines = demo_view.table(balancers, width).splitlines()
    print(_in(_BOLD, header))
    for balancer, line in zip(balancers, lines, strict=True):
        print(_in(_YELLOW, line) if balancer.changes else line)
    clusters = len({balancer.cluster for balancer in balancers})
    print(f"\n{len(balancers)} ingress load balancers in {clusters} clusters; a change is pending on {len(pending)}.")
    for balancer in pending:
        title, *lines = demo_view.details(balancer, width).splitlines()
        print("\n".join(["", _in(_YELLOW, title), *lines]))


def _in(colour: str, text: str) -> str:
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain else f"{colour}{text}{_PLAIN}"


@contextlib.contextmanager
def _estate() -> Iterator[Lab]:
    """Up, and down again whatever happens: an error, Ctrl-C, a closed terminal, SIGTERM."""
    _interrupt_once()
    with tempfile.TemporaryDirectory(prefix="lb-estate-demo-") as directory:
        lab = Lab(Path(directory), _TIMING)
        try:
            _say("cloud … ")
            lab.moto.clients()  # moto starts when it is first asked for
            _say("clusters … ")
            lab.bring_up(DEMO)
            yield lab
        finally:
            lab.stop()


def _interrupt_once() -> None:
    """The first signal breaks off what is going on; one more does not break off the putting away."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in numbers:
        signal.signal(number, interrupt)


if __name__ == "__main__":
    sys.exit(main())
