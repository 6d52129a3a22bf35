# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects while they live: versions, metadata, generations, status, the lab's own rules (in process)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

from .client import ICS, OPERATOR_NS, ROUTER_NS, configmap, make_cluster, refusal, service

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


def new_ic(c: Cluster, **spec: Any) -> dict[str, Any]:
    return c.create(ICS, OPERATOR_NS, {"metadata": {"name": "default"}, "spec": spec})


class TestVersions:
    def test_every_write_has_a_higher_version_and_a_no_op_none(self, cluster: Cluster) -> None:
        first = cluster.create("configmaps", "default", configmap("a", k="1"))
        second = cluster.patch("configmaps", "default", "a", {"data": {"k": "2"}})
        same = cluster.patch("configmaps", "default", "a", {"data": {"k": "2"}})
        versions = [int(o["metadata"]["resourceVersion"]) for o in (first, second, same)]
        assert versions[0] < versions[1] == versions[2]

    def test_a_stale_version_is_a_conflict(self, cluster: Cluster) -> None:
        old = cluster.create("services", ROUTER_NS, service())
        cluster.patch("services", ROUTER_NS, "router-default", {"metadata": {"labels": {"a": "b"}}})
        expected = (409, "Conflict", f'Operation cannot be fulfilled on services "router-default": {MODIFIED}')
        with pytest.raises(ApiError) as error:
            cluster.replace("services", ROUTER_NS, "router-default", old)
        assert refusal(error) == expected
        version = {"metadata": {"resourceVersion": old["metadata"]["resourceVersion"], "labels": {"a": "c"}}}
        with pytest.raises(ApiError) as error:
            cluster.patch("services", ROUTER_NS, "router-default", version)
        assert refusal(error) == expected
        assert error.value.body()["details"] == {"name": "router-default", "kind": "services"}

    def test_a_custom_resource_cannot_be_replaced_without_its_version(self, cluster: Cluster) -> None:
        obj = new_ic(cluster)
        del obj["metadata"]["resourceVersion"]
        with pytest.raises(ApiError, match="must be specified for an update") as error:
            cluster.replace(ICS, OPERATOR_NS, "default", obj)
        assert error.value.status == 422

    def test_a_builtin_object_can(self, cluster: Cluster) -> None:
        obj = cluster.create("configmaps", "default", configmap("a", k="1"))
        del obj["metadata"]["resourceVersion"]
        obj["data"] = {"k": "2"}
        assert cluster.replace("configmaps", "default", "a", obj)["data"] == {"k": "2"}

    def test_a_version_on_a_new_object_is_refused(self, cluster: Cluster) -> None:
        with pytest.raises(ApiError, match="resourceVersion should not be set on objects to be created"):
            cluster.create("configmaps", "default", {"metadata": {"name": "a", "resourceVersion": "7"}})


