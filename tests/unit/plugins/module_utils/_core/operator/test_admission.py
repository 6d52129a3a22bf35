# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Admission: what reaches status, and when (facts: ingress-operator §2, §3, §6 "Removing configuration")."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import admission
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.reconcile import reconcile
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIP1,
    A,
    B,
    aws,
    ic,
    lb,
    provider,
)

DOMAIN = "apps.lab.example.com"
AWS = Infra("AWS", base_domain="lab.example.com", ingress_domain=DOMAIN)
LATEST = ["4.21", "4.22", "4.23"]


def on(platform: str) -> Infra:
    return Infra(platform, base_domain="lab.example.com", ingress_domain=DOMAIN)


def admit(version: str, infra: Infra, spec: Any, status: Any = None) -> dict[str, Any]:
    """Status after admission; without a status it is a new IngressController."""
    controller = ic(spec, status) if status is not None else new(spec)
    before = copy.deepcopy(controller)
    found = admission.admit(profile_for(version), infra, controller)
    assert controller == before, "admission changed its input"
    return found


def new(spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "default", "generation": 1}, "spec": {"endpointPublishingStrategy": spec}}


# --- when ------------------------------------------------------------------------------------------------------------


def test_an_ingress_controller_at_rest_is_not_admitted_again() -> None:
    for version in ("4.16", *LATEST):
        assert not admission.needs_admission(profile_for(version), ic(lb()))


@pytest.mark.parametrize("version", ["4.16", *LATEST])
def test_a_new_generation_a_missing_strategy_and_no_admission_yet_do(version: str) -> None:
    profile = profile_for(version)
    edited = ic(lb(), generation=3)
    without = ic(lb())
    without["status"]["endpointPublishingStrategy"] = None
    refused = ic(lb())
    refused["status"]["conditions"][0]["status"] = "False"
    for controller in (edited, without, refused, new(lb())):
        assert admission.needs_admission(profile, controller)


@pytest.mark.parametrize(("version", "again"), [("4.20", False), ("4.21", True), ("4.22", True)])
def test_a_strategy_without_its_load_balancer_is_admitted_again_from_4_21(version: str, again: bool) -> None:
    controller = ic(lb(), {"type": "LoadBalancerService"})
    assert admission.needs_admission(profile_for(version), controller) is again
    found = admission.admit(profile_for(version), AWS, controller)
    assert ("loadBalancer" in found) is again


# --- defaults of a new IngressController -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("platform", "version", "kind"),
    [
        *((name, "4.22", "LoadBalancerService") for name in ("AWS", "Azure", "GCP", "IBMCloud", "PowerVS")),
        *((name, "4.22", "HostNetwork") for name in ("OpenStack", "BareMetal", "None", "VSphere", "Nutanix")),
        ("AlibabaCloud", "4.18", "LoadBalancerService"),
        ("AlibabaCloud", "4.19", "HostNetwork"),
    ],
)
def test_default_strategy_when_spec_has_none(platform: str, version: str, kind: str) -> None:
    found = admit(version, on(platform), None)
    assert found["type"] == kind
    if kind == "LoadBalancerService":
        assert found["loadBalancer"] == {"scope": "External", "dnsManagementPolicy": "Managed"}
    else:
        assert found["hostNetwork"] == {"httpPort": 80, "httpsPort": 443, "statsPort": 1936, "protocol": "TCP"}


@pytest.mark.parametrize(
    ("strategy", "key", "params"),
    [
        ({"type": "NodePortService"}, "nodePort", {"protocol": "TCP"}),
        ({"type": "NodePortService", "nodePort": {"protocol": "PROXY"}}, "nodePort", {"protocol": "PROXY"}),
        ({"type": "Private"}, "private", {"protocol": "TCP"}),
        (
            {"type": "HostNetwork", "hostNetwork": {"httpPort": 8080, "protocol": ""}},
            "hostNetwork",
            {"httpPort": 8080, "httpsPort": 443, "statsPort": 1936, "protocol": "TCP"},
        ),
    ],
)
def test_defaults_of_the_other_strategies(strategy: Any, key: str, params: Any) -> None:
    assert admit("4.22", AWS, strategy)[key] == params


