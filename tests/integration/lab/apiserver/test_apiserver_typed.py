# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects through their types: what is not known is dropped, told of or refused; a wrong type is refused."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster
from ansible_collections.edgeworks.lb_estate.tests.lab.operator import validator

from .client import ROUTER_NS, SERVICES, Client, make_cluster, service

MERGE = "application/merge-patch+json"


def odd(**spec: Any) -> dict[str, Any]:
    return service(**{"bogus": 1, **spec}) | {"extra": {}}


@pytest.mark.parametrize("mode", ["", "Warn", "Ignore"])
def test_what_the_type_does_not_know_is_dropped(admin: Client, mode: str) -> None:
    """A typo looks applied; only a warning tells (facts: lab-kubernetes §9)."""
    query = {"fieldValidation": mode} if mode else {}
    status, made = admin.send("POST", SERVICES, odd(), **query)
    assert (status, "bogus" in made["spec"], "extra" in made) == (201, False, False)


def test_strict_refuses_it(admin: Client) -> None:
    status, error = admin.send("POST", SERVICES, odd(), fieldValidation="Strict")
    assert (status, error["reason"]) == (400, "BadRequest")
    assert 'strict decoding error: unknown field "extra", unknown field "spec.bogus"' in error["message"]
    admin.send("POST", SERVICES, service())
    path = f"{SERVICES}/router-default"
    status, error = admin.send_as(MERGE, "PATCH", path, {"spec": {"bogus": 1}}, fieldValidation="Strict")
    assert (status, error["details"]["causes"][0]["field"]) == (422, "patch")
    status, error = admin.send("POST", SERVICES, service("x"), fieldValidation="Odd")
    assert (status, error["details"]["causes"][0]["field"]) == (422, "fieldValidation")


def test_a_key_that_stands_twice(admin: Client) -> None:
    body = b'{"metadata": {"name": "a"}, "spec": {"ports": [{"port": 80, "port": 81}]}}'
    status, error = admin.send("POST", SERVICES, body, fieldValidation="Strict")
    assert status == 400
    assert 'duplicate field "spec.ports[0].port"' in error["message"]
    assert admin.send("POST", SERVICES, body)[1]["spec"]["ports"][0]["port"] == 81


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("services", {"spec": {"ports": "x"}}),
    ("services", {"spec": {"ports": [{"port": "eighty"}]}}),
    ("services", {"spec": {"ports": [{"port": 1.5}]}}),
    ("services", {"spec": {"ports": [{"port": 2**31}]}}),
    ("services", {"spec": {"ports": [{"port": 80, "targetPort": True}]}}),
    ("services", {"spec": {"allocateLoadBalancerNodePorts": "yes"}}),
    ("services", {"status": []}),
    ("services", {"metadata": {"labels": ["a"]}}),
    ("services", {"metadata": {"annotations": {"a": 1}}}),
    ("configmaps", {"data": {"a": 1}}),
    ("configmaps", {"binaryData": {"a": "not base64!"}}),
    ("leases.coordination.k8s.io", {"spec": {"renewTime": "2026-01-01T00:00:00Z"}}),
    ("leases.coordination.k8s.io", {"spec": {"leaseDurationSeconds": "60"}}),
    ("events", {"count": "many"}),
    ("ingresscontrollers.operator.openshift.io", {"metadata": {"annotations": {"a": 1}}}),
]


@pytest.mark.parametrize(("resource", "parts"), WRONG)
def test_a_value_of_the_wrong_type(cluster: Cluster, resource: str, parts: dict[str, Any]) -> None:
    """400 for an object; 422 with the one cause `patch` where a patch makes it that."""
    good: dict[str, Any] = {"metadata": {"name": "a"}, "involvedObject": {"namespace": ROUTER_NS}}
    if resource == "services":
        good["spec"] = {"ports": [{"port": 80}]}
    with pytest.raises(ApiError) as error:
        cluster.create(resource, ROUTER_NS, {**good, **parts, "metadata": {"name": "a", **parts.get("metadata", {})}})
    assert (error.value.status, error.value.reason) == (400, "BadRequest")
    cluster.create(resource, ROUTER_NS, good)
    with pytest.raises(ApiError) as error:
        cluster.patch(resource, ROUTER_NS, "a", parts)
    assert (error.value.status, [cause["field"] for cause in error.value.causes]) == (422, ["patch"])


def test_null_is_the_zero_value(cluster: Cluster) -> None:
    assert cluster.create("configmaps", "default", {"metadata": {"name": "a"}, "data": {"a": None}})["data"] == {
        "a": ""
    }
    made = cluster.create("services", ROUTER_NS, service(selector=None, loadBalancerClass=None))
    assert not {"selector", "loadBalancerClass"} & set(made["spec"])


def test_zero_values_are_left_out_unless_the_field_is_always_there(cluster: Cluster) -> None:
    event = {"metadata": {"name": "e"}, "involvedObject": {"namespace": ROUTER_NS}, "count": 0}
    made = cluster.create("events", ROUTER_NS, event)
    assert "count" not in made
    assert (made["source"], made["eventTime"], made["reportingComponent"]) == ({}, None, "")
    cluster.create("services", ROUTER_NS, service())
    empty = {"status": {"loadBalancer": {"ingress": []}}}
    version = cluster.get("services", ROUTER_NS, "router-default")["metadata"]["resourceVersion"]
    after = cluster.patch("services", ROUTER_NS, "router-default", empty, subresource="status")
    assert (after["status"], after["metadata"]["resourceVersion"]) == ({"loadBalancer": {}}, version)


