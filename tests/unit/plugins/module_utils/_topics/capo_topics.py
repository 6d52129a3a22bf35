# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CAPO topic on a cluster and a cloud that are given to it."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeworks.lb_estate.plugins.module_utils import _capo_arguments
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Finding,
    Step,
    Target,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import (
    CloudAnswer,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.capo import CapoTopic
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.clouds import TableCloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._readers.management import (
    FakeCluster,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._topics.clocks import Sleeper

NAME = "k8s-clusterapi-cluster-capi-prod-az1-kubeapi"
LBS, LOOK = "/lbaas/loadbalancers", "GET /lbaas/loadbalancers/lb-1"
ACTIVE = {"loadbalancer": {"provisioning_status": "ACTIVE"}}
RENAME = Step("octavia", "update", "pool", "p", body={"name": "new"}, uid="1", locks="lb-1", lane="az1")
REFUSED = CloudAnswer(501, {"faultstring": "Provider 'f5' does not support a requested option: allowed_cidrs"})


def options(**given: Any) -> dict[str, Any]:
    base = {"cluster": "prod", "namespace": "capi", "network": {"id": "net"}}
    base["zones"] = [{"zone": "az1", "subnet": {"id": "s1"}}]
    checked = ArgumentSpecValidator(dict(_capo_arguments.spec())).validate(base | given)
    assert not checked.error_messages
    return dict(checked.validated_parameters)


def cloud(**table: Any) -> TableCloud:
    """A project with a network and no load balancer yet; keywords name answers by what they are to."""
    made = {"id": "lb-1", "vip_port_id": "port-1", "vip_address": "10.0.0.5"}
    answers = {
        f"GET {LBS}": {"loadbalancers": []},
        "GET /networks": {"networks": [{"id": "net", "name": "lb-net"}, {"id": "ext", "router:external": True}]},
        "GET /subnets": {"subnets": [{"id": "s1", "network_id": "net", "cidr": "10.0.0.0/24"}]},
        "GET /floatingips": {"floatingips": []},
        f"POST {LBS}": {"loadbalancer": made},
        LOOK: ACTIVE,
        "POST /floatingips": {"floatingip": {"id": "f", "floating_ip_address": "203.0.113.1"}},
        "PUT /lbaas/pools/1": {"pool": {}},
    }
    return TableCloud(answers | table)


def topic(kube: FakeCluster | None, at: TableCloud, asked: bool = True, **given: Any) -> CapoTopic:
    return CapoTopic(kube, at, options(**given), Sleeper().options(asked), str)  # type: ignore[arg-type]


def quiet(_text: str) -> None:
    return


def carry_out(one: CapoTopic) -> Decision:
    seen = one.read()
    decision = one.decide(seen)
    one.begin(decision, seen)
    for step in decision.steps:
        one.do(step, seen, quiet)
    return decision


def decided(*steps: Step, findings: tuple[Finding, ...] = ()) -> Decision:
    return Decision(Target("k", "n"), Verdict.UPDATE_IN_PLACE, "…", steps=steps, findings=findings)
