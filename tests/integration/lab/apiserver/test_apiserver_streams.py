# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches over HTTP, raw and through the Python client."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator

from .client import CONFIGMAPS, Client, Obj, Served, configmap

SELECTED = {"labels": {"watch": "me"}}


def lines(response: http.client.HTTPResponse) -> Iterator[Obj]:
    for line in response:
        yield json.loads(line)


def after(seconds: float, act: Callable[[], object]) -> None:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()


def summary(events: list[Obj]) -> list[tuple[str, str]]:
    return [(event["type"], event["object"]["metadata"].get("name", "")) for event in events]


def watch(client: Client, **query: str) -> list[Obj]:
    """Everything until the server ends the watch after a second."""
    response = client.open("", "GET", CONFIGMAPS, watch="true", timeoutSeconds="1", **query)
    assert response.status == 200
    return list(lines(response))


def watch_to_the_end(client: Client, **query: str) -> list[tuple[str, str]]:
    """Everything before the object named `end` comes by."""
    response = client.open("", "GET", CONFIGMAPS, watch="true", timeoutSeconds="5", **query)
    events = itertools.takewhile(lambda event: event["object"]["metadata"]["name"] != "end", lines(response))
    return summary(list(events))


def create_end(served: Served) -> None:
    served.cluster.create("configmaps", "default", {"metadata": {"name": "end", **SELECTED}})


def test_present_then_future_objects(served: Served, admin: Client) -> None:
    served.cluster.create("configmaps", "default", configmap("old"))
    served.cluster.create("configmaps", "kube-system", configmap("elsewhere"))
    after(0.2, lambda: served.cluster.create("configmaps", "default", configmap("new")))
    after(0.3, lambda: served.cluster.delete("configmaps", "default", "old"))
    after(0.4, lambda: create_end(served))
    assert watch_to_the_end(admin) == [("ADDED", "old"), ("ADDED", "new"), ("DELETED", "old")]


def test_only_what_came_after_a_version(served: Served, admin: Client) -> None:
    served.cluster.create("configmaps", "default", configmap("a"))
    version = served.cluster.resource_version
    served.cluster.patch("configmaps", "default", "a", {"data": {"k": "v"}})
    create_end(served)
    assert watch_to_the_end(admin, resourceVersion=version) == [("MODIFIED", "a")]


def test_entering_and_leaving_a_selector(served: Served, admin: Client) -> None:
    c = served.cluster
    c.create("configmaps", "default", configmap("a"))
    version = c.resource_version
    c.patch("configmaps", "default", "a", {"metadata": SELECTED})
    c.patch("configmaps", "default", "a", {"data": {"k": "v"}})
    c.patch("configmaps", "default", "a", {"metadata": {"labels": {"watch": None}}})
    c.delete("configmaps", "default", "a")
    create_end(served)
    seen = watch_to_the_end(admin, resourceVersion=version, labelSelector="watch=me")
    assert seen == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


def test_a_forgotten_version_is_an_error_event(served: Served, admin: Client) -> None:
    version = served.cluster.resource_version
    served.cluster.create("configmaps", "default", configmap("a"))
    served.cluster.compact()
    (event,) = watch(admin, resourceVersion=version)
    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")


def test_bookmarks_and_a_connection_that_serves_on(served: Served, admin: Client) -> None:
    events = watch(admin, resourceVersion=served.cluster.resource_version, allowWatchBookmarks="true")
    assert summary(events) == [("BOOKMARK", "")]
    assert events[0]["object"]["metadata"]["resourceVersion"] == served.cluster.resource_version
    assert admin.send("GET", "/version")[0] == 200


def test_initial_events_end_with_their_mark(served: Served, admin: Client) -> None:
    served.cluster.create("configmaps", "default", configmap("a"))
    query = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
    response = admin.open("", "GET", CONFIGMAPS, watch="true", allowWatchBookmarks="true", **query)
    events = list(itertools.islice(lines(response), 2))
    assert summary(events) == [("ADDED", "a"), ("BOOKMARK", "")]
    assert events[1]["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_a_client_that_hangs_up_leaves_no_thread(served: Served) -> None:
    def watching() -> int:
        return sum(thread.name == "connection" for thread in threading.enumerate())

    client = served.client()
    response = client.open("", "GET", CONFIGMAPS, watch="true")
    served.cluster.create("configmaps", "default", configmap("a"))
    assert next(lines(response))["type"] == "ADDED"
    before = watching()
    response.close()
    client.close()
    deadline = time.monotonic() + 3
    while watching() >= before:
        assert time.monotonic() < deadline, "the server still holds the connection"
        time.sleep(0.05)


def test_stopping_the_server_ends_watches(served: Served) -> None:
    response = served.client().open("", "GET", CONFIGMAPS, watch="true")
    after(0.1, served.server.stop)
    start = time.monotonic()
    with contextlib.suppress(OSError, http.client.HTTPException):  # how the end looks to the client does not matter
        list(lines(response))
    assert time.monotonic() - start < 3
