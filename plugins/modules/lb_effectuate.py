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
  sample: recreate
disruption:
  description:
    - What the users of the load balancer noticed, or what making real what is pending will cost them, if that is worse.
    - V(none), V(brief) or V(outage).
  type: str
  returned: always
  sample: outage
message:
  description: How things are, in one or two sentences; in check mode what would happen.
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
  description: What takes the steps back, last step first, as far as the last point of no return.
  type: list
  elements: dict
  returned: always
  sample: []
revert_patch:
  description:
    - The way back as one valid merge patch. It cancels everything that is pending; where nothing is, it takes back what
      this task changed.
    - Of a plain Service, a patch of that Service.
  type: dict
  returned: always
  sample:
    spec:
      endpointPublishingStrategy:
        type: LoadBalancerService
        loadBalancer:
          scope: External
revert_disruption:
  description: What RV(revert_patch) costs until the former state is in force again, V(none), V(brief) or V(outage).
  type: str
  returned: always
  sample: none
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
  description:
    - The same afterwards, also when the task failed; in check mode as predicted.
    - Empty where the cluster could not be read any more.
  type: dict
  returned: always
  sample: {}
profile:
  description: The rules of the cluster's ingress operator, by version. V(P0) is 4.10, V(P4) is 4.23 and newer.
  type: str
  returned: always
  sample: P3
planned:
  description: The plan's own figures, whatever came of it.
  type: dict
  returned: always
  sample:
    verdict: recreate
    disruption: outage
    fingerprint: 6b1d2a9a4b0a6a6a9c5f9d7d1d1b6f2e8c0a7b3f4e5d6c7b8a9f0e1d2c3b4a59
fingerprint:
  description: SHA-256 of the plan, for O(fingerprint).
  type: str
  returned: always
  sample: 6b1d2a9a4b0a6a6a9c5f9d7d1d1b6f2e8c0a7b3f4e5d6c7b8a9f0e1d2c3b4a59
"""

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import main

if __name__ == "__main__":
    main("lb_effectuate")
