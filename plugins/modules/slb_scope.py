#!/usr/bin/python
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Module slb_scope."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slb_scope
short_description: Internal or External scope of a service load balancer
version_added: 0.1.0
description:
  - Changes the scope of an IngressController's load balancer, or of a plain Service of type LoadBalancer that no
    operator owns.
  - On Azure and GCP the change happens in place and the address changes; on AWS, IBM Cloud and OpenStack it takes a new
    load balancer, which is reported or made real through O(effectuate).
author:
  - Edgeworks contributors (@edgeworks)
options:
  scope:
    description: The scope the load balancer is to have.
    type: str
    choices: [Internal, External]
    required: true
  ingress_controller:
    description: Name of the IngressController in C(openshift-ingress-operator).
    type: str
  service:
    description:
      - A plain Service to work on instead of an IngressController. Without either, the IngressController C(default).
      - Before such a Service is deleted, its manifest is kept in a ConfigMap beside it; a run that was stopped is
        picked up by the next one.
    type: dict
    suboptions:
      namespace:
        description: Namespace of the Service.
        type: str
        required: true
      name:
        description: Name of the Service.
        type: str
        required: true
extends_documentation_fragment:
  - edgeworks.lb_estate.kube
  - edgeworks.lb_estate.kube.cluster
  - edgeworks.lb_estate.aws
  - edgeworks.lb_estate.change
  - edgeworks.lb_estate.change.effectuate
  - edgeworks.lb_estate.attributes
  - edgeworks.lb_estate.attributes.actiongroup_aws
seealso:
  - module: edgeworks.lb_estate.ingress_lb_subnets
"""

EXAMPLES = r"""
- name: Make the default ingress internal; on AWS this waits for a recreation
  edgeworks.lb_estate.slb_scope:
    scope: Internal
  register: scope

- name: Cancel it before it takes effect
  edgeworks.lb_estate.slb_scope:
    scope: External

- name: Flip a plain Service, keeping its manifest safe meanwhile
  edgeworks.lb_estate.slb_scope:
    scope: Internal
    service:
      namespace: shop
      name: front
    effectuate: delete
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
    main("slb_scope")
