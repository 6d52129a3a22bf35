# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An operator that cannot write its own status: foreseen, recognised, rescued, never made worse (SUB-13; facts §14)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_EIPS, AWS_SUBNETS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import (
    AWS_INTERNAL,
    OPENSTACK_INTERNAL,
)

from .conftest import At, NewIngress
from .proofs import codes, finding, pending, prove, refused
from .workplace import Ingress, Subject, next_name

VERSIONS = ("4.18", "4.21", "4.22", "4.23")
NOW = {"allow_disruption": "outage"}
NO_EIPS = {"networkLoadBalancer": {"eipAllocations": None}}


def is_stuck(subject: Ingress) -> bool:
    """The tell-tale of F1 and F2: the operator has not admitted the newest spec, and says why only in its log."""
    ic = subject.ic()
    behind = ic["status"]["observedGeneration"] < ic["metadata"]["generation"]
    return behind and any(subject.name in line for line in subject.cluster.operator.log)


def ids(subject: Ingress, row: str) -> list[str]:
    return list(getattr(subject.cluster.aws, row).values())


def uids_of(subject: Ingress) -> set[str]:
    """Of every Service that bore the load balancer: each ensured one has left an event."""
    events = subject.cluster.api.list("events", subject.namespace)["items"]
    about = [event["involvedObject"] for event in events if event["reason"] == "EnsuredLoadBalancer"]
    return {entry["uid"] for entry in about if entry["name"] == subject.service_name}


# -- F1: Elastic IPs and scope ----------------------------------------------------------------------------------------


@pytest.fixture
def with_eips(ingress: NewIngress) -> Any:
    return lambda version="4.22": ingress(version, type="NLB", subnets="public", eips=3)


def freeze(subject: Ingress) -> None:
    """As a person with oc would: one legal patch."""
    subject.patch_lb(scope="Internal", providerParameters={"aws": NO_EIPS})
    subject.wait_for(lambda: is_stuck(subject), "the operator to be stuck")


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize("version", VERSIONS)
def test_f1_foreseen_and_planned_in_two_stages(with_eips: Any, version: str, way: str) -> None:
    """SUB-13: the Elastic IPs go first, then the scope; each stage is effectuated and the operator never freezes."""
    subject = with_eips(version)
    wanted = {"scope": "Internal", "eip_allocations": [], "subnets": {"ids": ids(subject, "private")}}
    proven = prove(subject, "ingress_lb_subnets", effectuate=way, **wanted, **NOW)
    assert "stage 1 of 2" in proven.checked["message"]
    assert proven.checked["stages"] == 2
    assert (subject.annotations[AWS_INTERNAL], AWS_EIPS in subject.annotations) == ("true", False)
    assert subject.condition()[0] == "False"
    assert len(uids_of(subject)) == 3
    assert not any("forbidden" in line for line in subject.cluster.operator.log if subject.name in line)


@pytest.mark.parametrize("version", ["4.18", "4.22"])
def test_f1_reported_as_the_first_stage(with_eips: Any, version: str) -> None:
    """SUB-13: the default sets the first stage only, which is legal for spec and for status."""
    subject = with_eips(version)
    result = prove(subject, "ingress_lb_subnets", scope="Internal", eip_allocations=[]).applied
    assert (pending(result), subject.lb["scope"]) == (["scope", "eipAllocations"], "External")
    assert "stage 1 of 2" in result["message"]


def test_f1_a_scope_that_has_to_wait(with_eips: Any) -> None:
    """SUB-13: the Elastic IPs are on their way out, but this task did not ask for that; then it goes through."""
    subject = with_eips()
    subject.patch_lb(providerParameters={"aws": NO_EIPS})
    subject.settle()
    for effectuate in ("report", "operator"):
        result = refused(subject, "slb_scope", scope="Internal", effectuate=effectuate, **NOW)
        found = finding(result, "would_freeze")
        assert "Elastic IPs" in found["what"]
        assert "changes: [eip_allocations]" in found["remedy"]
    prove(subject, "lb_effectuate", changes=["eip_allocations"], effectuate="operator", **NOW)
    assert prove(subject, "slb_scope", scope="Internal").applied["verdict"] == "recreate"


