# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""openstacksdk's connection, spoken to a tiny OpenStack on loopback: one request each, patience, sentences."""

from __future__ import annotations

import time
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
    Unreadable,
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
    with cloud((200, {"pools": [{"id": "1", "name": "x"}]}, {})) as (one, server, _sleeps):
        assert one.read(LIST, "pools") == [{"id": "1", "name": "x"}]
        assert server.requests == ["GET /lbaas/pools?fields=id&fields=name"]
        assert one.project_id == "project"


def test_what_is_not_there_is_none() -> None:
    with cloud((404, {"faultstring": "not found"}, {})) as (one, _server, _sleeps):
        assert one.read(LIST, "pools") is None


STRANGE: list[tuple[Any, str]] = [
    (b"<html>Please sign in</html>", "nothing that can be read.*It begins with '<html>Please sign in"),
    ({}, "it has no pools"),
    (None, "nothing that can be read"),
    (b"null", "nothing that can be read"),
    ([], "it is a list"),
    ({"pools": None}, "it has no pools"),
    ({"pools": {}}, "pools it: must be of type array"),
    ({"pools": ["x"]}, r"pools \[0\]: must be of type object"),
    ({"pools": [{"name": "x"}]}, r"pools \[0\].id: Required value"),
    ({"pools": [{"id": 1, "name": "x"}]}, r"pools \[0\].id: must be of type string"),
]


@pytest.mark.parametrize(("body", "words"), STRANGE)
def test_an_answer_that_is_not_the_services_is_not_an_empty_cloud(body: Any, words: str) -> None:
    with cloud((200, body, {})) as (one, server, _sleeps):
        with pytest.raises(Unreadable, match=f"not octavia's: .*{words}"):
            one.read(LIST, "pools")
        with pytest.raises(Unreadable, match="not octavia's"):
            list(one.items("octavia", "/lbaas/pools", "pools", LIST.query))
        with pytest.raises(Unreadable, match="not octavia's"):
            list(one.items("octavia", "/lbaas/pools", "pools", LIST.query, below=True))
        assert len(server.requests) == 3


def test_pages_that_lead_in_a_circle_end() -> None:
    page = {"pools": [{"id": "1", "name": "x"}], "pools_links": [{"rel": "next"}]}
    with cloud((200, page, {})) as (one, _server, _sleeps), pytest.raises(Unreadable, match="same one"):
        list(one.items("octavia", "/lbaas/pools", "pools", LIST.query))


def test_what_passes_is_tried_again_and_the_server_says_when() -> None:
    busy = (429, {"faultstring": "slow down"}, {"Retry-After": "7"})
    with cloud((503, None, {}), busy, NO_ANSWER, (200, {"pools": []}, {})) as (one, server, sleeps):
        assert one.read(LIST, "pools") == []
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
        one.read(LIST, "pools")


def test_a_refusal_is_not_tried_again() -> None:
    with cloud((400, {"faultstring": "no"}, {})) as (one, server, sleeps):
        with pytest.raises(Invalid):
            one.read(LIST, "pools")
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
        listed = one.items("octavia", "/lbaas/pools", "pools", {"fields": ["id"]})
        assert [item["id"] for item in listed] == ["1", "2", "3"]
        assert server.requests[1] == "GET /lbaas/pools?fields=id&marker=2"


def test_what_a_service_says_it_can() -> None:
    with cloud() as (one, _server, _sleeps):
        assert one.versions("octavia") == ("v2.0", "v2.26")


def test_wrong_credentials_are_told_with_the_first_request() -> None:
    with TinyOpenStack((200, {}, {})) as server, closing(Cloud.connect(server.options(password="wrong"))) as one:
        with pytest.raises(Unauthorized, match="credentials"):
            one.read(LIST, "pools")
        assert server.requests == []