class TestMetadata:
    def test_what_the_server_owns_cannot_be_set(self, cluster: Cluster) -> None:
        sent = {"name": "a", "uid": "mine", "creationTimestamp": "2001-01-01T00:00:00Z", "generation": 9}
        made = cluster.create("configmaps", "default", {"metadata": sent})["metadata"]
        assert made["uid"] != "mine"
        assert made["creationTimestamp"] > "2020"
        assert made["generation"] == 9, "kinds that count no generations keep what they are given"
        patch = {"metadata": {"creationTimestamp": "2001-01-01T00:00:00Z", "generation": 10}}
        assert cluster.patch("configmaps", "default", "a", patch)["metadata"] == made
        with pytest.raises(ApiError, match=r"metadata\.deletionTimestamp: Invalid value: .*: field is immutable"):
            cluster.patch("configmaps", "default", "a", {"metadata": {"deletionTimestamp": "2001-01-01T00:00:00Z"}})

    def test_uid_in_a_patch_is_checked_as_immutable(self, cluster: Cluster) -> None:
        """A real server answers 422 for a patch and 409 for a replace: both mean "another object of that name"."""
        obj = cluster.create("configmaps", "default", configmap("a"))
        with pytest.raises(ApiError) as error:
            cluster.patch("configmaps", "default", "a", {"metadata": {"uid": "other", "labels": {"x": "y"}}})
        assert refusal(error) == (
            422,
            "Invalid",
            'ConfigMap "a" is invalid: metadata.uid: Invalid value: "other": field is immutable',
        )
        with pytest.raises(
            ApiError, match="Precondition failed: UID in precondition: other, UID in object meta: "
        ) as error:
            cluster.replace("configmaps", "default", "a", {**obj, "metadata": {**obj["metadata"], "uid": "other"}})
        assert error.value.status == 409

    def test_generate_name(self, cluster: Cluster) -> None:
        names = {
            cluster.create("configmaps", "default", {"metadata": {"generateName": "lb-"}})["metadata"]["name"]
            for _time in range(5)
        }
        assert len(names) == 5
        assert all(name.startswith("lb-") and len(name) == 8 for name in names)

    @pytest.mark.parametrize(
        ("resource", "namespace", "metadata", "field"),
        [
            ("configmaps", "default", {"name": "Upper"}, "metadata.name"),
            ("configmaps", "default", {}, "metadata.name"),
            ("services", "default", {"name": "1abc"}, "metadata.name"),
            ("configmaps", "default", {"name": "a", "labels": {"a b": "c"}}, "metadata.labels"),
            ("configmaps", "default", {"name": "a", "labels": {"a": "b c"}}, "metadata.labels"),
            ("configmaps", "default", {"name": "a", "annotations": {"bad key": ""}}, "metadata.annotations"),
            ("configmaps", "default", {"name": "a", "finalizers": ["a b/c"]}, "metadata.finalizers"),
            ("configmaps", "default", {"name": "a", "finalizers": ["unheard-of"]}, "metadata.finalizers[0]"),
        ],
    )
    def test_invalid_metadata(
        self, cluster: Cluster, resource: str, namespace: str, metadata: dict[str, Any], field: str
    ) -> None:
        obj = {"metadata": metadata, **({"spec": {"ports": [{"port": 80}]}} if resource == "services" else {})}
        with pytest.raises(ApiError) as error:
            cluster.create(resource, namespace, obj)
        assert error.value.status == 422
        assert {cause["field"] for cause in error.value.causes} == {field}

    def test_annotation_values_are_strings(self, cluster: Cluster) -> None:
        with pytest.raises(ApiError, match="cannot unmarshal number into Go struct field") as error:
            cluster.create("configmaps", "default", {"metadata": {"name": "a", "annotations": {"x": 1}}})
        assert error.value.status == 400

    def test_unknown_and_known_names(self, cluster: Cluster) -> None:
        with pytest.raises(ApiError) as error:
            cluster.get("services", "default", "x")
        assert refusal(error) == (404, "NotFound", 'services "x" not found')
        with pytest.raises(ApiError) as error:
            cluster.get(ICS, OPERATOR_NS, "x")
        assert error.value.message == f'{ICS} "x" not found'
        cluster.create("services", ROUTER_NS, service())
        with pytest.raises(ApiError) as error:
            cluster.create("services", ROUTER_NS, service())
        assert refusal(error) == (409, "AlreadyExists", 'services "router-default" already exists')

    def test_a_namespace_must_exist(self, cluster: Cluster) -> None:
        with pytest.raises(ApiError) as error:
            cluster.create("configmaps", "nowhere", configmap("a"))
        assert refusal(error) == (404, "NotFound", 'namespaces "nowhere" not found')