@pytest.mark.parametrize(
    ("infra", "version", "policy"),
    [
        pytest.param(AWS, "4.22", "Managed", id="in the cluster's domain"),
        pytest.param(Infra("AWS", base_domain="other.org", ingress_domain=DOMAIN), "4.22", "Unmanaged", id="outside"),
        pytest.param(
            Infra("AWS", base_domain="example.com.", ingress_domain=DOMAIN + "."), "4.22", "Managed", id="final dots"
        ),
        pytest.param(
            Infra("GCP", base_domain="ab.example.com", ingress_domain="apps.lab.example.com"),
            "4.22",
            "Unmanaged",
            id="a domain is whole labels",
        ),
        pytest.param(Infra("Azure", base_domain="o.org", ingress_domain=DOMAIN), "4.22", "Managed", id="Azure: any"),
        pytest.param(Infra("AWS", ingress_domain=DOMAIN), "4.22", "Unmanaged", id="no base domain"),
        pytest.param(Infra("AWS", base_domain="lab.example.com"), "4.22", "Unmanaged", id="no domain"),
        pytest.param(
            Infra("AWS", base_domain="lab.example.com", ingress_domain=DOMAIN, cluster_hosted_dns=True),
            "4.22",
            "Unmanaged",
            id="the cluster hosts its DNS",
        ),
        pytest.param(on("OpenStack"), "4.17", "Managed", id="OpenStack before 4.18"),
        pytest.param(on("OpenStack"), "4.18", "Unmanaged", id="OpenStack from 4.18"),
    ],
)
def test_dns_is_managed_only_for_names_the_cluster_has(infra: Infra, version: str, policy: str) -> None:
    assert admit(version, infra, lb())["loadBalancer"]["dnsManagementPolicy"] == policy


def test_the_domain_is_fixed_once_it_is_in_status() -> None:
    controller = new(lb())
    assert admission.domain(AWS, controller) == DOMAIN
    controller["spec"]["domain"] = "mine.lab.example.com"
    assert admission.domain(AWS, controller) == "mine.lab.example.com"
    controller["status"] = {"domain": "first.lab.example.com"}
    assert admission.domain(AWS, controller) == "first.lab.example.com"
    assert admission.domain(Infra("AWS"), new(lb())) == ""


def aws_of(found: dict[str, Any]) -> Any:
    return dig(found, "loadBalancer", "providerParameters", "aws")


@pytest.mark.parametrize(
    ("spec", "cluster_default", "kind"),
    [
        (lb(), "", None),
        (lb(), "NLB", "NLB"),
        (lb(), "Classic", "Classic"),
        (aws("Classic"), "NLB", "Classic"),
        (lb(providerParameters={"type": "AWS"}), "", "Classic"),
        (lb(providerParameters={"type": "AWS"}), "NLB", "NLB"),
        (None, "NLB", "NLB"),
    ],
)
def test_the_clusters_default_type_is_for_new_ingress_controllers(
    spec: Any, cluster_default: str, kind: str | None
) -> None:
    infra = Infra("AWS", base_domain="lab.example.com", ingress_domain=DOMAIN, ingress_lb_type=cluster_default)
    for version in ("4.16", *LATEST):
        assert (aws_of(admit(version, infra, spec)) or {}).get("type") == kind, version


def test_and_never_for_existing_ones() -> None:
    infra = Infra("AWS", base_domain="lab.example.com", ingress_domain=DOMAIN, ingress_lb_type="NLB")
    assert aws_of(admit("4.22", infra, lb(), lb())) is None
    assert aws_of(admit("4.22", infra, lb(providerParameters={"type": "AWS"}), aws("Classic")))["type"] == "Classic"


@pytest.mark.parametrize(
    ("version", "spec", "params"),
    [
        ("4.16", aws("Classic"), {"type": "Classic", "classicLoadBalancer": {"connectionIdleTimeout": "0s"}}),
        ("4.16", {"kind": "NLB"}, {"type": "NLB"}),
        ("4.21", {"kind": "NLB"}, {"type": "NLB", "networkLoadBalancer": {}}),
        ("4.22", {"kind": "NLB"}, {"type": "NLB", "networkLoadBalancer": {}}),
        ("4.23", {"kind": "NLB"}, {"type": "NLB", "networkLoadBalancer": {"protocol": "PROXY"}}),
        ("4.23", aws("NLB", protocol="TCP"), {"type": "NLB", "networkLoadBalancer": {"protocol": "TCP"}}),
        (
            "4.22",
            aws("Classic", connectionIdleTimeout="90s"),
            {"type": "Classic", "classicLoadBalancer": {"connectionIdleTimeout": "1m30s"}},
        ),
        (
            "4.22",
            aws("NLB", subnets={"ids": [A], "names": []}, eipAllocations=[]),
            {"type": "NLB", "networkLoadBalancer": {"subnets": {"ids": [A]}}},
        ),
    ],
)
def test_parameters_of_a_new_aws_ingress_controller(version: str, spec: Any, params: Any) -> None:
    if "kind" in spec:
        spec = lb(providerParameters={"type": "AWS", "aws": {"type": spec["kind"]}})
    assert aws_of(admit(version, AWS, spec)) == params


