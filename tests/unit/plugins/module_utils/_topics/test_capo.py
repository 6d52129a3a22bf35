# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What capo_multiaz_lb reads, decides and does, on a cluster and a cloud that are given to it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import yaml
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import CapoObserved
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Finding,
    Severity,
    Step,
    Wait,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import run
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import name_service
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Conflict, Forbidden, Invalid
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.lease import TargetLock
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_lock import CloudLock
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import (
    CloudAnswer,
    Unsupported,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Gate
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.capo import CapoTopic, Seen
from ansible_collections.edgeworks.lb_estate.plugins.modules import capo_multiaz_lb
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo import estate
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import built
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._readers.management import (
    management_cluster,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._topics.capo_topics import (
    ACTIVE,
    LBS,
    LOOK,
    NAME,
    REFUSED,
    RENAME,
    carry_out,
    cloud,
    decided,
    options,
    quiet,
    topic,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._topics.clocks import Sleeper

# --- read and decide


def test_what_the_cluster_says_and_the_task_asks_for() -> None:
    seen = topic(management_cluster(), cloud()).read()
    assert seen.observed.cluster is not None
    assert (seen.observed.cluster.name, [one.name for one in seen.observed.machines]) == ("prod-os", ["cp-0"])
    assert (seen.desired.endpoint_host, seen.desired.allowed_cidrs) == ("api.prod.example.com", ("10.0.0.0/8",))
    assert (seen.desired.zone_names, [one.id for one in seen.observed.subnets]) == (("az1",), ["s1"])


def test_machines_of_the_task_are_not_asked_for() -> None:
    kube = management_cluster()
    seen = topic(kube, cloud(), machines=[{"name": "given"}]).read()
    assert [one.name for one in seen.observed.machines] == ["given"]
    assert not [one for one in kube.asked if "machines" in one]


@pytest.mark.parametrize(("managed", "known"), [(None, False), (True, True), (False, True)])
def test_without_a_management_cluster_the_task_says_it_all(managed: bool | None, known: bool) -> None:
    given = {"managed_load_balancer": managed, "endpoint_host": "api.example.com", "machines": []}
    observed = topic(None, cloud(), **given).read().observed
    assert (observed.cluster is not None, observed.record.kind) == (known, "none")
    assert observed.cluster is None or observed.cluster.managed_lb_enabled is managed


def test_upkeep_reads_less_and_decides_on_members_alone() -> None:
    kube, at = management_cluster(), cloud()
    one = topic(kube, at, members_only=True)
    decision = one.decide(one.read())
    assert [finding.code for finding in decision.findings] == ["zone_without_load_balancer"]
    assert "GET /lbaas/quotas/project" not in at.asked()
    assert f"list openstackclusters.v1beta1.infrastructure.{'cluster.x-k8s.io'}" not in kube.asked


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({}, False),
        ({"traffic_moved": True}, True),
        ({"resolve_endpoint": True}, True),
        ({"traffic_moved": True, "resolve_endpoint": False}, False),
    ],
)
def test_the_endpoints_name_is_looked_up_before_anything_it_may_lead_to_goes(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, bool], asked: bool
) -> None:
    patience: list[float] = []

    def answer(_host: str, within: float) -> tuple[str, ...]:
        patience.append(within)
        return ("203.0.113.1",)

    monkeypatch.setattr(name_service, "addresses", answer)
    seen = topic(management_cluster(), cloud(), **given).read()
    assert all(within <= 10 for within in patience)
    assert seen.observed.endpoint_addresses == (("203.0.113.1",) if asked else None)


def test_a_name_server_is_waited_for_no_longer_than_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    patience: list[float] = []
    monkeypatch.setattr(name_service, "addresses", lambda _host, within: patience.append(within))
    asked = options(resolve_endpoint=True)
    waiting = Sleeper().options(timeout=3)
    CapoTopic(management_cluster(), cloud(), asked, waiting, str).read()  # type: ignore[arg-type]
    assert patience == [3]


