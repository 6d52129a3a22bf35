# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as a secret, and that it is nowhere in what is shown (CORE-12)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.secrets import (
    MASK,
    Hide,
    concealed,
    known_secrets,
    scrubbed,
)

SPEC: dict[str, dict[str, Any]] = {
    "kubeconfig": {"no_log": True},
    "api_key": {"no_log": True},
    "auth": {"no_log": True},
    "host": {},
    "proxy_headers": {"options": {"basic_auth": {"no_log": True}, "user_agent": {}}},
    "zones": {"options": {"key": {"no_log": True}}},
}
CONTENT = "users:\n- name: a\n  user:\n    token: tok-1\n    client-key-data: 'a2V5'\n  server: https://x\n"
MAPPING = {"users": [{"user": {"password": "pw-1", "exec": {"env": [{"secret": "s-1"}]}}}], "clusters": ["x"]}


@pytest.mark.parametrize(
    ("options", "environ", "secrets"),
    [
        ({"api_key": " tok \n"}, {}, {"tok"}),
        ({"auth": {"password": "pw", "nested": [{"secret": "s"}]}, "host": "h"}, {}, {"pw", "s"}),
        ({"proxy_headers": {"basic_auth": "u:p", "user_agent": "me"}}, {}, {"u:p"}),
        ({"zones": [{"key": "k"}, {"key": None}]}, {}, {"k"}),
        ({"kubeconfig": "/home/ann/.kube/config"}, {}, set()),
        ({"kubeconfig": CONTENT}, {}, {"tok-1", "a2V5"}),
        ({"kubeconfig": MAPPING}, {}, {"pw-1", "s-1"}),
        ({}, {"K8S_AUTH_API_KEY": "t", "K8S_AUTH_PASSWORD": "p", "K8S_AUTH_HOST": "h"}, {"t", "p"}),
        ({}, {"K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH": "b", "AWS_ACCESS_KEY_ID": "AKIA"}, {"b"}),
        ({}, {"AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t", "AWS_REGION": "r"}, {"s", "t"}),
        ({}, {"OS_PASSWORD": "o", "OS_APPLICATION_CREDENTIAL_SECRET": "c", "OS_USERNAME": "u"}, {"o", "c"}),
        ({"api_key": ""}, {"OS_PASSWORD": "  "}, set()),
        ({"host": "https://u:p%40w@h:6443"}, {}, {"u:p%40w", "p%40w", "p@w"}),
        ({"host": "u:pw@h:6443"}, {}, {"u:pw", "pw"}),
        ({"host": "https://h:6443"}, {"AWS_ENDPOINT_URL": "http://h:80/x"}, set()),
        (
            {},
            {"AWS_ENDPOINT_URL_EC2": "u:pw@h", "https_proxy": "http://a:b@c", "MAIL": "x:y@z"},
            {"u:pw", "pw", "a:b", "b"},
        ),
        ({}, {"AWS_CONTAINER_AUTHORIZATION_TOKEN": "t\n"}, {"t"}),
    ],
)
def test_what_is_a_secret(options: dict[str, Any], environ: dict[str, str], secrets: set[str]) -> None:
    assert set(known_secrets(SPEC, options, environ)) == secrets


def test_it_is_nowhere_afterwards() -> None:
    secrets = known_secrets(SPEC, {"api_key": "tok", "auth": {"password": "tok-longer"}}, {})
    shown = {"a tok": ["said Bearer tok", {"b": ("tok-longer", 7, None)}], "proxy": "http://ann:pw@p:1 and ok@x"}
    assert scrubbed(shown, secrets) == {
        f"a {MASK}": [f"said Bearer {MASK}", {"b": [MASK, 7, None]}],
        "proxy": f"http://{MASK}@p:1 and ok@x",
    }


def test_what_a_connection_sent_is_hidden_from_then_on() -> None:
    """A kubeconfig's token or a profile's key is in no option."""
    hide, sent = Hide(("given",)), []
    hide.what_is_sent_by(lambda: sent)
    assert hide("given and token") == f"{MASK} and token"
    sent += ["token", "token-longer", " "]
    assert hide(["given", "token-longer token"]) == [MASK, f"{MASK} {MASK}"]


@pytest.mark.parametrize(
    ("options", "environ", "hidden"),
    [
        ({"host": "https://h", "key": "/a/path"}, {"HOST_URL": "https://h"}, []),
        ({"host": "u:p@h"}, {}, ["host"]),
        ({"address": "https://token@h"}, {}, ["host"]),
        ({}, {"HOST_URL": "https://u:p@h"}, ["host"]),
        ({"host": "https://h"}, {"HOST_URL": "https://u:p@h"}, []),
        ({"key": "-----BEGIN PRIVATE KEY-----\nx"}, {}, ["key"]),
    ],
)
def test_an_option_that_holds_a_secret_where_there_is_usually_none(
    options: dict[str, Any], environ: dict[str, str], hidden: list[str]
) -> None:
    """Ansible shows a module's arguments at -vvv, and logs them."""
    spec = {"host": {"aliases": ["address"], "fallback": (None, ["HOST_URL"])}, "key": {"no_log": False}}
    assert [name for name, entry in concealed(spec, options, environ).items() if entry.get("no_log")] == hidden
