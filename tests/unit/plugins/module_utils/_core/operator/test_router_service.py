# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Service the operator wants, per platform, type and release (facts: ingress-operator §1, §2, §4, §5)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import router_service
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator import given
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIP1,
    EIP2,
    A,
    B,
    aws,
    ic,
    lb,
    provider,
    service,
)

HEALTH = {given.TIMEOUT: "4", given.UNHEALTHY: "2", given.HEALTHY: "2", given.FALLBACK: ""}
CLASSIC = {**HEALTH, given.INTERVAL: "5", given.PROXY: "*"}
NLB = {**HEALTH, given.INTERVAL: "10", given.TYPE: "nlb"}
ALL = ["4.11", "4.16", "4.17", "4.21", "4.22", "4.23"]
WITH_SUBNETS = ["4.17", "4.21", "4.22", "4.23"]


def annotations(version: str, platform: str | Infra, controller: Any, current: Any = None) -> dict[str, str]:
    infra = platform if isinstance(platform, Infra) else Infra(platform)
    found: dict[str, str] = router_service.service(profile_for(version), infra, controller, current)["metadata"][
        "annotations"
    ]
    return found


def spec_of(version: str, infra: Infra, controller: Any) -> dict[str, Any]:
    found: dict[str, Any] = router_service.service(profile_for(version), infra, controller, None)["spec"]
    return found


def test_the_whole_service() -> None:
    """§1: identity, labels, selector, template."""
    assert router_service.service(profile_for("4.22"), Infra("Azure"), ic(lb(), name="apps"), None) == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "router-apps",
            "namespace": "openshift-ingress",
            "labels": {"app": "router", "router": "router-apps", given.OWNER: "apps"},
            "annotations": {given.FALLBACK: ""},
        },
        "spec": {
            "type": "LoadBalancer",
            "selector": {"ingresscontroller.operator.openshift.io/deployment-ingresscontroller": "apps"},
            "externalTrafficPolicy": "Local",
            "internalTrafficPolicy": "Cluster",
            "sessionAffinity": "None",
            "ports": [
                {"name": "http", "protocol": "TCP", "port": 80, "targetPort": "http"},
                {"name": "https", "protocol": "TCP", "port": 443, "targetPort": "https"},
            ],
        },
    }


@pytest.mark.parametrize(
    ("platform", "scope", "wanted"),
    [
        ("Azure", "External", {given.FALLBACK: ""}),
        ("Azure", "Internal", {given.AZURE_INTERNAL: "true", given.FALLBACK: ""}),
        ("GCP", "External", {given.FALLBACK: ""}),
        ("GCP", "Internal", {given.GCP_TYPE: "Internal", given.FALLBACK: ""}),
        ("IBMCloud", "External", {given.IBM_IP_TYPE: "public"}),
        ("IBMCloud", "Internal", {given.IBM_IP_TYPE: "private"}),
        ("PowerVS", "Internal", {given.IBM_IP_TYPE: "private"}),
        ("OpenStack", "External", {given.FALLBACK: ""}),
        ("OpenStack", "Internal", {given.OPENSTACK_INTERNAL: "true", given.FALLBACK: ""}),
        ("BareMetal", "Internal", {given.FALLBACK: ""}),
        ("AWS", "External", CLASSIC),
        ("AWS", "Internal", {**CLASSIC, given.INTERNAL: "true"}),
    ],
)
def test_scope_on_each_platform(platform: str, scope: str, wanted: dict[str, str]) -> None:
    for version in ALL:
        assert annotations(version, platform, ic(lb(scope))) == wanted, version


@pytest.mark.parametrize(("platform", "policy"), [("AWS", "Local"), ("IBMCloud", "Cluster"), ("PowerVS", "Cluster")])
def test_external_traffic_policy(platform: str, policy: str) -> None:
    assert spec_of("4.22", Infra(platform), ic(lb()))["externalTrafficPolicy"] == policy


@pytest.mark.parametrize(("override", "there"), [(None, True), ("true", True), ("false", False), ("False", False)])
def test_local_with_fallback_unless_overridden(override: str | None, there: bool) -> None:
    controller = ic(lb())
    controller["spec"]["unsupportedConfigOverrides"] = {"localWithFallback": override}
    assert (given.FALLBACK in annotations("4.22", "Azure", controller)) is there


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("4.16", NLB),
        ("4.21", NLB),
        ("4.22", NLB),
        ("4.23", {**NLB, given.TARGET_GROUP: given.SPEAKS_PROXY}),
    ],
)
def test_a_new_nlb(version: str, wanted: dict[str, str]) -> None:
    assert annotations(version, "AWS", ic(aws("NLB", protocol="PROXY"))) == wanted


@pytest.mark.parametrize(
    ("protocol", "attributes"), [("PROXY", given.SPEAKS_PROXY), ("TCP", given.SPEAKS_TCP), ("", None)]
)
def test_nlb_protocol_from_4_23(protocol: str, attributes: str | None) -> None:
    """§4: status protocol empty (an NLB from before the field) leaves the attributes to the user."""
    params = {"protocol": protocol} if protocol else {}
    live = service({given.TYPE: "nlb"})
    assert annotations("4.23", "AWS", ic(aws("NLB", **params)), live).get(given.TARGET_GROUP) == attributes


