# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Projects and networks for tests: each test works in a project of its own, so nothing has to be reset between them."""

from __future__ import annotations

import fcntl
import json
import secrets
from dataclasses import dataclass
from typing import Any

from .api import Client
from .bootstrap import EXTERNAL_NETWORK, USER_ROLES, admin_client
from .config import PASSWORD, REGION, ZONES, Ports
from .errors import LabError
from .paths import State

ADMIN_CLOUD = "lab-admin"
#: Octavia's collections -> our names in an inventory.
KINDS = {
    "loadbalancers": "load_balancers",
    "listeners": "listeners",
    "pools": "pools",
    "healthmonitors": "health_monitors",
}


@dataclass(frozen=True)
class Project:
    """A Keystone project with one ordinary user; `cloud` is its entry in clouds.yaml."""

    name: str
    id: str
    user_id: str
    username: str
    password: str

    @property
    def cloud(self) -> str:
        return self.name


@dataclass(frozen=True)
class Subnet:
    id: str
    cidr: str

    def address(self, host: int) -> str:
        """An address in it: `address(11)` of 10.0.1.0/24 is 10.0.1.11."""
        return f"{self.cidr.rpartition('.')[0]}.{host}"


@dataclass(frozen=True)
class Network:
    """One network with a subnet per zone, all on a router with a way out."""

    id: str
    name: str
    subnets: dict[str, Subnet]
    router_id: str
    external_network_id: str


class Tenants:
    def __init__(self, state: State, ports: Ports) -> None:
        self._state = state
        self._ports = ports
        self._admin = admin_client(ports)
        self._roles: dict[str, str] = {}

    def project(self, name: str) -> Project:
        """A new one every time: a lab that is used again may hold one of that name already."""
        full = f"{name}-{secrets.token_hex(3)}"
        body = {"project": {"name": full, "domain_id": "default"}}
        project_id = self._admin.post("keystone", "/projects", body)["project"]["id"]
        user = {
            "name": full,
            "password": secrets.token_urlsafe(12),
            "domain_id": "default",
            "default_project_id": project_id,
        }
        user_id = self._admin.post("keystone", "/users", {"user": user})["user"]["id"]
        for role in USER_ROLES:
            self._admin.put("keystone", f"/projects/{project_id}/users/{user_id}/roles/{self._role(role)}")
        project = Project(full, project_id, user_id, full, str(user["password"]))
        self.write_cloud(project.cloud, project.username, project.password, project.name)
        return project

    def administrated(self, project: Project) -> str:
        """An entry of clouds.yaml for the administrator in this project: policy shows him those of all projects."""
        admin = self._admin.get("keystone", "/users?name=admin")["users"][0]["id"]
        self._admin.put("keystone", f"/projects/{project.id}/users/{admin}/roles/{self._role('admin')}")
        self.write_cloud(f"{project.cloud}-admin", "admin", PASSWORD, project.name)
        return f"{project.cloud}-admin"

    def network(self, project: Project, azs: int = 3) -> Network:
        if not 1 <= azs <= len(ZONES):
            raise LabError(f"The lab has {len(ZONES)} zones; a network for {azs} cannot be made.")
        client = self.client(project)
        external = client.find("neutron", "/networks", EXTERNAL_NETWORK)["id"]
        network = client.post("neutron", "/networks", {"network": {"name": "cluster"}})["network"]["id"]
        gateway = {"external_gateway_info": {"network_id": external}, "name": "cluster"}
        router = client.post("neutron", "/routers", {"router": gateway})["router"]["id"]
        subnets: dict[str, Subnet] = {}
        for number, zone in enumerate(ZONES[:azs], start=1):
            wanted = {"network_id": network, "ip_version": 4, "cidr": f"10.0.{number}.0/24", "name": f"cluster-{zone}"}
            made = client.post("neutron", "/subnets", {"subnet": wanted})["subnet"]
            client.put("neutron", f"/routers/{router}/add_router_interface", {"subnet_id": made["id"]})
            subnets[zone] = Subnet(made["id"], made["cidr"])
        return Network(network, "cluster", subnets, router, external)

    def client(self, project: Project) -> Client:
        return Client(self._ports, project.username, project.password, project_id=project.id)

    def inventory(self, project: Project) -> dict[str, list[str]]:
        """Ids of Octavia's resources in the project, its floating IPs, and the ports on its networks but the routers'.

        Ports are looked for by network: those of amphorae belong to Octavia's own project.
        """
        found: dict[str, list[str]] = {}
        for plural, name in KINDS.items():
            found[name] = _ids(self._admin.get("octavia", f"/{plural}", project_id=project.id)[plural])
        pools = self._admin.get("octavia", "/pools", project_id=project.id)["pools"]
        found["members"] = [member["id"] for pool in pools for member in pool["members"]]
        found["floating_ips"] = _ids(self._admin.get("neutron", "/floatingips", project_id=project.id)["floatingips"])
        found["ports"] = []
        for network in _ids(self._admin.get("neutron", "/networks", project_id=project.id)["networks"]):
            ports = self._admin.get("neutron", "/ports", network_id=network)["ports"]
            found["ports"] += _ids([port for port in ports if not port["device_owner"].startswith("network:router")])
        return found

    def write_cloud(self, cloud: str, username: str, password: str, project: str) -> None:
        """One more entry in clouds.yaml (JSON is YAML, so no library is needed)."""
        auth = {"auth_url": self._ports.auth_url, "username": username, "password": password, "project_name": project}
        entry = {
            "auth": auth | {"user_domain_id": "default", "project_domain_id": "default"},
            "region_name": REGION,
            "interface": "public",
            "identity_api_version": 3,
        }
        with (self._state.run / "clouds.lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            path = self._state.clouds_yaml
            content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"clouds": {}}
            content["clouds"][cloud] = entry
            draft = path.with_suffix(".new")
            draft.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
            draft.chmod(0o600)
            draft.replace(path)

    def write_admin_cloud(self) -> None:
        self.write_cloud(ADMIN_CLOUD, "admin", PASSWORD, "admin")

    def _role(self, name: str) -> str:
        if not self._roles:
            self._roles = {role["name"]: role["id"] for role in self._admin.get("keystone", "/roles")["roles"]}
        return self._roles[name]


def _ids(resources: list[dict[str, Any]]) -> list[str]:
    return sorted(resource["id"] for resource in resources)
