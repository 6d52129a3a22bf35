# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References between steps, preconditions, and writes whose answers get lost."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import attempts
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    Conflict,
    OutcomeUnknown,
    PortError,
    Unreachable,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import CloudCall
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import (
    CloudAnswer,
    Immutable,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_steps import Answers, Writer, expect
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.patience import Patience

from .clouds import TableCloud

POST = CloudCall("octavia", "POST", "/lbaas/loadbalancers", body={"loadbalancer": {"name": "a"}})
LOST, MADE = CloudAnswer(0, None, "reset"), CloudAnswer(201, {"loadbalancer": {"id": "1"}})
LOCKED = CloudAnswer(409, {"faultstring": "Load Balancer 1 is immutable and cannot be updated."})


class Script(TableCloud):
    """Answers in turn, as a service might give them."""

    def __init__(self, *answers: CloudAnswer) -> None:
        super().__init__({})
        self.answers = list(answers)
        self.made = 0

    def send(self, _call: CloudCall, _tries: object = None) -> CloudAnswer:
        self.made += 1
        return self.answers.pop(0)


def writer(script: Script, total: float = 60) -> Writer:
    slept: list[float] = []
    patience = Patience(total=total, clock=lambda: sum(slept), sleep=slept.append, draw=lambda: 0.5)
    return Writer(script, patience)


def test_references_are_resolved_wherever_they_stand() -> None:
    answers = Answers()
    answers.keep(Step("octavia", "create", "load_balancer", "lb"), {"id": "1", "vip_port_id": "p"})
    ref = {"$from": {"resource": "load_balancer", "name": "lb", "attribute": "vip_port_id"}}
    assert answers.resolve({"a": [{"port_id": ref}], "b": None}) == {"a": [{"port_id": "p"}], "b": None}


def test_a_reference_to_what_was_not_made_is_a_conflict() -> None:
    ref = {"$from": {"resource": "load_balancer", "name": "lb", "attribute": "id"}}
    with pytest.raises(Conflict, match="has not been made"):
        Answers().resolve(ref)


@pytest.mark.parametrize(
    ("planned", "have"),
    [
        ({"name": "a"}, {"name": "a"}),
        ({"tags": ["x", "y"]}, {"tags": ["y", "x"]}),
        ({"allowed_cidrs": []}, {"allowed_cidrs": None}),
        ({"port_id": None}, {"port_id": ""}),
        ({"weight": 0}, {"weight": 0}),
    ],
)
def test_the_same_said_differently_holds(planned: dict[str, Any], have: dict[str, Any]) -> None:
    expect(Step("octavia", "update", "listener", "l", expect=planned), have)


@pytest.mark.parametrize("have", [{"name": "b"}, {"name": None}, None])
def test_another_state_is_a_conflict(have: dict[str, Any] | None) -> None:
    with pytest.raises(Conflict):
        expect(Step("octavia", "update", "listener", "l", expect={"name": "a"}), have)


def test_a_lost_answer_is_looked_for_before_it_is_sent_again() -> None:
    script = Script(LOST)
    assert writer(script).create(POST, "loadbalancer", lambda _tries: {"id": "1"}) == {"id": "1"}
    assert script.made == 1


def test_what_did_not_land_is_sent_again() -> None:
    script = Script(LOST, MADE)
    assert writer(script).create(POST, "loadbalancer", lambda _tries: None) == {"id": "1"}
    assert script.made == 2


HTML = CloudAnswer(200, None, "<html>Please sign in</html>")


@pytest.mark.parametrize("answer", [HTML, CloudAnswer(200, {}), CloudAnswer(201, {"loadbalancer": {}})])
def test_a_create_that_something_else_answered_is_looked_for_and_not_sent_again(answer: CloudAnswer) -> None:
    assert writer(Script(answer)).create(POST, "loadbalancer", lambda _tries: {"id": "1"}) == {"id": "1"}
    script = Script(answer)
    with pytest.raises(OutcomeUnknown, match=r"not octavia's.*is unknown"):
        writer(script).create(POST, "loadbalancer", lambda _tries: None)
    assert script.made == 1


@pytest.mark.parametrize(
    "call",
    [
        CloudCall("octavia", "PUT", "/lbaas/pools/1", body={"pool": {"name": "a"}}),
        CloudCall("octavia", "PUT", "/lbaas/pools/1/members", body={"members": []}),
        CloudCall("neutron", "DELETE", "/ports/1"),
    ],
    ids=str,
)
def test_a_change_that_something_else_answered_is_not_taken_for_done(call: CloudCall) -> None:
    with pytest.raises(OutcomeUnknown, match="is unknown"):
        writer(Script(HTML)).change(call)


def test_a_service_that_stays_away_leaves_the_outcome_unknown() -> None:
    script = Script(*[LOST] * 99)
    with pytest.raises(OutcomeUnknown, match="unknown"):
        writer(script, total=5).create(POST, "loadbalancer", lambda _tries: None)


def test_where_nobody_can_be_asked_either_the_outcome_is_unknown() -> None:
    def away(_tries: object) -> None:
        raise Unreachable("No answer.")

    with pytest.raises(OutcomeUnknown, match="unknown"):
        writer(Script(LOST)).create(POST, "loadbalancer", away)


@pytest.mark.parametrize("words", ["Validation failure: Invalid availability zone.", "Quota has been met"])
def test_a_refusal_is_not_sent_again(words: str) -> None:
    script = Script(CloudAnswer(400, {"faultstring": words}))
    with pytest.raises(PortError):
        writer(script).create(POST, "loadbalancer", lambda _tries: None)
    assert script.made == 1


def test_a_locked_load_balancer_is_the_callers_to_wait_for() -> None:
    script = Script(LOCKED)
    with pytest.raises(Immutable):
        writer(script).change(CloudCall("octavia", "PUT", "/lbaas/pools/1", body={}))


def test_a_deletion_finds_it_gone() -> None:
    assert writer(Script(LOST, CloudAnswer(404))).change(CloudCall("octavia", "DELETE", "/lbaas/pools/1")).status == 404


@pytest.mark.parametrize(
    ("answers", "lost"),
    [
        ((CloudAnswer(500, {"faultstring": "boom"}), LOCKED), True),
        ((LOST, CloudAnswer(404)), True),
        ((LOCKED,), False),
        ((CloudAnswer(429), CloudAnswer(404)), False),
    ],
)
def test_an_answer_that_got_lost_is_noted_whatever_comes_after(answers: Any, lost: bool) -> None:
    attempts.begin()
    with suppress(Immutable):
        writer(Script(*answers)).change(CloudCall("octavia", "PUT", "/lbaas/pools/1", body={"pool": {}}))
    assert attempts.lost() is lost