@pytest.mark.parametrize(
    ("version", "wanted_type", "live_type", "proxy"),
    [
        ("4.21", "NLB", "Classic", False),
        ("4.21", "Classic", "NLB", True),
        ("4.22", "NLB", "Classic", True),
        ("4.22", "Classic", "NLB", False),
        ("4.23", "NLB", "Classic", True),
        ("4.23", "Classic", "NLB", False),
    ],
)
def test_proxy_protocol_follows_the_live_type_from_4_22(
    version: str, wanted_type: str, live_type: str, proxy: bool
) -> None:
    live = service({given.TYPE: "nlb"} if live_type == "NLB" else {})
    found = annotations(version, "AWS", ic(aws(wanted_type)), live)
    assert (found.get(given.PROXY) == "*") is proxy


def test_the_interval_follows_the_wanted_type_even_while_the_change_waits() -> None:
    """§4, the trap."""
    assert annotations("4.22", "AWS", ic(aws("NLB")), service({}))[given.INTERVAL] == "10"
    assert annotations("4.22", "AWS", ic(aws("Classic")), service({given.TYPE: "nlb"}))[given.INTERVAL] == "5"


@pytest.mark.parametrize(
    ("version", "kind", "timeout", "value"),
    [
        ("4.10", "Classic", "2m0s", None),
        ("4.11", "Classic", "2m0s", "120"),
        ("4.22", "Classic", "1h", "3600"),
        ("4.22", "Classic", "1.5s", "2"),
        ("4.22", "Classic", "0s", None),
        ("4.22", "Classic", "-5s", None),
        ("4.22", "NLB", "2m0s", None),
    ],
)
def test_idle_timeout_is_for_classic_only(version: str, kind: str, timeout: str, value: str | None) -> None:
    controller = ic(aws(kind, connectionIdleTimeout=timeout))
    assert annotations(version, "AWS", controller).get(given.IDLE) == value


@pytest.mark.parametrize("version", WITH_SUBNETS)
@pytest.mark.parametrize("kind", ["Classic", "NLB"])
def test_subnets_of_the_wanted_type_are_written_ids_first(version: str, kind: str) -> None:
    """SUB-2: each type has its own parameters block."""
    spec = aws(kind, subnets={"names": ["blue", "green"], "ids": [B, A]})
    assert annotations(version, "AWS", ic(spec, aws(kind)))[given.SUBNETS] == f"{B},{A},blue,green"


@pytest.mark.parametrize("version", WITH_SUBNETS)
def test_subnets_of_the_other_type_are_ignored(version: str) -> None:
    spec = aws("NLB")
    spec["loadBalancer"]["providerParameters"]["aws"]["classicLoadBalancer"] = {"subnets": {"ids": [A]}}
    assert given.SUBNETS not in annotations(version, "AWS", ic(spec))


@pytest.mark.parametrize("version", WITH_SUBNETS)
def test_the_wanted_type_is_the_one_in_status(version: str) -> None:
    """§2: spec counts only once it is admitted."""
    spec = aws("Classic", subnets={"ids": [A]})
    assert given.SUBNETS not in annotations(version, "AWS", ic(spec, aws("NLB")))


@pytest.mark.parametrize("subnets", [None, {}, {"ids": [], "names": []}])
def test_no_subnets_no_annotation(subnets: Any) -> None:
    assert given.SUBNETS not in annotations("4.22", "AWS", ic(aws("NLB", subnets=subnets)))


@pytest.mark.parametrize("version", ["4.11", "4.16"])
def test_a_release_without_the_fields_writes_none(version: str) -> None:
    """SUB-11."""
    found = annotations(version, "AWS", ic(aws("NLB", subnets={"ids": [A]}, eipAllocations=[EIP1])))
    assert not {given.SUBNETS, given.EIPS} & set(found)


@pytest.mark.parametrize("version", WITH_SUBNETS)
def test_elastic_ips_are_for_nlbs_only(version: str) -> None:
    """SUB-12."""
    assert annotations(version, "AWS", ic(aws("NLB", eipAllocations=[EIP2, EIP1])))[given.EIPS] == f"{EIP2},{EIP1}"
    assert given.EIPS not in annotations(version, "AWS", ic(aws("Classic", eipAllocations=[EIP1])))


def test_an_ingress_controller_without_aws_parameters_in_status_gets_no_subnets() -> None:
    """§5: only if status.providerParameters.type is AWS."""
    found = annotations("4.22", "AWS", ic(aws("Classic", subnets={"ids": [A]}), lb()))
    assert found == CLASSIC


@pytest.mark.parametrize(
    ("tags", "value"),
    [
        ((), None),
        ((("team", "edge"),), "team=edge"),
        ((("team", "edge"), ("", "lost"), ("empty", "")), "team=edge,empty="),
    ],
)
def test_resource_tags_come_from_the_infrastructure(tags: tuple[tuple[str, str], ...], value: str | None) -> None:
    assert annotations("4.22", Infra("AWS", resource_tags=tags), ic(lb())).get(given.TAGS) == value


