# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom resources: their definitions, versions, pruning and validation by schema."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.crds import CRDS
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.resources import MANAGEMENT_CLUSTER, with_versions
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

from .client import ICS, Obj, Served, make_cluster

CAPO = "openstackclusters.infrastructure.cluster.x-k8s.io"
INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io"
WIDGETS = "widgets.lab.example.com"
SPEC: Obj = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "minLength": 3, "pattern": "^[a-z]+$"},
        "mode": {"type": "string", "enum": ["Fast", "Slow"], "default": "Slow"},
        "count": {"type": "integer", "minimum": 1, "maximum": 5},
        "tags": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
        "free": {"type": "object", "additionalProperties": {"type": "string"}},
        "on": {"type": "boolean"},
    },
}


def crd(schema: Obj | None = None, **status: Any) -> Obj:
    properties = {"spec": schema or SPEC, "status": {"type": "object", "properties": status}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
        "subresources": {"status": {}},
    }
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wd"]}
    spec = {"group": "lab.example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    return {"metadata": {"name": WIDGETS}, "spec": spec}


def widget(**spec: Any) -> Obj:
    return {"metadata": {"name": "w"}, "spec": {"name": "abc", **spec}}


@pytest.fixture
def widgets(cluster: Cluster) -> Cluster:
    cluster.create(CRDS, None, crd(phase={"type": "string"}))
    return cluster


def test_every_custom_resource_has_its_definition(cluster: Cluster) -> None:
    found = cluster.get(CRDS, None, ICS)
    assert found["spec"]["versions"][0]["name"] == "v1"
    assert {"type": "Established", "status": "True"} in found["status"]["conditions"]


def test_a_new_definition_is_served_at_once_and_no_more_once_deleted(served: Served) -> None:
    admin, path = served.client(), "/apis/lab.example.com/v1/namespaces/default/widgets"
    assert admin.send("GET", path)[0] == 404
    body = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **crd()}
    assert admin.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body)[0] == 201
    assert admin.send("POST", path, {"apiVersion": "lab.example.com/v1", "kind": "Widget", **widget()})[0] == 201
    listed = admin.send("GET", "/apis/lab.example.com/v1")[1]["resources"]
    assert [entry["name"] for entry in listed] == ["widgets", "widgets/status"]
    admin.send("DELETE", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{WIDGETS}")
    assert admin.send("GET", path)[0] == 404


def test_unknown_fields_are_dropped_and_defaults_set(widgets: Cluster) -> None:
    made = widgets.create(WIDGETS, "default", {**widget(nonsense=1, free={"a": "b"}, on=True), "other": {}})
    assert made["spec"] == {"name": "abc", "free": {"a": "b"}, "on": True, "mode": "Slow"}
    assert "other" not in made
    status = {"status": {"phase": "Ready", "unknownToThisApi": {"x": 1}}}
    after = widgets.patch(WIDGETS, "default", "w", status, subresource="status")
    assert after["status"] == {"phase": "Ready"}


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"name": None}, "spec.name", "Required value"),
        ({"name": "ab"}, "spec.name", 'Invalid value: "ab": spec.name in body should be at least 3 chars long'),
        ({"name": "ABC"}, "spec.name", "Invalid value: \"ABC\": spec.name in body should match '^[a-z]+$'"),
        ({"name": 7}, "spec.name", 'Invalid value: "integer": spec.name in body must be of type string: "integer"'),
        ({"mode": "X"}, "spec.mode", 'Unsupported value: "X": supported values: "Fast", "Slow"'),
        ({"count": 0}, "spec.count", "Invalid value: 0: spec.count in body should be greater than or equal to 1"),
        ({"count": 6}, "spec.count", "Invalid value: 6: spec.count in body should be less than or equal to 5"),
        ({"tags": ["a", "b", "c"]}, "spec.tags", "Too many: 3: must have at most 2 items"),
    ],
)
def test_refusals(widgets: Cluster, spec: Obj, field: str, message: str) -> None:
    with pytest.raises(ApiError) as error:
        widgets.create(WIDGETS, "default", widget(**spec))
    assert error.value.status == 422
    assert (error.value.causes[0]["field"], error.value.causes[0]["message"]) == (field, message)
    assert error.value.message.startswith('Widget.lab.example.com "w" is invalid: ')


def test_a_changed_schema_counts_from_then_on(widgets: Cluster) -> None:
    widgets.patch(CRDS, None, WIDGETS, {"spec": crd({"type": "object", "properties": {}})["spec"]})
    assert widgets.create(WIDGETS, "default", widget())["spec"] == {}


def test_a_definition_must_be_named_after_its_resource(cluster: Cluster) -> None:
    with pytest.raises(ApiError, match=r"must be spec\.names\.plural"):
        cluster.create(CRDS, None, {**crd(), "metadata": {"name": "other"}})


def test_versions_of_one_resource(served: Served) -> None:
    served.server.add(make_cluster("mgmt", resources=MANAGEMENT_CLUSTER))
    admin = served.client(cluster="mgmt")
    paths = [
        f"/apis/{INFRASTRUCTURE}/{version}/namespaces/default/openstackclusters" for version in ("v1beta1", "v1beta2")
    ]
    body = {
        "apiVersion": f"{INFRASTRUCTURE}/v1beta1",
        "kind": "OpenStackCluster",
        "metadata": {"name": "a"},
        "spec": {},
    }
    assert admin.send("POST", paths[0], body)[1]["apiVersion"] == f"{INFRASTRUCTURE}/v1beta1"
    assert admin.send("GET", f"{paths[1]}/a")[1]["apiVersion"] == f"{INFRASTRUCTURE}/v1beta2"
    assert admin.send("GET", paths[0])[1]["items"][0]["apiVersion"] == f"{INFRASTRUCTURE}/v1beta1"
    group = admin.send("GET", f"/apis/{INFRASTRUCTURE}")[1]
    assert group["preferredVersion"]["version"] == "v1beta2"


def test_a_cluster_with_an_older_api(served: Served) -> None:
    older = with_versions(MANAGEMENT_CLUSTER, INFRASTRUCTURE, ("v1beta1",))
    served.server.add(make_cluster("old", resources=older))
    admin = served.client(cluster="old")
    path = f"/apis/{INFRASTRUCTURE}/%s/openstackclusters"
    assert [admin.send("GET", path % version)[0] for version in ("v1beta1", "v1beta2")] == [200, 404]
    assert served.server.clusters["old"].list(CAPO)["apiVersion"] == f"{INFRASTRUCTURE}/v1beta1"
