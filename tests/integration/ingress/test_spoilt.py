# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody spoilt on a cluster of the lab: a sentence in every module, never a traceback (Safe ingress 17)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import TRANSACTION_PREFIX
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import Result, run_task
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import INGRESSCONTROLLERS

from .conftest import At, NewIngress, NewService
from .proofs import codes, finding, prove
from .workplace import Subject

NOW = {"effectuate": "delete", "allow_disruption": "outage"}
INTERNAL = {"scope": "Internal", **NOW}
LEASES = "leases.coordination.k8s.io"
TASKS: dict[str, dict[str, Any]] = {
    "ingress_lb_subnets": {"subnets": {"ids": ["subnet-0123456789abcdef0"]}},
    "slb_scope": {"scope": "Internal"},
    "lb_effectuate": {},
}


def told(result: Result, *parts: str) -> None:
    assert result["failed"]
    assert not result["changed"]
    assert "Traceback" not in result["msg"]
    for part in parts:
        assert part in result["msg"], result["msg"]


# -- options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("name", ["", " ", "a/b", "..", "Default", "x" * 254, "?watch=true"])
@pytest.mark.parametrize("module", TASKS)
def test_a_name_that_names_nothing(at: At, module: str, name: str, check: bool) -> None:
    """An empty one is a variable that was not set: neither the default IngressController nor a list of all is meant."""
    cluster = at()
    cluster.requests.reset()
    result = run_task(module, cluster.kubeconfig, check=check, ingress_controller=name, **TASKS[module])
    told(result, "ingress_controller", repr(name))
    assert codes(result) == ["bad_option"]
    assert len(cluster.requests) == 0


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("place", [("", "front"), ("shop", ""), ("shop", "a/b"), (" ", " ")])
def test_a_service_that_is_not_named(at: At, place: tuple[str, str], check: bool) -> None:
    service = {"namespace": place[0], "name": place[1]}
    told(run_task("slb_scope", at().kubeconfig, check=check, scope="Internal", service=service), "service.")


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("value", [0, -1, -900])
@pytest.mark.parametrize("option", ["wait_sleep", "wait_timeout"])
@pytest.mark.parametrize("module", TASKS)
def test_waits_without_an_end_or_a_pause(at: At, module: str, option: str, value: int, check: bool) -> None:
    result = run_task(module, at().kubeconfig, check=check, **TASKS[module], **{option: value})
    told(result, f"{option}: {value} is less than 1.")


# -- what runs of ours leave behind -----------------------------------------------------------------------------------


SPOILT: dict[str, dict[str, str] | None] = {
    "no data": None,
    "broken": {"manifest.json": "{"},
    "a list": {"manifest.json": "[]"},
    "another Service": {
        "manifest.json": json.dumps({"metadata": {"name": "x", "namespace": "shop"}, "spec": {"ports": [{"port": 1}]}})
    },
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_kept_manifest_that_brings_nothing_back(plain: NewService, case: str) -> None:
    """The Service is gone and its manifest too: blocked with what to do, both ways, until somebody mends it."""
    subject = plain()
    manifest = subject.live()
    subject.cluster.api.delete("services", subject.namespace, subject.service_name)
    subject.wait_for(lambda: subject.service() is None, "the Service to be gone")
    name = f"lb-estate-saved-{subject.service_name}"
    config = {"metadata": {"name": name, "namespace": subject.namespace}, "data": SPOILT[case] or {}}
    subject.cluster.api.seed("configmaps", config)
    for check in (True, False):
        result = subject.run("slb_scope", check=check, **INTERNAL)
        told(result, name)
        assert finding(result, "kept_manifest_spoilt")["remedy"]
    assert subject.writes() == []
    meta = {"name": subject.service_name, "namespace": subject.namespace}
    mended = {"manifest.json": json.dumps({"metadata": meta, "spec": manifest["spec"]})}
    subject.cluster.api.patch("configmaps", subject.namespace, name, {"data": mended})
    prove(subject, "slb_scope", **INTERNAL)
    assert subject.live()["spec"]["ports"] == manifest["spec"]["ports"]


def _garbage(subject: Subject, name: str, namespace: str, spec: dict[str, Any], process: str) -> None:
    meta = {"name": name, "namespace": namespace, "annotations": {"lb-estate.edgeworks.io/process": process}}
    subject.cluster.api.seed(LEASES, {"metadata": meta, "spec": spec})


@pytest.mark.parametrize("process", ["", "{", "[]", "7", '{"machine": 1, "pid": "x"}', "[" * 5000])
@pytest.mark.parametrize("spec", [{}, {"holderIdentity": "x"}, {"renewTime": "9999-12-31T23:59:59.999999Z"}])
def test_a_lease_full_of_garbage_keeps_nobody_out(ingress: NewIngress, process: str, spec: dict[str, Any]) -> None:
    subject = ingress(type="NLB")
    name = f"lb-estate-ingresscontroller-{subject.name}"
    spec = {"holderIdentity": "somebody", "leaseDurationSeconds": 60, **spec}
    _garbage(subject, name, "openshift-ingress-operator", spec, process)
    result = subject.run("slb_scope", scope="Internal")
    assert result["changed"]
    assert subject.lb["scope"] == "Internal"


@pytest.mark.parametrize("mark", ["", "odd form", "a/b", "\n", "{}"])
def test_a_mark_of_ours_of_another_form_is_cleared_like_any(ingress: NewIngress, mark: str) -> None:
    subject = ingress(type="NLB")
    subject.arm(f"{TRANSACTION_PREFIX}{mark}")
    assert "left_armed" in codes(subject.run("slb_scope", check=True, scope="External"))
    subject.run("slb_scope", scope="External")
    assert subject.armed is None


@pytest.mark.parametrize("module", [*TASKS, "lb_info"])
def test_metadata_without_annotations(ingress: NewIngress, module: str) -> None:
    """An IngressController that somebody else's tool wrote: nothing is read into what says nothing."""
    subject = ingress(type="NLB")
    api = subject.cluster.api
    stored = api.stored(INGRESSCONTROLLERS, "openshift-ingress-operator", subject.name)
    before = stored.obj
    meta = {key: value for key, value in before["metadata"].items() if key not in ("annotations", "labels")}
    stored.obj, stored.body = {**before, "metadata": meta}, None
    try:
        options = TASKS.get(module, {})
        place = subject.given(**options) if module != "lb_info" else {"preflight": "skip"}
        result = run_task(module, subject.cluster.kubeconfig, check=True, **place)
    finally:
        stored.obj, stored.body = before, None
    assert not result.get("failed"), result["msg"]
