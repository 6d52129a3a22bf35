# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps carried out over HTTPS: preconditions hold, a lost answer never makes a second change (CORE-6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import errors
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.patience import Patience

from .conftest import NAMESPACE, Site

IC, IC_NAMESPACE = "ingresscontrollers.operator.openshift.io", "openshift-ingress-operator"
PATCH = {"metadata": {"annotations": {"a.example/b": "new", "gone": None}}}


def step(verb: str, obj: dict[str, Any] | None = None, *, versioned: bool = False, **more: Any) -> Step:
    """A step against the Service, with the object's uid (and resourceVersion) as precondition."""
    meta = (obj or {}).get("metadata", {})
    version = meta.get("resourceVersion", "") if versioned else ""
    given = {"uid": meta.get("uid", ""), "resource_version": version, **more}
    return Step("kube", verb, "services", "router-default", NAMESPACE, **given)


def annotations(site: Site) -> dict[str, str]:
    found: dict[str, str] = site.api.get("services", NAMESPACE, "router-default")["metadata"].get("annotations", {})
    return found


def test_create_gives_the_object_back(site: Site) -> None:
    site.api.seed("namespaces", {"metadata": {"name": NAMESPACE}})
    body = {"spec": {"type": "LoadBalancer", "ports": [{"port": 443}]}}
    with site.connect() as port:
        made = port.do(step("create", body=body))
        assert made is not None
        assert made["metadata"]["name"] == "router-default"
        assert made["spec"]["type"] == "LoadBalancer"
        with pytest.raises(errors.AlreadyExists, match="services openshift-ingress/router-default exists already"):
            port.do(step("create", body=body))
        again = port.do(step("create", body=body), exists_ok=True)
    assert again is not None
    assert again["metadata"]["uid"] == made["metadata"]["uid"]


def test_a_taken_health_check_port_is_a_refusal_and_no_trouble(site: Site) -> None:
    """Safe ingress 18: the server says it with a 500; trying again, or calling the outcome unknown, would be wrong."""
    site.api.seed("namespaces", {"metadata": {"name": NAMESPACE}})
    body = {
        "spec": {
            "type": "LoadBalancer",
            "externalTrafficPolicy": "Local",
            "ports": [{"port": 443, "nodePort": 30443}],
            "healthCheckNodePort": 30443,
        }
    }
    with (
        site.connect() as port,
        pytest.raises(errors.Invalid, match="HealthCheck NodePort 30443: provided port is") as no,
    ):
        port.do(step("create", body=body))
    assert [cause["field"] for cause in no.value.details["causes"]] == ["spec.healthCheckNodePort"]
    assert [request.code for request in site.api.requests.writes()] == [500]


def test_patch_merges_and_leaves_the_rest(site: Site) -> None:
    made = site.service(gone="x", kept="y")
    with site.connect() as port:
        after = port.do(step("patch", made, versioned=True, body=PATCH))
    assert after is not None
    assert annotations(site) == {"a.example/b": "new", "kept": "y"}
    assert after["metadata"]["annotations"] == annotations(site)


def test_patch_of_a_changed_object_is_a_conflict(site: Site) -> None:
    made = site.service()
    site.api.patch("services", NAMESPACE, "router-default", {"metadata": {"labels": {"other": "hand"}}})
    with (
        site.connect() as port,
        pytest.raises(errors.Conflict, match=r"has changed since it was read.*Run again"),
    ):
        port.do(step("patch", made, versioned=True, body=PATCH))
    assert annotations(site) == {}


def test_patch_of_a_recreated_object_is_a_conflict(site: Site) -> None:
    made = site.service()
    site.api.delete("services", NAMESPACE, "router-default")
    site.service()
    with site.connect() as port, pytest.raises(errors.Conflict, match="was recreated since it was read"):
        port.do(step("patch", made, body=PATCH))
    assert annotations(site) == {}


def test_patch_of_a_missing_object(site: Site) -> None:
    with site.connect() as port, pytest.raises(errors.NotFound, match="router-default does not exist"):
        port.do(step("patch", body=PATCH))


def test_status_is_its_own_resource(site: Site) -> None:
    made = site.api.seed(IC, {"metadata": {"name": "default", "namespace": IC_NAMESPACE}, "spec": {"replicas": 2}})
    meta = made["metadata"]
    wanted = Step(
        "kube", "patch", f"{IC}/status", "default", IC_NAMESPACE,
        body={"spec": {"replicas": 9}, "status": {"observedGeneration": 1}},
        uid=meta["uid"], resource_version=meta["resourceVersion"],
    )  # fmt: skip
    with site.connect() as port:
        port.do(wanted)
    now = site.api.get(IC, IC_NAMESPACE, "default")
    assert now["status"] == {"observedGeneration": 1}
    assert now["spec"] == {"replicas": 2}


