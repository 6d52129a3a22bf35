# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EST-2: a plan as a terminal table, JSON and Markdown, as golden texts."""

from __future__ import annotations

import json

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import render
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Plan,
    Step,
    Target,
    Verdict,
)

SCOPE = Decision(
    Target("IngressController", "default", "openshift-ingress-operator", "prod-aws"),
    Verdict.RECREATE,
    "scope External → Internal\nneeds a new load balancer | hostname changes",
    Disruption.OUTAGE,
    steps=(Step("kube", "delete", "services", "router-default", "openshift-ingress", disruption=Disruption.OUTAGE),),
)
AZURE = Decision(
    Target("IngressController", "internal", "openshift-ingress-operator", "az"),
    Verdict.UPDATE_IN_PLACE,
    "scope is applied to the live Service",
    Disruption.BRIEF,
)
PLAN = Plan((SCOPE, AZURE))


def test_the_table() -> None:
    assert render.table(PLAN).splitlines() == [
        "CLUSTER   TARGET                      VERDICT          DISRUPTION  WHY",
        "az        IngressController/internal  update_in_place  brief       scope is applied to the live Service",
        (
            "prod-aws  IngressController/default   recreate         outage      "
            "scope External → Internal needs a new load balancer | hostname changes"
        ),
        "",
        "2 targets: 1 update_in_place, 1 recreate. Worst disruption: outage.",
        f"Plan {PLAN.fingerprint}",
    ]


def test_a_long_reason_is_cut_and_nothing_else() -> None:
    last = render.table(PLAN, most_why=20).splitlines()[2]
    assert last == "prod-aws  IngressController/default   recreate         outage      scope External → In…"
    assert len("scope External → In…") == 20


def test_a_reason_of_just_the_width_is_whole() -> None:
    assert render.aligned(("A", "B"), [("x", "12345")], most_last=5) == "A  B\nx  12345"
    assert render.aligned(("A", "B"), [("x", "123456")], most_last=5) == "A  B\nx  1234…"


def test_the_table_of_an_empty_plan_says_so() -> None:
    empty = Plan(())
    assert render.table(empty) == (
        "CLUSTER  TARGET  VERDICT  DISRUPTION  WHY\n\n"
        f"0 targets: none. Worst disruption: none.\nPlan {empty.fingerprint}"
    )


def test_markdown() -> None:
    assert render.markdown(PLAN).splitlines() == [
        "| Cluster | Target | Verdict | Disruption | Why |",
        "|---|---|---|---|---|",
        "| az | IngressController/internal | update_in_place | brief | scope is applied to the live Service |",
        (
            "| prod-aws | IngressController/default | recreate | outage |"
            " scope External → Internal needs a new load balancer \\| hostname changes |"
        ),
        "",
        f"Plan `{PLAN.fingerprint}`",
    ]


def test_json_carries_the_whole_plan_in_one_order() -> None:
    text = render.to_json(PLAN)
    data = json.loads(text)
    assert list(data) == ["counts", "decisions", "disruption", "fingerprint"]
    assert data["fingerprint"] == PLAN.fingerprint
    assert data["disruption"] == "outage"
    assert data["counts"]["recreate"] == 1
    assert [one["fingerprint"] for one in data["decisions"]] == [AZURE.fingerprint, SCOPE.fingerprint]
    assert data["decisions"][1]["message"] == SCOPE.message
    assert data["decisions"][1]["steps"][0]["verb"] == "delete"
    assert "→" in text
    assert text == render.to_json(Plan((AZURE, SCOPE)))
