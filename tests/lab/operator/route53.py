# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Route 53 as the operator writes it: an alias record to the load balancer, by its canonical hosted zone."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from ..apiserver.api import Obj
from ..cloud.clients import AwsClients
from .records import ProviderError

_INTERNAL = "internal-"


class Route53:
    def __init__(self, clients: AwsClients) -> None:
        self._clients = clients

    def publish(self, zone_id: str, record: Obj) -> None:
        try:
            self._change(zone_id, "UPSERT", self._alias(record["spec"]))
        except (BotoCoreError, ClientError) as error:
            raise ProviderError(str(error)) from error

    def remove(self, zone_id: str, record: Obj) -> None:
        """By name: the load balancer behind it may be gone already, and with it the alias' zone."""
        name = _absolute(record["spec"]["dnsName"])
        try:
            listed = self._clients.route53.list_resource_record_sets(
                HostedZoneId=zone_id, StartRecordName=name, StartRecordType="A", MaxItems="1"
            )["ResourceRecordSets"]
            for entry in listed:
                if _absolute(entry["Name"]) == name and entry["Type"] == "A":
                    self._change(zone_id, "DELETE", entry)
        except (BotoCoreError, ClientError) as error:
            raise ProviderError(str(error)) from error

    def _change(self, zone_id: str, action: str, entry: dict[str, Any]) -> None:
        self._clients.route53.change_resource_record_sets(
            HostedZoneId=zone_id, ChangeBatch={"Changes": [{"Action": action, "ResourceRecordSet": entry}]}
        )

    def _alias(self, spec: Obj) -> dict[str, Any]:
        target = spec["targets"][0]
        return {
            "Name": spec["dnsName"],
            "Type": "A",
            "AliasTarget": {
                "HostedZoneId": self._canonical_zone(target),
                "DNSName": target,
                "EvaluateTargetHealth": False,
            },
        }

    def _canonical_zone(self, hostname: str) -> str:
        """Classic names end in .REGION.elb.amazonaws.com, the others in .elb.REGION.amazonaws.com."""
        name = hostname.removeprefix(_INTERNAL).partition("-")[0]
        if hostname.endswith(".elb.amazonaws.com"):
            found = self._clients.elb.describe_load_balancers(LoadBalancerNames=[name])["LoadBalancerDescriptions"]
            zone = found[0].get("CanonicalHostedZoneNameID")
        else:
            found = self._clients.elbv2.describe_load_balancers(Names=[name])["LoadBalancers"]
            zone = found[0].get("CanonicalHostedZoneId")
        if not zone:
            raise ProviderError(f"couldn't find hosted zone ID of ELB {hostname}")
        return str(zone)


def _absolute(name: str) -> str:
    """Route 53 lists the wildcard as an octal escape."""
    return name.replace("\\052", "*").rstrip(".") + "."
