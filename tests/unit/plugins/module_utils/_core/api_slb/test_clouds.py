# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each cloud's annotations and address fields are the document's (API-1)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.clouds import (
    CLOUDS,
    SHARED_PURPOSE,
    cloud_of,
    known,
    reads_private_addresses,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import BY_ROLE

AWS = "service.beta.kubernetes.io/aws-load-balancer-"
INTERNAL = {
    "AWS": {f"{AWS}type": "nlb", f"{AWS}internal": "true"},
    "Azure": {"service.beta.kubernetes.io/azure-load-balancer-internal": "true"},
    "GCP": {"cloud.google.com/load-balancer-type": "Internal"},
}


@pytest.mark.parametrize("platform", INTERNAL)
def test_annotations_by_platform(platform: str) -> None:
    cloud = cloud_of(platform)
    assert cloud.annotations(BY_ROLE["internal"]) == INTERNAL[platform]
    assert cloud.annotations(BY_ROLE["machine_config_server"]) == INTERNAL[platform]
    assert cloud.annotations(BY_ROLE["external"]) == ({f"{AWS}type": "nlb"} if platform == "AWS" else {})


def test_where_addresses_go() -> None:
    """API-2"""
    assert cloud_of("AWS").address_key(BY_ROLE["external"]) == f"{AWS}eip-allocations"
    assert cloud_of("AWS").address_key(BY_ROLE["internal"]) == f"{AWS}private-ipv4-addresses"
    assert [cloud_of(name).address_key(BY_ROLE["internal"]) for name in ("Azure", "GCP")] == ["", ""]
    assert [cloud.name for cloud in CLOUDS.values() if cloud.purpose] == ["GCP"]
    assert cloud_of("GCP").purpose == SHARED_PURPOSE == "SHARED_LOADBALANCER_VIP"


def test_a_cloud_the_document_does_not_know() -> None:
    """API-8"""
    assert (known("OpenStack"), cloud_of("OpenStack").annotations(BY_ROLE["external"])) == (False, {})


@pytest.mark.parametrize(
    ("version", "able"),
    [("4.20.9", False), ("4.21.0", True), ("v5.0.1", True), ("", None), ("latest", None), ("4", None)],
)
def test_from_which_version_private_addresses_are_read(version: str, able: bool | None) -> None:
    assert reads_private_addresses(version) is able
