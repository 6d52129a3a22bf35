# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand-over in three stages, forward and back, and everything without the API (API-4, API-8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import run_task
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import codes, finding, prove, refused

from .conftest import NewApi
from .workplace import BOOTSTRAP, PRIVATE, PUBLIC, VOUCHED, ApiLbs, answering


def stage(number: int, *bootstrap: str) -> dict[str, Any]:
    return {"public": True, "handover": {"stage": number, "bootstrap_addresses": list(bootstrap or (BOOTSTRAP,))}}


def private(result: dict[str, Any]) -> list[list[str]]:
    return [entry["data"] for entry in result["handover"]["records"]["private"]]


def test_forward_through_all_three(api: NewApi) -> None:
    """API-4: the records of each stage, and nothing written but the Services and which stage it is."""
    subject = api()
    for slb in ("external", "internal", "machine_config_server"):
        subject.endpoints(slb)
    first = prove(subject, "api_slb", **stage(1)).applied
    assert private(first) == [[BOOTSTRAP, PRIVATE]] * 2
    assert [entry["data"] for entry in first["handover"]["records"]["public"]] == [[PUBLIC]]
    waits = subject.run("api_slb", wait_timeout=1, **stage(2))
    assert waits["failed"]
    assert subject.annotation("internal", "lb-estate.edgeworks.io/handover-stage") == "1"
    subject.at_rest()
    second = prove(subject, "api_slb", **stage(2)).applied
    assert private(second) == [[BOOTSTRAP, PRIVATE]] * 2
    result = refused(subject, "api_slb", **stage(3))
    assert "Without the bootstrap address no path" in finding(result, "stage_not_due")["what"]
    third = prove(subject, "api_slb", **stage(3), **VOUCHED).applied
    domain = f"{subject.cluster.spec.base_domain}"
    assert private(third) == [[PRIVATE]] * 2
    assert third["handover"]["zones"]["private"] == "".join(
        f"{name}.{domain}. 60 IN A {PRIVATE}\n" for name in ("api", "api-int")
    )


def at_stage(subject: ApiLbs, number: int) -> None:
    for each in range(1, number + 1):
        done = subject.run("api_slb", **stage(each), **VOUCHED)
        assert not done.get("failed"), done["msg"]


def test_back_a_stage_at_a_time(api: NewApi, tmp_path: Path) -> None:
    """API-4: into the first one only where the bootstrap host serves again."""
    subject = api()
    at_stage(subject, 3)
    assert "goes back to stage 2 first" in refused(subject, "api_slb", **stage(1))["msg"]
    assert private(prove(subject, "api_slb", **stage(2)).applied) == [[BOOTSTRAP, PRIVATE]] * 2
    assert "does not answer" in refused(subject, "api_slb", **stage(1))["msg"]
    with answering(tmp_path, BOOTSTRAP):
        prove(subject, "api_slb", **stage(1))
    assert subject.annotation("internal", "lb-estate.edgeworks.io/handover-stage") == "1"


def test_the_bootstrap_address_is_needed_for_its_stages(api: NewApi) -> None:
    subject = api()
    assert not subject.run("api_slb", public=True).get("failed")
    result = refused(subject, "api_slb", public=True, handover={"stage": 2})
    assert "bootstrap_addresses" in finding(result, "stage_not_due")["what"]


def test_elastic_ips_stand_in_dns_before_there_is_a_load_balancer(api: NewApi) -> None:
    """API-4, API-2 on AWS: pre-seeded with the addresses of the Elastic IPs."""
    subject = api("AWS", moto=True)
    network, clients = subject.cluster.aws, subject.cluster.clients
    assert network is not None
    assert clients is not None
    chosen = list(network.eips[:3])
    found = clients.ec2.describe_addresses(AllocationIds=chosen)["Addresses"]
    addresses = {**subject.addresses, "public": chosen}
    subject.cluster.cloud_faults.hold_ensure()
    result = subject.run("api_slb", aws=True, addresses=addresses, **stage(1))
    assert not result.get("failed"), result
    (public,) = result["handover"]["records"]["public"]
    assert sorted(public["data"]) == sorted(entry["PublicIp"] for entry in found)
    assert private(result)[0] == [BOOTSTRAP, *addresses["private"]]


def test_with_the_api_down_the_copy_renders_the_same(api: NewApi) -> None:
    """API-8: nobody is connected to."""
    subject = api()
    applied = subject.run("api_slb", public=True)
    nowhere = {"host": "https://127.0.0.1:9", "preflight": "skip"}
    options = {"state": "rendered", "objects": applied["objects"], "handover": {"stage": 3}, **nowhere}
    result = run_task("api_slb", "", **options)
    assert not result.get("failed"), result
    assert result["manifests"] == applied["manifests"]
    assert result["services"] == applied["services"]
    assert {entry["name"].partition(".")[0]: entry["data"] for entry in result["direct_records"]} == {
        "api": ["10.0.16.10", "10.0.17.11"],
        "api-int": ["10.0.16.10", "10.0.17.11"],
    }
    assert private(result) == [[PRIVATE]] * 2
    subject.cluster.requests.reset()
    assert subject.run("api_slb", state="rendered", public=True)["manifests"] == applied["manifests"]
    assert subject.writes() == []


def test_a_copy_that_is_none_is_refused_with_all_that_is_wrong(api: NewApi) -> None:
    """CORE-7"""
    subject = api()
    result = subject.run(
        "api_slb",
        objects={"schema": "another"},
        addresses={"public": ["x"], "private": ["10.0.0.1", "10.0.0.1"]},
        other_paths=[""],
        handover={"stage": 1, "ttl": 0, "bootstrap_addresses": ["y"]},
    )
    assert (result["failed"], result["error_code"]) == (True, "invalid")
    assert {entry["where"] for entry in result["findings"]} == {
        "objects",
        "addresses.public[0]",
        "addresses.private",
        "other_paths[0]",
        "handover.ttl",
        "handover.bootstrap_addresses[0]",
    }
    assert len(subject.cluster.requests) == 0


def test_what_the_platform_adds_is_told_at_once_too(api: NewApi) -> None:
    """CORE-7"""
    subject = api()
    wrong = {"public": ["eipalloc-0123456789abcdef0"], "private": ["10.0.0.1", "10.0.0.2"]}
    result = refused(subject, "api_slb", public=True, addresses=wrong)
    assert (result["verdict"], set(codes(result))) == ("invalid", {"address_unusable"})
    assert len(result["findings"]) == 3
