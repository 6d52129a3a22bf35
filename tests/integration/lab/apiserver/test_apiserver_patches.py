# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Patch formats: RFC 7386 with the RFC's own examples, RFC 6902, and the strategic subset."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.patches import json_patch, merge, strategic

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
    ("operation", "words"),
    [
        ({"op": "test", "path": "/spec/replicas", "value": 9}, "testing path /spec/replicas failed"),
        ({"op": "test", "path": "/spec/replicas", "value": "2"}, "testing path /spec/replicas failed"),
        ({"op": "remove", "path": "/spec/none"}, "remove operation does not apply"),
        ({"op": "replace", "path": "/spec/none", "value": 1}, "doc is missing path: /spec/none"),
        ({"op": "add", "path": "/spec/none/deeper", "value": 1}, "doc is missing path: /spec/none/deeper"),
        ({"op": "add", "path": "/spec/list/9", "value": 1}, "add operation does not apply"),
        ({"op": "add", "path": "/spec/replicas/x", "value": 1}, "add operation does not apply"),
        ({"op": "move", "from": "/spec/none", "path": "/spec/moved"}, "move operation does not apply"),
        ({"op": "wish", "path": "/spec"}, "Unexpected kind: wish"),
        ({"op": "add", "path": "spec", "value": 1}, "add operation does not apply"),
        ({"op": "replace", "path": "", "value": 1}, "does not leave an object"),
    ],
)
def test_json_patch_that_does_not_fit_is_refused_whole(operation: Any, words: str) -> None:
    first = {"op": "add", "path": "/spec/list/-", "value": "d"}
    with pytest.raises(ApiError, match=words) as error:
        json_patch(DOCUMENT, [first, operation])
    assert (error.value.status, DOCUMENT["spec"]["list"]) == (422, ["a", "c"])


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
    ({"ports": PORTS}, {"ports": [{"port": 8443}]}, {"ports": [*PORTS, {"port": 8443}]}),
    ({"ports": PORTS}, {"ports": [{"$patch": "replace"}, {"port": 1}]}, {"ports": [{"port": 1}]}),
    ({"finalizers": ["a"]}, {"finalizers": ["b", "a"]}, {"finalizers": ["a", "b"]}),
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
