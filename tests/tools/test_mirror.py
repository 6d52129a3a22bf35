# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate that holds tests/unit to plugins/ can fail, and only for what it should."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.edgeworks.lb_estate.tools.mirror import unmirrored

PAIR = ["plugins/module_utils/_core/go.py", "tests/unit/plugins/module_utils/_core/test_go.py"]


def complaints(*names: str) -> list[str]:
    return [sentence.partition(":")[0] for sentence in unmirrored([Path(name) for name in names])]


def test_a_plugin_file_with_its_test_file_is_no_complaint() -> None:
    assert complaints(*PAIR) == []
    assert complaints("plugins/module_utils/_engine.py", "tests/unit/plugins/module_utils/test__engine.py") == []


@pytest.mark.parametrize("name", PAIR)
def test_one_without_the_other_is_named(name: str) -> None:
    assert complaints(name) == [name]


@pytest.mark.parametrize(
    "near", ["tests/unit/plugins/module_utils/test_go.py", "tests/unit/plugins/module_utils/_core/test__go.py"]
)
def test_a_test_file_in_another_folder_or_of_another_name_is_no_twin(near: str) -> None:
    assert complaints(PAIR[0], near) == [PAIR[0], near]


@pytest.mark.parametrize(
    "free",
    [
        "plugins/module_utils/_core/__init__.py",
        "plugins/README.md",
        "tests/unit/plugins/module_utils/_core/clusters.py",
        "tests/unit/requirements.txt",
        "tests/tools/test_mirror.py",
        "tests/integration/lab/test_demo.py",
    ],
)
def test_what_is_neither_a_plugin_nor_a_unit_test_is_free(free: str) -> None:
    assert complaints(*PAIR, free) == []
