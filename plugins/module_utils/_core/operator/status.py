# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Status after a pass: the mirror of what is in force, and the conditions (facts: ingress-operator §5, §7, §11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..data import Json, dig, plain
from ..go import quote
from ..platforms import AWS, OPENSTACK
from ..profiles import Profile
from . import diff, messages, names, router_service, subnets
from .diff import annotations_of
from .names import CLASSIC, NLB, PARAMS, Infra
from .subnets import Subnets

Condition = dict[str, str]
# What follows in Upgradeable is a printed difference of the two Services (4.16: seen where the tags were edited).
MODIFIED = (
    "One or more managed resources are not upgradeable: load balancer service has been modified; "
    "changes must be reverted before upgrading: "
)
_ROLLOUT_IGNORED = ("ReplicasStabilizing", "PodsStarting")


def condition(kind: str, status: str, reason: str = "", message: str = "") -> Condition:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def mirror(profile: Profile, infra: Infra, strategy: Json, service: Json) -> dict[str, Any]:
    """status.endpointPublishingStrategy with the values the live Service really has."""
    updated: dict[str, Any] = plain(strategy) or {}
    lb = updated.get("loadBalancer")
    if lb is None:
        return updated
    if profile.type_recreates and infra.platform == AWS:
        _clear_inactive(lb, service)
    if profile.source_ranges:
        _put(lb, "allowedSourceRanges", source_ranges(service))
    if infra.platform == AWS and profile.subnets:
        _mirror_aws(profile, lb, service)
    if infra.platform == OPENSTACK and profile.floating_ip:
        params = dig(lb, "providerParameters", "openstack")
        if params is not None:
            _put(params, "floatingIP", dig(service, "spec", "loadBalancerIP"))
    return updated


def source_ranges(service: Json) -> list[str] | None:
    """The Service's field, else its annotation (split, not trimmed), else nothing."""
    field = dig(service, "spec", "loadBalancerSourceRanges")
    if field:
        return list(field)
    annotation = annotations_of(service).get(names.SOURCE_RANGES, "").strip()
    return annotation.split(",") if annotation else None


def _clear_inactive(lb: dict[str, Any], service: Json) -> None:
    """Once the wanted type is in force, the other type's parameters leave status."""
    aws = dig(lb, "providerParameters", "aws")
    if service is None or aws is None:
        return
    have = subnets.lb_type(annotations_of(service))
    if have == (aws.get("type") or CLASSIC):
        aws.pop(PARAMS[CLASSIC if have == NLB else NLB], None)


def _mirror_aws(profile: Profile, lb: dict[str, Any], service: Json) -> None:
    aws = dig(lb, "providerParameters", "aws")
    if aws is None:
        return
    if profile.actual_type:
        kind = subnets.lb_type(annotations_of(service)) if service is not None else ""
    else:
        kind = aws.get("type", "")
    params = aws.get(PARAMS.get(kind, ""))
    if params is None:
        return
    _put(params, "subnets", subnets.parse(annotations_of(service)).as_spec())
    if kind == NLB:
        _put(params, "eipAllocations", subnets.parse_eips(annotations_of(service)))


def _put(params: dict[str, Any], name: str, value: Json) -> None:
    if value:
        params[name] = value
    else:
        params.pop(name, None)


def conditions(profile: Profile, infra: Infra, ic: Json, service: Json, events: Sequence[Json]) -> list[Condition]:
    """The load-balancer conditions and their roll-up. `ic` carries the mirrored status."""
    found = load_balancer(profile, ic, service, events)
    if profile.progressing_condition:
        found.append(progressing(profile, infra, ic, service))
        found.append(rollup(found))
        found.append(_evaluation(profile, ic, service))
    else:
        found.append(_old_progressing(profile, infra, ic, service))
    found.append(upgradeable(profile, infra, ic, service))
    return found


def load_balancer(profile: Profile, ic: Json, service: Json, events: Sequence[Json]) -> list[Condition]:
    if not router_service.wanted(ic):
        text = "The configured endpoint publishing strategy does not include a managed load balancer"
        return [
            condition("LoadBalancerManaged", "False", "EndpointPublishingStrategyExcludesManagedLoadBalancer", text)
        ]
    text = "The endpoint publishing strategy supports a managed load balancer"
    managed = condition("LoadBalancerManaged", "True", "WantedByEndpointPublishingStrategy", text)
    return [managed, ready(profile, service, events)]


