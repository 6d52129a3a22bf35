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
_CONTAINER = Obj(fields={"command": _TEXTS, "args": _TEXTS, "env": Array(item=Obj(fields=_texts("name", "value")))})
_POD = Obj(fields={"spec": Obj(fields={"containers": Array(item=_CONTAINER)})})
_WORKLOAD = Obj(fields={"template": _POD})
_AWS_STATUS = Obj(
    fields={
        **_texts("region", "ipFamily"),
        "resourceTags": Array(item=Obj(fields=_texts("key", "value"))),
        "cloudLoadBalancerConfig": Obj(fields=_texts("dnsType")),
    }
)
_REF = Obj(fields={"id": _TEXT, "filter": Obj()})
_SWITCH = Flag()
_NUMBERS = Array(item=_NUMBER)
_CAPO_BALANCER = Obj(
    fields={
        "enabled": _SWITCH,
        "allowCrossAZLoadBalancerMembers": _SWITCH,
        "network": _REF,
        "additionalPorts": _NUMBERS,
        "allowedCIDRs": _TEXTS,
        **_texts("provider", "flavor"),
        "monitor": Obj(fields=dict.fromkeys(("delay", "timeout", "maxRetries", "maxRetriesDown"), _NUMBER)),
        "availabilityZoneSubnets": Array(item=Obj(fields={"availabilityZone": _TEXT, "subnet": _REF})),
    }
)
_CAPO_SPEC = Obj(
    fields={
        "controlPlaneEndpoint": Obj(fields={"host": _TEXT, "port": _NUMBER}),
        "tags": _TEXTS,
        # v1beta1
        "apiServerLoadBalancer": _CAPO_BALANCER,
        **_texts("apiServerFloatingIP", "apiServerFixedIP"),
        "apiServerPort": _NUMBER,
        "disableAPIServerFloatingIP": _SWITCH,
        # v1beta2
        "apiServer": Obj(
            fields={
                "managedLoadBalancer": _CAPO_BALANCER,
                **_texts("floatingIP", "fixedIP"),
                "port": _NUMBER,
                "enableFloatingIP": _SWITCH,
            }
        ),
    }
)
_CAPO_ENTRY = Obj(fields={**_texts("name", "id", "ip", "internalIP", "availabilityZone"), "tags": _TEXTS})
_CAPO_SUBNET = Obj(fields=_texts("id", "name", "cidr"))
_CAPO_STATUS = Obj(
    fields={
        "network": Obj(fields={**_texts("id", "name"), "subnets": Array(item=_CAPO_SUBNET)}),
        "externalNetwork": Obj(fields=_texts("id")),
        "router": Obj(fields={"ips": _TEXTS}),
        "bastion": Obj(fields=_texts("floatingIP", "ip")),
        "apiServerLoadBalancers": Array(item=_CAPO_ENTRY),
        "apiServerLoadBalancer": _CAPO_ENTRY,
        "apiServerManagedLoadBalancer": _CAPO_ENTRY,
    }
)
_CAPI_REF = {"infrastructureRef": Obj(fields=_texts("kind", "name"))}
_VERSION = Obj(fields={"name": _TEXT, "served": _SWITCH, "schema": Obj()}, required=("name",))
_CAPO: dict[str, dict[str, Node]] = {
    "clusters.cluster.x-k8s.io": {"spec": Obj(fields={**_CAPI_REF, "paused": _SWITCH})},
    "machines.cluster.x-k8s.io": {"spec": Obj(fields={**_CAPI_REF, **_texts("clusterName", "failureDomain")})},
    "openstackclusters.infrastructure.cluster.x-k8s.io": {
        "apiVersion": _TEXT,
        "spec": _CAPO_SPEC,
        "status": _CAPO_STATUS,
    },
    "openstackmachines.infrastructure.cluster.x-k8s.io": {
        "status": Obj(
            fields={
                "ready": _SWITCH,
                "addresses": Array(item=Obj(fields=_texts("type", "address"), required=("type", "address"))),
                "conditions": Array(item=_CONDITION),
            }
        )
    },
    "customresourcedefinitions.apiextensions.k8s.io": {"spec": Obj(fields={"versions": Array(item=_VERSION)})},
}
_KINDS: dict[str, dict[str, Node]] = {
    **_CAPO,
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
    "deployments.apps": {"spec": _WORKLOAD, "status": Obj(fields={"availableReplicas": _NUMBER})},
    "daemonsets.apps": {"spec": _WORKLOAD, "status": Obj(fields={"numberAvailable": _NUMBER})},
    "ingressclasses.networking.k8s.io": {"spec": Obj(fields=_texts("controller"))},
    "gatewayclasses.gateway.networking.k8s.io": {"spec": Obj(fields=_texts("controllerName"))},
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
_CLUSTER_SCOPED = (
    "infrastructures.config.openshift.io",
    "clusterversions.config.openshift.io",
    "ingressclasses.networking.k8s.io",
    "gatewayclasses.gateway.networking.k8s.io",
    "customresourcedefinitions.apiextensions.k8s.io",
)
_SHAPES = {kind: Obj(fields={"metadata": _META, **parts}, required=("metadata",)) for kind, parts in _KINDS.items()}


class Misshapen(ValueError):
    """An object that is not of the kind it is called; the text says where."""


def sane(resource: str, obj: Json) -> dict[str, Any]:
    """The object with null taken for absent and conditions that say something; Misshapen where a type is wrong."""
    shape = _SHAPES.get(resource)
    if shape is None:
        return _mapping(obj)
    found: dict[str, Any] = held_to(shape, _mapping(obj))
    marks = ("name",) if resource in _CLUSTER_SCOPED else ("name", "namespace")
    missing = [name for name in marks if not found["metadata"].get(name)]
    if missing:
        raise Misshapen("; ".join(f"metadata.{name}: Required value" for name in missing))
    status = found.get("status")
    if isinstance(status, dict) and "conditions" in status:
        status["conditions"] = list(_spoken(status["conditions"]))
    return found


def held_to(shape: Node, value: Json) -> Any:
    """The value with null taken for absent; Misshapen where something is of the wrong type or not there."""
    found = _without_nulls(shape, value)
    wrong = [cause for cause in validate(shape, found, "") if cause.reason in _WRONG]
    if wrong:
        raise Misshapen("; ".join(f"{cause.field.lstrip('.') or 'it'}: {_told(cause.message)}" for cause in wrong[:5]))
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
