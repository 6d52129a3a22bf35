# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role and its playbook, run by ansible-playbook with variables as AWX sends them; moto serves Route 53 (API-4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.plays import COLLECTION, Stage
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.workplace import ACCESS

from .conftest import NewApi
from .workplace import BOOTSTRAP, PRIVATE, PUBLIC, ApiLbs

PLAYBOOK = "api_slb_handover.yml"


def stage_of(directory: Path, subject: ApiLbs) -> Stage:
    """The way into AWS goes by module_defaults, where a play of its own has the role."""
    clients = subject.cluster.clients
    aws = {**ACCESS, "endpoint_url": clients.endpoint} if clients else {"preflight": "skip"}
    defaults = {f"group/{COLLECTION}.aws": aws}
    made = Stage(directory, {"edge-one": {}}, groups={"api_clusters": ["edge-one"]}, module_defaults=defaults)
    made.publish("*", [])  # names of load balancers lead nowhere, and nobody outside is asked for them
    return made


def variables(subject: ApiLbs, number: int, **more: Any) -> dict[str, Any]:
    api = {"public": True, "addresses": subject.addresses, "other_paths": [subject.own_path]}
    given = {"stage": str(number), "kubeconfig": str(subject.cluster.kubeconfig), "wait_sleep": "1"}
    given |= {"wait_timeout": "20", "bootstrap_addresses": [BOOTSTRAP], "api": {**api, **more.pop("api", {})}, **more}
    return {f"api_slb_handover_{name}": value for name, value in given.items()}


def test_all_stages_and_back_with_the_records_kept(api: NewApi, tmp_path: Path) -> None:
    """API-4"""
    subject, kept = api(), tmp_path / "kept"
    stage = stage_of(tmp_path, subject)
    seen = []
    for number in (1, 2, 3, 2):
        done = stage.playbook(PLAYBOOK, **variables(subject, number, output_dir=str(kept)))
        assert done.returncode == 0, done.stdout[-3000:]
        records = json.loads((kept / "records.json").read_text(encoding="utf-8"))
        assert records["stage"] == number
        seen.append([entry["data"] for entry in records["records"]["private"]])
    both, last = [[BOOTSTRAP, PRIVATE]] * 2, [[PRIVATE]] * 2
    assert seen == [both, both, last, both]
    assert (kept / "public.zone").read_text(encoding="utf-8").endswith(f"IN A {PUBLIC}\n")
    assert json.loads((kept / "objects.json").read_text(encoding="utf-8"))["platform"] == "Azure"
    assert (kept / "objects.json").stat().st_mode & 0o077 == 0
    again = stage.playbook(PLAYBOOK, **variables(subject, 2, output_dir=str(kept)))
    assert "changed=0" in again.stdout


def test_forward_only_when_the_gate_holds(api: NewApi, tmp_path: Path) -> None:
    """API-4: and in check mode nothing is written."""
    subject = api()
    stage = stage_of(tmp_path, subject)
    done = stage.playbook(PLAYBOOK, "--check", "--diff", **variables(subject, 1))
    assert (done.returncode, subject.there()) == (0, []), done.stdout[-3000:]
    subject.run("api_slb", public=True)
    subject.endpoints("internal")
    done = stage.playbook(PLAYBOOK, **variables(subject, 3, wait_timeout="1"))
    assert done.returncode != 0
    assert "an endpoint to be ready behind it" in done.stdout


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"api": {"adresses": {}}}, "adresses is no option"),
        ({"stage": "4"}, "api_slb_handover_stage must be one of"),
        ({"allow_disruption": "any"}, "api_slb_handover_allow_disruption must be one of"),
    ],
)
def test_typos_are_refused(api: NewApi, tmp_path: Path, wrong: dict[str, Any], words: str) -> None:
    """EST-1"""
    subject = api()
    given = {**variables(subject, 1), **{f"api_slb_handover_{name}": value for name, value in wrong.items()}}
    done = stage_of(tmp_path, subject).playbook(PLAYBOOK, **given)
    assert done.returncode != 0
    assert words in done.stdout


def zone_records(subject: ApiLbs, zone: str) -> dict[tuple[str, str], list[str]]:
    clients = subject.cluster.clients
    assert clients is not None
    found = clients.route53.list_resource_record_sets(HostedZoneId=zone)["ResourceRecordSets"]
    ours = [entry for entry in found if entry["Type"] in ("A", "CNAME", "TXT")]
    return {
        (entry["Name"].partition(".")[0], entry["Type"]): sorted(one["Value"] for one in entry["ResourceRecords"])
        for entry in ours
    }


def test_published_in_route_53(api: NewApi, tmp_path: Path) -> None:
    """API-4: both zones, idempotent; what else is in them stays."""
    subject = api("AWS", moto=True)
    network, clients = subject.cluster.aws, subject.cluster.clients
    assert network is not None
    assert clients is not None
    domain, eips = subject.cluster.spec.base_domain, list(network.eips[:3])
    other = {"Name": f"api.{domain}.", "Type": "TXT", "TTL": 60, "ResourceRecords": [{"Value": '"hands off"'}]}
    batch = {"Changes": [{"Action": "UPSERT", "ResourceRecordSet": other}]}
    clients.route53.change_resource_record_sets(HostedZoneId=network.private_zone, ChangeBatch=batch)
    given = {
        "api": {"addresses": {**subject.addresses, "public": eips}},
        "domain": domain,
        "public_zone": network.public_zone,
        "private_zone": network.private_zone,
    }
    stage = stage_of(tmp_path, subject)
    private = subject.addresses["private"]
    addresses = clients.ec2.describe_addresses(AllocationIds=eips)["Addresses"]
    for number, beside in ((1, [BOOTSTRAP]), (3, [])):
        done = stage.role("api_slb_handover", **variables(subject, number, **given))
        assert done.returncode == 0, done.stdout[-3000:]
        values = sorted([*beside, *private])
        assert zone_records(subject, network.private_zone) == {
            ("api", "A"): values,
            ("api-int", "A"): values,
            ("api", "TXT"): ['"hands off"'],
        }
    assert zone_records(subject, network.public_zone) == {
        ("api", "A"): sorted(entry["PublicIp"] for entry in addresses)
    }
    again = stage.role("api_slb_handover", **variables(subject, 3, **given))
    assert "changed=0" in again.stdout
