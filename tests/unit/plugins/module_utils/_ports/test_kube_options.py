# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubernetes.core's options and environment variables, and which of them wins."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_options import resolved

ROWS: dict[str, tuple[dict[str, Any], dict[str, str], dict[str, Any]]] = {
    "nothing": ({}, {}, {}),
    "unset options are None": ({"host": None, "api_key": None}, {}, {}),
    "from the task": ({"host": "h", "api_key": "k"}, {}, {"host": "h", "api_key": "k"}),
    "from the environment": ({}, {"K8S_AUTH_HOST": "h", "K8S_AUTH_API_KEY": "k"}, {"host": "h", "api_key": "k"}),
    "the task wins": ({"host": "task"}, {"K8S_AUTH_HOST": "env"}, {"host": "task"}),
    "an empty option still beats the environment": ({"host": ""}, {"K8S_AUTH_HOST": "env"}, {}),
    "false is an answer": ({"validate_certs": False}, {"K8S_AUTH_VALIDATE_CERTS": "yes"}, {"validate_certs": False}),
    "second names": (
        {"verify_ssl": False, "ssl_ca_cert": "/ca", "cert_file": "/c", "key_file": "/k"},
        {},
        {"validate_certs": False, "ca_cert": "/ca", "client_cert": "/c", "client_key": "/k"},
    ),
    "second names in the environment": (
        {},
        {
            "K8S_AUTH_VERIFY_SSL": "no",
            "K8S_AUTH_SSL_CA_CERT": "/ca",
            "K8S_AUTH_CERT_FILE": "/c",
            "K8S_AUTH_KEY_FILE": "/k",
        },
        {"validate_certs": False, "ca_cert": "/ca", "client_cert": "/c", "client_key": "/k"},
    ),
    "the first name wins in the environment": (
        {},
        {"K8S_AUTH_CA_CERT": "/first", "K8S_AUTH_SSL_CA_CERT": "/second"},
        {"ca_cert": "/first"},
    ),
    "groups are a list": (
        {},
        {"K8S_AUTH_IMPERSONATE_GROUPS": "a,,b", "K8S_AUTH_IMPERSONATE_USER": "u"},
        {"impersonate_groups": ["a", "b"], "impersonate_user": "u"},
    ),
    "proxy headers one by one": (
        {},
        {"K8S_AUTH_PROXY_HEADERS_BASIC_AUTH": "u:p", "K8S_AUTH_PROXY": "http://p"},
        {"proxy": "http://p", "proxy_headers": {"basic_auth": "u:p"}},
    ),
    "spaces and newlines around": (
        {"host": " h\n", "api_key": "k\n", "proxy": "p\n", "password": " p "},
        {},
        {"host": "h", "api_key": "k", "proxy": "p", "password": " p "},
    ),
    "spaces and newlines around, in the environment": ({}, {"K8S_AUTH_API_KEY": "k\n"}, {"api_key": "k"}),
    "nothing but spaces is nothing": ({"api_key": " \n"}, {"K8S_AUTH_API_KEY": "env"}, {}),
    "other options are none of its business": ({"region": "x", "name": "y"}, {"K8S_AUTH_OTHER": "z"}, {}),
}


@pytest.mark.parametrize(("options", "environ", "expected"), ROWS.values(), ids=ROWS)
def test_resolved(options: dict[str, Any], environ: dict[str, str], expected: dict[str, Any]) -> None:
    assert resolved(options, environ) == expected


@pytest.mark.parametrize(
    ("text", "meaning"), [("0", False), ("False", False), ("no", False), ("true", True), ("1", True), ("off", True)]
)
def test_booleans_of_the_environment(text: str, meaning: bool) -> None:
    """Exactly kubernetes.core's: 0, false and no, anything else is yes."""
    assert resolved({}, {"K8S_AUTH_VALIDATE_CERTS": text}) == {"validate_certs": meaning}
