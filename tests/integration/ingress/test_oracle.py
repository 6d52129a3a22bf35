# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded histories as oracle: in check mode the module foretells what each recorded step then did (CORE-5).

Twin and model share code, so only what the running operator did can tell whether a prediction is right. Every recorded
patch that the module's options can say is asked of the module first, over HTTPS, on the twin at that point of history.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig, merge_patch
from ansible_collections.edgeworks.lb_estate.tests.conformance.__main__ import OWN
from ansible_collections.edgeworks.lb_estate.tests.conformance.runner import load
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import Result, run_task
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.server import ApiServer
from ansible_collections.edgeworks.lb_estate.tests.lab.operator.stepwise import Stepwise

HISTORIES = load(OWN)
_CHANGED = re.compile(r"The IngressController (\S+) (?:was|were) changed from ")
_LB = ("spec", "endpointPublishingStrategy", "loadBalancer")
_PARAMS = {"Classic": "classicLoadBalancer", "NLB": "networkLoadBalancer"}
_SAYABLE = {"scope", "providerParameters"}


@dataclass
class Tally:
    asked: int = 0
    wrong: list[str] = field(default_factory=list)


def options_for(ic: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any] | None:
    """The module's options for a recorded patch, or None when they cannot say it."""
    lb = dig(patch, *_LB)
    if "metadata" in patch or lb is None or set(lb) - _SAYABLE:
        return None
    options: dict[str, Any] = {"scope": lb["scope"]} if "scope" in lb else {}
    aws = dig(lb, "providerParameters", "aws")
    if "providerParameters" in lb and aws is None:
        return None
    if aws is None:
        return options
    kind = aws.get("type")
    block = aws.get(_PARAMS.get(kind, ""), {})
    if set(aws) - {"type", _PARAMS.get(kind, "")} or set(block) - {"subnets", "eipAllocations"}:
        return None
    options["lb_type"] = kind
    before, after = (
        dig(obj, *_LB, "providerParameters", "aws", _PARAMS[kind]) or {} for obj in (ic, merge_patch(ic, patch))
    )
    if before != after and _unordered(before) == _unordered(after):
        return None  # a mere reordering, which the module never sends
    if "subnets" in block:
        wanted = after.get("subnets")
        options |= {"subnets": wanted} if wanted else {"state": "absent"}
    if "eipAllocations" in block:
        options["eip_allocations"] = after.get("eipAllocations") or []
    return options


def _unordered(params: dict[str, Any]) -> Any:
    subnets = params.get("subnets") or {}
    return {key: sorted(values) for key, values in subnets.items()}, sorted(params.get("eipAllocations") or [])


def foretold(result: Result) -> dict[str, Any]:
    waits = [dig(step, "wait_for", "until") for step in result["steps"] if step["verb"] == "wait"]
    return {
        "refused": result["verdict"] == "invalid",
        "recreated": "recreated" in waits,
        # What the operator says; silent differences have no words of its.
        "pending": sorted(entry["field"] for entry in result["pending"] if entry["message"]),
        "frozen": bool(result.get("stages")) or any(f["code"] == "operator_frozen" for f in result["findings"]),
    }


def recorded(expect: dict[str, Any], progressing: str) -> dict[str, Any]:
    fields = _CHANGED.findall(progressing)
    return {
        "refused": "rejected" in expect,
        "recreated": expect["recreated"],
        "pending": sorted(fields),
        "frozen": expect.get("frozen", False),
    }


