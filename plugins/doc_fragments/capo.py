# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the load balancers of a CAPO cluster are to be like: endpoint, ports, members, addresses, provider."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  endpoint_host:
    description: The control plane endpoint, a DNS name. By default the OpenStackCluster's.
    type: str
  endpoint_port:
    description: The API port. By default the endpoint's, else the API server port, else 6443.
    type: int
  additional_ports:
    description: Further ports to listen on.
    type: list
    elements: int
  allowed_cidrs:
    description:
      - Who may connect, where the provider supports it. Bastion, cluster subnets and router are added, as in CAPO.
      - An empty list opens the listeners to all; left out, they stay as they are.
    type: list
    elements: str
  monitor:
    description: The TCP health monitors' values. Zero and nothing mean CAPO's default.
    type: dict
    suboptions:
      delay:
        description: Seconds between two checks, 10 by default.
        type: int
      timeout:
        description: Seconds a check may take, 5 by default.
        type: int
      max_retries:
        description: Good checks that make a member healthy, 5 by default.
        type: int
      max_retries_down:
        description: Bad checks that make it unhealthy, 3 by default.
        type: int
  allow_cross_az_members:
    description: Whether every machine is a member of every zone's load balancer. V(false) by default.
    type: bool
  zone_aliases:
    description: Nova zone to zone of the mapping, where the names differ.
    type: dict
  floating_ips:
    description: Whether each load balancer gets a floating IP. By default as in the OpenStackCluster, else V(true).
    type: bool
  floating_network_id:
    description: The external network. By default the OpenStackCluster's.
    type: str
  floating_ip:
    description: An address you brought; at most one load balancer takes it, the first zone's unless another has it.
    type: str
  floating_ip_by_zone:
    description: Addresses you brought, by zone.
    type: dict
  fixed_ip:
    description: Address of the VIP; only with a single zone.
    type: str
  provider:
    description: Octavia provider.
    type: str
  flavor:
    description: Octavia flavor, by name.
    type: str
  availability_zone_hint:
    description: Whether Octavia is asked to place each load balancer in its availability zone.
    type: bool
    default: true
  timeout_client_data:
    description:
      - Milliseconds that a client may be silent before its connection is cut, from 0 to 31536000000 (a year).
      - Octavia's own default, 50 seconds, cuts idle watches and C(kubectl logs -f). An hour is what C(kube-apiserver)
        lets a watch last at most. Changed in place; a provider that takes none is told of and keeps its own.
    type: int
    default: 3600000
  timeout_member_data:
    description: The same for the API server behind the load balancer.
    type: int
    default: 3600000
  tags:
    description: Tags for the load balancers and what they hold.
    type: list
    elements: str
"""