def test_an_empty_list_of_source_ranges_is_none() -> None:
    assert "allowedSourceRanges" not in admit("4.22", AWS, lb(allowedSourceRanges=[]))["loadBalancer"]
    assert admit("4.22", AWS, lb(allowedSourceRanges=["10.0.0.0/8"]))["loadBalancer"]["allowedSourceRanges"]


# --- re-admission of an existing one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["4.11", "4.16", *LATEST])
def test_scope_in_status_is_the_wanted_one(version: str) -> None:
    """§2, the trap."""
    assert admit(version, AWS, lb("Internal"), lb("External"))["loadBalancer"]["scope"] == "Internal"


@pytest.mark.parametrize(("version", "kind"), [("4.11", "Classic"), ("4.12", "NLB"), ("4.21", "NLB"), ("4.22", "NLB")])
def test_so_is_the_type_except_in_the_oldest_operators(version: str, kind: str) -> None:
    assert aws_of(admit(version, AWS, aws("NLB"), aws("Classic")))["type"] == kind


@pytest.mark.parametrize("version", LATEST)
def test_subnets_elastic_ips_and_floating_ip_are_the_ones_in_force(version: str) -> None:
    """§2: mirrored from the Service later, never copied from spec."""
    spec, status = aws("NLB", subnets={"ids": [A]}, eipAllocations=[EIP1]), aws("NLB", subnets={"ids": [B]})
    assert aws_of(admit(version, AWS, spec, status))["networkLoadBalancer"]["subnets"] == {"ids": [B]}
    assert "eipAllocations" not in aws_of(admit(version, AWS, spec, status))["networkLoadBalancer"]
    floating = provider("OpenStack", floatingIP="192.0.2.1")
    found = admit(version, on("OpenStack"), floating, provider("OpenStack"))
    assert found["loadBalancer"]["providerParameters"]["openstack"] == {}


def test_openstack_parameters_are_never_initialised_in_an_existing_status() -> None:
    """§6: adding a floating IP to an old IngressController stays pending for ever."""
    found = admit("4.22", on("OpenStack"), provider("OpenStack", floatingIP="192.0.2.1"), lb())
    assert "providerParameters" not in found["loadBalancer"]


@pytest.mark.parametrize("wanted", ["NodePortService", "HostNetwork", "Private"])
def test_the_strategys_type_is_never_updated(wanted: str) -> None:
    """§2: accepted by the API and ignored."""
    assert admit("4.22", AWS, {"type": wanted}, lb())["type"] == "LoadBalancerService"


@pytest.mark.parametrize(
    ("strategy", "key", "params"),
    [
        ({"type": "NodePortService", "nodePort": {"protocol": "PROXY"}}, "nodePort", {"protocol": "PROXY"}),
        (
            {"type": "HostNetwork", "hostNetwork": {"httpPort": 81}},
            "hostNetwork",
            {"httpPort": 81, "httpsPort": 443, "statsPort": 1936, "protocol": "TCP"},
        ),
    ],
)
def test_the_other_strategies_parameters_are_copied(strategy: Any, key: str, params: Any) -> None:
    assert admit("4.22", AWS, strategy, {"type": strategy["type"]})[key] == params


@pytest.mark.parametrize(
    ("platform", "name", "field", "value"),
    [("GCP", "GCP", "clientAccess", "Global"), ("IBMCloud", "IBM", "protocol", "PROXY")],
)
def test_gcp_and_ibm_parameters_are_copied_and_cleared(platform: str, name: str, field: str, value: str) -> None:
    key = name.lower()
    spec = provider(name, **{field: value})
    set_now = admit("4.22", on(platform), spec, lb())["loadBalancer"]["providerParameters"]
    assert set_now == {"type": name, key: {field: value}}
    cleared = admit("4.22", on(platform), provider(name), spec)["loadBalancer"]["providerParameters"]
    assert cleared == {"type": name, key: {}}
    untouched = admit("4.22", on(platform), provider(name), lb())["loadBalancer"]
    assert "providerParameters" not in untouched