@pytest.mark.parametrize(
    ("scope", "params", "value"),
    [
        ("Internal", {"clientAccess": "Global"}, "true"),
        ("Internal", {"clientAccess": "Local"}, "false"),
        ("Internal", {}, "false"),
        ("External", {"clientAccess": "Global"}, None),
        ("Internal", None, None),
    ],
)
def test_gcp_client_access(scope: str, params: dict[str, str] | None, value: str | None) -> None:
    spec = lb(scope) if params is None else provider("GCP", scope, **params)
    assert annotations("4.22", "GCP", ic(spec)).get(given.GCP_GLOBAL) == value


@pytest.mark.parametrize(
    ("version", "protocol", "value"),
    [("4.12", "PROXY", None), ("4.13", "PROXY", "proxy-protocol"), ("4.22", "TCP", None), ("4.22", "", None)],
)
def test_ibm_protocol(version: str, protocol: str, value: str | None) -> None:
    controller = ic(provider("IBM", protocol=protocol))
    assert annotations(version, "IBMCloud", controller).get(given.IBM_FEATURES) == value


@pytest.mark.parametrize(
    ("version", "spec", "address"),
    [
        ("4.17", provider("OpenStack", floatingIP="192.0.2.1"), None),
        ("4.18", provider("OpenStack", floatingIP="192.0.2.1"), "192.0.2.1"),
        ("4.22", provider("OpenStack", floatingIP="192.0.2.1"), "192.0.2.1"),
        ("4.22", provider("OpenStack", "Internal", floatingIP="192.0.2.1"), None),
        ("4.22", provider("OpenStack"), None),
        ("4.22", lb(), None),
    ],
)
def test_a_floating_ip_becomes_load_balancer_ip(version: str, spec: Any, address: str | None) -> None:
    assert spec_of(version, Infra("OpenStack"), ic(spec)).get("loadBalancerIP") == address


@pytest.mark.parametrize(
    ("version", "ranges", "wanted"),
    [
        ("4.11", ["10.0.0.0/8"], None),
        ("4.12", ["10.0.0.0/8"], ["10.0.0.0/8"]),
        ("4.22", ["10.0.0.0/8", "2001:db8::/32"], ["10.0.0.0/8", "2001:db8::/32"]),
        ("4.22", [], None),
        ("4.22", None, None),
    ],
)
def test_allowed_source_ranges(version: str, ranges: Any, wanted: Any) -> None:
    found = spec_of(version, Infra("AWS"), ic(lb(allowedSourceRanges=ranges)))
    assert found.get("loadBalancerSourceRanges") == wanted


V4_FIRST, V6_FIRST = "DualStackIPv4Primary", "DualStackIPv6Primary"


@pytest.mark.parametrize(
    ("version", "kind", "family", "policy", "families"),
    [
        ("4.22", "NLB", V4_FIRST, "RequireDualStack", ["IPv4", "IPv6"]),
        ("4.22", "NLB", V6_FIRST, "RequireDualStack", ["IPv6", "IPv4"]),
        ("4.22", "Classic", V4_FIRST, "SingleStack", ["IPv4"]),
        ("4.22", "Classic", V6_FIRST, "SingleStack", ["IPv4"]),
        ("4.22", "NLB", "IPv4", None, None),
        ("4.22", "NLB", "", None, None),
        ("4.21", "NLB", V4_FIRST, None, None),
    ],
)
def test_dual_stack_on_aws(version: str, kind: str, family: str, policy: str | None, families: Any) -> None:
    found = spec_of(version, Infra("AWS", ip_family=family), ic(aws(kind)))
    assert (found.get("ipFamilyPolicy"), found.get("ipFamilies")) == (policy, families)


def test_dual_stack_needs_a_type_and_aws() -> None:
    assert "ipFamilies" not in spec_of("4.22", Infra("AWS", ip_family=V4_FIRST), ic(lb()))
    assert "ipFamilies" not in spec_of("4.22", Infra("GCP", ip_family=V4_FIRST), ic(aws("NLB")))


@pytest.mark.parametrize(
    ("labels", "owned"), [({given.OWNER: "apps"}, True), ({given.OWNER: "other"}, False), ({"app": "router"}, False)]
)
def test_ownership_is_the_label_alone(labels: dict[str, str], owned: bool) -> None:
    """§1: a same-named Service without it is somebody else's."""
    assert router_service.owned("apps", {"metadata": {"name": "router-apps", "labels": labels}}) is owned


@pytest.mark.parametrize(
    ("strategy", "wanted"),
    [
        (lb(), True),
        ({"type": "HostNetwork"}, False),
        ({"type": "NodePortService"}, False),
        ({"type": "Private"}, False),
    ],
)
def test_a_service_is_wanted_by_the_strategy_in_status(strategy: Any, wanted: bool) -> None:
    assert router_service.wanted(ic(lb(), strategy)) is wanted
