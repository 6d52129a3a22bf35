# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an IngressController says beside its load balancer (facts: ingress-operator §7, lab-kubernetes §6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.status import condition
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.lab.operator import health

NOW = "2026-01-01T00:10:00Z"
ZONE = {"id": "Z1"}
MANAGED = condition("LoadBalancerManaged", "True", "WantedByEndpointPublishingStrategy", "managed")
LB_READY = condition("LoadBalancerReady", "True", "LoadBalancerProvisioned", "provisioned")
LB_PENDING = condition("LoadBalancerReady", "False", "LoadBalancerPending", "The LoadBalancer service is pending")
DNS_MANAGED = condition("DNSManaged", "True", "Normal", "zones")
NO_RECORD = condition("DNSReady", "False", "RecordNotFound", "The wildcard record resource was not found.")
ROUTER = condition("DeploymentAvailable", "True", "DeploymentAvailable", "up")
NO_ROUTER = condition("DeploymentAvailable", "False", "DeploymentUnavailable", "down")


def router(wanted: int = 2, available: int = 2, updated: int = 2, existing: int = 2, said: str = "True") -> Any:
    reported = [{"type": "Available", "status": said, "reason": "R", "message": "M"}] if said else []
    counts = {"availableReplicas": available, "updatedReplicas": updated, "replicas": existing}
    labels = {"matchLabels": {"b": "2", "a": "1"}}
    return {"spec": {"replicas": wanted, "selector": labels}, "status": {**counts, "conditions": reported}}


def record(*published: str, policy: str = "Managed") -> Any:
    zones = [{"dnsZone": ZONE, "conditions": [{"type": "Published", "status": status}]} for status in published]
    return {"spec": {"dnsManagementPolicy": policy}, "status": {"zones": zones}}


def strategy(policy: str = "Managed", kind: str = "LoadBalancerService") -> Any:
    return {"endpointPublishingStrategy": {"type": kind, "loadBalancer": {"dnsManagementPolicy": policy}}}


def said(conditions: list[Any], kind: str) -> tuple[str, str, str]:
    entry = next(entry for entry in conditions if entry["type"] == kind)
    return entry["status"], entry["reason"], entry["message"]


# -- the router -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "kind", "expected"),
    [
        (router(), "DeploymentAvailable", ("True", "DeploymentAvailable")),
        (router(said="False"), "DeploymentAvailable", ("False", "DeploymentUnavailable")),
        (router(said=""), "DeploymentAvailable", ("Unknown", "DeploymentAvailabilityUnknown")),
        (router(), "DeploymentReplicasMinAvailable", ("True", "DeploymentMinimumReplicasMet")),
        (router(4, 3), "DeploymentReplicasMinAvailable", ("True", "DeploymentMinimumReplicasMet")),
        (router(4, 2), "DeploymentReplicasMinAvailable", ("False", "DeploymentMinimumReplicasNotMet")),
        (router(), "DeploymentReplicasAllAvailable", ("True", "DeploymentReplicasAvailable")),
        (router(2, 1), "DeploymentReplicasAllAvailable", ("False", "DeploymentReplicasNotAvailable")),
        (router(), "DeploymentRollingOut", ("False", "DeploymentNotRollingOut")),
        (router(2, 2, 1, 2), "DeploymentRollingOut", ("True", "DeploymentRollingOut")),
        (router(2, 3, 2, 3), "DeploymentRollingOut", ("True", "DeploymentRollingOut")),
        (router(2, 1, 2, 2), "DeploymentRollingOut", ("True", "PodsStarting")),
    ],
)
def test_router(found: Any, kind: str, expected: tuple[str, str]) -> None:
    assert said(health.deployment(found), kind)[:2] == expected


def test_an_unavailable_router_is_quoted() -> None:
    text = "The deployment has Available status condition set to False (reason: R) with message: M"
    assert said(health.deployment(router(said="False")), "DeploymentAvailable")[2] == text


