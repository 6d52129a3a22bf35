# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenStack lab is what the CAPO tests rest on: the real services' answers, and faults when asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import openstack
import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.openstack import Network, OpenStackLab, Project
from openstack import exceptions

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
MEMBERS = [11, 12, 13]


@dataclass(frozen=True)
class Site:
    """A project with a network, and the ordinary user's connection."""

    lab: OpenStackLab
    project: Project
    network: Network
    cloud: Any

    @property
    def balancers(self) -> Any:
        return self.cloud.load_balancer

    def build(self, zone: str = "az1", **more: Any) -> Any:
        """Accepted, not yet built."""
        subnet = self.network.subnets[zone].id
        return self.balancers.create_load_balancer(
            **({"name": f"api-{zone}", "vip_subnet_id": subnet, "availability_zone": zone} | more)
        )

    def built(self, zone: str = "az1", **more: Any) -> Any:
        return self.settled(self.build(zone, **more).id)

    def settled(self, identifier: str, wanted: str = "ACTIVE") -> Any:
        balancer = until(
            lambda: self.balancers.get_load_balancer(identifier),
            lambda found: "PENDING" not in found.provisioning_status,
        )
        assert balancer.provisioning_status == wanted
        return balancer

    def removed(self, identifier: str) -> None:
        self.balancers.delete_load_balancer(identifier, cascade=True)
        until(lambda: self.balancers.find_load_balancer(identifier), lambda found: found is None)


def until(look: Callable[[], Any], good: Callable[[Any], bool], wait: float = 180) -> Any:
    deadline = time.monotonic() + wait
    while not good(found := look()):
        assert time.monotonic() < deadline, f"still {found} after {wait} s"
        time.sleep(0.1)
    return found


def new_site(lab: OpenStackLab, name: str, azs: int = 1) -> Site:
    project = lab.project(name)
    return Site(lab, project, lab.network(project, azs=azs), openstack.connect(cloud=project.cloud))


@pytest.fixture(scope="module")
def site(openstack_lab: OpenStackLab) -> Site:
    """One network for the tests that clear up after themselves."""
    return new_site(openstack_lab, "shared", azs=2)


@pytest.fixture(scope="module")
def balancer(site: Site) -> Iterator[Any]:
    """A load balancer for the tests that leave it ACTIVE and without children."""
    made = site.built(name="standing")
    yield made
    site.removed(made.id)


def test_an_ordinary_user_builds_the_whole_tree_and_nothing_leaks(openstack_lab: OpenStackLab) -> None:
    site = new_site(openstack_lab, "tree")
    subnet = site.network.subnets["az1"]
    members = [{"address": subnet.address(host), "protocol_port": 6443, "subnet_id": subnet.id} for host in MEMBERS]
    monitor = {"type": "TCP", "delay": 5, "timeout": 3, "max_retries": 3}
    pool = {"name": "p", "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", "members": members, "healthmonitor": monitor}
    listener = {"name": "l", "protocol": "TCP", "protocol_port": 6443, "default_pool": pool}
    made = site.built(listeners=[listener])
    assert made.availability_zone == "az1"
    address = site.cloud.network.create_ip(
        floating_network_id=site.network.external_network_id, port_id=made.vip_port_id
    )
    assert address.fixed_ip_address == made.vip_address

    counts = {kind: len(found) for kind, found in openstack_lab.inventory(site.project).items()}
    assert counts == {
        "load_balancers": 1, "listeners": 1, "pools": 1, "health_monitors": 1, "members": 3,
        "floating_ips": 1, "ports": 2,
    }  # fmt: skip

    site.removed(made.id)
    assert site.cloud.network.get_ip(address.id).port_id is None
    site.cloud.network.delete_ip(address.id)
    assert openstack_lab.inventory(site.project) == {kind: [] for kind in counts}


def test_children_one_by_one_and_members_in_a_batch(site: Site, balancer: Any) -> None:
    listener = site.balancers.create_listener(
        name="l", load_balancer_id=balancer.id, protocol="TCP", protocol_port=6443
    )
    site.settled(balancer.id)
    pool = site.balancers.create_pool(name="p", listener_id=listener.id, protocol="TCP", lb_algorithm="ROUND_ROBIN")
    site.settled(balancer.id)
    site.balancers.create_health_monitor(pool_id=pool.id, type="TCP", delay=5, timeout=3, max_retries=3)
    site.settled(balancer.id)
    subnet = site.network.subnets["az1"]
    for hosts in (MEMBERS, MEMBERS[:1]):
        batch = [{"address": subnet.address(host), "protocol_port": 6443, "subnet_id": subnet.id} for host in hosts]
        assert site.balancers.put(f"/lbaas/pools/{pool.id}/members", json={"members": batch}).status_code == 202
        site.settled(balancer.id)
        assert {member.address for member in site.balancers.members(pool.id)} == {
            subnet.address(host) for host in hosts
        }
    site.balancers.delete_pool(pool.id)
    site.settled(balancer.id)
    site.balancers.delete_listener(listener.id)
    site.settled(balancer.id)


