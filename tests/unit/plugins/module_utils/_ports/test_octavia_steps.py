# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One request per step, guarded by what it was planned for; a lost answer neither doubles nor loses a write."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.steps import created
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Conflict
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.octavia_steps import OctaviaSteps
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import (
    CloudAnswer,
    Immutable,
    Unsupported,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_steps import Answers
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.clouds import (
    LOCKED,
    LOST,
    TableCloud,
    no_time,
)

MAKE = Step("octavia", "create", "load_balancer", "lb", body={"name": "lb", "description": "ours"})
POST = "POST /lbaas/loadbalancers"
RENAME = Step("octavia", "update", "pool", "p", body={"name": "new"}, uid="1", locks="lb-1", expect={"name": "old"})
SET = Step("octavia", "replace", "members", "p", body={"members": [{"address": "10.0.0.1"}]}, uid="1", locks="lb-1")


def steps(cloud: TableCloud, answers: Answers | None = None) -> OctaviaSteps:
    return OctaviaSteps(cloud, answers or Answers(), no_time())


def test_what_is_made_is_known_to_the_steps_after_it() -> None:
    cloud = TableCloud({POST: {"loadbalancer": {"id": "1"}}, "POST /lbaas/listeners": {"listener": {"id": "2"}}})
    port = steps(cloud)
    assert port.do(MAKE) == "1"
    made = created("load_balancer", "lb")
    below = Step("octavia", "create", "listener", "li", body={"loadbalancer_id": made}, locks=made)
    assert port.do(below) == "1"
    assert cloud.sent("POST /lbaas/listeners") == {"listener": {"loadbalancer_id": "1"}}


@pytest.mark.parametrize(
    ("known", "description", "found"), [((), "ours", True), (("1",), "ours", False), ((), "another", False)]
)
def test_a_lost_answer_is_looked_for_by_what_only_ours_has(known: Any, description: str, found: bool) -> None:
    """The same name alone may be an old one's, on its way out."""
    listed = [{"loadbalancers": []}, {"loadbalancers": [{"id": "1", "name": "lb", "description": description}]}]
    cloud = TableCloud({POST: [LOST, {"loadbalancer": {"id": "2"}}], "GET /lbaas/loadbalancers": listed})
    port = steps(cloud)
    port.known = known
    assert port.do(MAKE) == ("1" if found else "2")
    assert len(cloud.asked("POST")) == (1 if found else 2)


MARKS = [
    "Created by edgeworks.lb_estate cluster ns/c az az1",
    "Created by edgeworks.lb_estate cluster ns/c project p uid u az az1",
]
TWIN = {"id": "twin", "name": "lb", "description": MARKS[0], "provisioning_status": "PENDING_CREATE"}


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize(("looks", "posts"), [([[TWIN]], 0), ([[], [TWIN, {"id": "1"}]], 1)])
def test_a_twin_is_found_right_before_and_right_after(mark: str, looks: list[Any], posts: int) -> None:
    """A killed run's request lands when it likes; whether the uid was known to it does not matter."""
    table = {POST: {"loadbalancer": {"id": "1"}}, "GET /lbaas/loadbalancers": [{"loadbalancers": one} for one in looks]}
    cloud = TableCloud(table)
    step = Step("octavia", "create", "load_balancer", "lb", body={"name": "lb", "description": mark})
    with pytest.raises(Conflict, match="twin"):
        steps(cloud).do(step)
    assert len(cloud.asked("POST")) == posts


@pytest.mark.parametrize(
    ("change", "known"),
    [({}, ("twin",)), ({"provisioning_status": "PENDING_DELETE"}, ()), ({"description": MARKS[0] + "b"}, ())],
)
def test_what_was_known_goes_or_is_another_zones_is_no_twin(change: dict[str, str], known: tuple[str, ...]) -> None:
    cloud = TableCloud({POST: {"loadbalancer": {"id": "1"}}})
    cloud.table["GET /lbaas/loadbalancers"] = {"loadbalancers": [TWIN | change]}
    port = steps(cloud)
    port.known = known
    assert port.do(Step("octavia", "create", "load_balancer", "lb", body={"description": MARKS[0]})) == "1"


@pytest.mark.parametrize(
    ("resource", "path", "body", "shown"),
    [
        ("listener", "listeners", {"loadbalancer_id": "lb"}, {"loadbalancers": [{"id": "lb"}]}),
        ("pool", "pools", {"listener_id": "li"}, {"listeners": [{"id": "li"}]}),
        ("pool", "pools", {"loadbalancer_id": "lb"}, {"listeners": [], "loadbalancers": [{"id": "lb"}]}),
        ("health_monitor", "healthmonitors", {"pool_id": "p"}, {"pools": [{"id": "p"}]}),
    ],
)
def test_what_is_below_is_looked_for_below_its_parent(resource: str, path: str, body: Any, shown: Any) -> None:
    other = {"id": "other", "loadbalancers": [{"id": "x"}], "listeners": [{"id": "x"}], "pools": [{"id": "x"}]}
    cloud = TableCloud(
        {f"POST /lbaas/{path}": [LOST, LOST], f"GET /lbaas/{path}": {path: [other, {"id": "mine"} | shown]}}
    )
    answers = Answers()
    steps(cloud, answers).do(Step("octavia", "create", resource, "n", body=body, locks="lb"))
    assert answers.resolve(created(resource, "n")) == "mine"
    assert len(cloud.asked("POST")) == 1


def test_an_update_is_made_on_what_it_was_planned_for() -> None:
    cloud = TableCloud({"GET /lbaas/pools/1": {"pool": {"name": "old"}}, "PUT /lbaas/pools/1": {"pool": {}}})
    assert steps(cloud).do(RENAME) == "lb-1"
    assert cloud.sent("PUT /lbaas/pools/1") == {"pool": {"name": "new"}}


@pytest.mark.parametrize("table", [{"GET /lbaas/pools/1": {"pool": {"name": "another"}}}, {}])
def test_and_on_nothing_else(table: Any) -> None:
    cloud = TableCloud(table)
    with pytest.raises(Conflict):
        steps(cloud).do(RENAME)
    assert cloud.asked("PUT") == []


def test_without_an_expectation_nothing_is_read_and_what_is_gone_is_a_conflict() -> None:
    cloud = TableCloud({})
    with pytest.raises(Conflict, match="gone"):
        steps(cloud).do(Step("octavia", "update", "pool", "p", body={"name": "new"}, uid="1", locks="lb-1"))
    assert cloud.asked() == ["PUT /lbaas/pools/1"]


@pytest.mark.parametrize(("there", "changed"), [(["10.0.0.9"], False), (["10.0.0.2", "10.0.0.1"], True)])
def test_members_are_replaced_as_a_whole_where_they_are_as_planned(there: list[str], changed: bool) -> None:
    have = {"members": [{"address": one, "protocol_port": 6443} for one in there]}
    cloud = TableCloud({"GET /lbaas/pools/1/members": have, "PUT /lbaas/pools/1/members": CloudAnswer(202)})
    step = Step(**{**vars(SET), "expect": {"members": ["10.0.0.1:6443", "10.0.0.2:6443"]}})
    if changed:
        assert steps(cloud).do(step) == "lb-1"
    else:
        with pytest.raises(Conflict):
            steps(cloud).do(step)
    assert bool(cloud.asked("PUT")) is changed


def test_members_of_a_pool_that_was_just_made() -> None:
    cloud = TableCloud({"PUT /lbaas/pools/new/members": CloudAnswer(202)})
    answers = Answers()
    answers.keep(Step("octavia", "create", "pool", "p"), {"id": "new"})
    body = {"members": [], "pool_id": created("pool", "p")}
    steps(cloud, answers).do(Step("octavia", "replace", "members", "p", body=body, locks="lb-1"))
    assert cloud.sent("PUT /lbaas/pools/new/members") == {"members": []}


def test_a_load_balancer_goes_with_all_it_holds() -> None:
    expect = {"name": "lb", "vip_address": "10.0.0.1"}
    step = Step("octavia", "delete", "load_balancer", "lb", body={"cascade": True}, uid="1", locks="1", expect=expect)
    there = {"GET /lbaas/loadbalancers/1": {"loadbalancer": expect}, "DELETE /lbaas/loadbalancers/1": CloudAnswer(204)}
    cloud = TableCloud(there)
    assert steps(cloud).do(step) == "1"
    assert cloud.calls[-1].query == {"cascade": "true"}
    gone = TableCloud({})
    steps(gone).do(step)
    assert gone.asked("DELETE") == []
    other = TableCloud({"GET /lbaas/loadbalancers/1": {"loadbalancer": expect | {"vip_address": "10.0.0.9"}}})
    with pytest.raises(Conflict):
        steps(other).do(step)


def test_what_this_run_made_can_be_taken_back() -> None:
    cloud = TableCloud({POST: {"loadbalancer": {"id": "1"}}, "DELETE /lbaas/loadbalancers/1": CloudAnswer(204)})
    port = steps(cloud)
    port.do(MAKE)
    made = created("load_balancer", "lb")
    undo = Step("octavia", "delete", "load_balancer", "lb", body={"id": made, "cascade": True}, locks=made)
    assert port.do(undo) == "1"


def test_a_locked_load_balancer_is_the_callers_to_wait_for() -> None:
    with pytest.raises(Immutable):
        steps(TableCloud({"PUT /lbaas/pools/1/members": LOCKED})).do(SET)


@pytest.mark.parametrize(("locks", "locked"), [("lb-1", "lb-1"), (created("load_balancer", "lb"), "1"), (None, "")])
def test_what_a_step_locks(locks: Any, locked: str) -> None:
    answers = Answers()
    answers.keep(MAKE, {"id": "1"})
    assert steps(TableCloud({}), answers).locked(Step("octavia", "update", "pool", "p", locks=locks)) == locked


NO_BATCH = CloudAnswer(501, {"faultstring": "Provider 'f5' does not support a requested action: None"})


def test_what_a_provider_lacks_is_told_with_the_feature() -> None:
    words = "Provider 'f5' does not support a requested option: timeouts"
    refused = CloudAnswer(501, {"faultstring": words})
    body = {"timeout_client_data": 5, "allowed_cidrs": ["10.0.0.0/8"]}
    cloud = TableCloud({"POST /lbaas/listeners": refused, "PUT /lbaas/listeners/1": refused})
    for step in (
        Step("octavia", "create", "listener", "n", body=body),
        Step("octavia", "update", "listener", "n", body=body, uid="1"),
    ):
        with pytest.raises(Unsupported) as caught:
            steps(cloud).do(step)
        assert (caught.value.details["feature"], caught.value.details["provider"]) == ("timeouts", "f5")


def test_members_go_one_by_one_where_there_are_no_batches() -> None:
    have = [{"id": str(n), "address": f"10.0.0.{n}", "protocol_port": 6443, "name": "old"} for n in (1, 2)]
    wanted = [{"address": f"10.0.0.{n}", "protocol_port": 6443, "name": "new"} for n in (2, 3)]
    where = "/lbaas/pools/1/members"
    cloud = TableCloud({f"PUT {where}": NO_BATCH, f"GET {where}": {"members": have}})
    cloud.table |= {f"POST {where}": [LOCKED, {"member": {}}], f"PUT {where}/2": {}}
    cloud.table[f"DELETE {where}/1"] = CloudAnswer(204)
    steps(cloud).do(Step(**{**vars(SET), "body": {"members": wanted}}))
    assert [one for one in cloud.asked() if not one.startswith("GET")] == [
        f"PUT {where}",
        f"PUT {where}/2",
        f"POST {where}",
        f"POST {where}",
        f"DELETE {where}/1",
    ]
    assert cloud.sent(f"PUT {where}/2") == {"member": {"name": "new"}}


def test_a_member_whose_answer_got_lost_is_there() -> None:
    taken = CloudAnswer(409, {"faultstring": "Another member on this pool is already using ip 10.0.0.3"})
    where = "/lbaas/pools/1/members"
    cloud = TableCloud({f"PUT {where}": NO_BATCH, f"GET {where}": {"members": []}, f"POST {where}": taken})
    member = {"address": "10.0.0.3", "protocol_port": 6443, "subnet_id": "s"}
    steps(cloud).do(Step(**{**vars(SET), "body": {"members": [member]}}))
    assert len(cloud.asked("POST")) == 1


def test_a_subnet_that_is_required_is_no_batch_that_is_missing() -> None:
    words = "Provider 'ovn' does not support a requested option: Subnet is required"
    cloud = TableCloud({"PUT /lbaas/pools/1/members": CloudAnswer(501, {"faultstring": words})})
    with pytest.raises(Unsupported) as caught:
        steps(cloud).do(SET)
    assert caught.value.details["feature"] == "bare_members"


@pytest.mark.parametrize(
    "step", [Step("kube", "create", "pool", "p"), Step("octavia", "wait", "load_balancer", "lb", uid="1")]
)
def test_steps_of_others_are_a_mistake(step: Step) -> None:
    with pytest.raises(ValueError, match="not a step for this port"):
        steps(TableCloud({})).do(step)
