# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens, in one sentence (CORE-7, Safe CAPO 15)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide, decide_members
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.message import DONE, account, counted
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo import changes
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    legacy,
    machines,
    seen,
    want,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import QUIET, built

REPLACED = (
    "1 load balancer would be created; 1 load balancer would be set aside; 1 floating IP would be created; "
    "1 record would be written."
)
MARKED = (
    "1 floating IP would be marked anew; 1 part of a load balancer would be changed in place; "
    "1 record would be written."
)


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        (
            changes.nothing_yet,
            "3 load balancers would be created; 3 floating IPs would be created; 1 record would be written.",
        ),
        (
            changes.everything_gone,
            "1 load balancer would be deleted; 1 floating IP would be deleted; 1 record would be written.",
        ),
        (
            changes.a_zone_less,
            "1 load balancer would be deleted; 1 floating IP would be deleted; 1 record would be written.",
        ),
        (changes.another_uid, MARKED),
        (changes.another_machine, "1 list of members would be changed."),
        (changes.another_monitor, "1 part of a load balancer would be changed in place."),
        (changes.a_floating_ip_to_attach, "1 floating IP would be moved; 1 record would be written."),
        (
            changes.another_subnet,
            REPLACED,
        ),
    ],
)
def test_a_plan_says_how_many_of_what(scenario: Callable[[], changes.Scenario], message: str) -> None:
    cloud, wish = scenario()
    assert decide(wish, cloud.observed).message == message


def test_what_was_done_is_told_in_the_same_words() -> None:
    cloud, wish = changes.nothing_yet()
    steps = decide(wish, cloud.observed).steps
    assert account(steps, DONE) == ("3 load balancers were created; 3 floating IPs were created; 1 record was written.")
    assert account(steps[:1], DONE) == "1 load balancer was created."
    assert account((), DONE) == ""


def test_the_legacy_one_is_renamed() -> None:
    cloud, wish = changes.legacy_to_adopt()
    assert "1 load balancer would be renamed" in decide(wish, cloud.observed).message


def test_when_nothing_is_to_do_the_message_says_what_stands() -> None:
    wish = want("az1", "az2", **QUIET)
    cloud = built(wish)
    assert decide(wish, cloud.observed).message == "2 load balancers, one per zone: as wanted."
    assert decide_members(wish, cloud.observed).message == "The members of 2 load balancers are as wanted."
    assert decide(want(), seen()).message == "No zone has a load balancer of its own."
    assert decide(want(state="absent"), seen()).message == "No load balancer of this cluster is left."
    others = seen(load_balancers=(legacy(on=machines("az1")),))
    told = decide(want(state="absent"), others).message
    assert "made by others and stay: k8s-clusterapi-cluster-default-demo-kubeapi." in told


@pytest.mark.parametrize(("number", "text"), [(0, "0 zones"), (1, "1 zone"), (2, "2 zones")])
def test_counted(number: int, text: str) -> None:
    assert counted(number, "zone") == text


def test_a_lock_that_was_left_behind_is_no_part_of_a_load_balancer() -> None:
    lock = Step("neutron", "delete", "lock", "any")
    assert account([lock], DONE) == "1 lock of a killed run was taken away."
    assert account([lock, lock], DONE) == "2 locks of killed runs were taken away."
