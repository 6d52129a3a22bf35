# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as something spoilt them: an editor, a script, a half-written export, a server that is none."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

Place = list[str | int]
_ODD: tuple[Any, ...] = (None, True, False, 0, -1, 2**63, 1.5, "", [], {}, [None], {"": None}, ["x"], {"x": "y"}, "x")
_ODD_TEXTS = (
    "",
    " ",
    "\n",
    "null",
    "{",
    "[]",
    '"x"',
    "{}",
    '{"metadata":[]}',
    '{"spec":{"ports":7}}',
    "0",
    "-1",
    "1d",
    "Ünïcödé\u2028",
    ",",
    " ,subnet-,, ",
    "x" * 5000,
    "edgeworks.lb_estate/",
    "edgeworks.lb_estate/odd form",
    "9999-12-31T23:59:59.999999Z",
    "[" * 3000,
)


def spoil(draw: Random, obj: Any) -> Any:
    """A copy with one thing wrong, now and then inside a text that is JSON itself."""
    spoilt = copy.deepcopy(obj)
    place = draw.choice(_places(spoilt))
    if not place:
        return draw.choice(_ODD)
    parent = spoilt
    for part in place[:-1]:
        parent = parent[part]
    _spoil_at(draw, parent, place[-1])
    return spoilt


def _places(value: Any, at: Place | None = None) -> list[Place]:
    here = at or []
    found: list[Place] = [here]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += _places(item, [*here, key])
    return found


def _spoil_at(draw: Random, parent: Any, key: Any) -> None:
    value = parent[key]
    inner = _inner_json(value)
    choice = draw.random()
    if inner is not None and choice < 0.6:
        parent[key] = json.dumps(spoil(draw, inner))
    elif choice < 0.3:
        del parent[key]
    elif isinstance(value, str) and choice < 0.7:
        parent[key] = draw.choice((*_ODD_TEXTS, value.upper(), value * 2, value[: len(value) // 2], f" {value}"))
    elif isinstance(value, list) and value and choice < 0.7:
        parent[key] = draw.choice((value * 2, value[::-1], [*value, None], [*value, {}], [*value, "x"], [value]))
    elif isinstance(value, dict) and choice < 0.5:
        parent[key] = {**value, draw.choice(("", "x", "type", "name")): draw.choice(_ODD)}
    else:
        parent[key] = copy.deepcopy(draw.choice(_ODD))


def _inner_json(value: Any) -> Any:
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
