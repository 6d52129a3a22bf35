# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Killed with -9 after each write of each way: the next run converges, nothing is lost (CORE-4, CORE-11)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.killing import killed_after, running
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import codes, finding, prove

from .conftest import NewApi
from .workplace import OTHER_PUBLIC, OUTAGE, PUBLIC, REFUSING, ApiLbs

# Way → the platform, what is there before, and what is asked for.
WAYS: dict[str, tuple[str, bool, dict[str, Any]]] = {
    "build": ("Azure", False, {"public": True}),
    "public off": ("Azure", True, {"public": False}),
    "all gone": ("Azure", True, {"state": "absent"}),
    "another address": ("GCP", True, {"public": True, "addresses": {"public": [OTHER_PUBLIC]}}),
    "recreate": ("AWS", True, {"public": True}),
}
# The lock comes and goes around the writes of each.
WRITES = {"build": 5, "public off": 5, "all gone": 11, "another address": 3, "recreate": 6}
ALL = [(way, number) for way, most in WRITES.items() for number in range(1, most + 1)]
SAMPLE = sorted(random.Random(11).sample(ALL, 6))


def prepared(api: NewApi, way: str) -> tuple[ApiLbs, dict[str, Any]]:
    platform, before, options = WAYS[way]
    subject = api(platform)
    asked = {"other_paths": [subject.own_path], **OUTAGE, **options}
    if platform == "AWS":
        eips = list(subject.cluster.aws.eips)  # type: ignore[union-attr]
        first = {**subject.addresses, "public": eips[:3]}
        asked["addresses"] = {**first, "public": eips[1:4]}
    else:
        first = {"public": [PUBLIC], "private": [REFUSING]}
        asked["addresses"] = {**first, **asked.get("addresses", {})}
    if before:
        assert not subject.run("api_slb", public=True, addresses=first).get("failed")
    return subject, asked


def killed_and_run_again(api: NewApi, way: str, number: int) -> None:
    subject, asked = prepared(api, way)
    was = subject.object("external")
    dead = killed_after(number, "api_slb", subject.cluster.kubeconfig, **subject.given(**asked))
    assert dead or number >= WRITES[way], f"{way} has fewer writes than {number}"
    proven = prove(subject, "api_slb", **asked)
    assert proven.again["verdict"] == "in_sync"
    assert subject.kept() == []
    roles = {"public off": ["internal", "machine_config_server"], "all gone": []}
    assert subject.there() == roles.get(way, ["external", "internal", "machine_config_server"])
    if way == "recreate" and was is not None:
        now = subject.live()
        assert now["spec"]["clusterIP"] == was["spec"]["clusterIP"]
        assert now["spec"]["ports"] == was["spec"]["ports"]


@pytest.mark.parametrize(("way", "number"), SAMPLE)
def test_killed_after_a_write(api: NewApi, way: str, number: int) -> None:
    killed_and_run_again(api, way, number)


@pytest.mark.long
@pytest.mark.parametrize(("way", "number"), ALL)
def test_killed_after_every_write(api: NewApi, way: str, number: int) -> None:
    killed_and_run_again(api, way, number)


def test_a_way_has_as_many_writes_as_is_said(api: NewApi) -> None:
    """Or the table above would leave some out; without the lock's own renewals."""
    for way, most in WRITES.items():
        subject, asked = prepared(api, way)
        subject.cluster.requests.reset()
        subject.run("api_slb", **asked)
        made = [request for request in subject.cluster.requests.writes() if "selfsubject" not in request.resource]
        firm = [
            request for request in made if (request.verb, request.resource.partition(".")[0]) != ("patch", "leases")
        ]
        assert len(firm) == most, (way, [(request.verb, request.resource) for request in made])
        subject.remove()
        subject.at_rest()


def test_what_was_deleted_comes_back_whatever_is_asked_for_next(api: NewApi) -> None:
    """Issue: a Service that is away is brought back with the same cluster IP and node ports, and that is said."""
    subject, asked = prepared(api, "recreate")
    was = subject.live()
    fault = subject.cluster.faults.add("error", verb="create", resource="services", status=503, retry_after=60)
    with running("api_slb", subject.cluster.kubeconfig, **subject.given(**asked)) as program:
        subject.wait_for(lambda: fault.hits, "the creation to be refused")
        program.kill_9()
    subject.cluster.faults.clear()
    assert "external" not in subject.there()
    result = prove(subject, "api_slb", public=True, addresses={}).applied
    assert "restored" in codes(result)
    assert subject.live()["spec"]["clusterIP"] == was["spec"]["clusterIP"]


def test_a_second_run_is_told_of_the_first(api: NewApi) -> None:
    """CORE-11"""
    subject = api()
    subject.cluster.cloud_faults.hold_ensure()
    with running("api_slb", subject.cluster.kubeconfig, **subject.given(public=True)) as program:
        subject.wait_for(lambda: len(subject.there()) == 3, "all Services to be made")
        changed = {"public": True, "addresses": {"public": [OTHER_PUBLIC]}}
        result = subject.run("api_slb", allow_disruption="brief", **changed)
        assert (result["failed"], result["error_code"]) == (True, "locked")
        assert "process" in result["msg"]
        program.kill_9()
    subject.cluster.cloud_faults.clear()
    prove(subject, "api_slb", allow_disruption="brief", **changed)


def test_a_lost_lock_ends_it(api: NewApi) -> None:
    """CORE-11: of a run that was stopped in the middle the next one finds the lock dead."""
    subject, asked = prepared(api, "public off")
    subject.cluster.cloud_faults.hold_delete("external-lb")
    with running("api_slb", subject.cluster.kubeconfig, **subject.given(**asked)) as program:
        subject.wait_for(lambda: "deletionTimestamp" in (subject.object("external") or {})["metadata"], "it to go")
        busy = subject.run("api_slb", check=True, **asked)
        assert finding(busy, "locked")["remedy"]
        program.kill_9()
    subject.cluster.cloud_faults.clear()
    prove(subject, "api_slb", **asked)
    assert subject.kept() == []
