# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAPO vectors that tell what only the shipped controller and its webhook do: a model of them answers.

No code of ours could: it keeps its own rules for CIDRs, addresses, floating IPs, members and deletion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import shipped_capo as shipped
from .runner import Kind, Mismatch, Vector, compare

Given = Mapping[str, Any]
Answer = dict[str, Any]


def asked(answer: Callable[[Given], Answer]) -> Kind:
    """A kind that compares the answer key by key; `…_contains` is a part of the text under the bare key."""

    def kind(vector: Vector) -> Sequence[Mismatch]:
        got = answer(vector.get("given", {}))
        for key, part in vector["expect"].items():
            text = got.get(key.removesuffix("_contains"))
            if key.endswith("_contains") and isinstance(text, str) and part in text:
                got[key] = part
        return compare(vector["expect"], got)

    return kind


def _endpoint(given: Given) -> shipped.Endpoint:
    block = given.get("endpoint") or given
    return shipped.Endpoint(block.get("host") or "", block.get("port") or 0)


def _lookup(given: Given) -> shipped.Lookup:
    """`dns`: host → address or addresses; the first one counts."""

    def lookup(host: str) -> str | None:
        found = (given.get("dns") or {}).get(host)
        return found[0] if isinstance(found, list) and found else found or None

    return lookup


def _outcome(key: str, outcome: shipped.Outcome) -> Answer:
    return {"error": True, "error_text": outcome.error} if outcome.error else {key: outcome.value, "error": False}


def cidr_answers(given: Given) -> Answer:
    bastion = [one for key, value in given.items() if "bastion" in key.lower() for one in _texts(value)]
    subnets = given.get("status_subnets")
    routers = given.get("status_router") or given.get("status_router_ips") or ()
    found = shipped.allowed_cidrs(given.get("allowedCIDRs") or (), bastion, subnets, _texts(routers))
    answer: Answer = {"canonical": list(found.canonical), "dropped": list(found.dropped)}
    return answer | {"event_reason": "FailedIPAddressValidation" if found.dropped else None}


def _texts(value: Any) -> list[str]:
    """Addresses in a text, a list or an object; a floating IP comes before the fixed one."""
    if isinstance(value, Mapping):
        ordered = sorted(value, key=lambda key: "floating" not in key.lower())
        return [text for key in ordered for text in _texts(value[key])]
    if isinstance(value, (list, tuple)):
        return [text for one in value for text in _texts(one)]
    return [value] if value else []


def cidr_support_answers(given: Given) -> Answer:
    supported = shipped.allowed_cidrs_supported(given["octavia_versions"], given["provider"])
    return {"supported": supported, "status_allowedCIDRs": "list" if supported else None}


def vip_answers(given: Given) -> Answer:
    enabled = given.get("enableFloatingIP", True)
    outcome = shipped.vip_address(
        given.get("status_internalIP") or "", given.get("fixedIP") or "", enabled, _endpoint(given), _lookup(given)
    )
    return _outcome("vip", outcome)


def floating_ip_answers(given: Given) -> Answer:
    outcome = shipped.floating_ip_address(
        given.get("status_ip") or "", given.get("floatingIP") or "", _endpoint(given), _lookup(given)
    )
    return _outcome("fip", outcome) | {"allocate": not outcome.value and not outcome.error}


def fip_delete_answers(given: Given) -> Answer:
    attached = given.get("attached_fip")
    goes = bool(attached) and shipped.deletes_floating_ip(attached or "", given.get("floatingIP") or "")
    return {"disassociate": bool(attached), "delete_fip": goes}


def lb_create_answers(given: Given) -> Answer:
    network = given.get("lb_network")
    block = network if isinstance(network, Mapping) else {"id": network or ""}
    flavors = {one["name"]: one["id"] for one in given.get("octavia_flavors") or () if one.get("enabled", True)}
    providers = given.get("octavia_providers") or ()
    plan = shipped.create(
        shipped.CreateSources(
            exists=bool(given.get("lb_exists")),
            network_known=given.get("status_network", True) is not None,
            lb_status_known=given.get("lb_status", True) is not None,
            cluster_subnets=_ids(given.get("cluster_subnets")),
            primary_subnet=given.get("primarySubnet") or "",
            lb_network=block.get("id") or "",
            lb_subnets=_ids(block.get("subnets") or given.get("lb_subnets") or given.get("lb_network_subnets")),
            provider=given.get("provider") or "",
            providers=[one["name"] if isinstance(one, Mapping) else one for one in providers],
            flavor=given.get("flavor") or "",
            flavors=flavors,
        )
    )
    return {
        "action": plan.action,
        "error": plan.error or None,
        "vip_subnet": plan.vip_subnet or None,
        "vip_network": plan.vip_network or None,
        "provider_sent": plan.provider,
        "flavor_id_sent": plan.flavor_id,
        "availability_zone_sent": given.get("availabilityZone"),
        "event_reason": plan.events[0] if plan.events else None,
        "fatal": bool(plan.error),
    }


