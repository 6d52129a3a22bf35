# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every target needs to know of its cluster, with as few requests as it takes (NFR: two, none when both given)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_TAGS, Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Misconfigured
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import (
    ClusterFacts,
    Given,
    read_cluster,
    read_infra,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    INFRASTRUCTURES,
    VERSIONS,
    MemoryCluster,
    platform_objects,
)

ASK_PLATFORM, ASK_VERSION = f"get {INFRASTRUCTURES} /cluster", f"get {VERSIONS} /version"


@pytest.mark.parametrize(
    ("given", "requests", "platform", "version"),
    [
        (Given(), [ASK_PLATFORM, ASK_VERSION], "Azure", "4.21.7"),
        (Given(platform="GCP"), [ASK_VERSION], "GCP", "4.21.7"),
        (Given(version="4.16.0"), [ASK_PLATFORM], "Azure", "4.16.0"),
        (Given("GCP", "4.16.0"), [], "GCP", "4.16.0"),
    ],
)
def test_only_what_is_not_given_is_read(given: Given, requests: list[str], platform: str, version: str) -> None:
    memory = platform_objects("Azure", "4.21.7")
    facts = read_cluster(memory, given)
    assert memory.requests == requests
    assert (facts.infra.platform, facts.profile, facts.upgrading) == (platform, profile_for(version), False)


def test_an_upgrade_under_way_is_noticed() -> None:
    memory = platform_objects(version="4.21.7")
    memory.objects[VERSIONS, "", "version"]["status"]["desired"]["version"] = "4.22.0"
    assert read_cluster(memory, Given()).upgrading
    assert not read_cluster(memory, Given(version="4.21.7")).upgrading


@pytest.mark.parametrize(
    ("memory", "given", "option"),
    [
        (MemoryCluster(), Given(), "platform"),
        (MemoryCluster(), Given(platform="AWS"), "version"),
        (MemoryCluster(unserved=(INFRASTRUCTURES, VERSIONS)), Given(), "platform"),
        (MemoryCluster(unserved=(INFRASTRUCTURES, VERSIONS)), Given(platform="AWS"), "version"),
    ],
)
def test_a_cluster_that_does_not_tell_needs_the_option(memory: MemoryCluster, given: Given, option: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        read_cluster(memory, given)
    assert f"so it is no OpenShift cluster that tells its {option}. Give {option} in the task." in str(caught.value)
    assert memory.host in str(caught.value)


@pytest.mark.parametrize("version", ["4.9.1", "newest"])
def test_a_version_nobody_measured_is_refused(version: str) -> None:
    with pytest.raises(Misconfigured, match=f"version: .*{version}"):
        read_cluster(platform_objects(), Given("AWS", version))


def test_a_plain_service_needs_no_version() -> None:
    memory = platform_objects("AWS", region="eu-west-1")
    assert read_infra(memory, Given()) == Infra("AWS", "prod-x1", "eu-west-1")
    assert memory.requests == [ASK_PLATFORM]


@pytest.mark.parametrize(
    ("value", "tags"),
    [("a=1,b=2", (("a", "1"), ("b", "2"))), ("a=,b", (("a", ""), ("b", ""))), ("", ()), (None, ())],
)
def test_resource_tags_that_were_not_read_are_those_on_the_service(
    value: str | None, tags: tuple[tuple[str, str], ...]
) -> None:
    facts = ClusterFacts(profile_for("4.22"), Infra("AWS"))
    service = {"metadata": {"annotations": {} if value is None else {AWS_TAGS: value}}}
    assert facts.beside(service) == replace(facts, infra=Infra("AWS", resource_tags=tags))
    assert facts.beside(None) == facts


def test_what_the_options_of_a_task_say() -> None:
    assert Given.by({"platform": "AWS", "version": None, "cluster": "prod"}) == Given("AWS", "", "prod")
    assert Given.by({}) == Given()