def test_an_address_that_is_not_the_service_is_not_an_empty_cloud() -> None:
    with cloud((404, {"error": "what?"}, {})) as (one, server, _sleeps):
        with pytest.raises(Misconfigured, match="not octavia"):
            list(one.items("octavia", "/lbaas/pools", "pools"))
        assert list(one.items("octavia", "/lbaas/pools/1/members", "members", below=True)) == []
        server.documents = False
        with pytest.raises(Misconfigured, match="which versions"):
            one.versions("octavia")


def test_a_token_that_expires_is_renewed_once() -> None:
    old = (401, {"error": {"code": 401}}, {})
    with cloud(old, (200, {"pools": []}, {})) as (one, server, _sleeps):
        assert one.read(LIST, "pools") == []
        assert server.signed_in == 2
    with cloud(old) as (one, server, _sleeps), pytest.raises(Unauthorized, match="token"):
        one.read(LIST, "pools")
    assert server.signed_in == 2


def test_credentials_for_no_project() -> None:
    with TinyOpenStack((200, {}, {}), project=None) as server, closing(Cloud.connect(server.options())) as one:
        with pytest.raises(Misconfigured, match="no project"):
            list(one.own_items("octavia", "/lbaas/pools", "pools"))
        assert server.requests == []


def test_only_what_is_the_projects_own() -> None:
    pools = [{"id": "1", "project_id": "project"}, {"id": "2", "project_id": "other"}]
    with cloud((200, {"pools": pools}, {})) as (one, server, _sleeps):
        assert [item["id"] for item in one.own_items("octavia", "/lbaas/pools", "pools", {"fields": ["id"]})] == ["1"]
        assert server.requests == ["GET /lbaas/pools?fields=id&fields=project_id&project_id=project"]


@pytest.mark.parametrize("silent", ["octavia", "keystone"])
def test_a_server_that_accepts_and_never_answers_ends_in_a_sentence(silent: str) -> None:
    """By the clock of the wall: the time-outs are the sockets'."""
    with TinyOpenStack((200, {}, {}), silent=silent) as server:
        options = {"cloud": server.options(), "wait_timeout": 1.5}
        begun = time.monotonic()
        with closing(Cloud.connect(options)) as one, pytest.raises(Unreachable, match="timed out"):
            one.read(LIST, "pools")
        assert time.monotonic() - begun < 3


def test_how_long_a_request_may_take() -> None:
    with TinyOpenStack((200, {}, {})) as server:
        for given, limit, expected in (({}, 900, 30), ({"api_timeout": 5}, 900, 5), ({"api_timeout": 90}, 20, 20)):
            with closing(Cloud.connect({"cloud": server.options() | given, "wait_timeout": limit})) as one:
                assert (one.patience.read, one.patience.total <= limit) == (expected, True)


def test_nobody_there() -> None:
    with TinyOpenStack((200, {}, {})) as server:
        options = server.options()
    with closing(Cloud.connect(options)) as one, pytest.raises(Unreachable):
        one.read(LIST, "pools")


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
        assert one.read(LIST, "pools") == []


def test_what_lets_us_in_is_known_so_that_it_can_be_hidden() -> None:
    with cloud((200, {"pools": []}, {})) as (one, _server, _sleeps):
        before = one.secrets()
        one.read(LIST, "pools")
        assert set(before) < set(one.secrets())


@pytest.mark.parametrize(
    "told", [b"<html>", b"null", {}, [], {"token": None}, {"token": {}}, {"token": {"expires_at": "x", "catalog": 7}}]
)
def test_what_is_not_keystone_is_told_as_such(told: Any) -> None:
    class Stranger(TinyOpenStack):
        def answer(self, method: str, path: str, body: Any) -> Any:
            if path == "/v3/auth/tokens":
                return 201, told, {"X-Subject-Token": "token"}
            return super().answer(method, path, body)

    with Stranger((200, {"pools": []}, {})) as server, closing(Cloud.connect(server.options())) as one:
        for ask in (lambda: one.read(LIST, "pools"), lambda: one.project_id, lambda: one.roles):
            with pytest.raises((Misconfigured, Unreadable), match=r"not Keystone|cannot be read"):
                ask()
