# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One cluster's API: reads as plain data, steps with the preconditions they were planned with (CORE-6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    AlreadyExists,
    Conflict,
    Invalid,
    NoSuchApi,
    NotFound,
    Unreadable,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_auth import Access
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_wire import KubeAnswer, KubeCall

FRONT = {
    "kind": "Service",
    "metadata": {"name": "front", "namespace": "shop", "uid": "u1", "resourceVersion": "7"},
    "spec": {"type": "LoadBalancer"},
}
GONE = KubeAnswer(404, {"details": {"name": "front"}})
MOVED = {"kind": "Status", "reason": "Conflict", "message": "moved on"}


def ok(**changes: Any) -> KubeAnswer:
    return KubeAnswer(200, {**FRONT, **changes})


class Server:
    """Stands for the wire: gives these answers in order and remembers the calls."""

    def __init__(self, *answers: KubeAnswer) -> None:
        self.answers, self.calls = list(answers), list[KubeCall]()
        self.access = Access("https://api.example.com", lambda: "Bearer t")
        self.kube = Kube(self)  # type: ignore[arg-type]

    def request(self, call: KubeCall) -> KubeAnswer:
        self.calls.append(call)
        return self.answers.pop(0)

    @property
    def said(self) -> list[str]:
        return [f"{call.method} {call.target}" for call in self.calls]


def step(verb: str, body: Any = None, **more: Any) -> Step:
    return Step("kube", verb, "services", "front", "shop", body, **more)


def test_a_rehearsal_stores_nothing() -> None:
    """CLS-6"""
    server = Server(ok(), KubeAnswer(422, {"message": "no"}))
    assert server.kube.rehearse("services", FRONT)["spec"] == FRONT["spec"]
    assert server.said == ["POST /api/v1/namespaces/shop/services?dryRun=All"]
    with pytest.raises(Invalid):
        server.kube.rehearse("services", FRONT)


# -- reading ----------------------------------------------------------------------------------------------------------


def test_missing_is_a_value_and_a_missing_api_an_error() -> None:
    server = Server(ok(), GONE, KubeAnswer(404, "404 page not found"))
    assert server.kube.get("services", "shop", "front") == FRONT
    assert server.kube.get("services", "shop", "front") is None
    with pytest.raises(NoSuchApi):
        server.kube.get("services", "shop", "front")
    assert server.said[0] == "GET /api/v1/namespaces/shop/services/front"


def page(*names: str, after: str = "") -> KubeAnswer:
    return KubeAnswer(
        200,
        {
            "items": [{"metadata": {**FRONT["metadata"], "name": name}} for name in names],
            "metadata": {"continue": after},
        },
    )


def listed(found: Iterable[dict[str, Any]]) -> list[str]:
    return [item["metadata"]["name"] for item in found]


def test_a_list_follows_its_pages() -> None:
    server = Server(page("a", "b", after="mark"), page("c"))
    assert listed(server.kube.list("services", field_selector="metadata.name=a")) == ["a", "b", "c"]
    assert server.said == [
        "GET /api/v1/services?limit=500&fieldSelector=metadata.name%3Da",
        "GET /api/v1/services?limit=500&fieldSelector=metadata.name%3Da&continue=mark",
    ]


def test_a_page_mark_that_is_too_old_starts_over() -> None:
    server = Server(page("a", after="mark"), KubeAnswer(410, {}), page("b"), page("x"))
    assert listed(server.kube.list("services", "shop")) == ["b"]
    with pytest.raises(Invalid):
        Server(KubeAnswer(410, {})).kube.list("services")  # at the first page it is no old mark


# -- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "method", "body", "repeatable"),
    [
        (step("patch", {"spec": {"a": 1}}), "PATCH", {"spec": {"a": 1}}, False),
        (step("patch", {"spec": {}}, uid="u1"), "PATCH", {"spec": {}, "metadata": {"uid": "u1"}}, False),
        (
            step("patch", {"metadata": {"labels": {}}}, uid="u1", resource_version="7"),
            "PATCH",
            {"metadata": {"labels": {}, "uid": "u1", "resourceVersion": "7"}},
            True,
        ),
        (
            step("replace", {"data": {}}, resource_version="7"),
            "PUT",
            {"data": {}, "metadata": {"resourceVersion": "7"}},
            True,
        ),
        (step("create", {}), "POST", {"metadata": {"name": "front", "namespace": "shop"}}, True),
        (
            step("delete", uid="u1", resource_version="7"),
            "DELETE",
            {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": "u1", "resourceVersion": "7"}},
            True,
        ),
        (step("delete"), "DELETE", {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {}}, False),
    ],
)
def test_a_write_says_what_it_was_planned_for(given: Step, method: str, body: Any, repeatable: bool) -> None:
    """One without a precondition must not be sent twice."""
    server = Server(ok())
    server.kube.do(given)
    (call,) = server.calls
    assert (call.method, call.body, call.repeatable) == (method, body, repeatable)


