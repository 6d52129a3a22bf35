# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every lab holds from the start: accounts, catalog, the outside network, Octavia's zones and a flavor."""

from __future__ import annotations

import json

from .api import Client
from .config import PASSWORD, REGION, ZONE_OFF, ZONES, Ports

#: Service -> its type in the catalog.
CATALOG = {"neutron": "network", "octavia": "load-balancer"}
#: Roles an ordinary user of load balancers has.
USER_ROLES = ("member", "load-balancer_member")
EXTERNAL_NETWORK = "public"
#: From the range for benchmarks (RFC 2544), never routed; wide, as every test may take addresses.
EXTERNAL_CIDR = "198.18.0.0/20"
FLAVOR = "lab-small"


def admin_client(ports: Ports) -> Client:
    return Client(ports, "admin", PASSWORD, project_name="admin")


def accounts_and_catalog(client: Client, ports: Ports) -> None:
    """Before Neutron and Octavia can serve anybody: they check tokens with accounts of their own."""
    domain = {"domain_id": "default"}
    project = client.post("keystone", "/projects", {"project": {"name": "service"} | domain})["project"]["id"]
    roles = {role["name"]: role["id"] for role in client.get("keystone", "/roles")["roles"]}
    for name in (*USER_ROLES, "load-balancer_observer", "load-balancer_admin"):
        if name not in roles:
            roles[name] = client.post("keystone", "/roles", {"role": {"name": name}})["role"]["id"]
    for service, kind in CATALOG.items():
        user = {"name": service, "password": PASSWORD, "default_project_id": project} | domain
        user_id = client.post("keystone", "/users", {"user": user})["user"]["id"]
        client.put("keystone", f"/projects/{project}/users/{user_id}/roles/{roles['admin']}")
        service_id = client.post("keystone", "/services", {"service": {"name": service, "type": kind}})["service"]["id"]
        for interface in ("public", "internal"):
            endpoint = {
                "interface": interface,
                "url": ports.url(service),
                "region_id": REGION,
                "service_id": service_id,
            }
            client.post("keystone", "/endpoints", {"endpoint": endpoint})


def networks_and_zones(client: Client) -> None:
    network = {"name": EXTERNAL_NETWORK, "router:external": True, "port_security_enabled": False}
    network_id = client.post("neutron", "/networks", {"network": network})["network"]["id"]
    subnet = {
        "network_id": network_id,
        "ip_version": 4,
        "cidr": EXTERNAL_CIDR,
        "enable_dhcp": False,
        "name": EXTERNAL_NETWORK,
    }
    client.post("neutron", "/subnets", {"subnet": subnet})
    for zone in (*ZONES, ZONE_OFF):
        _zone(client, zone, enabled=zone != ZONE_OFF)
    profile = {
        "name": FLAVOR,
        "provider_name": "amphora",
        "flavor_data": json.dumps({"loadbalancer_topology": "SINGLE"}),
    }
    profile_id = client.post("octavia", "/flavorprofiles", {"flavorprofile": profile})["flavorprofile"]["id"]
    client.post("octavia", "/flavors", {"flavor": {"name": FLAVOR, "flavor_profile_id": profile_id, "enabled": True}})


def _zone(client: Client, name: str, *, enabled: bool) -> None:
    data = json.dumps({"compute_zone": name})
    profile = {"name": name, "provider_name": "amphora", "availability_zone_data": data}
    answer = client.post("octavia", "/availabilityzoneprofiles", {"availability_zone_profile": profile})
    profile_id = answer["availability_zone_profile"]["id"]
    zone = {"name": name, "availability_zone_profile_id": profile_id, "enabled": enabled}
    client.post("octavia", "/availabilityzones", {"availability_zone": zone})


def endpoint_statements(ports: Ports) -> list[tuple[str, tuple[object, ...]]]:
    """A template was made with other ports: the catalog is set right before anybody reads it."""
    urls = {"identity": ports.auth_url} | {kind: ports.url(service) for service, kind in CATALOG.items()}
    change = (
        "UPDATE keystone.endpoint e JOIN keystone.service s ON e.service_id = s.id SET e.url = %s WHERE s.type = %s"
    )
    return [(change, (url, kind)) for kind, url in urls.items()]
