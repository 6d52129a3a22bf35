# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input, bad state and no way in: a sentence each, before anything was changed, no traceback (CORE-7; issue)."""

from __future__ import annotations

import socket
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.patience import Patience
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import Result, complaints, run_task
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.resources import OPENSHIFT_CLUSTER
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab

from .conftest import At, NewIngress
from .proofs import codes, finding, prove, refused
from .workplace import Ingress, Subject, next_name

MODULES: dict[str, dict[str, Any]] = {
    "ingress_lb_subnets": {"subnets": {"ids": ["subnet-0123456789abcdef0"]}},
    "slb_scope": {"scope": "Internal"},
    "lb_effectuate": {},
    "lb_info": {},
}
SUBNETS = MODULES["ingress_lb_subnets"]
KUBERNETES = [resource for resource in OPENSHIFT_CLUSTER if "openshift" not in resource.group]
NOW = {"effectuate": "delete", "allow_disruption": "outage"}


def sentence(result: Result, *parts: str) -> None:
    """Failed, in words for a person, with nothing changed."""
    assert result["failed"]
    assert not result["changed"]
    for part in parts:
        assert part in result["msg"], result["msg"]
    assert "Traceback" not in result["msg"]
    assert result["msg"][-1] in ".?}", result["msg"]


# -- state ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("platform", ["Azure", "GCP", "IBMCloud", "OpenStack"])
def test_a_platform_without_subnets(ingress: NewIngress, platform: str) -> None:
    """Wrong platform."""
    result = refused(ingress("4.22", platform), "ingress_lb_subnets", **SUBNETS)
    found = finding(result, "platform_unsupported")
    assert f"exist on AWS only; this cluster's platform is {platform!r}" in found["what"]


@pytest.mark.parametrize("module", ["ingress_lb_subnets", "slb_scope", "lb_effectuate"])
@pytest.mark.parametrize(("version", "words"), [("4.9.1", "older than 4.10"), ("new", "not an OpenShift version")])
def test_an_unsupported_version(ingress: NewIngress, module: str, version: str, words: str) -> None:
    """Given in the task, or told by the cluster."""
    subject = ingress(type="NLB")
    result = refused(subject, module, version=version, **MODULES[module])
    sentence(result, version, words)


def test_a_cluster_that_is_too_old(lab: Lab) -> None:
    """Unsupported version, as the cluster tells it."""
    cluster = lab.cluster("bad-49", "GCP", "4.9")
    sentence(run_task("slb_scope", cluster.kubeconfig, scope="Internal"), "4.9.3", "older than 4.10")
    sentence(run_task("lb_info", cluster.kubeconfig), "4.9.3", "older than 4.10")


def test_a_version_newer_than_any_measured(ingress: NewIngress) -> None:
    """Said, and the newest rules are taken with care."""
    result = ingress(type="NLB").run("slb_scope", check=True, scope="Internal", version="6.2.0")
    assert "6.2.0 was never measured" in finding(result, "version_unmeasured")["what"]


def test_a_version_that_was_never_measured_is_written_to_only_by_name(lab: Lab) -> None:
    """Safe ingress 3: refused in check mode too; what writes nothing is answered."""
    cluster = lab.cluster("bad-53", "GCP", "5.3")
    subject = Ingress(cluster, "default")
    change = {"scope": "Internal", "allow_disruption": "brief"}
    for accepted in ("", "5.2", "5"):
        result = refused(subject, "slb_scope", accept_version=accepted, **change)
        found = finding(result, "version_unmeasured")
        assert ("5.3.3 was never measured" in found["what"], found["severity"]) == (True, "error")
        assert "accept_version: '5.3'" in found["remedy"]
    assert subject.run("slb_scope", scope="External")["verdict"] == "in_sync"
    prove(subject, "slb_scope", accept_version="5.3", **change)


@pytest.mark.parametrize(
    ("name", "code"), [("Not_A_Name", "bad_option"), ("a..b", "refused_by_api"), ("x" * 60, "name_unusable")]
)
def test_names_the_api_or_the_operator_would_refuse_are_foretold(at: At, name: str, code: str) -> None:
    """Safe ingress 16: in check mode as when applied."""
    subject = Ingress(at(), name)
    domain = f"new.{subject.cluster.spec.base_domain}"
    assert code in codes(refused(subject, "ingress_lb_subnets", domain=domain), "error")
    other = Ingress(at(), next_name("named"))
    assert "domain_unusable" in codes(refused(other, "ingress_lb_subnets", domain="no domain"), "error")


