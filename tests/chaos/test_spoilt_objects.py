# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Spoilt objects make sentences, never tracebacks, in every module (Safe ingress 17).

Every trial has a number, and the seed is in the failure's text: LB_ESTATE_CHAOS_SEED repeats a run. `make test` takes
a sample, `make test-long` many more.
"""

from __future__ import annotations

import json
import os
import random
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Failed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import perform
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import validated

from .paper import Key, PaperWire, paper_clock
from .spoiling import spoil
from .worlds import CLASS, FRONT, NAME, PLACES, SHOP, SLICES, STATES, A, world

SEED = int(os.environ.get("LB_ESTATE_CHAOS_SEED") or random.SystemRandom().randrange(100_000))
SAMPLE_SECONDS, WHOLE_SECONDS = 20, 600
NOW = {"allow_disruption": "outage", "restore_edits": True}
CLASSED = {"lb_class": CLASS, "known_classes": {CLASS: "us"}, "allow_disruption": "outage", "unwatched_after": 2}
WAYS: tuple[tuple[str, dict[str, Any]], ...] = (
    (FRONT, {"way": "type_flip"}),
    (FRONT, {"way": "recreate"}),
    (FRONT, {"way": "side_by_side"}),
    (FRONT, {"way": "side_by_side", "traffic_moved": True, "traffic_moved_because": "seen"}),
    ("gone", {}),
    ("flipped", {}),
)
TASKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ingress_lb_subnets", {"subnets": {"ids": [A]}, **NOW, "effectuate": "delete"}),
    ("ingress_lb_subnets", {"subnets": {"names": ["green"]}, **NOW, "effectuate": "operator"}),
    ("ingress_lb_subnets", {"state": "absent"}),
    ("ingress_lb_subnets", {"state": "adopted"}),
    ("slb_scope", {"scope": "Internal", **NOW, "effectuate": "delete"}),
    ("slb_scope", {"scope": "External", **NOW, "effectuate": "operator"}),
    ("slb_scope", {"scope": "Internal", "service": {"namespace": SHOP, "name": FRONT}, **NOW, "effectuate": "delete"}),
    ("slb_scope", {"scope": "Internal", "service": {"namespace": SHOP, "name": "gone"}, **NOW, "effectuate": "delete"}),
    ("lb_effectuate", {**NOW, "effectuate": "operator", "unfreeze": True}),
    ("lb_effectuate", {**NOW, "effectuate": "delete"}),
    ("lb_info", {}),
    *(("service_lb_class", {"service": {"namespace": SHOP, "name": name}, **CLASSED, **given}) for name, given in WAYS),
)
_CLUSTER = ("infrastructures.config.openshift.io", "clusterversions.config.openshift.io")
_ROUTER = (OPERATOR_NAMESPACE, OPERAND_NAMESPACE)
_READ = (
    *_CLUSTER,
    *("ingresscontrollers.operator.openshift.io", "services", "configmaps", "events", "leases.coordination.k8s.io"),
    "deployments.apps",
    SLICES,
)


def read_by(module: str, options: Mapping[str, Any], key: Key) -> bool:
    """Does the module look at this object at all?"""
    resource, namespace, name = key
    if resource not in _READ:
        return False
    if resource in _CLUSTER or module == "lb_info":
        return True
    if "service" in options:
        second = module == "service_lb_class" and name == f"{FRONT}-next"
        return namespace == SHOP and (second or name.endswith(options["service"]["name"]))
    return namespace in _ROUTER and name != f"router-internal-{NAME}"


@dataclass(frozen=True)
class Trial:
    number: int
    module: str
    options: Mapping[str, Any]
    check: bool
    objects: Mapping[Key, Any]
    spoilt: Mapping[Key, Any]

    @staticmethod
    def of(seed: int, number: int) -> Trial:
        draw = random.Random(f"{seed} {number}")
        module, options = draw.choice(TASKS)
        place = draw.choice(PLACES[:2] if module == "ingress_lb_subnets" else PLACES)
        objects = world(place, draw.choice(tuple(STATES)))
        keys = [key for key in objects if read_by(module, options, key)]
        spoilt = {
            key: spoil(draw, objects[key]) for key in draw.sample(keys, min(len(keys), draw.choice((1, 1, 2, 4))))
        }
        return Trial(number, module, options, draw.random() < 0.5, objects, spoilt)

    def run(self) -> dict[str, Any]:
        waits = {} if self.module == "lb_info" else {"wait_timeout": 3, "wait_sleep": 1}
        options = validated(self.module, {"preflight": "skip", **waits, **self.options})
        try:
            return perform(self.module, options, self.check, lambda _text: None, paper_clock())
        except Failed as failure:
            return {**failure.result, "msg": str(failure)}

    def __str__(self) -> str:
        told = json.dumps({" ".join(key): obj for key, obj in self.spoilt.items()}, default=repr)[:3000]
        return (
            f"LB_ESTATE_CHAOS_SEED={SEED}, trial {self.number}: {self.module} {self.options} check={self.check}\n{told}"
        )


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> list[PaperWire]:
    """The server that the next task connects to: the last one in the list."""
    wires: list[PaperWire] = []
    monkeypatch.setattr(Kube, "connect", lambda _options: Kube(wires[-1]))
    return wires


def throw(wire: list[PaperWire], seconds: float) -> int:
    """Trials until the time is up; each is told by its number when it ends in anything but a result."""
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        trial = Trial.of(SEED, number)
        wire.append(PaperWire({**trial.objects, **trial.spoilt}))
        try:
            result = trial.run()
            json.dumps(result)
            assert "error_code" not in result or result["msg"].strip(), "a failure without a word"
        except Exception:
            pytest.fail(f"{trial}\n{traceback.format_exc()}")
        wire.clear()
        number += 1
    return number


def test_a_sample_of_spoilt_objects(wire: list[PaperWire]) -> None:
    assert throw(wire, SAMPLE_SECONDS) > 100


@pytest.mark.long
def test_many_spoilt_objects(wire: list[PaperWire]) -> None:
    assert throw(wire, WHOLE_SECONDS) > 3000


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_nothing_fails_that_way_on_good_objects(wire: list[PaperWire], place: tuple[str, str], state: str) -> None:
    """The trials would prove little if the paper cluster were spoilt by itself."""
    objects = world(place, state)
    for module, options in TASKS:
        wire.append(PaperWire(objects))
        result = Trial(0, module, options, True, objects, {}).run()
        assert "unreadable" not in str(result.get("error_code", "")), result