@pytest.mark.parametrize("version", VERSIONS)
def test_f1_recognised_and_never_made_worse(with_eips: Any, version: str) -> None:
    """SUB-13: named with the way out; the Service is never deleted under it, and nobody waits in vain."""
    subject = with_eips(version)
    freeze(subject)
    uid = subject.uid
    runs: list[tuple[str, dict[str, Any]]] = [
        ("lb_effectuate", {"changes": ["all"], "effectuate": "delete", **NOW}),
        ("lb_effectuate", {"changes": ["all"], "effectuate": "operator", **NOW}),
        ("lb_effectuate", {}),
        ("slb_scope", {"scope": "Internal", "effectuate": "delete", **NOW}),
        ("ingress_lb_subnets", {"subnets": {"ids": ids(subject, "private")}, "effectuate": "delete", **NOW}),
    ]
    for module, options in runs:
        result = refused(subject, module, **options)
        found = finding(result, "operator_frozen")
        assert "eipAllocations are forbidden when the scope is Internal" in found["what"]
        assert "Do not delete the Service" in found["remedy"]
        assert "unfreeze: true" in found["remedy"]
        assert not any("delete svc" in command for command in result["commands"])
    assert subject.uid == uid


def test_f1_scope_back_is_a_way_out(with_eips: Any) -> None:
    """SUB-13: what the remedy says works with our own module."""
    subject = with_eips()
    freeze(subject)
    result = prove(subject, "slb_scope", scope="External").applied
    assert (result["verdict"], result["disruption"]) == ("update_in_place", "none")
    subject.settle()


@pytest.mark.parametrize("version", VERSIONS)
def test_f1_rescued_on_request(with_eips: Any, version: str) -> None:
    """SUB-13: thawed, then the change in stages, ending with what spec said."""
    subject = with_eips(version)
    freeze(subject)
    proven = prove(subject, "lb_effectuate", changes=["all"], unfreeze=True, effectuate="operator", **NOW)
    assert "first it is thawed" in proven.checked["message"]
    assert subject.lb["scope"] == "Internal"
    assert (subject.annotations[AWS_INTERNAL], AWS_EIPS in subject.annotations) == ("true", False)
    assert (subject.condition()[0], subject.armed) == ("False", None)


def test_f1_the_rescue_is_gated_before_its_first_step(with_eips: Any) -> None:
    """CORE-3, SUB-13: the thaw itself is harmless, but what is asked for after it is not."""
    subject = with_eips()
    freeze(subject)
    rescue = {"changes": ["all"], "unfreeze": True, "effectuate": "operator"}
    result = refused(subject, "lb_effectuate", allow_disruption="brief", **rescue)
    assert "later stage" in finding(result, "disruption_not_allowed")["what"]


def test_f1_thawed_only(with_eips: Any) -> None:
    """SUB-13: without an effectuation the operator works again and nothing is disrupted."""
    subject = with_eips()
    freeze(subject)
    uid = subject.uid
    result = prove(subject, "lb_effectuate", unfreeze=True).applied
    subject.settle()
    assert (subject.uid, subject.lb["scope"]) == (uid, "External")
    assert "eipAllocations" in pending(result)


def test_f1_a_service_deleted_under_it_comes_back(with_eips: Any) -> None:
    """SUB-13: what every runbook says was done, and the outage had no end."""
    subject = with_eips()
    freeze(subject)
    subject.cluster.api.delete("services", subject.namespace, subject.service_name)
    subject.wait_for(lambda: subject.service() is None, "the Service to be gone")
    assert "operator_frozen" in codes(refused(subject, "lb_effectuate", changes=["all"], effectuate="delete", **NOW))
    result = subject.run("lb_effectuate", changes=["all"], unfreeze=True, effectuate="operator", **NOW)
    assert not result.get("failed"), result.get("msg")
    assert subject.annotations[AWS_INTERNAL] == "true"


def test_f1_with_auto_delete_armed(with_eips: Any) -> None:
    """SUB-13: armed or not, it is the same freeze."""
    subject = with_eips()
    subject.arm()
    freeze(subject)
    assert "operator_frozen" in codes(refused(subject, "lb_effectuate", changes=["all"], effectuate="operator", **NOW))


# -- F2: a floating IP and scope --------------------------------------------------------------------------------------


@pytest.fixture
def with_floating_ip(at: At, subjects: list[Subject]) -> Any:
    """From its first day: a floating IP added later is never mirrored into status (facts §6)."""

    def made(version: str) -> Ingress:
        subject = Ingress(at("OpenStack", version), next_name("fip"))
        subjects.append(subject)
        parameters = {"type": "OpenStack", "openstack": {"floatingIP": "203.0.113.7"}}
        lb = {"scope": "External", "dnsManagementPolicy": "Managed", "providerParameters": parameters}
        subject.create({"type": "LoadBalancerService", "loadBalancer": lb})
        subject.settle()
        return subject

    return made


