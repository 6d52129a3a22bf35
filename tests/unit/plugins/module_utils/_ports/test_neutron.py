# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Neutron: what a reference may mean, and floating IPs that are made, moved and given back."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    FloatingIp,
    Network,
    Quota,
    Ref,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.steps import created
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Conflict
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.neutron import Neutron
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import CloudCall
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import CloudAnswer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_steps import Answers
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.clouds import (
    LOST,
    TableCloud,
    no_time,
)

MARK = "Created by edgeworks.lb_estate cluster ns/c az az1"
MAKE = Step("neutron", "create", "floating_ip", MARK, body={"port_id": "port", "description": MARK})
PUT = Step(
    "neutron", "update", "floating_ip", "203.0.113.1", body={"port_id": "port"}, uid="1", expect={"port_id": None}
)
GONE = Step("neutron", "delete", "floating_ip", "203.0.113.1", uid="1", expect={"port_id": None, "description": MARK})


def neutron(cloud: TableCloud, answers: Answers | None = None) -> Neutron:
    return Neutron(cloud, answers or Answers(), no_time())


@pytest.mark.parametrize(
    ("ref", "query"),
    [
        (Ref("id"), {"id": "id"}),
        (Ref(filter={"name": "net", "projectID": "p"}), {"name": "net", "project_id": "p"}),
        (Ref(filter={"ipVersion": 4, "cidr": "10.0.0.0/8"}), {"ip_version": "4", "cidr": "10.0.0.0/8"}),
        (Ref(filter={"tags": ["a", "b"], "notTagsAny": ["c"]}), {"tags": "a,b", "not-tags-any": "c"}),
        (Ref(filter={"made-up": "x"}), {}),
    ],
)
def test_neutron_is_asked_as_much_as_it_can_answer(ref: Ref, query: dict[str, str]) -> None:
    found = {"networks": [{"id": "n", "name": None, "project_id": "project", "tags": ["a"], "mtu": 1500}]}
    cloud = TableCloud({"GET /networks": found})
    assert neutron(cloud).networks(ref) == (Network("n", "", {"project_id": "project", "tags": ["a"]}),)
    assert cloud.calls[0].query == query


@pytest.mark.parametrize("ref", [None, Ref()])
def test_nothing_named_is_nothing_asked(ref: Ref | None) -> None:
    cloud = TableCloud({})
    assert neutron(cloud).networks(ref) == ()
    assert cloud.calls == []


def subnets(call: CloudCall) -> dict[str, Any]:
    """Two of the network, one elsewhere that is found by its id or its name."""
    here = [
        {"id": one, "network_id": "net", "cidr": f"10.0.{one[-1]}.0/24", "name": f"n-{one}"} for one in ("s1", "s2")
    ]
    elsewhere = [{"id": "s9", "network_id": "other", "cidr": "10.9.0.0/24", "name": "far"}]
    return {"subnets": here if "network_id" in call.query else elsewhere}


@pytest.mark.parametrize(
    ("refs", "found", "requests"),
    [
        ([Ref("s1"), Ref(filter={"name": "n-s2"})], {"s1", "s2"}, 1),
        ([Ref("s1"), Ref("s9")], {"s1", "s2", "s9"}, 2),
        ([Ref("s9"), Ref(filter={"name": "far"})], {"s1", "s2", "s9"}, 3),
    ],
)
def test_subnets_elsewhere_are_asked_for_only_where_they_are_missing(
    refs: list[Ref], found: set[str], requests: int
) -> None:
    cloud = TableCloud({"GET /subnets": subnets})
    assert {one.id for one in neutron(cloud).subnets(refs, [Network("net")])} == found
    assert len(cloud.calls) == requests


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        (Ref(filter={"name": "net"}), ["mine", "shared", "external"]),
        (Ref("theirs"), ["mine", "theirs", "shared", "external"]),
        (Ref(filter={"name": "net", "projectID": "other"}), ["mine", "theirs", "shared", "external"]),
    ],
)
def test_a_name_is_not_another_projects_though_an_administrator_sees_it(ref: Ref, found: list[str]) -> None:
    listed = [
        {"id": "mine"},
        {"id": "theirs", "project_id": "other"},
        {"id": "shared", "project_id": "other", "shared": True},
        {"id": "external", "project_id": "other", "router:external": True},
    ]
    cloud = TableCloud({"GET /networks": {"networks": listed}})
    assert [one.id for one in neutron(cloud).networks(ref)] == found


def test_floating_ips_of_this_project_only() -> None:
    mine = {"id": "1", "floating_ip_address": "203.0.113.1", "port_id": None, "description": None}
    listed = [mine, {**mine, "id": "2", "project_id": "other"}]
    cloud = TableCloud({"GET /floatingips": {"floatingips": listed}})
    assert neutron(cloud).floating_ips() == (FloatingIp("1", "203.0.113.1"),)
    assert cloud.calls[0].query["project_id"] == "project"


