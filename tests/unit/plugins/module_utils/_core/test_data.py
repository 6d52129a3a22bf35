# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CORE-1: data that nobody can change under a plan, one text for one value, and RFC 7386."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import (
    canonical,
    dig,
    fixed,
    merge_patch,
    plain,
)

LOAD_BALANCER = {"scope": "Internal", "subnets": {"ids": ["subnet-a", "subnet-b"], "names": []}, "note": None}


def test_frozen_data_cannot_be_changed_at_any_depth() -> None:
    frozen = fixed(LOAD_BALANCER)
    with pytest.raises(TypeError):
        frozen["scope"] = "External"
    with pytest.raises(TypeError):
        frozen["subnets"]["ids"] = ()
    with pytest.raises(TypeError):
        frozen["subnets"]["ids"][0] = "subnet-c"


def test_frozen_data_is_a_copy() -> None:
    source: dict[str, Any] = {"subnets": ["a"]}
    frozen = fixed(source)
    source["subnets"].append("b")
    source["scope"] = "Internal"
    assert plain(frozen) == {"subnets": ["a"]}


def test_thawing_gives_back_plain_data_that_is_the_callers_own() -> None:
    frozen = fixed(LOAD_BALANCER)
    thawed = plain(frozen)
    assert thawed == LOAD_BALANCER
    assert isinstance(thawed, dict)
    assert isinstance(thawed["subnets"]["ids"], list)
    thawed["subnets"]["ids"].clear()
    assert plain(frozen) == LOAD_BALANCER


@pytest.mark.parametrize("scalar", [None, True, 0, 1.5, "", "text"])
def test_scalars_stay_what_they_are(scalar: Any) -> None:
    assert fixed(scalar) is scalar
    assert plain(scalar) is scalar


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [1, 2]}, '{"a":[1,2],"b":1}'),
        (MappingProxyType({"a": (1, 2), "b": 1}), '{"a":[1,2],"b":1}'),
        ({"name": "Zürich <&>"}, '{"name":"Zürich <&>"}'),
        ([], "[]"),
        (None, "null"),
    ],
)
def test_one_text_for_one_value(value: Any, text: str) -> None:
    assert canonical(value) == text


def test_the_order_of_a_list_is_part_of_the_value_and_that_of_keys_is_not() -> None:
    assert canonical({"x": 1, "y": 2}) == canonical({"y": 2, "x": 1})
    assert canonical(["x", "y"]) != canonical(["y", "x"])


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (("subnets", "ids"), ["subnet-a", "subnet-b"]),
        (("subnets", "missing"), None),
        (("missing", "ids"), None),
        (("note", "ids"), None),
        (("scope", "ids"), None),
        ((), LOAD_BALANCER),
    ],
)
def test_digging_ends_in_none_where_the_way_ends(path: tuple[str, ...], found: Any) -> None:
    assert dig(LOAD_BALANCER, *path) == found


def test_digging_in_nothing_finds_nothing() -> None:
    assert dig(None, "spec", "scope") is None


# The cases of RFC 7386, appendix A, by what they show.
@pytest.mark.parametrize(
    ("value", "patch", "result"),
    [
        pytest.param({"a": "b"}, {"a": "c"}, {"a": "c"}, id="replaces"),
        pytest.param({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}, id="adds"),
        pytest.param({"a": "b"}, {"a": None}, {}, id="null removes"),
        pytest.param({"a": "b"}, {"c": None}, {"a": "b"}, id="removing what is not there"),
        pytest.param({"a": ["b"]}, {"a": "c"}, {"a": "c"}, id="list to text"),
        pytest.param({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}, id="text to list"),
        pytest.param({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}, id="nested"),
        pytest.param({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}, id="lists are replaced whole"),
        pytest.param(["a", "b"], ["c", "d"], ["c", "d"], id="list for list"),
        pytest.param({"a": "b"}, ["c"], ["c"], id="list for object"),
        pytest.param({"a": "foo"}, None, None, id="null for all"),
        pytest.param({"e": None}, {"a": 1}, {"e": None, "a": 1}, id="a null that was there stays"),
        pytest.param([1, 2], {"a": "b", "c": None}, {"a": "b"}, id="object for list"),
        pytest.param({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}, id="nulls never get in"),
    ],
)
def test_merge_patch(value: Any, patch: Any, result: Any) -> None:
    assert merge_patch(value, patch) == result
    assert merge_patch(fixed(value), fixed(patch)) == result


def test_merge_patch_leaves_its_inputs_alone_and_shares_nothing_with_them() -> None:
    value: dict[str, Any] = {"spec": {"scope": "Internal", "ids": ["a"]}}
    patch: dict[str, Any] = {"spec": {"names": ["n"]}}
    merged = merge_patch(value, patch)
    merged["spec"]["ids"].append("b")
    merged["spec"]["names"].append("m")
    assert value == {"spec": {"scope": "Internal", "ids": ["a"]}}
    assert patch == {"spec": {"names": ["n"]}}
