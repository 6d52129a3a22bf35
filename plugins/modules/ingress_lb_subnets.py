#!/usr/bin/python
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Module ingress_lb_subnets."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ingress_lb_subnets
short_description: Subnets and Elastic IPs of an OpenShift ingress load balancer on AWS
version_added: 0.1.0
description:
  - Sets, clears or adopts the subnets and Elastic IPs of an IngressController's load balancer, Classic or NLB, in one
    patch with its type and scope where wanted.
  - The IngressController is patched; what takes effect only with a new load balancer is reported, or made real through
    O(effectuate) if O(allow_disruption) permits it.
  - Everything is checked first, against the rules of the API and, with credentials, against AWS itself.
author:
  - Edgeworks contributors (@edgeworks)
options:
  ingress_controller:
    description: Name of the IngressController in C(openshift-ingress-operator).
    type: str
    default: default
  state:
    description:
      - V(present) sets what is given. An option left out is left as it is.
      - V(absent) clears the subnets, back to auto-discovery by tags.
      - V(adopted) takes into spec what was set by hand on the Service's annotations, without any disruption.
    type: str
    choices: [present, absent, adopted]
    default: present
  subnets:
    description: The subnets the load balancer is to be in, one per availability zone. Their order has no meaning.
    type: dict
    suboptions:
      ids:
        description: Subnet ids.
        type: list
        elements: str
        default: []
      names:
        description: Values of the subnets' C(Name) tags.
        type: list
        elements: str
        default: []
  eip_allocations:
    description: Elastic IP allocations, one per subnet; NLB and External only. An empty list clears them.
    type: list
    elements: str
  scope:
    description: The scope, if it is to be changed in the same patch.
    type: str
    choices: [Internal, External]
  lb_type:
    description:
      - The type, if it is to be changed. Left out, the subnets go to the type in force.
      - Up to OpenShift 4.21 the operator applies a type change at once, so the patch itself is an outage.
    type: str
    choices: [Classic, NLB]
  domain:
    description: Domain of the IngressController to create if there is none of that name.
    type: str
  replicas:
    description: Replicas of an IngressController that is created.
    type: int
extends_documentation_fragment:
  - edgeworks.lb_estate.kube
  - edgeworks.lb_estate.kube.cluster
  - edgeworks.lb_estate.aws
  - edgeworks.lb_estate.change
  - edgeworks.lb_estate.change.effectuate
  - edgeworks.lb_estate.attributes
  - edgeworks.lb_estate.attributes.actiongroup_aws
seealso:
  - module: edgeworks.lb_estate.lb_effectuate
  - module: edgeworks.lb_estate.slb_scope
"""

EXAMPLES = r"""
- name: Say what moving the default ingress load balancer to other subnets would take
  edgeworks.lb_estate.ingress_lb_subnets:
    subnets:
      ids:
        - subnet-0aaaaaaaaaaaaaaa1
        - subnet-0bbbbbbbbbbbbbbb2
  check_mode: true
  register: plan

- name: Move it, with one recreation by the operator
  edgeworks.lb_estate.ingress_lb_subnets:
    subnets:
      ids:
        - subnet-0aaaaaaaaaaaaaaa1
        - subnet-0bbbbbbbbbbbbbbb2
    effectuate: operator
    allow_disruption: outage

- name: Take into spec what somebody once set on the Service
  edgeworks.lb_estate.ingress_lb_subnets:
    state: adopted

- name: Go back to the subnets AWS finds by their tags
  edgeworks.lb_estate.ingress_lb_subnets:
    state: absent
"""

RETURN = r"""
verdict:
  description:
    - What the target needs.
    - One of V(in_sync), V(adopt), V(update_in_place), V(recreate), V(in_progress), V(blocked), V(invalid).
  type: str
  returned: always
  sample: recreate
disruption:
  description: What making it real costs the users of the load balancer, V(none), V(brief) or V(outage).
  type: str
  returned: always
  sample: outage
message:
  description: The decision in one or two sentences.
  type: str
  returned: always
  sample: "Waiting for the load balancer to be recreated: scope External → Internal. Nothing is disrupted until then."
findings:
  description: Coded remarks, each with severity, place, what was found and what to do.
  type: list
  elements: dict
  returned: always
  sample:
    - code: unmanaged_subnets
      severity: warning
      where: IngressController openshift-ingress-operator/default
      what: "'subnet-0aaaaaaaaaaaaaaa1' on the Service was set by hand; spec says nothing of it."
      remedy: "Adopt it with state: adopted."
      value: subnet-0aaaaaaaaaaaaaaa1
pending:
  description:
    - Every change that a recreation of the load balancer would effectuate, asked for by this task or not.
    - Where it takes two recreations, one after the other, what both effectuate.
  type: list
  elements: dict
  returned: always
  sample:
    - field: scope
      have: External
      want: Internal
      asked: true
      latent: false
      message: The IngressController scope was changed from "External" to "Internal".
steps:
  description: The writes and waits, in order; in check mode those that would be made.
  type: list
  elements: dict
  returned: always
  sample: []
undo:
  description: What takes the steps back, last step first.
  type: list
  elements: dict
  returned: always
  sample: []
revert_patch:
  description: One valid merge patch that cancels everything pending on the IngressController.
  type: dict
  returned: always
  sample:
    spec:
      endpointPublishingStrategy:
        type: LoadBalancerService
        loadBalancer:
          scope: External
commands:
  description: The commands that would effectuate and cancel what is pending.
  type: list
  elements: str
  returned: always
  sample: ["oc -n openshift-ingress delete svc/router-default"]
before:
  description: Spec, annotations and addresses before.
  type: dict
  returned: always
  sample: {}
after:
  description: The same afterwards; in check mode as predicted.
  type: dict
  returned: always
  sample: {}
profile:
  description: The rules of the cluster's ingress operator, by version. V(P0) is 4.10, V(P4) is 4.23 and newer.
  type: str
  returned: always
  sample: P3
fingerprint:
  description: SHA-256 of the plan, for O(fingerprint).
  type: str
  returned: always
  sample: 6b1d2a9a4b0a6a6a9c5f9d7d1d1b6f2e8c0a7b3f4e5d6c7b8a9f0e1d2c3b4a59
"""

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import main

if __name__ == "__main__":
    main("ingress_lb_subnets")
