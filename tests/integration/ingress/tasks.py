# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module of this collection the way the action plugin does, on one cluster of the lab."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Clock, Failed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS, perform

Result = dict[str, Any]
# The lab answers in hundredths of a second, so nobody needs to sleep longer between two looks.
BRISK = Clock(sleep=lambda seconds: time.sleep(min(seconds, 0.03)))


def validated(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options as the module sees them, defaults included."""
    task = TASKS[name]
    checked = ArgumentSpecValidator(dict(task.spec()), **task.constraints).validate(options)
    assert not checked.error_messages, checked.error_messages
    return dict(checked.validated_parameters)


def run_task(name: str, kubeconfig: Path | str, /, *, check: bool = False, **options: Any) -> Result:
    """The module's result; a failure has `failed` and `msg`, as Ansible would show it."""
    params = validated(name, {"kubeconfig": str(kubeconfig), **options})
    try:
        return perform(name, params, check, lambda _text: None, BRISK)
    except Failed as failure:
        return {**failure.result, "failed": True, "msg": str(failure)}
