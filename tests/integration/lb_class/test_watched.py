# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who watches a class, and does the server keep it? Nothing is taken away before that is known (CLS-4, CLS-6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import codes, finding, prove, refused
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab, LabCluster

from .conftest import NewClassed
from .workplace import MODULE, OUTAGE, UNWATCHED, WATCHED, ClassedService

WAYS: dict[str, dict[str, Any]] = {
    "report": {"way": "report"},
    "type_flip": {"way": "type_flip", **OUTAGE},
    "recreate": {"way": "recreate", **OUTAGE},
    "side_by_side": {"way": "side_by_side"},
}
ALLOWED = {"allow_unwatched": UNWATCHED, "unwatched_after": 1}


@pytest.mark.parametrize("way", WAYS)
def test_a_class_nobody_watches_is_refused_before_anything_goes(classed: NewClassed, way: str) -> None:
    subject = classed()
    uid, address = subject.uid, subject.address
    result = refused(subject, MODULE, lb_class=UNWATCHED, **WAYS[way])
    told = finding(result, "class_unwatched")
    assert told["value"] == UNWATCHED
    assert f"allow_unwatched: {UNWATCHED}" in told["remedy"]
    assert (subject.uid, subject.address, subject.saved(), subject.second.service()) == (uid, address, None, None)


@pytest.mark.parametrize("way", ["type_flip", "recreate"])
def test_allowed_by_name_it_ends_at_the_deadline_and_there_is_a_way_back(classed: NewClassed, way: str) -> None:
    """CLS-4: no status after a deadline; the manifest stays, and the class from before comes back with everything."""
    subject = classed(loadBalancerSourceRanges=["10.0.0.0/8"])
    kept = subject.kept()
    result = subject.run(MODULE, lb_class=UNWATCHED, **WAYS[way], **ALLOWED)
    assert (result["error_code"], finding(result, "wait_failed")["value"]["cause"]) == (
        "wait_failed",
        "class_unwatched",
    )
    assert (subject.lb_class, subject.address, subject.saved() is not None) == (UNWATCHED, "", True)
    prove(subject, MODULE, state="absent", **WAYS[way])
    assert (subject.lb_class, subject.kept(), subject.saved()) == (None, kept, None)


def test_a_second_service_that_nobody_serves_disrupts_nobody(classed: NewClassed) -> None:
    subject = classed()
    address = subject.address
    result = subject.run(MODULE, lb_class=UNWATCHED, **WAYS["side_by_side"], **ALLOWED)
    assert finding(result, "wait_failed")["value"]["cause"] == "class_unwatched"
    assert subject.address == address
    moved = {"traffic_moved": True, "traffic_moved_because": "so it is hoped", "allow_disruption": "brief"}
    assert "not_moved" in codes(refused(subject, MODULE, lb_class=UNWATCHED, **WAYS["side_by_side"], **moved))


def test_made_with_a_class_nobody_watches(classed: NewClassed) -> None:
    """Seed, known failure mode: no load balancer, no event; the default implementation leaves it alone."""
    subject = classed(lb_class=UNWATCHED, served=False)
    result = subject.run(MODULE, lb_class=UNWATCHED, unwatched_after=1)
    assert finding(result, "wait_failed")["value"]["cause"] == "class_unwatched"
    assert "class_unwatched" in codes(result)
    assert (subject.address, subject.cluster.events(subject.service_name, namespace="shop")) == ("", [])


def test_a_deployment_that_is_told_the_class_is_evidence(classed: NewClassed) -> None:
    result = classed().change(lb_class=WATCHED)
    assert "Deployment openshift-operators/edge-controller" in result["evidence"]


def test_another_service_with_an_address_is_evidence(classed: NewClassed) -> None:
    other = "second.example.com/lb"
    subject = classed()
    controller = subject.cluster.watch_class(other)
    served = ClassedService(subject.cluster)
    served.create_classed(other, endpoints=False)
    try:
        assert subject.change(lb_class=other)["evidence"] == [f"Service shop/{served.service_name}"]
    finally:
        served.tidy()
        controller.stop()


def test_the_estate_knows_who_watches(classed: NewClassed) -> None:
    result = classed().change(lb_class=UNWATCHED, known_classes={UNWATCHED: "the edge team's own"})
    assert (result["verdict"], result["owner"]["after"]) == (
        "recreate",
        f"the edge team's own (class {UNWATCHED})",
    )


@pytest.mark.parametrize("platform", ["BareMetal", "None"])
def test_without_a_class_and_without_a_cloud_provider(classed: NewClassed, platform: str) -> None:
    subject = classed(platform, lb_class=WATCHED)
    told = finding(refused(subject, MODULE, state="absent", **WAYS["type_flip"]), "class_unwatched")
    assert "allow_unwatched: none" in told["remedy"]


def test_without_a_class_an_annotation_gives_it_to_a_controller_that_is_not_there(classed: NewClassed) -> None:
    """CLS-4: no class is the cloud provider's, unless an opt-out annotation says otherwise."""
    prefix = "service.beta.kubernetes.io/aws-load-balancer-"
    subject = classed(lb_class=WATCHED, annotations={f"{prefix}type": "external", f"{prefix}nlb-target-type": "ip"})
    told = finding(refused(subject, MODULE, state="absent", **WAYS["type_flip"]), "class_unwatched")
    assert (told["value"], "allow_unwatched: none" in told["remedy"]) == ("service.k8s.aws/nlb", True)
    result = subject.run(MODULE, check=True, state="absent", allow_unwatched="none")
    assert result["owner"]["after"].startswith("the AWS Load Balancer Controller (no class, and")


@pytest.fixture
def old_server(lab: Lab) -> Iterator[LabCluster]:
    """An API server with the field turned off; what it had before, it still has."""
    name = "class-old"
    cluster = lab.clusters.get(name) or lab.cluster(name, ingress=(), moto=False)
    yield cluster
    cluster.api.serve_class_field(True)


@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_drops_the_field(old_server: LabCluster, way: str) -> None:
    """CLS-6: Services that have a class since before a downgrade are no proof."""
    others, subject = ClassedService(old_server), ClassedService(old_server)
    try:
        others.create_classed(UNWATCHED, served=False, endpoints=False)
        subject.create_classed(None)
        old_server.api.serve_class_field(False)
        uid = subject.uid
        result = refused(subject, MODULE, lb_class=UNWATCHED, **WAYS[way], **ALLOWED)
        assert "class_dropped" in codes(result, "error")
        assert (subject.uid, others.lb_class) == (uid, UNWATCHED)
    finally:
        others.tidy()
        subject.tidy()


def test_a_webhook_that_gives_new_services_a_class(lab: Lab) -> None:
    """CLS-4: as the AWS Load Balancer Controller's; a flip creates nothing, so it goes through with a warning."""
    cluster = lab.cluster("class-webhook", ingress=(), moto=False)
    cluster.watch_class(WATCHED)
    subject = ClassedService(cluster)
    subject.create_classed(WATCHED)
    cluster.api.defaulters.setdefault("services", []).append(_mutates)
    for way in ("recreate", "side_by_side"):
        result = refused(subject, MODULE, state="absent", **WAYS[way])
        assert finding(result, "class_imposed")["value"] == WATCHED
    result = prove(subject, MODULE, state="absent", **WAYS["type_flip"]).applied
    assert (subject.lb_class, result["verdict"]) == (None, "in_sync")


def _mutates(old: Any, new: dict[str, Any], subresource: str | None) -> None:
    if old is None and subresource is None and new["spec"].get("type") == "LoadBalancer":
        new["spec"].setdefault("loadBalancerClass", WATCHED)
