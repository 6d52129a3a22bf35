# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User modifications on the Service: kept by in-place changes, lost by a recreation, restored on request (SCO-6).

A modification is whatever differs between the live Service and the one the operator would make, but for what the API
server fills in and what controllers write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..data import Json, dig, plain
from ..model import Finding, Severity
from ..operator import names, router_service
from ..operator.diff import annotations_of
from ..operator.subnets import lb_type
from ..platforms import OPENSTACK
from .edit_rules import annotation_refused, field_refused, label_refused, written_by_controllers
from .state import Observed

# What the server fills in where nobody says anything.
_DEFAULTS = {"allocateLoadBalancerNodePorts": True, "ipFamilyPolicy": "SingleStack", "sessionAffinity": "None"}
_ALLOCATED = ("clusterIP", "clusterIPs", "healthCheckNodePort", "ipFamilies")
_NODE_PORT = "f:nodePort"


@dataclass(frozen=True)
class Edits:
    """`patch` puts back what can be; `lost`: the rest, and why it cannot."""

    patch: Mapping[str, Any] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.patch or self.lost)

    @property
    def listed(self) -> list[str]:
        return names_in(self.patch)


def names_in(patch: Json) -> list[str]:
    """The modifications of a patch, one by one, for a sentence."""
    meta = dig(patch, "metadata") or {}
    found = [*(meta.get("annotations") or {}), *(f"label {key}" for key in meta.get("labels") or {})]
    return [*found, *(f"spec.{name}" for name in dig(patch, "spec") or {})]


def edits(observed: Observed, ic: Json) -> Edits:
    """`ic`: as it is when the new Service is made."""
    service = observed.service
    if service is None or not router_service.wanted(ic):
        return Edits()
    fresh = router_service.service(observed.profile, observed.infra, ic, None)
    patch: dict[str, Any] = {}
    lost: dict[str, str] = {}
    for path, name, value, why in (
        *_annotations(observed, fresh),
        *_labels(service, fresh),
        *_fields(observed, fresh),
    ):
        if why:
            lost[f"spec.{name}" if path == ("spec",) else name] = why
            continue
        inside = patch
        for part in path:
            inside = inside.setdefault(part, {})
        inside[name] = plain(value)
    return Edits(patch, lost)


_Edit = tuple[tuple[str, ...], str, Json, str]


def _annotations(observed: Observed, fresh: Json) -> Iterator[_Edit]:
    have, want = annotations_of(observed.service), annotations_of(fresh)
    theirs = set(names.managed(observed.profile) | names.creation_only(observed.profile, observed.infra.platform))
    if names.AWS_TARGET_GROUP in want:
        theirs.add(names.AWS_TARGET_GROUP)
    if dig(fresh, "spec", "loadBalancerSourceRanges"):
        theirs.add(names.SOURCE_RANGES)
    for key in sorted({*have, *want} - theirs):
        if have.get(key) != want.get(key) and not written_by_controllers(key):
            why = annotation_refused(key, have.get(key), observed.profile, observed.infra.platform, lb_type(want))
            yield ("metadata", "annotations"), key, have.get(key), why


def _labels(service: Json, fresh: Json) -> Iterator[_Edit]:
    have, want = (dig(side, "metadata", "labels") or {} for side in (service, fresh))
    for key in sorted({*have, *want}):
        if have.get(key) != want.get(key):
            yield ("metadata", "labels"), key, have.get(key), label_refused(key, have.get(key))


def _fields(observed: Observed, fresh: Json) -> Iterator[_Edit]:
    have = dig(observed.service, "spec") or {}
    want = {**_DEFAULTS, **fresh["spec"]}
    # What the operator sets by itself on the live Service is no modification, nor what waits for a recreation.
    theirs = {*_ALLOCATED, "ports", *({"loadBalancerIP"} if observed.infra.platform == OPENSTACK else ())}
    theirs |= {name for name in ("loadBalancerSourceRanges", "ipFamilyPolicy") if fresh["spec"].get(name)}
    for name in sorted({*have, *want} - theirs):
        value = have.get(name)
        if value is not None and (value or None) != (want.get(name) or None):
            yield ("spec",), name, value, field_refused(name, value, observed.infra.platform)
    ports = _ports(observed.service, fresh)
    if ports is not None:
        yield ("spec",), "ports", ports, field_refused("ports", ports, observed.infra.platform)


def _ports(service: Json, fresh: Json) -> list[dict[str, Any]] | None:
    """The ports as they were, None where they are as usual. Node ports come along where somebody chose them."""
    chosen = _node_ports_chosen(service)
    live = [dict(port) for port in dig(service, "spec", "ports") or ()]
    kept = [{key: port[key] for key in port if key != "nodePort" or chosen} for port in live]
    bare = [{key: port[key] for key in port if key != "nodePort"} for port in live]
    same = _sorted(bare) == _sorted(fresh["spec"]["ports"])
    return None if same and not chosen else kept


def _sorted(ports: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(({"protocol": "TCP", **port} for port in ports), key=lambda port: (port.get("port", 0), str(port)))


def _node_ports_chosen(service: Json) -> bool:
    """The server allocates them and says so nowhere; whoever wrote one himself is named as the field's manager."""
    entries = dig(service, "metadata", "managedFields") or ()
    written = (dig(entry, "fieldsV1", "f:spec", "f:ports") or {} for entry in entries)
    return any(_NODE_PORT in (port or {}) for ports in written for port in ports.values())


def lost(observed: Observed, ic: Json, restore: bool) -> tuple[Finding, ...]:
    """What a recreation loses of them, and what is put back."""
    found = edits(observed, ic)
    where = f"Service {names.OPERAND_NAMESPACE}/{names.service_name(observed.name)}"
    told = []
    if restore and found.patch:
        what = f"Modified by hand, and put back after the recreation: {', '.join(found.listed)}."
        told.append(Finding("edits_restored", Severity.INFO, where, what, value=found.patch))
    gone = {**({} if restore else dict.fromkeys(found.listed, "")), **found.lost}
    if gone:
        listed = ", ".join(f"{name} ({why})" if why else name for name, why in gone.items())
        what = f"Modified by hand, and lost with the recreation: {listed}."
        remedy = "Set restore_edits: true to have them put back." if not restore and found.patch else ""
        remedy += " Set again by hand what cannot be put back." if found.lost else ""
        told.append(Finding("edits_lost", Severity.WARNING, where, what, remedy.strip(), found.patch or None))
    return tuple(told)
