# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module of this collection in this process, the way the action plugin does."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator, ValidationResult

# The only place where tests know in which file the engine has these.
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Clock
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Failed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS, perform

Result = dict[str, Any]
Options = dict[str, Any]
#: For the API server twin: it answers in hundredths of a second, so nobody needs to sleep longer between two looks.
BRISK = Clock(sleep=lambda seconds: time.sleep(min(seconds, 0.03)))
#: For real services.
REAL = Clock()


def complaints(name: str, options: Mapping[str, Any]) -> list[str]:
    """What Ansible's own validator says against the options."""
    return list(_checked(name, options).error_messages)


def validated(name: str, options: Mapping[str, Any]) -> Options:
    """The options as the module sees them, defaults included."""
    checked = _checked(name, options)
    assert not checked.error_messages, checked.error_messages
    return dict(checked.validated_parameters)


def run_task(
    name: str,
    access: Path | str,
    /,
    *,
    check: bool = False,
    clock: Clock = BRISK,
    progress: Callable[[str], None] = lambda _text: None,
    **options: Any,
) -> Result:
    """The module's result; a failure has `failed` and `msg`, as Ansible would show it. `access` is a kubeconfig."""
    params = validated(name, given(access, options))
    try:
        return perform(name, params, check, progress, clock)
    except Failed as failure:
        return {**failure.result, "failed": True, "msg": str(failure)}


def given(access: Path | str, options: Mapping[str, Any]) -> Options:
    """All options of a task, the way in among them."""
    return {"kubeconfig": str(access), **options}


def _checked(name: str, options: Mapping[str, Any]) -> ValidationResult:
    task = TASKS[name]
    return ArgumentSpecValidator(dict(task.spec()), **task.constraints).validate(dict(options))
