# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults on demand, set in process and through the admin endpoint."""

from __future__ import annotations

import http.client
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

from .client import CONFIGMAPS, ROUTER_NS, SERVICES, Client, Served, configmap, service

CLEANUP = "service.kubernetes.io/load-balancer-cleanup"
PATH = f"{CONFIGMAPS}/a"


def lost(client: Client, method: str, path: str, body: object = None) -> bool:
    """Whether the connection died under the request."""
    try:
        client.send(method, path, body)
    except (OSError, http.client.HTTPException):
        client.close()
        return True
    return False


@pytest.mark.parametrize(
    ("status", "reason"), [(429, "TooManyRequests"), (500, "InternalError"), (503, "ServiceUnavailable")]
)
def test_a_burst_of_refusals(served: Served, admin: Client, status: int, reason: str) -> None:
    served.cluster.faults.add("error", status=status, count=2, verb="get,list", retry_after=3)
    answers = [admin.send("GET", CONFIGMAPS) for _time in range(3)]
    assert [code for code, _body in answers] == [status, status, 200]
    assert answers[0][1]["reason"] == reason
    assert answers[0][1]["details"]["retryAfterSeconds"] == 3


def test_retry_after_is_a_header_too(served: Served, admin: Client) -> None:
    served.cluster.faults.add("error", status=429, count=1)
    assert admin.send("GET", CONFIGMAPS)[0] == 429
    assert admin.headers["retry-after"] == "1"


def test_a_lost_request_did_nothing_a_lost_answer_did(served: Served, admin: Client) -> None:
    faults = served.cluster.faults
    faults.add("drop_before", verb="create", count=1)
    assert lost(admin, "POST", CONFIGMAPS, configmap("a"))
    assert served.cluster.list("configmaps", "default")["items"] == []
    faults.add("drop_after", verb="create", count=1)
    assert lost(admin, "POST", CONFIGMAPS, configmap("a"))
    assert len(served.cluster.list("configmaps", "default")["items"]) == 1
    assert admin.send("GET", PATH)[0] == 200
    assert [r.code for r in served.cluster.requests.all()] == [0, 0, 200]


def test_latency(served: Served, admin: Client) -> None:
    served.cluster.faults.add("latency", seconds=0.2, resource="configmaps", count=1)
    start = time.monotonic()
    admin.send("GET", SERVICES)
    assert time.monotonic() - start < 0.15
    admin.send("GET", CONFIGMAPS)
    assert time.monotonic() - start >= 0.2


def test_a_request_that_is_held_until_something_has_happened(served: Served, admin: Client) -> None:
    """What is done meanwhile comes before it, however slow the machine is."""
    faults, made = served.cluster.faults, served.cluster.create
    for end in ("let go", "cleared"):
        fault = faults.add("hold", verb="list", resource="configmaps", count=1 if end == "let go" else None)
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(admin.send, "GET", CONFIGMAPS)
            while not fault.hits:
                time.sleep(0.01)
            made("configmaps", "default", configmap(end.replace(" ", "-")))
            assert not answer.done()
            fault.let_go() if end == "let go" else faults.clear()
            assert end.replace(" ", "-") in [item["metadata"]["name"] for item in answer.result()[1]["items"]]
    assert (fault.describe()["kind"], faults.active()) == ("hold", [])


def test_stale_reads(served: Served, admin: Client) -> None:
    c = served.cluster
    c.create("configmaps", "default", configmap("a", n="1"))
    for number in ("2", "3"):
        c.patch("configmaps", "default", "a", {"data": {"n": number}})
    c.faults.add("stale", resource="configmaps", name="a", count=1)
    c.faults.add("stale", resource="configmaps", name="a", count=1, back=2)
    assert [admin.send("GET", PATH)[1]["data"]["n"] for _time in range(3)] == ["2", "1", "3"]
    c.faults.add("stale", resource="configmaps", name="a", count=1, back=3)
    assert admin.send("GET", PATH)[0] == 404, "three writes ago it did not exist"
    c.delete("configmaps", "default", "a")
    c.faults.add("stale", resource="configmaps", name="a", count=1)
    assert [admin.send("GET", PATH)[0] for _time in range(2)] == [200, 404]


def test_stale_lists(served: Served, admin: Client) -> None:
    c = served.cluster
    c.create("configmaps", "default", configmap("a", n="1"))
    c.patch("configmaps", "default", "a", {"data": {"n": "2"}})
    c.create("configmaps", "default", configmap("b"))

    def listed() -> list[tuple[str, str]]:
        items = admin.send("GET", CONFIGMAPS)[1]["items"]
        return [(item["metadata"]["name"], item.get("data", {}).get("n", "")) for item in items]

    c.faults.add("stale", verb="list", count=1)
    c.faults.add("stale", verb="list", count=1, back=2)
    assert [listed() for _time in range(3)] == [[("a", "2")], [("a", "1")], [("a", "2"), ("b", "")]]


