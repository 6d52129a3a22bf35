# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API's load balancers of one cluster of the lab, as a test works on them."""

from __future__ import annotations

import os
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import BY_ROLE, OPT_OUT, SLBS
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.workplace import Subject, _found
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.certs import Authority
from ansible_collections.edgeworks.lb_estate.tests.lab.running import LabCluster

SLICES = "endpointslices.discovery.k8s.io"
INFRASTRUCTURES = "infrastructures.config.openshift.io"
SPACE = "openshift-kube-apiserver"
# Reserved addresses of each kind: of loopback, as they are connected to, and of no other test run on this machine.
_HERE = f"127.{os.getpid() % 200 + 20}.{os.getpid() % 251}"
PUBLIC, OTHER_PUBLIC, PRIVATE, BOOTSTRAP, REFUSING, ANSWERING = (f"{_HERE}.{last}" for last in range(1, 7))
GIVEN = {"public": [PUBLIC], "private": [PRIVATE]}
OUTAGE = {"allow_disruption": "outage"}
VOUCHED = {"vouched_paths": ["internal-lb"]}


class ApiLbs(Subject):
    """All three together."""

    def __init__(self, cluster: LabCluster) -> None:
        super().__init__(cluster, SPACE, "external-lb", {})

    @property
    def own_path(self) -> str:
        """The API server itself, which speaks TLS."""
        return self.cluster.url.partition("//")[2].partition("/")[0]

    def given(self, *, aws: bool = False, **options: Any) -> dict[str, Any]:
        return super().given(aws=aws, **{"addresses": self.addresses, **options})

    @property
    def addresses(self) -> dict[str, list[str]]:
        """That were reserved for this cluster."""
        network = self.cluster.aws
        if self.cluster.spec.platform != "AWS" or network is None:
            return dict(GIVEN)
        rows = {"private": 70, "machine_config_server": 80}
        return {key: [f"10.0.{16 + zone}.{last}" for zone in range(3)] for key, last in rows.items()}

    def object(self, role: str) -> dict[str, Any] | None:
        slb = BY_ROLE[role]
        return _found(self.cluster, "services", slb.namespace, slb.name)

    def there(self) -> list[str]:
        return [slb.role for slb in SLBS if self.object(slb.role) is not None]

    def uids(self) -> dict[str, str]:
        return {role: (self.object(role) or {})["metadata"]["uid"] for role in self.there()}

    def kept(self) -> list[str]:
        names = [(slb.namespace, f"lb-estate-saved-{slb.name}") for slb in SLBS]
        return [name for space, name in names if _found(self.cluster, "configmaps", space, name) is not None]

    def annotation(self, role: str, key: str) -> str | None:
        found = ((self.object(role) or {}).get("metadata") or {}).get("annotations") or {}
        return found.get(key)

    def endpoints(self, role: str, *addresses: str, ready: bool = True) -> None:
        """What the EndpointSlice controller writes."""
        slb = BY_ROLE[role]
        meta = {"name": f"{slb.name}-lab", "namespace": slb.namespace}
        meta["labels"] = {"kubernetes.io/service-name": slb.name}  # type: ignore[assignment]
        ends = [{"addresses": [one], "conditions": {"ready": ready}} for one in addresses]
        body = {"metadata": meta, "addressType": "IPv4", "endpoints": ends, "ports": [{"port": slb.port}]}
        if _found(self.cluster, SLICES, slb.namespace, f"{slb.name}-lab") is not None:
            self.cluster.api.delete(SLICES, slb.namespace, f"{slb.name}-lab")
        self.cluster.api.seed(SLICES, body)

    def at_rest(self) -> None:
        for slb in SLBS:
            self.endpoints(slb.role, "10.0.16.10", "10.0.17.11")

    def install_config(self, text: str | None) -> None:
        place = ("configmaps", "kube-system", "cluster-config-v1")
        if _found(self.cluster, *place) is not None:
            self.cluster.api.delete(*place)
        if text is not None:
            meta = {"namespace": "kube-system", "name": "cluster-config-v1"}
            self.cluster.api.seed("configmaps", {"metadata": meta, "data": {"install-config": text}})

    def opt_out(self, why: str | None) -> None:
        self.cluster.api.patch(INFRASTRUCTURES, None, "cluster", {"metadata": {"annotations": {OPT_OUT: why}}})

    def remove(self) -> None:
        for slb in SLBS:
            places = (("services", slb.name), ("configmaps", f"lb-estate-saved-{slb.name}"))
            for resource, name in places:
                if _found(self.cluster, resource, slb.namespace, name) is not None:
                    with suppress(Exception):
                        self.cluster.api.delete(resource, slb.namespace, name)
        self.wait_for(lambda: not self.there(), "all Services to be gone")
        self.install_config(None)
        self.opt_out(None)


@contextmanager
def mute(address: str, port: int = 6443) -> Iterator[None]:
    """Somebody is there and never says a word: what cannot be reached from here looks like this."""
    with socket.create_server((address, port)):
        yield


@contextmanager
def answering(directory: Path, address: str, port: int = 6443) -> Iterator[str]:
    """An API server as far as a handshake goes."""
    files = Authority().write(directory)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    with socket.create_server((address, port)) as door:

        def serve() -> None:
            while True:
                try:
                    client, _address = door.accept()
                except OSError:
                    return
                with suppress(OSError), client, context.wrap_socket(client, server_side=True):
                    pass

        threading.Thread(target=serve, daemon=True).start()
        yield f"{address}:{port}"
