# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is an answer of the service, and what is not."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.shape import Misshapen
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_shapes import links, told

MEMBER = {
    "id": "1",
    "name": None,
    "address": "10.0.0.1",
    "protocol_port": 6443,
    "weight": 1,
    "admin_state_up": True,
    "provisioning_status": "ACTIVE",
    "operating_status": "ONLINE",
}


def test_null_is_absent_and_what_is_not_known_stays() -> None:
    (found,) = told("octavia", "members", {"members": [{**MEMBER, "new": None}]})
    assert "name" not in found
    assert found["new"] is None


@pytest.mark.parametrize(
    ("service", "key", "value", "words"),
    [
        ("octavia", "members", [{**MEMBER, "address": "x"}], "'x' is no address"),
        ("octavia", "members", [{**MEMBER, "weight": "1"}], "weight: must be of type integer"),
        ("octavia", "member", MEMBER | {"admin_state_up": None}, "admin_state_up: Required value"),
        ("octavia", "quota", {"pool": "many"}, "pool: must be of type integer"),
        ("neutron", "quota", {"floatingip": 5}, "floatingip: must be of type object"),
        ("neutron", "subnets", [{"id": "1", "project_id": "p", "network_id": "n", "cidr": "?"}], "cidr"),
        ("neutron", "ports", [{"id": "1", "fixed_ips": [{"ip_address": ""}]}], "is no address"),
    ],
)
def test_what_is_of_another_kind_is_named(service: str, key: str, value: Any, words: str) -> None:
    with pytest.raises(Misshapen, match=words):
        told(service, key, {key: value}, ("id", "fixed_ips") if key == "ports" else None)


def test_only_what_was_asked_for_has_to_be_there() -> None:
    assert told("octavia", "loadbalancer", {"loadbalancer": {"id": "1"}}, ["id"]) == {"id": "1"}


def test_the_way_to_the_next_page() -> None:
    assert links("pools", {"pools": []}) == []
    assert links("pools", {"pools_links": [{"rel": "previous"}, {"rel": "next"}]}) == [{"rel": "next"}]
    with pytest.raises(Misshapen):
        links("pools", {"pools_links": ["x"]})