def replay(history: dict[str, Any], directory: Path, server: ApiServer) -> Iterator[str]:
    """One line for each prediction: empty when right."""
    name = history["ic_name"]
    lab = Stepwise(history["platform"], history["version"])
    lab.cluster.name = history["id"].lower().replace(".", "-")
    server.add(lab.cluster)
    kubeconfig = directory / f"{lab.cluster.name}.yaml"
    kubeconfig.write_text(server.kubeconfig(lab.cluster.name), encoding="utf-8")
    progressing = ""
    for number, step in enumerate(history["steps"]):
        said = None
        if step["op"] == "patch_ic" and lab.service(name) is not None:
            options = options_for(lab.ic(name) or {}, step["patch"])
            if options is not None and history["platform"] == "AWS":
                said = run_task(
                    "ingress_lb_subnets", kubeconfig, check=True, ingress_controller=name, preflight="skip", **options
                )
            elif options is not None and set(options) == {"scope"}:
                said = run_task(
                    "slb_scope", kubeconfig, check=True, ingress_controller=name, preflight="skip", **options
                )
        _act(lab, name, step)
        expect = step["expect"]
        progressing = dig(expect, "conditions", "LoadBalancerProgressing") or progressing
        if said is not None and not _unsupported(said):
            yield _compared(history["id"], number, said, expect, progressing)


def _unsupported(said: Result) -> bool:
    """A version without the field: the API server drops it silently, the module says so instead (SUB-11)."""
    return any(finding["code"] == "version_lacks_field" for finding in said["findings"])


def _compared(history: str, number: int, said: Result, expect: dict[str, Any], progressing: Any) -> str:
    want = recorded(expect, progressing[2] if progressing else "")
    got = foretold(said)
    if got["frozen"] and want["frozen"]:
        return ""  # the module plans round the freeze, so the rest is of another plan
    if any(finding["code"] == "status_frozen" for finding in said["findings"]):
        stale = not expect["recreated"] and "conditions" not in expect
        return "" if stale else f"{history} step {number}: foretold a stale status, recorded {expect}"
    if want["refused"] and got["refused"]:
        return ""
    if got["recreated"]:
        got["pending"] = []
    return "" if got == want else f"{history} step {number}: foretold {got}, recorded {want}"


def _act(lab: Stepwise, name: str, step: dict[str, Any]) -> None:
    try:
        if step["op"] == "create":
            lab.create(name, step["spec"], step["annotations"])
        elif step["op"] == "patch_ic":
            lab.patch(name, step["patch"])
        elif step["op"] == "patch_service":
            lab.patch_service(name, step["patch"])
        elif step["op"] == "delete_service":
            lab.delete_service(name)
        else:
            lab.cloud_fails = step["fails"]
    except ApiError:
        return  # a refusal is part of the recording
    if lab.ic(name) is not None:
        lab.rest(name)


@pytest.fixture(scope="module")
def server() -> Iterator[ApiServer]:
    running = ApiServer()
    try:
        yield running
    finally:
        running.stop()


VERSIONS = sorted({history["version"] for history in HISTORIES})
_SEED, _SAMPLE = 20261116, 12


def _disagreements(histories: list[dict[str, Any]], directory: Path, server: ApiServer) -> Tally:
    tally = Tally()
    for history in histories:
        for line in replay(history, directory, server):
            tally.asked += 1
            if line:
                tally.wrong.append(line)
    return tally


@pytest.mark.parametrize("version", VERSIONS)
def test_check_mode_foretells_a_sample(version: str, tmp_path: Path, server: ApiServer) -> None:
    """A seeded sample of every release; the whole takes minutes and is left to make test-long."""
    of_release = [history for history in HISTORIES if history["version"] == version]
    chosen = random.Random(f"{_SEED}{version}").sample(of_release, _SAMPLE)
    tally = _disagreements(chosen, tmp_path, server)
    assert not tally.wrong, "\n".join(tally.wrong)
    assert tally.asked >= 5  # so that the recording cannot silently stop asking


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
def test_check_mode_foretells_everything_recorded(version: str, tmp_path: Path, server: ApiServer) -> None:
    tally = _disagreements([entry for entry in HISTORIES if entry["version"] == version], tmp_path, server)
    assert not tally.wrong, "\n".join(tally.wrong)
    assert tally.asked >= 60
