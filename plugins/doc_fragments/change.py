# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of every task that may change a load balancer."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  allow_disruption:
    description:
      - The worst disruption this task may cause. It guards every write, the spec patch included where the patch
        itself disrupts.
      - V(brief) means that addresses change or connections are reset, in seconds; V(outage) means minutes, and new
        addresses.
    type: str
    choices: [none, brief, outage]
    default: none
  fingerprint:
    description:
      - Act only if the plan is still the reviewed one with this fingerprint.
      - It holds to the end. Where the cluster changes meanwhile, only what is part of that plan is gone on with.
    type: str
    default: ''
  wait:
    description:
      - Whether to wait until the operator and the cloud have caught up.
      - A task that finds a load balancer still being made waits for that too, and says why if it fails.
    type: bool
    default: true
  wait_timeout:
    description: Seconds to wait at most.
    type: int
    default: 900
  wait_sleep:
    description: Seconds between two looks at the most.
    type: int
    default: 5
"""

    # For changes that wait for a recreation of the load balancer.
    EFFECTUATE = r"""
options:
  effectuate:
    description:
      - How to make a pending change real. All pending changes of a load balancer are one recreation.
      - V(report) only says what is pending, how to effectuate it and how to cancel it.
      - V(operator) sets the operator's auto-delete annotation for this transaction and removes it afterwards.
      - V(delete) deletes the Service; its owner makes a new one.
    type: str
    choices: [report, operator, delete]
    default: report
  restore_edits:
    description:
      - Whether modifications made by hand on the Service are put back as soon as there is a new one.
      - A modification is whatever differs from the Service that the operator would make. What cannot be put back, or
        would break the new load balancer, is listed as lost.
      - They are kept in an annotation of the IngressController meanwhile, so that a run that is stopped loses none. The
        next run puts them back, if O(allow_disruption) covers what that does.
    type: bool
    default: false
  accept_version:
    description:
      - On an OpenShift version newer than any that this collection was measured against, nothing is written unless it
        is named here, for example V(5.3). The rules of the newest measured one are then assumed.
    type: str
    default: ''
"""
