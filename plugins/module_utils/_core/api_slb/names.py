# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The three Services, the names of reserved addresses, and the annotations of our own (S2)."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Target

API_PORT, CONFIG_PORT = 6443, 22623
_APISERVER, _CONFIG_OPERATOR = "openshift-kube-apiserver", "openshift-machine-config-operator"
STAGE = "lb-estate.edgeworks.io/handover-stage"  # on the internal Service: whose DNS records are due
OPT_OUT = "lb-estate.edgeworks.io/api-opt-out"  # on Infrastructure cluster: why this cluster is left alone


@dataclass(frozen=True)
class Slb:
    """One Service of type LoadBalancer, as the document has it."""

    role: str
    name: str
    namespace: str
    port: int
    app: str
    internal: bool

    @property
    def addresses(self) -> str:
        """The option that gives its addresses."""
        return self.role if self.role == MACHINE_CONFIG_SERVER else "private" if self.internal else "public"

    @property
    def serves_api(self) -> bool:
        return self.port == API_PORT

    def __str__(self) -> str:
        return f"Service {self.namespace}/{self.name}"


EXTERNAL, INTERNAL, MACHINE_CONFIG_SERVER = "external", "internal", "machine_config_server"
SLBS = (
    Slb(EXTERNAL, "external-lb", _APISERVER, API_PORT, "kube-apiserver", False),
    Slb(INTERNAL, "internal-lb", _APISERVER, API_PORT, "kube-apiserver", True),
    Slb(
        MACHINE_CONFIG_SERVER,
        "internal-lb-machine-config-server",
        _CONFIG_OPERATOR,
        CONFIG_PORT,
        "machine-config-server",
        True,
    ),
)


BY_ROLE = {slb.role: slb for slb in SLBS}


def target(cluster: str = "") -> Target:
    """The three together: one decision, one lock."""
    return Target("ApiLoadBalancers", "api", _APISERVER, cluster)


def reserved_name(infra_id: str, internal: bool, family: int) -> str:
    """What the installer, or a person, calls the address that it reserves."""
    return f"{infra_id}-rsvd-{'private' if internal else 'public'}-ipv{family}"
