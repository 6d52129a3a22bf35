# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was planned to go is still due when its turn comes, or it stays (CAPO-8, CAPO-12)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.recheck import settled, still_planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Disruption, Step
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import legacy, seen

GOES = Step("octavia", "delete", "load_balancer", "lb", body={"cascade": True}, uid="1", disruption=Disruption.BRIEF)


@pytest.mark.parametrize("status", ["ACTIVE", "PENDING_UPDATE", "PENDING_CREATE", "PENDING_DELETE", "ERROR"])
def test_what_this_run_itself_changes_counts_as_what_it_will_be(status: str) -> None:
    (lb,) = settled(seen(load_balancers=(legacy(provisioning_status=status),))).load_balancers
    assert lb.provisioning_status == ("ACTIVE" if status == "PENDING_UPDATE" else status)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ({}, True),
        ({"name": "lb-retiring", "lane": "az1 (old)", "expect": {"name": "lb-retiring"}}, True),
        ({"disruption": Disruption.NONE}, True),
        ({"disruption": Disruption.OUTAGE}, False),
        ({"uid": "2"}, False),
        ({"body": {"cascade": False}}, False),
        ({"verb": "update"}, False),
        ({"resource": "listener"}, False),
    ],
    ids=str,
)
def test_the_same_to_the_same_thing_at_no_higher_cost(now: dict[str, Any], due: bool) -> None:
    other = replace(GOES, **now)
    assert still_planned(GOES, [other]) == (other if due else None)
    assert still_planned(GOES, []) is None
