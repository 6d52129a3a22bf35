# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the load balancers of a CAPO cluster are to be like: endpoint, ports, members, addresses, provider;
and what must be said before something of it goes."""

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
      - A list needs a range of the IP version of every VIP, since without one a listener would be open to all.
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
    description:
      - Whether each load balancer with an IPv4 VIP gets a floating IP. By default as in the OpenStackCluster, else
        V(true). An IPv6 VIP is reached as it is.
    type: bool
  floating_network_id:
    description: The external network. By default the OpenStackCluster's.
    type: str
  floating_ip:
    description:
      - An address you brought; at most one load balancer takes it, the first IPv4 zone's unless another has it.
      - By default the OpenStackCluster's, but not with O(legacy=keep), and not where CAPO has put it on a machine.
    type: str
  floating_ip_by_zone:
    description: Addresses you brought, by zone.
    type: dict
  fixed_ip:
    description:
      - Address of the VIP, with a single zone. With several, give it as O(zones[].fixed_ip).
      - The OpenStackCluster's goes to a new load balancer on whose subnet it lies, where it is free.
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

    LEAVING = r"""
options:
  traffic_moved:
    description:
      - Your word that no client needs the load balancers any more that are to go. It is held against what can be seen.
        The name of O(endpoint_host) must lead to every zone that is to be published and to nothing that goes, and
        every zone must have an C(ONLINE) member. Else nothing is deleted.
    type: bool
    default: false
  traffic_moved_because:
    description:
      - How you know that clients have moved, where DNS does not tell. Without it nothing is deleted when DNS could not
        be asked, or O(resolve_endpoint) is V(false), or the name leads nowhere or not to every zone.
      - It goes into the events, the steps and RV(reasons). It does not help where the name leads to what is to go.
    type: str
  allow_unhealthy_zones:
    description: Zones that may be without an C(ONLINE) member, or unpublished, when something else is deleted.
    type: list
    elements: str
  others_may_go:
    description:
      - What others have put on a load balancer, and may go with it when that is deleted.
      - Listeners and pools by name, members by address. As long as one is not named, its load balancer stays.
    type: list
    elements: str
  empty_pools_because:
    description:
      - Why the last members that answer shall be taken out of a pool. Without it they stay. Where others have come in
        their place, or their machines are on their way out, they leave by themselves once that is safe.
      - With it, taking them out is an outage (O(allow_disruption)). It goes into the events, the steps and
        RV(reasons).
    type: str
  upkeep:
    description:
      - Your word that O(members_only) runs on a schedule. Without it the legacy load balancer is not retired.
    type: bool
    default: false
  allow_rebuild:
    description: Whether a load balancer of ours in C(ERROR) may be deleted and made anew.
    type: bool
    default: false
  adopted:
    description:
      - With O(state=absent), what becomes of a load balancer that this module did not make but adopted.
      - V(give_back) gives it its old name back, with all below it, and takes this module's marks off; V(delete) deletes
        it like the others.
    type: str
    choices: [give_back, delete]
    default: give_back
  former_uids:
    description:
      - Uids that the OpenStackCluster had before. C(clusterctl move) and a restore from a backup give it a new one.
      - Load balancers and floating IPs are marked with project and uid, and what is marked for another one is another
        cluster's. What is marked for one of these is this cluster's, and gets a new mark.
    type: list
    elements: str
  resolve_endpoint:
    description:
      - Whether to ask DNS where O(endpoint_host) leads. By default only with O(traffic_moved), so that nothing is
        deleted that it still leads to. With V(false) nothing is deleted unless O(traffic_moved_because) is given.
    type: bool
"""
