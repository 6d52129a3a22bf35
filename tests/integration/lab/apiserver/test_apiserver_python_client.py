# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kubernetes package against the server, with hostile certificate variables in the environment."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes
import pytest
from kubernetes.client.exceptions import ApiException

from .client import OPERATOR_NS, ROUTER_NS, Served, configmap, service

GROUP = ("operator.openshift.io", "v1", OPERATOR_NS, "ingresscontrollers")
IC = {
    "apiVersion": "operator.openshift.io/v1",
    "kind": "IngressController",
    "metadata": {"name": "default"},
    "spec": {},
}


@pytest.fixture
def api(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE"):
        monkeypatch.setenv(name, "/nonexistent/ca.crt")
    config = tmp_path / "kubeconfig"
    config.write_text(served.server.kubeconfig("c1"))
    client = kubernetes.config.new_client_from_config(str(config))
    yield client
    client.close()


@pytest.fixture
def core(api: Any) -> Any:
    return kubernetes.client.CoreV1Api(api)


def test_typed_objects(core: Any, served: Served) -> None:
    made = core.create_namespaced_service(ROUTER_NS, service())
    assert made.spec.ports[0].node_port >= 30000
    body = {"metadata": {"resourceVersion": made.metadata.resource_version, "annotations": {"a": "b"}}}
    patched = core.patch_namespaced_service("router-default", ROUTER_NS, body)
    assert patched.metadata.annotations == {"a": "b"}
    with pytest.raises(ApiException) as error:
        core.patch_namespaced_service("router-default", ROUTER_NS, body | {"spec": {"sessionAffinity": "ClientIP"}})
    assert error.value.status == 409
    options = kubernetes.client.V1DeleteOptions(
        preconditions=kubernetes.client.V1Preconditions(uid=made.metadata.uid), propagation_policy="Foreground"
    )
    deleted = core.delete_namespaced_service("router-default", ROUTER_NS, body=options)
    assert deleted.metadata.finalizers == ["foregroundDeletion"]


def test_custom_objects(api: Any) -> None:
    custom = kubernetes.client.CustomObjectsApi(api)
    custom.create_namespaced_custom_object(*GROUP, IC)
    custom.patch_namespaced_custom_object(*GROUP, "default", {"spec": {"replicas": 3}})
    status = {"status": {"observedGeneration": 2}}
    after = custom.patch_namespaced_custom_object_status(*GROUP, "default", status)
    assert (after["metadata"]["generation"], after["status"], after["spec"]) == (
        2,
        {"observedGeneration": 2},
        {"replicas": 3},
    )
    assert len(custom.list_cluster_custom_object("operator.openshift.io", "v1", "ingresscontrollers")["items"]) == 1


def test_dynamic_client_discovers_everything(api: Any) -> None:
    dynamic = kubernetes.dynamic.DynamicClient(api)
    controllers = dynamic.resources.get(api_version="operator.openshift.io/v1", kind="IngressController")
    controllers.create(body=IC, namespace=OPERATOR_NS)
    assert [item.metadata.name for item in controllers.get().items] == ["default"]
    services = dynamic.resources.get(api_version="v1", kind="Service")
    services.create(body=service(), namespace=ROUTER_NS)
    assert services.get(name="router-default", namespace=ROUTER_NS).spec.type == "LoadBalancer"


def test_watch_survives_a_forgotten_version(core: Any, served: Served) -> None:
    watcher = kubernetes.watch.Watch()
    seen: list[tuple[str, str]] = []
    timer = threading.Timer(0.2, lambda: served.cluster.create("configmaps", "default", configmap("late")))
    served.cluster.create("configmaps", "default", configmap("early"))
    timer.start()
    for event in watcher.stream(core.list_namespaced_config_map, "default", timeout_seconds=5):
        seen.append((event["type"], event["object"].metadata.name))
        if len(seen) == 2:
            watcher.stop()
    assert seen == [("ADDED", "early"), ("ADDED", "late")]
    served.cluster.compact()
    query = {"resource_version": "1", "timeout_seconds": 1}
    with pytest.raises(ApiException) as error:
        list(kubernetes.watch.Watch().stream(core.list_namespaced_config_map, "default", **query))
    assert error.value.status == 410


def test_events_lease_and_access_review(api: Any) -> None:
    core = kubernetes.client.CoreV1Api(api)
    involved = kubernetes.client.V1ObjectReference(kind="Service", namespace=ROUTER_NS, name="router-default")
    meta = kubernetes.client.V1ObjectMeta(generate_name="router-default.")
    event = kubernetes.client.CoreV1Event(
        metadata=meta, involved_object=involved, reason="R", message="m", type="Normal"
    )
    core.create_namespaced_event(ROUTER_NS, event)
    found = core.list_namespaced_event(ROUTER_NS, field_selector="involvedObject.name=router-default,reason=R")
    assert [item.message for item in found.items] == ["m"]
    leases = kubernetes.client.CoordinationV1Api(api)
    spec = kubernetes.client.V1LeaseSpec(holder_identity="me", lease_duration_seconds=30)
    named = kubernetes.client.V1ObjectMeta(name="lock")
    leases.create_namespaced_lease("default", kubernetes.client.V1Lease(metadata=named, spec=spec))
    assert leases.read_namespaced_lease("lock", "default").spec.holder_identity == "me"
    wanted = kubernetes.client.V1ResourceAttributes(verb="patch", resource="services")
    review = kubernetes.client.V1SelfSubjectAccessReview(
        spec=kubernetes.client.V1SelfSubjectAccessReviewSpec(resource_attributes=wanted)
    )
    reviews = kubernetes.client.AuthorizationV1Api(api)
    assert reviews.create_self_subject_access_review(review).status.allowed is True
