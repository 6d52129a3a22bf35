# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a target: a Lease with holder and expiry, renewed while it is held (CORE-11, EST-8)."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

from .._core.data import dig
from .._core.holder import PROCESS, SECONDS, TAKEN_FROM, Holder, busy, holder_of, lock_name, micro_time
from .._core.model import Step, Target
from .errors import Conflict, Locked, LockLost, NotFound, PortError
from .kube import Kube
from .processes import machine, started
from .reading import Cluster, Object

LEASES = "leases.coordination.k8s.io"
_TRIES = 5
_LOOK_EVERY = 5.0  # seconds; a live holder renews three times as seldom


class Watch(Protocol):
    """The time here, which is measured and not told by anybody."""

    @property
    def now(self) -> Callable[[], float]:
        """Seconds since any moment."""

    @property
    def sleep(self) -> Callable[[float], None]:
        """Lets seconds pass."""


@dataclass(frozen=True)
class _WallClock:
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


WALL_CLOCK: Watch = _WallClock()


def process() -> dict[str, Any]:
    """Which process this is, so that another on the same machine can tell whether it has ended."""
    return {"machine": machine(), "pid": os.getpid(), "started": started(os.getpid())}


def this_process() -> str:
    return json.dumps(process(), sort_keys=True)


def has_ended(lease: Mapping[str, Any]) -> bool:
    return process_ended((dig(lease, "metadata", "annotations") or {}).get(PROCESS, ""))


