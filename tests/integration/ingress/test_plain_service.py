# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slb_scope on a Service that no operator owns: the same knowledge per platform, and nothing lost (SCO-7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import At, NewIngress, NewService
from .proofs import codes, finding, prove, refused
from .test_scope import BACK, KEYS
from .workplace import Obj, PlainService, next_name

NOW = {"effectuate": "delete", "allow_disruption": "outage"}
RECREATED = ("AWS", "IBMCloud", "OpenStack")
RANGES = {"loadBalancerSourceRanges": ["10.0.0.0/8"]}


@pytest.mark.parametrize("platform", RECREATED)
@pytest.mark.parametrize("scope", ["Internal", "External"])
def test_recreated_with_everything_it_had(plain: NewService, platform: str, scope: str) -> None:
    """SCO-7, SCO-6: same name, ports, cluster IP, node ports, labels and annotations; another scope and address."""
    key, internal, external = KEYS[platform]
    before, after = (external, internal) if scope == "Internal" else (internal, external)
    annotations = {"example.com/owner": "shop", **({key: before} if before else {})}
    subject = plain(platform, annotations=annotations, externalTrafficPolicy="Local", **RANGES)
    uid, address, spec = subject.uid, subject.address, subject.live()["spec"]
    proven = prove(subject, "slb_scope", scope=scope, **NOW)
    assert (proven.applied["planned"]["verdict"], proven.applied["disruption"]) == ("recreate", "outage")
    assert subject.uid != uid
    assert subject.address != address
    found = subject.live()["spec"]
    kept = ("ports", "clusterIP", "selector", "externalTrafficPolicy", "loadBalancerSourceRanges", "type")
    assert {name: found[name] for name in kept} == {name: spec[name] for name in kept}
    assert (subject.annotations["example.com/owner"], subject.annotations.get(key)) == ("shop", after)
    assert subject.saved() is None
    assert proven.applied["before"]["scope"] == BACK[scope]
    assert proven.applied["after"] == {"scope": scope, "addresses": [subject.address]}


@pytest.mark.parametrize("platform", RECREATED)
def test_the_default_only_says_what_it_takes(plain: NewService, platform: str) -> None:
    """SCO-3: no Service is deleted unless that was asked for."""
    subject = plain(platform)
    uid = subject.uid
    result = prove(subject, "slb_scope", scope="Internal").applied
    assert (result["verdict"], result["disruption"], result["changed"]) == ("recreate", "outage", False)
    assert "effectuate: delete" in result["message"]
    assert subject.uid == uid


def test_it_has_undo_commands_and_the_way_back_too(plain: NewService) -> None:
    """Safe ingress 16: reported, changed and taken back."""
    key = KEYS["AWS"][0]
    subject = plain()
    reported = subject.run("slb_scope", scope="Internal")
    assert "replace --force" in reported["commands"][0]
    assert f"{key}=true" in reported["commands"][0]
    assert [entry["field"] for entry in reported["pending"]] == ["scope"]
    result = prove(subject, "slb_scope", scope="Internal", **NOW).applied
    assert (result["verdict"], result["commands"], result["pending"]) == ("in_sync", [], [])
    assert (result["revert_patch"], result["revert_disruption"]) == (
        {"metadata": {"annotations": {key: None}}},
        "outage",
    )
    assert [(step["verb"], step["resource"]) for step in result["undo"]] == [
        ("delete", "services"),
        ("create", "services"),
    ]


@pytest.mark.parametrize("scope", ["Internal", "External"])
@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_in_place(plain: NewService, platform: str, scope: str) -> None:
    """SCO-7, SCO-2: the annotation alone, and the address with it."""
    key, internal, _external = KEYS[platform]
    subject = plain(platform, annotations={key: internal} if scope == "External" else {})
    uid, address = subject.uid, subject.address
    result = prove(subject, "slb_scope", scope=scope, allow_disruption="brief").applied
    assert (result["planned"]["verdict"], result["disruption"]) == ("update_in_place", "brief")
    assert (subject.uid, subject.annotations.get(key)) == (uid, internal if scope == "Internal" else None)
    assert subject.address != address


def test_any_value_but_false_is_internal_for_the_cloud_controller(plain: NewService) -> None:
    """SCO-7: without an operator only the cloud controller's reading counts (facts: aws-ccm §2)."""
    key = KEYS["AWS"][0]
    assert prove(plain(annotations={key: "yes"}), "slb_scope", scope="Internal").applied["verdict"] == "in_sync"
    assert prove(plain(annotations={key: "false"}), "slb_scope", scope="External").applied["verdict"] == "in_sync"


def test_the_manifest_is_kept_while_the_service_is_gone(plain: NewService) -> None:
    """Issue item 7: in a ConfigMap beside it, before the deletion."""
    subject = plain()
    spec = subject.live()["spec"]
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    result = subject.run("slb_scope", scope="Internal", wait_timeout=1, **NOW)
    assert result["failed"]
    assert "deprovisioned" in result["msg"]
    saved = json.loads((subject.saved() or {})["data"]["manifest.json"])
    assert (saved["kind"], saved["spec"]["clusterIP"]) == ("Service", spec["clusterIP"])
    subject.cluster.cloud_faults.clear()
    subject.wait_for(lambda: subject.service() is None, "the old one to be gone")
    prove(subject, "slb_scope", scope="Internal", **NOW)
    assert subject.saved() is None