def test_replace(site: Site) -> None:
    made = site.service(old="1")
    body = {**made, "metadata": {**made["metadata"], "annotations": {"new": "1"}}}
    with site.connect() as port:
        port.do(step("replace", made, versioned=True, body=body))
        assert annotations(site) == {"new": "1"}
        with pytest.raises(errors.Conflict):
            port.do(step("replace", made, versioned=True, body=body))


def test_invalid_lists_the_causes(site: Site) -> None:
    made = site.service()
    body = {"spec": {"type": "Nonsense", "sessionAffinity": "Sometimes"}}
    with site.connect() as port, pytest.raises(errors.Invalid) as caught:
        port.do(step("patch", made, versioned=True, body=body))
    assert {cause["field"] for cause in caught.value.details["causes"]} == {"spec.type", "spec.sessionAffinity"}
    assert 'spec.type: Unsupported value: "Nonsense"' in caught.value.message


def test_delete_names_the_uid(site: Site) -> None:
    old = site.service()
    site.api.delete("services", NAMESPACE, "router-default")
    new = site.service()
    with site.connect() as port:
        with pytest.raises(errors.Conflict, match="has changed since it was read"):
            port.do(step("delete", old))
        assert site.api.get("services", NAMESPACE, "router-default")["metadata"]["uid"] == new["metadata"]["uid"]
        assert port.do(step("delete", new)) is None
        assert port.do(step("delete", new)) is None, "gone already is what was wanted"


def test_delete_held_by_a_finalizer_gives_the_object(site: Site) -> None:
    made = site.service()
    patch = {"metadata": {"finalizers": ["service.kubernetes.io/load-balancer-cleanup"]}}
    made = site.api.patch("services", NAMESPACE, "router-default", patch)
    with site.connect() as port:
        held = port.do(step("delete", made, body={"propagationPolicy": "Foreground"}))
    assert held is not None
    assert held["metadata"]["deletionTimestamp"]
    assert set(held["metadata"]["finalizers"]) == {"service.kubernetes.io/load-balancer-cleanup", "foregroundDeletion"}


def test_expected_state_is_read_and_pinned(site: Site) -> None:
    made = site.service(state="planned")
    wanted = step("patch", made, body=PATCH, expect={"metadata": {"annotations": {"state": "planned", "never": None}}})
    with site.connect() as port:
        port.do(wanted)
        assert annotations(site)["a.example/b"] == "new"
        site.api.patch("services", NAMESPACE, "router-default", {"metadata": {"annotations": {"state": "other"}}})
        site.api.requests.reset()
        with pytest.raises(errors.Conflict, match="not in the state this step was planned for"):
            port.do(wanted)
        site.api.delete("services", NAMESPACE, "router-default")
        with pytest.raises(errors.Conflict, match="is gone"):
            port.do(wanted)
    assert site.api.requests.writes() == []


def test_a_stale_read_before_the_write_is_caught_by_the_version(site: Site) -> None:
    site.service(state="planned")
    site.api.patch("services", NAMESPACE, "router-default", {"metadata": {"annotations": {"state": "other"}}})
    site.api.faults.add("stale", verb="get", back=1, count=1)
    wanted = step("patch", body=PATCH, expect={"metadata": {"annotations": {"state": "planned"}}})
    with site.connect() as port, pytest.raises(errors.Conflict):
        port.do(wanted)
    assert annotations(site) == {"state": "other"}


# -- trouble on the way ------------------------------------------------------------------------------------------------


def test_writes_the_server_did_not_begin_are_repeated(site: Site) -> None:
    made = site.service()
    site.api.faults.add("error", verb="patch", status=429, retry_after=3, count=1)
    site.api.faults.add("error", verb="patch", status=503, retry_after=2, count=1)
    with site.connect() as port:
        port.do(step("patch", {"metadata": {}}, body=PATCH))
    assert made["metadata"]["uid"]
    assert annotations(site) == {"a.example/b": "new"}
    assert [int(pause) for pause in site.time.sleeps] == [3, 2]


@pytest.mark.parametrize(
    "fault", [{"kind": "drop_before"}, {"kind": "drop_after"}, {"kind": "error", "status": 500}], ids=str
)
@pytest.mark.parametrize("verb", ["patch", "delete"])
def test_writes_without_precondition_are_never_sent_twice(site: Site, fault: dict[str, Any], verb: str) -> None:
    site.service()
    site.api.faults.add(**fault, verb=verb)
    with site.connect() as port, pytest.raises(errors.OutcomeUnknown, match=rf"carried out `{verb} services .*unknown"):
        port.do(step(verb, body=PATCH if verb == "patch" else None))
    assert len(site.api.requests.writes()) == 1