@pytest.mark.parametrize("version", ["4.18", "4.22", "4.23"])
def test_f2_refused_by_the_api_is_refused_first(with_floating_ip: Any, version: str) -> None:
    """SUB-13: Internal beside a floating IP in spec; the remedy is one that works."""
    subject = with_floating_ip(version)
    result = refused(subject, "slb_scope", scope="Internal")
    assert "changes: [floating_ip]" in finding(result, "refused_by_api")["remedy"]
    subject.patch_lb(providerParameters={"openstack": {"floatingIP": None}})
    subject.settle()
    result = refused(subject, "slb_scope", scope="Internal")
    assert "floating IP" in finding(result, "would_freeze")["what"]
    prove(subject, "lb_effectuate", changes=["floating_ip"], effectuate="operator", **NOW)
    prove(subject, "slb_scope", scope="Internal", effectuate="operator", **NOW)
    assert subject.annotations[OPENSTACK_INTERNAL] == "true"


@pytest.mark.parametrize("version", ["4.18", "4.22", "4.23"])
def test_f2_recognised_and_rescued(with_floating_ip: Any, version: str) -> None:
    """SUB-13: floating IP cleared and scope Internal in one patch."""
    subject = with_floating_ip(version)
    subject.patch_lb(scope="Internal", providerParameters={"openstack": {"floatingIP": None}})
    subject.wait_for(lambda: is_stuck(subject), "the operator to be stuck")
    result = refused(subject, "lb_effectuate", changes=["all"], effectuate="delete", **NOW)
    assert "floating ip" in finding(result, "operator_frozen")["what"]
    prove(subject, "lb_effectuate", changes=["all"], unfreeze=True, effectuate="operator", **NOW)
    assert subject.annotations[OPENSTACK_INTERNAL] == "true"
    assert "loadBalancerIP" not in subject.live()["spec"]


# -- F3: a mirror of a bad annotation ---------------------------------------------------------------------------------

BAD: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "twice the same": ({"type": "NLB", "subnets": "public"}, {"subnets": "one,one"}),
    "8-digit ids": ({"type": "NLB", "subnets": "public"}, {"subnets": "subnet-1234abcd"}),
    "another number than the Elastic IPs": ({"type": "NLB", "subnets": "public", "eips": 3}, {"subnets": "one"}),
    "Elastic IPs on an internal one": (
        {"type": "NLB", "subnets": "private", "scope": "Internal"},
        {"eip-allocations": "eipalloc-0123456789abcdef0"},
    ),
}


@pytest.mark.parametrize("version", ["4.18", "4.22"])
@pytest.mark.parametrize("case", BAD)
def test_f3_recognised_and_rescued(ingress: NewIngress, version: str, case: str) -> None:
    """SUB-13: conditions are stale, so they are not believed; the annotation goes to what spec says."""
    fields, annotations = BAD[case]
    subject = ingress(version, **fields)
    before = {key: subject.annotations.get(key) for key in (AWS_SUBNETS, AWS_EIPS)}
    uid = subject.uid
    subject.annotate(**annotations)
    subject.wait_for(lambda: any(subject.name in line for line in subject.cluster.operator.log), "the operator's log")
    result = refused(subject, "lb_effectuate", changes=["all"], effectuate="delete", **NOW)
    assert "mirror the Service's annotations" in finding(result, "status_frozen")["what"]
    prove(subject, "lb_effectuate", unfreeze=True)
    subject.settle()
    assert {key: subject.annotations.get(key) for key in before} == before
    assert subject.uid == uid


def test_f3_a_classic_one_moves_with_its_annotation(ingress: NewIngress) -> None:
    """CORE-3, SUB-13: the cloud controller attaches and detaches subnets of a Classic one, so the thaw is gated."""
    subject = ingress(type="Classic", subnets="public")
    subject.annotate(subnets="one,one")
    subject.wait_for(lambda: any(subject.name in line for line in subject.cluster.operator.log), "the operator's log")
    result = refused(subject, "lb_effectuate", unfreeze=True)
    assert "allow_disruption: brief" in finding(result, "disruption_not_allowed")["remedy"]
    prove(subject, "lb_effectuate", unfreeze=True, allow_disruption="brief")
    assert subject.annotations[AWS_SUBNETS] == ",".join(ids(subject, "public"))
