# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter window_state: what window_info returns, in an expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._results import Failed
from ..module_utils._windows import look


def window_state(windows: Any, **options: Any) -> dict[str, Any]:
    known = {"freezes", "needs", "now", "horizon_days"}
    if not set(options) <= known:
        raise AnsibleFilterError(f"window_state takes {', '.join(sorted(known))}; not {', '.join({*options} - known)}.")
    try:
        return dict(look({"windows": windows, **options}))
    except Failed as failure:
        raise AnsibleFilterError(str(failure)) from failure


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"window_state": window_state}