def test_409_in_both_wordings_while_the_build_lasts(site: Site) -> None:
    with site.lab.faults.delayed("build", 2):
        pending = site.build(name="slow")
        with pytest.raises(exceptions.ConflictException, match="Invalid state PENDING_CREATE of loadbalancer"):
            site.balancers.update_load_balancer(pending.id, description="too early")
        with pytest.raises(exceptions.ConflictException, match="is immutable and cannot be updated"):
            site.balancers.create_listener(load_balancer_id=pending.id, protocol="TCP", protocol_port=6443)
        site.settled(pending.id)
    site.removed(pending.id)


def test_a_failing_build_hits_the_named_zone_only_and_a_failing_delete_works_the_second_time(site: Site) -> None:
    with site.lab.faults.failing("build", zone="az2"):
        good, bad = site.build("az1"), site.build("az2")
        site.settled(good.id)
        site.settled(bad.id, "ERROR")
    site.removed(bad.id)
    with site.lab.faults.failing("delete"):
        site.balancers.delete_load_balancer(good.id)
        site.settled(good.id, "ERROR")
    site.removed(good.id)


def test_a_failing_update_leaves_a_listener_in_error_below_an_active_balancer(site: Site, balancer: Any) -> None:
    with site.lab.faults.failing("update"):
        listener = site.balancers.create_listener(load_balancer_id=balancer.id, protocol="TCP", protocol_port=6443)
        site.settled(balancer.id)
        assert site.balancers.get_listener(listener.id).provisioning_status == "ERROR"
    site.balancers.delete_listener(listener.id)
    site.settled(balancer.id)


def test_nothing_is_done_while_the_worker_is_down_and_everything_afterwards(site: Site, balancer: Any) -> None:
    with site.lab.faults.worker_down():
        listener = site.balancers.create_listener(load_balancer_id=balancer.id, protocol="TCP", protocol_port=6443)
        with pytest.raises(exceptions.ConflictException, match="Invalid state PENDING_UPDATE"):
            site.balancers.delete_load_balancer(balancer.id, cascade=True)
        assert site.balancers.get_listener(listener.id).provisioning_status == "PENDING_CREATE"
    site.settled(balancer.id)
    assert site.balancers.get_listener(listener.id).provisioning_status == "ACTIVE"
    site.balancers.delete_listener(listener.id)
    site.settled(balancer.id)


def test_stuck_in_pending_until_the_database_is_set_right(site: Site, balancer: Any) -> None:
    refused = pytest.raises(exceptions.ConflictException, match="Invalid state PENDING_UPDATE")
    with site.lab.faults.stuck(balancer.id), refused:
        site.balancers.update_load_balancer(balancer.id, description="too late")
    site.balancers.update_load_balancer(balancer.id, description="")
    site.settled(balancer.id)


def test_quotas_of_octavia_and_neutron(site: Site, balancer: Any) -> None:
    with site.lab.faults.quota(site.project.id, load_balancer=1, floatingip=0):
        with pytest.raises(exceptions.ForbiddenException, match="Quota has been met for resources: Load Balancer"):
            site.build(name="one-too-many")
        with pytest.raises(exceptions.ConflictException, match="Quota exceeded"):
            site.cloud.network.create_ip(floating_network_id=site.network.external_network_id)


def test_cidrs_are_read_back_as_networks_and_none_as_null(site: Site, balancer: Any) -> None:
    listener = site.balancers.create_listener(
        load_balancer_id=balancer.id, protocol="TCP", protocol_port=6443, allowed_cidrs=["10.0.0.5/8"]
    )
    site.settled(balancer.id)
    assert site.balancers.get_listener(listener.id).allowed_cidrs == ["10.0.0.0/8"]
    site.balancers.update_listener(listener.id, allowed_cidrs=[])
    site.settled(balancer.id)
    assert site.balancers.get_listener(listener.id).allowed_cidrs is None
    site.balancers.delete_listener(listener.id)
    site.settled(balancer.id)


