# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A person with kubectl's rights at one cluster of the lab: everything over HTTPS, plain data back."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any

from ansible_collections.edgeworks.lb_estate.tests.lab.running import WAIT_SECONDS, LabCluster
from kubernetes import client, config

OPERATOR, OPERAND = "openshift-ingress-operator", "openshift-ingress"
IC = ("operator.openshift.io", "v1", OPERATOR, "ingresscontrollers")
DNSRECORD = ("ingress.operator.openshift.io", "v1", OPERATOR, "dnsrecords")
PARAMS = {"NLB": "networkLoadBalancer", "Classic": "classicLoadBalancer"}
REQUEST_ID = re.compile(r"RequestID: [0-9a-f-]{36}")
_POLL_SECONDS = 0.05  # each look is a request over TLS
Seen = dict[str, Any]


def strategy(kind: str, scope: str = "External", **params: Any) -> Seen:
    """spec.endpointPublishingStrategy with the parameters of one AWS type."""
    aws = {"type": kind, PARAMS[kind]: params}
    lb = {"scope": scope, "providerParameters": {"type": "AWS", "aws": aws}}
    return {"endpointPublishingStrategy": {"type": "LoadBalancerService", "loadBalancer": lb}}


class Person:
    """At one cluster, with one IngressController of their own."""

    def __init__(self, cluster: LabCluster, name: str) -> None:
        self.cluster, self.name, self.service_name = cluster, name, f"router-{name}"
        settings = client.Configuration()
        config.load_kube_config(str(cluster.kubeconfig), client_configuration=settings)
        self._client = client.ApiClient(settings)
        self._core, self._custom = client.CoreV1Api(self._client), client.CustomObjectsApi(self._client)

    def close(self) -> None:
        self._client.close()

    # -- the IngressController ----------------------------------------------------------------------------------

    def create(self, spec: Seen, **metadata: Any) -> None:
        domain = f"{self.name}.{self.cluster.spec.base_domain}"
        body = {"apiVersion": "operator.openshift.io/v1", "kind": "IngressController"}
        body |= {"metadata": {"name": self.name, **metadata}, "spec": {"domain": domain, "replicas": 1, **spec}}
        self._custom.create_namespaced_custom_object(*IC, body)

    def patch(self, patch: Seen) -> None:
        self._custom.patch_namespaced_custom_object(*IC, self.name, patch)

    def delete(self) -> None:
        self._custom.delete_namespaced_custom_object(*IC, self.name)

    def ic(self) -> Seen | None:
        return self._unless_gone(lambda: self._custom.get_namespaced_custom_object(*IC, self.name))

    def record(self) -> Seen | None:
        return self._unless_gone(lambda: self._custom.get_namespaced_custom_object(*DNSRECORD, f"{self.name}-wildcard"))

    def said(self, kind: str) -> tuple[str, str, str]:
        """Status, reason and message of one condition, empty while there is none."""
        return _said((self.ic() or {}).get("status") or {}, kind)

    def cluster_operator(self, kind: str) -> tuple[str, str, str]:
        found = self._custom.get_cluster_custom_object("config.openshift.io", "v1", "clusteroperators", "ingress")
        return _said(found["status"], kind)

    def strategy_in_status(self) -> Seen:
        found: Seen = (self.ic() or {})["status"]["endpointPublishingStrategy"]["loadBalancer"]
        return found

    # -- its Service --------------------------------------------------------------------------------------------

    def service(self, name: str = "") -> Seen | None:
        def read() -> Seen:
            answer = self._core.read_namespaced_service(name or self.service_name, OPERAND, _preload_content=False)
            found: Seen = json.loads(answer.data)
            return found

        return self._unless_gone(read)

    def delete_service(self, name: str = "") -> None:
        self._core.delete_namespaced_service(name or self.service_name, OPERAND)

    def annotations(self) -> dict[str, str]:
        return dict((self.service() or {"metadata": {}})["metadata"].get("annotations") or {})

    def address(self, name: str = "") -> str:
        entries = ((self.service(name) or {}).get("status") or {}).get("loadBalancer", {}).get("ingress") or [{}]
        return str(entries[0].get("hostname") or entries[0].get("ip") or "")

    def events(self, service: str = "") -> list[Any]:
        """Of every Service that had this name, oldest first."""
        about = f"involvedObject.name={service or self.service_name}"
        found = self._core.list_namespaced_event(OPERAND, field_selector=about).items
        return sorted(found, key=lambda event: int(event.metadata.resource_version))

    def failures(self) -> list[Any]:
        return [event for event in self.events() if event.reason == "SyncLoadBalancerFailed"]

    # -- other Services -----------------------------------------------------------------------------------------

    def create_service(self, name: str, **spec: Any) -> None:
        ports = [{"name": "http", "port": 80}]
        body = {"metadata": {"name": name}, "spec": {"type": "LoadBalancer", "ports": ports, **spec}}
        self._core.create_namespaced_service(OPERAND, body)

    # -- waiting ------------------------------------------------------------------------------------------------

    def waits(self, predicate: Callable[[], Any], what: str) -> Any:
        """What the predicate gives once that is something true."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not (answer := predicate()):
            assert time.monotonic() < deadline, f"{self.name}: waited {WAIT_SECONDS:.0f} s for {what}"
            time.sleep(_POLL_SECONDS)
        return answer

    def waits_for(self, kind: str, status: str, reason: str = "") -> str:
        """The condition's message once it says so and the newest spec was seen."""

        def there() -> tuple[str, ...]:
            ic = self.ic() or {"metadata": {}}
            seen = (ic.get("status") or {}).get("observedGeneration") == ic["metadata"].get("generation")
            found = _said(ic.get("status") or {}, kind)
            return found if seen and found[0] == status and reason in ("", found[1]) else ()

        return str(self.waits(there, f"{kind}={status} {reason}")[2])

    def waits_for_new_address(self, old: str = "") -> str:
        return str(self.waits(lambda: self.address() not in ("", old) and self.address(), "an address"))

    @staticmethod
    def _unless_gone(read: Callable[[], Any]) -> Seen | None:
        try:
            found: Seen = read()
        except client.ApiException as error:
            if error.status != 404:
                raise
            return None
        return found


def _said(status: Seen, kind: str) -> tuple[str, str, str]:
    for entry in status.get("conditions") or ():
        if entry["type"] == kind:
            return entry["status"], entry.get("reason", ""), entry.get("message", "")
    return "", "", ""


def without_id(text: str) -> str:
    return REQUEST_ID.sub("RequestID: <id>", text)
