# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Octavia's and Neutron's answers are made of: held to it wherever one is read.

A login page, a proxy's `{}` or another service answers 200 as well. Taken for an answer it would mean that nothing is
there, and everything would be built anew or forgotten (CORE-7).
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from typing import Any

from .._core.operator.schema import Array, Flag, Node, Number, Obj, Text
from .._core.shape import Misshapen, held_to

_TEXT, _NUMBER, _FLAG = Text(), Number(), Flag()
_TEXTS = Array(item=_TEXT)
_STATUS = ("provisioning_status", "operating_status")


def _texts(*names: str) -> dict[str, Node]:
    return dict.fromkeys(names, _TEXT)


_IDS = Array(item=Obj(fields=_texts("id"), required=("id",)))
_LIMITS = dict.fromkeys(("limit", "used", "reserved"), _NUMBER)
# key of one in a body → its parts, and those that are always there
_ONE: Mapping[str, Obj] = {
    "loadbalancer": Obj(
        fields={
            **_texts("id", "name", "description", *_STATUS, "provider", "availability_zone", "flavor_id", "project_id"),
            **_texts("vip_address", "vip_port_id", "vip_subnet_id", "vip_network_id", "created_at"),
            "admin_state_up": _FLAG,
            "tags": _TEXTS,
        },
        required=("id", "name", "provisioning_status", "project_id"),
    ),
    "listener": Obj(
        fields={
            **_texts("id", "name", "protocol", "default_pool_id", *_STATUS, "project_id"),
            **dict.fromkeys(("protocol_port", "timeout_client_data", "timeout_member_data"), _NUMBER),
            "admin_state_up": _FLAG,
            "allowed_cidrs": _TEXTS,
            "loadbalancers": _IDS,
        },
        required=("id", "name", "protocol", "protocol_port", *_STATUS),
    ),
    "pool": Obj(
        fields={
            **_texts("id", "name", "protocol", "lb_algorithm", "healthmonitor_id", *_STATUS, "project_id"),
            "admin_state_up": _FLAG,
            "members": _IDS,
            "listeners": _IDS,
        },
        required=("id", "name", "protocol", "lb_algorithm", "members", *_STATUS),
    ),
    "healthmonitor": Obj(
        fields={
            **_texts("id", "name", "type", "provisioning_status", "project_id"),
            **dict.fromkeys(("delay", "timeout", "max_retries", "max_retries_down"), _NUMBER),
            "admin_state_up": _FLAG,
            "pools": _IDS,
        },
        required=("id", "type", "delay", "timeout", "max_retries", "max_retries_down", "provisioning_status"),
    ),
    "member": Obj(
        fields={
            **_texts("id", "name", "address", "subnet_id", "monitor_address", *_STATUS),
            **dict.fromkeys(("protocol_port", "weight", "monitor_port"), _NUMBER),
            "admin_state_up": _FLAG,
            "backup": _FLAG,
            "tags": _TEXTS,
        },
        required=("id", "address", "protocol_port", "weight", "admin_state_up", *_STATUS),
    ),
    "availability_zone": Obj(fields={**_texts("name"), "enabled": _FLAG}, required=("name", "enabled")),
    "provider": Obj(fields=_texts("name"), required=("name",)),
    "flavor": Obj(fields={**_texts("id", "name"), "enabled": _FLAG}, required=("id", "name", "enabled")),
    "network": Obj(
        fields={**_texts("id", "name", "project_id"), "shared": _FLAG, "router:external": _FLAG, "tags": _TEXTS},
        required=("id", "project_id"),
    ),
    "subnet": Obj(
        fields={
            **_texts("id", "name", "project_id", "network_id", "cidr", "gateway_ip"),
            "ip_version": _NUMBER,
            "tags": _TEXTS,
            "allocation_pools": Array(item=Obj(fields=_texts("start", "end"), required=("start", "end"))),
        },
        required=("id", "project_id", "network_id", "cidr"),
    ),
    "port": Obj(
        fields={
            **_texts("id", "name", "description", "device_id", "created_at", "updated_at", "project_id"),
            "fixed_ips": Array(item=Obj(fields=_texts("ip_address", "subnet_id"), required=("ip_address",))),
        },
        required=("id", "name", "device_id", "project_id", "fixed_ips"),
    ),
    "floatingip": Obj(
        fields=_texts("id", "floating_ip_address", "port_id", "description", "project_id", "status"),
        required=("id", "floating_ip_address", "project_id"),
    ),
    "version": Obj(fields=_texts("id"), required=("id",)),
}
_LIMITED = ("load_balancer", "listener", "pool", "health_monitor", "member")
_QUOTAS: Mapping[str, Node] = {
    "octavia": Obj(fields=dict.fromkeys(_LIMITED, _NUMBER)),
    "neutron": Obj(fields=dict.fromkeys(("floatingip", "port"), Obj(fields=_LIMITS, required=tuple(_LIMITS)))),
}
_ADDRESSES = ("address", "vip_address", "floating_ip_address", "ip_address")


def told(service: str, key: str, body: Any, fields: Any = None) -> Any:
    """What an answer holds under `key`, null taken for absent; Misshapen where that is not there or something else.
    `fields`: all that was asked for, where not everything was."""
    if not isinstance(body, Mapping):
        raise Misshapen(f"it is {_named(body)}, not an object")
    if body.get(key) is None:
        raise Misshapen(f"it has no {key}")
    shape = _QUOTAS[service] if key == "quota" else _shape(key, fields)
    try:
        found = held_to(shape, body[key])
    except Misshapen as problem:
        raise Misshapen(f"{key} {problem}") from None
    for one in found if isinstance(found, list) else [found]:
        _see_addresses(key, one)
    return found


def links(key: str, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """To the next page, where there is one."""
    shape = Array(item=Obj(fields=_texts("rel", "href")))
    found = held_to(shape, body.get(f"{key}_links") or [])
    return [one for one in found if one.get("rel") == "next"]


def _shape(key: str, fields: Any) -> Node:
    if key in _ONE:
        return _of_fields(_ONE[key], fields)
    return Array(item=_of_fields(_ONE[key.removesuffix("s")], fields))


def _of_fields(shape: Obj, fields: Any) -> Obj:
    if fields is None:
        return shape
    return Obj(fields=shape.fields, required=tuple(name for name in shape.required if name in fields))


def _see_addresses(key: str, found: Mapping[str, Any]) -> None:
    texts = [(name, found[name]) for name in _ADDRESSES if found.get(name)]
    texts += [("fixed_ips", one["ip_address"]) for one in found.get("fixed_ips") or ()]
    texts += [("cidr", found["cidr"])] if "cidr" in found else []
    for name, text in texts:
        try:
            _kind = ip_network(text, strict=False) if name == "cidr" else ip_address(text)
        except ValueError:
            raise Misshapen(f"{key} {name}: {text!r} is no address") from None


def _named(body: Any) -> str:
    return "nothing that can be read" if body is None else f"a {type(body).__name__}"
