# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How each cloud is told of an API load balancer, as data: annotations, and where reserved addresses go (API-1, API-2).

The external and internal objects of Azure, GCP and AWS are the document's. What it leaves open is said beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .. import platforms
from ..operator.names import AWS_EIPS, AWS_NLB_VALUE, AWS_SUBNETS, AWS_TYPE
from ..platforms import AWS, AWS_INTERNAL, AZURE, GCP
from .names import Slb

AWS_PRIVATE = "service.beta.kubernetes.io/aws-load-balancer-private-ipv4-addresses"
# Of dual-stack Services, which the document leaves open; cloud-provider-azure reads them beside loadBalancerIP.
AZURE_IPV6 = "service.beta.kubernetes.io/azure-load-balancer-ipv6"
SHARED_PURPOSE = "SHARED_LOADBALANCER_VIP"
# From this OpenShift on the AWS cloud controller reads AWS_PRIVATE.
PRIVATE_SINCE = (4, 21)


@dataclass(frozen=True)
class Cloud:
    name: str
    always: Mapping[str, str] = field(default_factory=dict)
    public_key: str = ""  # annotation that lists the addresses; '' = spec.loadBalancerIP
    private_key: str = ""
    ipv6_key: str = ""  # annotation of the second address; '' = only IPv4 is served
    at_creation: tuple[str, ...] = ()  # read only when the load balancer is made
    one_private_address: bool = True  # the two internal Services share it
    purpose: str = ""  # what the shared address has to be reserved for
    look_up: str = ""  # how a person finds a reserved address by its name

    def annotations(self, slb: Slb) -> dict[str, str]:
        """Those that make it what it is, without addresses."""
        scope = platforms.platform(self.name).scope_annotations(platforms.INTERNAL) if slb.internal else {}
        return {**self.always, **scope}

    def address_key(self, slb: Slb) -> str:
        return self.private_key if slb.internal else self.public_key

    @property
    def owned(self) -> tuple[str, ...]:
        """Annotations that are ours to take away, too, where they say otherwise."""
        return tuple(key for key in platforms.platform(self.name).cleared() if key)


_KNOWN = (
    Cloud(
        AWS,
        always={AWS_TYPE: AWS_NLB_VALUE},
        public_key=AWS_EIPS,
        private_key=AWS_PRIVATE,
        at_creation=(AWS_TYPE, AWS_INTERNAL, AWS_EIPS, AWS_SUBNETS, AWS_PRIVATE),
        one_private_address=False,
        look_up="aws ec2 describe-addresses --filters Name=tag:Name,Values={}",
    ),
    Cloud(AZURE, ipv6_key=AZURE_IPV6, look_up="az network public-ip list --query \"[?name=='{}'].ipAddress\""),
    Cloud(GCP, purpose=SHARED_PURPOSE, look_up="gcloud compute addresses list --filter=name={}"),
)
CLOUDS = {cloud.name: cloud for cloud in _KNOWN}


def cloud_of(platform: str) -> Cloud:
    """A cloud the document does not know has no annotations but those that are given."""
    return CLOUDS.get(platform, Cloud(platform))


def known(platform: str) -> bool:
    return platform in CLOUDS


def reads_private_addresses(version: str) -> bool | None:
    """None where the version is not known."""
    parts = version.removeprefix("v").split(".")[:2]
    if len(parts) < 2 or not all(part.isdecimal() for part in parts):
        return None
    return (int(parts[0]), int(parts[1])) >= PRIVATE_SINCE
