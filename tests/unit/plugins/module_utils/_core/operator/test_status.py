# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Status after a pass: the mirror of what is in force, the conditions, the writes (facts: ingress-operator)."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import router_service, status
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator import given
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIP1,
    A,
    B,
    aws,
    ic,
    lb,
    provider,
    service,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.status_cases import (
    AT_REST,
    NLB,
    OTHER_EVENTS,
    PARAMETERS_LEFT,
    PRINTED_TAGS,
    ROLLUPS,
    SAME,
    SOURCE_RANGES,
    event,
)

INFRA = Infra("AWS")
LATEST = ["4.21", "4.22", "4.23"]
HOST = {"type": "HostNetwork"}
INDICATE = "One or more status conditions indicate progressing: "


def mirrored(version: str, strategy: Any, live: Any, platform: str = "AWS") -> dict[str, Any]:
    before = copy.deepcopy(strategy)
    found = status.mirror(profile_for(version), Infra(platform), strategy, live)
    assert strategy == before, "the mirror changed its input"
    return found


def params(strategy: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = strategy["loadBalancer"]["providerParameters"]["aws"]
    return found


# --- the mirror ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", LATEST)
@pytest.mark.parametrize(("kind", "block"), [("Classic", "classicLoadBalancer"), ("NLB", "networkLoadBalancer")])
def test_subnets_in_status_are_what_the_service_has(version: str, kind: str, block: str) -> None:
    live = service({**(NLB if kind == "NLB" else {}), given.SUBNETS: f"{A},blue"})
    assert params(mirrored(version, aws(kind, subnets={"ids": [B]}), live))[block]["subnets"] == {
        "ids": [A],
        "names": ["blue"],
    }
    gone = service(NLB if kind == "NLB" else {})
    assert "subnets" not in params(mirrored(version, aws(kind, subnets={"ids": [B]}), gone))[block]


@pytest.mark.parametrize("version", LATEST)
def test_elastic_ips_are_mirrored_for_nlbs_only(version: str) -> None:
    live = service({**NLB, given.EIPS: EIP1})
    assert params(mirrored(version, aws("NLB"), live))["networkLoadBalancer"]["eipAllocations"] == [EIP1]
    classic = service({given.EIPS: EIP1})
    assert "eipAllocations" not in params(mirrored(version, aws("Classic"), classic))["classicLoadBalancer"]


def test_before_4_17_nothing_is_mirrored() -> None:
    assert mirrored("4.16", aws("NLB"), service({**NLB, given.SUBNETS: A})) == aws("NLB")


@pytest.mark.parametrize("version", LATEST)
def test_nothing_is_mirrored_where_status_has_no_parameters(version: str) -> None:
    """§5: an unmanaged annotation is then invisible."""
    assert mirrored(version, lb(), service({given.SUBNETS: A})) == lb()


def test_which_types_parameters_get_the_mirror() -> None:
    """§0: those of the wanted type up to 4.21, of the actual one from 4.22."""
    strategy = aws("NLB")
    params(strategy)["classicLoadBalancer"] = {}
    live = service({given.SUBNETS: A})
    assert params(mirrored("4.21", strategy, live))["networkLoadBalancer"] == {"subnets": {"ids": [A]}}
    assert params(mirrored("4.22", strategy, live))["classicLoadBalancer"] == {"subnets": {"ids": [A]}}
    assert params(mirrored("4.22", strategy, live))["networkLoadBalancer"] == {}


@pytest.mark.parametrize(("version", "wanted", "live", "left"), PARAMETERS_LEFT)
def test_the_other_types_parameters_go_once_the_type_is_in_force(
    version: str, wanted: str, live: Any, left: list[str]
) -> None:
    strategy = lb(
        providerParameters={
            "type": "AWS",
            "aws": {"type": wanted, "classicLoadBalancer": {"connectionIdleTimeout": "0s"}, "networkLoadBalancer": {}},
        }
    )
    found = params(mirrored(version, strategy, None if live is None else service(live)))
    assert sorted(key for key in found if key != "type") == left


@pytest.mark.parametrize(("live", "ranges"), SOURCE_RANGES)
def test_source_ranges_in_force_are_the_field_else_the_annotation(live: Any, ranges: Any) -> None:
    """§2."""
    assert status.source_ranges(live) == ranges
    shown = mirrored("4.22", lb(allowedSourceRanges=["192.0.2.0/24"]), live)["loadBalancer"]
    assert shown.get("allowedSourceRanges") == ranges
    assert mirrored("4.11", lb(), live) == lb()


@pytest.mark.parametrize(("version", "address"), [("4.17", None), ("4.18", "192.0.2.1"), ("4.23", "192.0.2.1")])
def test_the_floating_ip_in_force_is_the_services_load_balancer_ip(version: str, address: str | None) -> None:
    live = service(loadBalancerIP="192.0.2.1")
    found = mirrored(version, provider("OpenStack"), live, "OpenStack")
    assert found["loadBalancer"]["providerParameters"]["openstack"].get("floatingIP") == address
    assert mirrored(version, lb(), live, "OpenStack") == lb()  # §6: never initialised


def test_other_strategies_have_nothing_to_mirror() -> None:
    assert mirrored("4.22", HOST, service()) == HOST


# --- LoadBalancerManaged, LoadBalancerReady --------------------------------------------------------------------------


def without_address(**spec: Any) -> dict[str, Any]:
    return {**service(**spec), "status": {"loadBalancer": {}}}


def ready(version: str, live: Any, *events: Any) -> tuple[str, str, str]:
    found = status.ready(profile_for(version), live, events)
    return found["status"], found["reason"], found["message"]


def test_ready_without_a_service_and_with_an_address() -> None:
    missing = ("False", "ServiceNotFound", "The LoadBalancer service resource is missing")
    provisioned = ("True", "LoadBalancerProvisioned", "The LoadBalancer service is provisioned")
    assert ready("4.22", None) == missing
    assert ready("4.22", service()) == provisioned
    by_ip = {**service(), "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}}
    assert ready("4.22", by_ip) == provisioned
    assert ready("4.22", {**service(), "status": {"loadBalancer": {"ingress": [{}]}}})[0] == "False"


@pytest.mark.parametrize(
    ("version", "hint"), [("4.16", "kube-controller-manager"), ("4.17", "cloud-controller-manager")]
)
def test_a_failed_sync_is_quoted(version: str, hint: str) -> None:
    """SUB-10."""
    assert ready(version, without_address(), event()) == (
        "False",
        "SyncLoadBalancerFailed",
        (
            "The service-controller component is reporting SyncLoadBalancerFailed events like: no luck\n"
            f"The {hint} logs may contain more details."
        ),
    )


def test_the_first_matching_event_is_quoted_not_the_newest() -> None:
    assert "first" in ready("4.22", without_address(), event("first"), event("second"))[2]


@pytest.mark.parametrize("other", OTHER_EVENTS)
def test_an_event_about_something_else_leaves_it_pending(other: dict[str, str]) -> None:
    found = ready("4.22", without_address(), event(**other))
    assert found == ("False", "LoadBalancerPending", "The LoadBalancer service is pending")


def test_a_provisioned_load_balancer_stays_ready_whatever_fails_later() -> None:
    """§11."""
    assert ready("4.22", service(), event())[0] == "True"


def by_type(version: str, platform: str, controller: Any, live: Any) -> dict[str, tuple[str, str, str]]:
    found = status.conditions(profile_for(version), Infra(platform), controller, live, ())
    return {entry["type"]: (entry["status"], entry["reason"], entry["message"]) for entry in found}


# --- LoadBalancerProgressing and Progressing -------------------------------------------------------------------------


def test_a_cluster_at_rest() -> None:
    controller = ic(lb())
    live = service(
        router_service.service(profile_for("4.22"), Infra("AWS"), controller, None)["metadata"]["annotations"]
    )
    assert by_type("4.22", "AWS", controller, live) == AT_REST


def test_another_strategy() -> None:
    found = by_type("4.22", "AWS", ic(HOST), None)
    assert found["LoadBalancerManaged"] == (
        "False",
        "EndpointPublishingStrategyExcludesManagedLoadBalancer",
        "The configured endpoint publishing strategy does not include a managed load balancer",
    )
    assert "LoadBalancerReady" not in found
    assert found["LoadBalancerProgressing"][0] == "False"
    assert found["Progressing"] == ("False", "", "")
    assert by_type("4.11", "AWS", ic(HOST), None)["Progressing"] == ("False", "", "")


def test_an_incomplete_status_is_unknown_and_counts_as_progressing() -> None:
    text = "status.endpointPublishingStrategy.loadBalancer is not set."
    found = by_type("4.22", "AWS", ic(lb(), {"type": "LoadBalancerService"}), service())
    assert found["LoadBalancerProgressing"] == ("Unknown", "StatusIncomplete", text)
    assert found["Progressing"] == (
        "True",
        "IngressControllerProgressing",
        f"{INDICATE}LoadBalancerProgressing=Unknown (StatusIncomplete: {text})",
    )
    old = by_type("4.11", "AWS", ic(lb(), {"type": "LoadBalancerService"}), service())
    assert old["Progressing"] == ("Unknown", "IncompleteStatus", text)


def test_no_service_yet() -> None:
    text = "LoadBalancer Service not created."
    assert by_type("4.22", "AWS", ic(lb()), None)["LoadBalancerProgressing"] == ("True", "NoService", text)
    assert by_type("4.11", "AWS", ic(lb()), None)["Progressing"] == ("True", "NoService", text)


def test_a_pending_change_is_told_twice_and_harms_nothing_else() -> None:
    """§7: neither LoadBalancerReady nor Upgradeable moves."""
    first = 'The IngressController scope was changed from "External" to "Internal".'
    found = by_type("4.22", "Azure", ic(lb("Internal")), service({given.FALLBACK: ""}))
    text = f"One or more managed resources are progressing: {first}"
    assert found["LoadBalancerProgressing"] == ("True", "OperandsProgressing", text)
    assert found["Progressing"][2] == f"{INDICATE}LoadBalancerProgressing=True (OperandsProgressing: {text})"
    assert found["LoadBalancerReady"][0] == "True"
    aws_pending = by_type("4.22", "AWS", ic(lb("Internal")), service({}))
    assert aws_pending["LoadBalancerProgressing"][0] == "True"


def test_before_4_12_the_scope_text_stands_in_progressing_itself() -> None:
    found = by_type("4.11", "Azure", ic(lb("Internal")), service({given.FALLBACK: ""}))
    text = 'The IngressController scope was changed from "External" to "Internal".'
    assert found["Progressing"] == ("True", "ScopeChanged", text)
    assert "LoadBalancerProgressing" not in found
    assert "EvaluationConditionsDetected" not in found
    assert by_type("4.11", "Azure", ic(lb()), service())["Progressing"] == ("False", "", "")


def test_ranges_left_on_the_service_raise_two_conditions() -> None:
    found = by_type("4.22", "Azure", ic(lb()), service({given.FALLBACK: ""}, loadBalancerSourceRanges=["10.0.0.0/8"]))
    kind, reason, text = found["EvaluationConditionsDetected"]
    assert (kind, reason) == ("True", "OperandsEvaluationConditionsDetected")
    assert text.startswith("One or more managed resources have evaluation conditions: You have manually edited")
    assert found["LoadBalancerProgressing"][0] == "True"


@pytest.mark.parametrize(("managed", "progressing", "rollout", "expected"), ROLLUPS)
def test_what_counts_as_progressing(managed: str, progressing: str, rollout: Any, expected: str) -> None:
    found = [
        status.condition("LoadBalancerManaged", managed),
        status.condition("LoadBalancerProgressing", progressing, "R", "m"),
    ]
    if rollout:
        found.append(status.condition("DeploymentRollingOut", *rollout, "rolling"))
    assert status.rollup(found)["status"] == expected


def test_both_kinds_of_progress_are_listed() -> None:
    found = [
        status.condition("LoadBalancerManaged", "True"),
        status.condition("LoadBalancerProgressing", "True", "R", "m"),
        status.condition("DeploymentRollingOut", "True", "S", "n"),
    ]
    assert status.rollup(found)["message"] == (
        f"{INDICATE}LoadBalancerProgressing=True (R: m), DeploymentRollingOut=True (S: n)"
    )


# --- Upgradeable ------------------------------------------------------------------------------------------------------


def as_wanted(version: str, controller: Any, **edits: str) -> dict[str, Any]:
    found = router_service.service(profile_for(version), INFRA, controller, None)["metadata"]["annotations"]
    return service({**found, **edits})


def upgradeable(version: str, controller: Any, live: Any) -> tuple[str, str, str]:
    found = status.upgradeable(profile_for(version), INFRA, controller, live)
    return found["status"], found["reason"], found["message"]


@pytest.mark.parametrize("version", ["4.16", "4.21", "4.22", "4.23"])
def test_tampering_with_a_managed_annotation_blocks_upgrades(version: str) -> None:
    controller = ic(aws("Classic"))
    text = "IngressController is upgradeable."
    assert upgradeable(version, controller, as_wanted(version, controller)) == ("True", "Upgradeable", text)
    tampered = as_wanted(version, controller, **{given.INTERVAL: "7", given.PROXY: ""})
    kind, reason, text = upgradeable(version, controller, tampered)
    assert (kind, reason) == ("False", "OperandsNotUpgradeable")
    assert text.startswith(status.MODIFIED + "  &v1.Service{\n")
    assert f'- \t\t\t"{given.INTERVAL}": "7",\n' in text
    assert f'- \t\t\t"{given.PROXY}": "",\n' in text


@pytest.mark.parametrize("edit", [{given.SUBNETS: A}, {given.INTERNAL: "true"}, {given.TIMEOUT: "9"}, {"mine": "x"}])
@pytest.mark.parametrize("version", ["4.21", "4.22"])
def test_neither_pending_changes_nor_users_own_annotations_do(version: str, edit: dict[str, str]) -> None:
    controller = ic(aws("Classic"))
    assert upgradeable(version, controller, as_wanted(version, controller, **edit))[0] == "True"


@pytest.mark.parametrize("version", ["4.16", "4.17", "4.18", "4.22"])
def test_resource_tags_do_in_every_release(version: str) -> None:
    """§0: also while they were creation-only."""
    controller = ic(lb())
    assert upgradeable(version, controller, as_wanted(version, controller, **{given.TAGS: "a=b"}))[0] == "False"


@pytest.mark.parametrize("case", PRINTED_TAGS)
def test_the_whole_service_is_printed_with_what_differs(case: str) -> None:
    """Safe ingress 19: several lines in the shape of go-cmp; the entries that are the same are only counted."""
    have, want, printed = PRINTED_TAGS[case]
    infra = replace(INFRA, resource_tags=(("c", "d"),) if want else ())
    controller = ic(lb())
    found = router_service.service(profile_for("4.16"), infra, controller, None)["metadata"]["annotations"]
    live = {key: value for key, value in found.items() if key != given.TAGS} | ({given.TAGS: have} if have else {})
    text = status.upgradeable(profile_for("4.16"), infra, controller, service(live))["message"]
    lines = text.removeprefix(status.MODIFIED).splitlines()
    assert (lines[0], lines[-1]) == ("  &v1.Service{", "  }")
    assert [line for line in lines if line[0] in "+-"] == [line.format(given.TAGS) for line in printed]
    assert f"... // {len(live) - bool(have)} identical entries" in text


def test_no_service_nothing_to_tamper_with() -> None:
    assert upgradeable("4.22", ic(lb()), None)[0] == "True"
    assert upgradeable("4.22", ic({"type": "HostNetwork"}), service({given.INTERVAL: "7"}))[0] == "True"


# --- the merge of conditions -----------------------------------------------------------------------------------------

OLD = [
    {"type": "Available", "status": "True", "reason": "r", "message": "m", "lastTransitionTime": "t0"},
    {"type": "Progressing", "status": "False", "reason": "", "message": "", "lastTransitionTime": "t0"},
]


def test_conditions_keep_their_order_and_others_are_left_alone() -> None:
    before = copy.deepcopy(OLD)
    found = status.merged(
        OLD, [status.condition("New", "True"), status.condition("Progressing", "True", "R", "M")], "t1"
    )
    assert before == OLD
    assert [entry["type"] for entry in found] == ["Available", "Progressing", "New"]
    assert found[0] == OLD[0]
    assert found[1] == {
        "type": "Progressing",
        "status": "True",
        "reason": "R",
        "message": "M",
        "lastTransitionTime": "t1",
    }
    assert found[2]["lastTransitionTime"] == "t1"


def test_the_time_moves_only_with_the_status() -> None:
    (_available, progressing) = status.merged(OLD, [status.condition("Progressing", "False", "R", "other")], "t1")
    assert (progressing["message"], progressing["lastTransitionTime"]) == ("other", "t0")


# --- is there anything to write? -------------------------------------------------------------------------------------


def with_status(strategy: Any, **more: Any) -> dict[str, Any]:
    return {"endpointPublishingStrategy": strategy, "observedGeneration": 1, "conditions": OLD, **more}


@pytest.mark.parametrize(("one", "other", "same"), SAME)
def test_a_write_is_skipped_for_an_order_alone(one: Any, other: Any, same: bool) -> None:
    assert status.same(with_status(one), with_status(other)) is same


def test_a_generation_or_a_condition_is_a_reason_to_write() -> None:
    strategy = lb()
    assert not status.same(with_status(strategy), with_status(strategy, observedGeneration=2))
    moved = [OLD[0], {**OLD[1], "message": "other"}]
    assert not status.same(with_status(strategy), with_status(strategy, conditions=moved))
    later = [{**entry, "lastTransitionTime": "t1"} for entry in reversed(OLD)]
    assert status.same(with_status(strategy), with_status(strategy, conditions=later))
    assert status.same(None, {})
