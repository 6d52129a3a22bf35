#!/usr/bin/python
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Module lb_effectuate."""

from __future__ import annotations

DOCUMENTATION = r"""
module: lb_effectuate
short_description: Make everything pending on an ingress load balancer real, with one recreation
version_added: 0.1.0
description:
  - Type, scope, subnets and Elastic IPs that wait for a new load balancer are effectuated together, once.
  - Lists first every difference that would take effect, reported by the operator or not, and refuses when one of them
    is not in O(changes).
  - Recognises an operator that cannot write its own status any more, never deletes a Service under one, and thaws it
    with O(unfreeze).
author:
  - Edgeworks contributors (@edgeworks)
options:
  ingress_controller:
    description: Name of the IngressController in C(openshift-ingress-operator).
    type: str
    default: default
  changes:
    description:
      - The pending changes that are asked for. Any other one blocks the recreation.
      - V(all) asks for whatever is pending.
    type: list
    elements: str
    choices: [all, scope, type, subnets, eip_allocations, floating_ip]
    default: []
  unfreeze:
    description:
      - Whether to rescue an operator that cannot admit its spec or mirror the Service's annotations.
      - The scope goes back to what was in force, or the annotation to what spec says. The change goes on in stages.
    type: bool
    default: false
extends_documentation_fragment:
  - edgeworks.lb_estate.kube
  - edgeworks.lb_estate.kube.cluster
  - edgeworks.lb_estate.aws
  - edgeworks.lb_estate.change
  - edgeworks.lb_estate.change.effectuate
  - edgeworks.lb_estate.attributes
  - edgeworks.lb_estate.attributes.actiongroup_aws
seealso:
  - module: edgeworks.lb_estate.lb_info
"""

EXAMPLES = r"""
- name: List what a recreation would effectuate
  edgeworks.lb_estate.lb_effectuate:
  check_mode: true
  register: pending

- name: Effectuate a pending scope and subnets change, and nothing else
  edgeworks.lb_estate.lb_effectuate:
    changes: [scope, subnets]
    effectuate: delete
    allow_disruption: outage

- name: Rescue a frozen operator and finish the change in stages
  edgeworks.lb_estate.lb_effectuate:
    changes: [all]
    unfreeze: true
    effectuate: operator
    allow_disruption: outage
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
    main("lb_effectuate")
