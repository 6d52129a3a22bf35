# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a server gives is what it is called, or a sentence (Safe ingress 17)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Unreadable
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_wire import KubeAnswer, KubeCall

META = {"name": "front", "namespace": "shop", "uid": "u1", "resourceVersion": "7"}


def kube(body: Any) -> Kube:
    """A server that has one answer."""

    def request(_call: KubeCall) -> KubeAnswer:
        return KubeAnswer(200, body)

    return Kube(SimpleNamespace(request=request, access=SimpleNamespace(host="https://here")))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"kind": "ServiceList", "metadata": {"resourceVersion": "7"}, "items": []}, "metadata.name: Required value"),
        ({"metadata": {**META, "annotations": [1]}}, 'metadata.annotations: must be of type object: "array"'),
        ({"metadata": {"name": "front", "namespace": "shop"}}, "metadata.uid: Required value"),
    ],
)
def test_something_else_than_what_was_asked_for(body: Any, told: str) -> None:
    with pytest.raises(Unreadable) as problem:
        kube(body).get("services", "shop", "front")
    assert problem.value.message.startswith("https://here answered `get services shop/front` with something else: ")
    assert told in problem.value.message
    assert problem.value.remedy


@pytest.mark.parametrize("items", [["x"], {"a": "b"}, [{"metadata": {}}], "x"])
def test_lists_are_held_to_it_too(items: Any) -> None:
    with pytest.raises(Unreadable, match="answered `list services shop` with something else"):
        kube({"metadata": {}, "items": items}).list("services", "shop")


@pytest.mark.parametrize("body", [{"items": None}, {}, {"metadata": None, "items": []}, {"metadata": [], "items": []}])
def test_an_empty_list_in_any_form(body: Any) -> None:
    assert kube(body).list("services") == []


def test_a_good_one_comes_as_it_is() -> None:
    body = {"metadata": META, "spec": {"ports": [{"port": 80}]}}
    assert kube(body).get("services", "shop", "front") == body
    assert kube({"items": [body]}).list("services") == [body]
