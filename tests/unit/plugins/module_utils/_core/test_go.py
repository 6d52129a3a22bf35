# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator's texts are Go's: %q, encoding/json and time.Duration (facts: ingress-operator §4, §7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.go import (
    SECOND,
    duration_problem,
    format_duration,
    is_api_duration,
    marshal,
    parse_duration,
    quote,
    whole_seconds,
)

HOUR = 3600 * SECOND


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("", '""'),
        ("External", '"External"'),
        ('{"ids":["a"]}', r'"{\"ids\":[\"a\"]}"'),
        ("it's", '"it\'s"'),
        ("back\\slash", r'"back\\slash"'),
        ("line\nend\ttab\r", r'"line\nend\ttab\r"'),
        ("\a\b\f\v", r'"\a\b\f\v"'),
        ("\x00\x1f\x7f", r'"\x00\x1f\x7f"'),
        ("Zürich", '"Zürich"'),
        ("no\u00a0break", r'"no\u00a0break"'),
        ("soft\u00adhyphen", r'"soft\u00adhyphen"'),
        ("\U0001f600", '"\U0001f600"'),
        ("\U000e0001", r'"\U000e0001"'),
    ],
)
def test_quote_is_percent_q(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (["subnet-a", "name b"], '["subnet-a","name b"]'),
        ({"z": 1, "a": None}, '{"z":1,"a":null}'),
        (["<a>&b"], '["\\u003ca\\u003e\\u0026b"]'),
        (["line\u2028sep\u2029"], '["line\\u2028sep\\u2029"]'),
        (["Zürich"], '["Zürich"]'),
        (['say "x"\n'], '["say \\"x\\"\\n"]'),
        ([], "[]"),
    ],
)
def test_marshal_is_encoding_json(value: Any, text: str) -> None:
    """Compact, keys in the order given, HTML characters escaped (facts §7, Value and PATCH formats)."""
    assert marshal(value) == text


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("+0", 0),
        ("-0", 0),
        ("0s", 0),
        ("1ns", 1),
        ("1us", 1000),
        ("1µs", 1000),  # U+00B5, the micro sign
        ("1μs", 1000),  # U+03BC, the Greek letter
        ("1.5ms", 1_500_000),
        ("60s", 60 * SECOND),
        ("1m30s", 90 * SECOND),
        ("1h", HOUR),
        ("1.5h", HOUR + HOUR // 2),
        (".5s", SECOND // 2),
        ("1.s", SECOND),
        ("-1m", -60 * SECOND),
        ("+1m", 60 * SECOND),
        ("90m1s", 5401 * SECOND),
        ("0.3333333333s", 333_333_333),
    ],
)
def test_a_duration_as_go_reads_it(text: str, nanoseconds: int) -> None:
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize(
    "text", ["", "60", "s", ".s", "1d", "1 s", " 1s", "1s ", "1e3s", "one hour", "--1s", "1s-1s", "٣s", "9999999h"]
)
def test_what_go_does_not_take_for_a_duration(text: str) -> None:
    assert parse_duration(text) is None


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        *(
            (text, True)
            for text in ("1s", "-1.5h", "0", "1d", "1w", "2d12h", "1D", "1 m", "1 Weeks", "5 minutes", "1µs")
        ),
        *((text, True) for text in ("in 3 days", "-1d", "9999999h", "7wk", "1 hr")),
        *((text, False) for text in ("", "10", "x", "d", "1x", "1 fortnight", "1hrs", "1ſ", "٣d", "9" * 20 + "d")),
    ],
)
def test_a_duration_as_an_api_server_takes_it(text: str, taken: bool) -> None:
    """Safe ingress 19: more than Go reads."""
    assert is_api_duration(text) is taken


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        ("1h2w", 'time: unknown unit "w" in duration "1h2w"'),
        ("10", 'time: missing unit in duration "10"'),
        ("in 3 days", 'time: invalid duration "in 3 days"'),
        ("", 'time: invalid duration ""'),
    ],
)
def test_why_go_does_not_read_it(text: str, told: str) -> None:
    assert duration_problem(text) == told


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0s"),
        (1, "1ns"),
        (1500, "1.5µs"),
        (2_500_000, "2.5ms"),
        (999_999_999, "999.999999ms"),
        (SECOND, "1s"),
        (SECOND + SECOND // 2, "1.5s"),
        (60 * SECOND, "1m0s"),
        (90 * SECOND, "1m30s"),
        (HOUR, "1h0m0s"),
        (25 * HOUR + 61 * SECOND + 1, "25h1m1.000000001s"),
        (-90 * SECOND, "-1m30s"),
        (-1, "-1ns"),
    ],
)
def test_a_duration_as_go_prints_it(nanoseconds: int, text: str) -> None:
    assert format_duration(nanoseconds) == text
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1s", 1), ("1.499s", 1), ("1.5s", 2), ("499ms", 0), ("500ms", 1), ("1m30s", 90), ("1h", 3600)],
)
def test_the_idle_timeout_annotation_has_whole_seconds_rounded(text: str, seconds: int) -> None:
    """facts §4, managed annotation 2."""
    assert whole_seconds(parse_duration(text) or 0) == seconds