def test_a_watch_that_breaks(served: Served, admin: Client) -> None:
    served.cluster.faults.add("drop_after", verb="watch", count=1)
    response = admin.open("", "GET", CONFIGMAPS, watch="true", timeoutSeconds="5")
    with pytest.raises((OSError, http.client.HTTPException)):
        response.read()


def test_chance_is_seeded(served: Served, admin: Client) -> None:
    def codes() -> list[int]:
        fault = served.cluster.faults.add("error", status=500, probability=0.5, seed=7)
        seen = [admin.send("GET", CONFIGMAPS)[0] for _time in range(20)]
        served.cluster.faults.clear(fault.id)
        return seen

    first = codes()
    assert set(first) == {200, 500}
    assert codes() == first


class TestStuckFinalizer:
    def dying(self, c: Cluster) -> None:
        c.create("services", ROUTER_NS, {**service(), "metadata": {"name": "s", "finalizers": [CLEANUP]}})
        c.delete("services", ROUTER_NS, "s")

    def test_ignored_removal(self, cluster: Cluster) -> None:
        self.dying(cluster)
        fault = cluster.faults.add("stuck_finalizer", finalizer=CLEANUP)
        after = cluster.patch("services", ROUTER_NS, "s", {"metadata": {"finalizers": None}})
        assert after["metadata"]["finalizers"] == [CLEANUP]
        cluster.faults.clear(fault.id)
        cluster.patch("services", ROUTER_NS, "s", {"metadata": {"finalizers": None}})
        assert cluster.list("services", ROUTER_NS)["items"] == []

    def test_denied_removal(self, cluster: Cluster) -> None:
        self.dying(cluster)
        cluster.faults.add("stuck_finalizer", finalizer=CLEANUP, mode="deny", count=1)
        with pytest.raises(ApiError, match="denied the request") as error:
            cluster.patch("services", ROUTER_NS, "s", {"metadata": {"finalizers": None}})
        assert error.value.status == 403
        cluster.patch("services", ROUTER_NS, "s", {"metadata": {"finalizers": None}})

    def test_only_that_finalizer(self, cluster: Cluster) -> None:
        cluster.create("services", ROUTER_NS, {**service(), "metadata": {"name": "s", "finalizers": ["a/b", CLEANUP]}})
        fault = cluster.faults.add("stuck_finalizer", finalizer=CLEANUP, count=1)
        after = cluster.patch("services", ROUTER_NS, "s", {"metadata": {"finalizers": [CLEANUP]}})
        assert (after["metadata"]["finalizers"], fault.hits) == ([CLEANUP], 0)


class TestAdmin:
    def client(self, served: Served, token: str | None = None) -> Client:
        return Client(served.server.url, served.server.authority.pem, token or served.server.admin_token)

    def test_needs_its_own_token(self, served: Served) -> None:
        stranger = self.client(served, served.server.admin_of("c1"))
        assert stranger.send("GET", "/admin/clusters")[0] == 401
        stranger.close()

    def test_everything_over_http(self, served: Served, admin: Client) -> None:
        control = self.client(served)
        assert control.send("GET", "/admin/clusters") == (200, {"clusters": ["c1"]})
        root = "/admin/clusters/c1"
        status, fault = control.send("POST", f"{root}/faults", {"kind": "error", "status": 503, "count": 5})
        assert status == 200
        assert admin.send("GET", CONFIGMAPS)[0] == 503
        assert control.send("GET", f"{root}/faults")[1]["faults"][0]["hits"] == 1
        control.send("DELETE", f"{root}/faults/{fault['id']}")
        assert admin.send("GET", CONFIGMAPS)[0] == 200
        requests = control.send("GET", f"{root}/requests")[1]["requests"]
        assert [(r["verb"], r["code"]) for r in requests] == [("list", 503), ("list", 200)]
        control.send("DELETE", f"{root}/requests")
        assert control.send("GET", f"{root}/requests")[1] == {"requests": []}
        body = {"user": "viewer", "groups": ["system:masters"], "expires_in": 60}
        token = control.send("POST", f"{root}/tokens", body)[1]["token"]
        assert served.client(token=token).send("GET", CONFIGMAPS)[0] == 200
        control.send("POST", f"{root}/tokens/expire", {"token": token})
        assert served.client(token=token).send("GET", CONFIGMAPS)[0] == 401
        control.close()

    @pytest.mark.parametrize("body", [{"kind": "nonsense"}, {}, {"kind": "error", "colour": "red"}])
    def test_nonsense_is_refused(self, served: Served, body: object) -> None:
        control = self.client(served)
        assert control.send("POST", "/admin/clusters/c1/faults", body)[0] == 400
        assert control.send("GET", "/admin/clusters/none/faults")[0] == 404
        control.close()
