# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API's load balancers as one decision (API-1 … API-8)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.config import ApiConfig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.decide import decide, proven
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import (
    BalancersQuestion,
    PathQuestion,
    PathSeen,
    WantedApi,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import SKIPPED
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.holder import Holder
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Severity,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    ADDRESSES,
    CONNECTED,
    INFRA_ID,
    SILENT,
    all_live,
    codes,
    decided,
    live,
    observed,
    wanted,
    writes,
)

INSIDE_ONES = ("internal", "machine_config_server")
INSIDE = {"10.0.0.7:6443": CONNECTED, "20.0.0.7:6443": PathSeen("connected", peers=("20.0.0.7",))}


@pytest.mark.parametrize("platform", ADDRESSES)
def test_nothing_there_yet(platform: str) -> None:
    """API-1: all are made before anything is waited for."""
    found = decided(wanted(platform), observed(platform))
    assert (found.verdict, found.disruption) == (Verdict.UPDATE_IN_PLACE, Disruption.NONE)
    assert [step.verb for step in found.steps] == ["create"] * 3 + ["wait"] * 3
    assert [entry["metadata"]["name"] for entry in found.standing["manifests"]] == [
        "external-lb",
        "internal-lb",
        "internal-lb-machine-config-server",
    ]


@pytest.mark.parametrize("platform", ADDRESSES)
def test_everything_there(platform: str) -> None:
    found = decided(wanted(platform), observed(platform, all_live(platform)))
    assert (found.verdict, found.steps, found.before) == (Verdict.IN_SYNC, (), found.after)
    assert {role: entry["ready"] for role, entry in found.standing["services"].items()} == {
        "external": True,
        "internal": True,
        "machine_config_server": True,
    }


@pytest.mark.parametrize(
    ("public", "said", "roles"),
    [(True, None, 3), (False, None, 2), (True, False, 2), (False, True, 3)],
)
def test_who_needs_a_public_one(public: bool, said: bool | None, roles: int) -> None:
    """API-8: install-config decides where the task does not."""
    seen = observed(config=ApiConfig(INFRA_ID, "prod.example.com", public))
    assert len(writes(decided(wanted(public=said), seen))) == roles


def test_nobody_says_whether_it_is_public() -> None:
    found = decided(wanted(public=None), observed(config=ApiConfig(INFRA_ID)))
    assert (found.verdict, codes(found)) == (Verdict.BLOCKED, ["public_unknown"])


def test_a_public_one_is_never_taken_away_because_nobody_said_anything() -> None:
    """API-5"""
    seen = observed(services=all_live(), config=ApiConfig(INFRA_ID, "prod.example.com", False))
    found = decided(wanted(public=None), seen)
    assert (found.verdict, codes(found)) == (Verdict.IN_SYNC, ["public_unexpected"])


def off(**more: Any) -> WantedApi:
    return wanted(public=False, **more)


def test_public_off_touches_nothing_else() -> None:
    """API-5"""
    question = decide(off(), observed(services=all_live()))
    assert question == PathQuestion(("10.0.0.7:6443", "20.0.0.7:6443"))
    found = decided(off(), observed(services=all_live(), paths=INSIDE))
    assert {step.name for step in found.steps} == {"external-lb", "lb-estate-saved-external-lb"}
    assert (found.disruption, found.verdict) == (Disruption.OUTAGE, Verdict.UPDATE_IN_PLACE)


def test_public_on_touches_nothing_else() -> None:
    """API-5"""
    services = all_live()
    del services["external"]
    assert writes(decided(wanted(), observed(services=services))) == [("create", "services", "external-lb")]


def test_never_the_last_path() -> None:
    """API-7"""
    seen = observed(services=all_live(), paths={**INSIDE, "10.0.0.7:6443": SILENT})
    found = decided(off(), seen)
    assert (found.verdict, codes(found), found.steps) == (Verdict.BLOCKED, ["last_path"], ())
    assert decided(off(vouched_paths=("internal-lb",)), seen).steps


def test_a_load_balancer_without_endpoints_is_no_path() -> None:
    """API-7, API-3"""
    services = all_live()
    young = {"metadata": {**services["internal"]["metadata"], "creationTimestamp": "2027-01-15T07:59:00Z"}}
    services["internal"] |= young
    seen = observed(services=services, endpoints={"external": ("10.0.0.1",), "machine_config_server": ("10.0.0.1",)})
    found = decided(off(), seen)
    assert (writes(found), found.more_stages, found.later) == ([], True, Disruption.OUTAGE)
    hasty = decided(off(vouched_paths=("internal-lb",)), seen.answered(paths=INSIDE), waits=False)
    assert codes(hasty)[-1] == "last_path"


def test_what_is_missing_is_made_before_something_goes() -> None:
    """API-7: in one task the internal one comes first; the removal is decided on when it is there."""
    found = decided(off(), observed(services={"external": live("external")}))
    assert {step.name for step in found.steps} == {"internal-lb", "internal-lb-machine-config-server"}
    assert (found.more_stages, found.later, found.disruption) == (True, Disruption.OUTAGE, Disruption.OUTAGE)


