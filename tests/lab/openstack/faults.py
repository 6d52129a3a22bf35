# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fault switches: what can go wrong in Octavia and around it, on demand and back again.

Each switch is a file the services look at, a row in Octavia's database, or a process that is killed. Those that have a
natural end are context managers; `clear()` takes back everything that is a file.
"""

from __future__ import annotations

import contextlib
import json
import time
import uuid
from collections.abc import Iterator, Sequence
from typing import Literal

from .api import Client
from .database import Database
from .errors import LabError
from .paths import State
from .services import Services

Operation = Literal["build", "update", "delete"]
Kind = Literal["load_balancer", "listener", "pool", "member", "health_monitor"]
PENDING = ("PENDING_CREATE", "PENDING_UPDATE", "PENDING_DELETE")


class Faults:
    def __init__(self, state: State, services: Services, database: Database, admin: Client) -> None:
        self._directory = state.faults
        self._services = services
        self._database = database
        self._admin = admin

    @contextlib.contextmanager
    def failing(self, operation: Operation, zone: str | None = None) -> Iterator[None]:
        """`build` ends in ERROR; `delete` in ERROR instead of gone; `update` in ERROR of the child that was changed."""
        with self._switch(f"fail-{operation}", zone, ""):
            yield

    @contextlib.contextmanager
    def delayed(self, operation: Operation, seconds: float, zone: str | None = None) -> Iterator[None]:
        """PENDING lasts at least so long: `build` of a load balancer, `update` at every change below it."""
        with self._switch(f"delay-{operation}", zone, str(seconds)):
            yield

    @contextlib.contextmanager
    def worker_down(self) -> Iterator[None]:
        """The API accepts, nothing is done; afterwards the worker takes up what has queued."""
        switch = self._directory / "worker-down"
        switch.touch()
        try:
            self._await_worker("down")
            yield
        finally:
            switch.unlink(missing_ok=True)
            self._await_worker("up")

    @contextlib.contextmanager
    def service_down(self, name: Literal["keystone", "neutron", "octavia"]) -> Iterator[None]:
        """Killed as by a crash, then started again; Octavia forgets its queue and leaves its work half done."""
        self._services.kill(name)
        try:
            yield
        finally:
            self._services.restart(name)

    @contextlib.contextmanager
    def lacking(self, *features: str, status: int = 501, vague: bool = False) -> Iterator[None]:
        """The lab's own providers lack these as well; `vague`: they do not say what it is that they lack."""
        with self._switch("lacking", None, json.dumps({"features": features, "status": status, "vague": vague})):
            yield

    @contextlib.contextmanager
    def default_provider(self, name: str) -> Iterator[None]:
        """What a request means that names no provider."""
        with self._switch("default-provider", None, name):
            yield

    @contextlib.contextmanager
    def uncatalogued(self, kind: str) -> Iterator[None]:
        """A cloud whose catalog does not have this kind of service, for whoever signs in meanwhile."""
        (service,) = self._admin.get("keystone", "/services", type=kind)["services"]
        path = f"/services/{service['id']}"
        self._admin.call("keystone", "PATCH", path, {"service": {"enabled": False}})
        try:
            yield
        finally:
            self._admin.call("keystone", "PATCH", path, {"service": {"enabled": True}})

    @contextlib.contextmanager
    def misanswering(
        self,
        service: Literal["keystone", "neutron", "octavia"],
        status: int,
        *,
        methods: Sequence[str] = ("GET", "POST", "PUT", "PATCH", "DELETE"),
        path: str = "",
        count: int = 1_000_000,
        when: Literal["before", "after"] = "before",
        text: str = "injected by the lab",
        delay: float = 0,
        headers: Sequence[tuple[str, str]] = (),
    ) -> Iterator[None]:
        """The next `count` requests whose path matches the pattern get this status.

        `before`: the service never sees them. `after`: it does the work, the answer is lost. Status 0: only the delay.
        """
        switch = self._directory / "answers.json"
        rule = {
            "id": uuid.uuid4().hex, "service": service, "status": status, "methods": list(methods), "path": path,
            "count": count, "when": when, "text": text, "delay": delay, "headers": list(headers),
        }  # fmt: skip
        before = switch.read_text(encoding="utf-8") if switch.exists() else "[]"
        self._replace("answers.json", json.dumps([*json.loads(before), rule]))
        try:
            yield
        finally:
            self._replace("answers.json", before)

    @contextlib.contextmanager
    def stuck(self, load_balancer_id: str, status: str = "PENDING_UPDATE", then: str = "ACTIVE") -> Iterator[None]:
        """As after a worker that died: PENDING for ever, until somebody sets it right in the database (`then`)."""
        if status not in PENDING:
            raise LabError(f"{status} is not a state to be stuck in; choose one of {', '.join(PENDING)}.")
        self.set_provisioning_status("load_balancer", load_balancer_id, status)
        try:
            yield
        finally:
            self.set_provisioning_status("load_balancer", load_balancer_id, then)

    def set_provisioning_status(self, kind: Kind, identifier: str, status: str) -> None:
        self._set(kind, identifier, "provisioning_status", status)

    def set_operating_status(self, kind: Kind, identifier: str, status: str) -> None:
        """ONLINE, OFFLINE, DEGRADED, ERROR, NO_MONITOR, DRAINING: no heartbeat in the lab would set it."""
        self._set(kind, identifier, "operating_status", status)

    def set_members_operating(self, load_balancer_id: str, status: str) -> int:
        """All members below one load balancer; how many there are."""
        below = "SELECT id FROM octavia.pool WHERE load_balancer_id = %s"
        self._database.change(
            f"UPDATE octavia.member SET operating_status = %s WHERE pool_id IN ({below})", status, load_balancer_id
        )
        rows = self._database.run(
            (f"SELECT COUNT(*) AS n FROM octavia.member WHERE pool_id IN ({below})", (load_balancer_id,))
        )
        return int(rows[0]["n"])

    @contextlib.contextmanager
    def quota(self, project_id: str, **limits: int) -> Iterator[None]:
        """Limits by the services' own names: load_balancer, listener, pool, member, health_monitor; floatingip, …"""
        octavia = {"load_balancer", "listener", "pool", "member", "health_monitor"}
        chosen = {"octavia": octavia & limits.keys(), "neutron": limits.keys() - octavia}
        chosen = {service: names for service, names in chosen.items() if names}
        for service, names in chosen.items():
            self._admin.put(service, f"/quotas/{project_id}", {"quota": {name: limits[name] for name in names}})
        try:
            yield
        finally:
            for service in chosen:  # Neutron answers 404 where none was set
                self._admin.delete(service, f"/quotas/{project_id}")

    def clear(self) -> None:
        """Take back every switch that is a file, whoever set it."""
        for switch in self._directory.iterdir():
            switch.unlink(missing_ok=True)
        self._await_worker("up")

    @contextlib.contextmanager
    def _switch(self, name: str, zone: str | None, content: str) -> Iterator[None]:
        full = f"{name}@{zone}" if zone else name
        self._replace(full, content)
        try:
            yield
        finally:
            (self._directory / full).unlink(missing_ok=True)

    def _replace(self, name: str, content: str) -> None:
        draft = self._directory / f"{name}.new"
        draft.write_text(content, encoding="utf-8")
        draft.replace(self._directory / name)

    def _set(self, kind: Kind, identifier: str, column: str, status: str) -> None:
        rows = self._database.run(
            (f"UPDATE octavia.{kind} SET {column} = %s WHERE id = %s", (status, identifier)),
            (f"SELECT {column} AS status FROM octavia.{kind} WHERE id = %s", (identifier,)),
        )
        if not rows:
            raise LabError(f"Octavia's database has no {kind} {identifier}.")

    def _await_worker(self, state: str, wait: float = 120) -> None:
        deadline = time.monotonic() + wait
        while self._services.worker_state() != state:
            if time.monotonic() > deadline:
                raise LabError(
                    f"Octavia's worker did not go {state} within {wait:.0f} s; see log/octavia.out of the lab."
                )
            time.sleep(0.05)
