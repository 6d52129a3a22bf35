# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Patch formats: RFC 7386 with the RFC's own examples, RFC 6902, and the strategic subset."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.patches import json_patch, merge
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.strategic import strategic

RFC_7386 = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("target", "patch", "expected"), RFC_7386)
def test_merge_patch_follows_the_rfc(target: Any, patch: Any, expected: Any) -> None:
    assert merge(target, patch) == expected


def test_merge_patch_leaves_its_target_alone() -> None:
    target = {"a": {"b": {"c": 1}}}
    merge(target, {"a": {"b": {"d": 2}}})
    assert target == {"a": {"b": {"c": 1}}}


DOCUMENT: dict[str, Any] = {
    "spec": {"replicas": 2, "list": ["a", "c"]},
    "metadata": {"annotations": {"x/y": "1", "a~b": "2"}},
}
JSON_PATCHES = [
    ([{"op": "replace", "path": "/spec/replicas", "value": 3}], ("spec", "replicas"), 3),
    ([{"op": "add", "path": "/spec/list/1", "value": "b"}], ("spec", "list"), ["a", "b", "c"]),
    ([{"op": "add", "path": "/spec/list/-", "value": "d"}], ("spec", "list"), ["a", "c", "d"]),
    ([{"op": "remove", "path": "/spec/list/0"}], ("spec", "list"), ["c"]),
    ([{"op": "remove", "path": "/metadata/annotations/x~1y"}], ("metadata", "annotations"), {"a~b": "2"}),
    ([{"op": "copy", "from": "/spec/replicas", "path": "/spec/copy"}], ("spec", "copy"), 2),
    ([{"op": "move", "from": "/spec/replicas", "path": "/spec/moved"}], ("spec",), {"list": ["a", "c"], "moved": 2}),
    (
        [{"op": "test", "path": "/spec/replicas", "value": 2}, {"op": "remove", "path": "/spec/replicas"}],
        ("spec",),
        {"list": ["a", "c"]},
    ),
]


@pytest.mark.parametrize(("operations", "path", "expected"), JSON_PATCHES)
def test_json_patch(operations: Any, path: tuple[str, ...], expected: Any) -> None:
    value: Any = json_patch(DOCUMENT, operations)
    for step in path:
        value = value[step]
    assert value == expected


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/spec/replicas", "value": 9},
        {"op": "test", "path": "/spec/replicas", "value": "2"},
        {"op": "test", "path": "/spec/replicas", "value": None},
        {"op": "remove", "path": "/spec/none"},
        {"op": "replace", "path": "/spec/none", "value": 1},
        {"op": "add", "path": "/spec/none/deeper", "value": 1},
        {"op": "add", "path": "/spec/list/9", "value": 1},
        {"op": "add", "path": "/spec/replicas/x", "value": 1},
        {"op": "move", "from": "/spec/none", "path": "/spec/moved"},
        {"op": "wish", "path": "/spec"},
        {"op": "add", "path": "spec", "value": 1},
        {"op": "replace", "path": "", "value": 1},
    ],
)
def test_json_patch_that_does_not_fit_is_refused_whole(operation: Any) -> None:
    """Without a word on which operation it was, as the real server has it."""
    first = {"op": "add", "path": "/spec/list/-", "value": "d"}
    with pytest.raises(ApiError) as error:
        json_patch(DOCUMENT, [first, operation])
    assert error.value.message == "the server rejected our request due to an error in our request"
    assert (error.value.status, DOCUMENT["spec"]["list"]) == (422, ["a", "c"])


def test_what_is_not_there_is_null_to_a_test() -> None:
    operations = [{"op": "test", "path": "/spec/none", "value": None}, {"op": "add", "path": "/spec/none", "value": 1}]
    assert json_patch(DOCUMENT, operations)["spec"]["none"] == 1


@pytest.mark.parametrize("patch", [{"op": "remove", "path": "/spec"}, [1], "text"])
def test_what_is_no_json_patch(patch: Any) -> None:
    with pytest.raises(ApiError, match="cannot unmarshal") as error:
        json_patch(DOCUMENT, patch)
    assert error.value.status == 400


PORTS = [{"name": "http", "port": 80, "nodePort": 30001}, {"name": "https", "port": 443}]
STRATEGIC = [
    (
        {"ports": PORTS},
        {"ports": [{"port": 443, "nodePort": 30002}]},
        {"ports": [PORTS[0], {"name": "https", "port": 443, "nodePort": 30002}]},
    ),
    ({"ports": PORTS}, {"ports": [{"port": 80, "$patch": "delete"}]}, {"ports": [PORTS[1]]}),
    # New items stand in front of what only the server had.
    ({"ports": PORTS}, {"ports": [{"port": 8443}]}, {"ports": [{"port": 8443}, *PORTS]}),
    ({"ports": PORTS}, {"ports": [{"port": 443}, {"port": 1}]}, {"ports": [*PORTS, {"port": 1}]}),
    (
        {"ports": PORTS},
        {"$setElementOrder/ports": [{"port": 443}, {"port": 80}], "ports": [{"port": 443, "name": "tls"}]},
        {"ports": [{"name": "tls", "port": 443}, PORTS[0]]},
    ),
    ({"ports": PORTS}, {"$setElementOrder/ports": [{"port": 443}, {"port": 80}]}, {"ports": [PORTS[1], PORTS[0]]}),
    ({"a": 1, "b": 2}, {"$retainKeys": ["a"], "a": 3}, {"a": 3}),
    ({"a": 1}, {"$patch": "delete"}, {}),
    ({"ports": PORTS}, {"ports": [{"$patch": "replace"}, {"port": 1}]}, {"ports": [{"port": 1}]}),
    ({"finalizers": ["a"]}, {"finalizers": ["b", "a"]}, {"finalizers": ["b", "a"]}),
    ({"finalizers": ["a"]}, {"finalizers": ["b"]}, {"finalizers": ["b", "a"]}),
    ({"finalizers": ["a", "b"]}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {"finalizers": ["b"]}),
    ({"ranges": ["a"]}, {"ranges": ["b"]}, {"ranges": ["b"]}),
    ({"data": {"a": 1, "b": 2}}, {"data": {"$patch": "replace", "c": 3}}, {"data": {"c": 3}}),
    ({"data": {"a": 1, "b": 2}}, {"data": {"a": None, "c": 3}}, {"data": {"b": 2, "c": 3}}),
    (
        {"conditions": [{"type": "A", "status": "False"}]},
        {"conditions": [{"type": "A", "status": "True"}, {"type": "B", "status": "True"}]},
        {"conditions": [{"type": "A", "status": "True"}, {"type": "B", "status": "True"}]},
    ),
]


@pytest.mark.parametrize(("target", "patch", "expected"), STRATEGIC)
def test_strategic_merge(target: Any, patch: Any, expected: Any) -> None:
    assert strategic(target, patch) == expected


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ({"ports": [{"name": "nokey"}]}, "map: map[name:nokey] does not contain declared merge key: port"),
        ({"ports": [{"$patch": "delete"}]}, "map: map[$patch:delete] does not contain declared merge key: port"),
        ({"$patch": "weird"}, "unknown patch type: weird in map: map[$patch:weird]"),
    ],
)
def test_a_strategic_merge_that_makes_no_sense_is_an_error_of_the_server(patch: Any, words: str) -> None:
    with pytest.raises(ApiError) as error:
        strategic({"ports": PORTS}, patch)
    assert (error.value.status, error.value.reason, error.value.message) == (500, "", words)