# -- DNS --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zones", "status", "found", "expected"),
    [
        ((), strategy(), record("True"), {"DNSManaged": ("False", "NoDNSZones")}),
        (
            (ZONE,),
            strategy(kind="HostNetwork"),
            None,
            {"DNSManaged": ("False", "UnsupportedEndpointPublishingStrategy")},
        ),
        (
            (ZONE,),
            strategy("Unmanaged"),
            record("Unknown", policy="Unmanaged"),
            {"DNSManaged": ("False", "UnmanagedLoadBalancerDNS"), "DNSReady": ("Unknown", "UnmanagedDNS")},
        ),
        ((ZONE,), strategy(), None, {"DNSManaged": ("True", "Normal"), "DNSReady": ("False", "RecordNotFound")}),
        ((ZONE,), strategy(), record(), {"DNSManaged": ("True", "Normal"), "DNSReady": ("False", "NoZones")}),
        (
            (ZONE,),
            strategy(),
            record("True", "False"),
            {"DNSManaged": ("True", "Normal"), "DNSReady": ("False", "FailedZones")},
        ),
        (
            (ZONE,),
            strategy(),
            record("Unknown"),
            {"DNSManaged": ("True", "Normal"), "DNSReady": ("False", "UnknownZones")},
        ),
        (
            (ZONE,),
            strategy(),
            record("True"),
            {"DNSManaged": ("True", "Normal"), "DNSReady": ("True", "NoFailedZones")},
        ),
    ],
)
def test_dns(zones: tuple[Any, ...], status: Any, found: Any, expected: dict[str, tuple[str, str]]) -> None:
    conditions = health.dns(status, health.Surroundings(router(), found, zones))
    assert {entry["type"]: (entry["status"], entry["reason"]) for entry in conditions} == expected


def test_failed_zones_are_named_as_go_prints_them() -> None:
    conditions = health.dns(strategy(), health.Surroundings(router(), record("False"), (ZONE,)))
    assert said(conditions, "DNSReady")[2] == "The record failed to provision in some zones: [{Z1 map[]}]"


# -- Available, Degraded ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "missing"),
    [
        ([ROUTER, MANAGED, LB_READY], []),
        ([ROUTER, MANAGED, LB_PENDING], ["LoadBalancerReady"]),
        ([ROUTER, LB_PENDING], []),  # not managed: not ours to wait for
        ([NO_ROUTER, MANAGED, LB_PENDING], ["DeploymentAvailable", "LoadBalancerReady"]),
        ([ROUTER, MANAGED, LB_READY, DNS_MANAGED, NO_RECORD], ["DNSReady"]),
        ([ROUTER, MANAGED, LB_PENDING, DNS_MANAGED, NO_RECORD], ["LoadBalancerReady"]),  # the record comes after it
    ],
)
def test_available_needs_router_load_balancer_and_dns(found: list[Any], missing: list[str]) -> None:
    verdict = health.available(found)
    assert verdict["status"] == ("False" if missing else "True")
    assert [
        kind for kind in ("DeploymentAvailable", "DNSReady", "LoadBalancerReady") if kind in verdict["message"]
    ] == (sorted(missing, key=("DeploymentAvailable", "DNSReady", "LoadBalancerReady").index))


def test_unavailable_in_the_operators_words() -> None:
    assert health.available([ROUTER, MANAGED, LB_PENDING]) == condition(
        "Available",
        "False",
        "IngressControllerUnavailable",
        "One or more status conditions indicate unavailable: LoadBalancerReady=False"
        " (LoadBalancerPending: The LoadBalancer service is pending)",
    )


@pytest.mark.parametrize(
    ("since", "speed", "status", "again_in"),
    [
        ("2026-01-01T00:10:00Z", 1.0, "False", 90.0),
        ("2026-01-01T00:08:31Z", 1.0, "False", 1.0),
        ("2026-01-01T00:08:30Z", 1.0, "True", 60.0),
        ("2026-01-01T00:09:57Z", 0.02, "True", 1.2),
    ],
)
def test_degraded_only_after_ninety_seconds(since: str, speed: float, status: str, again_in: float) -> None:
    found = [MANAGED, {**LB_PENDING, "lastTransitionTime": since}]
    verdict, again = health.degraded(found, NOW, speed)
    assert (verdict["status"], again) == (status, pytest.approx(again_in))
    if status == "True":
        assert verdict["reason"] == "DegradedConditions"
        assert verdict["message"].startswith(
            "One or more other status conditions indicate a degraded state: LoadBalancerReady=False ("
        )


