# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every module says of check mode, diff mode and idempotence is so."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.doc_fragments.attributes import ModuleDocFragment
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.documented import fragment, fragments

PARTS = [
    "attributes" if name == "DOCUMENTATION" else f"attributes.{name.lower()}"
    for name in vars(ModuleDocFragment)
    if name.isupper()
]
EVERYWHERE = {"check_mode", "diff_mode", "idempotent"}


@pytest.mark.parametrize("name", PARTS)
def test_an_attribute_has_a_description_and_a_known_support(name: str) -> None:
    part = fragment(name)
    assert part["options"] == {}
    for entry in part["attributes"].values():
        assert entry["description"]
        assert entry["support"] in ("full", "partial", "none", "N/A")


@pytest.mark.parametrize("module", TASKS)
def test_a_module_says_all_of_it_and_each_once(module: str) -> None:
    told = [one for name in fragments(module) if name in PARTS for one in fragment(name)["attributes"]]
    assert set(told) >= EVERYWHERE
    assert len(told) == len(set(told))


@pytest.mark.parametrize("module", TASKS)
def test_one_that_only_looks_has_nothing_to_compare(module: str) -> None:
    part = fragment("attributes" if "attributes" in fragments(module) else "attributes.info")
    only_looks = TASKS[module].topic is None
    assert part["attributes"]["diff_mode"]["support"] == ("N/A" if only_looks else "full")
    assert part["attributes"]["check_mode"]["support"] == "full"
