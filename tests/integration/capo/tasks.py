# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs capo_multiaz_lb the way the action plugin does, with the clock as it is: the services here are real."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Failed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import perform
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.tasks import Result, validated

MODULE = "capo_multiaz_lb"


def run_task(kubeconfig: Path | str, /, *, check: bool = False, **options: Any) -> Result:
    params = validated(MODULE, {"kubeconfig": str(kubeconfig), **options})
    try:
        return perform(MODULE, params, check, lambda _text: None)
    except Failed as failure:
        return {**failure.result, "failed": True, "msg": str(failure)}
