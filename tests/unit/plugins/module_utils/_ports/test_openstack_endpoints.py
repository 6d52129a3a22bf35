# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a service is: in the catalog of a tiny OpenStack on loopback, or where an override says."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Misconfigured
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import Cloud, CloudCall
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.loopback import TinyOpenStack

LIST = CloudCall("octavia", "GET", "/lbaas/pools")
POOLS = (200, {"pools": []}, dict[str, str]())


@pytest.fixture(autouse=True)
def _nothing_of_the_callers(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(tmp_path / "clouds.yaml"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.mark.parametrize(
    ("services", "given", "words"),
    [
        (("neutron",), {}, "no load-balancer service.*load_balancer_endpoint_override"),
        ((), {}, "no load-balancer service"),
        (("octavia",), {"region_name": "nowhere"}, "no region nowhere; load-balancer is in here"),
        (("octavia",), {"interface": "admin"}, "no admin endpoint for load-balancer, only public"),
    ],
)
def test_a_place_that_the_catalog_does_not_have(services: tuple[str, ...], given: dict[str, str], words: str) -> None:
    with TinyOpenStack(POOLS, services=services) as server:
        with (
            closing(Cloud.connect({"cloud": server.options() | given})) as one,
            pytest.raises(Misconfigured, match=words),
        ):
            one.read(LIST, "pools")
        assert server.requests == []


@pytest.mark.parametrize("version", ["", "/", "/v2", "/v2.0", "/v2.0/"])
def test_an_override_counts_and_may_name_a_version(version: str) -> None:
    with TinyOpenStack(POOLS, services=()) as server:
        override = {"load_balancer_endpoint_override": f"{server.url}/octavia{version}"}
        with closing(Cloud.connect({"cloud": server.options() | override})) as one:
            assert one.read(LIST, "pools") == []
            assert one.versions("octavia") == ("v2.0", "v2.26")
            with pytest.raises(Misconfigured, match="no network service"):
                one.read(CloudCall("neutron", "GET", "/networks"), "networks")


def test_a_way_of_signing_in_that_knows_no_catalog() -> None:
    bare = Cloud.connect({"cloud": {"auth_type": "none", "auth": {"endpoint": ""}}})
    with closing(bare) as one, pytest.raises(Misconfigured, match="no load-balancer service"):
        one.read(LIST, "pools")


@pytest.mark.parametrize(
    "given",
    [
        {"auth": {"auth_url": "http://user:hunter2@127.0.0.1:1/v3", "username": "u", "password": "p"}},
        {
            "auth": {"auth_url": "http://127.0.0.1:1/v3", "username": "u", "password": "p"},
            "load_balancer_endpoint_override": "http://user:hunter2@127.0.0.1:1",
        },
    ],
)
def test_a_password_in_an_address_is_refused_and_shown_nowhere(
    given: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Misconfigured, match="has a user or a password in it") as refused:
        Cloud.connect({"cloud": given})
    assert "hunter2" not in str(refused.value)
    assert capfd.readouterr() == ("", "")
