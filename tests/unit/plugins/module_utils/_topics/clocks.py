# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clock that only sleeping moves."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Clock
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._waiting import WaitOptions


class Sleeper:
    def __init__(self) -> None:
        self.slept: list[float] = []

    def options(self, asked: bool = True, timeout: float = 60) -> WaitOptions:
        return WaitOptions(asked, timeout, 5, Clock(lambda: sum(self.slept), self.slept.append))
