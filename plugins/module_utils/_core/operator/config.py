# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operator reads of its cluster besides IngressControllers: Infrastructure, ClusterVersion, DNS, Ingress."""

from __future__ import annotations

from collections.abc import Mapping

from ..data import Json, dig
from .names import Infra


def infra_of(infrastructure: Json, dns: Json = None, ingress: Json = None) -> Infra:
    """Only AWS has a region and resource tags here; parts that were not read count as unset."""
    platform = dig(infrastructure, "status", "platformStatus") or {}
    kind = str(platform.get("type") or dig(infrastructure, "status", "platform") or "None")
    detail = platform.get(kind.lower())
    detail = detail if isinstance(detail, Mapping) else {}
    tags = detail.get("resourceTags") or () if kind == "AWS" else ()
    return Infra(
        platform=kind,
        name=dig(infrastructure, "status", "infrastructureName") or "",
        region=(detail.get("region") or "") if kind == "AWS" else "",
        resource_tags=tuple((tag.get("key", ""), tag.get("value", "")) for tag in tags),
        ip_family=str(detail.get("ipFamily") or ""),
        base_domain=dig(dns, "spec", "baseDomain") or "",
        cluster_hosted_dns=dig(detail, "cloudLoadBalancerConfig", "dnsType") == "ClusterHosted",
        ingress_domain=dig(ingress, "spec", "domain") or "",
        ingress_lb_type=dig(ingress, "spec", "loadBalancer", "platform", "aws", "type") or "",
    )


def version_of(cluster_version: Json) -> tuple[str, bool]:
    """The newest version whose rollout was completed, and whether another one is under way.

    Until a rollout ends, which operator is at work is a guess; callers say so.
    """
    history = dig(cluster_version, "status", "history") or ()
    completed = [entry.get("version") or "" for entry in history if entry.get("state") == "Completed"]
    desired = dig(cluster_version, "status", "desired", "version") or ""
    version = completed[0] if completed else desired
    return str(version), bool(completed) and version != desired
