# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read for the API's load balancers, and how often it is asked (API-3, API-8)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Forbidden, Misconfigured
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.api_slb import (
    read_api,
    read_endpoints,
    read_install_config,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import live
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    MemoryCluster,
    platform_objects,
)

CONFIG = {"metadata": {"namespace": "kube-system", "name": "cluster-config-v1"}}
SPACE = "openshift-kube-apiserver"


def with_config(memory: MemoryCluster, text: str) -> MemoryCluster:
    memory.put("configmaps", {**CONFIG, "data": {"install-config": text}})
    return memory


def test_everything_of_a_cluster_that_has_none_yet() -> None:
    memory = with_config(
        platform_objects("AWS"), "publish: Internal\nnetworking: {machineNetwork: [{cidr: 10.0.0.0/16}]}"
    )
    seen = read_api(memory, Given(name="prod"))
    assert (seen.config.infra_id, seen.config.public, seen.version) == ("prod-x1", False, "4.22.3")
    assert {role: one.service for role, one in seen.services.items()} == {
        "external": None,
        "internal": None,
        "machine_config_server": None,
    }
    assert len(memory.requests) == 9


def test_read_again_it_costs_only_the_services() -> None:
    memory = platform_objects("Azure")
    memory.put("services", live("internal"))
    known = read_api(memory, Given())
    memory.requests.clear()
    again = read_api(memory, Given(), known)
    assert memory.requests == [
        f"get services {SPACE}/external-lb",
        f"get configmaps {SPACE}/lb-estate-saved-external-lb",
        f"get services {SPACE}/internal-lb",
        f"get configmaps {SPACE}/lb-estate-saved-internal-lb",
        "get services openshift-machine-config-operator/internal-lb-machine-config-server",
        "get configmaps openshift-machine-config-operator/lb-estate-saved-internal-lb-machine-config-server",
        f"list endpointslices.discovery.k8s.io {SPACE} kubernetes.io/service-name=internal-lb",
    ]
    assert again == known


def test_one_that_has_no_address_is_asked_for_its_events_and_a_kept_one_for_its_holder() -> None:
    memory = platform_objects("Azure")
    memory.put("services", {**live("internal"), "status": {}})
    memory.put("configmaps", {"metadata": {"namespace": SPACE, "name": "lb-estate-saved-internal-lb"}})
    read_api(memory, Given())
    assert f"list events {SPACE} involvedObject.kind=Service,involvedObject.name=internal-lb" in memory.requests
    assert f"get leases.coordination.k8s.io {SPACE}/lb-estate-apiloadbalancers-api" in memory.requests


def test_endpoints() -> None:
    memory = MemoryCluster()
    meta = {"namespace": "shop", "name": "front-1"}
    memory.put("endpointslices.discovery.k8s.io", {"metadata": meta, "endpoints": [{"addresses": ["10.0.0.1"]}]})
    assert read_endpoints(memory, "shop", "front") == ("10.0.0.1",)


def test_a_platform_that_is_no_openshift_and_one_that_is_another() -> None:
    bare = MemoryCluster(unserved=("infrastructures.config.openshift.io",))
    assert read_api(bare, Given(platform="GCP")).platform == "GCP"
    with pytest.raises(Misconfigured, match="no OpenShift cluster"):
        read_api(bare, Given())
    with pytest.raises(Misconfigured, match="the cluster says Azure"):
        read_api(platform_objects("Azure"), Given(platform="GCP"))


def test_a_version_that_is_given_is_not_asked_for() -> None:
    memory = platform_objects("AWS")
    assert read_api(memory, Given(version="4.21.0")).version == "4.21.0"
    assert not [request for request in memory.requests if "clusterversions" in request]
    old = platform_objects("AWS")
    old.unserved = ("clusterversions.config.openshift.io",)
    assert read_api(old, Given()).version == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [("publish: Internal", {"publish": "Internal"}), ("", None), ("- a", None), ("{", None), ("text", None)],
)
def test_install_config(text: str, found: Any) -> None:
    assert read_install_config(with_config(MemoryCluster(), text)) == found


def test_an_install_config_that_may_not_be_read_says_nothing() -> None:
    class Closed(MemoryCluster):
        def get(self, resource: str, namespace: str, name: str) -> Any:
            raise Forbidden("No permission.")

    assert read_install_config(Closed()) is None
    assert read_install_config(MemoryCluster()) is None
