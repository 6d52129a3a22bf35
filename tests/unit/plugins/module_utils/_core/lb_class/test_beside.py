# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""side_by_side: the second Service has what the first has, but what is the first one's own (CLS-3)."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class import beside
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.state import BESIDE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_EIPS
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    OTHER,
    keeping,
    observed,
    second,
    service,
)


def test_what_comes_along_and_what_does_not() -> None:
    found = service(
        OTHER,
        annotations={
            "example.com/mine": "1",
            AWS_EIPS: "eipalloc-1",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "meta.helm.sh/release-name": "shop",
            "argocd.argoproj.io/tracking-id": "x",
        },
        labels={"app": "front", "app.kubernetes.io/managed-by": "Helm", "argocd.argoproj.io/instance": "shop"},
        ownerReferences=[{"kind": "Thing", "name": "x"}],
        loadBalancerIP="192.0.2.7",
        healthCheckNodePort=31000,
        loadBalancerSourceRanges=["10.0.0.0/8"],
    )
    made = beside.body(found, "front-next", CLASS)
    assert made["metadata"] == {
        "name": "front-next",
        "namespace": "shop",
        "labels": {"app": "front"},
        "annotations": {"example.com/mine": "1", BESIDE: "front"},
    }
    assert made["spec"] == {
        "type": "LoadBalancer",
        "selector": {"app": "front"},
        "ports": [{"name": "https", "port": 443}],
        "loadBalancerSourceRanges": ["10.0.0.0/8"],
        "loadBalancerClass": CLASS,
    }
    assert "loadBalancerClass" not in beside.body(found, "front-next", None)["spec"]


def test_making_it_disrupts_nothing_and_is_taken_back_by_deleting_it() -> None:
    create, served = beside.create(observed(service()), "next", CLASS)
    assert (create.name, create.disruption.value) == ("front-next", "none")
    assert [(step.verb, step.name) for step in create.undo] == [("delete", "front-next")]
    assert served.wait_for is not None
    assert (served.name, served.wait_for.until) == ("front-next", "serves")


def test_the_first_one_is_kept_until_it_is_gone_from_the_cloud_too() -> None:
    steps = beside.retire(observed(service(), successor=second()), "seen")
    assert [step.verb for step in steps] == ["create", "delete", "wait", "wait", "delete"]
    assert steps[0].body["data"]["way"] == "side_by_side"
    assert (steps[1].disruption.value, steps[1].uid, "seen" in steps[1].why) == ("brief", "u1", True)
    assert steps[3].undo[0].body["spec"]["clusterIP"] == "10.96.0.9"


def test_a_stopped_retirement_goes_on_from_what_was_kept() -> None:
    found = observed(None, kept=keeping(service(), "side_by_side"), successor=second())
    steps = beside.retired(found)
    assert [step.verb for step in steps] == ["wait", "delete"]
    assert steps[0].wait_for is not None
    assert steps[0].wait_for.old_uid == "u1"
    assert steps[0].undo[0].body["metadata"]["name"] == "front"


def test_what_is_handed_over() -> None:
    told = beside.handover(observed(service(), successor=second(), endpoints=3))
    assert told["from"] == {
        "name": "front",
        "class": "",
        "addresses": ["old.example.com"],
        "in_cluster": "front.shop.svc",
    }
    assert (told["to"]["class"], told["to"]["ready_endpoints"]) == (CLASS, 3)
    assert beside.handover(observed(None, successor=second()))["from"]["in_cluster"] == ""
