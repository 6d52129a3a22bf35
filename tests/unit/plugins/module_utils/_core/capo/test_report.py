# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands, what is to be published, and the diff (CORE-5, CAPO-6, CAPO-7; facts: capo §10, §11.7)."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import (
    Identity,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    HOST,
    legacy,
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


def test_counts() -> None:
    cloud = built(want("az1", "az2"), load_balancers=(legacy(vip_subnet_id="s3"),))
    told = plain(decide(want("az1", "az3", legacy="keep"), cloud.observed).standing)
    assert told["counts"] == {"zones": 2, "load_balancers": 1, "retiring": 1, "legacy": 1}


def test_what_stands_is_of_the_moment_and_what_differs_is_of_the_plan() -> None:
    decision = decide(want("az1"), seen())
    assert set(decision.details) == {"drift", "awaiting", "reasons"}
    assert set(decision.standing) == {
        "api_server_load_balancers",
        "mirror",
        "mirror_zone",
        "dns_records",
        "counts",
    }
    assert plain(decision.standing)["mirror"] is None
