# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Go types of the builtin objects that our writes and tests touch; other kinds are kept as they come."""

from __future__ import annotations

from .typed import Anything, Field, ListOf, MapOf, Scalar, Struct, Type

_TEXT, _INT, _LONG, _FLAG = Scalar("string"), Scalar("int32"), Scalar("int64"), Scalar("bool")
_TIME, _MICRO = Scalar("time"), Scalar("microtime")
_TEXTS, _STRINGS = ListOf(_TEXT), MapOf(_TEXT)


def _plain(kind: Type, *names: str) -> dict[str, Field]:
    return {name: Field(kind) for name in names}


def _always(kind: Type, *names: str) -> dict[str, Field]:
    return {name: Field(kind, always=True) for name in names}


def _pointer(kind: Type, *names: str) -> dict[str, Field]:
    return {name: Field(kind, pointer=True) for name in names}


_OWNER = Struct(
    "OwnerReference",
    {**_always(_TEXT, "apiVersion", "kind", "name", "uid"), **_pointer(_FLAG, "controller", "blockOwnerDeletion")},
)
META = Struct(
    "ObjectMeta",
    {
        **_plain(_TEXT, "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"),
        **_plain(_LONG, "generation"),
        **_plain(_TIME, "creationTimestamp"),
        **_pointer(_TIME, "deletionTimestamp"),
        **_pointer(_LONG, "deletionGracePeriodSeconds"),
        **_plain(_STRINGS, "labels", "annotations"),
        **_plain(ListOf(_OWNER), "ownerReferences"),
        **_plain(_TEXTS, "finalizers"),
        **_plain(ListOf(Anything()), "managedFields"),
    },
)
_CONDITION = Struct(
    "Condition",
    {
        **_always(_TEXT, "type", "status"),
        **_plain(_LONG, "observedGeneration"),
        **_always(_TIME, "lastTransitionTime"),
        **_always(_TEXT, "reason", "message"),
    },
)
_SERVICE_PORT = Struct(
    "ServicePort",
    {
        **_plain(_TEXT, "name", "protocol"),
        **_pointer(_TEXT, "appProtocol"),
        **_always(_INT, "port"),
        **_always(Scalar("int-or-string"), "targetPort"),
        **_plain(_INT, "nodePort"),
    },
)
_CLIENT_IP = Struct("ClientIPConfig", _pointer(_INT, "timeoutSeconds"))
_AFFINITY = Struct("SessionAffinityConfig", _pointer(_CLIENT_IP, "clientIP"))
_SERVICE_SPEC = Struct(
    "ServiceSpec",
    {
        **_plain(ListOf(_SERVICE_PORT), "ports"),
        **_plain(_STRINGS, "selector"),
        **_plain(_TEXT, "clusterIP", "type", "sessionAffinity", "loadBalancerIP", "externalName"),
        **_plain(_TEXT, "externalTrafficPolicy"),
        **_plain(_TEXTS, "clusterIPs", "externalIPs", "loadBalancerSourceRanges", "ipFamilies"),
        **_plain(_INT, "healthCheckNodePort"),
        **_plain(_FLAG, "publishNotReadyAddresses"),
        **_pointer(_AFFINITY, "sessionAffinityConfig"),
        **_pointer(_TEXT, "ipFamilyPolicy", "loadBalancerClass", "internalTrafficPolicy", "trafficDistribution"),
        **_pointer(_FLAG, "allocateLoadBalancerNodePorts"),
    },
)
_INGRESS_PORT = Struct(
    "PortStatus", {**_always(_INT, "port"), **_always(_TEXT, "protocol"), **_pointer(_TEXT, "error")}
)
_INGRESS = Struct(
    "LoadBalancerIngress",
    {**_plain(_TEXT, "ip", "hostname"), **_pointer(_TEXT, "ipMode"), **_plain(ListOf(_INGRESS_PORT), "ports")},
)
_SERVICE_STATUS = Struct(
    "ServiceStatus",
    {
        **_plain(Struct("LoadBalancerStatus", _plain(ListOf(_INGRESS), "ingress")), "loadBalancer"),
        **_plain(ListOf(_CONDITION), "conditions"),
    },
)
_REFERENCE = Struct(
    "ObjectReference",
    _plain(_TEXT, "kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"),
)
_SERIES = Struct("EventSeries", {**_plain(_INT, "count"), **_always(_MICRO, "lastObservedTime")})
_EVENT: dict[str, Field] = {
    **_plain(_REFERENCE, "involvedObject"),
    **_plain(_TEXT, "reason", "message", "type", "action"),
    **_plain(Struct("EventSource", _plain(_TEXT, "component", "host")), "source"),
    **_always(_TIME, "firstTimestamp", "lastTimestamp"),
    **_plain(_INT, "count"),
    **_always(_MICRO, "eventTime"),
    **_pointer(_SERIES, "series"),
    **_pointer(_REFERENCE, "related"),
    **_always(_TEXT, "reportingComponent", "reportingInstance"),
}
_LEASE_SPEC = Struct(
    "LeaseSpec",
    {
        **_pointer(_TEXT, "holderIdentity", "strategy", "preferredHolder"),
        **_pointer(_INT, "leaseDurationSeconds", "leaseTransitions"),
        **_pointer(_MICRO, "acquireTime", "renewTime"),
    },
)
_KINDS: dict[str, tuple[str, dict[str, Field]]] = {
    "services": ("Service", {**_plain(_SERVICE_SPEC, "spec"), **_plain(_SERVICE_STATUS, "status")}),
    "configmaps": (
        "ConfigMap",
        {**_pointer(_FLAG, "immutable"), **_plain(_STRINGS, "data"), **_plain(MapOf(Scalar("bytes")), "binaryData")},
    ),
    "secrets": (
        "Secret",
        {
            **_pointer(_FLAG, "immutable"),
            **_plain(MapOf(Scalar("bytes")), "data"),
            **_plain(_STRINGS, "stringData"),
            **_plain(_TEXT, "type"),
        },
    ),
    "events": ("Event", _EVENT),
    "leases.coordination.k8s.io": ("Lease", _plain(_LEASE_SPEC, "spec")),
    "namespaces": (
        "Namespace",
        {
            **_plain(Struct("NamespaceSpec", _plain(_TEXTS, "finalizers")), "spec"),
            **_plain(Anything(), "status"),
        },
    ),
}
TYPES: dict[str, Struct] = {
    key: Struct(name, {**_plain(_TEXT, "apiVersion", "kind"), **_plain(META, "metadata"), **fields})
    for key, (name, fields) in _KINDS.items()
}
