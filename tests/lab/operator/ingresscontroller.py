# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CRD of IngressControllers as data: fields, defaults, choices and limits of each release.

The publishing strategy is the core's own model. Of the other fields the expressions nobody here writes (header names,
log formats) are left out; what is in the table is held to.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.crd import strategy_schema
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.schema import (
    Array,
    Map,
    Node,
    Number,
    Obj,
    Rule,
    Text,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import Profile

from ..apiserver.crds import CustomSchema

_TEXT, _NUMBER, _TEXTS = Text(), Number(), Array(item=Text())
_DURATION = Text(format="duration")
_GO_DURATION = Text(pattern=r"^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|μs|ms|s|m|h))+)$")
_CONDITION_TYPE = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
_TLS = ("VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13")
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_FACILITIES = (
    *("kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "auth2", "ftp", "ntp"),
    *("audit", "alert", "cron2", *(f"local{number}" for number in range(8))),
)


def _obj(*required: str, **fields: Node) -> Obj:
    return Obj(fields=fields, required=required)


_EXPRESSION = _obj("key", "operator", key=_TEXT, operator=_TEXT, values=_TEXTS)
_SELECTOR = _obj(matchExpressions=Array(item=_EXPRESSION), matchLabels=Map(item=_TEXT))
_TOLERATION = _obj(effect=_TEXT, key=_TEXT, operator=_TEXT, tolerationSeconds=_NUMBER, value=_TEXT)
_CAPTURED = Array(item=_obj("maxLength", "name", maxLength=Number(minimum=1), name=_TEXT), nullable=True)
_COOKIE = _obj(
    "matchType",
    "maxLength",
    matchType=Text(enum=("Exact", "Prefix")),
    maxLength=Number(minimum=1, maximum=1024),
    name=Text(max_length=1024),
    namePrefix=Text(max_length=1024),
)


def _since(profile: Profile, version: str, **fields: Node) -> dict[str, Node]:
    """Fields that came with a release."""
    have, wanted = (tuple(int(part) for part in text.split(".")[:2]) for text in (profile.version, version))
    return fields if have >= wanted else {}


def _is_subdomain(name: str) -> bool:
    return len(name) <= 253 and re.fullmatch(rf"{_LABEL}(\.{_LABEL})*", name) is not None


_DOMAIN_RULES = (
    Rule(
        "domain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
        "alphanumeric character",
        _is_subdomain,
    ),
    Rule("each DNS label must not exceed 63 characters", lambda name: all(len(part) <= 63 for part in name.split("."))),
)
_WHOLE_NAME = Rule(
    "The combined 'router-' + metadata.name + '.' + .spec.domain cannot exceed 253 characters",
    lambda ic: not _domain(ic) or len(f"router-{ic['metadata']['name']}.{_domain(ic)}") <= 253,
)
_HEADER_SET = Rule(
    "set is required when type is Set, and forbidden otherwise",
    lambda action: (action.get("type") == "Set") == ("set" in action),
)
_CONNECTIONS = Rule(
    "maxConnections must be 0, -1, or between 2000 and 2000000",
    lambda count: count in (0, -1) or 2000 <= count <= 2000000,
)


def _domain(ic: Any) -> str:
    return str(ic.get("spec", {}).get("domain", ""))


def _headers(profile: Profile) -> Obj:
    action = Obj(
        fields={"set": _obj("value", value=Text(min_length=1, max_length=16384)), "type": Text(enum=("Set", "Delete"))},
        required=("type",),
        rules=(_HEADER_SET,),
    )
    names = ("strict-transport-security", "proxy", "host", "cookie", "set-cookie")
    forbidden = tuple(
        Rule(f"{name} header may not be modified via header actions", lambda sent, name=name: sent.lower() != name)
        for name in names
    )
    one = _obj("action", "name", action=action, name=Text(min_length=1, max_length=255, rules=forbidden))
    actions = Array(item=one, max_items=20, keys=("name",))
    return _obj(
        forwardedHeaderPolicy=Text(enum=("Append", "Replace", "IfNone", "Never")),
        headerNameCaseAdjustments=Array(item=Text(max_length=1024), nullable=True),
        uniqueId=_obj(format=Text(max_length=1024), name=Text(max_length=1024)),
        **_since(profile, "4.14", actions=_obj(request=actions, response=actions)),
    )


def _logging(profile: Profile) -> Obj:
    length = {"default": 1024, "minimum": 480}
    destination = _obj(
        "type",
        container=_obj(**_since(profile, "4.14", maxLength=Number(maximum=8192, **length))),
        syslog=_obj(
            "address",
            "port",
            address=_TEXT,
            facility=Text(enum=_FACILITIES),
            maxLength=Number(maximum=4096, **length),
            port=Number(minimum=1, maximum=65535),
        ),
        type=Text(enum=("Container", "Syslog")),
    )
    access = _obj(
        "destination",
        destination=destination,
        httpCaptureCookies=Array(item=_COOKIE, max_items=1, nullable=True),
        httpCaptureHeaders=_obj(request=_CAPTURED, response=_CAPTURED),
        httpLogFormat=_TEXT,
        logEmptyRequests=Text(enum=("Log", "Ignore"), default="Log"),
    )
    return _obj(access=access)


def _tuning(profile: Profile) -> Obj:
    return _obj(
        clientFinTimeout=_DURATION,
        clientTimeout=_DURATION,
        headerBufferBytes=Number(minimum=16384),
        headerBufferMaxRewriteBytes=Number(minimum=4096),
        serverFinTimeout=_DURATION,
        serverTimeout=_DURATION,
        threadCount=Number(minimum=1, maximum=64),
        tlsInspectDelay=_DURATION,
        tunnelTimeout=_DURATION,
        **_since(profile, "4.11", healthCheckInterval=_GO_DURATION, maxConnections=Number(rules=(_CONNECTIONS,))),
        **_since(profile, "4.12", reloadInterval=_GO_DURATION),
        **_since(profile, "4.14", connectTimeout=_GO_DURATION),
        **_since(profile, "4.16", httpKeepAliveTimeout=Text(min_length=1, max_length=16)),
        **_since(profile, "4.23", configurationManagement=Text(enum=("Dynamic", "ForkAndReload"))),
    )


def _spec(profile: Profile) -> Obj:
    secret = {"default": ""} if _since(profile, "4.17", x=_TEXT) else {}
    checked = {"max_length": 244, "rules": _DOMAIN_RULES} if _since(profile, "4.21", x=_TEXT) else {}
    idle = "Immediate" if _since(profile, "4.19", x=_TEXT) else "Deferred"
    tls: dict[str, Node] = {name: Obj(nullable=True) for name in ("intermediate", "modern", "old")}
    custom = Obj(fields={"ciphers": _TEXTS, "minTLSVersion": Text(enum=_TLS)}, nullable=True)
    return _obj(
        clientTLS=_obj(
            "clientCA",
            "clientCertificatePolicy",
            allowedSubjectPatterns=_TEXTS,
            clientCA=_obj("name", name=_TEXT),
            clientCertificatePolicy=Text(enum=("", "Required", "Optional")),
        ),
        defaultCertificate=_obj(name=Text(**secret)),
        domain=Text(**checked),
        endpointPublishingStrategy=strategy_schema(profile),
        httpCompression=_obj(mimeTypes=_TEXTS),
        httpEmptyRequestsPolicy=Text(enum=("Respond", "Ignore"), default="Respond"),
        httpErrorCodePages=_obj("name", name=_TEXT),
        httpHeaders=_headers(profile),
        logging=_logging(profile),
        namespaceSelector=_SELECTOR,
        nodePlacement=_obj(nodeSelector=_SELECTOR, tolerations=Array(item=_TOLERATION)),
        replicas=_NUMBER,
        routeAdmission=_obj(
            namespaceOwnership=Text(enum=("InterNamespaceAllowed", "Strict")),
            wildcardPolicy=Text(enum=("WildcardsAllowed", "WildcardsDisallowed")),
        ),
        routeSelector=_SELECTOR,
        tlsSecurityProfile=_obj(custom=custom, type=Text(enum=("Old", "Intermediate", "Modern", "Custom")), **tls),
        tuningOptions=_tuning(profile),
        unsupportedConfigOverrides=Node(nullable=True),
        **_since(profile, "4.16", idleConnectionTerminationPolicy=Text(enum=("Immediate", "Deferred"), default=idle)),
        **_since(profile, "4.18", closedClientConnectionPolicy=Text(enum=("Abort", "Continue"), default="Continue")),
        **_since(profile, "4.23", haproxyVersion=Text(enum=("2.8", "3.2"))),
    )


def _status(profile: Profile) -> Obj:
    strict = _since(
        profile,
        "4.18",
        status=Text(enum=("True", "False", "Unknown")),
        type=Text(max_length=316, pattern=_CONDITION_TYPE),
    )
    fields = {**dict.fromkeys(("type", "status", "reason", "message"), _TEXT), **strict}
    required = ("lastTransitionTime", "status", "type") if strict else ("type",)
    condition = _obj(*required, lastTransitionTime=Text(format="date-time"), **fields)
    return _obj(
        availableReplicas=_NUMBER,
        conditions=Array(item=condition, keys=("type",) if profile.subnets else ()),
        domain=_TEXT,
        endpointPublishingStrategy=strategy_schema(profile),
        observedGeneration=_NUMBER,
        selector=_TEXT,
        tlsProfile=_obj(ciphers=_TEXTS, minTLSVersion=Text(enum=_TLS)),
        **_since(profile, "4.11", namespaceSelector=_SELECTOR, routeSelector=_SELECTOR),
        **_since(profile, "4.23", effectiveHAProxyVersion=Text(enum=("2.8", "3.2"))),
    )


@cache
def ingresscontroller_schema(profile: Profile) -> CustomSchema:
    rules = (_WHOLE_NAME,) if _since(profile, "4.21", x=_TEXT) else ()
    root = Obj(fields={"spec": _spec(profile), "status": _status(profile)}, rules=rules)
    return CustomSchema(root, profile.crd_rules)