@pytest.mark.parametrize("strategy", ["HostNetwork", "NodePortService", "Private"])
@pytest.mark.parametrize("module", ["ingress_lb_subnets", "slb_scope", "lb_effectuate"])
def test_a_strategy_without_a_load_balancer(at: At, subjects: list[Subject], module: str, strategy: str) -> None:
    """HostNetwork and the like: the operator never changes it (facts §2)."""
    subject = Ingress(at(), next_name("host"))
    subjects.append(subject)
    subject.create({"type": strategy})
    subject.wait_for(lambda: subject.ic().get("status", {}).get("endpointPublishingStrategy"), "admission")
    result = refused(subject, module, **MODULES[module], **NOW)
    found = finding(result, "strategy_not_load_balancer")
    assert strategy in found["what"]
    assert "Recreate the IngressController" in found["remedy"]


@pytest.mark.parametrize("module", ["ingress_lb_subnets", "slb_scope", "lb_effectuate"])
def test_a_missing_ingresscontroller(at: At, module: str) -> None:
    """Which one, and where it was looked for."""
    subject = Ingress(at(), "no-such")
    result = refused(subject, module, **MODULES[module])
    found = finding(result, "not_found")
    assert "'no-such' in namespace openshift-ingress-operator" in found["what"]


@pytest.mark.parametrize("module", ["ingress_lb_subnets", "slb_scope", "lb_effectuate"])
def test_a_foreign_service_in_its_place(at: At, subjects: list[Subject], module: str) -> None:
    """Issue item 5: the operator neither updates nor deletes it, and neither do we."""
    cluster = at()
    subject = Ingress(cluster, next_name("taken"))
    subjects.append(subject)
    meta = {"name": subject.service_name, "namespace": subject.namespace}
    spec = {"type": "LoadBalancer", "ports": [{"port": 80, "protocol": "TCP"}]}
    cluster.api.seed("services", {"metadata": meta, "spec": spec})
    try:
        subject.create({"type": "LoadBalancerService", "loadBalancer": {"scope": "External"}})
        subject.wait_for(lambda: subject.ic().get("status", {}).get("endpointPublishingStrategy"), "admission")
        uid = subject.uid
        result = refused(subject, module, **MODULES[module], **NOW)
        assert "neither updates nor deletes it" in finding(result, "foreign_service")["what"]
        assert subject.uid == uid
    finally:
        cluster.api.delete("services", subject.namespace, subject.service_name)


def test_one_that_is_being_deleted(ingress: NewIngress) -> None:
    """Bad state, told as such."""
    subject = ingress(type="NLB")
    held = subject.ic()["metadata"]["finalizers"]
    subject.patch({"metadata": {"finalizers": [*held, "example.com/held"]}})
    subject.cluster.api.delete("ingresscontrollers.operator.openshift.io", "openshift-ingress-operator", subject.name)
    assert "being_deleted" in codes(refused(subject, "slb_scope", scope="Internal"))
    subject.wait_for(lambda: subject.ic()["metadata"]["finalizers"] == ["example.com/held"], "the operator's own")
    subject.patch({"metadata": {"finalizers": None}})


def test_everything_at_once(ingress: NewIngress) -> None:
    """All problems of the state together, not one per run."""
    subject = ingress("4.16", "GCP")
    result = refused(subject, "ingress_lb_subnets", domain="x.example.com", **SUBNETS)
    assert codes(result, "error") == ["platform_unsupported", "version_lacks_field", "domain_fixed"]


# -- permission -------------------------------------------------------------------------------------------------------


def test_no_permission_to_write(ingress: NewIngress) -> None:
    """CORE-13: everything that is missing at once, with the rules to add, and nothing begun."""
    subject = ingress(type="NLB")
    result = subject.run("slb_scope", user="reader", scope="Internal")
    sentence(result, "patch ingresscontrollers.operator.openshift.io in namespace openshift-ingress-operator", "leases")
    missing = {(rule["resources"][0], rule["verbs"][0]) for rule in finding(result, "forbidden")["value"]["rules"]}
    assert {("ingresscontrollers", "patch"), ("leases", "create"), ("leases", "delete")} <= missing
    assert result["error_code"] == "forbidden"
    assert subject.lb["scope"] == "External"


