#!/usr/bin/python
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Module service_lb_class."""

from __future__ import annotations

DOCUMENTATION = r"""
module: service_lb_class
short_description: Give a Service's load balancer to another controller, by its loadBalancerClass
version_added: 0.1.0
description:
  - Sets, changes or clears C(spec.loadBalancerClass) of a Service of type LoadBalancer that no operator owns, and so
    gives its load balancer to the controller that watches the class. Without a class it is the cloud provider's.
  - The API refuses any change of the class while the type is LoadBalancer, from unset to set, too. There are three
    ways, see O(way); by default the task only tells what each of them costs, keeps and loses.
  - Before anything is taken away, it is seen that somebody watches the class and that the server keeps the field.
author:
  - Edgeworks contributors (@edgeworks)
options:
  service:
    description:
      - The Service to work on.
      - Before it is changed or deleted, its manifest is kept in a ConfigMap beside it; a run that was stopped is picked
        up by the next one.
    type: dict
    required: true
    suboptions:
      namespace:
        description: Namespace of the Service.
        type: str
        required: true
      name:
        description: Name of the Service.
        type: str
        required: true
  state:
    description:
      - V(present) gives the Service O(lb_class).
      - V(absent) takes its class away; the cloud provider then makes its load balancer, unless an annotation gives it
        to another controller.
    type: str
    choices: [present, absent]
    default: present
  lb_class:
    description:
      - The class that the Service is to have, V(NAME) or V(DNS-PREFIX/NAME), for example V(service.k8s.aws/nlb).
    type: str
  way:
    description:
      - How to get there.
      - V(report) only tells the ways, in RV(ways).
      - V(type_flip) takes the type LoadBalancer away and gives it back with the new class. It keeps the object with its
        uid, cluster IP and node ports. The load balancer is away for minutes, and its addresses are new.
      - V(recreate) deletes the Service and makes it again from its kept manifest, with the same cluster IP and node
        ports where they are still free. Minutes of outage and new addresses, too.
      - V(side_by_side) makes a second Service with the new class and waits until it serves. The first one is left alone
        until O(traffic_moved) is said, and is then deleted.
    type: str
    choices: [report, type_flip, recreate, side_by_side]
    default: report
  suffix:
    description: What the name of the second Service ends with, after the first one's name and a V(-).
    type: str
    default: next
  traffic_moved:
    description:
      - For O(way=side_by_side), says that nobody uses the first Service any more, so that it is retired.
      - Needs O(traffic_moved_because), and V(brief) in O(allow_disruption).
    type: bool
    default: false
  traffic_moved_because:
    description: Who or what showed that traffic has moved; it is told with the step that deletes the first Service.
    type: str
    default: ''
  known_classes:
    description:
      - What the estate knows of classes, as a mapping from a class to the name of the controller that watches it.
      - A class that is named here is taken as watched.
    type: dict
    default: {}
  allow_unwatched:
    description:
      - Go on although nothing shows that anybody watches the class. Has to name that class; V(none) with
        O(state=absent).
    type: str
    default: ''
  unwatched_after:
    description:
      - Seconds after which a Service with the new class that has no address, no event and no finalizer is said to be
        watched by nobody.
    type: int
    default: 120
extends_documentation_fragment:
  - edgeworks.lb_estate.kube
  - edgeworks.lb_estate.kube.cluster
  - edgeworks.lb_estate.aws
  - edgeworks.lb_estate.change
  - edgeworks.lb_estate.attributes
  - edgeworks.lb_estate.attributes.actiongroup_aws
seealso:
  - module: edgeworks.lb_estate.slb_scope
  - module: edgeworks.lb_estate.lb_info
"""

EXAMPLES = r"""
- name: See what it would take to give a Service to another controller
  edgeworks.lb_estate.service_lb_class:
    service:
      namespace: shop
      name: front
    lb_class: example.com/edge
    known_classes:
      example.com/edge: the edge team's own controller
  register: ways

- name: Have a second Service of that class beside the first
  edgeworks.lb_estate.service_lb_class:
    service:
      namespace: shop
      name: front
    lb_class: example.com/edge
    known_classes:
      example.com/edge: the edge team's own controller
    way: side_by_side
  register: both

- name: Retire the first one, once traffic has moved
  edgeworks.lb_estate.service_lb_class:
    service:
      namespace: shop
      name: front
    lb_class: example.com/edge
    way: side_by_side
    traffic_moved: true
    traffic_moved_because: no connection on the old load balancer for a day, says its monitoring
    allow_disruption: brief

- name: Give a Service back to the cloud provider, keeping the object, its cluster IP and its node ports
  edgeworks.lb_estate.service_lb_class:
    service:
      namespace: shop
      name: front-next
    state: absent
    way: type_flip
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
  sample: It has class service.k8s.aws/nlb already.
findings:
  description: Coded remarks, each with severity, place, what was found and what to do.
  type: list
  elements: dict
  returned: always
  sample:
    - code: annotations_unread
      severity: warning
      where: Service shop/front
      what: "the cloud provider's controller of AWS reads example; nobody does."
      remedy: Set what the new controller has for the same purpose.
      value: []
pending:
  description:
    - The class, where it is not the one asked for.
  type: list
  elements: dict
  returned: always
  sample:
    - field: loadBalancerClass
      have: null
      want: service.k8s.aws/nlb
      asked: true
      latent: false
      message: ""
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
  description: Always null. No patch takes a class back while the type is LoadBalancer; RV(undo) does.
  type: dict
  returned: always
  sample: {}
revert_disruption:
  description: Always V(none), as there is no RV(revert_patch).
  type: str
  returned: always
  sample: none
commands:
  description:
    - The commands by which a person would flip the type, where the class is not the one asked for. Between the two, the
      finalizer of the old load balancer has to be gone.
  type: list
  elements: str
  returned: always
  sample: ["oc -n shop patch svc/front --type merge -p '{\"spec\": {\"type\": \"NodePort\"}}'"]
owner:
  description: Who looks after the load balancer before and after, each with the reason.
  type: dict
  returned: unless something stands in the way
  sample:
    before: the cloud provider's controller of AWS (no class)
    after: the AWS Load Balancer Controller (class service.k8s.aws/nlb)
ways:
  description: The ways there are to another class, with what each costs, keeps and loses, and what takes it back.
  type: list
  elements: dict
  returned: unless something stands in the way
  sample:
    - way: side_by_side
      disruption: none
      later: brief
      keeps: [annotations, selector]
      loses: ["clusterIP 172.30.11.12"]
      undo: "Delete the second Service. Once the first is retired: create it again, with a new address."
handover:
  description:
    - For O(way=side_by_side), what traffic is to move from and to. Addresses are what DNS records have to name.
  type: dict
  returned: unless something stands in the way
  sample:
    from:
      name: front
      class: ''
      addresses: [a1.elb.example.com]
      in_cluster: front.shop.svc
    to:
      name: front-next
      class: service.k8s.aws/nlb
      addresses: [a2.elb.example.com]
      in_cluster: front-next.shop.svc
      ready_endpoints: 2
evidence:
  description: What shows that somebody watches the class, where a change is about to begin.
  type: list
  elements: str
  returned: unless something stands in the way
  sample: [Deployment kube-system/aws-load-balancer-controller]
before:
  description: Class by Service, and all addresses, before.
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
  description: Empty, as no ingress operator has a hand in it.
  type: str
  returned: always
  sample: ""
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
    main("service_lb_class")