@pytest.mark.parametrize("effectuate", ["report", "delete"])
def test_a_second_thought_while_the_service_is_going(plain: NewService, effectuate: str) -> None:
    """Issue item 7: stopped mid-way and asked for the old scope again; the kept manifest must not be thrown away."""
    subject = plain(annotations={"example.com/owner": "shop"})
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    subject.run("slb_scope", scope="Internal", wait_timeout=1, **NOW)
    options = {**NOW, "effectuate": effectuate}
    result = subject.run("slb_scope", scope="External", wait_timeout=1, **options)
    assert subject.saved() is not None, result["message"]
    subject.cluster.cloud_faults.clear()
    subject.wait_for(lambda: subject.service() is None, "the old one to be gone")
    result = subject.run("slb_scope", scope="External", **options)
    assert "restored" in codes(result)
    assert (subject.annotations["example.com/owner"], subject.saved()) == ("shop", None)
    assert KEYS["AWS"][0] not in subject.annotations


PORTS = [{"name": name, "port": port, "targetPort": name} for name, port in (("http", 80), ("https", 443))]
# What another Service takes while this one is gone, by its own spec; and the fields that are then lost.
TAKEN: dict[str, tuple[Callable[[Obj], Obj], list[str]]] = {
    "two node ports": (
        lambda old: {"ports": stolen(old, 0, 1)},
        ["spec.ports[0].nodePort", "spec.ports[1].nodePort"],
    ),
    "the cluster IP and one port": (
        lambda old: {"clusterIP": old["clusterIP"], "ports": stolen(old, 1)},
        ["spec.clusterIPs", "spec.ports[1].nodePort"],
    ),
    "the health-check port": (
        lambda old: {"ports": [{"port": 1, "nodePort": old["healthCheckNodePort"]}]},
        ["spec.healthCheckNodePort"],
    ),
    "all of them": (
        lambda old: {
            "clusterIP": old["clusterIP"],
            "ports": [*stolen(old, 0, 1), {"name": "check", "port": 3, "nodePort": old["healthCheckNodePort"]}],
        },
        ["spec.clusterIPs", "spec.ports[0].nodePort", "spec.ports[1].nodePort", "spec.healthCheckNodePort"],
    ),
}


def stolen(old: Obj, *indexes: int) -> list[Obj]:
    return [{"name": f"p{i}", "port": i + 1, "nodePort": old["ports"][i]["nodePort"]} for i in indexes]


def allocated(spec: Obj) -> dict[str, Any]:
    """Every value that came out of the cluster's pools, by its field."""
    ports = {f"spec.ports[{index}].nodePort": port["nodePort"] for index, port in enumerate(spec["ports"])}
    return {**ports, "spec.clusterIPs": spec["clusterIP"], "spec.healthCheckNodePort": spec["healthCheckNodePort"]}


