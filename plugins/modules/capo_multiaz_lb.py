#!/usr/bin/python
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Module capo_multiaz_lb."""

from __future__ import annotations

DOCUMENTATION = r"""
module: capo_multiaz_lb
short_description: One API-server load balancer per availability zone for a CAPO cluster
version_added: 0.1.0
description:
  - Gives a cluster of Cluster API Provider OpenStack one Octavia load balancer per availability zone, each with its VIP
    on the subnet that is mapped to the zone, and registers the control-plane machines by failure domain.
  - Adopts and renames the single load balancer that CAPO made, where it fits the first zone of the mapping, or builds
    beside it and retires it once traffic has moved. A load balancer that a running CAPO controller owns is never
    touched.
  - Zones are worked on side by side; the writes to one load balancer wait for it to be C(ACTIVE) in between.
  - What is wrong with the input is refused before the first write, all of it at once; what stands in the way of one
    zone only is told, and does not stop the others.
  - What stands is written to the OpenStackCluster's status where its API has the fields, else to a ConfigMap beside
    it.
  - Nothing publishes DNS records. RV(dns_records) says which ones to publish.
  - Two runs never change one cluster's load balancers at once. The lock is a Lease in the management cluster. Without
    one (O(management_cluster=false)) it is a port without an address, named C(lb-estate-lock) and the cluster, on the
    load balancers' network; that takes the right to make a port there. A lock that a killed run leaves is taken over
    at once on the same machine, and after a minute anywhere else. Runs with and without the management cluster do not
    see each other's lock.
  - Only what is in the project of the credentials is read, counted and changed, also where they show all projects.
author:
  - Edgeworks contributors (@edgeworks)
options:
  cluster:
    description: Name of the CAPI Cluster, from which the load balancers' names are made.
    type: str
    required: true
  namespace:
    description: Namespace of the Cluster and its OpenStackCluster in the management cluster.
    type: str
    default: default
  openstack_cluster:
    description: Name of the OpenStackCluster. By default the one that the Cluster refers to, else of the same name.
    type: str
  management_cluster:
    description:
      - Whether to read OpenStackCluster, Machines and OpenStackMachines (v1beta1 and v1beta2) from the management
        cluster, to keep the record there and to emit events.
      - With V(false) no Kubernetes API is asked; everything comes from the options.
    type: bool
    default: true
  managed_load_balancer:
    description:
      - Without a management cluster, whether a CAPO controller runs an API load balancer of its own for this cluster.
      - Left out, nobody can tell, and a load balancer with the legacy name is not touched.
    type: bool
  machines:
    description:
      - The control-plane machines, in place of those of the management cluster.
      - With none at all, members that are registered stay, unless O(empty_pools_because) says why they shall go.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the OpenStackMachine.
        type: str
        required: true
      address:
        description: Its address that members get.
        type: str
      failure_domain:
        description: The Nova availability zone it is in.
        type: str
      deleting:
        description: Whether it is on its way out.
        type: bool
        default: false
  state:
    description:
      - V(present) has one load balancer per mapped zone. Without a mapping nothing is changed, and refused where there
        are load balancers of zones.
      - V(single) goes back to one load balancer with all machines, the legacy one where it is still there, else the
        first zone's under the legacy name. The others go once traffic has moved.
      - V(absent) removes every load balancer and floating IP that this module made, for the time before a cluster is
        deleted; shipped CAPO knows none of them and would leave them. What it adopted is given back (O(adopted)).
    type: str
    choices: [present, single, absent]
    default: present
  members_only:
    description:
      - Look after the members of the load balancers that exist, and nothing else. Cheap; made for a schedule, since
        shipped CAPO registers no new machine with the zones' load balancers.
    type: bool
    default: false
  zones:
    description:
      - The mapping of availability zones to subnets, in order. The first one is mirrored as the single load balancer.
      - Left out, the OpenStackCluster's C(availabilityZoneSubnets) count, where its API has them.
    type: list
    elements: dict
    aliases: [availability_zone_subnets]
    suboptions:
      zone:
        description:
          - Label of the zone, in the names and marks of its load balancer. Machines whose failure domain has this
            name, or an alias to it (O(zone_aliases)), are its members.
        type: str
        required: true
        aliases: [availability_zone]
      octavia_zone:
        description: Name of the Octavia availability zone, where it is not that of the zone.
        type: str
      provider:
        description: Octavia provider of this zone's load balancer, in place of O(provider).
        type: str
      flavor:
        description: Octavia flavor of this zone's load balancer, by name, in place of O(flavor).
        type: str
      fixed_ip:
        description: Address of this zone's VIP, on the mapped subnet.
        type: str
      subnet:
        description: The subnet of the zone's VIP, by id or by filter as CAPO writes it.
        type: dict
        required: true
        suboptions:
          id:
            description: Its UUID.
            type: str
          filter:
            description: Its properties, for example C(name), C(cidr), C(tags).
            type: dict
  network:
    description: The load balancer network, which every mapped subnet must belong to.
    type: dict
    suboptions:
      id:
        description: Its UUID.
        type: str
      filter:
        description: Its properties, for example C(name) or C(tags).
        type: dict
  legacy:
    description:
      - What becomes of the single load balancer that CAPO made.
      - V(adopt) renames it into the first zone where its subnet and zone fit, and retires it otherwise; V(retire) never
        adopts it; V(keep) leaves it alone, and the zones' load balancers are an additional endpoint with a DNS name.
    type: str
    choices: [adopt, keep, retire]
    default: adopt
  leave_legacy:
    description:
      - Whether this run leaves the legacy load balancer as it is, but for its members, whatever O(legacy) says. A zone
        that is to adopt it is not built meanwhile. For building first, and adopting or retiring later.
    type: bool
    default: false
