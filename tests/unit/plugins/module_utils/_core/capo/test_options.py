# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of capo_multiaz_lb that cannot be meant: known before any server is asked (Safe CAPO 8, 15)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.options import has_user, problems, target
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import Cloud
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Failed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import perform
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import validated

FINE: dict[str, Any] = {"cluster": "prod", "namespace": "capi", "wait_timeout": 900, "wait_sleep": 5}
SECRET = "hunter2"
AUTH = {"auth_url": f"http://user:{SECRET}@keystone.example.com/v3"}


def test_what_can_be_meant() -> None:
    given = {
        "openstack_cluster": "prod-x",
        "endpoint_host": "api.example.com",
        "endpoint_port": 6443,
        "former_uids": ["0b1c6a52-7c5f-4a6f-9c1b-3f5f0f6f7a10"],
        "zone_aliases": {"nova-1": "az1"},
        "auth": {"auth_url": "http://keystone.example.com/v3", "password": SECRET},
    }
    assert problems({**FINE, **given}) == ()
    assert problems({**FINE, "endpoint_host": "203.0.113.5", "endpoint_port": None, "openstack_cluster": ""}) == ()


BAD: list[tuple[dict[str, Any], str]] = [
    ({"cluster": ""}, "cluster"),
    ({"cluster": "a/b"}, "cluster"),
    ({"cluster": "../x"}, "cluster"),
    ({"namespace": ""}, "namespace"),
    ({"namespace": "a/b"}, "namespace"),
    ({"openstack_cluster": "a/b"}, "openstack_cluster"),
    ({"wait_timeout": -5}, "wait_timeout"),
    ({"wait_sleep": 0}, "wait_sleep"),
    ({"api_timeout": 0}, "api_timeout"),
    ({"endpoint_host": "api..example.com"}, "endpoint_host"),
    ({"endpoint_host": f"{'a' * 64}.example.com"}, "endpoint_host"),
    ({"endpoint_port": 0}, "endpoint_port"),
    ({"endpoint_port": 65536}, "endpoint_port"),
    ({"former_uids": [""]}, "former_uids"),
    ({"former_uids": ["*"]}, "former_uids"),
    ({"zone_aliases": {"nova-1": ""}}, "zone_aliases"),
    ({"zone_aliases": {"nova-1": 7}}, "zone_aliases"),
    ({"floating_ip_by_zone": {"az1": None}}, "floating_ip_by_zone"),
    ({"auth": AUTH}, "auth.auth_url"),
    ({"cloud": {"auth": AUTH}}, "cloud.auth.auth_url"),
]


@pytest.mark.parametrize(("given", "where"), BAD)
def test_what_cannot_be_meant_is_named(given: dict[str, Any], where: str) -> None:
    (found,) = problems({**FINE, **given})
    assert found.where == where
    assert found.remedy
    assert SECRET not in str(found)


@pytest.mark.parametrize(("given", "where"), BAD)
def test_nobody_is_asked_with_it(given: dict[str, Any], where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(_options: Any) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(Kube, "connect", asked)
    monkeypatch.setattr(Cloud, "connect", asked)
    with pytest.raises(Failed, match=where) as failed:
        perform("capo_multiaz_lb", validated("capo_multiaz_lb", {**FINE, **given}), True, lambda _text: None)
    assert failed.value.result["error_code"] == "invalid"
    assert SECRET not in str(failed.value.result)


def test_the_target_of_a_refusal() -> None:
    assert str(target(FINE)) == "CapoApiLoadBalancers capi/prod"


@pytest.mark.parametrize(
    ("address", "found"),
    [("http://a:b@c/", True), ("http://a@c", True), ("http://c/@", False), (None, False), ("http://[x@", True)],
)
def test_an_address_with_somebody_in_it(address: str | None, found: bool) -> None:
    assert has_user(address) is found
