# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""With the API down the copy stands for the cluster (API-8)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.copies import (
    copy_of,
    observed_in,
    problems,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import Reserved
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import Eip
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    all_live,
    decided,
    observed,
    wanted,
)

SEEN = observed(services=all_live())


def test_it_goes_through_json_and_renders_the_same() -> None:
    again = observed_in(json.loads(json.dumps(copy_of(SEEN))))
    ask = wanted(state="rendered", addresses={}, public=None)
    one, two = decided(ask, SEEN), decided(ask, again)
    for part in ("manifests", "direct_records", "services", "addresses_needed"):
        assert one.standing[part] == two.standing[part]
    assert copy_of(again) == copy_of(SEEN)


def test_elastic_ips_keep_their_addresses() -> None:
    seen = observed("AWS", all_live("AWS"), reserved=Reserved((Eip("eipalloc-1", "203.0.113.1"),)))
    assert observed_in(copy_of(seen)).reserved == Reserved((Eip("eipalloc-1", "203.0.113.1"),))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        ({"schema": "another"}, "schema"),
        ({"services": None}, "services is missing"),
        ({"endpoints": {"internal": 5}}, "endpoints.internal is no list"),
        ({"families": "4"}, "families is of the wrong type"),
        ({"services": {"internal": {"metadata": {"name": 7}}}}, "services.internal"),
    ],
)
def test_what_is_no_copy_is_told(spoil: Any, words: str) -> None:
    assert words in " ".join(problems(merge_patch(copy_of(SEEN), spoil)))


def test_a_good_one_has_no_problem_and_what_is_no_mapping_has_one() -> None:
    assert problems(copy_of(SEEN)) == []
    assert problems(["x"]) == ["it is no mapping"]


def test_it_is_small() -> None:
    assert len(json.dumps(copy_of(SEEN))) < 5000
