# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules' own EXAMPLES: each is proven idempotent and truthful in check mode, and all run as written (issue)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_SUBNETS
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import run_task
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import IngressSpec
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab, LabCluster

from .proofs import prove
from .workplace import Ingress, PlainService, Subject, stage_of

MODULES = Path(__file__).parents[3] / "plugins" / "modules"
PREFIX = "edgeworks.lb_estate."
NAMES = ("ingress_lb_subnets", "slb_scope", "lb_effectuate", "lb_info")


def written(module: str) -> list[dict[str, Any]]:
    """EXAMPLES as they stand in the file."""
    tree = ast.parse((MODULES / f"{module}.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXAMPLES":
            found: list[dict[str, Any]] = yaml.safe_load(ast.literal_eval(node.value))
            return found
    raise AssertionError(f"{module} has no EXAMPLES")


def here(task: dict[str, Any], cluster: LabCluster) -> dict[str, Any]:
    """The subnets of the examples are those of this network."""
    text = yaml.safe_dump(task, sort_keys=False)
    for shown, own in zip(
        ("subnet-0aaaaaaaaaaaaaaa1", "subnet-0bbbbbbbbbbbbbbb2"), cluster.aws.spare_public.values(), strict=False
    ):
        text = text.replace(shown, own)
    found: dict[str, Any] = yaml.safe_load(text)
    return found


# -- what an example finds before it runs -----------------------------------------------------------------------------


def annotated(subject: Ingress) -> None:
    subject.annotate(subnets=next(iter(subject.cluster.aws.public.values())))
    subject.settle()


def pending(subject: Ingress) -> None:
    subject.patch_lb(
        scope="Internal",
        providerParameters={"aws": {"networkLoadBalancer": {"subnets": {"ids": _private(subject)}}}},
    )
    subject.settle()


def frozen(subject: Ingress) -> None:
    aws = {"subnets": None, "eipAllocations": list(subject.cluster.aws.eips[:3])}
    now = {"effectuate": "operator", "allow_disruption": "outage"}
    subject.patch_lb(scope="External", providerParameters={"aws": {"networkLoadBalancer": aws}})
    subject.settle()
    assert not subject.run("lb_effectuate", changes=["all"], **now).get("failed")
    subject.settle()
    subject.patch_lb(scope="Internal", providerParameters={"aws": {"networkLoadBalancer": {"eipAllocations": None}}})
    subject.wait_for(lambda: any("forbidden" in line for line in subject.cluster.operator.log), "the freeze")


def _private(subject: Ingress) -> list[str]:
    return list(subject.cluster.aws.private.values())


BEFORE: dict[str, Callable[[Ingress], None]] = {
    "Take into spec what somebody once set on the Service": annotated,
    "Effectuate a pending scope and subnets change, and nothing else": pending,
    "Rescue a frozen operator and finish the change in stages": frozen,
}


def examples(module: str) -> list[Any]:
    return [pytest.param(task, id=task["name"]) for task in written(module) if f"{PREFIX}{module}" in task]


@pytest.fixture
def default(lab: Lab) -> Ingress:
    """The default IngressController of one cluster for all examples; a plain Service shop/front is there, too."""
    cluster = lab.clusters.get("examples")
    if cluster is None:
        cluster = lab.cluster("examples", moto=False, ingress=(IngressSpec(type="NLB"),))
        front = PlainService(cluster, "front")
        front.create()
        front.settle()
    subject = Ingress(cluster, "default")
    subject.options = {}
    return subject


@pytest.mark.parametrize("task", [one for name in NAMES[:3] for one in examples(name)])
def test_every_example_is_truthful_and_idempotent(default: Ingress, task: dict[str, Any]) -> None:
    """CORE-4, CORE-5: check → apply → apply again; check mode makes no write request, counted at the server."""
    BEFORE.get(task["name"], lambda _subject: None)(default)
    (key,) = [key for key in task if key.startswith(PREFIX)]
    options = here(task, default.cluster)[key] or {}
    subject: Subject = PlainService(default.cluster, "front") if "service" in options else default
    subject.options = {}
    module = key.removeprefix(PREFIX)
    if task.get("check_mode"):
        default.cluster.requests.reset()
        assert not subject.run(module, check=True, **options).get("failed")
        assert subject.writes() == []
    else:
        prove(subject, module, **options)


def test_the_radar_example(default: Ingress) -> None:
    """lb_info: nothing is written."""
    default.cluster.requests.reset()
    assert run_task("lb_info", default.cluster.kubeconfig, preflight="skip")["targets"]
    assert default.writes() == []


def test_all_examples_as_written_by_ansible_playbook(lab: Lab, tmp_path: Path) -> None:
    """Issue item 10: runnable, with module_defaults for the way in and nothing else changed but subnet ids."""
    cluster = lab.cluster("examples-played", ingress=(IngressSpec(type="NLB"),))
    subject = Ingress(cluster, "default")
    front = PlainService(cluster, "front")
    front.create()
    front.settle()
    tasks = [here(task, cluster) for name in NAMES for task in written(name)]
    played = stage_of(tmp_path, cluster).play(tasks)
    assert [result["failed"] for result in played.results] == [False] * len(tasks), played.output
    assert (len(tasks), AWS_SUBNETS in subject.annotations) == (12, False)
