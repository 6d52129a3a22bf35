# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Label and field selectors of lists and watches."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.selectors import label_match
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

from .client import configmap, service

LABELS = {"app": "router", "tier": "edge", "empty": "", "a.b/c": "x"}


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("", True),
        ("app=router", True),
        ("app==router", True),
        ("app = router", True),
        ("app=other", False),
        ("app!=other", True),
        ("app!=router", False),
        ("none!=x", True),
        ("app in (router, other)", True),
        ("app in (other)", False),
        ("none in (x)", False),
        ("app notin (other)", True),
        ("none notin (x)", True),
        ("app notin (router)", False),
        ("app", True),
        ("none", False),
        ("!none", True),
        ("!app", False),
        ("empty=", True),
        ("a.b/c=x", True),
        ("app=router,tier in (edge,core),!none", True),
        ("app=router,tier in (core)", False),
    ],
)
def test_label_selector(selector: str, expected: bool) -> None:
    assert label_match(selector)({"metadata": {"labels": LABELS}}) is expected


def test_selector_that_cannot_be_read_is_a_bad_request() -> None:
    with pytest.raises(ApiError) as error:
        label_match("a b c")
    assert error.value.status == 400


def test_field_selectors(cluster: Cluster) -> None:
    cluster.create("services", "openshift-ingress", service("one"))
    cluster.create("services", "openshift-ingress", service("two", type="ClusterIP"))
    for number, reason in enumerate(("SyncLoadBalancerFailed", "EnsuredLoadBalancer")):
        involved = {"kind": "Service", "namespace": "openshift-ingress", "name": "one", "uid": "u1"}
        event = {"metadata": {"name": f"e{number}"}, "involvedObject": involved, "reason": reason, "type": "Normal"}
        cluster.create("events", "openshift-ingress", {**event, "source": {"component": "service-controller"}})

    def names(resource: str, field_selector: str) -> list[str]:
        listing = cluster.list(resource, "openshift-ingress", field_selector=field_selector)
        return [item["metadata"]["name"] for item in listing["items"]]

    assert names("services", "metadata.name=one") == ["one"]
    assert names("services", "metadata.name!=one") == ["two"]
    assert names("services", "spec.type=LoadBalancer") == ["one"]
    assert names("events", "involvedObject.name=one,reason=SyncLoadBalancerFailed") == ["e0"]
    assert names("events", "involvedObject.uid=u1,source=service-controller") == ["e0", "e1"]
    assert names("events", "type=Warning") == []
    with pytest.raises(ApiError, match=r"field label not supported: spec\.ports"):
        names("services", "spec.ports=1")


def test_lists_are_in_key_order_over_all_namespaces(cluster: Cluster) -> None:
    for namespace, name in (("kube-system", "a"), ("default", "b"), ("default", "a")):
        cluster.create("configmaps", namespace, configmap(name))
    listing = cluster.list("configmaps")
    assert [(o["metadata"]["namespace"], o["metadata"]["name"]) for o in listing["items"]] == [
        ("default", "a"),
        ("default", "b"),
        ("kube-system", "a"),
    ]
    assert listing["metadata"]["resourceVersion"] == cluster.resource_version