@pytest.mark.parametrize(
    "expect",
    [
        {"spec": {"type": "LoadBalancer"}},
        {"metadata": {"annotations": {"a": None}}},
        {"metadata": {"resourceVersion": "7"}, "spec": {}},
    ],
)
def test_an_expected_state_is_read_and_pinned(expect: Any) -> None:
    server = Server(ok(), ok())
    server.kube.do(step("patch", {"spec": {}}, expect=expect))
    assert [call.method for call in server.calls] == ["GET", "PATCH"]
    assert server.calls[1].body["metadata"] == {"resourceVersion": "7"}


@pytest.mark.parametrize(
    ("have", "given", "words"),
    [
        (ok(), step("patch", {}, expect={"spec": {"type": "ClusterIP"}}), "not in the state this step was planned for"),
        (ok(), step("patch", {}, expect={"spec": {"type": None}}), "not in the state"),
        (ok(), step("patch", {}, expect={}, uid="another"), "not in the state"),
        (GONE, step("patch", {}, expect={}), "is gone"),
    ],
)
def test_another_state_than_expected_is_a_conflict_and_no_write(have: KubeAnswer, given: Step, words: str) -> None:
    server = Server(have)
    with pytest.raises(Conflict, match=words):
        server.kube.do(given)
    assert [call.method for call in server.calls] == ["GET"]


OVERTAKEN = KubeAnswer(409, MOVED)
LATER = ok(metadata={**FRONT["metadata"], "resourceVersion": "8"})
EXPECTING = step("patch", {"spec": {}}, expect={"spec": {"type": "LoadBalancer"}})


def test_what_still_holds_is_no_conflict_though_a_controller_writes_in_the_same_moment() -> None:
    """Else auto-delete would stay armed because the operator wrote its status just then (SUB-6)."""
    server = Server(ok(), OVERTAKEN, LATER, LATER)
    server.kube.do(EXPECTING)
    assert [call.method for call in server.calls] == ["GET", "PATCH", "GET", "PATCH"]
    assert server.calls[3].body["metadata"] == {"resourceVersion": "8"}


@pytest.mark.parametrize(
    ("given", "answers"),
    [
        pytest.param(EXPECTING, [ok(), OVERTAKEN, ok(spec={"type": "ClusterIP"})], id="it holds no more"),
        pytest.param(EXPECTING, [ok(), OVERTAKEN] * 5, id="again and again"),
        pytest.param(replace(EXPECTING, resource_version="7"), [ok(), OVERTAKEN], id="planned for one version"),
    ],
)
def test_but_not_for_ever(given: Step, answers: list[KubeAnswer]) -> None:
    server = Server(*answers)
    with pytest.raises(Conflict):
        server.kube.do(given)
    assert server.answers == []


LOST = KubeAnswer(409, MOVED, unsure=True)


@pytest.mark.parametrize(
    ("given", "have"),
    [
        pytest.param(step("patch", {"spec": {"type": "LoadBalancer"}}, resource_version="6"), ok(), id="patch"),
        pytest.param(step("replace", {"spec": {"type": "LoadBalancer"}}, resource_version="6"), ok(), id="replace"),
        pytest.param(
            step("create", {"spec": {"type": "LoadBalancer"}}),
            KubeAnswer(200, {**FRONT, "metadata": {**FRONT["metadata"], "namespace": "shop"}}),
            id="create",
        ),
    ],
)
def test_a_conflict_with_our_own_lost_write_is_none(given: Step, have: KubeAnswer) -> None:
    server = Server(LOST, have)
    assert server.kube.do(given) == have.body


@pytest.mark.parametrize(
    ("given", "have"),
    [
        pytest.param(step("patch", {"spec": {"type": "ClusterIP"}}, resource_version="6"), ok(), id="overtaken"),
        pytest.param(step("patch", {"spec": {}}, uid="another", resource_version="6"), ok(), id="another object"),
        pytest.param(step("patch", {"spec": {}}, resource_version="6"), GONE, id="gone"),
        pytest.param(step("delete", uid="u1"), ok(), id="not deleted"),
    ],
)
def test_a_conflict_with_somebody_else_is_one(given: Step, have: KubeAnswer) -> None:
    with pytest.raises(Conflict):
        Server(LOST, have).kube.do(given)


