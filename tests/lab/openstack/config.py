# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration files of one lab, as data, and the environment its processes run in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .packages import Software
from .paths import CACHE, PLUGIN, SHARED, State
from .ports import LOOPBACK

REGION = "RegionOne"
#: The lab listens on loopback only and lives for minutes: one password serves its own accounts.
PASSWORD = "lab-secret"
DATABASE_USER = "lab"
#: Where MariaDB listens, seen from the lab's directory, which all its processes run in: no port to be taken.
SOCKET = "mysql/lab.sock"
#: Zones of the compute service that Octavia's zones of the same name lie in, and one that is switched off.
ZONES = ("az1", "az2", "az3")
ZONE_OFF = "azoff"
PROVIDER_WITHOUT_CIDRS = "lab_nocidr"
#: Lacks what the switch `lacking` says.
PROVIDER_CHOOSY = "lab_choosy"
PROVIDER_LIKE_OVN = "ovn"
#: A provider that accepts everything and never reports back: what it makes stays PENDING.
PROVIDER_STUCK = "noop_driver"
#: Entry points Octavia finds the stand-ins by.
ENTRY_POINTS = {
    "octavia.compute.drivers": {"lab_compute": "lab_plugin.compute:ComputeStandIn"},
    "octavia.network.drivers": {"lab_network": "lab_plugin.network:RememberingDriver"},
    "octavia.amphora.drivers": {"lab_amphora": "lab_plugin.amphora:AmphoraStandIn"},
    "octavia.api.drivers": {
        PROVIDER_WITHOUT_CIDRS: "lab_plugin.provider:ProviderWithoutCidrs",
        PROVIDER_CHOOSY: "lab_plugin.provider:Choosy",
        PROVIDER_LIKE_OVN: "lab_plugin.provider:LikeOvn",
    },
}
Sections = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class Ports:
    keystone: int
    neutron: int
    octavia: int

    def url(self, service: str) -> str:
        return f"http://{LOOPBACK}:{getattr(self, service)}"

    @property
    def auth_url(self) -> str:
        return f"{self.url('keystone')}/v3"


def environment(state: State) -> dict[str, str]:
    """Made from nothing: proxies, CA bundles and OpenStack settings of the caller must not reach the services."""
    return {
        "PATH": os.defpath,
        "HOME": str(state.run),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "NO_PROXY": "*",
        "PYTHONPATH": f"{PLUGIN}:{SHARED}:{state.etc / 'entry-points'}",
        "PYTHONWARNINGS": "ignore",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        # stevedore writes down where entry points are; not into the home of whoever runs the lab.
        "XDG_CACHE_HOME": str(CACHE / "cache"),
        "LAB_FAULTS": str(state.faults),
    }


def write_all(state: State, software: Software, ports: Ports) -> None:
    _write(state.etc / "keystone.conf", _keystone(state))
    _write(state.etc / "neutron.conf", _neutron(state, software, ports))
    _write(state.etc / "octavia.conf", _octavia(state, ports))
    _write_entry_points(state.etc / "entry-points")


def database_options(state: State, software: Software) -> Sections:
    """Durability is given up for speed: the data dies with the lab."""
    usr = software.mariadb / "usr"
    return {
        "mysqld": {
            "basedir": usr,
            "lc_messages_dir": usr / "share" / "mysql",
            "plugin_dir": usr / "lib" / "mysql" / "plugin",
            "datadir": state.data,
            # Seen from the data directory: a full path can be longer than a socket's may be.
            "socket": Path(SOCKET).name,
            "skip_networking": "",
            "pid_file": state.run / "mariadbd.pid",
            "user": "root",
            "innodb_buffer_pool_size": "32M",
            "innodb_log_file_size": "16M",
            "innodb_flush_log_at_trx_commit": 0,
            "innodb_doublewrite": 0,
            "innodb_flush_method": "nosync",
            "innodb_fast_shutdown": 1,
            "skip_log_bin": "",
            "performance_schema": "OFF",
            "max_connections": 200,
            "character_set_server": "utf8mb3",
        }
    }


def write_database_options(path: Path, sections: Sections) -> None:
    _write(path, sections)


def _write(path: Path, sections: Sections) -> None:
    lines: list[str] = []
    for section, options in sections.items():
        lines.append(f"[{section}]")
        lines += [
            f"{name} = {value}" if value != "" or section != "mysqld" else name for name, value in options.items()
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_entry_points(place: Path) -> None:
    """Metadata of a package that is not installed: Python looks for it in every directory it imports from."""
    folder = place / "lab_plugin-1.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: lab-plugin\nVersion: 1\n", encoding="utf-8")
    _write(folder / "entry_points.txt", ENTRY_POINTS)


def _connection(database: str) -> dict[str, object]:
    where = f"localhost/{database}?unix_socket={SOCKET}&charset=utf8mb3"
    return {"connection": f"mysql+pymysql://{DATABASE_USER}:{PASSWORD}@{where}"}