extends_documentation_fragment:
  - edgeworks.lb_estate.kube
  - edgeworks.lb_estate.openstack
  - edgeworks.lb_estate.capo
  - edgeworks.lb_estate.capo.leaving
  - edgeworks.lb_estate.change
  - edgeworks.lb_estate.attributes
  - edgeworks.lb_estate.attributes.actiongroup_openstack
seealso:
  - name: Runbook
    description: From one API load balancer to one per zone, stage by stage.
    link: https://github.com/edgeworks/lb_estate/blob/main/docs/runbooks/capo-multiaz.md
"""

EXAMPLES = r"""
- name: Build a load balancer per zone beside the one there is
  edgeworks.lb_estate.capo_multiaz_lb:
    cloud: prod
    context: management
    namespace: capi
    cluster: prod
    endpoint_host: api.prod.example.com
    network:
      id: 6c90b532-7ba0-418a-a276-5ae55060b5b0
    zones:
      - zone: az1
        subnet:
          id: cad5a91a-36de-4388-823b-b0cc82cadfdc
      - zone: az2
        subnet:
          filter:
            name: api-az2
    legacy: retire
  register: api

- name: What to publish
  ansible.builtin.debug:
    var: api.dns_records.publish

- name: Keep members up to date, every few minutes
  edgeworks.lb_estate.capo_multiaz_lb:
    cloud: prod
    context: management
    namespace: capi
    cluster: prod
    endpoint_host: api.prod.example.com
    network:
      id: 6c90b532-7ba0-418a-a276-5ae55060b5b0
    zones:
      - zone: az1
        subnet:
          id: cad5a91a-36de-4388-823b-b0cc82cadfdc
    members_only: true

- name: Before the cluster is deleted
  edgeworks.lb_estate.capo_multiaz_lb:
    cloud: prod
    context: management
    namespace: capi
    cluster: prod
    state: absent
    traffic_moved: true
    traffic_moved_because: The cluster is deleted next.
    resolve_endpoint: false
    allow_disruption: outage
"""

RETURN = r"""
error_code:
  description: Of a task that failed, the kind of failure; C(docs/findings.md) of the collection explains every code.
  type: str
  returned: failure
  sample: disruption_not_allowed
verdict:
  description:
    - What the target needs now; after a change, what it still needs. What the plan said is in RV(planned).
    - One of V(in_sync), V(adopt), V(update_in_place), V(recreate), V(in_progress), V(blocked), V(invalid).
  type: str
  returned: always
  sample: update_in_place
disruption:
  description: What making it real costs the users of the load balancer, V(none), V(brief) or V(outage).
  type: str
  returned: always
  sample: none
message:
  description: What would happen, or has happened, in one or two sentences.
  type: str
  returned: always
  sample: 3 load balancers would be created; 3 floating IPs would be created; 1 record would be written.