def ready(profile: Profile, service: Json, events: Sequence[Json]) -> Condition:
    """Failed syncs count only while the Service has no address; the first matching event is quoted."""
    kind = "LoadBalancerReady"
    if service is None:
        return condition(kind, "False", "ServiceNotFound", "The LoadBalancer service resource is missing")
    addresses = dig(service, "status", "loadBalancer", "ingress") or []
    if addresses and (addresses[0].get("hostname") or addresses[0].get("ip")):
        return condition(kind, "True", "LoadBalancerProvisioned", "The LoadBalancer service is provisioned")
    for event in events:
        if _is_failed_sync(event, service):
            text = (
                "The service-controller component is reporting SyncLoadBalancerFailed events like: "
                f"{event.get('message', '')}\nThe {profile.ready_hint} logs may contain more details."
            )
            return condition(kind, "False", "SyncLoadBalancerFailed", text)
    return condition(kind, "False", "LoadBalancerPending", "The LoadBalancer service is pending")


def _is_failed_sync(event: Json, service: Json) -> bool:
    about = event.get("involvedObject") or {}
    meta = service.get("metadata") or {}
    return (
        dig(event, "source", "component") == "service-controller"
        and event.get("reason") == "SyncLoadBalancerFailed"
        and about.get("kind") == "Service"
        and all((about.get(key) or "") == (meta.get(key) or "") for key in ("namespace", "name", "uid"))
    )


def progressing(profile: Profile, infra: Infra, ic: Json, service: Json) -> Condition:
    kind = "LoadBalancerProgressing"
    if router_service.wanted(ic):
        if dig(ic, "status", "endpointPublishingStrategy", "loadBalancer") is None:
            text = "status.endpointPublishingStrategy.loadBalancer is not set."
            return condition(kind, "Unknown", "StatusIncomplete", text)
        if service is None:
            return condition(kind, "True", "NoService", "LoadBalancer Service not created.")
        changes = messages.pending(profile, infra, ic, service)
        if changes:
            text = f"One or more managed resources are progressing: {messages.aggregate(changes)}"
            return condition(kind, "True", "OperandsProgressing", text)
    return condition(kind, "False", "LoadBalancerNotProgressing", "LoadBalancer is not progressing")


def _old_progressing(profile: Profile, infra: Infra, ic: Json, service: Json) -> Condition:
    """4.10 and 4.11 report the scope change in Progressing itself."""
    if router_service.wanted(ic):
        if dig(ic, "status", "endpointPublishingStrategy", "loadBalancer") is None:
            text = "status.endpointPublishingStrategy.loadBalancer is not set."
            return condition("Progressing", "Unknown", "IncompleteStatus", text)
        if service is None:
            return condition("Progressing", "True", "NoService", "LoadBalancer Service not created.")
        changes = messages.pending(profile, infra, ic, service)
        if changes:
            return condition("Progressing", "True", "ScopeChanged", changes[0].message)
    return condition("Progressing", "False")


def rollup(found: Sequence[Mapping[str, str]]) -> Condition:
    """Progressing: the load balancer's when it is managed, and a rollout that is more than pods coming back."""
    by_type = {entry["type"]: entry for entry in found}
    managed = by_type.get("LoadBalancerManaged", {}).get("status") == "True"
    counted = []
    for kind, counts in (("LoadBalancerProgressing", managed), ("DeploymentRollingOut", True)):
        entry = by_type.get(kind)
        if entry and counts and entry["status"] != "False" and entry.get("reason") not in _ROLLOUT_IGNORED:
            counted.append(f"{kind}={entry['status']} ({entry['reason']}: {entry['message']})")
    if not counted:
        return condition("Progressing", "False")
    text = f"One or more status conditions indicate progressing: {', '.join(counted)}"
    return condition("Progressing", "True", "IngressControllerProgressing", text)


