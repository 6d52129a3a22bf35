# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An AWS account in memory: what `Session.pages` would give, with AWS's filters and its refusal of unknown names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Invalid

# Argument that names what is asked for → key of an entry that says it.
_BY_NAME = {"LoadBalancerNames": "LoadBalancerName", "Names": "LoadBalancerName", "ResourceArns": "ResourceArn"}
_FILTERS = {"vpc-id": "VpcId", "subnet-id": "SubnetId", "allocation-id": "AllocationId"}


@dataclass
class Account:
    """`tables`: entries by service and key of the answer. `calls`: operation and query of every call."""

    tables: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    region: str = "us-east-1"
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def pages(self, service: str, operation: str, key: str, **query: Any) -> Iterator[dict[str, Any]]:
        self.calls.append((f"{service}:{operation}", query))
        entries = self.tables.get((service, key), [])
        for argument, name in _BY_NAME.items():
            if argument in query:
                by_name = {entry[name]: entry for entry in entries}
                unknown = [one for one in query[argument] if one not in by_name]
                if unknown and operation == "describe_load_balancers":
                    raise Invalid(f"There is no {unknown[0]}.", aws_code="LoadBalancerNotFound")
                entries = [by_name[one] for one in query[argument] if one in by_name]
        wanted = [(one["Name"], one["Values"]) for one in query.get("Filters", ())]
        yield from (entry for entry in entries if all(_passes(entry, *one) for one in wanted))

    def count(self, operation: str) -> int:
        return sum(call == operation for call, _query in self.calls)


def _passes(entry: dict[str, Any], name: str, values: list[str]) -> bool:
    if name == "tag-key":
        inside = [entry, *entry.get("Instances", ())]
        return any(tag["Key"] in values for one in inside for tag in one.get("Tags", ()))
    if name == "tag:Name":
        names = [tag["Value"] for tag in entry.get("Tags", ()) if tag["Key"] == "Name"]
        return any(fnmatchcase(one, value) for one in names for value in values)
    return entry[_FILTERS[name]] in values


def tags(**values: str) -> list[dict[str, str]]:
    """As AWS writes them; two underscores stand for a slash."""
    return [{"Key": key.replace("__", "/"), "Value": value} for key, value in values.items()]


def classic(name: str, **more: Any) -> dict[str, Any]:
    return {"LoadBalancerName": name, "DNSName": f"{name}-1.us-east-1.elb.amazonaws.com", "VPCId": "vpc-1", **more}


def network(name: str, **more: Any) -> dict[str, Any]:
    arn = {"LoadBalancerArn": f"arn:{name}", "ResourceArn": f"arn:{name}"}
    hostname = f"{name}-0a.elb.us-east-1.amazonaws.com"
    return {"LoadBalancerName": name, "Type": "network", "DNSName": hostname, "VpcId": "vpc-1", **arn, **more}