@pytest.mark.parametrize("asked", [True, False])
def test_a_run_that_waits_goes_on_until_nothing_is_left(asked: bool) -> None:
    assert topic(None, cloud(), asked).settles is asked


def test_the_lock_is_a_lease_or_a_marker_in_the_cloud() -> None:
    kube, at = management_cluster(), cloud()
    assert isinstance(topic(kube, at).lock(), TargetLock)
    assert "GET /ports" not in at.asked()
    bare = topic(None, at, endpoint_host="api.example.com", machines=[])
    lock = bare.lock()
    assert isinstance(lock, CloudLock)
    lock.acquire()  # nothing was read yet, so nothing is to be written
    assert at.asked("POST") == []
    seen = bare.read()
    bare.begin(decided(RENAME), seen)
    at.table["POST /ports"] = {"port": {"id": "marker"}}
    bare.lock().acquire()
    assert at.sent("POST /ports")["port"]["network_id"] == "net"
    bare.lock().release()


def test_a_lock_that_a_killed_run_left_is_taken_away() -> None:
    long_ago = "2020-01-01T00:00:00Z"
    left = {"id": "left", "description": "x", "device_id": "", "created_at": long_ago, "updated_at": long_ago}
    at = cloud(**{"GET /ports": {"ports": [left]}, "DELETE /ports/left": CloudAnswer(204)})
    bare = topic(None, at, endpoint_host="api.example.com", machines=[], members_only=True)
    carry_out(bare)
    assert at.asked("DELETE") == ["DELETE /ports/left"]


# --- carry out


def test_a_zone_is_built_written_down_and_told() -> None:
    kube, at = management_cluster(), cloud()
    decision = carry_out(topic(kube, at))
    assert [(step.verb, step.resource) for step in decision.steps] == [
        ("create", "load_balancer"),
        ("create", "floating_ip"),
        ("create", "configmaps"),
    ]
    assert at.asked()[-6:] == [f"GET {LBS}", "GET /ports", f"POST {LBS}", f"GET {LBS}", LOOK, "POST /floatingips"]
    assert at.sent("POST /floatingips")["floatingip"]["port_id"] == "port-1"
    record = next(step for step in kube.written if step.resource == "configmaps")
    (entry,) = json.loads(record.body["data"]["apiServerLoadBalancers"])
    assert (entry["name"], entry["id"], entry["ip"], entry["internalIP"]) == (NAME, "lb-1", "203.0.113.1", "10.0.0.5")
    assert record.body["metadata"]["ownerReferences"][0]["name"] == "prod-os"
    assert [one["reason"] for one in kube.objects["events"]] == [
        "SuccessfulCreateLoadBalancer",
        "SuccessfulCreateFloatingIP",
    ]


def test_a_right_that_is_missing_for_the_record_is_known_before_the_first_write() -> None:
    """Safe CAPO 8: else the load balancers would stand and nobody would have written down whose they are."""
    kube, at = management_cluster(forbidden=("create configmaps",)), cloud()
    with pytest.raises(Forbidden, match="create configmaps in namespace capi"):
        carry_out(topic(kube, at))
    assert not [one for one in at.asked() if not one.startswith("GET")]


@pytest.mark.parametrize("asked", [True, False])
def test_without_wait_the_last_write_of_a_lane_is_not_waited_for(asked: bool) -> None:
    at = cloud()
    one = topic(None, at, asked, endpoint_host="api.example.com", machines=[])
    first, last = RENAME, Step(**{**vars(RENAME), "body": {"name": "newer"}})
    seen = one.read()
    one.begin(decided(first, last), seen)
    at.calls.clear()
    for step in (first, last):
        one.do(step, seen, quiet)
    put = "PUT /lbaas/pools/1"
    assert at.asked() == ([put, LOOK, put, LOOK] if asked else [put, LOOK, put])


