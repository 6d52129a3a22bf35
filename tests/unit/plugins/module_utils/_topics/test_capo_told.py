# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What capo_multiaz_lb tells: events on the object, times by lane, a result as documented."""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Finding, Severity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import run
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Gate
from ansible_collections.edgeworks.lb_estate.plugins.modules import capo_multiaz_lb
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._readers.management import (
    management_cluster,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._topics.test_capo import (
    ACTIVE,
    LOOK,
    RENAME,
    carry_out,
    cloud,
    decided,
    quiet,
    topic,
)


def test_a_refusal_is_told_on_the_object() -> None:
    kube = management_cluster()
    one = topic(kube, cloud())
    one.read()
    one.refused(decided(findings=(Finding("name_taken", Severity.ERROR, "lb", "it is another's."),)))
    assert [event["reason"] for event in kube.objects["events"]] == ["LoadBalancersBlocked"]


@pytest.mark.parametrize("writes", [True, False])
def test_what_the_cloud_lacks_is_told_with_a_change(writes: bool) -> None:
    kube = management_cluster()
    one = topic(kube, cloud())
    seen = one.read()
    lacks = decided(RENAME, findings=(Finding("monitor_unsupported", Severity.WARNING, "lb", "it has none."),))
    if writes:
        one.begin(lacks, seen)
        one.do(RENAME, seen, quiet)
    one.report(lacks)
    reasons = [event["reason"] for event in kube.objects.get("events", [])]
    assert ("SkippedCreateMonitor" in reasons) is writes


def test_time_is_told_by_lane() -> None:
    one = topic(
        management_cluster(), cloud(**{LOOK: [{"loadbalancer": {"provisioning_status": "PENDING_CREATE"}}, ACTIVE]})
    )
    decision = carry_out(one)
    timings = one.report(decision)["timings"]
    assert set(timings["spent"]) == {"observe", "az1", "record"}
    assert timings["total"] == timings["spent"]["az1"] > 0


def test_a_result_has_what_the_module_documents() -> None:
    result = run(topic(management_cluster(), cloud()), Gate(check_mode=True), quiet)
    documented = set(yaml.safe_load(capo_multiaz_lb.RETURN)) - {"error_code"}
    every_results = {"changed", "diff", "pending", "profile", "revert_patch", "revert_disruption", "commands"}
    assert set(result) - every_results == documented
    assert (result["changed"], result["verdict"]) == (True, "update_in_place")
    assert result["dns_records"]["host"] == "api.prod.example.com"


def test_a_check_makes_no_write() -> None:
    kube, at = management_cluster(), cloud()
    run(topic(kube, at), Gate(check_mode=True), quiet)
    assert {call.method for call in at.calls} == {"GET"}
    assert kube.written == []
