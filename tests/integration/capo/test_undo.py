# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a decision did, its undo takes back: on the real Octavia and Neutron, and in the record (CORE-2)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Disruption
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.secrets import Hide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Clock
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._lanes import carry_out
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS, Connections
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.capo import CapoTopic
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import picture

from .conftest import NewWorld
from .world import World

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
TASK = TASKS["capo_multiaz_lb"]
TWO = ("az1", "az2")
MORE: dict[str, Any] = {"additional_ports": [22], "allowed_cidrs": ["10.0.0.0/8"], "monitor": {"delay": 20}}


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    return new_world()


@contextmanager
def topic_for(world: World, zones: tuple[str, ...], **wanted: Any) -> Iterator[CapoTopic]:
    given = {"kubeconfig": str(world.kubeconfig), **world.options(zones, **wanted)}
    checked = ArgumentSpecValidator(dict(TASK.spec()), **TASK.constraints).validate(given)
    assert TASK.topic is not None
    assert not checked.error_messages
    with ExitStack() as until_done:
        options = checked.validated_parameters
        found = TASK.topic(options, Connections(options, until_done, Clock(), Hide(())))
        assert isinstance(found, CapoTopic)
        yield found


@pytest.mark.parametrize(
    ("before", "wanted", "cost"),
    [
        (None, {"floating_ips": True}, Disruption.OUTAGE),
        ({"floating_ips": True}, {"floating_ips": True, "allow_cross_az_members": True, **MORE}, Disruption.OUTAGE),
        ({"floating_ips": True, **MORE}, {"floating_ips": True}, Disruption.NONE),
    ],
    ids=["build", "more", "less"],
)
def test_the_clouds_are_as_before(
    world: World, before: dict[str, Any] | None, wanted: dict[str, Any], cost: Disruption
) -> None:
    """Side by side, as a run would do it: lanes of a phase at once, the last phase first."""
    if before is not None:
        world.converge(TWO, allow_disruption="brief", **before)
    with topic_for(world, TWO, **wanted) as topic:
        seen = topic.read()
        decision = topic.decide(seen)
        topic.begin(decision, seen)
        for steps in (decision.steps, decision.undo):
            carry_out(steps, lambda step: topic.do(step, seen, lambda _text: None), [])
        assert decision.changed
        assert picture(topic.read().observed) == picture(seen.observed)
    assert Disruption.worst(step.disruption for step in decision.undo) is cost
