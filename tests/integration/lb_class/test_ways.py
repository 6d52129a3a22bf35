# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""service_lb_class, each way on each cloud: what it keeps and tells, idle the second time (CLS-1, CLS-3)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import codes, finding, prove

from .conftest import NewClassed
from .workplace import ALLOCATED, MODULE, MOVED, OUTAGE, RANGES, WATCHED

FLIP: dict[str, Any] = {"way": "type_flip", **OUTAGE}
AGAIN: dict[str, Any] = {"way": "recreate", **OUTAGE}
BESIDE: dict[str, Any] = {"way": "side_by_side"}
RICH: dict[str, Any] = {
    "annotations": {"example.com/owner": "shop"},
    "externalTrafficPolicy": "Local",
    "loadBalancerSourceRanges": RANGES,
}
PLATFORMS = ["AWS", "Azure", "GCP"]


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("given", [FLIP, AGAIN], ids=["type_flip", "recreate"])
def test_set_change_and_clear(classed: NewClassed, platform: str, given: dict[str, Any]) -> None:
    """CLS-1: from the cloud provider to a class and back; unset to set is no less immutable than the rest."""
    subject = classed(platform, **RICH)
    kept, uid, address = subject.kept(), subject.uid, subject.address
    result = prove(subject, MODULE, lb_class=WATCHED, **given).applied
    assert (result["planned"]["verdict"], result["disruption"], result["verdict"]) == ("recreate", "outage", "in_sync")
    assert (subject.lb_class, subject.kept(), subject.saved()) == (WATCHED, kept, None)
    assert (subject.uid == uid) is (given is FLIP)
    assert subject.address.endswith(".edge.example.com")
    assert "no class" in result["owner"]["before"] or "class" in result["owner"]["before"]
    assert result["owner"]["after"] == f"whoever watches the class {WATCHED} (class {WATCHED})"
    result = prove(subject, MODULE, state="absent", **given).applied
    assert (subject.lb_class, subject.kept(), subject.saved()) == (None, kept, None)
    assert subject.address not in (address, "")
    assert "edge.example.com" not in subject.address
    assert result["owner"]["after"] == f"the cloud provider's controller of {platform} (no class)"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_second_service_beside_the_first(classed: NewClassed, platform: str) -> None:
    """CLS-3: nothing of the first is touched until a person says that traffic has moved."""
    subject = classed(platform, **RICH)
    kept, uid, address = subject.kept(), subject.uid, subject.address
    result = prove(subject, MODULE, lb_class=WATCHED, **BESIDE).applied
    assert (result["disruption"], result["verdict"]) == ("none", "in_progress")
    assert (subject.kept(), subject.uid, subject.address) == (kept, uid, address)
    second = subject.second.live()["spec"]
    assert second["loadBalancerClass"] == WATCHED
    assert {name: second[name] for name in ("selector", "loadBalancerSourceRanges", "externalTrafficPolicy")} == {
        name: kept[name] for name in ("selector", "loadBalancerSourceRanges", "externalTrafficPolicy")
    }
    assert subject.second.annotations["example.com/owner"] == "shop"
    assert all(second[name] != kept[name] for name in ALLOCATED)
    handover = result["handover"]
    assert (handover["from"]["addresses"], handover["to"]["addresses"]) == ([address], [subject.second.address])
    assert handover["to"]["ready_endpoints"] == 2
    assert [(step["verb"], step["name"]) for step in result["undo"]] == [("delete", subject.second.service_name)]
    result = prove(subject, MODULE, lb_class=WATCHED, **BESIDE, **MOVED).applied
    assert (result["disruption"], result["verdict"]) == ("brief", "in_sync")
    assert (subject.service(), subject.saved()) == (None, None)
    assert subject.second.address == handover["to"]["addresses"][0]
    assert [(step["verb"], step["name"]) for step in result["undo"]] == [("create", subject.service_name)]


def test_without_a_way_the_ways_are_told(classed: NewClassed) -> None:
    """CLS-3: each with its disruption, what it keeps and loses, and what takes it back."""
    subject = classed(**RICH)
    uid, spec = subject.uid, subject.live()["spec"]
    result = prove(subject, MODULE, lb_class=WATCHED).applied
    assert (result["verdict"], result["changed"], subject.uid) == ("recreate", False, uid)
    told = {way["way"]: way for way in result["ways"]}
    assert {name: way["disruption"] for name, way in told.items()} == {
        "type_flip": "outage",
        "recreate": "outage",
        "side_by_side": "none",
    }
    port = spec["ports"][0]["nodePort"]
    assert f"nodePorts {port}" in told["type_flip"]["keeps"]
    assert f"nodePorts {port}, where it is still free" in told["recreate"]["keeps"]
    assert f"nodePorts {port}" in told["side_by_side"]["loses"]
    assert "uid" in told["type_flip"]["keeps"]
    assert "uid" in told["recreate"]["loses"]
    assert all(way["undo"] for way in told.values())
    assert '{"type": "NodePort"' in result["commands"][0]
    assert f'"loadBalancerClass": "{WATCHED}"' in result["commands"][1]


def test_the_gate_is_for_every_way_that_disrupts(classed: NewClassed) -> None:
    """CORE-3"""
    subject = classed()
    for way in ("type_flip", "recreate"):
        result = subject.run(MODULE, lb_class=WATCHED, way=way, allow_disruption="brief")
        assert result["error_code"] == "disruption_not_allowed"
    subject.change(lb_class=WATCHED, **BESIDE)
    result = subject.run(MODULE, lb_class=WATCHED, **BESIDE, **{**MOVED, "allow_disruption": "none"})
    assert (result["error_code"], subject.lb_class) == ("disruption_not_allowed", None)


def test_the_undo_of_a_flip_is_what_takes_it_back(classed: NewClassed) -> None:
    """CLS-3, pain 28: the way back knows the immutable field."""
    subject = classed(**RICH)
    kept = subject.kept()
    result = subject.change(lb_class=WATCHED, **FLIP)
    for step in result["undo"]:
        subject.patch_service(step["body"])
        subject.wait_for(lambda: not subject.live()["metadata"].get("finalizers") or subject.address, "the next step")
    subject.wait_for(lambda: "edge.example.com" not in subject.address and subject.address, "the cloud's own address")
    assert (subject.lb_class, subject.kept()) == (None, kept)


def test_annotations_that_only_the_old_controller_reads_are_told(classed: NewClassed) -> None:
    """Issue point 1"""
    key = "service.beta.kubernetes.io/aws-load-balancer-connection-idle-timeout"
    subject = classed(annotations={key: "300", "example.com/owner": "shop"})
    result = prove(subject, MODULE, lb_class=WATCHED, **BESIDE).applied
    assert finding(result, "annotations_unread")["value"] == [key]
    assert "annotations_unread" in codes(result)


def test_node_ports_are_not_invented_where_there_were_none(classed: NewClassed) -> None:
    """CLS-3: allocateLoadBalancerNodePorts false goes through ClusterIP and comes back as it was."""
    subject = classed(allocateLoadBalancerNodePorts=False)
    prove(subject, MODULE, lb_class=WATCHED, **FLIP)
    spec = subject.live()["spec"]
    assert (spec["allocateLoadBalancerNodePorts"], "nodePort" in spec["ports"][0]) == (False, False)
