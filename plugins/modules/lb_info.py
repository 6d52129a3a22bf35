#!/usr/bin/python
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Module lb_info."""

from __future__ import annotations

DOCUMENTATION = r"""
module: lb_info
short_description: Radar of a cluster's load balancers
version_added: 0.1.0
description:
  - Looks at every IngressController and every Service of type LoadBalancer of a cluster and says what is pending,
    latent, armed, unmanaged, frozen, owned by somebody else or watched by nobody.
  - With AWS credentials each of them is compared with what AWS has, in a handful of requests for the whole cluster, and
    load balancers are named that are tagged for the cluster but belong to no Service any more.
  - Compared are type, scope, subnets and Elastic IPs, and whether there is a load balancer at all. Its listeners, their
    targets and the health of these are not looked at.
  - What could not be asked is among the findings; an empty list of findings means that everything else was looked at.
author:
  - Edgeworks contributors (@edgeworks)
extends_documentation_fragment:
  - edgeworks.lb_estate.kube
  - edgeworks.lb_estate.kube.cluster
  - edgeworks.lb_estate.aws
  - edgeworks.lb_estate.attributes.info
  - edgeworks.lb_estate.attributes.actiongroup_aws
seealso:
  - module: edgeworks.lb_estate.lb_effectuate
"""

EXAMPLES = r"""
- name: Look at the cluster's load balancers
  edgeworks.lb_estate.lb_info:
  register: radar

- name: Stop an upgrade while changes are pending
  ansible.builtin.assert:
    that: radar.targets | selectattr('verdict', 'equalto', 'recreate') | list | length == 0
"""

RETURN = r"""
error_code:
  description: Of a task that failed, the kind of failure; C(docs/findings.md) of the collection explains every code.
  type: str
  returned: failure
  sample: disruption_not_allowed
targets:
  description: Every IngressController and plain LoadBalancer Service, with its verdict against itself.
  type: list
  elements: dict
  returned: always
  sample:
    - kind: IngressController
      namespace: openshift-ingress-operator
      name: default
      verdict: recreate
      disruption: outage
      message: "Waiting for the load balancer to be recreated: scope External → Internal."
      codes: [latent_change]
      pending: []
      findings: []
      revert_patch: {}
      commands: []
      addresses: [internal-a1.us-east-1.elb.amazonaws.com]
leaked:
  description: Load balancers in AWS that are tagged for this cluster and belong to no Service.
  type: list
  elements: dict
  returned: always
  sample: []
findings:
  description: Remarks on the cluster as a whole, with what could not be asked.
  type: list
  elements: dict
  returned: always
  sample:
    - code: aws_not_asked
      severity: warning
      where: AWS
      what: >-
        No AWS credentials were found, so subnets, their VPC and zones, Elastic IPs, quota and what is in force were not
        checked.
      remedy: Give access_key and secret_key, a profile, or what else boto3 looks at.
      value:
platform:
  description: The cluster's platform.
  type: str
  returned: always
  sample: AWS
version:
  description: The cluster's OpenShift version.
  type: str
  returned: always
  sample: 4.22.3
profile:
  description: The rules of the cluster's ingress operator, by version.
  type: str
  returned: always
  sample: P3
"""

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import main

if __name__ == "__main__":
    main("lb_info")
