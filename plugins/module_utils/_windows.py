# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of windows and freezes, for the module, the filter and the test alike (EST-4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ._arguments import Spec
from ._core.model import Finding, Severity, as_data
from ._core.windows import durations
from ._core.windows.state import HORIZON_DAYS, WindowState, state
from ._core.windows.window import windows
from ._results import Failed, Result

_MOMENT = "Write a moment with its offset, like 2026-01-05T21:00:00Z."


def spec() -> Spec:
    return {
        "windows": {"type": "raw"},
        "freezes": {"type": "raw"},
        "needs": {"type": "raw", "default": 0},
        "now": {"type": "str"},
        "horizon_days": {"type": "int", "default": HORIZON_DAYS},
    }


def look(options: Mapping[str, Any], _to: object = None) -> Result:
    """Raises Failed with all that is wrong."""
    opened, wrong = windows(_read(options.get("windows")), "windows")
    frozen, odd = windows(_read(options.get("freezes")), "freezes")
    problems = [*wrong, *odd, *_numbers(options)]
    now = _moment(options.get("now"))
    if now is None:
        problems.append(_wrong("now", f"{options['now']!r} is no moment.", _MOMENT, options["now"]))
    if problems or now is None:
        told = {"changed": False, "findings": [as_data(one) for one in problems], "error_code": "bad_window"}
        raise Failed(" ".join(map(str, problems)), told)
    needs = durations.seconds(options.get("needs")) or 0
    found = state(opened, frozen, now, needs, options.get("horizon_days") or HORIZON_DAYS)
    remarks = () if opened else (_none_set(),)
    return {"changed": False, **found.told, "message": _sentence(found), "findings": [as_data(one) for one in remarks]}


def _read(value: Any) -> Any:
    """AWX sends text."""
    if isinstance(value, str):
        try:
            return json.loads(value) if value.strip() else None
        except ValueError:
            return value
    return value


def _numbers(options: Mapping[str, Any]) -> list[Finding]:
    problems = []
    needs, days = options.get("needs"), options.get("horizon_days")
    if str(needs or 0) != "0" and durations.seconds(needs) is None:
        problems.append(_wrong("needs", f"{needs!r} is no length of time.", durations.HOW, needs))
    if days is not None and not 1 <= int(days) <= 3660:
        problems.append(_wrong("horizon_days", f"{days} is not between 1 and 3660.", "Correct it.", days))
    return problems


def _moment(value: Any) -> datetime | None:
    if value is None:
        return datetime.now(UTC)
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return found if found.tzinfo else None


def _wrong(where: str, what: str, remedy: str, value: Any) -> Finding:
    return Finding("bad_window", Severity.ERROR, where, what, remedy, value)


def _none_set() -> Finding:
    what = "No windows are set, so it is always open, except in freezes."
    return Finding("no_windows", Severity.INFO, "windows", what, "Set windows if it should not be.")


def _sentence(found: WindowState) -> str:
    told = found.told
    if found.fits:
        until = f" until {told['closes']}" if found.closes else ""
        return f"Open{until}{f': {found.window}' if found.window else ''}."
    why = {
        "closed": "Closed: no window is open.",
        "freeze": f"Closed: freeze {found.freeze}.",
        "cutoff": f"Open until {told['closes']}, which is too short.",
    }[found.blocked_by or "closed"]
    later = f"It fits next at {told['next_fit']}." if found.next_fit else "It does not fit as far as was looked."
    return f"{why} {later}"
