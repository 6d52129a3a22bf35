# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules and fragments say of themselves, and where that is not what the code does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Disruption,
    Finding,
    Pending,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS

COLLECTION = "edgeworks.lb_estate"
Options = Mapping[str, Mapping[str, Any]]
_PLUGINS = f"ansible_collections.{COLLECTION}.plugins"
_TYPES = {"str": str, "list": list, "dict": dict, "int": int, "bool": bool, "float": float}
# What may be left out of documentation and argument spec alike, and what that means.
_UNSAID = {"type": "str", "required": False, "aliases": [], "choices": None, "default": None, "elements": None}
_WORDS = {"verdict": {one.value for one in Verdict}, "disruption": {one.value for one in Disruption}}
_FIELDS = {"findings": {one.name for one in fields(Finding)}, "pending": {one.name for one in fields(Pending)}}
# Ansible's own part of a result.
_ANSIBLES = {"changed", "diff"}


def section(module: str, name: str) -> Any:
    """DOCUMENTATION, EXAMPLES or RETURN of a module."""
    return yaml.safe_load(getattr(import_module(f"{_PLUGINS}.modules.{module}"), name))


def fragments(module: str) -> list[str]:
    """The fragments a module extends, without the collection's name."""
    named = section(module, "DOCUMENTATION")["extends_documentation_fragment"]
    return [name.removeprefix(f"{COLLECTION}.") for name in named]


def fragment(name: str) -> dict[str, Any]:
    """One part of a fragment: `kube`, or `kube.cluster`."""
    file, _dot, part = name.partition(".")
    holder = import_module(f"{_PLUGINS}.doc_fragments.{file}").ModuleDocFragment
    found: dict[str, Any] = yaml.safe_load(getattr(holder, part.upper() or "DOCUMENTATION"))
    return found


def users(name: str) -> list[str]:
    return [module for module in TASKS if name in fragments(module)]


def own_options(module: str) -> dict[str, Any]:
    """Those that are documented in the module itself."""
    return section(module, "DOCUMENTATION").get("options") or {}


def disagreements(documented: Options, spec: Options, where: str = "") -> Iterator[str]:
    """Between options as documented and an argument spec, suboptions included; all of them at once."""
    for name in sorted(documented.keys() ^ spec.keys()):
        yield f"{where}{name} is {'documented only' if name in documented else 'not documented'}"
    for name in sorted(documented.keys() & spec.keys()):
        told, real = documented[name], spec[name]
        for key, unsaid in _UNSAID.items():
            if told.get(key, unsaid) != real.get(key, unsaid):
                yield f"{where}{name}: {key} {told.get(key, unsaid)!r} is really {real.get(key, unsaid)!r}"
        yield from disagreements(told.get("suboptions") or {}, real.get("options") or {}, f"{where}{name}.")


def fragment_problems(name: str, spec: Options) -> list[str]:
    """Against the part of the argument spec that it stands for, and against every module that uses it."""
    told = fragment(name)["options"]
    found = list(disagreements(told, spec))
    for module in users(name):
        whole = TASKS[module].spec()
        found += disagreements(told, {key: whole[key] for key in told if key in whole}, f"{module}: ")
    return found


def option_problems(module: str) -> list[str]:
    """An option is documented once, in the module or in one of its fragments, and just as the argument spec has it."""
    parts = [
        section(module, "DOCUMENTATION").get("options") or {},
        *(fragment(one)["options"] for one in fragments(module)),
    ]
    told = [name for part in parts for name in part]
    twice = [f"{name} is documented twice" for name in sorted(set(told)) if told.count(name) > 1]
    whole = {name: entry for part in parts for name, entry in part.items()}
    return [*twice, *disagreements(whole, TASKS[module].spec())]


def example_problems(module: str) -> list[str]:
    """What the module's own argument spec says to the options of its examples; having none is a problem too."""
    tasks = [task for task in section(module, "EXAMPLES") if f"{COLLECTION}.{module}" in task]
    validator = ArgumentSpecValidator(dict(TASKS[module].spec()), **TASKS[module].constraints)
    found = [] if tasks else ["there is no example"]
    for task in tasks:
        problems = validator.validate(task[f"{COLLECTION}.{module}"] or {}).error_messages
        found += [f"{task['name']}: {problem}" for problem in problems]
    return found


def returned(module: str) -> set[str]:
    """The names that are documented as returned by every task that succeeds; one that fails has its code, too."""
    told = {name: entry["returned"] for name, entry in section(module, "RETURN").items()}
    assert told.pop("error_code") == "failure"
    return {name for name, when in told.items() if when != "when there is one"}


def names_of(result: Mapping[str, Any]) -> set[str]:
    """The names in a result that its module has to document."""
    return set(result) - _ANSIBLES


def sample_problems(module: str) -> list[str]:
    """Samples that no result could have: of another type, with other fields, with words that are none of ours."""
    found = []
    for name, entry in section(module, "RETURN").items():
        sample = entry["sample"]
        if not isinstance(sample, _TYPES[entry["type"]]):
            found.append(f"{name}: {sample!r} is no {entry['type']}")
        if name in _WORDS and sample not in _WORDS[name]:
            found.append(f"{name}: there is no {sample!r}")
        if name in _FIELDS:
            found += [f"{name}: a sample has {sorted(one)}" for one in sample if set(one) != _FIELDS[name]]
    return found