def test_which_addresses_are_in_use_and_by_which_port() -> None:
    ports = [{"id": "p", "fixed_ips": [{"subnet_id": "s", "ip_address": "10.0.0.9"}]}]
    cloud = TableCloud({"GET /ports": {"ports": ports}})
    assert neutron(cloud).ports_at([Network("net")], ["10.0.0.9", "10.0.0.10"]) == {"10.0.0.9": "p"}
    asked = cloud.calls[0].query
    assert (asked["network_id"], asked["fixed_ips"]) == (["net"], ["ip_address=10.0.0.9", "ip_address=10.0.0.10"])


def test_the_quota_counts_what_is_reserved() -> None:
    quota = {"quota": {name: {"limit": 5, "used": 2, "reserved": 1} for name in ("floatingip", "port")}}
    assert neutron(TableCloud({"GET /quotas/project/details.json": quota})).quotas() == {
        "floating_ip": Quota(5, 3),
        "port": Quota(5, 3),
    }
    assert neutron(TableCloud({})).quotas() == {}


def test_made_and_known_to_the_steps_after() -> None:
    cloud = TableCloud({"POST /floatingips": {"floatingip": {"id": "1", "floating_ip_address": "203.0.113.1"}}})
    answers = Answers()
    neutron(cloud, answers).do(MAKE)
    assert answers.resolve(created("floating_ip", MARK, "floating_ip_address")) == "203.0.113.1"


@pytest.mark.parametrize(("description", "posts"), [(MARK, 1), ("somebody's", 2)])
def test_a_lost_answer_is_looked_for_on_the_port(description: str, posts: int) -> None:
    listed = {"floatingips": [{"id": "1", "description": description}]}
    made = {"floatingip": {"id": "2"}}
    cloud = TableCloud({"POST /floatingips": [LOST, made], "GET /floatingips": listed})
    neutron(cloud).do(MAKE)
    assert len(cloud.asked("POST")) == posts


def test_a_lock_that_is_gone_already_is_fine() -> None:
    cloud = TableCloud({})
    neutron(cloud).do(Step("neutron", "delete", "lock", "ns-c", uid="7"))
    assert cloud.asked() == ["DELETE /ports/7"]


@pytest.mark.parametrize(("port", "done"), [(None, True), ("elsewhere", False)])
def test_an_address_in_use_elsewhere_is_not_pulled_away(port: str | None, done: bool) -> None:
    cloud = TableCloud(
        {"GET /floatingips/1": {"floatingip": {"port_id": port}}, "PUT /floatingips/1": {"floatingip": {}}}
    )
    if done:
        neutron(cloud).do(PUT)
        assert cloud.sent("PUT /floatingips/1") == {"floatingip": {"port_id": "port"}}
    else:
        with pytest.raises(Conflict, match="port_id"):
            neutron(cloud).do(PUT)
        assert cloud.asked("PUT") == []


@pytest.mark.parametrize("table", [{}, {"GET /floatingips/1": {"floatingip": {"port_id": None}}}])
def test_one_that_is_gone_is_a_conflict(table: dict[str, Any]) -> None:
    with pytest.raises(Conflict, match="gone"):
        neutron(TableCloud(table)).do(PUT)


def test_given_back_where_it_is_still_ours_and_free() -> None:
    there = {"GET /floatingips/1": {"floatingip": {"port_id": None, "description": MARK}}}
    cloud = TableCloud(there | {"DELETE /floatingips/1": CloudAnswer(204)})
    neutron(cloud).do(GONE)
    assert cloud.asked("DELETE") == ["DELETE /floatingips/1"]
    reused = TableCloud({"GET /floatingips/1": {"floatingip": {"port_id": "vm", "description": MARK}}})
    with pytest.raises(Conflict):
        neutron(reused).do(GONE)
    neutron(TableCloud({})).do(GONE)  # gone already


def test_what_this_run_made_can_be_taken_back() -> None:
    answers = Answers()
    answers.keep(MAKE, {"id": "7"})
    cloud = TableCloud({"GET /floatingips/7": {"floatingip": {}}, "DELETE /floatingips/7": CloudAnswer(204)})
    undo = Step("neutron", "delete", "floating_ip", MARK, body={"id": created("floating_ip", MARK)})
    neutron(cloud, answers).do(undo)
    assert cloud.asked("DELETE") == ["DELETE /floatingips/7"]


@pytest.mark.parametrize(
    "step",
    [Step("octavia", "create", "pool", "p"), Step("neutron", "create", "network", "n")],
    ids=["port", "resource"],
)
def test_steps_of_others_are_a_mistake(step: Step) -> None:
    with pytest.raises(ValueError, match="not a step for this port"):
        neutron(TableCloud({})).do(step)


@pytest.mark.parametrize(("roles", "may"), [(("member",), False), (("member", "admin"), True), (None, True)])
def test_only_administrators_choose_addresses(
    roles: tuple[str, ...] | None, may: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TableCloud, "roles", roles)
    assert Neutron(TableCloud({}), Answers()).chooses_addresses() is may
