# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that nobody can mean, in whichever option they stand: said before anything is computed with them (CORE-7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .data import Json
from .model import Finding, Severity

# Of the numbers an API takes none is larger; as seconds it is 68 years.
MOST = 2**31 - 1


def absurd(options: Json) -> tuple[Finding, ...]:
    """Of every option, however deep."""
    return tuple(
        Finding("bad_option", Severity.ERROR, where, f"No number may be beyond {MOST}.", "Give the one that is meant.")
        for where in _beyond(options, "")
    )


def _beyond(value: Any, where: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _beyond(item, f"{where}.{key}" if where else str(key))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _beyond(item, where)
    elif isinstance(value, (int, float)) and not -MOST <= value <= MOST:
        yield where
