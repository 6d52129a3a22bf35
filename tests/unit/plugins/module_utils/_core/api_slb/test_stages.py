# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three stages, their DNS records and their gates (API-4)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb import stages
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import STAGE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import PathSeen, Reserved
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import Eip
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    CONNECTED,
    SILENT,
    all_live,
    handing_over,
    observed,
    wanted,
)

RESERVED = {"external": ("20.0.0.7",), "internal": ("10.0.0.7",), "machine_config_server": ("10.0.0.7",)}


def of_stage(stage: int, platform: str = "Azure", by_role: Any = None, **more: Any) -> stages.RecordSet:
    what = wanted(platform, handover=handing_over(stage))
    return stages.records(stage, what, observed(platform, **more), RESERVED if by_role is None else by_role)


def shown(records: Any) -> list[tuple[str, str, list[str]]]:
    return [(entry["name"], entry["type"], entry["data"]) for entry in records]


PUBLIC = [("api.prod.example.com", "A", ["20.0.0.7"])]
BOTH = [(f"{name}.prod.example.com", "A", ["10.0.0.2", "10.0.0.7"]) for name in ("api", "api-int")]
LAST = [(f"{name}.prod.example.com", "A", ["10.0.0.7"]) for name in ("api", "api-int")]


@pytest.mark.parametrize(("stage", "private"), [(1, BOTH), (2, BOTH), (3, LAST)])
def test_the_documents_record_sets(stage: int, private: Any) -> None:
    found = of_stage(stage)
    assert (shown(found.public), shown(found.private), found.withheld) == (PUBLIC, private, ())


def test_an_internal_cluster_has_no_public_record() -> None:
    assert of_stage(3, by_role={"internal": ("10.0.0.7",)}).public == ()


def test_a_zone_fragment() -> None:
    found = of_stage(3)
    assert stages.fragment(found.private) == (
        "api.prod.example.com. 60 IN A 10.0.0.7\napi-int.prod.example.com. 60 IN A 10.0.0.7\n"
    )
    assert (
        stages.fragment([{"name": "api.x", "type": "CNAME", "data": ["lb.y"], "ttl": 5}]) == "api.x. 5 IN CNAME lb.y.\n"
    )


def test_both_families() -> None:
    found = of_stage(3, by_role={"internal": ("10.0.0.7", "fd00::7")})
    assert [kind for _name, kind, _values in shown(found.private)] == ["A", "AAAA", "A", "AAAA"]


def test_elastic_ips_by_their_addresses_else_the_load_balancers_own_name() -> None:
    eips = {"external": ("eipalloc-1", "eipalloc-2")}
    known = Reserved((Eip("eipalloc-1", "203.0.113.1"), Eip("eipalloc-2", "203.0.113.2")))
    found = of_stage(1, "AWS", eips, reserved=known)
    assert shown(found.public) == [("api.prod.example.com", "A", ["203.0.113.1", "203.0.113.2"])]
    services = all_live("AWS")
    services["internal"]["status"] = {"loadBalancer": {"ingress": [{"hostname": "lb.elb.example"}]}}
    named = of_stage(3, "AWS", {"internal": ()}, services=services)
    assert shown(named.private)[0] == ("api.prod.example.com", "CNAME", ["lb.elb.example"])


def test_a_name_cannot_stand_beside_the_bootstrap_address() -> None:
    services = all_live("AWS")
    services["internal"]["status"] = {"loadBalancer": {"ingress": [{"hostname": "lb.elb.example"}]}}
    found = of_stage(1, "AWS", {"internal": ()}, services=services)
    assert "cannot stand beside" in found.withheld[0]
    assert shown(found.private)[0][2] == ["10.0.0.2"]


def test_an_address_nobody_knows_yet_is_withheld() -> None:
    assert "no address that is known yet" in of_stage(3, "AWS", {"internal": ()}).withheld[0]


def test_records_of_the_control_plane_itself() -> None:
    """API-8"""
    found = stages.direct(wanted(), observed(services=all_live()))
    assert shown(found) == [
        (f"{name}.prod.example.com", "A", ["10.0.16.10", "10.0.17.11"]) for name in ("api", "api-int")
    ]


def at_stage(stage: int) -> Any:
    services = all_live()
    services["internal"]["metadata"]["annotations"][STAGE] = str(stage)
    return observed(services=services)


def gate(stage: int, seen: Any, lacking: Any = None, paths: Any = None, vouched: Any = (), **more: Any) -> list[str]:
    handover = handing_over(stage, **more)
    due = stages.records(stage, wanted(handover=handover), seen, RESERVED)
    return stages.gate(handover, seen, due, lacking or {}, paths or {}, vouched)


def test_forward() -> None:
    assert gate(1, observed(), {"internal-lb": "it is not there"}) == []
    assert gate(1, observed(), bootstrap=()) == [
        "Stage 1 has the bootstrap host's address in DNS; give handover.bootstrap_addresses."
    ]
    for stage in (2, 3):
        found = gate(stage, at_stage(1), {"external-lb": "", "internal-lb": "no endpoint is ready behind it"})
        assert found == ["internal-lb is not ready: no endpoint is ready behind it."]
    assert gate(3, at_stage(2), bootstrap=()) == []


def test_back_one_stage_at_a_time() -> None:
    assert gate(2, at_stage(3), {"internal-lb": "anything"}) == []
    assert gate(1, at_stage(3)) == ["Stage 3 goes back to stage 2 first."]


@pytest.mark.parametrize(
    ("seen", "vouched", "holds"),
    [
        (CONNECTED, (), True),
        (SILENT, (), False),
        (SILENT, ("10.0.0.2",), True),
        (PathSeen("refused"), ("10.0.0.2",), False),
    ],
)
def test_back_to_the_bootstrap_host_only_where_it_serves(seen: PathSeen, vouched: Any, holds: bool) -> None:
    found = gate(1, at_stage(2), paths={"10.0.0.2:6443": seen}, vouched=vouched)
    assert (found == []) is holds


def test_a_domain_nobody_knows() -> None:
    from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.config import ApiConfig

    assert "domain" in gate(3, observed(config=ApiConfig("prod-x7k2p")))[0]


@pytest.mark.parametrize(("text", "stage"), [("1", 1), ("3", 3), ("9", 0), ("x", 0)])
def test_which_stage_it_is(text: str, stage: int) -> None:
    services = all_live()
    services["internal"]["metadata"]["annotations"][STAGE] = text
    assert stages.current(observed(services=services)) == stage