@pytest.mark.parametrize("kind", ["drop_before", "drop_after"])
def test_a_versioned_patch_survives_a_lost_answer(site: Site, kind: str) -> None:
    made = site.service(gone="x")
    site.api.faults.add(kind, verb="patch", count=1)
    with site.connect() as port:
        after = port.do(step("patch", made, versioned=True, body=PATCH))
    assert after is not None
    assert after["metadata"]["annotations"] == annotations(site) == {"a.example/b": "new"}
    assert site.api.requests.count(verb="patch", code=409) == (1 if kind == "drop_after" else 0)


def test_a_versioned_replace_survives_a_lost_answer(site: Site) -> None:
    made = site.service()
    body = {**made, "metadata": {**made["metadata"], "annotations": {"new": "1"}}}
    site.api.faults.add("drop_after", verb="update", count=1)
    with site.connect() as port:
        after = port.do(step("replace", made, versioned=True, body=body))
    assert after is not None
    assert annotations(site) == {"new": "1"}


def test_a_lost_patch_that_somebody_overtook_is_a_conflict(site: Site) -> None:
    """The first try was dropped before the server saw it, and meanwhile another hand wrote: not ours to overwrite."""
    made = site.service()
    site.api.faults.add("drop_before", verb="patch", count=1)
    with site.connect() as port:
        site.api.patch(
            "services", NAMESPACE, "router-default", {"metadata": {"annotations": {"a.example/b": "theirs"}}}
        )
        with pytest.raises(errors.Conflict):
            port.do(step("patch", made, versioned=True, body=PATCH))
    assert annotations(site) == {"a.example/b": "theirs"}


@pytest.mark.parametrize("finalizers", [[], ["service.kubernetes.io/load-balancer-cleanup"]])
def test_a_delete_with_uid_survives_a_lost_answer(site: Site, finalizers: list[str]) -> None:
    site.service()
    made = site.api.patch("services", NAMESPACE, "router-default", {"metadata": {"finalizers": finalizers}})
    site.api.faults.add("drop_after", verb="delete", count=1)
    with site.connect() as port:
        left = port.do(step("delete", made, versioned=True))
        now = port.get("services", NAMESPACE, "router-default")
    assert (left is None) == (now is None) == (not finalizers)
    assert now is None or now["metadata"]["deletionTimestamp"]


def test_a_lost_delete_of_something_recreated_meanwhile_is_done(site: Site) -> None:
    """The operator makes a new Service at once; the retried delete must not take that one too."""
    made = site.service()
    site.api.faults.add("drop_after", verb="delete", count=1)
    patience = Patience(sleep=lambda _seconds: bool(site.service(again="yes")) and None)
    with site.connect(patience=patience) as port:
        assert port.do(step("delete", made)) is None
    assert annotations(site) == {"again": "yes"}
    assert site.api.requests.count(verb="delete") == 2


def test_a_create_survives_a_lost_answer_but_not_a_rival(site: Site) -> None:
    body = {"metadata": {"annotations": {"holder": "us"}}, "spec": {"ports": [{"port": 1}]}}
    site.api.seed("namespaces", {"metadata": {"name": NAMESPACE}})
    site.api.faults.add("drop_after", verb="create", count=1)
    with site.connect() as port:
        made = port.do(step("create", body=body))
        assert made is not None
        assert site.api.requests.count(verb="create") == 2
        site.api.delete("services", NAMESPACE, "router-default")
        site.service(holder="them")
        site.api.faults.add("drop_before", verb="create", count=1)
        with pytest.raises(errors.AlreadyExists):
            port.do(step("create", body=body))


def test_forbidden_write_names_verb_and_resource(site: Site) -> None:
    made = site.service()
    with site.connect(token=site.api.tokens.add("bob")) as port, pytest.raises(errors.Forbidden) as caught:
        port.do(step("delete", made))
    assert caught.value.details["verb"] == "delete"
    assert 'User "bob" cannot delete resource "services"' in caught.value.message


def test_an_admission_refusal_does_not_ask_for_a_role(site: Site) -> None:
    site.service()
    made = site.api.patch("services", NAMESPACE, "router-default", {"metadata": {"finalizers": ["a.example/x"]}})
    site.api.faults.add("stuck_finalizer", finalizer="a.example/x", mode="deny")
    with site.connect() as port, pytest.raises(errors.Forbidden, match=r"did not admit.*admission webhook") as caught:
        port.do(step("patch", made, versioned=True, body={"metadata": {"finalizers": None}}))
    assert "rule" not in caught.value.details


def test_only_kube_steps(site: Site) -> None:
    with site.connect() as port, pytest.raises(ValueError, match="not a step for this port"):
        port.do(Step("kube", "wait", "services", "x"))
