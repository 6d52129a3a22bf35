# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same for CAPO's objects and OpenStack's answers: spoilt ones make sentences, never tracebacks (Safe CAPO 15)."""

from __future__ import annotations

import copy
import json
import random
import time
import traceback
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import name_service
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import Cloud
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Failed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import perform
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import validated

from .capo_world import answers, objects
from .paper import PaperWire, paper_clock
from .paper_cloud import PaperCloud
from .spoiling import spoil
from .test_spoilt_objects import SEED

SAMPLE_SECONDS, WHOLE_SECONDS = 10, 300
MODULE = "capo_multiaz_lb"
MAPPED = {"zones": [{"zone": "az1", "subnet": {"id": "s1"}}], "network": {"id": "net"}}
MOVED = {"traffic_moved": True, "allow_disruption": "outage", "upkeep": True}
BARE = {
    "management_cluster": False,
    "managed_load_balancer": False,
    "endpoint_host": "api.example.com",
    "floating_ips": False,
    "machines": [{"name": "cp-0", "address": "10.0.0.10", "failure_domain": "az1"}],
}
TASKS: tuple[dict[str, Any], ...] = (
    MAPPED,
    {},
    {**MAPPED, **MOVED, "legacy": "retire"},
    {**MAPPED, "members_only": True},
    {"state": "single", **MOVED},
    {"state": "absent", **MOVED},
    {**MAPPED, **BARE},
)


class Trial:
    def __init__(self, number: int) -> None:
        draw = random.Random(f"{SEED} capo {number}")
        self.number, self.options, self.check = number, draw.choice(TASKS), draw.random() < 0.5
        self.objects, self.answers = copy.deepcopy(objects()), copy.deepcopy(answers())
        self.spoilt: dict[str, Any] = {}
        for _one in range(draw.choice((1, 1, 2, 4))):
            place: Any = self.objects if draw.random() < 0.5 else self.answers
            key = draw.choice(list(place))
            place[key] = self.spoilt[str(key)] = spoil(draw, place[key])

    def run(self) -> dict[str, Any]:
        base = {"cluster": "prod", "namespace": "capi", "wait_timeout": 3, "wait_sleep": 1}
        options = validated(MODULE, {**base, **self.options})
        try:
            return perform(MODULE, options, self.check, lambda _text: None, paper_clock())
        except Failed as failure:
            return {**failure.result, "msg": str(failure)}

    def __str__(self) -> str:
        told = json.dumps(self.spoilt, default=repr)[:3000]
        return f"LB_ESTATE_CHAOS_SEED={SEED}, trial {self.number}: {self.options} check={self.check}\n{told}"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a trial on its own paper."""
    monkeypatch.setattr(name_service, "addresses", lambda _host, **_within: ("10.0.0.5",))

    def one(trial: Trial) -> dict[str, Any]:
        wire, cloud = PaperWire(trial.objects), PaperCloud(trial.answers)
        monkeypatch.setattr(Kube, "connect", lambda _options: Kube(wire))  # type: ignore[arg-type]
        monkeypatch.setattr(Cloud, "connect", lambda _options: cloud)
        return trial.run()

    return one


def throw(run: Any, seconds: float) -> int:
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        trial = Trial(number)
        try:
            result = run(trial)
            json.dumps(result)
            assert "error_code" not in result or result["msg"].strip(), "a failure without a word"
        except Exception:
            pytest.fail(f"{trial}\n{traceback.format_exc()}")
        number += 1
    return number


def test_a_sample_of_spoilt_objects_and_answers(run: Any) -> None:
    assert throw(run, SAMPLE_SECONDS) > 20


@pytest.mark.long
def test_many_spoilt_objects_and_answers(run: Any) -> None:
    assert throw(run, WHOLE_SECONDS) > 1500


@pytest.mark.parametrize("options", TASKS, ids=str)
def test_nothing_fails_that_way_on_good_ones(run: Any, options: dict[str, Any]) -> None:
    """The trials would prove little if the paper cloud were spoilt by itself."""
    trial = Trial(0)
    trial.objects, trial.answers, trial.options, trial.check = objects(), answers(), options, True
    result = run(trial)
    assert "error_code" not in result or result["error_code"] in ("blocked", "disruption_not_allowed"), result["msg"]
