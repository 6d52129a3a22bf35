# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module as the process that Ansible would start, so that a test can kill it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .workplace import QUICK, Subject

MODULES = Path(__file__).parents[3] / "plugins" / "modules"
IMPORT_ROOT = Path(__file__).parents[3] / ".build" / "collections"


@contextmanager
def running(module: str, subject: Subject, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """The module at work; whatever happens, it is gone afterwards."""
    given = {"kubeconfig": str(subject.cluster.kubeconfig), "preflight": "skip", **QUICK, **subject.options, **options}
    process = subprocess.Popen(
        [sys.executable, str(MODULES / f"{module}.py")],
        env={**os.environ, "PYTHONPATH": str(IMPORT_ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdin is not None
        process.stdin.write(json.dumps({"ANSIBLE_MODULE_ARGS": given}))
        process.stdin.close()
        yield process
    finally:
        process.kill()
        process.wait(10)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def kill_9(process: subprocess.Popen[str]) -> None:
    """No cleanup of any kind; it must still have been at work."""
    assert process.poll() is None, f"it had ended already: {process.stdout.read() if process.stdout else ''}"
    process.send_signal(signal.SIGKILL)
    process.wait(10)
