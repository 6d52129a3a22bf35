# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs service_lb_class in the controller's worker; steps aside to the module where a task asks for another place."""

from __future__ import annotations

from ..plugin_utils._local import LocalAction


class ActionModule(LocalAction):
    task_name = "service_lb_class"
