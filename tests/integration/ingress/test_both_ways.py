# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module and action plugin give equal results, and the action steps aside where a task asks for it (issue item 9)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.plays import Played, Stage
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.faults import Timing
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import IngressSpec
from ansible_collections.edgeworks.lb_estate.tests.lab.fixtures import TEST_TIMING
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab, LabCluster

from .workplace import Ingress, stage_of

SLOW = Timing(provision=0.5, speed=TEST_TIMING.speed, retry_most=TEST_TIMING.retry_most)
NOW = {"effectuate": "operator", "allow_disruption": "outage"}
PREFIX = "edgeworks.lb_estate"
# One pair of IngressControllers for each module: the first for the action plugin, the second for the module.
PAIRS = {"ingress_lb_subnets": "sub", "slb_scope": "sco", "lb_effectuate": "eff"}
AS_MODULE = {"environment": {"EDGE": "elsewhere"}}


def options_of(cluster: LabCluster, module: str, name: str) -> dict[str, Any]:
    own = {
        "ingress_lb_subnets": {"subnets": {"ids": list(cluster.aws.spare_public.values())}, **NOW},
        "slb_scope": {"scope": "Internal", **NOW},
        "lb_effectuate": {"changes": ["scope"], **NOW},
    }
    return {"ingress_controller": name, "preflight": "skip", **own[module]}


def task(module: str, options: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": f"Run {module}", f"{PREFIX}.{module}": options, **more}


@pytest.fixture(scope="module")
def cluster(lab: Lab) -> LabCluster:
    pairs = [f"{stem}-{number}" for stem in PAIRS.values() for number in "12"]
    made = lab.cluster(
        "both-ways",
        ingress=tuple(IngressSpec(name, type="NLB", subnets="public") for name in pairs),
        timing=SLOW,
        moto=False,
    )
    for name in ("eff-1", "eff-2"):
        Ingress(made, name).patch_lb(scope="Internal")
        Ingress(made, name).settle()
    return made


@pytest.fixture(scope="module")
def stage(cluster: LabCluster, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return stage_of(tmp_path_factory.mktemp("both-ways"), cluster)


# What is done with each pair, in this order; all of it with one of them, as a process per task is slow.
RUNS = {
    "ingress_lb_subnets": ("applied",),
    "slb_scope": ("refused", "checked", "applied"),
    "lb_effectuate": ("applied",),
}
CASES = [(module, run) for module, runs in RUNS.items() for run in runs]
HALF = len(CASES) + 2  # the cases, the radar, and options nobody can mean
WRONG = {"ingress_controller": "sub-1", "scope": "Sideways", "service": {"namespace": "x", "name": "y"}}
CALM = {"ingress_controller": "sub-1", "scope": "External", "preflight": "skip"}
ASIDE: dict[str, dict[str, Any]] = {
    "async": {"async": 30, "poll": 1},
    "become": {"become": True, "become_method": "oneself"},
    "another connection": {"vars": {"ansible_connection": "elsewhere"}},
}


@pytest.fixture(scope="module")
def played(stage: Stage, cluster: LabCluster) -> Played:
    """Every case by the action plugin, then by the module."""
    tasks: list[dict[str, Any]] = []
    for number, more in ((1, {}), (2, AS_MODULE)):
        for module, run in CASES:
            options = options_of(cluster, module, f"{PAIRS[module]}-{number}")
            if run == "refused":
                options["allow_disruption"] = "none"
            tasks.append(task(module, options, check_mode=run == "checked", **more))
        tasks.append(task("lb_info", {"preflight": "skip"}, **more))
        tasks.append(task("slb_scope", WRONG, **more))
    tasks += [task("slb_scope", CALM, **more) for more in ASIDE.values()]
    return stage.play(tasks, "--diff", "-vvv")


_MOVING = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"),
    (r"a[0-9a-f]{31}-[0-9]+\.[a-z0-9.-]+", "<hostname>"),
    (r"lb_estate/[0-9a-f]{16}", "<transaction>"),
    (r"node ports [0-9, ]+", "node ports <allocated> "),
    (r"\b[0-9a-f]{64}\b", "<fingerprint>"),
    (r'"resource_version": "\d+"', "<version>"),
)


def shape(result: dict[str, Any], stem: str) -> Any:
    """Without what differs between two objects made alike, and what Ansible adds to a module's result."""
    added = ("invocation", "ansible_facts", "warnings", "deprecations")
    text = json.dumps({key: value for key, value in result.items() if key not in added}, sort_keys=True)
    text = re.sub(rf"\b{stem}-[12]\b", stem, text)
    for pattern, word in _MOVING:
        text = re.sub(pattern, word, text)
    return json.loads(text.replace("<version>", '"resource_version": "0"'))


EXPECTED = {"refused": (True, False), "checked": (False, True), "applied": (False, True)}


@pytest.mark.parametrize(("module", "run"), CASES)
def test_equal_results(played: Played, module: str, run: str) -> None:
    """Issue item 9: the same scenario through the action plugin and through the module."""
    start, stem = CASES.index((module, run)), PAIRS[module]
    action, as_module = played.results[start], played.results[start + HALF]
    assert (played.by_module[start], played.by_module[start + HALF]) == (False, True)
    assert (action["failed"], action["changed"]) == EXPECTED[run]
    assert shape(action, stem) == shape(as_module, stem)


def test_equal_results_of_the_radar(played: Played) -> None:
    """Issue item 9: lb_info, on what the runs before it left behind."""
    action, as_module = played.results[len(CASES)], played.results[HALF + len(CASES)]
    assert (played.by_module[len(CASES)], played.by_module[HALF + len(CASES)]) == (False, True)
    assert set(action) == set(shape(as_module, "")) | {"failed"}
    assert [row["name"] for row in action["targets"]] == [row["name"] for row in as_module["targets"]]


def test_progress_lines_with_the_clusters_name(played: Played) -> None:
    """Issue item 9, EST-12: during waits, live, from the action plugin only."""
    lines = [line for line in played.output.splitlines() if "waiting for" in line]
    assert any(line.startswith("[edge-one] IngressController sub-1: waiting for ") for line in lines), played.output
    assert not any("sub-2" in line for line in lines)


def test_diff_mode_shows_what_a_person_edits(played: Played) -> None:
    """CORE-5: with --diff the subnets before and after, without noise."""
    diff = played.results[0]["diff"]
    assert set(diff) == {"before", "after"}
    assert set(diff["before"]) == set(diff["after"]) == {"spec", "annotations", "addresses"}
    assert diff["before"]["annotations"] != diff["after"]["annotations"]


def test_bad_options_both_ways(played: Played) -> None:
    """CORE-7: a sentence each, whoever checks them."""
    action, as_module = played.results[len(CASES) + 1], played.results[HALF + len(CASES) + 1]
    for result in (action, as_module):
        assert result["failed"]
        assert "mutually exclusive: ingress_controller|service" in result["msg"]
        assert "Traceback" not in json.dumps(result)
    assert "Sideways" in action["msg"]


@pytest.mark.parametrize("case", ASIDE)
def test_stepping_aside(played: Played, case: str) -> None:
    """Issue item 9: async, become and non-local connections go to the module, as environment does above."""
    number = 2 * HALF + list(ASIDE).index(case)
    result = played.results[number]
    assert (result["failed"], result["verdict"]) == (False, "in_sync"), played.output
    assert played.by_module[number]