def test_a_conflict_that_is_certain_is_not_looked_into() -> None:
    server = Server(KubeAnswer(409, MOVED))
    with pytest.raises(Conflict):
        server.kube.do(step("patch", {"spec": {"type": "LoadBalancer"}}, resource_version="6"))
    assert len(server.calls) == 1


@pytest.mark.parametrize(
    ("answers", "left"),
    [
        pytest.param([GONE], None, id="gone already"),
        pytest.param([KubeAnswer(200, {"kind": "Status"})], None, id="a word"),
        pytest.param([ok()], None, id="as it last was"),
        pytest.param([ok(metadata={"finalizers": ["cleanup"]})], {"finalizers": ["cleanup"]}, id="held"),
        pytest.param([LOST, GONE], None, id="lost, gone"),
        pytest.param([LOST, ok(metadata={**FRONT["metadata"], "uid": "u2"})], None, id="lost, another has come"),
        pytest.param(
            [LOST, ok(metadata={**FRONT["metadata"], "deletionTimestamp": "now"})],
            {**FRONT["metadata"], "deletionTimestamp": "now"},
            id="lost, going",
        ),
    ],
)
def test_what_a_deletion_leaves(answers: list[KubeAnswer], left: Any) -> None:
    found = Server(*answers).kube.do(step("delete", uid="u1"))
    assert (found and found["metadata"]) == left


def test_somebody_elses_object_is_welcome_only_where_that_is_said() -> None:
    taken = KubeAnswer(409, {"reason": "AlreadyExists", "message": "taken"})
    assert Server(taken, ok()).kube.do(step("create", {"spec": {"a": 1}}), exists_ok=True) == FRONT
    with pytest.raises(AlreadyExists):
        Server(taken).kube.do(step("create", {"spec": {"a": 1}}))


def test_a_refusal_is_told() -> None:
    with pytest.raises(NotFound):
        Server(GONE).kube.do(step("patch", {"spec": {}}))


@pytest.mark.parametrize("given", [step("wait"), Step("octavia", "create", "load_balancer", "a")])
def test_other_ports_steps_are_not_carried_out(given: Step) -> None:
    server = Server()
    with pytest.raises(ValueError, match="is not a step for this port"):
        server.kube.do(given)


def test_it_says_where_it_is_and_closes_its_connections() -> None:
    closed: list[bool] = []
    wire = SimpleNamespace(access=Access("https://api.example.com", lambda: ""), close=lambda: closed.append(True))
    with Kube(wire) as kube:  # type: ignore[arg-type]
        assert kube.host == "https://api.example.com"
    assert closed == [True]


META = {"name": "front", "namespace": "shop", "uid": "u1", "resourceVersion": "7"}


def answering(body: Any) -> Kube:
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
        answering(body).get("services", "shop", "front")
    assert problem.value.message.startswith("https://here answered `get services shop/front` with something else: ")
    assert told in problem.value.message
    assert problem.value.remedy


@pytest.mark.parametrize("items", [["x"], {"a": "b"}, [{"metadata": {}}], "x"])
def test_lists_are_held_to_it_too(items: Any) -> None:
    with pytest.raises(Unreadable, match="answered `list services shop` with something else"):
        answering({"metadata": {}, "items": items}).list("services", "shop")


@pytest.mark.parametrize("body", [{"items": None}, {"metadata": None, "items": []}, {"metadata": [], "items": []}])
def test_an_empty_list_in_any_form(body: Any) -> None:
    assert answering(body).list("services") == []


@pytest.mark.parametrize("body", [{}, {"kind": "Status", "metadata": {}}, {"pools": []}])
def test_what_is_no_list_is_not_an_empty_one(body: Any) -> None:
    with pytest.raises(Unreadable, match="no list of items"):
        answering(body).list("services", "shop")


@pytest.mark.parametrize("body", [{}, {"status": {}}, {"status": {"allowed": "yes"}}])
def test_an_answer_about_rights_that_is_none_is_neither_yes_nor_no(body: Any) -> None:
    with pytest.raises(Unreadable, match=r"status\.allowed"):
        answering(body).may("get", "services", "shop")


@pytest.mark.parametrize("verb", ["create", "patch", "replace"])
def test_a_write_is_believed_when_the_object_comes_back(verb: str) -> None:
    step = Step("kube", verb, "services", "front", "shop", body={"metadata": {"name": "front"}, "spec": {}})
    with pytest.raises(Unreadable, match="with something else"):
        answering({}).do(step)


def test_a_good_one_comes_as_it_is() -> None:
    body = {"metadata": META, "spec": {"ports": [{"port": 80}]}}
    assert answering(body).get("services", "shop", "front") == body
    assert answering({"items": [body]}).list("services") == [body]
