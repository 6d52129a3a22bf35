#!/usr/bin/python
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Module api_slb."""

from __future__ import annotations

DOCUMENTATION = r"""
module: api_slb
short_description: Load balancers of the API server that Services own
version_added: 0.1.0
description:
  - Builds and keeps the Services of type LoadBalancer in front of an OpenShift cluster's API server, C(external-lb) and
    C(internal-lb), and in front of its machine config server, C(internal-lb-machine-config-server).
  - Knows what AWS, Azure and GCP want to be told, and uses addresses that were reserved beforehand. Other platforms
    take the annotations that are given.
  - Never takes the last working path to the API away. Others are connected to before.
  - What the task does not say of a Service is left as it is.
author:
  - Edgeworks contributors (@edgeworks)
options:
  state:
    description:
      - V(present) has the load balancers that O(public) and O(machine_config_server) ask for, and no others of these
        names.
      - V(absent) takes all of them away.
      - V(rendered) writes nothing and returns manifests and DNS records, with O(objects) without any cluster.
    type: str
    choices: [present, absent, rendered]
    default: present
  public:
    description:
      - Whether the API is to be had from outside the cluster's network, through C(external-lb).
      - Unset, install-config decides (C(publish) in the ConfigMap C(cluster-config-v1) of C(kube-system)). A Service
        that is there is then never taken away.
    type: bool
  machine_config_server:
    description: Whether the machine config server has a load balancer.
    type: bool
    default: true
  opt_out:
    description:
      - This cluster brings its own API load balancers. It is left alone and reported so.
      - The same is understood where Infrastructure or install-config says C(UserManaged), or where Infrastructure has
        the annotation C(lb-estate.edgeworks.io/api-opt-out), whose value may say why.
    type: bool
    default: false
  addresses:
    description:
      - Addresses that were reserved beforehand. Without them, Elastic IPs are found by their Name tag, which is
        C(<infra-id>-rsvd-public-ipv4), or that with a dash and more; RV(addresses_needed) has all names.
      - A Service that is there keeps those that it has.
    type: dict
    suboptions:
      public:
        description: Of C(external-lb). On AWS allocation ids of Elastic IPs, one per subnet; elsewhere the address.
        type: list
        elements: str
      private:
        description: Of C(internal-lb), and on Azure and GCP of the machine config server's load balancer, too.
        type: list
        elements: str
      machine_config_server:
        description: Of C(internal-lb-machine-config-server). On AWS it has its own, one per subnet.
        type: list
        elements: str
  subnets:
    description: On AWS the subnets of each load balancer, by id or by Name tag. Without them, auto-discovery.
    type: dict
    suboptions:
      public:
        description: Of C(external-lb).
        type: list
        elements: str
      private:
        description: Of both internal ones.
        type: list
        elements: str
      machine_config_server:
        description: Of C(internal-lb-machine-config-server), where they are others.
        type: list
        elements: str
  annotations:
    description: More annotations of each Service. On platforms other than AWS, Azure and GCP each has to be given some.
    type: dict
    suboptions:
      external:
        description: Of C(external-lb).
        type: dict
      internal:
        description: Of C(internal-lb).
        type: dict
      machine_config_server:
        description: Of C(internal-lb-machine-config-server).
        type: dict
  selectors:
    description:
      - Labels of the pods behind each Service. A new Service has C(app=kube-apiserver) or C(app=machine-config-server)
        where nothing is said.
    type: dict
    suboptions:
      external:
        description: Of C(external-lb).
        type: dict
      internal:
        description: Of C(internal-lb).
        type: dict
      machine_config_server:
        description: Of C(internal-lb-machine-config-server).
        type: dict
  aws_internal_addresses:
    description:
      - AWS reserves no private addresses for load balancers.
      - V(fixed) wants them given, and a cloud controller that reads them (OpenShift 4.21 and newer).
      - V(unchecked) sets them whatever the version.
      - V(dynamic) lets AWS choose; DNS records can then be made only when the load balancers are there.
    type: str
    choices: [fixed, unchecked, dynamic]
    default: fixed
  other_paths:
    description:
      - Other ways to the API, C(host) or C(host:port), that are tried before a load balancer goes. Port 6443 where none
        is said.
    type: list
    elements: str
    default: []
  vouched_paths:
    description:
      - Paths that work and cannot be reached from here, by your word. C(internal-lb), C(external-lb), or one of
        O(other_paths). One that refuses connections is not believed in.
    type: list
    elements: str
    default: []
  handover:
    description: A stage of the hand-over from a bootstrap host, whose DNS records are returned once its gate holds.
    type: dict
    suboptions:
      stage:
        description:
          - V(1) while the bootstrap host serves, V(2) when the control plane does, V(3) when the bootstrap host is to
            go.
          - A lower one than the one in force goes back, one stage at a time.
        type: int
        choices: [1, 2, 3]
        required: true
      bootstrap_addresses:
        description: Private addresses of the bootstrap host, for stages V(1) and V(2).
        type: list
        elements: str
        default: []
      domain:
        description: The cluster's domain. Without it, that of C(apiServerURL) in Infrastructure.
        type: str
        default: ''
      ttl:
        description: Seconds that resolvers may keep the records.
        type: int
        default: 60
      public_zone:
        description:
          - Id of the hosted zone in Route 53 that the public record is published to, before the stage is said to have
            begun. Of a zone only C(api) and C(api-int) of the cluster are changed. Empty, somebody else publishes it.
        type: str
        default: ''
      private_zone:
        description: The same for the private records.
        type: str
        default: ''
  objects:
    description:
      - RV(objects) of an earlier task, in place of a cluster whose API is down. Only with O(state=rendered).
    type: dict
