# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the load balancers of a CAPO cluster are to be like, as the argument spec has it."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._capo_arguments import WANTED
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.documented import (
    fragment,
    fragment_problems,
    own_options,
    users,
)


def test_what_is_documented_is_what_the_argument_spec_has() -> None:
    """What the module documents itself is about the cluster and the way there; the rest is in the fragment."""
    assert users("capo") == ["capo_multiaz_lb"]
    here = {name: entry for name, entry in WANTED.items() if name not in own_options("capo_multiaz_lb")}
    assert fragment_problems("capo", here) == []


def test_nothing_but_the_hint_has_a_default() -> None:
    """Left out means: as the OpenStackCluster says, or as it is."""
    options = fragment("capo")["options"]
    assert {name: entry["default"] for name, entry in options.items() if "default" in entry} == {
        "availability_zone_hint": True
    }