def _ids(subnets: Any) -> list[str]:
    return [one["id"] if isinstance(one, Mapping) else one for one in subnets or ()]


def lb_wait_answers(given: Given) -> Answer:
    statuses = given.get("provisioning_status") or ()
    error = shipped.wait_for_active(
        given.get("name", ""), given.get("id", ""), [statuses] if isinstance(statuses, str) else statuses
    )
    return {"error": error or None, "active": not error, "recreated": False}


def member_answers(given: Given) -> Answer:
    needs = {
        "network": "status_network",
        "subnets": "status_subnets",
        "lb_status": "lb_status",
        "lb_status_network": "lb_status_network",
        "endpoint": "endpoint",
        "pool": "pool",
    }
    missing = [
        need for need, key in needs.items() for name in (key, f"{key}_exists") if name in given and not given[name]
    ]
    existing = given.get("member")
    plan = shipped.member(
        existing["address"] if existing else None,
        given.get("ip", ""),
        given.get("same_network", True),
        _ids(given.get("cluster_subnets")),
        missing,
    )
    return {"actions": list(plan.actions), "subnet_id": plan.subnet_id, "error": plan.error or None}


def endpoint_answers(given: Given) -> Answer:
    outcome = shipped.endpoint_host(
        shipped.EndpointSources(
            lb_enabled=given.get("lb_enabled", False),
            status_ip=given.get("status_ip") or "",
            status_internal_ip=given.get("status_internalIP") or "",
            endpoint=_endpoint(given),
            floating_ip_enabled=given.get("enableFloatingIP", True),
            external_network_enabled=given.get("enableExternalNetwork", True),
            floating_ip=given.get("floatingIP") or "",
            fixed_ip=given.get("fixedIP") or "",
        )
    )
    return {"host": outcome.value, "error": outcome.error or None}


def lb_delete_answers(given: Given) -> Answer:
    action = shipped.delete(given.get("provisioning_status"))
    answer: Answer = {"action": action}
    if action != "none":
        answer |= {"then_requeue_seconds": shipped.REQUEUE_SECONDS, "requeue_seconds": shipped.REQUEUE_SECONDS}
    return answer | {"order": list(shipped.DELETE_ORDER) if action == "delete-cascade" else []}


def mutability_answers(given: Given) -> Answer:
    error = shipped.refusal(_edit(given["changed"]))
    return {"allowed": error is None, "error": error}


def _edit(text: str) -> shipped.Edit:
    """A field, and in words or signs after it what else is so."""
    path = re.split(r"[ (=!<>]", text.strip(), maxsplit=1)[0].rstrip(":,")
    says = text[len(path) :].lower()
    return shipped.Edit(
        path=path,
        unset_before=bool(re.search(r"unset|not set|empty|first|was nil|no host", says)),
        floating_ip_enabled=not re.search(r"fip disabled|floating ip disabled|without fip", says),
        matches_status="==" in says or ("match" in says and "not match" not in says and "mismatch" not in says),
        same_object="same" in says and "not the same" not in says,
        removed="remov" in says,
        was_enabled="enabled" in says,
    )


ANSWERS: Mapping[str, Callable[[Given], Answer]] = {
    "allowed_cidrs": cidr_answers,
    "allowed_cidrs_support": cidr_support_answers,
    "vip_address": vip_answers,
    "floating_ip": floating_ip_answers,
    "fip_delete": fip_delete_answers,
    "lb_create": lb_create_answers,
    "lb_wait": lb_wait_answers,
    "member": member_answers,
    "mutability": mutability_answers,
    "endpoint": endpoint_answers,
    "lb_delete": lb_delete_answers,
}
