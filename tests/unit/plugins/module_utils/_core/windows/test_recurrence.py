# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EST-4: what RFC 5545 allows and forbids, and that what never comes is not looked for until the year 9999."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from unittest.mock import patch

import dateutil.rrule
import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.windows import recurrence
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.windows.recurrence import (
    BadRule,
    Rule,
    occurrences,
    parse,
)

START = datetime.fromisoformat("2026-01-05T22:00:00")
END = datetime.fromisoformat("2027-01-05T00:00:00")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("FREQ=DAILY", Rule("DAILY", numbers={})),
        ("freq=weekly;byday=mo,-1su", None),
        ("FREQ=MONTHLY;BYDAY=1MO,-1SU;WKST=SU", Rule("MONTHLY", 1, None, None, "SU", (("MO", 1), ("SU", -1)), {})),
        ("FREQ=DAILY;COUNT=5;INTERVAL=2", Rule("DAILY", 2, 5, numbers={})),
        (
            "FREQ=DAILY;UNTIL=20261231T220000",
            Rule("DAILY", until=datetime.fromisoformat("2026-12-31T22:00:00"), numbers={}),
        ),
        (
            "FREQ=DAILY;UNTIL=20261231T220000Z",
            Rule("DAILY", until=datetime.fromisoformat("2026-12-31T22:00:00Z"), numbers={}),
        ),
        ("FREQ=YEARLY;BYMONTHDAY=-1;BYMONTH=1,7", Rule("YEARLY", numbers={"BYMONTHDAY": (-1,), "BYMONTH": (1, 7)})),
    ],
)
def test_a_rule_is_read(text: str, rule: Rule | None) -> None:
    if rule is None:
        with pytest.raises(BadRule, match="numbered weekday"):
            parse(text)
    else:
        assert parse(text) == rule


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no part"),
        ("every sunday", "no part"),
        ("RRULE:FREQ=DAILY", "no part"),
        ("FREQ=DAILY;", "no part"),
        ("FREQ=DAILY;BYEASTER=0", "no part"),
        ("FREQ=DAILY;X-MINE=1", "no part"),
        ("FREQ=DAILY; COUNT=2", "no part"),
        ("FREQ=DAILY;COUNT=", "no part"),
        ("FREQ=DAILY;FREQ=DAILY", "twice"),
        ("COUNT=2", "FREQ is to be one of"),
        ("FREQ=SECONDLY", "FREQ is to be one of"),
        ("FREQ=DAILY;COUNT=0", "above 0"),
        ("FREQ=DAILY;INTERVAL=-1", "above 0"),
        ("FREQ=DAILY;COUNT=2;UNTIL=20261231T220000Z", "must not both"),
        ("FREQ=DAILY;UNTIL=20261231", "UNTIL=20261231 is not a time"),
        ("FREQ=DAILY;UNTIL=20260230T100000", "is not a time"),
        ("FREQ=DAILY;WKST=XX", "WKST"),
        ("FREQ=DAILY;BYDAY=XX", "not a weekday"),
        ("FREQ=MONTHLY;BYDAY=0MO", "not a weekday"),
        ("FREQ=MONTHLY;BYDAY=54MO", "not a weekday"),
        ("FREQ=WEEKLY;BYDAY=1MO", "numbered weekday"),
        ("FREQ=YEARLY;BYWEEKNO=3;BYDAY=1MO", "numbered weekday"),
        ("FREQ=DAILY;BYHOUR=24", "between 0 and 23"),
        ("FREQ=DAILY;BYHOUR=+2", "between 0 and 23"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "between 1 and 31"),
        ("FREQ=YEARLY;BYMONTH=-1", "between 1 and 12"),
        ("FREQ=WEEKLY;BYMONTHDAY=1", "cannot be used with FREQ=WEEKLY"),
        ("FREQ=MONTHLY;BYYEARDAY=1", "cannot be used with FREQ=MONTHLY"),
        ("FREQ=DAILY;BYWEEKNO=1", "cannot be used with FREQ=DAILY"),
        ("FREQ=MONTHLY;BYSETPOS=1", "another BY part"),
    ],
)
def test_what_the_rfc_forbids(text: str, words: str) -> None:
    with pytest.raises(BadRule, match=words):
        parse(text)


def test_occurrences_are_those_asked_for() -> None:
    found = list(occurrences(parse("FREQ=WEEKLY;COUNT=5"), START, datetime.fromisoformat("2026-01-13T00:00:00"), END))
    assert [one.day for one in found] == [19, 26, 2]


@pytest.mark.parametrize(
    "text",
    [
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;COUNT=3;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;INTERVAL=24;BYHOUR=3",
        "FREQ=DAILY;BYSECOND=60",
        "FREQ=YEARLY;INTERVAL=9000",
    ],
)
def test_what_never_comes(text: str) -> None:
    """The library is given an end; how long it takes is for the benchmark."""
    ends: list[Any] = []
    made = dateutil.rrule.rrule.__init__

    def noted(self: Any, *given: Any, **more: Any) -> None:
        ends.append(more["until"])
        made(self, *given, **more)

    with patch.object(dateutil.rrule.rrule, "__init__", noted):
        assert list(occurrences(parse(text), START, datetime.fromisoformat("2026-01-06T00:00:00"), END)) == []
    assert set(ends) <= {END}


@pytest.mark.parametrize(
    "text", ["FREQ=HOURLY;INTERVAL=7", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU"]
)
def test_a_start_long_ago_changes_nothing_but_the_work(text: str) -> None:
    rule, old, after = (
        parse(text),
        datetime.fromisoformat("1990-01-02T03:00:00"),
        datetime.fromisoformat("2026-03-01T00:00:00"),
    )
    late = recurrence._later(rule, old, after)
    assert after - late < rule.interval * recurrence._STEPS[rule.frequency]
    with patch.object(recurrence, "_STEPS", {}):
        slow = list(occurrences(rule, old, after, datetime.fromisoformat("2026-06-01T00:00:00")))
    assert list(occurrences(rule, old, after, datetime.fromisoformat("2026-06-01T00:00:00"))) == slow
    assert slow
