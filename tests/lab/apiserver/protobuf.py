# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that kubectl sends as protobuf (create namespace, create configmap, auth can-i, …), read by table.

Answers are always JSON, which every client accepts. Field numbers: the generated.proto files of k8s.io/api.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from .api import Obj
from .errors import bad_request

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"

# number: (name, type); a type is str, bool, int, bytes or another message, `[]` in front of a list, `map ` of a map.
_BINDING = {1: ("metadata", "ObjectMeta"), 2: ("subjects", "[]Subject"), 3: ("roleRef", "RoleRef")}
_ROLE = {1: ("metadata", "ObjectMeta"), 2: ("rules", "[]PolicyRule")}
MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "Unknown": {1: ("typeMeta", "TypeMeta"), 2: ("raw", "raw")},
    "TypeMeta": {1: ("apiVersion", "str"), 2: ("kind", "str")},
    "ObjectMeta": {
        1: ("name", "str"),
        2: ("generateName", "str"),
        3: ("namespace", "str"),
        5: ("uid", "str"),
        6: ("resourceVersion", "str"),
        11: ("labels", "map str"),
        12: ("annotations", "map str"),
        13: ("ownerReferences", "[]OwnerReference"),
        14: ("finalizers", "[]str"),
    },
    "OwnerReference": {
        1: ("kind", "str"),
        3: ("name", "str"),
        4: ("uid", "str"),
        5: ("apiVersion", "str"),
        6: ("controller", "bool"),
        7: ("blockOwnerDeletion", "bool"),
    },
    "DeleteOptions": {
        1: ("gracePeriodSeconds", "int"),
        2: ("preconditions", "Preconditions"),
        3: ("orphanDependents", "bool"),
        4: ("propagationPolicy", "str"),
        5: ("dryRun", "[]str"),
    },
    "Preconditions": {1: ("uid", "str"), 2: ("resourceVersion", "str")},
    "Namespace": {1: ("metadata", "ObjectMeta"), 2: ("spec", "NamespaceSpec")},
    "NamespaceSpec": {1: ("finalizers", "[]str")},
    "ConfigMap": {
        1: ("metadata", "ObjectMeta"),
        2: ("data", "map str"),
        3: ("binaryData", "map bytes"),
        4: ("immutable", "bool"),
    },
    "Secret": {
        1: ("metadata", "ObjectMeta"),
        2: ("data", "map bytes"),
        3: ("type", "str"),
        4: ("stringData", "map str"),
    },
    "ServiceAccount": {1: ("metadata", "ObjectMeta"), 4: ("automountServiceAccountToken", "bool")},
    "Service": {1: ("metadata", "ObjectMeta"), 2: ("spec", "ServiceSpec")},
    "ServiceSpec": {
        1: ("ports", "[]ServicePort"),
        2: ("selector", "map str"),
        3: ("clusterIP", "str"),
        4: ("type", "str"),
        5: ("externalIPs", "[]str"),
        7: ("sessionAffinity", "str"),
        8: ("loadBalancerIP", "str"),
        9: ("loadBalancerSourceRanges", "[]str"),
        10: ("externalName", "str"),
        11: ("externalTrafficPolicy", "str"),
        12: ("healthCheckNodePort", "int"),
        13: ("publishNotReadyAddresses", "bool"),
        17: ("ipFamilyPolicy", "str"),
        18: ("clusterIPs", "[]str"),
        19: ("ipFamilies", "[]str"),
        20: ("allocateLoadBalancerNodePorts", "bool"),
        21: ("loadBalancerClass", "str"),
        22: ("internalTrafficPolicy", "str"),
    },
    "ServicePort": {
        1: ("name", "str"),
        2: ("protocol", "str"),
        3: ("port", "int"),
        4: ("targetPort", "IntOrString"),
        5: ("nodePort", "int"),
        6: ("appProtocol", "str"),
    },
    "IntOrString": {1: ("type", "int"), 2: ("intVal", "int"), 3: ("strVal", "str")},
    "Role": _ROLE,
    "ClusterRole": _ROLE,
    "RoleBinding": _BINDING,
    "ClusterRoleBinding": _BINDING,
    "PolicyRule": {
        1: ("verbs", "[]str"),
        2: ("apiGroups", "[]str"),
        3: ("resources", "[]str"),
        4: ("resourceNames", "[]str"),
        5: ("nonResourceURLs", "[]str"),
    },
    "RoleRef": {1: ("apiGroup", "str"), 2: ("kind", "str"), 3: ("name", "str")},
    "Subject": {1: ("kind", "str"), 2: ("apiGroup", "str"), 3: ("name", "str"), 4: ("namespace", "str")},
    "SelfSubjectAccessReview": {1: ("metadata", "ObjectMeta"), 2: ("spec", "SelfSubjectAccessReviewSpec")},
    "SelfSubjectAccessReviewSpec": {
        1: ("resourceAttributes", "ResourceAttributes"),
        2: ("nonResourceAttributes", "NonResourceAttributes"),
    },
    "ResourceAttributes": {
        1: ("namespace", "str"),
        2: ("verb", "str"),
        3: ("group", "str"),
        4: ("version", "str"),
        5: ("resource", "str"),
        6: ("subresource", "str"),
        7: ("name", "str"),
    },
    "NonResourceAttributes": {1: ("path", "str"), 2: ("verb", "str")},
}


def decode(body: bytes) -> Obj:
    """A Kubernetes object out of its protobuf envelope."""
    if not body.startswith(_MAGIC):
        raise bad_request("the object provided is unrecognized (must be of type protobuf): no prefix k8s\\x00")
    try:
        envelope = _message("Unknown", body[len(_MAGIC) :])
        kind = envelope.get("typeMeta", {}).get("kind", "")
        if kind not in MESSAGES:
            raise bad_request(f"objects of kind {kind!r} are not read as protobuf here; send JSON")
        return {**envelope["typeMeta"], **_message(kind, envelope.get("raw", b""))}
    except (IndexError, UnicodeDecodeError) as error:
        raise bad_request(f"the object provided is unrecognized (must be of type protobuf): {error}") from None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 0:
            value, at = _varint(data, at)
            yield tag >> 3, value
        elif tag & 7 == 2:
            size, at = _varint(data, at)
            yield tag >> 3, data[at : at + size]
            at += size
        else:
            raise IndexError(f"wire type {tag & 7}")


def _value(kind: str, raw: Any) -> Any:
    match kind:
        case "str":
            return raw.decode()
        case "bytes":
            return base64.b64encode(raw).decode()
        case "bool":
            return bool(raw)
        case "int":
            return raw
        case "raw":
            return raw
        case "IntOrString":
            parts = _message(kind, raw)
            return parts.get("strVal", "") if parts.get("type") else parts.get("intVal", 0)
    return _message(kind, raw)


def _message(kind: str, data: bytes) -> Obj:
    """Empty strings and zeros are how protobuf says "not set" for plain fields; they are left out."""
    known, result = MESSAGES[kind], dict[str, Any]()
    for number, raw in _fields(data):
        if number not in known:
            continue
        name, wanted = known[number]
        if wanted.startswith("[]"):
            result.setdefault(name, []).append(_value(wanted[2:], raw))
        elif wanted.startswith("map "):
            pair = dict(_fields(raw))
            result.setdefault(name, {})[_value("str", pair.get(1, b""))] = _value(wanted[4:], pair.get(2, b""))
        else:
            value = _value(wanted, raw)
            if value is False or value not in ("", 0, {}):
                result[name] = value
    return result
