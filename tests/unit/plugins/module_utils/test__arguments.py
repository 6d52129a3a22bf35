# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The argument specs: habits and defaults of the ecosystem carry over, secrets stay out of logs, nothing is shared."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeworks.lb_estate.plugins.module_utils import _arguments as arguments
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_options import resolved

SPECS = {
    "ingress_lb_subnets": arguments.subnets,
    "slb_scope": arguments.scope,
    "lb_effectuate": arguments.changes,
    "lb_info": arguments.info,
    "service_lb_class": arguments.lb_class,
}
REQUIRED: dict[str, dict[str, Any]] = {
    "slb_scope": {"scope": "Internal"},
    "service_lb_class": {"service": {"namespace": "shop", "name": "front"}},
}
# kubernetes.core and amazon.aws know these by the second name, too.
ALIASES = {
    "validate_certs": "verify_ssl",
    "ca_cert": "ssl_ca_cert",
    "client_cert": "cert_file",
    "client_key": "key_file",
    "access_key": "aws_access_key_id",
    "secret_key": "aws_secret_access_key",
    "session_token": "aws_session_token",
    "profile": "aws_profile",
    "region": "aws_region",
    "endpoint_url": "aws_endpoint_url",
}
SECRETS = {"api_key", "password", "kubeconfig", "proxy", "secret_key", "session_token"}


def checked(name: str, **given: Any) -> dict[str, Any]:
    found = ArgumentSpecValidator(dict(SPECS[name]())).validate({**REQUIRED.get(name, {}), **given})
    assert not found.error_messages
    return dict(found.validated_parameters)


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize(("option", "alias"), ALIASES.items())
def test_an_option_goes_by_its_other_name(name: str, option: str, alias: str) -> None:
    value = True if option == "validate_certs" else "given"
    assert checked(name, **{alias: value})[option] == value


@pytest.mark.parametrize("name", SPECS)
def test_secrets_and_nothing_else_stay_out_of_logs(name: str) -> None:
    spec = SPECS[name]()
    assert {option for option, entry in spec.items() if entry.get("no_log")} == SECRETS
    headers = spec["proxy_headers"]["options"]
    assert {option for option, entry in headers.items() if entry.get("no_log")} == {"proxy_basic_auth", "basic_auth"}


@pytest.mark.parametrize(
    ("variable", "option"),
    [
        ("AWS_ACCESS_KEY_ID", "access_key"),
        ("AWS_SECRET_ACCESS_KEY", "secret_key"),
        ("AWS_SESSION_TOKEN", "session_token"),
        ("AWS_PROFILE", "profile"),
        ("AWS_ENDPOINT_URL", "endpoint_url"),
        ("AWS_CA_BUNDLE", "aws_ca_bundle"),
    ],
)
def test_aws_options_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, variable: str, option: str) -> None:
    monkeypatch.setenv(variable, "/from/environment")
    assert checked("lb_info")[option] == "/from/environment"
    assert checked("lb_info", **{option: "/from/task"})[option] == "/from/task"


def test_the_port_knows_every_option_and_alias_of_the_ways_into_a_cluster() -> None:
    for name, entry in arguments.KUBE.items():
        for known in (name, *entry.get("aliases", ())):
            assert resolved({known: "given"}, {}) == {name: "given"}


@pytest.mark.parametrize("name", ["ingress_lb_subnets", "slb_scope", "lb_effectuate"])
def test_nothing_disrupts_and_nothing_is_effectuated_unless_it_is_said(name: str) -> None:
    """CORE-3, CORE-9."""
    found = checked(name)
    asked = (found["allow_disruption"], found["effectuate"], found["restore_edits"], found["fingerprint"])
    assert asked == ("none", "report", False, "")
    assert (found["wait"], found["wait_timeout"], found["wait_sleep"]) == (True, 900, 5)
    assert found["preflight"] == "when_possible"


def test_a_class_is_only_reported_on_unless_a_way_is_chosen() -> None:
    """CORE-3, CLS-3."""
    found = checked("service_lb_class")
    assert (found["allow_disruption"], found["way"], found["traffic_moved"]) == ("none", "report", False)
    assert (found["allow_unwatched"], found["unwatched_after"], found["state"]) == ("", 120, "present")


def test_an_option_that_is_left_out_says_nothing() -> None:
    """SUB-1: what is left out is left as it is; an empty list is a statement."""
    found = checked("ingress_lb_subnets")
    assert {found[name] for name in ("eip_allocations", "scope", "lb_type", "domain", "replicas")} == {None}
    assert found["subnets"] is None
    assert checked("ingress_lb_subnets", subnets={})["subnets"] == {"ids": [], "names": []}


def test_the_scope_of_a_service_does_not_name_an_ingress_controller_too() -> None:
    assert checked("slb_scope")["ingress_controller"] is None
    assert checked("lb_effectuate")["ingress_controller"] == "default"