@pytest.mark.parametrize("asked", [True, False])
def test_and_nobody_waits_for_what_others_do(asked: bool) -> None:
    at = cloud()
    one = topic(None, at, asked, endpoint_host="api.example.com", machines=[])
    wait = Step("octavia", "wait", "load_balancer", "lb", uid="lb-1", wait_for=Wait("settled"), lane="az1")
    seen = one.read()
    one.begin(decided(wait), seen)
    one.do(wait, seen, quiet)
    assert (LOOK in at.asked()) is asked


def test_what_the_provider_cannot_do_is_learnt_within_the_run() -> None:
    at = cloud(**{f"POST {LBS}": REFUSED})
    one = topic(management_cluster(), at, provider="f5")
    at.table["GET /lbaas/providers"] = {"providers": [{"name": "f5"}]}
    with pytest.raises(Conflict, match="allowed_cidrs"):
        carry_out(one)
    seen = one.read()
    assert ("f5", "allowed_cidrs") in seen.observed.cloud.lacking
    listener = one.decide(seen).steps[0].body["listeners"][0]
    assert "allowed_cidrs" not in listener


def test_two_lanes_that_learn_the_same_at_once_do_not_fail_the_run() -> None:
    one = topic(management_cluster(), cloud(**{f"POST {LBS}": REFUSED}))
    seen = one.read()
    decision = one.decide(seen)
    one.begin(decision, seen)
    for _lane in range(2):
        with pytest.raises(Conflict, match="allowed_cidrs"):
            one.do(decision.steps[0], seen, quiet)


def test_a_refusal_names_the_default_provider() -> None:
    words = "Provider 'ovn' does not support a requested option: OVN provider does not support ROUND_ROBIN algorithm"
    one = topic(management_cluster(), cloud(**{f"POST {LBS}": CloudAnswer(501, {"faultstring": words})}))
    with pytest.raises(Conflict):
        carry_out(one)
    body = one.decide(one.read()).steps[0].body
    (listener,) = body["listeners"]
    assert listener["default_pool"]["lb_algorithm"] == "SOURCE_IP_PORT"
    assert "allowed_cidrs" not in listener  # as OVN's are known to be
    assert "provider" not in body


def test_what_was_learnt_and_is_refused_again_is_a_failure() -> None:
    one = topic(management_cluster(), cloud(**{f"POST {LBS}": REFUSED}))
    for error in (Conflict, Unsupported):
        with pytest.raises(error):
            carry_out(one)


@pytest.mark.parametrize(
    ("answer", "error", "events"),
    [
        (CloudAnswer(400, {"faultstring": "Invalid subnet"}), Invalid, ["FailedCreateLoadBalancer"]),
        (CloudAnswer(409, {"faultstring": "this name is taken"}), Invalid, ["FailedCreateLoadBalancer"]),
    ],
)
def test_a_failure_is_told_at_once(answer: CloudAnswer, error: type[Exception], events: list[str]) -> None:
    kube, at = management_cluster(), cloud(**{f"POST {LBS}": answer})
    with pytest.raises(error):
        carry_out(topic(kube, at))
    assert [one["reason"] for one in kube.objects.get("events", [])] == events
    assert at.asked("POST") == [f"POST {LBS}"]


def test_what_is_there_already_is_looked_for_once_and_then_named() -> None:
    """Made by another run, it is found by reading anew; what is still in the way then does not go by itself."""
    kube, at = management_cluster(), cloud()
    at.table["POST /floatingips"] = CloudAnswer(409, {"NeutronError": {"type": "Taken", "message": "has one"}})
    one = topic(kube, at)
    with pytest.raises(Conflict, match="has one"):
        carry_out(one)
    assert "FailedCreateFloatingIP" not in [event["reason"] for event in kube.objects["events"]]
    with pytest.raises(Invalid, match="has one"):
        carry_out(one)
    assert "FailedCreateFloatingIP" in [event["reason"] for event in kube.objects["events"]]


# --- look again

CREW = estate.machines("az1")
OLD = estate.legacy(on=CREW, vip_subnet_id="s3", vip_address="192.168.3.10")