def test_all_gone_takes_another_path_that_answers() -> None:
    """API-7: one after the other."""
    seen = observed(services=all_live(), paths={**INSIDE, "bastion:6443": CONNECTED})
    away = WantedApi(state="absent")
    assert codes(decided(away, seen)) == ["last_path"]
    found = decided(replace(away, other_paths=("bastion",)), seen)
    assert {step.name for step in found.steps if step.resource == "services"} == {"external-lb"}
    assert found.more_stages
    assert found.after["internal"] is None


def test_the_machine_config_server_is_no_path_to_the_api() -> None:
    found = decided(wanted(machine_config_server=False), observed(services=all_live()))
    assert {step.name for step in found.steps if step.resource == "services"} == {"internal-lb-machine-config-server"}


@pytest.mark.parametrize("way", ["task", "cluster"])
def test_a_cluster_that_brings_its_own_is_left_alone(way: str) -> None:
    """API-6"""
    config = ApiConfig(INFRA_ID, opt_out="Infrastructure says so" if way == "cluster" else "")
    found = decided(wanted(opt_out=way == "task"), observed(config=config))
    assert (found.verdict, found.steps, codes(found)) == (Verdict.IN_SYNC, (), ["api_opted_out"])
    assert found.findings[0].severity is Severity.INFO
    there = decided(wanted(opt_out=True), observed(services=all_live()))
    assert (there.findings[0].severity, there.steps) == (Severity.WARNING, ())


def test_a_platform_the_document_does_not_know() -> None:
    """API-8"""
    found = decided(wanted("OpenStack"), observed("OpenStack"))
    assert (found.verdict, codes(found)) == (Verdict.BLOCKED, ["platform_unsupported"])
    assert "openstack-internal-load-balancer" in found.findings[0].what
    given = {role: {"example.com/lb": role} for role in ("external", "internal", "machine_config_server")}
    made = decided(wanted("OpenStack", annotations=given), observed("OpenStack"))
    assert [step.body["metadata"]["annotations"] for step in made.steps[:3]] == [
        given["external"],
        *(
            {"service.beta.kubernetes.io/openstack-internal-load-balancer": "true", **given[role]}
            for role in INSIDE_ONES
        ),
    ]


def test_all_problems_at_once() -> None:
    """CORE-7"""
    found = decided(WantedApi(addresses={"private": ("10.0.0.7", "10.0.0.8")}), observed(config=ApiConfig(INFRA_ID)))
    assert found.verdict is Verdict.INVALID
    assert sorted(set(codes(found))) == ["address_unusable", "public_unknown"]
    assert all(entry.what in found.message for entry in found.findings)


def test_a_run_under_way_is_not_disturbed() -> None:
    """CORE-11"""
    holder = Holder("somebody", "now", 1.0, 60)
    assert codes(decided(wanted(), observed(holder=holder))) == ["locked"]


def test_aws_is_asked_before_a_load_balancer_is_made() -> None:
    seen = observed("AWS").answered(aws_skipped=False)
    question = decide(wanted("AWS"), seen)
    assert isinstance(question, BalancersQuestion)
    assert [(role, one.whole, one.lb.scope) for role, one in question.about] == [
        ("external", True, "External"),
        ("internal", True, "Internal"),
        ("machine_config_server", True, "Internal"),
    ]
    answers = {role: replace(SKIPPED, skipped=False, required=True) for role, _one in question.about}
    assert "aws_not_asked" in codes(decided(wanted("AWS"), seen.answered(aws=answers)))
    fine = dict.fromkeys(answers, SKIPPED)
    assert isinstance(decide(wanted("AWS"), seen.answered(aws=fine)), Decision)


def test_without_waiting_a_kept_manifest_stays_until_the_next_run() -> None:
    given = {"public": ("eipalloc-0123456789abcdef9",)}
    away = {**INSIDE, "198.51.100.7:6443": SILENT, "10.0.0.4:6443": CONNECTED}
    what = wanted("AWS", addresses={**ADDRESSES["AWS"], **given})
    seen = observed("AWS", all_live("AWS"), paths=away)
    forgets = [writes(decided(what, seen, waits))[-1][:2] == ("delete", "configmaps") for waits in (True, False)]
    assert forgets == [True, False]


def test_rendered_asks_nobody_and_does_nothing() -> None:
    """API-8"""
    found = decided(wanted("AWS", state="rendered"), observed("AWS"))
    assert (found.verdict, found.steps, len(found.standing["manifests"])) == (Verdict.IN_SYNC, (), 3)


def test_paths_that_were_connected_to() -> None:
    assert proven(observed(paths={"a:1": CONNECTED, "b:1": SILENT})) == ("a:1",)
    assert proven(observed()) == ()


def test_the_same_input_gives_the_same_plan() -> None:
    """CORE-1"""
    one, two = (decided(wanted(), observed()) for _time in range(2))
    assert one.fingerprint == two.fingerprint
