# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The public API taken away and given back, and never the last path (API-5, API-6, API-7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.cloud_controller import lb_name
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import run_task
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import codes, finding, prove, refused

from .conftest import NewApi
from .workplace import ANSWERING, OUTAGE, PRIVATE, PUBLIC, REFUSING, VOUCHED, ApiLbs, answering


def built(api: NewApi, platform: str = "Azure", **options: object) -> ApiLbs:
    subject = api(platform)
    assert not subject.run("api_slb", public=True, **options).get("failed")
    subject.cluster.requests.reset()
    return subject


@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_public_off_and_on_without_touching_the_others(api: NewApi, platform: str) -> None:
    """API-5: the others keep their uid and version, and nothing was written to them."""
    subject = built(api, platform)
    others = {role: subject.object(role) for role in ("internal", "machine_config_server")}
    proven = prove(subject, "api_slb", public=False, **VOUCHED, **OUTAGE)
    assert proven.applied["planned"]["disruption"] == "outage"
    assert subject.there() == ["internal", "machine_config_server"]
    assert subject.kept() == []
    proven = prove(subject, "api_slb", public=True)
    assert proven.applied["services"]["external"]["addresses"] == [PUBLIC]
    assert {role: subject.object(role) for role in others} == others


def test_public_off_on_aws_leaves_nothing_behind(api: NewApi) -> None:
    """API-5: AWS has the internal load balancers, as they were, and the Elastic IPs are free again."""
    subject = api("AWS", moto=True)
    network, clients = subject.cluster.aws, subject.cluster.clients
    assert network is not None
    assert clients is not None
    given = {"aws": True, "addresses": {**subject.addresses, "public": list(network.eips[:3])}}
    before = names_in_aws(subject)
    assert not subject.run("api_slb", public=True, **given).get("failed")
    inside = {lb_name(subject.uids()[role]) for role in ("internal", "machine_config_server")}
    prove(subject, "api_slb", public=False, other_paths=[subject.own_path], **given, **OUTAGE)
    assert names_in_aws(subject) - before == inside
    prove(subject, "api_slb", public=True, **given)
    assert names_in_aws(subject) - before == {*inside, lb_name(subject.uids()["external"])}


def names_in_aws(subject: ApiLbs) -> set[str]:
    clients = subject.cluster.clients
    assert clients is not None
    return {entry["LoadBalancerName"] for entry in clients.elbv2.describe_load_balancers()["LoadBalancers"]}


def test_the_way_back_is_in_the_result(api: NewApi) -> None:
    """CORE-2"""
    subject = built(api)
    was = subject.live()
    result = subject.run("api_slb", public=False, **VOUCHED, **OUTAGE)
    (back,) = result["undo"]
    assert (back["verb"], back["body"]["spec"]["clusterIP"]) == ("create", was["spec"]["clusterIP"])


def test_the_last_path_is_not_taken_away(api: NewApi) -> None:
    """API-7: nobody answers at the internal address from here, and nobody has said a word."""
    subject = built(api)
    result = refused(subject, "api_slb", public=False, **OUTAGE)
    told = finding(result, "last_path")
    assert f"internal-lb ({PRIVATE}:6443)" in told["what"]
    assert "vouched_paths" in told["remedy"]
    assert "external" in subject.there()


def test_a_path_that_really_answers_is_enough(api: NewApi, tmp_path: Path) -> None:
    """API-7: the internal load balancer is connected to."""
    given = {"addresses": {"public": [PUBLIC], "private": [ANSWERING]}}
    subject = built(api, **given)
    with answering(tmp_path, ANSWERING):
        assert subject.run("api_slb", public=False, **given, **OUTAGE)["changed"]
    assert "external" not in subject.there()


def test_a_path_that_refuses_is_not_believed_in(api: NewApi) -> None:
    """API-7: somebody vouches for it, and it says itself that nothing is there."""
    given = {"addresses": {"public": [PUBLIC], "private": [REFUSING]}}
    subject = built(api, **given)
    result = refused(subject, "api_slb", public=False, **given, **VOUCHED, **OUTAGE)
    assert "refuses" in finding(result, "last_path")["what"]


def test_another_name_of_what_goes_is_no_other_path(api: NewApi, tmp_path: Path) -> None:
    """API-7"""
    subject = built(api)
    with answering(tmp_path, PUBLIC) as at:
        result = refused(subject, "api_slb", public=False, other_paths=[at], **OUTAGE)
    assert "is the same load balancer" in finding(result, "last_path")["what"]