def test_a_provider_without_cidrs_answers_501_and_leaves_nothing(site: Site) -> None:
    listener = {"protocol": "TCP", "protocol_port": 6443, "allowed_cidrs": ["10.0.0.0/8"]}
    with pytest.raises(exceptions.HttpException, match="does not support a requested option") as refused:
        site.build(name="whole", provider="lab_nocidr", listeners=[listener])
    assert refused.value.status_code == 501
    made = site.built(name="bare", provider="lab_nocidr")
    with pytest.raises(exceptions.HttpException, match="does not support allowed_cidrs") as refused:
        site.balancers.create_listener(load_balancer_id=made.id, **listener)
    assert refused.value.status_code == 501
    assert site.settled(made.id).listeners == []
    site.removed(made.id)


def test_operating_status_set_in_the_database_is_what_the_api_says(site: Site, balancer: Any) -> None:
    subnet = site.network.subnets["az1"]
    pool = site.balancers.create_pool(loadbalancer_id=balancer.id, protocol="TCP", lb_algorithm="ROUND_ROBIN")
    site.settled(balancer.id)
    member = site.balancers.create_member(pool.id, address=subnet.address(11), protocol_port=6443, subnet_id=subnet.id)
    site.settled(balancer.id)
    assert site.lab.faults.set_members_operating(balancer.id, "ONLINE") == 1
    assert site.balancers.get_member(member.id, pool.id).operating_status == "ONLINE"
    site.lab.faults.set_operating_status("load_balancer", balancer.id, "DEGRADED")
    assert site.balancers.get_load_balancer(balancer.id).operating_status == "DEGRADED"
    site.balancers.delete_pool(pool.id)
    site.settled(balancer.id)


def test_zones_are_listed_and_the_disabled_one_is_refused(site: Site) -> None:
    zones = {zone.name: zone.is_enabled for zone in site.balancers.availability_zones()}
    assert zones == {"az1": True, "az2": True, "az3": True, "azoff": False}
    with pytest.raises(
        exceptions.BadRequestException, match="availability_zone is not allowed in this deployment: azoff"
    ):
        site.build(availability_zone="azoff")


def test_projects_do_not_see_each_other(site: Site, balancer: Any) -> None:
    other = openstack.connect(cloud=site.lab.project("other").cloud)
    assert list(other.load_balancer.load_balancers()) == []
    assert list(other.network.ports()) == []
    with pytest.raises(exceptions.ForbiddenException):
        other.load_balancer.delete_load_balancer(balancer.id)


def test_requests_are_counted_apart_from_those_the_services_make(site: Site, balancer: Any) -> None:
    mark = site.lab.mark()
    site.balancers.get_load_balancer(balancer.id)
    site.balancers.update_load_balancer(balancer.id, description="counted")
    requests = site.lab.requests(mark, project=site.project)
    assert [(request.service, request.method, request.status) for request in requests] == [
        ("octavia", "GET", 200),
        ("octavia", "PUT", 200),
    ]
    assert [request.is_write for request in requests] == [False, True]
    site.settled(balancer.id)


def test_an_answer_is_lost_after_the_work_was_done(site: Site, balancer: Any) -> None:
    listener = {"load_balancer_id": balancer.id, "protocol": "TCP", "protocol_port": 6443}
    with site.lab.faults.misanswering("octavia", 504, methods=["POST"], path="/listeners$", count=1, when="after"):
        with pytest.raises(exceptions.HttpException) as lost:
            site.balancers.create_listener(**listener)
        assert lost.value.status_code == 504
        site.settled(balancer.id)
        with pytest.raises(exceptions.ConflictException, match="already using protocol TCP and protocol_port 6443"):
            site.balancers.create_listener(**listener)
    for found in site.balancers.listeners(load_balancer_id=balancer.id):
        site.balancers.delete_listener(found.id)
        site.settled(balancer.id)


def test_a_killed_neutron_is_a_500_of_octavia_until_it_is_back(site: Site, balancer: Any) -> None:
    refused = pytest.raises(exceptions.HttpException, match="Unable to establish connection")
    with site.lab.faults.service_down("neutron"), refused as broken:
        site.build(name="without-neutron")
    assert broken.value.status_code == 500
    listener = site.balancers.create_listener(load_balancer_id=balancer.id, protocol="TCP", protocol_port=6443)
    site.settled(balancer.id)
    assert site.balancers.get_listener(listener.id).provisioning_status == "ACTIVE"