extends_documentation_fragment:
  - edgeworks.lb_estate.kube
  - edgeworks.lb_estate.kube.cluster
  - edgeworks.lb_estate.aws
  - edgeworks.lb_estate.change
  - edgeworks.lb_estate.attributes
  - edgeworks.lb_estate.attributes.actiongroup_aws
seealso:
  - module: edgeworks.lb_estate.slb_scope
"""

EXAMPLES = r"""
- name: Load balancers of the API on Azure, with addresses that were reserved beforehand
  edgeworks.lb_estate.api_slb:
    public: true
    addresses:
      public: [198.18.0.70]
      private: [10.0.0.70]
  register: api

- name: Take the public API away; the internal one was seen to work from a machine inside
  edgeworks.lb_estate.api_slb:
    public: false
    vouched_paths: [internal-lb]
    allow_disruption: outage

- name: Give it back at the same address
  edgeworks.lb_estate.api_slb:
    public: true
    addresses:
      public: [198.18.0.70]

- name: The DNS records of the last stage, when all load balancers are ready
  edgeworks.lb_estate.api_slb:
    public: true
    vouched_paths: [internal-lb]
    handover:
      stage: 3

- name: Manifests and records once more, while the API is down
  edgeworks.lb_estate.api_slb:
    state: rendered
    objects: "{{ api.objects }}"
"""

RETURN = r"""
error_code:
  description: Of a task that failed, the kind of failure; C(docs/findings.md) of the collection explains every code.
  type: str
  returned: failure
  sample: disruption_not_allowed
verdict:
  description:
    - What the load balancers need now; after a change, what they still need. What the plan said is in RV(planned).
    - One of V(in_sync), V(update_in_place), V(recreate), V(in_progress), V(blocked), V(invalid).
  type: str
  returned: always
  sample: in_sync
disruption:
  description: What the users of the load balancers noticed, or will. V(none), V(brief) or V(outage).
  type: str
  returned: always
  sample: none
message:
  description: How things are, in one or two sentences; in check mode what would happen.
  type: str
  returned: always
  sample: The API's load balancers are as they are wanted.
findings:
  description: Coded remarks, each with severity, place, what was found and what to do.
  type: list
  elements: dict
  returned: always
  sample:
    - code: public_unexpected
      severity: warning
      where: public
      what: install-config says that the API is internal, and external-lb is there all the same; it is left.
      remedy: "Say public: false to take it away, or public: true."
      value: null
