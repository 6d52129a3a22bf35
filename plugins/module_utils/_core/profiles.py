# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the ingress operator differs by OpenShift version, as data (facts: ingress-operator §0)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

Minor = tuple[int, int]


@dataclass(frozen=True)
class Profile:
    """One operator release's behaviour. Every flag is off in the oldest one."""

    version: str
    name: str = "P0"
    family: str = "M0"  # message family
    known: bool = True  # False: never measured; be conservative
    idle_timeout: bool = False
    type_in_place: bool = False  # aws.type is applied to the live Service: the spec patch is the outage
    type_recreates: bool = False  # aws.type waits for recreation
    proxy_in_place: bool = False
    source_ranges: bool = False
    progressing_condition: bool = False  # LoadBalancerProgressing exists
    ibm_protocol: bool = False
    subnets: bool = False  # subnets and eipAllocations
    ready_hint: str = "kube-controller-manager"
    floating_ip: bool = False
    tags_in_place: bool = False
    delete_text_everywhere: bool = False  # else the scope message tells AWS and IBM Cloud only
    openstack_dns_unmanaged: bool = False
    alibaba: bool = True
    readmits_missing_lb: bool = False
    raw_compare: bool = False  # auto-delete compares subnets and EIPs as raw strings
    actual_type: bool = False  # subnets follow the Service's type, not the wanted one
    dual_stack: bool = False
    nlb_protocol: bool = False
    crd_rules: bool = False  # the CRD has rules (CEL), anywhere in it


# Each row: from this version on, these differ from the row before.
_SINCE: tuple[tuple[Minor, dict[str, Any]], ...] = (
    ((4, 10), {}),
    ((4, 11), {"idle_timeout": True}),
    (
        (4, 12),
        {
            "name": "P1",
            "type_in_place": True,
            "proxy_in_place": True,
            "source_ranges": True,
            "progressing_condition": True,
        },
    ),
    ((4, 13), {"ibm_protocol": True}),
    ((4, 14), {"crd_rules": True}),
    ((4, 17), {"name": "P2", "family": "M1", "subnets": True, "ready_hint": "cloud-controller-manager"}),
    (
        (4, 18),
        {"floating_ip": True, "tags_in_place": True, "delete_text_everywhere": True, "openstack_dns_unmanaged": True},
    ),
    ((4, 19), {"alibaba": False}),
    ((4, 21), {"readmits_missing_lb": True}),
    (
        (4, 22),
        {
            "name": "P3",
            "family": "M2",
            "type_in_place": False,
            "type_recreates": True,
            "raw_compare": True,
            "actual_type": True,
            "dual_stack": True,
        },
    ),
    ((4, 23), {"name": "P4", "nlb_protocol": True}),
)
# Of each major version, the newest minor one whose operator was looked at; 5.1 as its main branch.
_NEWEST_MEASURED = {4: 23, 5: 1}
# One version that stands for each profile, where only the profile's name is known.
REPRESENTATIVE = {"P0": "4.11", "P1": "4.16", "P2": "4.21", "P3": "4.22", "P4": "4.23"}


class UnsupportedVersion(ValueError):
    """No profile describes this version."""


def profile_for(version: str) -> Profile:
    """The profile of an OpenShift version such as 4.21.7; UnsupportedVersion where none was measured."""
    match = re.match(r"v?(\d+)\.(\d+)(?!\d)", version)
    if not match:
        raise UnsupportedVersion(f"{version!r} is not an OpenShift version; expected major.minor such as 4.21")
    minor = (int(match[1]), int(match[2]))
    if minor < _SINCE[0][0]:
        raise UnsupportedVersion(f"OpenShift {version} is older than 4.10, the oldest version this collection knows")
    profile = Profile(version, known=minor[1] <= _NEWEST_MEASURED.get(minor[0], -1))
    for since, changes in _SINCE:
        if minor >= since:
            profile = replace(profile, **changes)
    return profile
