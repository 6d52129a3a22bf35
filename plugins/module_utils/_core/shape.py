# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of an object that decisions rely on, and of which type they are: held to it once, where it is read.

An API server checks types, but not every server behind an address is one, and an export may have been edited. What is
of the wrong type is told in a sentence; what is merely missing is everybody's own business (CORE-7).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .data import Json
from .operator.schema import Array, Flag, Map, Node, Number, Obj, Text, validate

_TEXT, _NUMBER = Text(), Number()
_TEXTS = Array(item=_TEXT)


def _texts(*names: str) -> dict[str, Node]:
    return dict.fromkeys(names, _TEXT)


_META = Obj(
    fields={
        **_texts("name", "namespace", "uid", "resourceVersion", "deletionTimestamp", "creationTimestamp"),
        "generation": _NUMBER,
        "labels": Map(item=_TEXT),
        "annotations": Map(item=_TEXT),
        "finalizers": _TEXTS,
        "ownerReferences": Array(item=Obj(fields=_texts("apiVersion", "kind", "name", "uid"))),
        "managedFields": Array(item=Obj(fields=_texts("manager", "operation"))),
    },
    required=("name",),
)
_CONDITION = Obj(fields=_texts("type", "status", "reason", "message", "lastTransitionTime"))
_SUBNETS = Obj(fields={"ids": _TEXTS, "names": _TEXTS})
_PROTOCOL = Obj(fields=_texts("protocol"))
_AWS = Obj(
    fields={
        "type": Text(enum=("", "Classic", "NLB")),  # of another one nothing is known
        "classicLoadBalancer": Obj(fields={"connectionIdleTimeout": _TEXT, "subnets": _SUBNETS}),
        "networkLoadBalancer": Obj(fields={"protocol": _TEXT, "subnets": _SUBNETS, "eipAllocations": _TEXTS}),
    }
)
_PARAMETERS = Obj(
    fields={
        "type": _TEXT,
        "aws": _AWS,
        "gcp": Obj(fields=_texts("clientAccess")),
        "ibm": _PROTOCOL,
        "openstack": Obj(fields=_texts("floatingIP")),
    }
)
_LOAD_BALANCER = Obj(
    fields={**_texts("scope", "dnsManagementPolicy"), "allowedSourceRanges": _TEXTS, "providerParameters": _PARAMETERS}
)
_HOST_PORTS: dict[str, Node] = dict.fromkeys(("httpPort", "httpsPort", "statsPort"), _NUMBER)
_STRATEGY = Obj(
    fields={
        "type": _TEXT,
        "loadBalancer": _LOAD_BALANCER,
        "hostNetwork": Obj(fields={**_HOST_PORTS, "protocol": _TEXT}),
        "nodePort": _PROTOCOL,
        "private": _PROTOCOL,
    }
)
_INGRESS_CONTROLLER: dict[str, Node] = {
    "spec": Obj(fields={"domain": _TEXT, "endpointPublishingStrategy": _STRATEGY}),
    "status": Obj(
        fields={
            "domain": _TEXT,
            "observedGeneration": _NUMBER,
            "endpointPublishingStrategy": _STRATEGY,
            "conditions": Array(item=_CONDITION),
        }
    ),
}
_SERVICE: dict[str, Node] = {
    "spec": Obj(
        fields={
            **_texts("type", "clusterIP", "loadBalancerIP", "loadBalancerClass", "externalTrafficPolicy"),
            **_texts("internalTrafficPolicy", "sessionAffinity", "ipFamilyPolicy"),
            **dict.fromkeys(("clusterIPs", "externalIPs", "ipFamilies", "loadBalancerSourceRanges"), _TEXTS),
            "ports": Array(item=Obj(fields={**_texts("name", "protocol"), "port": _NUMBER, "nodePort": _NUMBER})),
            "selector": Map(item=_TEXT),
            "healthCheckNodePort": _NUMBER,
            "allocateLoadBalancerNodePorts": Flag(),
        }
    ),
    "status": Obj(
        fields={"loadBalancer": Obj(fields={"ingress": Array(item=Obj(fields=_texts("ip", "hostname")))})},
    ),
}
_AWS_STATUS = Obj(
    fields={
        **_texts("region", "ipFamily"),
        "resourceTags": Array(item=Obj(fields=_texts("key", "value"))),
        "cloudLoadBalancerConfig": Obj(fields=_texts("dnsType")),
    }
)
_KINDS: dict[str, dict[str, Node]] = {
    "ingresscontrollers.operator.openshift.io": _INGRESS_CONTROLLER,
    "services": _SERVICE,
    "configmaps": {"data": Map(item=_TEXT)},
    "events": {
        **_texts("reason", "message", "type", "lastTimestamp", "eventTime"),
        "count": _NUMBER,
        "source": Obj(fields=_texts("component")),
        "involvedObject": Obj(fields=_texts("kind", "namespace", "name", "uid")),
    },
    "endpointslices.discovery.k8s.io": {
        "endpoints": Array(item=Obj(fields={"addresses": _TEXTS, "conditions": Obj(fields={"ready": Flag()})}))
    },
    "leases.coordination.k8s.io": {
        "spec": Obj(
            fields={
                **_texts("holderIdentity", "acquireTime", "renewTime"),
                "leaseDurationSeconds": _NUMBER,
                "leaseTransitions": _NUMBER,
            }
        )
    },
    "deployments.apps": {"status": Obj(fields={"availableReplicas": _NUMBER})},
    "infrastructures.config.openshift.io": {
        "status": Obj(
            fields={
                **_texts("platform", "infrastructureName"),
                "platformStatus": Obj(fields={"type": _TEXT, "aws": _AWS_STATUS}),
            }
        )
    },
    "clusterversions.config.openshift.io": {
        "status": Obj(
            fields={
                "history": Array(item=Obj(fields=_texts("version", "state"))),
                "desired": Obj(fields=_texts("version")),
            }
        )
    },
}
_CLUSTER_SCOPED = ("infrastructures.config.openshift.io", "clusterversions.config.openshift.io")
_SHAPES = {kind: Obj(fields={"metadata": _META, **parts}, required=("metadata",)) for kind, parts in _KINDS.items()}


