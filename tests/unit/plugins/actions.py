# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins outside a play: with a task, a connection and a play context that say just what is needed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.plugin_utils._local import LocalAction
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import MemoryCluster

HERE: dict[str, Any] = {"environment": [], "async_val": 0, "check_mode": True, "diff": False}


def action(
    kind: type[LocalAction], args: dict[str, Any], become: bool = False, transport: str = "local", **task: Any
) -> Any:
    """`task`: its keywords, where they are not those of a plain task in check mode."""
    connection = SimpleNamespace(transport=transport, _shell=SimpleNamespace(tmpdir="unused"))
    about = SimpleNamespace(args=args, **{**HERE, **task})
    return kind(about, connection, SimpleNamespace(become=become), None, None)


def acted(kind: type[LocalAction], cluster: MemoryCluster, **args: Any) -> dict[str, Any]:
    """What the action gives on a cluster in memory, where it does not go to the module."""
    with patch.object(Kube, "connect", return_value=cluster):
        found: dict[str, Any] = action(kind, args).run(task_vars={"inventory_hostname": "prod"})
    return found
