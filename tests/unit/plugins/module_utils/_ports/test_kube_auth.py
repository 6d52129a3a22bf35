# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a way into a cluster, without any request."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Misconfigured
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_auth import access

HOST = {"host": "https://api.example.com:6443/", "validate_certs": False}


@pytest.mark.parametrize(
    ("given", "authorization"),
    [
        ({"api_key": "token"}, "Bearer token"),
        ({"username": "me", "password": "word"}, f"Basic {base64.b64encode(b'me:word').decode()}"),
        ({"api_key": "token", "username": "me", "password": "word"}, "Bearer token"),
    ],
)
def test_a_host_with_credentials_needs_no_kubeconfig(given: dict[str, str], authorization: str) -> None:
    found = access({**HOST, **given}, {})
    assert (found.host, found.authorization(), found.verified) == ("https://api.example.com:6443", authorization, False)


def test_whom_to_act_as() -> None:
    found = access({**HOST, "api_key": "t", "impersonate_user": "jo", "impersonate_groups": ["a", "b"]}, {})
    assert found.impersonate == (("Impersonate-User", "jo"), ("Impersonate-Group", "a"), ("Impersonate-Group", "b"))


@pytest.mark.parametrize(
    ("no_proxy", "around"),
    [
        ("", False),
        ("*", True),
        ("api.example.com", True),
        (".example.com", True),
        ("other.com, api.example.com:6443", True),
        ("pi.example.com", False),
    ],
)
def test_hosts_that_are_reached_without_the_proxy(no_proxy: str, around: bool) -> None:
    options: dict[str, Any] = {**HOST, "api_key": "t", "proxy": "http://proxy.example.com:3128", "no_proxy": no_proxy}
    assert access(options, {}).proxy == ("" if around else "http://proxy.example.com:3128")


def test_a_kubeconfig_that_is_not_there_is_named() -> None:
    with pytest.raises(Misconfigured, match="/nowhere/config does not exist"):
        access({"kubeconfig": "/nowhere/config"}, {})
