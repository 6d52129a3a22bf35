# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters and what was found of their API load balancers, for tests of the core."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb import decide as deciding
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.config import ApiConfig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.manifests import manifest, said
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import BY_ROLE, SLBS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import (
    Handover,
    ObservedApi,
    PathSeen,
    WantedApi,
    observed_service,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra

INFRA_ID = "prod-x7k2p"
NOW = 1_800_000_000.0
ADDRESSES = {
    "AWS": {
        "public": ("eipalloc-0123456789abcdef0", "eipalloc-0123456789abcdef1"),
        "private": ("10.0.0.4", "10.0.1.4"),
        "machine_config_server": ("10.0.0.5", "10.0.1.5"),
    },
    "Azure": {"public": ("20.0.0.7",), "private": ("10.0.0.7",)},
    "GCP": {"public": ("34.0.0.7",), "private": ("10.0.0.7",)},
}
ENDS = ("10.0.16.10", "10.0.17.11")
CONNECTED, REFUSED, SILENT = PathSeen("connected"), PathSeen("refused"), PathSeen("silent")


def wanted(platform: str = "Azure", **more: Any) -> WantedApi:
    """With reserved addresses, and public."""
    return WantedApi(**{"public": True, "addresses": ADDRESSES.get(platform, {}), **more})


def live(role: str, platform: str = "Azure", address: str = "", **more: Any) -> dict[str, Any]:
    """As api_slb would have made it, with an address."""
    slb = BY_ROLE[role]
    given = ADDRESSES[platform].get(slb.addresses) or ADDRESSES[platform]["private"]
    made = manifest(slb, said(slb, wanted(platform, **more), platform, given))
    made["metadata"] |= {"uid": f"uid-{role}", "resourceVersion": "7", "creationTimestamp": "2026-11-01T00:00:00Z"}
    made["spec"]["clusterIP"] = "172.30.0.9"
    made["spec"]["ports"][0] |= {"nodePort": 30443, "protocol": "TCP", "targetPort": slb.port}
    ip = address or (given[0] if not given[0].startswith("eip") else "198.51.100.7")
    made["status"] = {"loadBalancer": {"ingress": [{"ip": ip}]}}
    return made


def observed(platform: str = "Azure", services: dict[str, Any] | None = None, **more: Any) -> ObservedApi:
    """`services`: objects by role; those that are there have endpoints."""
    kept = more.pop("kept", {})
    infra = Infra(platform, name=INFRA_ID, region="us-east-1")
    found = {
        slb.role: observed_service(slb, infra, service=(services or {}).get(slb.role), kept=kept.get(slb.role), now=NOW)
        for slb in SLBS
    }
    config = more.pop("config", ApiConfig(INFRA_ID, "prod.example.com", True))
    ends = more.pop("endpoints", dict.fromkeys(services or {}, ENDS))
    return ObservedApi(infra, config, found, ends, more.pop("version", "4.22.3"), aws_skipped=True, **more)


def all_live(platform: str = "Azure", **more: Any) -> dict[str, Any]:
    return {slb.role: live(slb.role, platform, **more) for slb in SLBS}


def decided(what: WantedApi, seen: ObservedApi, waits: bool = True) -> Decision:
    found = deciding.decide(what, seen, waits)
    assert isinstance(found, Decision), found
    return found


def codes(found: Decision) -> list[str]:
    return [entry.code for entry in found.findings]


def writes(found: Decision) -> list[tuple[str, str, str]]:
    return [(step.verb, step.resource, step.name) for step in found.steps if step.writes]


def handing_over(stage: int, **more: Any) -> Handover:
    return Handover(stage, **{"bootstrap": ("10.0.0.2",), **more})