class Misshapen(ValueError):
    """An object that is not of the kind it is called; the text says where."""


def sane(resource: str, obj: Json) -> dict[str, Any]:
    """The object with null taken for absent and conditions that say something; Misshapen where a type is wrong."""
    shape = _SHAPES.get(resource)
    if shape is None:
        return _mapping(obj)
    found: dict[str, Any] = _without_nulls(shape, _mapping(obj))
    wrong = [cause for cause in validate(shape, found, "") if cause.reason in _WRONG]
    marks = ("name",) if resource in _CLUSTER_SCOPED else ("name", "namespace")
    missing = [] if wrong else [name for name in marks if not found["metadata"].get(name)]
    if missing:
        raise Misshapen("; ".join(f"metadata.{name}: Required value" for name in missing))
    if wrong:
        raise Misshapen("; ".join(f"{cause.field.lstrip('.')}: {_told(cause.message)}" for cause in wrong))
    status = found.get("status")
    if isinstance(status, dict) and "conditions" in status:
        status["conditions"] = list(_spoken(status["conditions"]))
    return found


_WRONG = ("FieldValueTypeInvalid", "FieldValueRequired", "FieldValueNotSupported")


def _mapping(obj: Json) -> dict[str, Any]:
    if not isinstance(obj, Mapping):
        raise Misshapen(f"it is {type(obj).__name__}, not an object")
    return dict(obj)


def _told(message: str) -> str:
    """Without the server's preamble: must be of type string: "integer"."""
    return message.rpartition(" in body ")[2]


def _without_nulls(node: Node, value: Json) -> Any:
    """A copy along the described parts; the rest is shared."""
    if isinstance(node, Obj) and isinstance(value, Mapping):
        children = {name: node.fields.get(name) for name in value}
        return {
            name: item if (child := children[name]) is None else _without_nulls(child, item)
            for name, item in value.items()
            if item is not None or children[name] is None
        }
    if isinstance(node, Map) and isinstance(value, Mapping):
        return {key: item for key, item in value.items() if item is not None}
    if isinstance(node, Array) and isinstance(value, list):
        return [_without_nulls(node.item, item) for item in value]
    return value


def _spoken(conditions: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for entry in conditions:
        if entry.get("type"):
            yield {**entry, "status": entry.get("status") or "Unknown"}
