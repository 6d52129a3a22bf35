# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lb_info: a read-only look at everything that bears a load balancer in one cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core import radar
from .._core.data import dig
from .._core.ingress.effectuate import IC_RESOURCE
from .._core.ingress.state import Observed
from .._core.model import Decision, as_data
from .._core.operator import names
from .._core.waits import addresses
from .._ports.errors import NoSuchApi
from .._ports.kube import Kube
from . import aws_look
from .cluster import read_cluster


def look(params: Mapping[str, Any]) -> dict[str, Any]:
    with Kube.connect(params) as kube:
        services = [item for item in kube.list("services") if dig(item, "spec", "type") == "LoadBalancer"]
        facts = read_cluster(kube, params)
        try:
            controllers = kube.list(IC_RESOURCE, names.OPERATOR_NAMESPACE)
        except NoSuchApi:
            controllers = []
        plain = radar.plain_services(services, [ic["metadata"]["name"] for ic in controllers])
        silent = [item for item in plain if dig(item, "spec", "loadBalancerClass") and not addresses(item)]
        events = kube.list("events", field_selector="involvedObject.kind=Service") if silent else []
    by_name = {(item["metadata"]["namespace"], item["metadata"]["name"]): item for item in services}
    targets = []
    for ic in controllers:
        name = ic["metadata"]["name"]
        service = by_name.get((names.OPERAND_NAMESPACE, names.service_name(name)))
        observed = Observed(facts.profile, facts.infra, name, ic, service)
        targets.append(_shown(radar.ingress_controller(observed), addresses(service) if service else []))
    targets += [_shown(radar.service(facts.infra.platform, item, events), addresses(item)) for item in plain]
    leaked, findings = aws_look.leaks(params, facts.site, services)
    return {
        "changed": False,
        "targets": targets,
        "leaked": leaked,
        "findings": [as_data(finding) for finding in findings],
        "platform": facts.infra.platform,
        "version": facts.profile.version,
        "profile": facts.profile.name,
    }


def _shown(decision: Decision, served: list[str]) -> dict[str, Any]:
    data = as_data(decision)
    kept = {key: data[key] for key in ("pending", "findings", "revert_patch", "commands")}
    return {**radar.row(decision), **kept, "addresses": served}
