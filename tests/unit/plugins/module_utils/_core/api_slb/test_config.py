# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Infrastructure and install-config answer: is a public address needed, which families, who balances (S2)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.config import config_of
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import OPT_OUT

INFRASTRUCTURE = {
    "metadata": {"name": "cluster"},
    "status": {
        "infrastructureName": "prod-x7k2p",
        "apiServerURL": "https://api.prod.example.com:6443",
        "apiServerInternalURI": "https://api-int.prod.example.com:6443",
        "platformStatus": {"type": "AWS", "aws": {"region": "us-east-1"}},
    },
}


@pytest.mark.parametrize(
    ("install_config", "public"),
    [
        (None, None),
        ({}, True),
        ({"publish": "External"}, True),
        ({"publish": "Internal"}, False),
        ({"publish": "Mixed"}, True),
        ({"publish": "Mixed", "operatorPublishingStrategy": {"apiserver": "Internal"}}, False),
        ({"publish": "Somehow"}, None),
    ],
)
def test_is_a_public_address_required(install_config: Any, public: bool | None) -> None:
    assert config_of(INFRASTRUCTURE, install_config).public is public


@pytest.mark.parametrize(
    ("networks", "families"),
    [
        (["10.0.0.0/16"], (4,)),
        (["10.0.0.0/16", "fd00::/48"], (4, 6)),
        (["fd00::/48"], (6,)),
        (["nonsense"], (4,)),
        ([], (4,)),
    ],
)
def test_which_families_are_required(networks: list[str], families: tuple[int, ...]) -> None:
    found = config_of(None, {"networking": {"machineNetwork": [{"cidr": one} for one in networks]}})
    assert found.families == families


@pytest.mark.parametrize("networks", ["10.0.0.0/16", {"cidr": "x"}, None])
def test_what_is_no_list_of_networks_says_nothing(networks: Any) -> None:
    assert config_of(None, {"networking": {"machineNetwork": networks}}).families == (4,)


@pytest.mark.parametrize(
    ("infrastructure", "install_config", "domain"),
    [
        (INFRASTRUCTURE, None, "prod.example.com"),
        ({"status": {"apiServerInternalURI": "https://api-int.x.org:6443"}}, None, "x.org"),
        ({"status": {"apiServerURL": "https://127.0.0.1:6443"}}, None, ""),
        (None, {"metadata": {"name": "prod"}, "baseDomain": "example.com"}, "prod.example.com"),
    ],
)
def test_the_domain(infrastructure: Any, install_config: Any, domain: str) -> None:
    assert config_of(infrastructure, install_config).domain == domain


def test_who_brings_their_own_is_heard() -> None:
    """API-6"""
    assert config_of(INFRASTRUCTURE, {}).opt_out == ""
    marked = {**INFRASTRUCTURE, "metadata": {"name": "cluster", "annotations": {OPT_OUT: "F5 does it"}}}
    assert "F5 does it" in config_of(marked, {}).opt_out
    managed = {"status": {"platformStatus": {"type": "VSphere", "vsphere": {"loadBalancer": {"type": "UserManaged"}}}}}
    assert "Infrastructure" in config_of(managed, None).opt_out
    planned = {"platform": {"baremetal": {"loadBalancer": {"type": "UserManaged"}}}}
    assert "install-config" in config_of(None, planned).opt_out
