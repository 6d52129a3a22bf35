# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A moto server in a process of its own: start, readiness, log, control, stop."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from .clients import AwsClients, load_models
from .seed import AwsNetwork

_ROOT = Path(__file__).resolve().parents[3]
START_SECONDS = 60.0
STOP_SECONDS = 5.0

# Any of these would point moto's own calls at somebody else's servers or certificates.
_FOREIGN = ("AWS_ENDPOINT_URL", "AWS_PROFILE", "AWS_CA_BUNDLE", "MOTO_PORT")


class MotoFailed(RuntimeError):
    """moto did not come up, or could not do what the lab asked of it."""


class MotoServer:
    """`with MotoServer(directory) as moto:` or start() and stop()."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.log = directory / "moto.log"
        self.endpoint = ""
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    def spawn(self) -> None:
        """Start the process without waiting for it, so that other things can start meanwhile."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self._ready_file.unlink(missing_ok=True)
        command = [sys.executable, "-m", "tests.lab.cloud.moto_entry", "--ready-file", str(self._ready_file)]
        environment = {key: value for key, value in os.environ.items() if key not in _FOREIGN}
        environment["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"  # nothing here runs an instance
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=_ROOT, env=environment, stdin=subprocess.PIPE, stdout=log, stderr=log
            )

    def wait_ready(self) -> str:
        """The endpoint, once the server listens. Raises MotoFailed with the end of the log otherwise."""
        deadline = time.monotonic() + START_SECONDS
        process = self._process
        if process is None:
            raise MotoFailed("moto was not started")
        while not self._ready_file.exists():
            if process.poll() is not None:
                raise MotoFailed(f"moto ended with code {process.returncode} before it was ready: {self._last_words()}")
            if time.monotonic() > deadline:
                raise MotoFailed(f"moto was not ready after {START_SECONDS:.0f} s; its log is {self.log}")
            time.sleep(0.02)
        self.endpoint = self._ready_file.read_text(encoding="utf-8")
        return self.endpoint

    def start(self) -> str:
        try:
            self.spawn()
            load_models()
            return self.wait_ready()
        except BaseException:  # Ctrl-C too: nothing stays behind
            self.stop()
            raise

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin:
            process.stdin.close()
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(STOP_SECONDS)

    def clients(self, region: str = "us-east-1") -> AwsClients:
        return AwsClients(self.endpoint, region)

    def seed(self, infra_id: str, base_domain: str, region: str = "us-east-1") -> AwsNetwork:
        """What an installer leaves behind for one cluster."""
        wanted = {"infra_id": infra_id, "base_domain": base_domain, "region": region}
        return AwsNetwork.from_data(self._control("POST", "seed", wanted))

    def set_limits(self, **limits: int) -> dict[str, int]:
        """`classic_load_balancers=1`: how many the account may have from now on."""
        return dict(self._control("POST", "limits", {key.replace("_", "-"): value for key, value in limits.items()}))

    def add_fault(self, action: str, **fault: Any) -> None:
        """Answer `action` with code/message/status, `times` times (None: until cleared), after `latency` seconds."""
        self._control("POST", "faults", {"action": action, **fault})

    def clear_faults(self) -> None:
        self._control("DELETE", "faults")

    def requests(self, *, reset: bool = False) -> dict[str, Any]:
        """Requests since the start or the last reset: {'actions': {name: count}, 'writes': count}."""
        return dict(self._control("DELETE" if reset else "GET", "requests"))

    def _control(self, method: str, topic: str, body: dict[str, Any] | None = None) -> Any:
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(f"{self.endpoint}/lab-api/{topic}", data=data, method=method)
        # An empty proxy table: loopback must never go through a proxy of the environment.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            raise MotoFailed(f"moto could not do {topic}: {refusal.read().decode('utf-8', 'replace')}") from refusal

    @property
    def _ready_file(self) -> Path:
        return self.directory / "moto.url"

    def _last_words(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else f"its log {self.log} is empty"

    def __enter__(self) -> MotoServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
