# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One window or freeze: what inventory says of it, checked, and when it occurs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from typing import Any
from zoneinfo import ZoneInfo

from ..model import Finding, Severity
from . import durations, recurrence

FIELDS = ("name", "timezone", "start", "duration", "rrule", "exclude")
_CLOCK = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?", re.ASCII)
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*", re.ASCII)
# Files in a zone database that are no zones, or copies of all of them.
_NO_ZONES = ("localtime", "posixrules", "Factory", "posix", "right")
# Zones differ from UTC by less, and move their clocks by no more.
_MARGIN = timedelta(days=2)


@dataclass(frozen=True)
class Window:
    name: str
    zone: ZoneInfo
    start: datetime  # wall clock
    duration: timedelta
    rule: recurrence.Rule | None = None
    exclude: frozenset[datetime] = frozenset()

    def occurrences(self, after: datetime, before: datetime) -> Iterator[tuple[datetime, datetime]]:
        """Start and end of those that end after the one and start no later than the other."""
        for wall in self._walls(after - self.duration - _MARGIN, before + _MARGIN):
            begin = placed(wall, self.zone)
            end = begin + self.duration
            if end > after and begin <= before:
                yield begin, end

    def _walls(self, after: datetime, before: datetime) -> Iterator[datetime]:
        rule = self.rule
        if rule is None:
            yield from () if self.start in self.exclude else (self.start,)
            return
        until = rule.until if rule.until is not None and rule.until.tzinfo else None
        for wall in recurrence.occurrences(rule, self.start, _naive(after), _naive(before)):
            if until is not None and placed(wall, self.zone) > until:
                return
            if wall not in self.exclude:
                yield wall


def placed(wall: datetime, zone: ZoneInfo) -> datetime:
    """In a gap with the offset from before it; of two the first. That is what fold=0 means."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _naive(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)


def windows(given: Any, where: str) -> tuple[tuple[Window, ...], tuple[Finding, ...]]:
    """Those that are right, and all that is wrong with the others. `where`: the variable's name."""
    if given is None:
        return (), ()
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)):
        what = f"{given!r} is not a list of windows."
        remedy = "Give a list, each with name, timezone, start and duration."
        return (), (_wrong(where, what, remedy, given),)
    found: list[Window] = []
    problems: list[Finding] = []
    for number, one in enumerate(given):
        label = one.get("name") if isinstance(one, Mapping) else None
        made, wrong = window(one, f"{where}[{label if label and isinstance(label, str) else number}]")
        problems += wrong
        found += [made] if made else []
    counted = Counter(one.get("name") for one in given if isinstance(one, Mapping) and isinstance(one.get("name"), str))
    for name in [name for name, count in counted.items() if count > 1]:
        what = f"{counted[name]} of them are called {name!r}; a name is how a plan tells them apart."
        problems.append(_wrong(f"{where}[{name}].name", what, "Give each its own.", name))
    return tuple(found), tuple(problems)


def window(given: Any, where: str) -> tuple[Window | None, tuple[Finding, ...]]:
    if not isinstance(given, Mapping):
        return None, (_wrong(where, f"{given!r} is not a window.", f"Give {', '.join(FIELDS)}.", given),)
    problems = [*_unknown(given, where)]
    name, zone, start = given.get("name"), _zone(given.get("timezone")), wall_clock(given.get("start"))
    length = durations.seconds(given.get("duration"))
    if not isinstance(name, str) or not name.strip():
        problems.append(_wrong(f"{where}.name", f"{name!r} is no name.", "Give it a name.", name))
    if zone is None:
        what = f"{given.get('timezone')!r} is no time zone of the IANA database."
        remedy = "Write one like Europe/Berlin or UTC."
        problems.append(_wrong(f"{where}.timezone", what, remedy, given.get("timezone")))
    if start is None:
        what = f"{given.get('start')!r} is no local time."
        remedy = "Write the wall clock of the time zone, like 2026-01-05T22:00, without an offset."
        problems.append(_wrong(f"{where}.start", what, remedy, given.get("start")))
    if length is None:
        what = f"{given.get('duration')!r} is no length of time."
        problems.append(_wrong(f"{where}.duration", what, durations.HOW, given.get("duration")))
    rule, wrong = _rule(given.get("rrule"), f"{where}.rrule")
    excluded, odd = _excluded(given.get("exclude"), f"{where}.exclude")
    problems += [*wrong, *odd]
    if problems or zone is None or start is None or length is None:
        return None, tuple(problems)
    return Window(str(name), zone, start, timedelta(seconds=length), rule, excluded), ()


def wall_clock(value: Any) -> datetime | None:
    """YAML makes a time of what is written without quotes."""
    if isinstance(value, datetime):
        return value if value.tzinfo is None and not value.microsecond else None
    if not isinstance(value, str) or not _CLOCK.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def _zone(value: Any) -> ZoneInfo | None:
    if not isinstance(value, str) or not _ZONE.fullmatch(value) or value.split("/")[0] in _NO_ZONES:
        return None
    try:
        return ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        return None


def _rule(value: Any, where: str) -> tuple[recurrence.Rule | None, tuple[Finding, ...]]:
    if value is None:
        return None, ()
    try:
        if isinstance(value, str):
            return recurrence.parse(value), ()
        problem = "it is not text"
    except recurrence.BadRule as error:
        problem = str(error)
    remedy = "Write an RFC 5545 rule like FREQ=WEEKLY;BYDAY=MO,TH; start and time zone are fields of their own."
    return None, (_wrong(where, f"{value!r} is no recurrence rule: {problem}.", remedy, value),)


def _excluded(value: Any, where: str) -> tuple[frozenset[datetime], tuple[Finding, ...]]:
    if value is None:
        return frozenset(), ()
    entries = value if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else [value]
    read = [wall_clock(entry) for entry in entries]
    if entries is not value or None in read:
        odd = [entry for entry, found in zip(entries, read, strict=True) if found is None] or [value]
        what = f"{', '.join(map(repr, odd))}: not a list of local starts."
        return frozenset(), (_wrong(where, what, "Write wall clocks like 2026-01-06T22:00.", value),)
    return frozenset(one for one in read if one is not None), ()


def _unknown(given: Mapping[str, Any], where: str) -> Iterator[Finding]:
    for key in given:
        if key not in FIELDS:
            near = get_close_matches(str(key), FIELDS, 1)
            remedy = f"Did you mean {near[0]}?" if near else f"Known are {', '.join(FIELDS)}."
            yield _wrong(f"{where}.{key}", f"{key!r} is an unknown key.", remedy, given[key])


def _wrong(where: str, what: str, remedy: str, value: Any) -> Finding:
    return Finding("bad_window", Severity.ERROR, where, what, remedy, value)
