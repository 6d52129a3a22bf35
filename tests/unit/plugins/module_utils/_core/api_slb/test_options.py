# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that cannot be meant: all at once, each with field, value, rule and remedy (CORE-7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.options import problems

GOOD: dict[str, Any] = {
    "state": "present",
    "other_paths": [],
    "vouched_paths": [],
    "wait_timeout": 900,
    "wait_sleep": 5,
}

BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"addresses": {"public": ["api"]}}, "addresses.public[0]", "no Elastic IP"),
    ({"addresses": {"private": ["eipalloc-0123456789abcdef0"]}}, "addresses.private[0]", "no IP address"),
    ({"addresses": {"private": ["10.0.0.1", "10.0.0.1"]}}, "addresses.private", "twice"),
    ({"subnets": {"public": ["a,b"]}}, "subnets.public[0]", "comma"),
    ({"subnets": {"public": [" "]}}, "subnets.public[0]", "empty"),
    ({"annotations": {"internal": {"a b": "x"}}}, "annotations.internal", "no key"),
    ({"annotations": {"internal": {"UP_per/x": "x"}}}, "annotations.internal", "no key"),
    ({"annotations": {"internal": {"a": True}}}, "annotations.internal", "no text"),
    ({"selectors": {"internal": {"": "x"}}}, "selectors.internal", "no key"),
    ({"other_paths": [""]}, "other_paths[0]", "no host"),
    ({"vouched_paths": ["a:99999"]}, "vouched_paths[0]", "no host"),
    ({"other_paths": ["https://api:6443"]}, "other_paths[0]", "no host"),
    ({"handover": {"stage": 1, "ttl": 0}}, "handover.ttl", "less than 1"),
    ({"handover": {"stage": 1, "ttl": 5, "domain": "A b"}}, "handover.domain", "no domain"),
    ({"handover": {"stage": 1, "ttl": 5, "bootstrap_addresses": ["x"]}}, "handover.bootstrap_addresses[0]", "no IP"),
    ({"handover": {"stage": 1, "ttl": 5, "public_zone": "z!"}}, "handover.public_zone", "hosted zone"),
    ({"objects": {}}, "objects", "schema"),
    ({"state": "absent", "public": True}, "public", "contradicts"),
    ({"state": "absent", "handover": {"stage": 1, "ttl": 5}}, "handover", "takes away"),
    ({"wait_timeout": 0}, "wait_timeout", "less than 1"),
]


@pytest.mark.parametrize(("options", "where", "words"), BAD)
def test_each_is_told(options: dict[str, Any], where: str, words: str) -> None:
    found = problems({**GOOD, **options})
    assert any(entry.where == where and words in entry.what for entry in found), found
    assert all(entry.code == "bad_option" and entry.remedy for entry in found)


def test_all_at_once() -> None:
    found = problems(
        {
            **GOOD,
            "addresses": {"public": ["x"]},
            "other_paths": [" "],
            "handover": {"stage": 1, "ttl": 0, "bootstrap_addresses": ["y"]},
            "wait_sleep": 0,
        }
    )
    assert len(found) == 5


def test_good_ones() -> None:
    good = {
        "addresses": {"public": ["eipalloc-0123456789abcdef0", "2001:db8::1"], "private": ["10.0.0.1"]},
        "other_paths": ["bastion", "[fd00::1]:443", "fd00::1"],
        "vouched_paths": ["internal-lb"],
        "handover": {"stage": 3, "ttl": 60, "domain": "prod.example.com", "bootstrap_addresses": []},
        "annotations": {"internal": {"example.com/a": "b"}},
    }
    assert problems({**GOOD, **good}) == ()
