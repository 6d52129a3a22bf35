# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs api_slb in the controller's worker; steps aside to the module where a task asks for another place."""

from __future__ import annotations

from ..plugin_utils._local import LocalAction


class ActionModule(LocalAction):
    task_name = "api_slb"
