# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for Nova: no virtual machine is started, but its ports are made, moved and removed in the real Neutron.

Octavia's network driver reads the attached interface's addresses back, and its own no-op compute driver returns none
(facts: lab-openstack, "Which arrangements work"), so that one cannot be used.
"""

from __future__ import annotations

import uuid
from types import SimpleNamespace
from typing import Any

from octavia.common import clients, constants, data_models, exceptions
from octavia.compute import compute_base

from lab_plugin import switches

#: Nova marks the ports it makes with this owner, and removes them with the server.
OWNER = "compute:nova"
#: No management network exists; Octavia only needs an address to write down (documentation range).
MANAGEMENT_ADDRESS = "192.0.2.1"
#: Zone of each server, for faults of one zone. Octavia makes a driver per task, so it is kept here; a restarted worker
#: has forgotten it, and then only the general faults apply.
_zones: dict[str, str | None] = {}


def _neutron() -> Any:
    return clients.NeutronAuth.get_neutron_client().network


class ComputeStandIn(compute_base.ComputeBase):
    """Servers that exist by name only."""

    def build(self, name: str = "amphora_name", availability_zone: dict[str, str] | None = None, **_: Any) -> str:
        zone = (availability_zone or {}).get(constants.COMPUTE_ZONE)
        switches.wait("build", zone)
        if switches.fails("build", zone):
            raise exceptions.ComputeBuildException(fault=f"the lab was told to fail the build of {name}")
        compute_id = str(uuid.uuid4())
        _zones[compute_id] = zone
        return compute_id

    def delete(self, compute_id: str) -> None:
        zone = _zones.get(compute_id)
        switches.wait("delete", zone)
        if switches.fails("delete", zone):
            raise exceptions.ComputeDeleteException(compute_msg="the lab was told to fail the delete")
        neutron = _neutron()
        for port in neutron.ports(device_id=compute_id):
            if port.device_owner == OWNER:
                neutron.delete_port(port.id)
            else:
                neutron.update_port(port.id, device_id="")
        _zones.pop(compute_id, None)

    def status(self, compute_id: str) -> str:
        return constants.UP

    def get_amphora(
        self, compute_id: str, management_network_id: str | None = None
    ) -> tuple[data_models.Amphora, None]:
        server = data_models.Amphora(compute_id=compute_id, status=constants.ACTIVE, lb_network_ip=MANAGEMENT_ADDRESS)
        return server, None

    def create_server_group(self, name: str, policy: str) -> SimpleNamespace:
        return SimpleNamespace(id=str(uuid.uuid4()))

    def delete_server_group(self, server_group_id: str) -> None:
        """Nothing was made."""

    def attach_network_or_port(
        self, compute_id: str, network_id: str | None = None, ip_address: str | None = None, port_id: str | None = None
    ) -> SimpleNamespace:
        neutron = _neutron()
        if port_id:
            port = neutron.update_port(port_id, device_id=compute_id)
        else:
            wanted: dict[str, Any] = {"network_id": network_id, "device_id": compute_id, "device_owner": OWNER}
            if ip_address:
                wanted["fixed_ips"] = [{"ip_address": ip_address}]
            port = neutron.create_port(**wanted)
        # The shape of Nova's own answer, which the network driver turns into Octavia's.
        return SimpleNamespace(
            net_id=port.network_id,
            port_id=port.id,
            fixed_ips=[dict(address) for address in port.fixed_ips],
            vnic_type=constants.VNIC_TYPE_NORMAL,
        )

    def detach_port(self, compute_id: str, port_id: str) -> None:
        neutron = _neutron()
        if neutron.find_port(port_id, ignore_missing=True):
            neutron.update_port(port_id, device_id="")

    def validate_flavor(self, flavor_id: str) -> None:
        """Any flavor will do: no server is started from it."""

    def validate_availability_zone(self, availability_zone: str) -> None:
        """Any compute zone will do (facts: "Cannot verify")."""
