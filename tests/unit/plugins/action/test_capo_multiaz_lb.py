# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin runs the task of its name, and what that needs is there before the first fork."""

from __future__ import annotations

import sys
from pathlib import Path

from ansible_collections.edgeworks.lb_estate.plugins.action.capo_multiaz_lb import ActionModule
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS

TOPIC = "ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.capo"


def test_it_runs_the_task_of_its_name() -> None:
    assert ActionModule.task_name == Path(sys.modules[ActionModule.__module__].__file__ or "").stem
    assert ActionModule.task_name in TASKS


def test_what_the_task_imports_is_inherited_by_every_worker() -> None:
    assert {"openstack", TOPIC} <= set(sys.modules)
