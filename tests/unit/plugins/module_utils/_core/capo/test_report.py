# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands, what is to be published, and the diff (CORE-5, CAPO-6, CAPO-7; facts: capo §10, §11.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import (
    Identity,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.report import record_type
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoObserved,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    HOST,
    legacy,
    machines,
    seen,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import (
    built,
)

DEMO = Identity("default", "demo")


def test_the_report_shows_what_stands_keyed_by_zone_whatever_is_decided() -> None:
    cloud = built(want("az1", "az2"))
    for wish in (want("az1", "az2"), want("az1", "az2", "az3"), want("az1", "az2", legacy="retire")):
        standing = decide(wish, cloud.observed).standing
        assert [one["availabilityZone"] for one in standing["api_server_load_balancers"]] == ["az1", "az2"]


def test_the_single_mirror_is_the_first_mapping_whatever_was_built_last() -> None:
    """The prototype mirrored the last zone it came to (facts: capo §10)."""
    cloud = Cloud(seen())
    wish = want("az3", "az1")
    for step in decide(wish, cloud.observed).steps:
        cloud.apply(step)
    standing = decide(wish, cloud.observed).standing
    assert standing["mirror_zone"] == "az3"
    assert standing["mirror"]["name"] == zone_name("az3")
    assert [one["availabilityZone"] for one in standing["api_server_load_balancers"]] == ["az3", "az1"]
    assert cloud.observed.record.mirror["name"] == zone_name("az3")
    assert standing["dns_records"]["host"] == HOST


def members_are(observed: CapoObserved, **states: str) -> CapoObserved:
    lbs = tuple(
        replace(
            lb,
            pools=tuple(
                replace(
                    pool,
                    members=tuple(
                        replace(one, operating_status=states.get(lb.name.split("-")[-2], one.operating_status))
                        for one in pool.members
                    ),
                )
                for pool in lb.pools
            ),
        )
        for lb in observed.load_balancers
    )
    return replace(observed, load_balancers=lbs)


def test_only_zones_that_answer_are_published() -> None:
    cloud = built(want("az1", "az2", "az3"))
    world = members_are(cloud.observed, az2="ERROR")
    dns = plain(decide(want("az1", "az2", "az3"), world).standing["dns_records"])
    assert dns["host"] == HOST
    assert [(one["zone"], one["type"], one["online_members"]) for one in dns["publish"]] == [
        ("az1", "A", 1),
        ("az3", "A", 1),
    ]
    assert [(one["zone"], one["reason"]) for one in dns["withhold"]] == [("az2", "none of its members is ONLINE")]
    addresses = {ip.description: ip.address for ip in cloud.observed.floating_ips}
    assert dns["publish"][0]["address"] == addresses[DEMO.description("az1")]


def test_a_zone_without_machines_or_without_a_load_balancer_is_withheld() -> None:
    cloud = built(want("az1", "az2"), machines=machines("az1"))
    dns = plain(decide(want("az1", "az2", "az3"), cloud.observed).standing["dns_records"])
    assert [one["zone"] for one in dns["publish"]] == ["az1"]
    assert [(one["zone"], one["reason"]) for one in dns["withhold"]] == [
        ("az2", "none of its members is ONLINE"),
        ("az3", "it has no load balancer yet"),
    ]


def test_without_floating_ips_the_vip_is_published_and_a_load_balancer_in_error_is_not() -> None:
    cloud = built(want("az1", floating_ips=False))
    lb = cloud.observed.load_balancers[0]
    wish = want("az1", floating_ips=False)
    assert decide(wish, cloud.observed).standing["dns_records"]["publish"][0]["address"] == lb.vip_address
    broken = replace(cloud.observed, load_balancers=(replace(lb, provisioning_status="ERROR"),))
    assert decide(wish, broken).standing["dns_records"]["withhold"][0]["reason"] == "it is ERROR"


@pytest.mark.parametrize(("address", "kind"), [("192.0.2.1", "A"), ("2001:db8::1", "AAAA")])
def test_record_types(address: str, kind: str) -> None:
    assert record_type(address) == kind


def test_the_diff_shows_what_a_person_edits_and_agrees_with_what_comes_of_it() -> None:
    """CORE-5: what a plan says will be is what the next look sees, but for addresses only the cloud gives out."""
    wish = want("az1", additional_ports=(8132,), allowed_cidrs=("10.0.0.9/8",), floating_ip="198.51.100.9")
    cloud = Cloud(seen())
    planned = decide(wish, cloud.observed)
    assert planned.before == {}
    for step in planned.steps:
        cloud.apply(step)
    final = decide(wish, cloud.observed)
    assert final.verdict is Verdict.IN_SYNC
    assert plain(final.before) == plain(planned.after)


@pytest.mark.parametrize(
    ("resolved", "missing", "extra"),
    [(None, None, None), (("203.0.113.254",), 2, ["203.0.113.254"]), ((), 2, [])],
)
def test_dns_is_compared_with_what_should_be_published(resolved: Any, missing: Any, extra: Any) -> None:
    """null where nobody was asked: nothing is said to be missing on a guess."""
    cloud = built(want("az1", "az2"))
    told = plain(decide(want("az1", "az2"), replace(cloud.observed, endpoint_addresses=resolved)).standing)
    dns = told["dns_records"]
    assert dns["resolved"] == (None if resolved is None else sorted(resolved))
    assert (dns["missing"] and len(dns["missing"]), dns["extra"]) == (missing, extra)


def test_what_leads_to_the_right_place_is_neither_missing_nor_too_much() -> None:
    cloud = built(want("az1", "az2"))
    first, second = (ip.address for ip in cloud.observed.floating_ips)
    seen_in_dns = replace(cloud.observed, endpoint_addresses=(first,))
    dns = plain(decide(want("az1", "az2"), seen_in_dns).standing)["dns_records"]
    assert (dns["missing"], dns["extra"]) == ([second], [])


def test_counts() -> None:
    cloud = built(want("az1", "az2"), load_balancers=(legacy(vip_subnet_id="s3"),))
    told = plain(decide(want("az1", "az3", legacy="keep"), cloud.observed).standing)
    assert told["counts"] == {"zones": 2, "load_balancers": 1, "retiring": 1, "legacy": 1}


def test_what_stands_is_of_the_moment_and_what_differs_is_of_the_plan() -> None:
    decision = decide(want("az1"), seen())
    assert set(decision.details) == {"drift", "awaiting"}
    assert set(decision.standing) == {
        "api_server_load_balancers",
        "mirror",
        "mirror_zone",
        "dns_records",
        "counts",
    }
    assert plain(decision.standing)["mirror"] is None
