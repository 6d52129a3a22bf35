# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Service of each load balancer, and what of a live one differs in the fields that are ours (API-1, CORE-6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import platforms
from ..data import Json, dig
from ..operator.names import AWS_SUBNETS
from ..platforms import AWS
from .addresses import version_of
from .clouds import Cloud, cloud_of
from .names import Slb
from .state import WantedApi

_SETS = ("eip-allocations", "subnets", "private-ipv4-addresses")  # lists whose order means nothing to AWS


@dataclass(frozen=True)
class Said:
    """What the task says of one Service. A field it says nothing of is None, and left as it is."""

    platform: str
    annotations: Mapping[str, str | None]  # None: to be taken away
    ip: str | None
    selector: Mapping[str, str] | None
    dual: bool = False


def said(slb: Slb, wanted: WantedApi, platform: str, addresses: Sequence[str]) -> Said:
    cloud = cloud_of(platform)
    annotations: dict[str, str | None] = dict.fromkeys(cloud.owned)
    annotations |= cloud.annotations(slb)
    key, ip, dual = cloud.address_key(slb), None, False
    if addresses and key:
        annotations[key] = ",".join(addresses)
    elif addresses:
        ip, dual = _addressed(cloud, addresses, annotations)
    subnets = wanted.subnets_of(slb)
    if subnets and platform == AWS:
        annotations[AWS_SUBNETS] = ",".join(subnets)
    annotations |= wanted.annotations.get(slb.role) or {}
    return Said(platform, annotations, ip, wanted.selectors.get(slb.role), dual)


def _addressed(cloud: Cloud, addresses: Sequence[str], annotations: dict[str, str | None]) -> tuple[str, bool]:
    """One address in the field; of two families the second one where this cloud looks for it."""
    ordered = sorted(addresses, key=version_of)
    if len(ordered) > 1 and cloud.ipv6_key:
        annotations[cloud.ipv6_key] = ordered[1]
        return ordered[0], True
    return ordered[0], False


def manifest(slb: Slb, what: Said) -> dict[str, Any]:
    """A new one."""
    annotations = {key: value for key, value in what.annotations.items() if value is not None}
    spec: dict[str, Any] = {
        "type": "LoadBalancer",
        "ports": [{"port": slb.port}],
        "selector": dict(what.selector or {"app": slb.app}),
    }
    if what.ip:
        spec["loadBalancerIP"] = what.ip
    if what.dual:
        spec |= {"ipFamilyPolicy": "RequireDualStack", "ipFamilies": ["IPv4", "IPv6"]}
    meta: dict[str, Any] = {"name": slb.name, "namespace": slb.namespace}
    if annotations:
        meta["annotations"] = annotations
    return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}


def patch(slb: Slb, what: Said, service: Json) -> dict[str, Any]:
    """The merge patch that makes a live Service say it; {} where it does."""
    have = dig(service, "metadata", "annotations") or {}
    fits = _scope_fits(slb, what, have)
    notes = {
        key: value
        for key, value in what.annotations.items()
        if key not in fits and not _same(key, have.get(key), value)
    }
    spec: dict[str, Any] = {}
    if dig(service, "spec", "type") != "LoadBalancer":
        spec["type"] = "LoadBalancer"
    if what.ip and dig(service, "spec", "loadBalancerIP") != what.ip:
        spec["loadBalancerIP"] = what.ip
    ports = dig(service, "spec", "ports") or ()
    if not any(entry.get("port") == slb.port for entry in ports):
        spec["ports"] = [*ports, {"name": f"p{slb.port}" if ports else "", "port": slb.port}]
    selector = dig(service, "spec", "selector") or {}
    if what.selector and dict(selector) != dict(what.selector):
        spec["selector"] = {**dict.fromkeys(selector), **what.selector}
    parts = {"metadata": {"annotations": notes} if notes else {}, "spec": spec}
    return {key: value for key, value in parts.items() if value}


def _scope_fits(slb: Slb, what: Said, have: Mapping[str, str]) -> tuple[str, ...]:
    """However it is spelt: what its cloud reads as it is wanted is left as it is."""
    internal = platforms.platform(what.platform).internal_for_cloud(have)
    return cloud_of(what.platform).owned if internal is slb.internal else ()


def _same(key: str, have: str | None, want: str | None) -> bool:
    if have is not None and want is not None and key.endswith(_SETS):
        return _listed(have) == _listed(want)
    return have == want


def _listed(text: str) -> list[str]:
    return sorted(part.strip() for part in text.split(",") if part.strip())


def inverse(change: Mapping[str, Any], service: Json) -> dict[str, Any]:
    """The merge patch that takes this one back."""
    notes = dig(change, "metadata", "annotations") or {}
    have = dig(service, "metadata", "annotations") or {}
    back: dict[str, Any] = {}
    if notes:
        back["metadata"] = {"annotations": {key: have.get(key) for key in notes}}
    if change.get("spec"):
        back["spec"] = {key: dig(service, "spec", key) for key in change["spec"]}
        if "selector" in back["spec"]:
            live = dig(service, "spec", "selector") or {}
            back["spec"]["selector"] = {**dict.fromkeys(change["spec"]["selector"]), **live}
    return back


def shown(slb: Slb, platform: str, service: Json, given: Iterable[str] = ()) -> dict[str, Any] | None:
    """What a person edits, without what others have put there."""
    if service is None:
        return None
    cloud, have = cloud_of(platform), dig(service, "metadata", "annotations") or {}
    keys = {*cloud.always, *cloud.owned, *cloud.annotations(slb), AWS_SUBNETS, cloud.ipv6_key, *given}
    keys.add(cloud.address_key(slb))
    return {
        "annotations": {key: have[key] for key in sorted(keys) if key in have},
        "loadBalancerIP": dig(service, "spec", "loadBalancerIP") or "",
        "ports": [entry.get("port") for entry in dig(service, "spec", "ports") or ()],
        "selector": dict(dig(service, "spec", "selector") or {}),
        "type": dig(service, "spec", "type") or "",
    }
