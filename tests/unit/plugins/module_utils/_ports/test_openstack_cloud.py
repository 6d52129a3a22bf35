# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""openstacksdk's connection, spoken to a tiny OpenStack on loopback: one request each, patience, sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    Invalid,
    Misconfigured,
    Throttled,
    Unauthorized,
    Unreachable,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import Cloud, CloudCall
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.patience import Patience
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.loopback import TinyOpenStack

LIST = CloudCall("octavia", "GET", "/lbaas/pools", {"fields": ["id", "name"]})
NO_ANSWER = (0, None, {})


class Sleeps:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def patience(self, total: float = 60) -> Patience:
        return Patience(total=total, clock=lambda: sum(self.slept), sleep=self.slept.append, draw=lambda: 0.5)


@contextmanager
def cloud(*script: Any, total: float = 60, **more: Any) -> Iterator[tuple[Cloud, TinyOpenStack, Sleeps]]:
    sleeps = Sleeps()
    with (
        TinyOpenStack(*(script or ((200, {}, {}),)), **more) as server,
        closing(Cloud.connect(server.options(), sleeps.patience(total))) as connected,
    ):
        yield connected, server, sleeps


@pytest.fixture(autouse=True)
def _nothing_of_the_callers(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """No clouds.yaml and no proxy of whoever runs this."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(tmp_path / "clouds.yaml"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def test_a_read_is_one_request_and_plain_data() -> None:
    with cloud((200, {"pools": [{"id": "1"}]}, {})) as (one, server, _sleeps):
        assert one.read(LIST) == {"pools": [{"id": "1"}]}
        assert server.requests == ["GET /lbaas/pools?fields=id&fields=name"]
        assert one.project_id == "project"


def test_what_is_not_there_is_none_and_a_strange_body_is_empty() -> None:
    with cloud((404, {"faultstring": "not found"}, {}), (200, b"<html>", {})) as (one, _server, _sleeps):
        assert one.read(LIST) is None
        assert one.read(LIST) == {}


def test_what_passes_is_tried_again_and_the_server_says_when() -> None:
    busy = (429, {"faultstring": "slow down"}, {"Retry-After": "7"})
    with cloud((503, None, {}), busy, NO_ANSWER, (200, {}, {})) as (one, server, sleeps):
        assert one.read(LIST) == {}
        assert len(server.requests) == 4
        assert sleeps.slept[1] >= 7


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ((500, {"faultstring": "boom"}, {}), Invalid, "boom"),
        ((503, None, {}), Unreachable, "503"),
        ((429, {"faultstring": "slow down"}, {}), Throttled, "slow down"),
        (NO_ANSWER, Unreachable, "No answer"),
        ((400, {"faultstring": "no such field"}, {}), Invalid, "no such field"),
    ],
)
def test_what_does_not_pass_is_a_sentence(answer: Any, error: type[Exception], words: str) -> None:
    with cloud(answer, total=3) as (one, _server, _sleeps), pytest.raises(error, match=words):
        one.read(LIST)


def test_a_refusal_is_not_tried_again() -> None:
    with cloud((400, {"faultstring": "no"}, {})) as (one, server, sleeps):
        with pytest.raises(Invalid):
            one.read(LIST)
        assert (len(server.requests), sleeps.slept) == (1, [])


def test_a_write_is_sent_once_whatever_the_answer() -> None:
    """Whether it may be sent again is the writer's to judge."""
    with cloud(NO_ANSWER, (201, {"pool": {"id": "1"}}, {})) as (one, server, _sleeps):
        call = CloudCall("octavia", "POST", "/lbaas/pools", body={"pool": {}})
        assert one.send(call).status == 0
        assert one.send(call).body == {"pool": {"id": "1"}}
        assert server.requests == ["POST /lbaas/pools"] * 2


def test_a_list_comes_page_by_page() -> None:
    more = {"pools": [{"id": "1"}, {"id": "2"}], "pools_links": [{"rel": "next", "href": "…"}]}
    with cloud((200, more, {}), (200, {"pools": [{"id": "3"}]}, {})) as (one, server, _sleeps):
        assert [item["id"] for item in one.items("octavia", "/lbaas/pools", "pools")] == ["1", "2", "3"]
        assert server.requests[1] == "GET /lbaas/pools?marker=2"


def test_what_a_service_says_it_can() -> None:
    with cloud() as (one, _server, _sleeps):
        assert one.versions("octavia") == ("v2.0", "v2.26")


def test_wrong_credentials_are_told_with_the_first_request() -> None:
    with TinyOpenStack((200, {}, {})) as server, closing(Cloud.connect(server.options(password="wrong"))) as one:
        with pytest.raises(Unauthorized, match="credentials"):
            one.read(LIST)
        assert server.requests == []


def test_a_catalog_without_the_service() -> None:
    with cloud(services=("neutron",)) as (one, _server, _sleeps), pytest.raises(Misconfigured, match="load-balancer"):
        one.read(LIST)


def test_nobody_there() -> None:
    with TinyOpenStack((200, {}, {})) as server:
        options = server.options()
    with closing(Cloud.connect(options)) as one, pytest.raises(Unreachable):
        one.read(LIST)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cloud": "nowhere"}, "nowhere"),
        ({"auth_type": "made-up", "auth": {"auth_url": "http://127.0.0.1:1"}}, "cannot be used"),
        ({"cloud": {"auth": {}}, "region_name": "here"}, "region_name is given beside it"),
    ],
)
def test_options_that_lead_nowhere(options: dict[str, Any], words: str) -> None:
    with pytest.raises(Misconfigured, match=words):
        Cloud.connect(options)


def test_a_cloud_may_be_given_as_a_whole() -> None:
    with TinyOpenStack((200, {"pools": []}, {})) as server, closing(Cloud.connect({"cloud": server.options()})) as one:
        assert one.read(LIST) == {"pools": []}
