# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes events on the OpenStackCluster, with the reasons CAPO's users know (CAPO-10; facts: capo §8)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from .._core.capo.assembly import sentence
from .._core.capo.state import OpenStackCluster
from .._core.model import Decision, Severity, Step, Verdict
from .._ports.errors import AlreadyExists, PortError
from .._ports.kube import Kube

_COMPONENT = "edgeworks-lb-estate"
_NOUNS = {
    "load_balancer": "LoadBalancer",
    "listener": "Listener",
    "pool": "Pool",
    "health_monitor": "Monitor",
    "members": "Members",
    "floating_ip": "FloatingIP",
}
_VERBS = {"create": "Create", "update": "Update", "replace": "Update", "delete": "Delete"}
# findings that tell of something the cloud cannot do → reason
_MISSING = {
    "allowed_cidrs_unsupported": "AllowedCIDRsUnsupported",
    "az_hint_unsupported": "AvailabilityZoneUnsupported",
    "monitor_unsupported": "SkippedCreateMonitor",
    "timeouts_unsupported": "ListenerTimeoutsUnsupported",
    "algorithm_unsupported": "AlgorithmUnsupported",
    "unknown_provider": "OctaviaProviderNotFound",
    "unknown_flavor": "OctaviaFlavorNotFound",
    "invalid_cidr": "FailedIPAddressValidation",
}


class Events:
    """Telling is never a reason to fail: what cannot be written is left."""

    def __init__(self, kube: Kube | None, hide: Callable[[str], str]) -> None:
        self._kube, self._hide = kube, hide
        self._about: OpenStackCluster | None = None
        self._told: set[tuple[str, str]] = set()

    def about(self, cluster: OpenStackCluster | None) -> None:
        self._about = cluster

    def done(self, step: Step) -> None:
        if step.resource in _NOUNS:
            self._tell("Normal", f"Successful{_reason(step)}", sentence(step.why))

    def failed(self, step: Step, problem: PortError) -> None:
        if step.resource in _NOUNS and step.writes:
            self._tell("Warning", f"Failed{_reason(step)}", str(problem))

    def missing(self, decision: Decision) -> None:
        """What the cloud cannot do, told with the change it bears on."""
        for finding in decision.findings:
            if finding.code in _MISSING:
                self._tell("Warning", _MISSING[finding.code], str(finding))

    def refused(self, decision: Decision) -> None:
        default = "FailedValidation" if decision.verdict is Verdict.INVALID else "LoadBalancersBlocked"
        for finding in decision.findings:
            if finding.severity is Severity.ERROR:
                self._tell("Warning", _MISSING.get(finding.code, default), str(finding))

    def _tell(self, kind: str, reason: str, message: str) -> None:
        message = self._hide(message)
        if self._kube is None or self._about is None or (reason, message) in self._told:
            return
        self._told.add((reason, message))
        body = _event(self._about, kind, reason, message[:1000])
        meta = body["metadata"]
        step = Step("kube", "create", "events", meta["name"], meta["namespace"], body=body)
        with suppress(PortError):
            try:
                self._kube.do(step)
            except AlreadyExists:
                _count(self._kube, step)


def _count(kube: Kube, step: Step) -> None:
    """The same was told before: one event that counts, as a controller's recorder does it."""
    have = kube.get("events", step.namespace, step.name)
    if have is not None:
        body = {"count": int(have.get("count") or 1) + 1, "lastTimestamp": _now()}
        kube.do(replace(step, verb="patch", body=body))


def _reason(step: Step) -> str:
    if step.resource == "floating_ip" and step.verb == "update" and "port_id" in step.body:
        verb = "Disassociate" if step.body["port_id"] is None else "Associate"
        return f"{verb}FloatingIP"
    return f"{_VERBS[step.verb]}{_NOUNS[step.resource]}"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _event(about: OpenStackCluster, kind: str, reason: str, message: str) -> dict[str, Any]:
    now = _now()
    digest = hashlib.sha256(f"{about.uid} {kind} {reason} {message}".encode()).hexdigest()[:16]
    where = {"namespace": about.namespace, "resourceVersion": about.resource_version}
    return {
        "metadata": {"name": f"{about.name[:200]}.{digest}", "namespace": about.namespace},
        "involvedObject": about.reference | where,
        "type": kind,
        "reason": reason,
        "message": message,
        "source": {"component": _COMPONENT},
        "reportingComponent": _COMPONENT,
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }
