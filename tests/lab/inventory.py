# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person or a playbook needs to reach a running lab: an Ansible inventory and AWS settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from .cloud.clients import ACCESS_KEY, SECRET_KEY
from .running import Lab, LabCluster
from .state import AWS_ENV, INVENTORY


def write(lab: Lab) -> tuple[Path, Path]:
    """inventory.yml and aws.env in the lab's directory."""
    inventory = lab.directory / INVENTORY
    inventory.write_text(yaml.safe_dump(inventory_of(lab), sort_keys=False, width=200), encoding="utf-8")
    settings = lab.directory / AWS_ENV
    lines = [f"export {key}={value}\n" for key, value in aws_environment(lab).items()]
    settings.write_text("".join(lines), encoding="utf-8")
    return inventory, settings


def inventory_of(lab: Lab) -> dict[str, Any]:
    """One host per cluster, in groups by platform and by version."""
    groups: dict[str, dict[str, Any]] = {}
    for name, running in lab.clusters.items():
        version = f"openshift_{running.spec.version.replace('.', '_')}"
        for group in (running.spec.platform.lower(), version):
            groups.setdefault(group, {"hosts": {}})["hosts"][name] = {}
    everywhere: dict[str, Any] = {
        "ansible_connection": "local",
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
    }
    if lab.has_moto:
        everywhere["lb_estate_aws"] = {
            "endpoint_url": lab.moto.endpoint,
            "access_key": ACCESS_KEY,
            "secret_key": SECRET_KEY,
        }
    hosts = {name: _host(running) for name, running in lab.clusters.items()}
    return {"all": {"vars": everywhere, "hosts": hosts, "children": groups}}


def aws_environment(lab: Lab) -> dict[str, str]:
    """For boto3, the AWS command line and modules that read their settings from the environment."""
    if not lab.has_moto:
        return {}
    return {
        "AWS_ENDPOINT_URL": lab.moto.endpoint,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _host(running: LabCluster) -> dict[str, Any]:
    spec = running.spec
    found: dict[str, Any] = {
        "lb_estate_kubeconfig": str(running.kubeconfig),
        "lb_estate_api_url": running.url,
        "lb_estate_platform": spec.platform,
        "lb_estate_version": spec.release,
        "lb_estate_region": spec.region,
        "lb_estate_infrastructure_name": spec.infra_id,
        "lb_estate_ingresscontrollers": [ingress.name for ingress in spec.ingress],
    }
    if running.aws:
        network = running.aws
        found |= {
            "lb_estate_vpc_id": network.vpc_id,
            "lb_estate_subnets": {
                kind: dict(getattr(network, kind)) for kind in ("public", "private", "spare_public", "spare_private")
            },
            "lb_estate_eip_allocations": list(network.eips),
        }
    return found