def upgradeable(profile: Profile, infra: Infra, ic: Json, service: Json) -> Condition:
    """A tampered fully managed annotation blocks upgrades; a pending creation-only change does not."""
    if service is not None and router_service.wanted(ic):
        want = annotations_of(router_service.service(profile, infra, ic, service))
        watched = names.managed(profile) | {names.AWS_TAGS}
        changed = diff.changed_keys(watched, annotations_of(service), want)
        if changed:
            text = f"{MODIFIED}{_printed_difference(annotations_of(service), want, changed)}"
            return condition("Upgradeable", "False", "OperandsNotUpgradeable", text)
    return condition("Upgradeable", "True", "Upgradeable", "IngressController is upgradeable.")


def _printed_difference(have: Mapping[str, str], want: Mapping[str, str], changed: Sequence[str]) -> str:
    """In the shape of go-cmp's Diff of two whole Services: what is the same is left out, or counted.

    The operator's own text cannot be foretold byte for byte: go-cmp changes its blanks from build to build, on purpose.
    """
    lines = []
    same = len(set(have) - set(changed))
    if same:
        lines.append(f"  \t\t\t... // {same} identical {'entry' if same == 1 else 'entries'}")
    for key in changed:
        sides = (("-", have.get(key)), ("+", want.get(key)))
        lines += [f"{sign} \t\t\t{quote(key)}: {quote(value)}," for sign, value in sides if value is not None]
    inside = "\n".join(lines)
    return (
        "  &v1.Service{\n  \tTypeMeta: {},\n  \tObjectMeta: v1.ObjectMeta{\n  \t\t... // 11 identical fields\n"
        f"  \t\tAnnotations: map[string]string{{\n{inside}\n  \t\t}},\n  \t\t... // 3 identical fields\n  \t}},\n"
        "  \tSpec:   {...},\n  \tStatus: {...},\n  }\n"
    )


def _evaluation(profile: Profile, ic: Json, service: Json) -> Condition:
    edits = messages.source_range_edits(profile, ic, service) if service is not None else []
    if edits:
        text = f"One or more managed resources have evaluation conditions: {messages.aggregate(edits)}"
        return condition("EvaluationConditionsDetected", "True", "OperandsEvaluationConditionsDetected", text)
    return condition(
        "EvaluationConditionsDetected", "False", "NoEvaluationCondition", "No evaluation condition is detected."
    )


def same(before: Json, after: Json) -> bool:
    """Would the operator skip the write? It compares subnets and EIPs unordered: no write for an order alone."""
    a, b = before or {}, after or {}
    if a.get("observedGeneration") != b.get("observedGeneration") or _by_type(a) != _by_type(b):
        return False
    left, right = (dig(side, "endpointPublishingStrategy", "loadBalancer") or {} for side in (a, b))
    if (left.get("allowedSourceRanges") or []) != (right.get("allowedSourceRanges") or []):
        return False
    if (dig(left, "providerParameters", "openstack", "floatingIP") or "") != (
        dig(right, "providerParameters", "openstack", "floatingIP") or ""
    ):
        return False
    params = [[dig(side, "providerParameters", "aws", key) or {} for key in PARAMS.values()] for side in (left, right)]
    return all(
        Subnets.listed(one.get("subnets")).same(Subnets.listed(two.get("subnets")))
        and subnets.eips_equal(one.get("eipAllocations"), two.get("eipAllocations"))
        and (one.get("connectionIdleTimeout") or "0s") == (two.get("connectionIdleTimeout") or "0s")
        for one, two in zip(*params, strict=True)
    )


def _by_type(status: Json) -> dict[str, tuple[str, str, str]]:
    return {
        entry["type"]: (entry["status"], entry.get("reason", ""), entry.get("message", ""))
        for entry in status.get("conditions") or []
    }


def merged(current: Sequence[Json], updates: Sequence[Condition], now: str) -> list[dict[str, str]]:
    """Conditions in their old order, changed ones updated; the time moves only with the status."""
    found = [dict(entry) for entry in current]
    by_type = {entry["type"]: entry for entry in found}
    for update in updates:
        entry = by_type.get(update["type"])
        if entry is None:
            found.append({**update, "lastTransitionTime": now})
            continue
        moved = entry["status"] != update["status"]
        entry.update(update)
        if moved:
            entry["lastTransitionTime"] = now
    return found
