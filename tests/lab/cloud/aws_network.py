# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Network load balancers as the cloud controller keeps them: subnets, EIPs and scheme are read at creation only."""

from __future__ import annotations

import hashlib
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.go import quote
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_TARGET_GROUP
from botocore.exceptions import BotoCoreError, ClientError

from . import rules
from .aws_errors import sdk_text
from .clients import AwsClients, tag_pairs
from .rules import CloudError, Service


class NetworkBalancers:
    def __init__(self, clients: AwsClients, vpc_id: str) -> None:
        self._elb = clients.elbv2
        self._vpc_id = vpc_id

    def find(self, name: str) -> dict[str, Any] | None:
        try:
            return dict(self._elb.describe_load_balancers(Names=[name])["LoadBalancers"][0])
        except self._elb.exceptions.LoadBalancerNotFoundException:
            return None
        except (ClientError, BotoCoreError) as error:
            raise CloudError(f"error describing load balancer: {quote(sdk_text(self._elb, error))}") from error

    def ensure(
        self,
        name: str,
        service: Service,
        mappings: list[dict[str, str]],
        internal: bool,
        tags: dict[str, str],
        nodes: list[str],
    ) -> str:
        found = self.find(name)
        if found is None:
            found = self._create(name, mappings, internal, tags)
        else:
            self._call("add_tags", ResourceArns=[found["LoadBalancerArn"]], Tags=tag_pairs(tags))
        self._sync_listeners(str(found["LoadBalancerArn"]), service, nodes)
        return str(found["DNSName"])

    def delete(self, name: str) -> None:
        found = self.find(name)
        if found is None:
            return
        arn = found["LoadBalancerArn"]
        groups = [listener["DefaultActions"][0]["TargetGroupArn"] for listener in self._listeners(arn)]
        self._call("delete_load_balancer", LoadBalancerArn=arn)
        for group in groups:
            self._call("delete_target_group", TargetGroupArn=group)

    def _create(
        self, name: str, mappings: list[dict[str, str]], internal: bool, tags: dict[str, str]
    ) -> dict[str, Any]:
        try:
            made = self._elb.create_load_balancer(
                Name=name,
                Type="network",
                Scheme="internal" if internal else "internet-facing",
                SubnetMappings=mappings,
                Tags=tag_pairs(tags),
            )
        except (ClientError, BotoCoreError) as error:
            raise CloudError(f"error creating load balancer: {quote(sdk_text(self._elb, error))}") from error
        return dict(made["LoadBalancers"][0])

    def _sync_listeners(self, arn: str, service: Service, nodes: list[str]) -> None:
        actual = {listener["Port"]: listener for listener in self._listeners(arn)}
        wanted = {port["port"]: port for port in service["spec"]["ports"]}
        for number in actual.keys() - wanted.keys():
            self._call("delete_listener", ListenerArn=actual[number]["ListenerArn"])
            self._call("delete_target_group", TargetGroupArn=actual[number]["DefaultActions"][0]["TargetGroupArn"])
        for number, port in wanted.items():
            if number in actual:
                group = actual[number]["DefaultActions"][0]["TargetGroupArn"]
            else:
                group = self._create_listener(arn, service, port)
            self._sync_targets(group, nodes)
            self._sync_attributes(group, service)

    def _create_listener(self, arn: str, service: Service, port: dict[str, Any]) -> str:
        group = self._call(
            "create_target_group",
            Name=_target_group_name(service, port["port"]),
            Protocol="TCP",
            Port=port.get("nodePort") or port["port"],
            VpcId=self._vpc_id,
            TargetType="instance",
        )["TargetGroups"][0]["TargetGroupArn"]
        self._call(
            "create_listener",
            LoadBalancerArn=arn,
            Protocol="TCP",
            Port=port["port"],
            DefaultActions=[{"Type": "forward", "TargetGroupArn": group}],
        )
        return str(group)

    def _sync_targets(self, group: str, nodes: list[str]) -> None:
        health = self._call("describe_target_health", TargetGroupArn=group)["TargetHealthDescriptions"]
        actual = {entry["Target"]["Id"] for entry in health}
        added, removed = sorted(set(nodes) - actual), sorted(actual - set(nodes))
        if added:
            self._call("register_targets", TargetGroupArn=group, Targets=[{"Id": node} for node in added])
        if removed:
            self._call("deregister_targets", TargetGroupArn=group, Targets=[{"Id": node} for node in removed])

    def _sync_attributes(self, group: str, service: Service) -> None:
        value = rules.annotations_of(service).get(AWS_TARGET_GROUP)
        if value:
            self._call(
                "modify_target_group_attributes", TargetGroupArn=group, Attributes=tag_pairs(rules.parse_tags(value))
            )

    def _listeners(self, arn: str) -> list[dict[str, Any]]:
        return list(self._call("describe_listeners", LoadBalancerArn=arn)["Listeners"])

    def _call(self, method: str, **arguments: Any) -> dict[str, Any]:
        try:
            return dict(getattr(self._elb, method)(**arguments))
        except (ClientError, BotoCoreError) as error:
            raise CloudError(sdk_text(self._elb, error)) from error


def _target_group_name(service: Service, port: int) -> str:
    meta = service["metadata"]
    digest = hashlib.sha256(f"{meta['uid']}/{port}".encode()).hexdigest()[:10]
    return f"k8s-{meta['namespace'][:8].strip('-')}-{meta['name'][:8].strip('-')}-{digest}"
