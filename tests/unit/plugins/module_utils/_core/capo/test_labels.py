# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, tags and hosts that Kubernetes, Octavia or DNS would refuse are refused before (CAPO-2, Safe CAPO 8)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo import labels
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import Ref, ZoneSubnet
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import want


@pytest.mark.parametrize("name", ["prod", "prod-1", "a", "x" * 63, "prod.eu"])
def test_a_cluster_has_a_name_that_kubernetes_takes(name: str) -> None:
    assert not list(labels.cluster_rules(replace(want("az1"), cluster=name)))


@pytest.mark.parametrize("name", ["", " ", "Prod", "prod_1", "-prod", "prod-", "x" * 64, "pr\u00f6d", "a b", "a/b"])
@pytest.mark.parametrize("field", ["cluster", "namespace"])
def test_any_other_is_refused_whatever_is_asked_for(name: str, field: str) -> None:
    for state in ("present", "single", "absent"):
        (found,) = labels.cluster_rules(replace(want("az1", state=state), **{field: name}))
        assert (found.code, found.where, found.value) == ("name_invalid", field, name)


@pytest.mark.parametrize(
    ("tags", "refused"),
    [
        (("team=a", "cost center 7"), 0),
        (("",), 1),
        (("  ",), 1),
        (("a,b",), 1),
        (("x" * 256,), 1),
        (("x" * 255,), 0),
        (("a\nb",), 1),
        (("lb-estate/cluster=other/one",), 1),
        (("lb-estate/az=az9",), 1),
        (("a", "a"), 1),
    ],
)
def test_tags(tags: tuple[str, ...], refused: int) -> None:
    """One that looks like a mark would make the load balancer another cluster's."""
    assert [one.code for one in labels.tag_rules(want("az1", tags=tags))] == ["tag_invalid"] * refused


@pytest.mark.parametrize(("text", "refused"), [("", False), ("  ", True), ("ok", True), ("the zone is closed", False)])
@pytest.mark.parametrize("option", ["traffic_moved_because", "empty_pools_because"])
def test_a_reason_is_one_that_can_be_read_later(option: str, text: str, refused: bool) -> None:
    wish = replace(want("az1"), **{option: text})
    assert [one.code for one in labels.reason_rules(wish)] == (["reason_missing"] if refused else [])


@pytest.mark.parametrize(
    ("zone", "codes"),
    [
        ("az1", []),
        ("eu-west_1.a", []),
        ("", ["zone_required"]),
        (" ", ["zone_invalid"]),
        ("az 1", ["zone_invalid"]),
        ("az/1", ["zone_invalid"]),
        ("az,1", ["zone_invalid"]),
        ("-az", ["zone_invalid"]),
        ("z\u00fcrich", ["zone_invalid"]),
        ("legacy", ["zone_invalid"]),
        ("record", ["zone_invalid"]),
        ("single", ["zone_invalid"]),
        ("floating-ips", ["zone_invalid"]),
        ("z" * 240, ["name_too_long"]),
    ],
)
def test_zones(zone: str, codes: list[str]) -> None:
    wish = replace(want("az1"), zones=(ZoneSubnet(zone, Ref("s1")),))
    assert [one.code for one in labels.zone_rules(wish)] == codes


def test_a_zone_has_one_entry() -> None:
    assert [one.code for one in labels.zone_rules(want("az1", "az1"))] == ["duplicate_az"]


@pytest.mark.parametrize(
    ("host", "codes"),
    [
        ("api.example.com", []),
        ("", ["endpoint_host_required"]),
        ("192.0.2.7", ["endpoint_host_must_be_dns"]),
        ("[2001:db8::7]", ["endpoint_host_must_be_dns"]),
        ("api example.com", ["endpoint_host_must_be_dns"]),
        ("*.example.com", ["endpoint_host_must_be_dns"]),
        ("https://api.example.com", ["endpoint_host_must_be_dns"]),
    ],
)
def test_endpoints(host: str, codes: list[str]) -> None:
    assert [one.code for one in labels.endpoint_rules(host)] == codes


@pytest.mark.parametrize(
    ("host", "is_name"),
    [
        ("api.example.com", True),
        ("api.example.com.", True),
        ("localhost", True),
        ("10.0.0.300", False),
        ("-api.example.com", False),
        ("a" * 64 + ".example", False),
        (".".join(["abcdefgh"] * 30), False),
        ("", False),
    ],
)
def test_dns_names(host: str, is_name: bool) -> None:
    assert labels.is_dns_name(host) is is_name
