# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits that a stopped run has left: onto a new Service only, judged, gated, shown (SCO-6, CORE-6; Safe ingress 5)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import EDITS

from .conftest import NewIngress
from .proofs import codes, finding, prove, refused
from .workplace import Ingress

MINE = {"metadata": {"annotations": {"example.com/mine": "1"}}}
EXTERNAL = {"scope": "External"}


def leave(subject: Ingress, content: Any) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    subject.patch({"metadata": {"annotations": {EDITS: text}}})
    subject.cluster.requests.reset()


def kept(subject: Ingress) -> str | None:
    found = (subject.ic()["metadata"].get("annotations") or {}).get(EDITS)
    return None if found is None else str(found)


def test_onto_another_service_only(ingress: NewIngress) -> None:
    """The Service they were taken from has them, or somebody took them away since."""
    subject = ingress(type="NLB")
    leave(subject, {"uid": subject.uid, "edits": MINE})
    result = prove(subject, "slb_scope", **EXTERNAL).applied
    assert ("example.com/mine" in subject.annotations, kept(subject)) == (False, None)
    assert "edits_left" not in codes(result)


def test_shown_in_the_plan_and_put_back_on_the_new_one(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    leave(subject, {"uid": "the-old-one", "edits": MINE})
    proven = prove(subject, "slb_scope", **EXTERNAL)
    assert [step["resource"].partition(".")[0] for step in proven.checked["steps"]] == [
        "services",
        "ingresscontrollers",
    ]
    assert "example.com/mine" in finding(proven.checked, "edits_left")["what"]
    assert "example.com/mine" in finding(proven.applied, "taken_care_of")["what"]
    assert (subject.annotations["example.com/mine"], kept(subject)) == ("1", None)


def test_gated_by_what_they_do_to_the_new_load_balancer(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    leave(subject, {"uid": "the-old-one", "edits": {"spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}}})
    result = refused(subject, "slb_scope", **EXTERNAL)
    assert "clients from anywhere else are shut out" in finding(result, "disruption_not_allowed")["what"]
    prove(subject, "slb_scope", allow_disruption="outage", **EXTERNAL)
    assert subject.live()["spec"]["loadBalancerSourceRanges"] == ["10.0.0.0/8"]


def test_nothing_but_what_may_be_put_back(ingress: NewIngress) -> None:
    """Whoever may write the IngressController must not write the Service through us."""
    subject = ingress(type="NLB")
    before = subject.live()["spec"]
    hostile = {
        "metadata": {
            "annotations": {"service.beta.kubernetes.io/aws-load-balancer-internal": "true"},
            "finalizers": ["x/y"],
        },
        "spec": {"selector": {"app": "mine"}, "externalIPs": ["everywhere"]},
    }
    leave(subject, {"uid": "the-old-one", "edits": hostile})
    result = prove(subject, "slb_scope", **EXTERNAL).applied
    for refused_part in ("aws-load-balancer-internal", "finalizers", "selector", "externalIPs"):
        assert refused_part in finding(result, "edits_refused")["what"]
    assert (subject.live()["spec"], kept(subject)) == (before, None)


@pytest.mark.parametrize("content", ["", "{", "null", "[1]", '{"metadata": {}}'])
def test_spoilt_content_is_a_finding(ingress: NewIngress, content: str) -> None:
    subject = ingress(type="NLB")
    leave(subject, content)
    result = prove(subject, "slb_scope", **EXTERNAL).applied
    assert f"annotate ingresscontrollers/{subject.name} {EDITS}-" in finding(result, "edits_spoilt")["remedy"]
    assert kept(subject) == content
    assert "edits_spoilt" in codes(subject.run("lb_effectuate", check=True))
