# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The document's names."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import (
    BY_ROLE,
    SLBS,
    reserved_name,
    target,
)


def test_three_services_as_the_document_names_them() -> None:
    """API-1"""
    assert [(slb.namespace, slb.name, slb.port, slb.app) for slb in SLBS] == [
        ("openshift-kube-apiserver", "external-lb", 6443, "kube-apiserver"),
        ("openshift-kube-apiserver", "internal-lb", 6443, "kube-apiserver"),
        (
            "openshift-machine-config-operator",
            "internal-lb-machine-config-server",
            22623,
            "machine-config-server",
        ),
    ]
    assert [slb.serves_api for slb in BY_ROLE.values()] == [True, True, False]
    assert [slb.addresses for slb in SLBS] == ["public", "private", "machine_config_server"]


def test_reserved_addresses_are_found_by_convention() -> None:
    """API-2"""
    names = [reserved_name("prod-x7k2p", internal, family) for internal in (False, True) for family in (4, 6)]
    assert names == [
        "prod-x7k2p-rsvd-public-ipv4",
        "prod-x7k2p-rsvd-public-ipv6",
        "prod-x7k2p-rsvd-private-ipv4",
        "prod-x7k2p-rsvd-private-ipv6",
    ]


def test_one_lock_for_the_three() -> None:
    assert str(target("prod")) == "ApiLoadBalancers openshift-kube-apiserver/api"