def _account(ports: Ports, user: str) -> dict[str, object]:
    return {
        "auth_url": ports.auth_url,
        "auth_type": "password",
        "project_name": "service",
        "project_domain_id": "default",
        "user_domain_id": "default",
        "username": user,
        "password": PASSWORD,
        "region_name": REGION,
    }


def _token_check(ports: Ports, user: str) -> dict[str, object]:
    return {"www_authenticate_uri": ports.auth_url, "interface": "public"} | _account(ports, user)


def _logging(state: State, service: str) -> dict[str, object]:
    return {"log_dir": state.log, "log_file": f"{service}.log"}


def _keystone(state: State) -> Sections:
    fernet = {"key_repository": state.keys / "fernet"}
    return {
        "DEFAULT": _logging(state, "keystone"),
        "database": _connection("keystone"),
        "token": {"provider": "fernet"},
        "fernet_tokens": fernet,
        "fernet_receipts": fernet,
        # A token takes 0.6 s without the cache, 0.03 s with it (facts: lab-openstack, Files).
        "cache": {"enabled": "true", "backend": "oslo_cache.dict"},
        "identity": {"password_hash_rounds": 4},
    }


def _neutron(state: State, software: Software, ports: Ports) -> Sections:
    return {
        "DEFAULT": _logging(state, "neutron")
        | {
            "core_plugin": "ml2",
            "service_plugins": "router",
            "auth_strategy": "keystone",
            "transport_url": "fake://",
            "state_path": state.run / "neutron",
            "notify_nova_on_port_status_changes": "false",
            "notify_nova_on_port_data_changes": "false",
            "dhcp_agent_notification": "false",
            "api_workers": 1,
            "rpc_workers": 0,
            "api_paste_config": software.venv / "etc" / "neutron" / "api-paste.ini",
        },
        "database": _connection("neutron"),
        "oslo_concurrency": {"lock_path": state.run / "neutron"},
        "keystone_authtoken": _token_check(ports, "neutron"),
        "ml2": {
            "type_drivers": "local,flat,vxlan",
            "tenant_network_types": "vxlan",
            # No agents: ports stay DOWN, everything the API decides by itself is real.
            "mechanism_drivers": "",
            "extension_drivers": "port_security",
        },
        "ml2_type_vxlan": {"vni_ranges": "1:10000"},
        "ml2_type_flat": {"flat_networks": "*"},
        "securitygroup": {"enable_security_group": "true"},
        # Octavia keeps a security group per load balancer in its own project; the default of 10 would be the most.
        "quotas": {"quota_security_group": -1, "quota_security_group_rule": -1, "quota_port": -1},
    }


def _octavia(state: State, ports: Ports) -> Sections:
    providers = {
        "amphora": "amphora",
        "octavia": "alias of amphora",
        PROVIDER_STUCK: "accepts and never reports back",
        PROVIDER_WITHOUT_CIDRS: "amphora without allowed CIDRs",
        PROVIDER_CHOOSY: "amphora without what a switch says",
        PROVIDER_LIKE_OVN: "amphora without what OVN lacks",
    }
    return {
        "DEFAULT": _logging(state, "octavia") | {"transport_url": "fake://", "host": "lab"},
        "database": _connection("octavia"),
        "api_settings": {
            "bind_host": LOOPBACK,
            "bind_port": ports.octavia,
            "auth_strategy": "keystone",
            "api_base_uri": ports.url("octavia"),
            "enabled_provider_drivers": ",".join(f"{name}:{text}" for name, text in providers.items()),
            "default_provider_driver": "amphora",
        },
        "oslo_messaging": {"topic": "octavia_prov"},
        "controller_worker": {
            "client_ca": state.keys / "ca.pem",
            "workers": 1,
            "amphora_driver": "lab_amphora",
            "compute_driver": "lab_compute",
            "network_driver": "lab_network",
            "image_driver": "image_noop_driver",
            "volume_driver": "volume_noop_driver",
            "loadbalancer_topology": "SINGLE",
            "amp_flavor_id": 1,
            "amp_boot_network_list": "00000000-0000-0000-0000-000000000001",
            "amp_active_retries": 5,
            "amp_active_wait_sec": 1,
        },
        "networking": {"port_detach_timeout": 5, "retry_interval": 1},
        "certificates": {
            "cert_manager": "noop_cert_manager",
            "cert_generator": "local_cert_generator",
            "ca_certificate": state.keys / "ca.pem",
            "ca_private_key": state.keys / "ca.key",
            "ca_private_key_passphrase": PASSWORD,
            # Octavia takes exactly 32 characters.
            "server_certs_key_passphrase": "lab-secret-of-thirty-two-letters",
        },
        "health_manager": {"heartbeat_key": PASSWORD},
        "task_flow": {"jobboard_enabled": "false"},
        "keystone_authtoken": _token_check(ports, "octavia"),
        "service_auth": _account(ports, "octavia"),
        "neutron": {"valid_interfaces": "public"} | _account(ports, "octavia"),
    }
