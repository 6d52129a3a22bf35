# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubectl, as a person would use it on the lab."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab import debian

from .client import ICS, OPERATOR_NS, ROUTER_NS, Served, configmap, make_cluster, service

UNPACKED = Path(__file__).resolve().parents[4] / ".build" / "kubectl"

Kubectl = Callable[..., str]
MANIFEST = """
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec:
  type: LoadBalancer
  ports: [{name: http, port: 80}, {name: https, port: %d}]
---
apiVersion: operator.openshift.io/v1
kind: IngressController
metadata: {name: sharded, namespace: openshift-ingress-operator}
spec: {replicas: %d}
"""


class Failed(Exception):
    """kubectl's exit code was not 0; the text is what it said."""


@functools.cache
def kubectl_program() -> str:
    """The machine's own, else Debian's."""
    own = shutil.which("kubectl")
    if own is None:
        debian.unpack(UNPACKED, [("kubernetes-client",)], "kubectl", print)
    return own or str(UNPACKED / "usr" / "bin" / "kubectl")


def runner(config: Path, home: Path) -> Kubectl:
    def run(*arguments: str, stdin: str | None = None) -> str:
        # A home of its own: kubectl caches discovery by server name.
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "KUBECONFIG": str(config)}
        done = subprocess.run(
            [kubectl_program(), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=20,
            env=environment,
            check=False,
        )
        if done.returncode:
            raise Failed(done.stdout + done.stderr)
        return done.stdout

    return run


@pytest.fixture
def kubectl(served: Served, tmp_path: Path) -> Kubectl:
    config = tmp_path / "kubeconfig"
    config.write_text(served.server.kubeconfig("c1"))
    served.cluster.create("services", ROUTER_NS, service())
    served.cluster.create(ICS, OPERATOR_NS, {"metadata": {"name": "default"}, "spec": {"replicas": 2}})
    return runner(config, tmp_path)


def test_get_and_describe(kubectl: Kubectl) -> None:
    shown = kubectl("-n", ROUTER_NS, "get", "svc").splitlines()
    assert shown[0].split() == ["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"]
    assert shown[1].split()[:2] == ["router-default", "LoadBalancer"]
    assert "default" in kubectl("get", "ingresscontrollers", "-A")
    assert "Type:" in kubectl("-n", ROUTER_NS, "describe", "svc", "router-default")
    assert "Replicas:" in kubectl("-n", OPERATOR_NS, "describe", "ingresscontroller", "default")
    assert json.loads(kubectl("get", "ns", "-o", "json"))["kind"] == "List"


def test_patch_annotate_label_scale(kubectl: Kubectl, served: Served) -> None:
    ic = ("-n", OPERATOR_NS, "ingresscontroller/default")
    kubectl("patch", *ic, "--type=merge", "-p", '{"spec":{"replicas":3}}')
    kubectl("patch", *ic, "--type=json", "-p", '[{"op":"add","path":"/spec/domain","value":"a.example.com"}]')
    if "--subresource" in kubectl("patch", "--help"):  # from 1.24 on
        kubectl("patch", *ic, "--subresource=status", "--type=merge", "-p", '{"status":{"x":1}}')
        assert served.cluster.get(ICS, OPERATOR_NS, "default")["status"] == {"x": 1}
    kubectl("annotate", *ic, "a=b")
    kubectl("scale", "--replicas=4", *ic)
    obj = served.cluster.get(ICS, OPERATOR_NS, "default")
    assert obj["spec"] == {"replicas": 4, "domain": "a.example.com"}
    assert obj["metadata"]["annotations"] == {"a": "b"}
    kubectl("-n", ROUTER_NS, "annotate", "svc/router-default", "a=b")
    kubectl("-n", ROUTER_NS, "label", "svc/router-default", "a=b")
    kubectl("-n", ROUTER_NS, "patch", "svc/router-default", "-p", '{"spec":{"ports":[{"port":80,"nodePort":30080}]}}')
    svc = served.cluster.get("services", ROUTER_NS, "router-default")
    assert (svc["metadata"]["labels"], svc["metadata"]["annotations"]) == ({"a": "b"}, {"a": "b"})
    assert [port["port"] for port in svc["spec"]["ports"]] == [80, 443]
    assert svc["spec"]["ports"][0]["nodePort"] == 30080
    with pytest.raises(Failed, match="may not change once set"):
        kubectl("-n", ROUTER_NS, "patch", "svc/router-default", "-p", '{"spec":{"loadBalancerClass":"a"}}')


def test_create_apply_delete(kubectl: Kubectl, served: Served) -> None:
    kubectl("create", "-f", "-", stdin=MANIFEST % (443, 1))
    with pytest.raises(Failed, match='services "web" already exists'):
        kubectl("create", "-f", "-", stdin=MANIFEST % (443, 1))
    kubectl("apply", "-f", "-", stdin=MANIFEST % (443, 1))
    said = kubectl("apply", "-f", "-", stdin=MANIFEST % (8443, 2))
    assert said.count("configured") == 2
    ports = served.cluster.get("services", "default", "web")["spec"]["ports"]
    assert [port["port"] for port in ports] == [80, 8443]
    assert served.cluster.get(ICS, OPERATOR_NS, "sharded")["spec"] == {"replicas": 2}
    said = kubectl("apply", "-f", "-", stdin=MANIFEST % (8443, 2))
    assert said.count("unchanged") == 2
    kubectl("delete", "-f", "-", stdin=MANIFEST % (8443, 2))
    assert served.cluster.list("services", "default")["items"] == []


def test_wait(kubectl: Kubectl, served: Served) -> None:
    conditions = {"status": {"conditions": [{"type": "Available", "status": "True"}]}}
    served.cluster.patch(ICS, OPERATOR_NS, "default", conditions, subresource="status")
    kubectl("-n", OPERATOR_NS, "wait", "--for=condition=Available", "ingresscontroller/default", "--timeout=5s")
    with pytest.raises(Failed, match="timed out"):
        kubectl("-n", OPERATOR_NS, "wait", "--for=condition=Degraded", "ingresscontroller/default", "--timeout=1s")
    kubectl("-n", ROUTER_NS, "delete", "svc/router-default", "--cascade=foreground", "--timeout=5s")
    assert served.cluster.list("services", ROUTER_NS)["items"] == []


def test_delete_waits_for_finalizers(kubectl: Kubectl, served: Served) -> None:
    held = {"metadata": {"finalizers": ["a/b"]}}
    served.cluster.patch("services", ROUTER_NS, "router-default", held)
    with pytest.raises(Failed, match="timed out"):
        kubectl("-n", ROUTER_NS, "delete", "svc/router-default", "--timeout=1s")
    assert "deletionTimestamp" in served.cluster.get("services", ROUTER_NS, "router-default")["metadata"]


def test_objects_sent_as_protobuf(kubectl: Kubectl, served: Served) -> None:
    kubectl("create", "namespace", "extra")
    kubectl("-n", "extra", "create", "configmap", "c", "--from-literal=a=b")
    kubectl("create", "clusterrole", "reader", "--verb=get,list", "--resource=services,services/status")
    kubectl("create", "clusterrolebinding", "reader", "--clusterrole=reader", "--user=viewer")
    kubectl("-n", "extra", "create", "service", "loadbalancer", "lb", "--tcp=80:8080")
    assert served.cluster.get("configmaps", "extra", "c")["data"] == {"a": "b"}
    role = served.cluster.get("clusterroles.rbac.authorization.k8s.io", None, "reader")
    assert role["rules"][0]["verbs"] == ["get", "list"]
    port = served.cluster.get("services", "extra", "lb")["spec"]["ports"][0]
    assert (port["port"], port["targetPort"]) == (80, 8080)
    kubectl("delete", "namespace", "extra", "--timeout=5s")
    with pytest.raises(Failed, match='namespaces "extra" not found'):
        kubectl("get", "namespace", "extra")


def test_who_may(kubectl: Kubectl, served: Served, tmp_path: Path) -> None:
    assert kubectl("auth", "can-i", "delete", "services").strip() == "yes"
    config = tmp_path / "viewer"
    config.write_text(served.server.kubeconfig("c1", token=served.cluster.tokens.add("viewer"), user="viewer"))
    viewer = runner(config, tmp_path)
    with pytest.raises(Failed, match="no"):
        viewer("auth", "can-i", "delete", "services")
    with pytest.raises(Failed, match='User "viewer" cannot list resource "services"'):
        viewer("-n", ROUTER_NS, "get", "svc")
    config.write_text(served.server.kubeconfig("c1", token="wrong"))
    with pytest.raises(Failed, match=r"Unauthorized|logged in"):
        viewer("get", "ns")


def test_a_cluster_on_its_own_port(served: Served, tmp_path: Path) -> None:
    served.server.add(make_cluster("c2"), own_port=True)
    config = tmp_path / "kubeconfig"
    config.write_text(served.server.kubeconfig("c2"))
    kubectl = runner(config, tmp_path)
    assert kubectl("get", "--raw", "/readyz") == "ok"
    assert "v1.34.2" in kubectl("version")


def test_watch(served: Served, tmp_path: Path, kubectl: Kubectl) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "KUBECONFIG": str(tmp_path / "kubeconfig")}
    command = [kubectl_program(), "get", "configmaps", "-n", "default", "-w", "--request-timeout=3s", "-o", "name"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            deadline = time.monotonic() + 10
            while served.cluster.requests.count(verb="watch", resource="configmaps") == 0:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            served.cluster.create("configmaps", "default", configmap("seen"))
            assert process.stdout is not None
            assert process.stdout.readline().strip() == "configmap/seen"
        finally:
            process.kill()