@pytest.mark.parametrize("version", LATEST)
@pytest.mark.parametrize(("given", "kept"), [("2m", "2m0s"), ("-5s", "0s"), (None, "0s")])
def test_the_idle_timeout_is_copied_in_gos_form(version: str, given: str | None, kept: str) -> None:
    params = {} if given is None else {"connectionIdleTimeout": given}
    status = aws("Classic", connectionIdleTimeout="1m0s")
    found = aws_of(admit(version, AWS, aws("Classic", **params), status))
    assert found["classicLoadBalancer"]["connectionIdleTimeout"] == kept


@pytest.mark.parametrize("version", LATEST)
@pytest.mark.parametrize(
    ("given", "before", "kept"),
    [
        ("-1s", None, "-1s"),  # the first admission copies it
        ("-1s", "-1s", "-1s"),  # and nothing has changed since
        ("-1s", "0s", "0s"),  # Safe ingress 19: unset before
        ("-1s", "1m0s", "0s"),
        ("-2s", "-1s", "0s"),
    ],
)
def test_a_negative_idle_timeout_counts_as_none(version: str, given: str, before: str | None, kept: str) -> None:
    status = None if before is None else aws("Classic", connectionIdleTimeout=before)
    found = aws_of(admit(version, AWS, aws("Classic", connectionIdleTimeout=given), status))
    assert found["classicLoadBalancer"]["connectionIdleTimeout"] == kept


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        ("2d12h", 'time: unknown unit "d" in duration "2d12h"'),
        ("1 m", 'time: unknown unit " m" in duration "1 m"'),
        ("90s", None),
        ("-1s", None),
        (None, None),
    ],
)
def test_durations_that_the_api_takes_and_the_operator_cannot_read(text: str | None, told: str | None) -> None:
    """Safe ingress 19: nothing is admitted any more, and nothing written."""
    controller = ic(aws("Classic", connectionIdleTimeout=text) if text else lb())
    found = admission.unreadable(controller)
    assert (found.message if found else None) == told
    outcome = reconcile(profile_for("4.22"), AWS, controller, None)
    assert (outcome.rests, bool(outcome.frozen)) == (told is not None, told is not None)


@pytest.mark.parametrize(("version", "kept"), [("4.17", False), ("4.21", False), ("4.22", True), ("4.23", True)])
def test_the_other_types_parameters_leave_status_at_once_up_to_4_21(version: str, kept: bool) -> None:
    """§5: later operators keep them until the wanted type is in force."""
    status = aws("Classic", subnets={"ids": [A]}, connectionIdleTimeout="0s")
    found = aws_of(admit(version, AWS, aws("NLB"), status))
    assert ("classicLoadBalancer" in found) is kept
    assert "networkLoadBalancer" in found


@pytest.mark.parametrize("version", ["4.21", "4.22", "4.23"])
def test_null_parameters_keep_the_type_but_an_empty_aws_means_classic(version: str) -> None:
    """§6, Removing configuration: the two are not the same."""
    assert aws_of(admit(version, AWS, lb(), aws("NLB")))["type"] == "NLB"
    assert aws_of(admit(version, AWS, lb(providerParameters={"type": "AWS"}), aws("NLB")))["type"] == "Classic"


@pytest.mark.parametrize(
    ("status", "wanted", "after"),
    [
        pytest.param(aws("NLB", protocol="TCP"), "PROXY", "PROXY", id="set"),
        pytest.param(aws("NLB", protocol="TCP"), "", "PROXY", id="cleared"),
        pytest.param(aws("NLB"), "", None, id="an NLB from before the field stays unmanaged"),
        pytest.param(aws("NLB"), "TCP", "TCP", id="until it is given one"),
        pytest.param(aws("Classic"), "", "PROXY", id="a Classic that becomes an NLB"),
    ],
)
def test_nlb_protocol_on_readmission(status: Any, wanted: str, after: str | None) -> None:
    params = {"protocol": wanted} if wanted else {}
    found = aws_of(admit("4.23", AWS, aws("NLB", **params), status))
    assert found["networkLoadBalancer"].get("protocol") == after
    assert "protocol" not in aws_of(admit("4.22", AWS, aws("NLB", **params), aws("NLB")))["networkLoadBalancer"]
