# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an IngressController says beside its load balancer: router, DNS, Available, Degraded, and the ClusterOperator.

Facts: ingress-operator §7, lab-kubernetes §6. A pending change touches neither Available nor Degraded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import Json, dig, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.go import quote
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import LB_STRATEGY
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.status import (
    Condition,
    condition,
    merged,
    rollup,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import Profile

DEFAULT_IC = "default"
_DEGRADED_RETRY = 60.0  # seconds between looks while degraded


@dataclass(frozen=True)
class _Expected:
    """A condition that should be True once the others are, and how many seconds it may take before that is degraded."""

    kind: str
    grace: float = 0.0
    after: tuple[str, ...] = ()


_LB = _Expected("LoadBalancerReady", 90, ("LoadBalancerManaged",))
_DNS = _Expected("DNSReady", 30, ("LoadBalancerManaged", "LoadBalancerReady", "DNSManaged"))
_ROUTER = _Expected("DeploymentAvailable", 30)
_AVAILABLE = (_ROUTER, _DNS, _LB)
_NOT_DEGRADED = (
    _Expected("Admitted"),
    _ROUTER,
    _Expected("DeploymentReplicasMinAvailable", 60),
    _Expected("DeploymentReplicasAllAvailable", 3600),
    _LB,
    _DNS,
)


@dataclass(frozen=True)
class Surroundings:
    """What stands around an IngressController: its router Deployment, its wildcard DNSRecord, the cluster's zones."""

    deployment: Json
    record: Json = None
    zones: tuple[Json, ...] = ()


@dataclass(frozen=True)
class Health:
    """The complete status, and when it may turn without anything else happening (None: not by itself)."""

    ic_status: dict[str, Any]
    again_in: float | None = None


def completed(
    profile: Profile, before: Json, synced: Json, around: Surroundings, now: str, speed: float = 1.0
) -> Health:
    """`synced` is the status after the load balancer's part of a pass; graces last `speed` times the real ones."""
    after: dict[str, Any] = plain(synced)
    after["availableReplicas"] = dig(around.deployment, "status", "availableReplicas") or 0
    labels = dig(around.deployment, "spec", "selector", "matchLabels") or {}
    after["selector"] = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    found = [*_plain(after.get("conditions") or ()), *deployment(around.deployment), *dns(synced, around)]
    found.append(available(found))
    if profile.progressing_condition:
        found.append(rollup(found))
    newest = list({entry["type"]: entry for entry in found}.values())
    conditions = merged((before or {}).get("conditions") or (), newest, now)
    verdict, again_in = degraded(conditions, now, speed)
    after["conditions"] = merged(conditions, [verdict], now)
    return Health(after, again_in)


def moved(before: Json, after: Json) -> bool:
    """Did a part of status change that status.same does not look at?"""
    return any((before or {}).get(key) != after.get(key) for key in ("availableReplicas", "selector"))


def _plain(conditions: Iterable[Mapping[str, str]]) -> list[Condition]:
    return [
        condition(entry["type"], entry["status"], entry.get("reason", ""), entry.get("message", ""))
        for entry in conditions
    ]


# -- the router -------------------------------------------------------------------------------------------------------


def deployment(found: Json) -> list[Condition]:
    wanted = dig(found, "spec", "replicas")
    wanted = 1 if wanted is None else wanted
    have = dig(found, "status", "availableReplicas") or 0
    most_missing = wanted // 4
    least = condition("DeploymentReplicasMinAvailable", "True", "DeploymentMinimumReplicasMet")
    least["message"] = "Minimum replicas requirement is met"
    if have < wanted - most_missing:
        text = f"{have}/{wanted} of replicas are available, max unavailable is {most_missing}"
        least = condition(least["type"], "False", "DeploymentMinimumReplicasNotMet", text)
    every = condition("DeploymentReplicasAllAvailable", "True", "DeploymentReplicasAvailable")
    every["message"] = "All replicas are available"
    if have < wanted:
        text = f"{have}/{wanted} of replicas are available"
        every = condition(every["type"], "False", "DeploymentReplicasNotAvailable", text)
    return [_router(found), least, every, _rolling_out(found, wanted, have)]


def _router(found: Json) -> Condition:
    reported = [entry for entry in dig(found, "status", "conditions") or () if entry["type"] == "Available"]
    if not reported or reported[0]["status"] not in ("True", "False"):
        text = "The deployment has no Available status condition set"
        return condition("DeploymentAvailable", "Unknown", "DeploymentAvailabilityUnknown", text)
    entry = reported[0]
    text = f"The deployment has Available status condition set to {entry['status']}"
    if entry["status"] == "True":
        return condition("DeploymentAvailable", "True", "DeploymentAvailable", text)
    text += f" (reason: {entry.get('reason', '')}) with message: {entry.get('message', '')}"
    return condition("DeploymentAvailable", "False", "DeploymentUnavailable", text)


def _rolling_out(found: Json, wanted: int, available_now: int) -> Condition:
    updated, existing = (dig(found, "status", key) or 0 for key in ("updatedReplicas", "replicas"))
    what = ""
    if updated < wanted:
        what = f"{updated} out of {wanted} new replica(s) have been updated"
    elif existing > updated:
        what = f"{existing - updated} old replica(s) are pending termination"
    elif available_now < updated:
        what = f"{available_now} of {updated} updated replica(s) are available"
    if not what:
        text = "Deployment is not actively rolling out"
        return condition("DeploymentRollingOut", "False", "DeploymentNotRollingOut", text)
    # Pods that come back after a node went away are no rollout.
    reason = "PodsStarting" if updated == existing == wanted else "DeploymentRollingOut"
    text = f"Waiting for router deployment rollout to finish: {what}...\n"
    return condition("DeploymentRollingOut", "True", reason, text)


# -- DNS --------------------------------------------------------------------------------------------------------------


def dns(ic_status: Json, around: Surroundings) -> list[Condition]:
    if not around.zones:
        text = "No DNS zones are defined in the cluster dns config."
        return [condition("DNSManaged", "False", "NoDNSZones", text)]
    strategy = ic_status.get("endpointPublishingStrategy") or {}
    if strategy.get("type") != LB_STRATEGY:
        text = "The endpoint publishing strategy doesn't support DNS management."
        return [condition("DNSManaged", "False", "UnsupportedEndpointPublishingStrategy", text)]
    if dig(strategy, "loadBalancer", "dnsManagementPolicy") == "Unmanaged":
        text = "The DNS management policy is set to Unmanaged."
        managed = condition("DNSManaged", "False", "UnmanagedLoadBalancerDNS", text)
    else:
        text = "DNS management is supported and zones are specified in the cluster DNS config."
        managed = condition("DNSManaged", "True", "Normal", text)
    return [managed, _dns_ready(around)]


def _dns_ready(around: Surroundings) -> Condition:
    kind, record = "DNSReady", around.record
    if record is None:
        return condition(kind, "False", "RecordNotFound", "The wildcard record resource was not found.")
    if dig(record, "spec", "dnsManagementPolicy") == "Unmanaged":
        return condition(kind, "Unknown", "UnmanagedDNS", "The DNS management policy is set to Unmanaged.")
    published = dig(record, "status", "zones") or []
    if not published:
        return condition(kind, "False", "NoZones", "The record isn't present in any zones.")
    for status, reason, text in (
        ("False", "FailedZones", "The record failed to provision in some zones"),
        ("Unknown", "UnknownZones", "Provisioning of the record is in an unknown state in some zones"),
    ):
        bad = [zone["dnsZone"] for zone in published if _published(zone) == status and zone["dnsZone"] in around.zones]
        if bad:
            return condition(kind, "False", reason, f"{text}: [{' '.join(map(_go_zone, bad))}]")
    return condition(kind, "True", "NoFailedZones", "The record is provisioned in all reported zones.")


def _published(zone: Json) -> str:
    return next((entry["status"] for entry in zone.get("conditions") or () if entry["type"] == "Published"), "")


def _go_zone(zone: Json) -> str:
    """Go's %v of a DNSZone."""
    tags = " ".join(f"{key}:{value}" for key, value in sorted((zone.get("tags") or {}).items()))
    return f"{{{zone.get('id', '')} map[{tags}]}}"


# -- roll-ups ---------------------------------------------------------------------------------------------------------


def available(found: Sequence[Mapping[str, str]]) -> Condition:
    missing = _failing(_AVAILABLE, found)
    if not missing:
        return condition("Available", "True")
    text = f"One or more status conditions indicate unavailable: {_listed(entry for _expected, entry in missing)}"
    return condition("Available", "False", "IngressControllerUnavailable", text)


def degraded(found: Sequence[Mapping[str, str]], now: str, speed: float = 1.0) -> tuple[Condition, float | None]:
    """The verdict, and the seconds after which it has to be looked at again."""
    late, left = [], []
    for expected, entry in _failing(_NOT_DEGRADED, found):
        seconds = expected.grace * speed - _seconds(entry.get("lastTransitionTime", ""), now)
        if expected.grace and seconds > 0:
            left.append(seconds)
        else:
            late.append(entry)
    if not late:
        return condition("Degraded", "False"), min(left, default=None)
    text = f"One or more other status conditions indicate a degraded state: {_listed(late)}"
    return condition("Degraded", "True", "DegradedConditions", text), _DEGRADED_RETRY * speed


def _failing(
    expected: Sequence[_Expected], found: Sequence[Mapping[str, str]]
) -> list[tuple[_Expected, Mapping[str, str]]]:
    by_type = {entry["type"]: entry for entry in found}
    return [
        (one, by_type[one.kind])
        for one in expected
        if one.kind in by_type
        and by_type[one.kind]["status"] != "True"
        and all(by_type.get(other, {}).get("status") == "True" for other in one.after)
    ]


def _listed(conditions: Iterable[Mapping[str, str]]) -> str:
    return ", ".join(f"{one['type']}={one['status']} ({one['reason']}: {one['message']})" for one in conditions)


def _seconds(since: str, now: str) -> float:
    if not since or not now:
        return 0.0
    return (datetime.fromisoformat(now) - datetime.fromisoformat(since)).total_seconds()


# -- ClusterOperator ingress ------------------------------------------------------------------------------------------


def cluster_operator(ics: Sequence[Json]) -> list[Condition]:
    """Only `default` counts for Available and Degraded, every IngressController for Progressing and Upgradeable."""
    return [_of_default(ics, "Degraded"), _progressing(ics), _of_default(ics, "Available"), _upgradeable(ics)]


def all_available(ics: Sequence[Json]) -> bool:
    return bool(ics) and all(_reported(ic, "Available").get("status") == "True" for ic in ics)


def _of_default(ics: Sequence[Json], kind: str) -> Condition:
    default = next((ic for ic in ics if ic["metadata"]["name"] == DEFAULT_IC), None)
    if default is None:
        absent = "True" if kind == "Degraded" else "False"
        return condition(kind, absent, "IngressDoesNotExist", f'The "{DEFAULT_IC}" ingress controller does not exist.')
    entry = _reported(default, kind)
    if not entry:
        article = "an" if kind == "Available" else "a"
        text = f'The "{DEFAULT_IC}" ingress controller is not reporting {article} {kind} status condition.'
        return condition(kind, "Unknown", f"IngressDoesNotHave{kind}Condition", text)
    reason, good = {
        ("Available", "True"): ("IngressAvailable", True),
        ("Available", "False"): ("IngressUnavailable", False),
        ("Degraded", "True"): ("IngressDegraded", False),
        ("Degraded", "False"): ("IngressNotDegraded", True),
    }.get((kind, entry["status"]), (f"Ingress{kind}StatusUnknown", True))
    text = f'The "{DEFAULT_IC}" ingress controller reports {kind}={entry["status"]}'
    text += "." if good else f": {entry['reason']}: {entry['message']}" + ("." if kind == "Degraded" else "")
    return condition(kind, entry["status"], reason, text)


def _progressing(ics: Sequence[Json]) -> Condition:
    lines = []
    for ic in ics:
        entry = _reported(ic, "Progressing")
        if entry.get("status") == "True":
            name = quote(ic["metadata"]["name"])
            lines.append(f"ingresscontroller {name} is progressing: {entry['reason']}: {entry['message']}.")
    if not all_available(ics):
        lines.append("Not all ingress controllers are available.")
    if lines:
        return condition("Progressing", "True", "Reconciling", "\n".join(lines))
    text = "desired and current number of IngressControllers are equal"
    return condition("Progressing", "False", "AsExpected", text)


def _upgradeable(ics: Sequence[Json]) -> Condition:
    blocked = [(ic["metadata"]["name"], _reported(ic, "Upgradeable")) for ic in ics]
    texts = [
        f" ingresscontroller {quote(name)} is not upgradeable: {entry['reason']}: {entry['message']}"
        for name, entry in sorted(blocked, key=lambda item: str(item[0]))
        if entry.get("status") == "False"
    ]
    if not texts:
        return condition("Upgradeable", "True", "IngressControllersUpgradeable")
    text = "Some ingresscontrollers are not upgradeable:" + "".join(texts)
    return condition("Upgradeable", "False", "IngressControllersNotUpgradeable", text)


def _reported(ic: Json, kind: str) -> Mapping[str, str]:
    found: Iterable[Mapping[str, str]] = dig(ic, "status", "conditions") or ()
    return next((entry for entry in found if entry["type"] == kind), {})
