# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the module documents is what it takes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import yaml
from ansible_collections.edgeworks.lb_estate.plugins.module_utils import _capo_arguments
from ansible_collections.edgeworks.lb_estate.plugins.modules import capo_multiaz_lb

FRAGMENTS = "ansible_collections.edgeworks.lb_estate.plugins.doc_fragments"


def documented() -> dict[str, Any]:
    """The options of the module and of the fragments it names."""
    own = yaml.safe_load(capo_multiaz_lb.DOCUMENTATION)
    options: dict[str, Any] = dict(own.get("options") or {})
    for name in own["extends_documentation_fragment"]:
        _namespace, _collection, file, *part = name.split(".")
        fragment = import_module(f"{FRAGMENTS}.{file}").ModuleDocFragment
        text = getattr(fragment, part[0].upper() if part else "DOCUMENTATION")
        options |= yaml.safe_load(text).get("options") or {}
    return options


def test_every_option_is_documented_with_its_type_default_and_choices() -> None:
    told, taken = documented(), _capo_arguments.spec()
    assert set(told) == set(taken)
    for name, option in taken.items():
        for key in ("type", "elements", "default", "choices", "required"):
            assert told[name].get(key) == option.get(key), f"{name}: {key}"
        assert sorted(told[name].get("aliases", [])) == sorted(option.get("aliases", [])), name