findings:
  description: Coded remarks, each with severity, place, what was found and what to do.
  type: list
  elements: dict
  returned: always
  sample:
    - code: machine_unplaced
      severity: warning
      where: machine prod-cp-x7k2p
      what: its failure domain az4 is no zone of the mapping, so no zone's load balancer takes it.
      remedy: Map the zone, name it in zone_aliases, or allow cross-AZ members.
      value: az4
steps:
  description:
    - The writes and waits, in order; in check mode those that would be made.
    - Steps of a C(lane) run in order, lanes of a C(phase) side by side, a phase after the one before it.
  type: list
  elements: dict
  returned: always
  sample: []
undo:
  description: What takes the steps back, last step first, as far as the last one that nothing takes back.
  type: list
  elements: dict
  returned: always
  sample: []
before:
  description: The load balancers before, by zone.
  type: dict
  returned: always
  sample: {}
after:
  description: The same afterwards; in check mode as predicted.
  type: dict
  returned: always
  sample: {}
api_server_load_balancers:
  description: What stands now, in the order of the mapping, with the fields of the proposal's status.
  type: list
  elements: dict
  returned: always
  sample:
    - availabilityZone: az1
      name: k8s-clusterapi-cluster-capi-prod-az1-kubeapi
      id: 4f0c9a53-4d2f-4f6c-8f0a-6f9b2f1b7a11
      ip: 203.0.113.11
      internalIP: 10.0.1.5
      tags: ["lb-estate/az=az1", "lb-estate/cluster=capi/prod"]
      allowedCIDRs: []
      loadBalancerNetwork:
        id: 6c90b532-7ba0-418a-a276-5ae55060b5b0
        name: api
        subnets: []
mirror:
  description: The single load balancer that older readers know, always the first zone's.
  type: dict
  returned: always
  sample: {}
mirror_zone:
  description: The zone that is mirrored.
  type: str
  returned: always
  sample: az1
dns_records:
  description:
    - The records to publish for the endpoint, one per zone with an C(ONLINE) member, those to withhold and why.
      Private addresses are not published beside public ones.
    - C(resolved), C(missing) and C(extra) compare them with what DNS answers now, where it was asked
      (O(resolve_endpoint)).
  type: dict
  returned: always
  sample:
    host: api.prod.example.com
    publish:
      - zone: az1
        type: A
        address: 203.0.113.11
        online_members: 1
    withhold:
      - zone: az2
        type: A
        address: 203.0.113.12
        online_members: 0
        reason: none of its members is ONLINE
    resolved: [203.0.113.11]
    missing: []
    extra: []
drift:
  description: What was found to differ, by load balancer; stale and missing members included.
  type: list
  elements: dict
  returned: when there was a plan
  sample:
    - lane: az1
      kind: members
      port: 6443
      have:
        stale: [10.0.1.11]
        missing: [prod-cp-x7k2p]
      want: [10.0.1.12]
awaiting:
  description: What you have to say before the rest can happen.
  type: list
  elements: str
  returned: when there was a plan
  sample: [traffic_moved]
reasons:
  description: The reasons that were given, by option.
  type: dict
  returned: when there was a plan
  sample:
    traffic_moved_because: Clients come through the proxy at 198.51.100.7.
counts:
  description: How many zones and load balancers there are.
  type: dict
  returned: always
  sample:
    zones: 3
    load_balancers: 3
    retiring: 0
    legacy: 0
timings:
  description: Seconds the task took, and how they were spent; those of zones that were worked on at once overlap.
  type: dict
  returned: always
  sample:
    total: 24.1
    spent:
      observe: 1.2
      az1: 21.7
      az2: 22.4
fingerprint:
  description: SHA-256 of the plan, for O(fingerprint).
  type: str
  returned: always
  sample: 6b1d2a9a4b0a6a6a9c5f9d7d1d1b6f2e8c0a7b3f4e5d6c7b8a9f0e1d2c3b4a59
planned:
  description: The plan's own figures, whatever came of it.
  type: dict
  returned: always
  sample:
    verdict: update_in_place
    disruption: none
    fingerprint: 6b1d2a9a4b0a6a6a9c5f9d7d1d1b6f2e8c0a7b3f4e5d6c7b8a9f0e1d2c3b4a59
"""

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import main

if __name__ == "__main__":
    main("capo_multiaz_lb")
