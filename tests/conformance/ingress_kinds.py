# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of ingress vectors: each asks one question of the operator model, for every profile the vector names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.go import (
    SECOND,
    format_duration,
    parse_duration,
    whole_seconds,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import (
    admission,
    crd,
    diff,
    messages,
    names,
    router_service,
    status,
    subnets,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import PARAMS, Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.reconcile import wanted_service
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import any_internal, platform
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import (
    REPRESENTATIVE,
    Profile,
    profile_for,
)

from .runner import Kind, Mismatch, Vector, compare

Answer = dict[str, Any]
Ask = Callable[[Profile, Vector], Answer]


def _kind(ask: Ask) -> Kind:
    """The vector's expectation against the model's answer, under each of its profiles."""

    def run(vector: Vector) -> list[Mismatch]:
        found = []
        for name in vector["profiles"]:
            answer = ask(profile_for(REPRESENTATIVE[name]), vector)
            found += [
                *compare(_comparable(vector["expect"]), answer, f"{name} "),
                *_texts(vector["expect"], answer, name),
            ]
        return found

    return run


def _comparable(expect: Vector) -> Vector:
    """Substring expectations are checked apart; `ignored_field` only says which field the case is about."""
    apart = ("message_contains", "message_not_contains", "error_contains", "annotations_absent", "ignored_field")
    return {key: value for key, value in expect.items() if key not in apart}


def _texts(expect: Vector, answer: Answer, name: str) -> list[Mismatch]:
    found = []
    for key, text, wanted in (
        ("message_contains", answer.get("message", ""), True),
        ("message_not_contains", answer.get("message", ""), False),
        ("error_contains", "\n".join(answer.get("errors", [])), True),
    ):
        if expect.get(key) and (expect[key] in text) is not wanted:
            found.append(Mismatch(f"{name} {key}", expect[key], text))
    there = [key for key in expect.get("annotations_absent", []) if key in answer.get("annotations_exact", {})]
    return [*found, Mismatch(f"{name} annotations_absent", [], there)] if there else found


def _infra(vector: Vector) -> Infra:
    current = vector["current"]
    tags = tuple((tag["key"], tag["value"]) for tag in current.get("infra_resource_tags", []))
    return Infra(vector["platform"] or "None", resource_tags=tags, ip_family=current.get("infra_ip_family", ""))


def _ic(vector: Vector) -> Answer:
    name = vector.get("ic_name", "default")
    annotations = {names.AUTO_DELETE: ""} if vector["auto_delete"] else {}
    return {
        "metadata": {"name": name, "generation": 2, "annotations": annotations},
        "spec": {"endpointPublishingStrategy": _seconds(vector["desired"].get("spec"))},
        "status": {
            "endpointPublishingStrategy": _seconds(vector["current"].get("ic_status")),
            "observedGeneration": 1,
            "conditions": [{"type": "Admitted", "status": "True"}] if vector["current"].get("ic_status") else [],
        },
    }


def _seconds(strategy: Any) -> Any:
    """The vectors' connectionIdleTimeoutSeconds stands for the duration field."""
    classic = dig(strategy, "loadBalancer", "providerParameters", "aws", "classicLoadBalancer")
    if classic and "connectionIdleTimeoutSeconds" in classic:
        classic["connectionIdleTimeout"] = format_duration(classic["connectionIdleTimeoutSeconds"] * SECOND)
    return strategy


def _service(vector: Vector) -> Answer | None:
    current = vector["current"]
    if not current.get("service_exists", True):
        return None
    spec = {key: current[key] for key in ("loadBalancerSourceRanges", "loadBalancerIP", "ipFamilies") if key in current}
    meta = {
        "name": current.get("service_name", names.service_name(vector.get("ic_name", "default"))),
        "namespace": names.OPERAND_NAMESPACE,
        "uid": current.get("service_uid", ""),
        "annotations": current.get("annotations") or {},
    }
    return {"metadata": meta, "spec": spec, "status": {"loadBalancer": {"ingress": current.get("ingress") or []}}}


def _desired_service(given: Mapping[str, Any]) -> Answer:
    return {
        "metadata": {"annotations": given.get("annotations") or {}},
        "spec": {key: value for key, value in given.items() if key not in ("annotations", "uid", "labels")},
    }


def desired_annotations(profile: Profile, vector: Vector) -> Answer:
    ic = _ic(vector)
    if not router_service.wanted(ic):
        return {"service_wanted": False, "annotations_exact": {}, "externalTrafficPolicy": None, "loadBalancerIP": ""}
    service = wanted_service(profile, _infra(vector), ic, _service(vector))
    return {
        "service_wanted": True,
        "annotations_exact": service["metadata"]["annotations"],
        "externalTrafficPolicy": service["spec"]["externalTrafficPolicy"],
        "loadBalancerIP": service["spec"].get("loadBalancerIP", ""),
    }


def idle_timeout(profile: Profile, vector: Vector) -> Answer:
    found = desired_annotations(profile, vector)["annotations_exact"]
    return {"annotation": {key: found.get(key) for key in vector["expect"]["annotation"]}}


def dual_stack(profile: Profile, vector: Vector) -> Answer:
    spec = router_service.service(profile, _infra(vector), _ic(vector), None)["spec"]
    return {"ipFamilyPolicy": spec.get("ipFamilyPolicy"), "ipFamilies": spec.get("ipFamilies")}


def in_place_changed(profile: Profile, vector: Vector) -> Answer:
    before = _service(vector) or {}
    after = diff.in_place(profile, before, _desired_service(vector["desired"]["service"]))
    if after is None:
        return {"changed": False, "changed_keys": []}
    pairs = [(diff.annotations_of(before), diff.annotations_of(after), ""), (before["spec"], after["spec"], "spec.")]
    keys = [prefix + key for old, new, prefix in pairs for key in {*old, *new} if old.get(key) != new.get(key)]
    return {"changed": True, "changed_keys": sorted(keys)}


def source_ranges(profile: Profile, vector: Vector) -> Answer:
    before = _service(vector) or {}
    ranges = dig(vector["desired"], "spec", "loadBalancer", "allowedSourceRanges")
    wanted = {
        "annotations": before["metadata"]["annotations"],
        **({"loadBalancerSourceRanges": ranges} if ranges else {}),
    }
    after = diff.in_place(profile, before, _desired_service(wanted))
    shown = after or before
    cleared = names.SOURCE_RANGES in diff.annotations_of(before) and names.SOURCE_RANGES not in diff.annotations_of(
        shown
    )
    return {
        "changed": after is not None,
        "loadBalancerSourceRanges": shown["spec"].get("loadBalancerSourceRanges", []),
        "annotation_cleared": cleared,
    }


def source_ranges_status(profile: Profile, vector: Vector) -> Answer:
    return {"status_allowedSourceRanges": status.source_ranges(_service(vector))}


def recreate(profile: Profile, vector: Vector) -> Answer:
    wanted = _desired_service(vector["desired"]["service"])
    keys, fields = diff.recreation(profile, vector["platform"], _service(vector), wanted)
    needed = bool(keys or fields)
    return {
        "needs_recreate": needed,
        "changed_annotations": keys,
        "changed_fields": fields,
        "effect_with_auto_delete": "delete-and-recreate" if needed else "none",
        "effect_without_auto_delete": _without_auto_delete(profile, vector, keys, fields),
    }


def _without_auto_delete(profile: Profile, vector: Vector, keys: list[str], fields: list[str]) -> str:
    """Progressing compares meanings, not strings: what auto-delete would act on is then not even pending."""
    if not keys and not fields:
        return "none"
    have = vector["current"].get("annotations") or {}
    want = vector["desired"]["service"].get("annotations") or {}
    on_classic = vector["lb_type"] == names.CLASSIC  # a Classic Service's EIPs are never reported
    silent = {
        names.AWS_SUBNETS: subnets.parse(want).same(subnets.parse(have)),
        names.AWS_EIPS: on_classic or subnets.eips_equal(subnets.parse_eips(want), subnets.parse_eips(have)),
        names.AWS_TYPE: subnets.lb_type(want) == subnets.lb_type(have),
        platform(vector["platform"]).scope_key: any_internal(want) == any_internal(have),
    }
    if fields or not all(silent[key] for key in keys):
        return "pending, LoadBalancerProgressing=True"
    return "none, LoadBalancerProgressing stays False"


def progressing(profile: Profile, vector: Vector) -> Answer:
    ic, service, infra = _ic(vector), _service(vector), _infra(vector)
    found = status.progressing(profile, infra, ic, service)
    lb_status = dig(ic, "status", "endpointPublishingStrategy", "loadBalancer")
    changes = (
        messages.pending(profile, infra, ic, service) if service and lb_status and router_service.wanted(ic) else []
    )
    return {
        "LoadBalancerProgressing": {"status": found["status"], "reason": found["reason"]},
        "pending_fields": [change.field for change in changes],
        "revert_patches": {change.field: json.loads(change.patch) for change in changes if change.patch},
        "message": found["message"],
    }


def subnet_equality(profile: Profile, vector: Vector) -> Answer:
    return {"equal": Subnets.listed(vector["desired"]["subnets"]).same(Subnets.listed(vector["current"]["subnets"]))}


def subnet_parse(profile: Profile, vector: Vector) -> Answer:
    found = subnets.parse(vector["current"]["annotations"])
    return {"subnets": {"ids": list(found.ids), "names": list(found.names)} if found else None}


def lb_ready(profile: Profile, vector: Vector) -> Answer:
    events = [
        {
            "source": {"component": event["component"]},
            "reason": event["reason"],
            "message": event.get("message", ""),
            "involvedObject": {
                "kind": event["kind"],
                "name": event["name"],
                "uid": event["uid"],
                "namespace": event.get("namespace", names.OPERAND_NAMESPACE),
            },
        }
        for event in vector["current"].get("events", [])
    ]
    found = status.ready(profile, _service(vector), events)
    return {"LoadBalancerReady": {"status": found["status"], "reason": found["reason"]}, "message": found["message"]}


def rollup_progressing(profile: Profile, vector: Vector) -> Answer:
    given = vector["current"]["conditions"]
    conditions = [
        {"type": key, "status": value, "reason": given.get(f"{key}Reason") or "", "message": ""}
        for key, value in given.items()
        if value is not None and not key.endswith("Reason")
    ]
    return {"Progressing": status.rollup(conditions)["status"]}


def admission_copy(profile: Profile, vector: Vector) -> Answer:
    ic = _ic(vector)
    before = json.loads(json.dumps(dig(ic, "status", "endpointPublishingStrategy"))) or {}
    after = admission.admit(profile, _infra(vector), ic)
    lb, aws = after.get("loadBalancer") or {}, dig(after, "loadBalancer", "providerParameters", "aws") or {}
    shown = {
        "scope": lb.get("scope"),
        "aws_type": aws.get("type"),
        "eps_type": after.get("type"),
        "nlb_protocol": dig(aws, PARAMS[names.NLB], "protocol") or "",
        "connectionIdleTimeoutSeconds": whole_seconds(
            parse_duration(dig(aws, PARAMS[names.CLASSIC], "connectionIdleTimeout") or "0") or 0
        ),
        "gcp_client_access": dig(lb, "providerParameters", "gcp", "clientAccess"),
        "ibm_protocol": dig(lb, "providerParameters", "ibm", "protocol"),
        "dnsManagementPolicy": lb.get("dnsManagementPolicy"),
    }
    wanted_type = dig(ic, "spec", "endpointPublishingStrategy", "type")
    blocked = bool(before) and wanted_type not in (None, before.get("type"))
    return {
        "status_after": {key: shown.get(key) for key in vector["expect"]["status_after"]},
        "status_changed": _meaning(before) != _meaning(after),
        "decision": "blocked-needs-ingresscontroller-recreate" if blocked else None,
    }


def _meaning(strategy: Any) -> Any:
    """What the operator counts as a change: empty blocks, defaults and the DNS policy of a made-up domain do not."""
    if isinstance(strategy, dict):
        kept = {
            key: _meaning(value) for key, value in strategy.items() if key not in ("dnsManagementPolicy", "nodePort")
        }
        return {key: value for key, value in kept.items() if value not in ({}, None, "0s", "")}
    return strategy


def inactive_params(profile: Profile, vector: Vector) -> Answer:
    strategy = vector["current"]["ic_status"]
    after = status.mirror(profile, _infra(vector), strategy, _service(vector))
    aws = after["loadBalancer"]["providerParameters"]["aws"]
    return {"status_params_left": sorted(key for key in PARAMS.values() if key in aws)}


def ownership(profile: Profile, vector: Vector) -> Answer:
    owned = router_service.owned(
        vector["desired"]["ic_name"], {"metadata": {"labels": vector["current"].get("labels")}}
    )
    return {"owned": owned, "decision_if_not": None if owned else "blocked-foreign-service"}


def upgradeable(profile: Profile, vector: Vector) -> Answer:
    infra = _infra(vector)
    lb = {"scope": "External", "providerParameters": {"type": "AWS", "aws": {"type": vector["lb_type"] or "Classic"}}}
    ic = _ic({**vector, "current": {"ic_status": {"type": names.LB_STRATEGY, "loadBalancer": lb}}})
    service = router_service.service(profile, infra, ic, None)
    service["metadata"]["annotations"] |= vector["current"].get("annotations_over_desired") or {}
    return {"Upgradeable": status.upgradeable(profile, infra, ic, service)["status"] == "True"}


def crd_validation(profile: Profile, vector: Vector) -> Answer:
    stored = crd.stored(profile, vector["desired"]["spec"])
    causes = crd.check(profile, stored)
    return {"valid": not causes, "errors": [str(cause) for cause in causes]}


KINDS: Mapping[str, Kind] = {
    ask.__name__: _kind(ask)
    for ask in (
        desired_annotations,
        idle_timeout,
        dual_stack,
        in_place_changed,
        source_ranges,
        source_ranges_status,
        recreate,
        progressing,
        subnet_equality,
        subnet_parse,
        lb_ready,
        rollup_progressing,
        admission_copy,
        inactive_params,
        ownership,
        upgradeable,
        crd_validation,
    )
}