@pytest.mark.parametrize("case", TAKEN)
def test_it_comes_back_whatever_another_service_took(plain: NewService, case: str) -> None:
    """Safe ingress 18: a server names one allocation failure at a time; all that was lost is told, the rest is kept."""
    steals, lost = TAKEN[case]
    subject = plain(externalTrafficPolicy="Local", ports=PORTS)
    old = subject.live()["spec"]
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    assert subject.run("slb_scope", scope="Internal", wait_timeout=1, **NOW)["failed"]
    subject.cluster.cloud_faults.clear()
    subject.wait_for(lambda: subject.service() is None, "the old one to be gone")
    thief = PlainService(subject.cluster, f"{subject.service_name}-thief")
    thief.create(type="NodePort", **steals(old))
    try:
        result = prove(subject, "slb_scope", scope="Internal", **NOW).applied
    finally:
        thief.remove()
    was, now = allocated(old), allocated(subject.live()["spec"])
    assert sorted(field for field in was if was[field] != now[field]) == sorted(lost)
    told = finding(result, "allocation_taken")
    assert told["value"] == [f"{field} {was[field]}" for field in lost]
    assert all(item in told["what"] for item in told["value"])
    assert subject.saved() is None


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a class of its own": ({"loadBalancerClass": "example.com/other"}, "other_controller"),
    "not a load balancer": ({"type": "ClusterIP"}, "not_a_load_balancer"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_it_is_not_for(at: At, case: str) -> None:
    """SCO-7, CORE-7"""
    spec, code = REFUSED[case]
    subject = PlainService(at(), next_name("odd"))
    subject.create(**spec)
    try:
        result = refused(subject, "slb_scope", scope="Internal", **NOW)
        assert finding(result, code)["remedy"]
    finally:
        subject.remove()


def test_a_service_that_is_not_there(at: At) -> None:
    """CORE-7"""
    subject = PlainService(at(), "nowhere")
    assert "There is no such Service" in refused(subject, "slb_scope", scope="Internal", **NOW)["msg"]


def test_the_operators_own_service_is_left_to_the_operator(ingress: NewIngress) -> None:
    """SCO-7: the operator would write it back."""
    router = ingress()
    subject = PlainService(router.cluster, router.service_name, "openshift-ingress")
    result = refused(subject, "slb_scope", scope="Internal", **NOW)
    assert f"ingress_controller: {router.name}" in finding(result, "operator_owned")["remedy"]


def test_a_platform_without_internal_load_balancers(plain: NewService) -> None:
    """SCO-7, SCO-2"""
    assert "platform_unsupported" in codes(refused(plain("BareMetal"), "slb_scope", scope="Internal", **NOW))


def test_there_is_no_operator_to_effectuate_it(plain: NewService) -> None:
    """SCO-7: effectuate: operator cannot be meant."""
    subject = plain()
    result = refused(subject, "slb_scope", scope="Internal", effectuate="operator", allow_disruption="outage")
    assert "effectuate: delete" in finding(result, "no_operator")["remedy"]


def test_aws_is_asked_before_the_service_goes(plain: NewService) -> None:
    """SUB-3: an External load balancer in private subnets; with good ones it goes through."""
    subject = plain(annotations={KEYS["AWS"][0]: "true"}, moto=True)
    network = subject.cluster.aws
    subject.annotate(subnets=", ".join(network.private.values()))
    result = refused(subject, "slb_scope", aws=True, scope="External", **NOW)
    assert codes(result, "error") == ["subnet_private"] * 3
    assert subject.saved() is None
    subject.annotate(subnets=", ".join(network.public.values()))
    prove(subject, "slb_scope", aws=True, scope="External", **NOW)


def test_somebody_elses_deletion_is_not_undone(plain: NewService) -> None:
    """SCO-7, CORE-6"""
    subject = plain()
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    subject.cluster.api.delete("services", subject.namespace, subject.service_name)
    assert "being_deleted" in codes(refused(subject, "slb_scope", scope="Internal", **NOW))


def test_another_owner_is_told_first(plain: NewService) -> None:
    """CORE-6: a Service that Helm or Argo CD keeps."""
    subject = plain("Azure")
    subject.patch_service({"metadata": {"labels": {"app.kubernetes.io/managed-by": "Helm"}}})
    result = subject.run("slb_scope", check=True, scope="Internal", allow_disruption="brief")
    assert "Helm" in finding(result, "other_owner")["what"]


def test_two_requests_when_the_platform_is_given(plain: NewService) -> None:
    """Issue, seen as done when: the Service and its kept manifest, nothing else."""
    subject = plain()
    subject.run("slb_scope", scope="External", platform="AWS")
    assert len(subject.cluster.requests) == 2
    subject.cluster.requests.reset()
    subject.run("slb_scope", scope="External")
    assert len(subject.cluster.requests) == 3


# Spelt as people spell it → what its own cloud makes of it.
SPELLINGS: dict[str, tuple[str, dict[str, str]]] = {
    "GCP, newer annotation": ("GCP", {"networking.gke.io/load-balancer-type": "Internal"}),
    "GCP, small letters": ("GCP", {"cloud.google.com/load-balancer-type": "internal"}),
    "Azure, capital letter": ("Azure", {"service.beta.kubernetes.io/azure-load-balancer-internal": "True"}),
}


@pytest.mark.parametrize("case", SPELLINGS)
def test_scope_as_its_cloud_reads_it(plain: NewService, case: str) -> None:
    """Safe ingress 13: what is internal already is left alone, and External takes away what made it internal."""
    platform, annotations = SPELLINGS[case]
    subject = plain(platform, annotations=annotations)
    assert subject.address.startswith("10.")
    assert prove(subject, "slb_scope", scope="Internal").applied["verdict"] == "in_sync"
    prove(subject, "slb_scope", scope="External", allow_disruption="brief")
    assert subject.address.startswith("198.")
    prove(subject, "slb_scope", scope="Internal", allow_disruption="brief")
    assert subject.address.startswith("10.")


def test_one_of_another_controller_is_left_alone(at: At) -> None:
    """Safe ingress 13: the AWS Load Balancer Controller reads its own scheme; ours would be written in vain."""
    subject = PlainService(at("AWS"), next_name("front"))
    prefix = "service.beta.kubernetes.io/aws-load-balancer-"
    annotations = {f"{prefix}type": "external", f"{prefix}nlb-target-type": "ip", f"{prefix}scheme": "internal"}
    subject.create(annotations)
    try:
        idle = subject.run("slb_scope", scope="Internal", **NOW)
        assert (idle.get("failed"), idle["verdict"], idle["changed"]) == (None, "in_sync", False)
        result = refused(subject, "slb_scope", scope="External", **NOW)
        assert f"{prefix}scheme to internet-facing" in finding(result, "other_controller")["remedy"]
    finally:
        subject.remove()