class TestCustomResources:
    """The IngressController, by its CRD's own schema."""

    IC = "ingresscontrollers.operator.openshift.io"

    @pytest.fixture
    def held(self) -> Cluster:
        cluster = make_cluster("held")
        validator.install(cluster)
        return cluster

    def create(self, cluster: Cluster, **spec: Any) -> dict[str, Any]:
        return cluster.create(self.IC, "default", {"metadata": {"name": "ic"}, "spec": spec})

    def test_defaults_come_in_and_unknown_fields_go(self, held: Cluster) -> None:
        made = self.create(held, bogus=1, replicas=None, logging={"access": {"destination": {"type": "Container"}}})
        assert made["spec"] == {
            "closedClientConnectionPolicy": "Continue",
            "httpEmptyRequestsPolicy": "Respond",
            "idleConnectionTerminationPolicy": "Immediate",
            "logging": {"access": {"destination": {"type": "Container"}, "logEmptyRequests": "Log"}},
        }

    @pytest.mark.parametrize(
        ("spec", "fields"),
        [
            ({"replicas": "x"}, {"spec.replicas", ".spec.replicas", "<nil>"}),
            ({"replicas": -1}, {".spec.replicas"}),
            ({"domain": "a" * 245}, {"spec.domain", "<nil>"}),
            ({"domain": "Upper.example.com"}, {"spec.domain"}),
            ({"domain": ".".join(["a" * 60] * 4)}, set()),
            ({"tuningOptions": {"threadCount": 0}}, {"spec.tuningOptions.threadCount"}),
            ({"tuningOptions": {"clientTimeout": "soon"}}, {"spec.tuningOptions.clientTimeout", "<nil>"}),
            ({"tuningOptions": {"maxConnections": 5}}, {"spec.tuningOptions.maxConnections"}),
            ({"unsupportedConfigOverrides": {"anything": [1]}}, set()),
            ({"endpointPublishingStrategy": {"type": "Odd"}}, {"spec.endpointPublishingStrategy.type", "<nil>"}),
        ],
    )
    def test_every_field_is_held_to_its_schema(self, held: Cluster, spec: dict[str, Any], fields: set[str]) -> None:
        if not fields:
            assert self.create(held, **spec)
            return
        with pytest.raises(ApiError) as error:
            self.create(held, **spec)
        assert {cause["field"] for cause in error.value.causes} == fields

    def test_the_whole_name_has_a_limit_of_its_own(self, held: Cluster) -> None:
        domain = ".".join(["a" * 60] * 4)
        with pytest.raises(ApiError) as error:
            held.create(self.IC, "default", {"metadata": {"name": "n" * 20}, "spec": {"domain": domain}})
        assert [cause["field"] for cause in error.value.causes] == ["<nil>"]

    def test_what_was_stored_before_may_stay(self, held: Cluster) -> None:
        """Ratcheting: an older release took it, and only what changes is held to the new one."""
        self.create(held, replicas=1)
        stored = held.stored(self.IC, "default", "ic")
        stored.obj = {**stored.obj, "spec": {**stored.obj["spec"], "domain": "Upper.example.com"}}
        assert held.patch(self.IC, "default", "ic", {"spec": {"replicas": 2}})["spec"]["replicas"] == 2
        with pytest.raises(ApiError, match=r"spec\.domain"):
            held.patch(self.IC, "default", "ic", {"spec": {"domain": "Other.example.com"}})

    def test_conditions_have_a_type_a_status_and_a_time_and_each_type_once(self, held: Cluster) -> None:
        self.create(held)
        good = {"type": "A", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        for conditions, fields in (
            ([{"type": "A"}], {"status.conditions[0].status", "status.conditions[0].lastTransitionTime", "<nil>"}),
            ([good, good], {"status.conditions[1]"}),
            ([{**good, "lastTransitionTime": "now"}], {"status.conditions[0].lastTransitionTime", "<nil>"}),
        ):
            with pytest.raises(ApiError) as error:
                held.patch(self.IC, "default", "ic", {"status": {"conditions": conditions}}, subresource="status")
            assert {cause["field"] for cause in error.value.causes} == fields


def test_a_value_taken_back_is_a_change_even_where_the_server_fills_it_in_again(cluster: Cluster) -> None:
    """It is the client's no more; a real server keeps that in managedFields."""
    given = cluster.create("services", ROUTER_NS, service("a", clusterIP="172.30.0.40"))
    drawn = cluster.create("services", ROUTER_NS, service("b"))
    for name, made, moves in (("a", given, True), ("a", None, False), ("b", drawn, False)):
        before = cluster.get("services", ROUTER_NS, name)["metadata"]["resourceVersion"]
        after = cluster.patch("services", ROUTER_NS, name, {"spec": {"clusterIP": None}})
        assert (after["metadata"]["resourceVersion"] != before) is moves
        if made:
            assert after["spec"] == made["spec"]


def test_warnings_come_in_headers(admin: Client) -> None:
    assert admin.send("POST", SERVICES, odd())[0] == 201
    assert admin.headers["warning"] == '299 - "unknown field \\"spec.bogus\\""'
