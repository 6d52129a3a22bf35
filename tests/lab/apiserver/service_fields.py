# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kinds of Service have which fields; what strategy, allocation and validation all ask."""

from __future__ import annotations

from .api import Obj

NO_ADDRESS = "None"


def has_addresses(spec: Obj) -> bool:
    return spec.get("type") != "ExternalName"


def is_headless(spec: Obj) -> bool:
    return bool(spec.get("clusterIPs") == [NO_ADDRESS])


def has_node_ports(spec: Obj) -> bool:
    return spec.get("type") in ("NodePort", "LoadBalancer")


def allocates_node_ports(spec: Obj) -> bool:
    """A load balancer that reaches pods by itself may do without node ports."""
    if spec.get("type") == "LoadBalancer":
        return spec.get("allocateLoadBalancerNodePorts") is not False
    return spec.get("type") == "NodePort"


def needs_health_check(spec: Obj) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def externally_accessible(spec: Obj) -> bool:
    return has_node_ports(spec) or (spec.get("type") == "ClusterIP" and bool(spec.get("externalIPs")))


def node_ports(spec: Obj) -> list[int]:
    return [port["nodePort"] for port in spec.get("ports", ()) if port.get("nodePort")]
