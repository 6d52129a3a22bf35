# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths of time as people and machines write them: 14400, "14400", 4h, 2h30m, 24d, PT4H."""

from __future__ import annotations

import re
from typing import Any

DAY = 86_400
LONGEST = 366 * DAY
HOW = "Write whole seconds, 4h, 90m, 2h30m, 24d or PT4H; more than nothing, 366 days at most."
_SHORT = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.ASCII)
_ISO = re.compile(r"P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.ASCII)
_WEEKS = re.compile(r"P(\d+)W", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)


def seconds(value: Any) -> int | None:
    """None for what is no length of time, or none that anybody means."""
    found = _number(value)
    return found if found is not None and 0 < found <= LONGEST else None


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    if isinstance(value, int):
        return value
    if _DIGITS.fullmatch(value):
        return int(value) if len(value) < 20 else None
    weeks = _WEEKS.fullmatch(value)
    if weeks:
        return int(weeks[1]) * 7 * DAY
    match = _SHORT.fullmatch(value) or _ISO.fullmatch(value)
    if match is None or not any(match.groups()):
        return None
    days, hours, minutes, rest = (int(part or 0) for part in match.groups())
    return days * DAY + hours * 3600 + minutes * 60 + rest
