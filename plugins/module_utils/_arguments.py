# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Argument specs as composable values: the ecosystem's authentication options and our own common ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Spec = Mapping[str, Mapping[str, Any]]


def _env(*names: str) -> tuple[Any, list[str]]:
    from ansible.module_utils.basic import env_fallback

    return (env_fallback, list(names))


# kubernetes.core's names and aliases, so that habits and module_defaults carry over; K8S_AUTH_* are read by the port.
KUBE: Spec = {
    "kubeconfig": {"type": "raw", "no_log": True},
    "context": {"type": "str"},
    "host": {"type": "str"},
    "api_key": {"type": "str", "no_log": True},
    "username": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "validate_certs": {"type": "bool", "aliases": ["verify_ssl"]},
    "ca_cert": {"type": "path", "aliases": ["ssl_ca_cert"]},
    "client_cert": {"type": "path", "aliases": ["cert_file"]},
    "client_key": {"type": "path", "aliases": ["key_file"], "no_log": False},  # a path, not a secret
    "proxy": {"type": "str", "no_log": True},  # may hold a password
    "no_proxy": {"type": "str"},
    "proxy_headers": {
        "type": "dict",
        "options": {
            "proxy_basic_auth": {"type": "str", "no_log": True},
            "basic_auth": {"type": "str", "no_log": True},
            "user_agent": {"type": "str"},
        },
    },
    "persist_config": {"type": "bool"},
    "impersonate_user": {"type": "str"},
    "impersonate_groups": {"type": "list", "elements": "str"},
}


def aws() -> Spec:
    """amazon.aws's names and aliases; validate_certs is shared with the Kubernetes options."""
    return {
        "access_key": {
            "type": "str",
            "aliases": ["aws_access_key_id", "aws_access_key"],
            "fallback": _env("AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY"),
            "no_log": False,
        },
        "secret_key": {
            "type": "str",
            "aliases": ["aws_secret_access_key", "aws_secret_key"],
            "fallback": _env("AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY"),
            "no_log": True,
        },
        "session_token": {
            "type": "str",
            "aliases": ["aws_session_token"],
            "fallback": _env("AWS_SESSION_TOKEN"),
            "no_log": True,
        },
        "profile": {"type": "str", "aliases": ["aws_profile"], "fallback": _env("AWS_PROFILE")},
        # No fallback: the cluster's own region comes before the environment's, which the port reads last.
        "region": {"type": "str", "aliases": ["aws_region"]},
        "endpoint_url": {
            "type": "str",
            "aliases": ["aws_endpoint_url"],
            "fallback": _env("AWS_ENDPOINT_URL", "AWS_URL"),
        },
        "aws_ca_bundle": {"type": "path", "fallback": _env("AWS_CA_BUNDLE")},
        "preflight": {"type": "str", "choices": ["require", "when_possible", "skip"], "default": "when_possible"},
    }


CLUSTER: Spec = {
    "platform": {"type": "str"},
    "version": {"type": "str"},
}
GATE: Spec = {
    "allow_disruption": {"type": "str", "choices": ["none", "brief", "outage"], "default": "none"},
    "fingerprint": {"type": "str", "default": ""},
}
WAIT: Spec = {
    "wait": {"type": "bool", "default": True},
    "wait_timeout": {"type": "int", "default": 900},
    "wait_sleep": {"type": "int", "default": 5},
}
SUBNETS: Spec = {
    "ids": {"type": "list", "elements": "str", "default": []},
    "names": {"type": "list", "elements": "str", "default": []},
}


def effectuate(default: str = "report") -> Spec:
    return {
        "effectuate": {"type": "str", "choices": ["report", "operator", "delete"], "default": default},
        "restore_edits": {"type": "bool", "default": False},
        "accept_version": {"type": "str", "default": ""},
    }


def _ingress() -> Spec:
    return {
        **KUBE,
        **aws(),
        **CLUSTER,
        **GATE,
        **WAIT,
        **effectuate(),
        "ingress_controller": {"type": "str", "default": "default"},
    }


def subnets() -> Spec:
    return {
        **_ingress(),
        "state": {"type": "str", "choices": ["present", "absent", "adopted"], "default": "present"},
        "subnets": {"type": "dict", "options": SUBNETS},
        "eip_allocations": {"type": "list", "elements": "str"},
        "scope": {"type": "str", "choices": ["Internal", "External"]},
        "lb_type": {"type": "str", "choices": ["Classic", "NLB"]},
        "domain": {"type": "str"},
        "replicas": {"type": "int"},
    }


def scope() -> Spec:
    spec = {
        **_ingress(),
        "scope": {"type": "str", "choices": ["Internal", "External"], "required": True},
        "service": {
            "type": "dict",
            "options": {"namespace": {"type": "str", "required": True}, "name": {"type": "str", "required": True}},
        },
    }
    return {**spec, "ingress_controller": {"type": "str"}}


def lb_class() -> Spec:
    return {
        **KUBE,
        **aws(),
        **CLUSTER,
        **GATE,
        **WAIT,
        "service": {
            "type": "dict",
            "required": True,
            "options": {"namespace": {"type": "str", "required": True}, "name": {"type": "str", "required": True}},
        },
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "lb_class": {"type": "str"},
        "way": {
            "type": "str",
            "choices": ["report", "type_flip", "recreate", "side_by_side"],
            "default": "report",
        },
        "suffix": {"type": "str", "default": "next"},
        "traffic_moved": {"type": "bool", "default": False},
        "traffic_moved_because": {"type": "str", "default": ""},
        "known_classes": {"type": "dict", "default": {}},
        "allow_unwatched": {"type": "str", "default": ""},
        "unwatched_after": {"type": "int", "default": 120},
    }


def changes() -> Spec:
    choices = ["all", "scope", "type", "subnets", "eip_allocations", "floating_ip"]
    return {
        **_ingress(),
        "changes": {"type": "list", "elements": "str", "choices": choices, "default": []},
        "unfreeze": {"type": "bool", "default": False},
    }


def info() -> Spec:
    return {**KUBE, **aws(), **CLUSTER}