def test_no_permission_to_delete_the_service(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    subject.run("slb_scope", scope="Internal")
    subject.cluster.requests.reset()
    result = subject.run("lb_effectuate", user="reader", changes=["scope"], **NOW)
    sentence(result, "delete services in namespace openshift-ingress", "not begun")
    assert subject.writes() == []


@pytest.mark.parametrize("module", MODULES)
def test_no_permission_to_read(at: At, module: str) -> None:
    """A user who may do nothing."""
    result = run_task(module, at().kubeconfigs["nobody"], **MODULES[module])
    verb = "list services" if module == "lb_info" else "get ingresscontrollers.operator.openshift.io"
    sentence(result, f"No permission to {verb}", "lab-nobody")


# -- the way in -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES)
def test_no_kubeconfig(module: str) -> None:
    sentence(run_task(module, "/does/not/exist.yaml", **MODULES[module]), "/does/not/exist.yaml does not exist")


@pytest.mark.parametrize("content", ["{", "a: [", "just words", "clusters: []\n", ""])
def test_a_broken_kubeconfig(tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(content, encoding="utf-8")
    sentence(run_task("slb_scope", path, scope="Internal"), str(path))


def test_a_context_that_is_not_there(at: At) -> None:
    sentence(run_task("slb_scope", at().kubeconfig, scope="Internal", context="elsewhere"), "elsewhere")


def test_an_api_server_nobody_answers_for(at: At, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unreachable: nothing listens on that port. It is tried for a second here, not for fifteen."""
    monkeypatch.setattr(kube, "Patience", partial(Patience, contact=1.0))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        config = yaml.safe_load(at().kubeconfig.read_text(encoding="utf-8"))
        config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{closed.getsockname()[1]}"
        path = tmp_path / "closed.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        result = run_task("slb_scope", path, scope="Internal")
    sentence(result, "127.0.0.1")
    assert result["error_code"] == "unreachable"


@pytest.mark.parametrize("module", MODULES)
def test_a_token_that_has_expired(at: At, tmp_path: Path, module: str) -> None:
    """Which server, and to log in again."""
    cluster = at()
    config = yaml.safe_load(cluster.kubeconfigs["reader"].read_text(encoding="utf-8"))
    config["users"][0]["user"] = {"token": "sha256~expired-long-ago"}
    path = tmp_path / "expired.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    result = run_task(module, path, **MODULES[module])
    sentence(result, "does not accept these credentials", "Log in again")
    assert result["error_code"] == "unauthorized"


def test_a_cluster_that_is_not_openshift(lab: Lab, tmp_path: Path) -> None:
    """It tells neither platform nor version and has no IngressControllers; a plain Service still works there."""
    bare = Cluster("bad-plain-kubernetes", resources=KUBERNETES)
    lab.server.add(bare)
    path = tmp_path / "bare.yaml"
    path.write_text(lab.server.kubeconfig(bare.name), encoding="utf-8")
    sentence(run_task("slb_scope", path, scope="Internal"), "does not serve ingresscontrollers.operator.openshift.io")
    sentence(run_task("lb_info", path), "no OpenShift cluster that tells its platform", "Give platform in the task")
    given = {"platform": "AWS", "version": "4.22", "preflight": "skip"}
    assert run_task("lb_info", path, **given)["targets"] == []
    spec = {"type": "LoadBalancer", "ports": [{"port": 80, "protocol": "TCP"}]}
    bare.seed("services", {"metadata": {"name": "front", "namespace": "shop"}, "spec": spec})
    service = {"service": {"namespace": "shop", "name": "front"}}
    told = {"platform": "AWS", "preflight": "skip", "wait": False}  # nobody makes load balancers there
    assert run_task("slb_scope", path, scope="External", **service, **told)["verdict"] == "in_progress"
    sentence(run_task("slb_scope", path, scope="External", **service), "Give platform in the task")


# -- options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES)
def test_wrong_options_are_all_told_at_once(module: str) -> None:
    """Types and choices, by Ansible's own validator."""
    wrong = {"preflight": "maybe", "validate_certs": "perhaps", "nonsense": 1}
    told = "; ".join(complaints(module, wrong))
    for name in wrong:
        assert name in told, told


def test_a_service_and_an_ingress_controller() -> None:
    """Only one of them can be meant."""
    options = {"scope": "Internal", "ingress_controller": "a", "service": {"namespace": "b", "name": "c"}}
    assert complaints("slb_scope", options) == ["parameters are mutually exclusive: ingress_controller|service"]
