# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A write is done when its load balancer is; a lock is waited for, what is broken is told (CAPO-11, CORE-10)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.steps import created
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step, Wait
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Timeout, WaitFailed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import CloudAnswer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_steps import Answers
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.capo_writes import (
    CloudWrites,
    record_to_write,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.clouds import LOCKED, TableCloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._topics.clocks import Sleeper

RENAME = Step("octavia", "update", "pool", "p", body={"name": "new"}, uid="1", locks="lb-1")
PUT, LOOK, GONE = "PUT /lbaas/pools/1", "GET /lbaas/loadbalancers/lb-1", "DELETE /lbaas/loadbalancers/lb-1"
DELETE = Step("octavia", "delete", "load_balancer", "lb", body={"cascade": True}, uid="lb-1", locks="lb-1")
AWAIT = Step("octavia", "wait", "load_balancer", "lb", uid="lb-1", wait_for=Wait("settled"))
TAKEN, NOT_THERE = CloudAnswer(204), CloudAnswer(404)


def statuses(*names: str) -> list[Any]:
    return [NOT_THERE if one == "DELETED" else {"loadbalancer": {"provisioning_status": one}} for one in names]


def do(cloud: TableCloud, step: Step, wait: bool = True, timeout: float = 60) -> list[str]:
    """What was told on the way."""
    told: list[str] = []
    CloudWrites(cloud, Sleeper().options(timeout=timeout)).do(step, told.append, "capi/prod az1", wait)
    return told


def test_a_write_is_done_when_its_load_balancer_is_active_again() -> None:
    cloud = TableCloud({PUT: {"pool": {}}, LOOK: statuses("PENDING_UPDATE", "PENDING_UPDATE", "ACTIVE")})
    told = do(cloud, RENAME)
    assert cloud.asked() == [PUT, LOOK, LOOK, LOOK]
    assert told == ["capi/prod az1: waiting for load balancer lb-1 to be ACTIVE (0 s)"]


def test_a_new_one_is_waited_for_by_the_id_it_got() -> None:
    cloud = TableCloud({"POST /lbaas/loadbalancers": {"loadbalancer": {"id": "lb-1"}}, LOOK: statuses("ACTIVE")})
    do(cloud, Step("octavia", "create", "load_balancer", "lb", body={"name": "lb"}))
    assert cloud.asked()[-1] == LOOK


def test_what_nobody_waits_for_is_only_sent() -> None:
    cloud = TableCloud({PUT: {"pool": {}}})
    do(cloud, RENAME, wait=False)
    assert cloud.asked() == [PUT]


def test_another_writers_change_is_waited_for_and_it_is_sent_again() -> None:
    """409 while PENDING, also where the own write is not waited for."""
    cloud = TableCloud({PUT: [LOCKED, {"pool": {}}], LOOK: statuses("PENDING_UPDATE", "ACTIVE")})
    do(cloud, RENAME, wait=False)
    assert cloud.asked() == [PUT, LOOK, LOOK, PUT]


def test_one_that_is_locked_for_good_is_named_after_the_deadline() -> None:
    cloud = TableCloud({PUT: LOCKED, LOOK: statuses("PENDING_UPDATE")})
    with pytest.raises(Timeout, match="PENDING_UPDATE"):
        do(cloud, RENAME, timeout=9)


def test_one_that_is_locked_although_active_is_not_sent_to_for_ever() -> None:
    """A child in PENDING below an ACTIVE load balancer: each wait ends at once, and the deadline ends them all."""
    sleeper = Sleeper()

    def refuse(_call: object) -> CloudAnswer:
        sleeper.slept.append(4)
        return LOCKED

    writes = CloudWrites(TableCloud({PUT: refuse, LOOK: statuses("ACTIVE")}), sleeper.options(timeout=10))
    with pytest.raises(Timeout, match="immutable"):
        writes.do(RENAME, lambda _text: None, "capi/prod az1", True)


@pytest.mark.parametrize(("status", "cause"), [("ERROR", "load_balancer_error"), ("DELETED", "load_balancer_gone")])
def test_what_waiting_cannot_mend_ends_it(status: str, cause: str) -> None:
    cloud = TableCloud({PUT: {"pool": {}}, LOOK: statuses("PENDING_UPDATE", status)})
    with pytest.raises(WaitFailed) as caught:
        do(cloud, RENAME)
    assert caught.value.details["cause"] == cause


def test_a_deletion_is_done_when_it_is_gone() -> None:
    cloud = TableCloud({GONE: TAKEN, LOOK: statuses("PENDING_DELETE", "DELETED")})
    do(cloud, DELETE)
    assert cloud.asked() == [GONE, LOOK, LOOK]


def test_a_deletion_that_fails_is_made_once_more() -> None:
    cloud = TableCloud({GONE: TAKEN, LOOK: statuses("ERROR", "PENDING_DELETE", "DELETED")})
    do(cloud, DELETE)
    assert cloud.asked("DELETE") == [GONE, GONE]
    broken = TableCloud({GONE: TAKEN, LOOK: statuses("ERROR", "ERROR")})
    with pytest.raises(WaitFailed):
        do(broken, DELETE)


@pytest.mark.parametrize("status", ["ACTIVE", "ERROR", "DELETED"])
def test_a_wait_ends_with_whatever_comes_of_it(status: str) -> None:
    cloud = TableCloud({LOOK: statuses("PENDING_CREATE", status)})
    do(cloud, AWAIT)
    assert cloud.asked() == [LOOK, LOOK]


def test_a_floating_ip_is_a_request_and_nothing_to_wait_for() -> None:
    cloud = TableCloud({"POST /floatingips": {"floatingip": {"id": "1"}}})
    body = {"port_id": "p", "description": "d"}
    do(cloud, Step("neutron", "create", "floating_ip", "d", body=body))
    assert cloud.asked() == ["POST /floatingips"]


def test_a_lost_answer_is_not_looked_for_among_what_was_there_before() -> None:
    """The old one of the same name may be on its way out."""
    body = {"name": "lb", "description": "ours"}
    make, listed = "POST /lbaas/loadbalancers", {"loadbalancers": [{"id": "old", **body}]}
    answers = [CloudAnswer(503), {"loadbalancer": {"id": "lb-1"}}]
    cloud = TableCloud({make: answers, "GET /lbaas/loadbalancers": listed, LOOK: statuses("ACTIVE")})
    writes = CloudWrites(cloud, Sleeper().options())
    writes.known(["old"])
    writes.do(Step("octavia", "create", "load_balancer", "lb", body=body), lambda _text: None, "capi/prod az1", True)
    assert cloud.asked("POST") == [make, make]


def test_a_config_map_holds_texts_with_what_the_cloud_has_answered() -> None:
    answers = Answers()
    answers.keep(Step("octavia", "create", "load_balancer", "lb"), {"id": "1"})
    data = {
        "apiServerLoadBalancers": [{"name": "lb", "id": created("load_balancer", "lb")}],
        "apiServerLoadBalancer": None,
    }
    step = Step("kube", "create", "configmaps", "r", "capi", body={"metadata": {"labels": {}}, "data": data})
    written = record_to_write(step, answers)
    assert plain(written.body) == {
        "metadata": {"labels": {}},
        "data": {"apiServerLoadBalancers": '[{"id": "1", "name": "lb"}]', "apiServerLoadBalancer": "null"},
    }
    assert (written.verb, written.name, written.namespace) == ("create", "r", "capi")


def test_status_stays_as_it_is_and_a_deletion_has_no_body() -> None:
    status = {"status": {"apiServerLoadBalancers": [{"id": "1"}]}}
    resource = "openstackclusters.v1beta1.infrastructure.cluster.x-k8s.io/status"
    assert plain(record_to_write(Step("kube", "patch", resource, "c", body=status), Answers()).body) == status
    assert record_to_write(Step("kube", "delete", "configmaps", "r"), Answers()).body is None