def every(observed: CapoObserved, **change: Any) -> CapoObserved:
    return replace(observed, load_balancers=tuple(replace(lb, **change) for lb in observed.load_balancers))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda seen: seen, ""),
        (lambda seen: every(seen, provisioning_status="PENDING_UPDATE"), ""),  # another lane of this run is at work
        (lambda seen: every(seen, pools=()), "no load balancer that stays has an ONLINE member"),
        (lambda seen: replace(seen, endpoint_addresses=(OLD.vip_address,)), "does not lead to"),
        (lambda seen: replace(seen, endpoint_addresses=()), "leads nowhere"),
        (lambda seen: replace(seen, cluster=estate.cluster(managed_lb_enabled=True)), "CAPO controller runs"),
        (lambda seen: replace(seen, load_balancers=seen.load_balancers[1:]), "as wanted"),
    ],
    ids=["same", "busy", "sick", "dns", "nowhere", "owner", "gone"],
)
def test_what_goes_is_proven_by_what_is_read_right_before(change: Any, reason: str) -> None:
    wish = estate.want("az1", legacy="retire", floating_ips=False, traffic_moved=True, traffic_moved_because="")
    world = built(replace(wish, traffic_moved=False), load_balancers=(OLD,), machines=CREW).observed
    world = replace(world, endpoint_addresses=(world.load_balancers[-1].vip_address,))
    one = topic(management_cluster(), cloud())
    decision = one.decide(Seen(wish, world))
    (step,) = [step for step in decision.steps if step.verb == "delete"]
    one.read = lambda _knowing=None: Seen(wish, change(world))  # type: ignore[method-assign]
    if not reason:
        assert one.recheck(step, decision, Seen(wish, world)) == step
        return
    with pytest.raises(Conflict, match=reason):
        one.recheck(step, decision, Seen(wish, world))


# --- tell


def test_a_refusal_is_told_on_the_object() -> None:
    kube = management_cluster()
    one = topic(kube, cloud())
    one.read()
    one.refused(decided(findings=(Finding("name_taken", Severity.ERROR, "lb", "it is another's."),)))
    assert [event["reason"] for event in kube.objects["events"]] == ["LoadBalancersBlocked"]


@pytest.mark.parametrize("writes", [True, False])
def test_what_the_cloud_lacks_is_told_with_a_change(writes: bool) -> None:
    kube = management_cluster()
    one = topic(kube, cloud())
    seen = one.read()
    lacks = decided(RENAME, findings=(Finding("monitor_unsupported", Severity.WARNING, "lb", "it has none."),))
    if writes:
        one.begin(lacks, seen)
        one.do(RENAME, seen, quiet)
    one.report(lacks)
    reasons = [event["reason"] for event in kube.objects.get("events", [])]
    assert ("SkippedCreateMonitor" in reasons) is writes


def test_time_is_told_by_lane() -> None:
    one = topic(
        management_cluster(), cloud(**{LOOK: [{"loadbalancer": {"provisioning_status": "PENDING_CREATE"}}, ACTIVE]})
    )
    decision = carry_out(one)
    timings = one.report(decision)["timings"]
    assert set(timings["spent"]) == {"observe", "az1", "record"}
    assert timings["total"] == timings["spent"]["az1"] > 0


def test_a_result_has_what_the_module_documents() -> None:
    result = run(topic(management_cluster(), cloud()), Gate(check_mode=True), quiet)
    documented = set(yaml.safe_load(capo_multiaz_lb.RETURN)) - {"error_code"}
    every_results = {"changed", "diff", "pending", "profile", "revert_patch", "revert_disruption", "commands"}
    assert set(result) - every_results == documented
    assert (result["changed"], result["verdict"]) == (True, "update_in_place")
    assert result["dns_records"]["host"] == "api.prod.example.com"


def test_a_check_makes_no_write() -> None:
    kube, at = management_cluster(), cloud()
    run(topic(kube, at), Gate(check_mode=True), quiet)
    assert {call.method for call in at.calls} == {"GET"}
    assert kube.written == []