class TestGenerationAndStatus:
    def test_only_spec_changes_count(self, cluster: Cluster) -> None:
        assert new_ic(cluster, replicas=1)["metadata"]["generation"] == 1
        patch = cluster.patch
        assert patch(ICS, OPERATOR_NS, "default", {"metadata": {"labels": {"a": "b"}}})["metadata"]["generation"] == 1
        assert patch(ICS, OPERATOR_NS, "default", {"spec": {"replicas": 2}})["metadata"]["generation"] == 2
        status = {"status": {"observedGeneration": 2}}
        assert patch(ICS, OPERATOR_NS, "default", status, subresource="status")["metadata"]["generation"] == 2

    def test_a_service_has_no_generation(self, cluster: Cluster) -> None:
        assert "generation" not in cluster.create("services", ROUTER_NS, service())["metadata"]

    def test_status_and_spec_are_separate_doors(self, cluster: Cluster) -> None:
        made = cluster.create(ICS, OPERATOR_NS, {"metadata": {"name": "default"}, "spec": {}, "status": {"x": 1}})
        assert "status" not in made
        main = cluster.patch(ICS, OPERATOR_NS, "default", {"spec": {"replicas": 2}, "status": {"x": 1}})
        assert "status" not in main
        both = {"spec": {"replicas": 9}, "status": {"x": 1}, "metadata": {"labels": {"a": "b"}}}
        after = cluster.patch(ICS, OPERATOR_NS, "default", both, subresource="status")
        assert (after["spec"], after["status"]) == ({"replicas": 2}, {"x": 1})
        assert "labels" not in after["metadata"]

    def test_a_service_status_write_may_touch_metadata(self, cluster: Cluster) -> None:
        cluster.create("services", ROUTER_NS, service())
        patch = {"metadata": {"annotations": {"a": "b"}}, "spec": {"type": "ClusterIP"}}
        after = cluster.patch("services", ROUTER_NS, "router-default", patch, subresource="status")
        assert after["metadata"]["annotations"] == {"a": "b"}
        assert after["spec"]["type"] == "LoadBalancer"

    def test_a_type_without_the_subresource_keeps_status_in_the_object(self, cluster: Cluster) -> None:
        made = cluster.create(
            "networks.config.openshift.io", None, {"metadata": {"name": "cluster"}, "status": {"a": 1}}
        )
        assert made["status"] == {"a": 1}

    def test_seed_writes_status_too(self, cluster: Cluster) -> None:
        seeded = cluster.seed(ICS, {"metadata": {"name": "i", "namespace": "new-ns"}, "spec": {}, "status": {"a": 1}})
        assert seeded["status"] == {"a": 1}


class TestHooks:
    def test_validator_and_defaulter_see_old_new_and_subresource(self) -> None:
        seen: list[tuple[bool, str | None]] = []

        def default(old: Any, new: dict[str, Any], subresource: str | None) -> None:
            new.setdefault("spec", {}).setdefault("replicas", 2)

        def validate(old: Any, new: dict[str, Any], subresource: str | None) -> list[Any]:
            seen.append((old is None, subresource))
            if new["spec"]["replicas"] < 0:
                return [{"reason": "FieldValueInvalid", "message": "Invalid value: -1: no", "field": "spec.replicas"}]
            return []

        c = make_cluster(validators={ICS: validate}, defaulters={ICS: default})
        assert new_ic(c)["spec"] == {"replicas": 2}
        c.patch(ICS, OPERATOR_NS, "default", {"status": {"a": 1}}, subresource="status")
        with pytest.raises(ApiError) as error:
            c.patch(ICS, OPERATOR_NS, "default", {"spec": {"replicas": -1}})
        assert seen == [(True, None), (False, "status"), (False, None)]
        assert refusal(error) == (
            422,
            "Invalid",
            'IngressController.operator.openshift.io "default" is invalid: spec.replicas: Invalid value: -1: no',
        )
        assert error.value.body()["details"]["causes"] == [
            {"reason": "FieldValueInvalid", "message": "Invalid value: -1: no", "field": "spec.replicas"}
        ]