pending:
  description: What counts only when a load balancer is made anew.
  type: list
  elements: dict
  returned: always
  sample: []
steps:
  description: The writes and waits, in order; in check mode those that would be made.
  type: list
  elements: dict
  returned: always
  sample: []
undo:
  description: What takes the steps back, last step first, as far as the last point of no return.
  type: list
  elements: dict
  returned: always
  sample: []
revert_patch:
  description: Always empty; RV(undo) has the way back of each Service.
  type: dict
  returned: always
  sample: {}
revert_disruption:
  description: Always V(none).
  type: str
  returned: always
  sample: none
commands:
  description: Always empty; RV(manifests) can be applied by hand.
  type: list
  elements: str
  returned: always
  sample: []
before:
  description: Of each Service what this module keeps, and all addresses, before.
  type: dict
  returned: always
  sample: {}
after:
  description: The same afterwards; in check mode as predicted.
  type: dict
  returned: always
  sample: {}
profile:
  description: Always empty.
  type: str
  returned: always
  sample: ''
planned:
  description: The plan's own figures, whatever came of it.
  type: dict
  returned: always
  sample:
    verdict: update_in_place
    disruption: none
    fingerprint: 6b1d2a9a4b0a6a6a9c5f9d7d1d1b6f2e8c0a7b3f4e5d6c7b8a9f0e1d2c3b4a59
fingerprint:
  description: SHA-256 of the plan, for O(fingerprint).
  type: str
  returned: always
  sample: 6b1d2a9a4b0a6a6a9c5f9d7d1d1b6f2e8c0a7b3f4e5d6c7b8a9f0e1d2c3b4a59
platform:
  description: The cluster's platform.
  type: str
  returned: always
  sample: Azure
services:
  description: Each Service that is there, with its addresses and ready endpoints, and what it lacks to be ready.
  type: dict
  returned: always
  sample:
    internal:
      name: internal-lb
      namespace: openshift-kube-apiserver
      port: 6443
      addresses: [10.0.0.70]
      endpoints: [10.0.16.10, 10.0.17.11, 10.0.18.12]
      ready: true
      lacking: ''
addresses_needed:
  description: What has to be reserved, by the names of the convention.
  type: list
  elements: dict
  returned: always
  sample:
    - name: prod-x7k2p-rsvd-private-ipv4
      family: ipv4
      for: [internal, machine_config_server]
      count: one
      purpose: SHARED_LOADBALANCER_VIP
manifests:
  description: The Services as they are wanted, to be applied by hand where need be.
  type: list
  elements: dict
  returned: always
  sample: []
direct_records:
  description: DNS records that lead to the control plane itself, for the time when no load balancer is left.
  type: list
  elements: dict
  returned: always
  sample:
    - name: api.prod.example.com
      type: A
      data: [10.0.16.10, 10.0.17.11, 10.0.18.12]
      ttl: 60
handover:
  description:
    - Of the stage that was asked for. Whether its gate holds and what is missing, its DNS records by zone, and the same
      as lines of a zone file.
  type: dict
  returned: always
  sample:
    stage: 3
    was: 2
    holds: true
    missing: []
    records:
      public:
        - name: api.prod.example.com
          type: A
          data: [198.18.0.70]
          ttl: 60
      private:
        - {name: api.prod.example.com, type: A, data: [10.0.0.70], ttl: 60}
        - {name: api-int.prod.example.com, type: A, data: [10.0.0.70], ttl: 60}
      withheld: []
    zones:
      public: "api.prod.example.com. 60 IN A 198.18.0.70\n"
      private: "api.prod.example.com. 60 IN A 10.0.0.70\napi-int.prod.example.com. 60 IN A 10.0.0.70\n"
objects:
  description: A copy of everything that manifests and records rest on, for O(objects) while the API is down. Keep it.
  type: dict
  returned: always
  sample: {}
"""

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import main

if __name__ == "__main__":
    main("api_slb")
