# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The authentication options of kubernetes.core: names, aliases, environment variables and their precedence.

`module_defaults`, habits and `K8S_AUTH_*` carry over. An option that was given, even an empty one, beats the
environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Option → the second name kubernetes.core knows it by, as an alias and in the environment.
_OPTIONS = {
    "kubeconfig": "",
    "context": "",
    "host": "",
    "api_key": "",
    "username": "",
    "password": "",
    "validate_certs": "verify_ssl",
    "ca_cert": "ssl_ca_cert",
    "client_cert": "cert_file",
    "client_key": "key_file",
    "proxy": "",
    "no_proxy": "",
    "proxy_headers": "",
    "persist_config": "",
    "impersonate_user": "",
    "impersonate_groups": "",
}
# Spaces and newlines around these mean nothing; they come from files and from pasting.
_TRIMMED = ("host", "api_key", "proxy")
_BOOLEANS = ("validate_certs", "persist_config")
_PROXY_HEADERS = ("proxy_basic_auth", "basic_auth", "user_agent")
_NO = ("0", "false", "no")


def resolved(options: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Every option that is set, by its first name, from the task or else from the environment."""
    found = {name: _value(name, options, environ) for name in _OPTIONS}
    # An empty no_proxy is a statement: nothing is reached around the proxy.
    empty: tuple[Any, ...] = (None, {}, [])
    return {name: value for name, value in found.items() if value not in empty and (value != "" or name == "no_proxy")}


def _value(name: str, options: Mapping[str, Any], environ: Mapping[str, str]) -> Any:
    second = _OPTIONS[name] or name
    for key in (name, second):
        if options.get(key) is not None:
            return _trimmed(name, options[key])
    if name == "proxy_headers":
        sent = {key: environ.get(f"K8S_AUTH_PROXY_HEADERS_{key.upper()}") for key in _PROXY_HEADERS}
        return {key: value for key, value in sent.items() if value is not None}
    value = environ.get(f"K8S_AUTH_{name.upper()}") or environ.get(f"K8S_AUTH_{second.upper()}")
    if value is None:
        return None
    if name in _BOOLEANS:
        return value.lower() not in _NO
    if name == "impersonate_groups":
        return [group for group in value.split(",") if group]
    return _trimmed(name, value)


def _trimmed(name: str, value: Any) -> Any:
    return value.strip() if name in _TRIMMED and isinstance(value, str) else value
