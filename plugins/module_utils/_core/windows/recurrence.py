# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RFC 5545's recurrence rules, as strict as the RFC; which libraries are not (EST-4).

dateutil finds the occurrences. It would take other libraries' spellings, search for what never comes until the year
9999, and say nothing of parts that the RFC forbids together; so the rule is read here, and dateutil gets an end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

FREQUENCIES = ("HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
# part → lowest and highest value, and whether it may count from the end
_NUMBERS: Mapping[str, tuple[int, int, bool]] = {
    "BYSECOND": (0, 60, False),
    "BYMINUTE": (0, 59, False),
    "BYHOUR": (0, 23, False),
    "BYMONTHDAY": (1, 31, True),
    "BYYEARDAY": (1, 366, True),
    "BYWEEKNO": (1, 53, True),
    "BYMONTH": (1, 12, False),
    "BYSETPOS": (1, 366, True),
}
# part → frequencies that the RFC forbids it with
_NOT_WITH: Mapping[str, tuple[str, ...]] = {
    "BYWEEKNO": ("HOURLY", "DAILY", "WEEKLY", "MONTHLY"),
    "BYYEARDAY": ("DAILY", "WEEKLY", "MONTHLY"),
    "BYMONTHDAY": ("WEEKLY",),
}
_KNOWN = {"FREQ", "UNTIL", "COUNT", "INTERVAL", "WKST", "BYDAY", *_NUMBERS}
_SIGNED = re.compile(r"([+-]?)(\d{1,4})", re.ASCII)
_WEEKDAY = re.compile(r"(?:([+-]?)(\d{1,2}))?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
_POSITIVE = re.compile(r"0*[1-9]\d{0,8}", re.ASCII)
_UNTIL = re.compile(r"(\d{8}T\d{6})(Z?)", re.ASCII)
# Steps of these are all alike, so a rule without COUNT may be begun as many of them later as one likes.
_STEPS = {"HOURLY": timedelta(hours=1), "DAILY": timedelta(days=1), "WEEKLY": timedelta(weeks=1)}


class BadRule(ValueError):
    """The sentence that says why."""


@dataclass(frozen=True)
class Rule:
    frequency: str
    interval: int = 1
    count: int | None = None
    until: datetime | None = None  # with a zone (UTC), or a wall clock's
    week_start: str = "MO"
    days: tuple[tuple[str, int], ...] = ()  # weekday, which one of the period (0: every)
    numbers: Mapping[str, tuple[int, ...]] | None = None


def parse(text: str) -> Rule:
    """Raises BadRule."""
    parts: dict[str, str] = {}
    for piece in text.upper().split(";"):
        name, equals, value = piece.partition("=")
        if not equals or not value or name not in _KNOWN:
            raise BadRule(f"{piece!r} is no part of an RFC 5545 rule")
        if name in parts:
            raise BadRule(f"{name} is there twice")
        parts[name] = value
    rule = Rule(
        _chosen(parts.get("FREQ", ""), FREQUENCIES, "FREQ"),
        _positive(parts, "INTERVAL") or 1,
        _positive(parts, "COUNT"),
        _until(parts["UNTIL"]) if "UNTIL" in parts else None,
        _chosen(parts.get("WKST", "MO"), DAYS, "WKST"),
        tuple(_weekday(one) for one in parts["BYDAY"].split(",")) if "BYDAY" in parts else (),
        {name: _numbers(name, parts[name]) for name in _NUMBERS if name in parts},
    )
    _check_together(rule, parts)
    return rule


def _chosen(value: str, choices: tuple[str, ...], name: str) -> str:
    if value not in choices:
        raise BadRule(f"{name} is to be one of {', '.join(choices)}, not {value or 'left out'}")
    return value


def _positive(parts: Mapping[str, str], name: str) -> int | None:
    if name not in parts:
        return None
    if not _POSITIVE.fullmatch(parts[name]):
        raise BadRule(f"{name}={parts[name]} is not a whole number above 0")
    return int(parts[name])


def _until(text: str) -> datetime:
    match = _UNTIL.fullmatch(text)
    try:
        if match:
            found = datetime.fromisoformat(match[1])
            return found.replace(tzinfo=UTC) if match[2] else found
    except ValueError:
        pass
    raise BadRule(f"UNTIL={text} is not a time like 20261231T220000 or 20261231T210000Z")


def _weekday(text: str) -> tuple[str, int]:
    match = _WEEKDAY.fullmatch(text)
    which = int(match[2]) if match and match[2] else 0
    if match is None or (match[2] and not 1 <= which <= 53):
        raise BadRule(f"BYDAY={text} is not a weekday like MO, 1MO or -1FR")
    return match[3], -which if match[1] == "-" else which


def _numbers(name: str, text: str) -> tuple[int, ...]:
    lowest, highest, from_end = _NUMBERS[name]
    found = []
    for one in text.split(","):
        match = _SIGNED.fullmatch(one)
        value = int(match[2]) if match else -1
        if match is None or not lowest <= value <= highest or (match[1] and not from_end):
            raise BadRule(f"{name}={one} is not between {lowest} and {highest}")
        found.append(-value if match[1] == "-" else value)
    return tuple(found)


def _check_together(rule: Rule, parts: Mapping[str, str]) -> None:
    if rule.count is not None and rule.until is not None:
        raise BadRule("COUNT and UNTIL must not both be there")
    for name, frequencies in _NOT_WITH.items():
        if name in parts and rule.frequency in frequencies:
            raise BadRule(f"{name} cannot be used with FREQ={rule.frequency}")
    may_number = rule.frequency in ("MONTHLY", "YEARLY") and "BYWEEKNO" not in parts
    if any(which for _day, which in rule.days) and not may_number:
        raise BadRule("a numbered weekday needs FREQ=MONTHLY or FREQ=YEARLY, and no BYWEEKNO")
    if "BYSETPOS" in parts and not any(name.startswith("BY") and name != "BYSETPOS" for name in parts):
        raise BadRule("BYSETPOS needs another BY part to choose from")


def occurrences(rule: Rule, start: datetime, after: datetime, before: datetime) -> Iterator[datetime]:
    """Wall-clock times from the first at or after `after` to `before`; UNTIL with a zone is the caller's to compare."""
    import dateutil.rrule

    numbers = dict(rule.numbers or {})
    seconds = tuple(one for one in numbers.get("BYSECOND", ()) if one < 60)  # no wall clock shows a leap second
    if numbers.get("BYSECOND") and not seconds:
        return
    wall_until = rule.until if rule.until is not None and rule.until.tzinfo is None else before
    given: dict[str, Any] = {name.lower(): list(values) for name, values in numbers.items() if name != "BYSECOND"}
    if seconds:
        given["bysecond"] = list(seconds)
    if rule.days:
        given["byweekday"] = [dateutil.rrule.weekday(DAYS.index(day), which or None) for day, which in rule.days]
    try:
        found = dateutil.rrule.rrule(
            getattr(dateutil.rrule, rule.frequency),
            dtstart=_later(rule, start, after),
            interval=rule.interval,
            wkst=DAYS.index(rule.week_start),
            until=min(wall_until, before),
            **given,
        )
        for number, one in enumerate(found):
            if rule.count is not None and number >= rule.count:
                return
            if one >= after:
                yield one
    except ValueError:
        # dateutil's word for hours that the interval never reaches.
        return


def _later(rule: Rule, start: datetime, after: datetime) -> datetime:
    """A start nearer to what is looked for, from which the rule goes on just the same."""
    step = _STEPS.get(rule.frequency)
    if step is None or rule.count is not None or after <= start:
        return start
    whole = rule.interval * step
    return start + (after - start) // whole * whole
