# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One action group per server that is talked to: a default for it is known to every module that gets it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS

ROOT = Path(__file__).resolve().parents[2]
COLLECTION = "edgeworks.lb_estate"
GROUPS: dict[str, list[str]] = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))[
    "action_groups"
]
# Which documentation fragment names the options of a group.
FRAGMENTS = {"kubernetes": "kube", "aws": "aws", "openstack": "openstack"}
PAIRS = [(group, module) for group, modules in GROUPS.items() for module in modules]


def plugin(kind: str, name: str) -> Any:
    return importlib.import_module(f"ansible_collections.{COLLECTION}.plugins.{kind}.{name}")


def fragment(name: str) -> dict[str, Any]:
    """`file` or `file.section`, as a module refers to it."""
    file, _dot, section = name.partition(".")
    text = getattr(plugin("doc_fragments", file).ModuleDocFragment, section.upper() or "DOCUMENTATION")
    parsed: dict[str, Any] = yaml.safe_load(text)
    return parsed


def fragment_options(group: str) -> dict[str, Any]:
    options: dict[str, Any] = fragment(FRAGMENTS[group])["options"]
    return options


def attributes(module: str) -> dict[str, Any]:
    """What the fragments of a module's documentation say together."""
    extended = yaml.safe_load(plugin("modules", module).DOCUMENTATION)["extends_documentation_fragment"]
    parts = [fragment(name.removeprefix(f"{COLLECTION}.")).get("attributes", {}) for name in extended]
    return {name: value for part in parts for name, value in part.items()}


def names(options: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Every name an option can be given by."""
    for name, option in options.items():
        yield from (name, *option.get("aliases", ()))


def test_every_group_has_a_fragment() -> None:
    assert sorted(GROUPS) == sorted(FRAGMENTS)


def test_every_module_has_a_task() -> None:
    modules = {path.stem for path in (ROOT / "plugins" / "modules").glob("*.py")}
    assert modules == set(TASKS)


@pytest.mark.parametrize("module", TASKS)
def test_a_module_is_in_the_groups_whose_options_it_takes(module: str) -> None:
    taken = set(names(TASKS[module].spec()))
    expected = {group for group in GROUPS if taken & set(names(fragment_options(group)))}
    assert {group for group in GROUPS if module in GROUPS[group]} == expected


@pytest.mark.parametrize(("group", "module"), PAIRS)
def test_a_module_of_a_group_takes_all_its_options(group: str, module: str) -> None:
    assert set(names(fragment_options(group))) - set(names(TASKS[module].spec())) == set()


def test_no_name_means_something_in_two_groups() -> None:
    listed = [name for group in GROUPS for name in names(fragment_options(group))]
    assert sorted(listed) == sorted(set(listed))


@pytest.mark.parametrize("module", sorted({module for modules in GROUPS.values() for module in modules}))
def test_a_modules_documentation_names_its_groups(module: str) -> None:
    told = attributes(module)["action_group"]
    assert sorted(told["membership"]) == sorted(f"{COLLECTION}.{group}" for group in GROUPS if module in GROUPS[group])
    assert [one for one in told["membership"] if f"C(group/{one})" not in " ".join(told["description"])] == []