def test_nothing_wrong_is_never_looked_at_again() -> None:
    assert health.degraded([MANAGED, LB_READY, ROUTER], NOW) == (condition("Degraded", "False"), None)


def test_complete_status() -> None:
    synced = {**strategy(), "conditions": [MANAGED, LB_READY, condition("Progressing", "False")]}
    around = health.Surroundings(router(2, 2, 1, 2), record("True"), (ZONE,))
    first = health.completed(profile_for("4.22"), {}, synced, around, NOW)
    assert (first.ic_status["availableReplicas"], first.ic_status["selector"]) == (2, "a=1,b=2")
    assert said(first.ic_status["conditions"], "Available") == ("True", "", "")
    assert said(first.ic_status["conditions"], "Progressing")[1] == "IngressControllerProgressing"  # a rollout
    later = health.completed(profile_for("4.22"), first.ic_status, synced, around, "2026-01-01T00:20:00Z")
    assert later.ic_status == first.ic_status  # times stand still while nothing changes
    assert not health.moved(first.ic_status, later.ic_status)
    fewer = health.completed(profile_for("4.22"), {}, synced, health.Surroundings(router(2, 1)), NOW)
    assert health.moved(first.ic_status, fewer.ic_status)


# -- ClusterOperator --------------------------------------------------------------------------------------------------


def reporting(name: str, available: str = "True", degraded: str = "False", progressing: str = "False") -> Any:
    conditions = [
        condition("Available", available, "R", "M"),
        condition("Degraded", degraded, "R", "M"),
        condition("Progressing", progressing, "R", "M"),
        condition("Upgradeable", "False" if name == "edited" else "True", "R", "M"),
    ]
    return {"metadata": {"name": name}, "status": {"conditions": conditions}}


def test_only_default_counts_for_available_and_degraded() -> None:
    found = health.cluster_operator([reporting("default"), reporting("test1", "False", "True")])
    assert said(found, "Available")[:2] == ("True", "IngressAvailable")
    assert said(found, "Degraded")[:2] == ("False", "IngressNotDegraded")
    assert said(found, "Progressing") == ("True", "Reconciling", "Not all ingress controllers are available.")


def test_a_pending_change_is_a_line() -> None:
    found = health.cluster_operator([reporting("default", progressing="True"), reporting("two", progressing="True")])
    assert said(found, "Progressing")[2] == (
        'ingresscontroller "default" is progressing: R: M.\ningresscontroller "two" is progressing: R: M.'
    )


@pytest.mark.parametrize(
    ("ics", "kind", "expected"),
    [
        ([], "Available", ("False", "IngressDoesNotExist", 'The "default" ingress controller does not exist.')),
        ([], "Degraded", ("True", "IngressDoesNotExist", 'The "default" ingress controller does not exist.')),
        (
            [reporting("default", "False")],
            "Available",
            ("False", "IngressUnavailable", 'The "default" ingress controller reports Available=False: R: M'),
        ),
        (
            [reporting("default", degraded="True")],
            "Degraded",
            ("True", "IngressDegraded", 'The "default" ingress controller reports Degraded=True: R: M.'),
        ),
        (
            [{"metadata": {"name": "default"}}],
            "Available",
            (
                "Unknown",
                "IngressDoesNotHaveAvailableCondition",
                'The "default" ingress controller is not reporting an Available status condition.',
            ),
        ),
        (
            [reporting("default"), reporting("edited")],
            "Upgradeable",
            (
                "False",
                "IngressControllersNotUpgradeable",
                'Some ingresscontrollers are not upgradeable: ingresscontroller "edited" is not upgradeable: R: M',
            ),
        ),
        (
            [reporting("default")],
            "Progressing",
            ("False", "AsExpected", "desired and current number of IngressControllers are equal"),
        ),
    ],
)
def test_cluster_operator(ics: list[Any], kind: str, expected: tuple[str, str, str]) -> None:
    assert said(health.cluster_operator(ics), kind) == expected
