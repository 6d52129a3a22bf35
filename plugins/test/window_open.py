# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test window_open: does what is to be done fit into a window now?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..filter.window_state import window_state


def window_open(windows: Any, **options: Any) -> bool:
    return bool(window_state(windows, **options)["fits"])


class TestModule:
    def tests(self) -> dict[str, Callable[..., bool]]:
        return {"window_open": window_open}
