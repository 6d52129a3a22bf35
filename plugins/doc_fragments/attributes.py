# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes every module of this collection has."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and return the plan without a single write request.
    support: full
  diff_mode:
    description: Shows before and after of what a person edits (spec, annotations, load balancers).
    support: full
  idempotent:
    description: A second run with the same input changes nothing.
    support: full
"""

    # For modules that ask AWS.
    ACTIONGROUP_AWS = r"""
options: {}
attributes:
  action_group:
    description:
      - Use C(group/edgeworks.lb_estate.kubernetes) and C(group/edgeworks.lb_estate.aws) in C(module_defaults) for the
        ways into clusters and AWS.
    support: full
    membership:
      - edgeworks.lb_estate.kubernetes
      - edgeworks.lb_estate.aws
"""

    # For modules that ask OpenStack.
    ACTIONGROUP_OPENSTACK = r"""
options: {}
attributes:
  action_group:
    description:
      - Use C(group/edgeworks.lb_estate.kubernetes) and C(group/edgeworks.lb_estate.openstack) in C(module_defaults) for
        the ways into clusters and OpenStack.
    support: full
    membership:
      - edgeworks.lb_estate.kubernetes
      - edgeworks.lb_estate.openstack
"""

    # For modules that only look.
    INFO = r"""
options: {}
attributes:
  check_mode:
    description: Makes no change in any mode.
    support: full
  diff_mode:
    description: There is nothing to compare.
    support: N/A
  idempotent:
    description: Makes no change.
    support: full
"""
