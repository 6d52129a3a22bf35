# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Classic load balancers as the cloud controller keeps them: subnets follow the annotation, scheme never does."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.go import quote
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_IDLE_TIMEOUT
from botocore.exceptions import BotoCoreError, ClientError

from . import rules
from .aws_errors import sdk_text
from .clients import AwsClients, tag_pairs
from .rules import CloudError, Service

DEFAULT_IDLE_SECONDS = 60
# What the cloud controller asks of a health check unless annotations say otherwise.
_HEALTH_DEFAULTS = {
    "Interval": ("healthcheck-interval", 10),
    "Timeout": ("healthcheck-timeout", 5),
    "HealthyThreshold": ("healthcheck-healthy-threshold", 2),
    "UnhealthyThreshold": ("healthcheck-unhealthy-threshold", 6),
}


class ClassicBalancers:
    def __init__(self, clients: AwsClients, vpc_id: str) -> None:
        self._elb = clients.elb
        self._ec2 = clients.ec2
        self._vpc_id = vpc_id

    def find(self, name: str) -> dict[str, Any] | None:
        try:
            found = self._elb.describe_load_balancers(LoadBalancerNames=[name])["LoadBalancerDescriptions"]
        except self._elb.exceptions.AccessPointNotFoundException:
            return None
        except (ClientError, BotoCoreError) as error:
            raise CloudError(sdk_text(self._elb, error)) from error
        return dict(found[0])

    def ensure(
        self, name: str, service: Service, subnets: list[str], internal: bool, tags: dict[str, str], nodes: list[str]
    ) -> str:
        found = self.find(name)
        if found is None:
            self._create(name, service, subnets, internal, tags)
            found = self.find(name) or {}
        else:
            self._move(name, set(found["Subnets"]), set(subnets))
            self._sync_listeners(name, found, _listeners(service))
            self._call("add_tags", LoadBalancerNames=[name], Tags=tag_pairs(tags))
        self._sync_attributes(name, service, found)
        self._sync_instances(name, found, nodes)
        return str(found["DNSName"])

    def update_instances(self, name: str, nodes: list[str]) -> None:
        found = self.find(name)
        if found is not None:
            self._sync_instances(name, found, nodes)

    def delete(self, name: str) -> None:
        self._call("delete_load_balancer", LoadBalancerName=name)
        group = self._group(name)
        if group:
            self._ec2.delete_security_group(GroupId=group)

    def _create(self, name: str, service: Service, subnets: list[str], internal: bool, tags: dict[str, str]) -> None:
        meta = service["metadata"]
        group = self._group(name)
        if group is None:
            group = self._ec2.create_security_group(
                GroupName=f"k8s-elb-{name}",
                Description=f"Security group for Kubernetes ELB {name} ({meta['namespace']}/{meta['name']})",
                VpcId=self._vpc_id,
                TagSpecifications=[{"ResourceType": "security-group", "Tags": tag_pairs(tags)}],
            )["GroupId"]
        wanted: dict[str, Any] = {
            "LoadBalancerName": name,
            "Listeners": _listeners(service),
            "Subnets": subnets,
            "SecurityGroups": [group],
            "Tags": tag_pairs(tags),
        }
        if internal:
            wanted["Scheme"] = "internal"
        self._call("create_load_balancer", **wanted)

    def _move(self, name: str, actual: set[str], wanted: set[str]) -> None:
        """Detach first, then attach: a disjoint set can never be reached (cloud-provider-aws#249)."""
        steps = (
            ("detach_load_balancer_from_subnets", actual - wanted, "error detaching AWS loadbalancer from subnets"),
            ("attach_load_balancer_to_subnets", wanted - actual, "error attaching AWS loadbalancer to subnets"),
        )
        for method, subnets, words in steps:
            if not subnets:
                continue
            try:
                getattr(self._elb, method)(LoadBalancerName=name, Subnets=sorted(subnets))
            except (ClientError, BotoCoreError) as error:
                raise CloudError(f"{words}: {quote(sdk_text(self._elb, error))}") from error

    def _sync_listeners(self, name: str, found: dict[str, Any], wanted: list[dict[str, Any]]) -> None:
        actual = {entry["Listener"]["LoadBalancerPort"]: entry["Listener"] for entry in found["ListenerDescriptions"]}
        ports = {listener["LoadBalancerPort"]: listener for listener in wanted}
        stale = [port for port in actual if _differs(actual[port], ports.get(port))]
        fresh = [listener for port, listener in ports.items() if _differs(listener, actual.get(port))]
        if stale:
            self._call("delete_load_balancer_listeners", LoadBalancerName=name, LoadBalancerPorts=stale)
        if fresh:
            self._call("create_load_balancer_listeners", LoadBalancerName=name, Listeners=fresh)

    def _sync_attributes(self, name: str, service: Service, found: dict[str, Any]) -> None:
        annotations = rules.annotations_of(service)
        check = _health_check(service)
        if check != found["HealthCheck"]:
            self._call("configure_health_check", LoadBalancerName=name, HealthCheck=check)
        attributes = self._call("describe_load_balancer_attributes", LoadBalancerName=name)
        actual = attributes["LoadBalancerAttributes"]["ConnectionSettings"]["IdleTimeout"]
        wanted = int(annotations.get(AWS_IDLE_TIMEOUT, DEFAULT_IDLE_SECONDS))
        if wanted != actual:
            change = {"ConnectionSettings": {"IdleTimeout": wanted}}
            self._call("modify_load_balancer_attributes", LoadBalancerName=name, LoadBalancerAttributes=change)

    def _sync_instances(self, name: str, found: dict[str, Any], nodes: list[str]) -> None:
        actual = {instance["InstanceId"] for instance in found["Instances"]}
        added, removed = set(nodes) - actual, actual - set(nodes)
        if added:
            self._call("register_instances_with_load_balancer", LoadBalancerName=name, Instances=_instances(added))
        if removed:
            self._call("deregister_instances_from_load_balancer", LoadBalancerName=name, Instances=_instances(removed))

    def _group(self, name: str) -> str | None:
        filters = [{"Name": "group-name", "Values": [f"k8s-elb-{name}"]}, {"Name": "vpc-id", "Values": [self._vpc_id]}]
        groups = self._ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
        return str(groups[0]["GroupId"]) if groups else None

    def _call(self, method: str, **arguments: Any) -> dict[str, Any]:
        try:
            return dict(getattr(self._elb, method)(**arguments))
        except (ClientError, BotoCoreError) as error:
            raise CloudError(sdk_text(self._elb, error)) from error


def _listeners(service: Service) -> list[dict[str, Any]]:
    return [
        {
            "Protocol": "TCP",
            "InstanceProtocol": "TCP",
            "LoadBalancerPort": port["port"],
            "InstancePort": port.get("nodePort") or port["port"],
        }
        for port in service["spec"]["ports"]
    ]


def _differs(one: dict[str, Any], other: dict[str, Any] | None) -> bool:
    return other is None or one["InstancePort"] != other["InstancePort"]


def _health_check(service: Service) -> dict[str, Any]:
    spec, annotations = service["spec"], rules.annotations_of(service)
    check: dict[str, Any] = {
        key: int(annotations.get(rules.PREFIX + suffix) or default)
        for key, (suffix, default) in _HEALTH_DEFAULTS.items()
    }
    if spec.get("externalTrafficPolicy") == "Local" and spec.get("healthCheckNodePort"):
        check["Target"] = f"HTTP:{spec['healthCheckNodePort']}/healthz"
    else:
        check["Target"] = f"TCP:{spec['ports'][0].get('nodePort') or spec['ports'][0]['port']}"
    return check


def _instances(ids: set[str]) -> list[dict[str, str]]:
    return [{"InstanceId": instance} for instance in sorted(ids)]
