# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The argument spec of capo_multiaz_lb: openstack.cloud's options, kubernetes.core's, and its own."""

from __future__ import annotations

from typing import Any

from ._arguments import GATE, KUBE, WAIT, Spec

# openstack.cloud's. ca_cert, client_cert, client_key and validate_certs are the Kubernetes options' names here, so
# OpenStack's go by the aliases that openstack.cloud has for them, which are clouds.yaml's own keys.
OPENSTACK: Spec = {
    "cloud": {"type": "raw"},
    "auth_type": {"type": "str"},
    "auth": {"type": "dict", "no_log": True},
    "region_name": {"type": "str"},
    "interface": {"type": "str", "choices": ["public", "internal", "admin"], "aliases": ["endpoint_type"]},
    "verify": {"type": "bool"},
    "cacert": {"type": "path"},
    "cert": {"type": "path"},
    "key": {"type": "path", "no_log": False},  # a path, not a secret
    "api_timeout": {"type": "int"},
}
_REF: dict[str, Any] = {
    "type": "dict",
    "options": {"id": {"type": "str"}, "filter": {"type": "dict"}},
    "required_one_of": [["id", "filter"]],
    "mutually_exclusive": [["id", "filter"]],
}
_MONITOR = {name: {"type": "int"} for name in ("delay", "timeout", "max_retries", "max_retries_down")}
_MACHINE: Spec = {
    "name": {"type": "str", "required": True},
    "address": {"type": "str"},
    "failure_domain": {"type": "str"},
    "deleting": {"type": "bool", "default": False},
}
_ZONE: Spec = {
    "zone": {"type": "str", "required": True, "aliases": ["availability_zone"]},
    "subnet": {**_REF, "required": True},
    "octavia_zone": {"type": "str"},
    "provider": {"type": "str"},
    "flavor": {"type": "str"},
    "fixed_ip": {"type": "str"},
}
# Milliseconds. kube-apiserver ends every watch within an hour (--min-request-timeout), so none is cut for being idle.
TIMEOUT = 3_600_000
WANTED: Spec = {
    "cluster": {"type": "str", "required": True},
    "namespace": {"type": "str", "default": "default"},
    "openstack_cluster": {"type": "str"},
    "management_cluster": {"type": "bool", "default": True},
    "managed_load_balancer": {"type": "bool"},
    "machines": {"type": "list", "elements": "dict", "options": _MACHINE},
    "state": {"type": "str", "choices": ["present", "single", "absent"], "default": "present"},
    "members_only": {"type": "bool", "default": False},
    "zones": {"type": "list", "elements": "dict", "options": _ZONE, "aliases": ["availability_zone_subnets"]},
    "network": _REF,
    "endpoint_host": {"type": "str"},
    "endpoint_port": {"type": "int"},
    "additional_ports": {"type": "list", "elements": "int"},
    "allowed_cidrs": {"type": "list", "elements": "str"},
    "monitor": {"type": "dict", "options": _MONITOR},
    "allow_cross_az_members": {"type": "bool"},
    "zone_aliases": {"type": "dict"},
    "floating_ips": {"type": "bool"},
    "floating_network_id": {"type": "str"},
    "floating_ip": {"type": "str"},
    "floating_ip_by_zone": {"type": "dict"},
    "fixed_ip": {"type": "str"},
    "provider": {"type": "str"},
    "flavor": {"type": "str"},
    "availability_zone_hint": {"type": "bool", "default": True},
    "tags": {"type": "list", "elements": "str"},
    "timeout_client_data": {"type": "int", "default": TIMEOUT},
    "timeout_member_data": {"type": "int", "default": TIMEOUT},
    "legacy": {"type": "str", "choices": ["adopt", "keep", "retire"], "default": "adopt"},
    "leave_legacy": {"type": "bool", "default": False},
    "traffic_moved": {"type": "bool", "default": False},
    "traffic_moved_because": {"type": "str"},
    "allow_unhealthy_zones": {"type": "list", "elements": "str"},
    "others_may_go": {"type": "list", "elements": "str"},
    "empty_pools_because": {"type": "str"},
    "upkeep": {"type": "bool", "default": False},
    "allow_rebuild": {"type": "bool", "default": False},
    "adopted": {"type": "str", "choices": ["give_back", "delete"], "default": "give_back"},
    "former_uids": {"type": "list", "elements": "str"},
    "resolve_endpoint": {"type": "bool"},
}


def spec() -> Spec:
    return {**KUBE, **OPENSTACK, **GATE, **WAIT, **WANTED}