def test_a_load_balancer_without_endpoints_is_no_path(api: NewApi) -> None:
    """API-7, API-3: whatever somebody says of it."""
    subject = built(api)
    subject.endpoints("internal")
    result = subject.run("api_slb", public=False, wait_timeout=1, **VOUCHED, **OUTAGE)
    assert result["failed"]
    assert "external" in subject.there()


def test_all_gone_needs_another_path(api: NewApi) -> None:
    """API-7"""
    subject = built(api)
    assert "last_path" in codes(refused(subject, "api_slb", state="absent", **VOUCHED, **OUTAGE))
    prove(subject, "api_slb", state="absent", other_paths=[subject.own_path], **OUTAGE)
    assert (subject.there(), subject.kept()) == ([], [])


def test_without_permission_nothing_goes(api: NewApi) -> None:
    """CORE-3"""
    subject = built(api)
    assert "disruption_not_allowed" in codes(refused(subject, "api_slb", public=False, **VOUCHED))


def test_a_public_one_is_made_internal_in_one_task(api: NewApi) -> None:
    """API-7: what is missing comes first, then the other goes."""
    subject = built(api)
    place = ("services", "openshift-kube-apiserver", "internal-lb")
    subject.cluster.api.delete(*place)
    subject.wait_for(lambda: subject.object("internal") is None, "the internal one to be gone")
    subject.cluster.requests.reset()
    prove(subject, "api_slb", public=False, **VOUCHED, **OUTAGE)
    order = [
        (step["verb"], step["name"]) for step in subject.run("api_slb", public=True)["steps"] if step["verb"] != "wait"
    ]
    assert order == [("create", "external-lb")]


@pytest.mark.parametrize("way", ["task", "cluster"])
def test_a_cluster_that_brings_its_own_is_left_alone(api: NewApi, way: str) -> None:
    """API-6: reported, nothing written, whatever else the task says."""
    subject = api()
    if way == "cluster":
        subject.opt_out("F5 does it")
    result = prove(subject, "api_slb", public=True, opt_out=way == "task").applied
    assert (result["changed"], codes(result), subject.there()) == (False, ["api_opted_out"], [])
    assert ("F5 does it" in result["message"]) is (way == "cluster")


def test_services_of_a_cluster_that_opted_out_are_reported(api: NewApi) -> None:
    """API-6"""
    subject = built(api)
    result = prove(subject, "api_slb", public=False, opt_out=True, **OUTAGE).applied
    assert finding(result, "api_opted_out")["severity"] == "warning"
    assert len(subject.there()) == 3


def test_the_radar_sees_them(api: NewApi) -> None:
    """Issue, point 4: an API path with no endpoint, and the last one."""
    subject = built(api)
    subject.endpoints("internal")
    seen = {row["name"]: row for row in run_task("lb_info", subject.cluster.kubeconfig, preflight="skip")["targets"]}
    assert "no_endpoints" in seen["internal-lb"]["codes"]
    assert "api_single_path" in seen["external-lb"]["codes"]
    assert seen["internal-lb-machine-config-server"]["codes"] == []


def test_elastic_ips_are_changed_by_a_recreation(api: NewApi) -> None:
    """CORE-3, CORE-6: AWS reads them at creation only; cluster IP, node ports and foreign edits come back."""
    subject = api("AWS")
    eips = list(subject.cluster.aws.eips)  # type: ignore[union-attr]
    addresses = {**subject.addresses, "public": eips[:3]}
    assert not subject.run("api_slb", public=True, addresses=addresses).get("failed")
    subject.patch_service({"metadata": {"annotations": {"example.com/owner": "us"}}})
    was = subject.live()
    subject.cluster.requests.reset()
    changed = {"public": True, "addresses": {**addresses, "public": eips[1:4]}, "other_paths": [subject.own_path]}
    assert "disruption_not_allowed" in codes(refused(subject, "api_slb", **changed))
    proven = prove(subject, "api_slb", **changed, **OUTAGE)
    assert proven.applied["planned"]["verdict"] == "recreate"
    now = subject.live()
    assert now["metadata"]["uid"] != was["metadata"]["uid"]
    assert now["spec"]["clusterIP"] == was["spec"]["clusterIP"]
    assert now["spec"]["ports"] == was["spec"]["ports"]
    assert now["metadata"]["annotations"]["example.com/owner"] == "us"
    assert subject.kept() == []
