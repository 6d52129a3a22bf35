# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One plain Service and what a stopped run kept of it (SCO-7)."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import AwsAnswer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.state import ObservedService
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.events import read_events
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.service import read_kept, read_service
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    INFRASTRUCTURES,
    platform_objects,
)

BOTH = ["get services shop/front", "get configmaps shop/lb-estate-saved-front"]
FRONT = {
    "metadata": {"namespace": "shop", "name": "front", "uid": "u1"},
    "status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.7"}]}},
}
KEPT = {"metadata": {"namespace": "shop", "name": "lb-estate-saved-front"}, "data": {"uid": "u1"}}


def test_three_requests_for_everything_and_none_for_the_version() -> None:
    memory = platform_objects("Azure")
    memory.put("services", FRONT)
    memory.put("configmaps", KEPT)
    observed = read_service(memory, Given(name="prod"), "shop", "front")
    lock = "get leases.coordination.k8s.io shop/lb-estate-service-front"  # a kept manifest: is somebody at work?
    assert memory.requests == [*BOTH, f"get {INFRASTRUCTURES} /cluster", lock]
    known = ObservedService(Infra("Azure", "prod-x1"), "shop", "front", FRONT, KEPT, "prod")
    assert observed == replace(known, now=memory.now())


def test_one_more_where_it_does_not_serve() -> None:
    """CORE-14"""
    memory = platform_objects("AWS")
    memory.put("services", {**FRONT, "status": {}})
    read_service(memory, Given(), "shop", "front")
    assert memory.requests[-1] == "list events shop involvedObject.kind=Service,involvedObject.name=front"
    memory.forbidden |= {("list", "events"), ("list", "configmaps")}
    assert read_events(memory, "shop", "front") is None
    assert read_kept(memory) is None


def test_what_runs_have_kept_is_found_by_its_label() -> None:
    memory = platform_objects("AWS")
    memory.put("configmaps", KEPT)
    read_kept(memory)
    assert memory.requests == ["list configmaps * lb-estate.edgeworks.io/kept"]


def test_two_requests_with_what_is_known_of_the_cluster() -> None:
    memory = platform_objects("Azure")
    known = ObservedService(Infra("GCP"), "shop", "front", FRONT, KEPT, "prod", AwsAnswer(), taken=("spec.clusterIP",))
    observed = read_service(memory, Given(), "shop", "front", known)
    assert memory.requests == BOTH
    assert observed == replace(known, service=None, kept=None, now=memory.now())


def test_a_given_platform_is_believed() -> None:
    memory = platform_objects("Azure")
    assert read_service(memory, Given(platform="AWS"), "shop", "front").platform == "AWS"
    assert memory.requests == BOTH