def process_ended(mark: str) -> bool:
    """Known to be gone: it ran on this machine and does not any more. Of another machine's nobody can tell."""
    try:
        said = json.loads(mark)
        here = bool(said["machine"]) and said["machine"] == machine()
        return here and started(int(said["pid"])) != said["started"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def name_of_holder(environ: Mapping[str, str] | None = None) -> str:
    """Who, where, which job: told to whoever finds the target locked."""
    environ = os.environ if environ is None else environ
    user = environ.get("USER") or environ.get("LOGNAME") or f"uid {os.getuid()}"
    job = environ.get("AWX_JOB_ID") or environ.get("JOB_ID") or ""
    return f"{user} on {socket.gethostname()}, process {os.getpid()}" + (f", job {job}" if job else "")


def read_holder(cluster: Cluster, target: Target, watch: Watch | None = WALL_CLOCK) -> Holder | None:
    """Whoever holds the target's lock; asked before this run has it. Without a `watch` at one look."""
    lease = cluster.get(LEASES, target.namespace, lock_name(target))
    if lease is None:
        return None
    return _watched(cluster, lease, watch)[0] if watch else holder_of(lease, cluster.now(), has_ended(lease))


def _watched(cluster: Cluster, lease: Object, watch: Watch) -> tuple[Holder | None, Object | None]:
    """The holder, and the Lease as last seen. One whose time lies in the future is believed neither alive nor dead: a
    live one renews, so what stays as it is for as long as a lock lasts has ended, by the time that passes here."""
    holder = holder_of(lease, cluster.now(), has_ended(lease))
    if holder is None or not holder.unclear:
        return holder, lease
    meta = lease["metadata"]
    end = watch.now() + holder.seconds
    while watch.now() < end:
        watch.sleep(_LOOK_EVERY)
        now = cluster.get(LEASES, meta["namespace"], meta["name"])
        if now is None:
            return None, None
        if now["metadata"].get("resourceVersion") != meta.get("resourceVersion"):
            return holder_of(now, cluster.now(), has_ended(now)), now
    return replace(holder, still=True), lease


class RenewedLock(ABC):
    """Held from `acquire` to `release` by this process, and by nobody else meanwhile; renewed in between."""

    def __init__(self, target: Target, clock: Callable[[], float] = time.monotonic) -> None:
        self._target, self._clock = target, clock
        self._renewed = 0.0
        self._busy = threading.Lock()
        self._stop = threading.Event()
        self._lost = ""  # to whom

    @abstractmethod
    def _take(self) -> None:
        """Locked where a live run holds it; Conflict where somebody was quicker, so that it is tried again."""

    @abstractmethod
    def _renew(self) -> None:
        """Asks the server; says in `_lost` where it is not ours any more."""

    @abstractmethod
    def _drop(self) -> None:
        """Gives it back, where it was had."""

    def acquire(self) -> None:
        """Locked where a live run holds it; one that expired, or whose process has ended, is taken over."""
        for _try in range(_TRIES):
            with suppress(Conflict):  # somebody was quicker: look who
                self._take()
                self._renewed = self._clock()
                threading.Thread(target=self._keep, name="lock", daemon=True).start()
                return
        raise Locked(f"{self._target}: the lock could not be had.", "Others want it, too. Run again.")

    def hold(self, firmly: bool = False) -> None:
        """Before a write: LockLost where it is not ours any more. `firmly`: the server is asked, right now."""
        with self._busy:
            if firmly or self._clock() - self._renewed > SECONDS:
                self._renew()
            if self._lost:
                raise LockLost(
                    f"{self._target}: this run lost its lock{self._lost}; it writes nothing more.",
                    "Was it stopped for a while? See what the other run does, then run again.",
                )

    def release(self) -> None:
        self._stop.set()
        with self._busy, suppress(PortError):
            if not self._lost:
                self._drop()

    def _keep(self) -> None:
        while not self._stop.wait(SECONDS / 4):
            with self._busy:
                if self._stop.is_set() or self._lost:
                    return
                with suppress(PortError):  # a server that is away for a moment; `hold` counts the seconds
                    self._renew()


class TargetLock(RenewedLock):
    """A Lease beside the target."""

    def __init__(
        self, kube: Kube, target: Target, watch: Watch = WALL_CLOCK, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(target, clock)
        self._kube, self._watch = kube, watch
        self._name = lock_name(target)
        self._lease: Object | None = None

    def _take(self) -> None:
        self._lease = self._taken()

    def _drop(self) -> None:
        if self._lease is not None:
            self._kube.do(self._step("delete", None, self._lease))
        self._lease = None

    def _taken(self) -> Object | None:
        have = self._kube.get(LEASES, self._target.namespace, self._name)
        holder = None
        if have is not None:
            holder, have = _watched(self._kube, have, self._watch)
        found = busy(holder, str(self._target))
        if found:
            raise Locked(f"{self._target}: {found[0].what}", found[0].remedy, holder=found[0].value)
        now = micro_time(self._kube.now())
        annotations = {PROCESS: this_process()}
        if holder is not None:
            annotations[TAKEN_FROM] = holder.name
        spec = {
            "holderIdentity": name_of_holder(),
            "leaseDurationSeconds": SECONDS,
            "acquireTime": now,
            "renewTime": now,
        }
        body: Object = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name, "namespace": self._target.namespace, "annotations": annotations},
            "spec": spec,
        }
        if have is None:
            return self._kube.do(self._step("create", body))
        spec["leaseTransitions"] = int(dig(have, "spec", "leaseTransitions") or 0) + 1
        return self._kube.do(self._step("replace", body, have))

    def _step(self, verb: str, body: Any, lease: Object | None = None) -> Step:
        meta = (lease or {}).get("metadata") or {}
        return Step(
            "kube",
            verb,
            LEASES,
            self._name,
            self._target.namespace,
            body,
            uid=meta.get("uid", ""),
            resource_version=meta.get("resourceVersion", ""),
        )

    def _renew(self) -> None:
        """The Lease as we last wrote it is a precondition: whoever wrote since then has it."""
        if self._lease is None or self._lost:
            return
        body = {"spec": {"renewTime": micro_time(self._kube.now())}}
        try:
            self._lease = self._kube.do(self._step("patch", body, self._lease))
            self._renewed = self._clock()
        except (Conflict, NotFound):
            now = self._kube.get(LEASES, self._target.namespace, self._name)
            self._lost = f" to {dig(now, 'spec', 'holderIdentity')}" if now else ": somebody removed it"
