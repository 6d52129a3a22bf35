# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One IngressController with its Service, in as few requests as it takes (SUB-*, SCO-*)."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import AwsAnswer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.effectuate import IC_RESOURCE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_TAGS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.ingress import read_ingress
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    cluster,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    INFRASTRUCTURES,
    VERSIONS,
    holding,
    platform_objects,
)

CONTROLLER = (IC_RESOURCE, "openshift-ingress-operator", "default")
SERVICE = ("services", "openshift-ingress", "router-default")
BOTH = [f"get {IC_RESOURCE} openshift-ingress-operator/default", "get services openshift-ingress/router-default"]


def test_four_requests_for_everything() -> None:
    expected = cluster(spec=strategy("NLB"))
    memory = holding(expected)
    observed = read_ingress(memory, Given(name="prod"), "default")
    assert memory.requests == [*BOTH, f"get {INFRASTRUCTURES} /cluster", f"get {VERSIONS} /version"]
    assert (observed.ic, observed.service) == (plain(expected.ic), plain(expected.service))
    assert (observed.profile, observed.infra.platform, observed.cluster) == (expected.profile, "AWS", "prod")
    assert (observed.aws, observed.upgrading) == (None, False)


def test_two_requests_with_what_is_known_of_the_cluster() -> None:
    """CORE-6: the objects are read anew; platform, version and what the cloud said are not."""
    memory = holding(cluster(spec=strategy("NLB")))
    stale = replace(cluster("4.16", "GCP"), ic=None, aws=AwsAnswer(), cluster="prod")
    observed = read_ingress(memory, Given(), "default", stale)
    assert memory.requests == BOTH
    assert (observed.ic, observed.service) == (memory.objects[CONTROLLER], memory.objects[SERVICE])
    assert replace(observed, ic=None, service=None) == replace(stale, service=None, now=memory.now())


def test_one_more_where_the_service_does_not_serve_and_it_may_be_forbidden() -> None:
    """CORE-14: events only help to explain."""
    seen = cluster(spec=strategy("NLB"))
    memory = holding(replace(seen, service=merge_patch(seen.service, {"status": None})))
    about = {"kind": "Service", "name": "router-default", "uid": "uid-service"}
    memory.put("events", {"metadata": {"name": "e", "namespace": "openshift-ingress"}, "involvedObject": about})
    observed = read_ingress(memory, Given(), "default")
    events = "list events openshift-ingress involvedObject.kind=Service,involvedObject.name=router-default"
    assert (len(memory.requests), memory.requests[-1]) == (5, events)
    assert [one["involvedObject"]["uid"] for one in observed.events or ()] == ["uid-service"]
    memory.forbidden.add(("list", "events"))
    assert read_ingress(memory, Given(), "default").events is None


def test_a_given_platform_takes_the_services_tags_for_the_clusters() -> None:
    """The tags were not read, so none are made up to differ."""
    edits = {"metadata": {"annotations": {AWS_TAGS: "team=edge"}}}
    memory = holding(cluster(edits=edits))
    memory.objects[SERVICE]["metadata"]["annotations"][AWS_TAGS] = "team=edge"
    given = read_ingress(memory, Given("AWS", "4.22"), "default")
    assert (memory.requests, given.infra.resource_tags) == (BOTH, (("team", "edge"),))
    assert read_ingress(memory, Given(), "default").infra.resource_tags == ()


def test_what_is_not_there_is_none() -> None:
    observed = read_ingress(platform_objects(), Given(), "shard")
    assert (observed.name, observed.ic, observed.service) == ("shard", None, None)
