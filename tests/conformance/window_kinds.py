# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows and freezes: their state at a moment, and what is no window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.windows.state import state
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.windows.window import windows

from .runner import Kind, Mismatch, Vector, compare


def _state(vector: Vector) -> Sequence[Mismatch]:
    given = vector["given"]
    opened, wrong = windows(given["windows"], "windows")
    frozen, odd = windows(given["freezes"], "freezes")
    if wrong or odd:
        return [Mismatch("valid", True, [str(one) for one in (*wrong, *odd)])]
    now = datetime.fromisoformat(given["now"])
    more = {"horizon_days": given["horizon_days"]} if "horizon_days" in given else {}
    found = state(opened, frozen, now, given["needs_seconds"], **more)
    return compare(vector["expect"], found.told)


def _checked(vector: Vector) -> Sequence[Mismatch]:
    given = vector["given"]
    found, wrong = windows(given if isinstance(given, list) else [given], "windows")
    fields = {one.where.rpartition(".")[2] for one in wrong}
    got = {"valid": not wrong, "fields": fields}
    if found:
        got["duration_seconds"] = int(found[0].duration.total_seconds())
    expect = dict(vector["expect"])
    return compare(expect | ({"fields": set(expect["fields"])} if "fields" in expect else {}), got)


KINDS: Mapping[str, Kind] = {"window_state": _state, "window_valid": _checked, "window_invalid": _checked}
