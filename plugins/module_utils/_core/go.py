# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How Go prints things: the operator's texts and values are Go's, so ours must be too."""

from __future__ import annotations

import json
import re
from typing import Any

_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_DURATION = re.compile(r"[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+")
_DURATION_PART = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_LONGEST = 2**63 - 1
# What an API server reads beyond Go's own form: a number and a word, anywhere in the text, in any letter case. The last
# word of each row may go on (days, weekly).
_WORDS = (
    ("ns", "nano"),
    ("us", "µs", "micro"),
    ("ms", "milli"),
    ("s", "sec"),
    ("m", "min"),
    ("h", "hr", "hour"),
    ("d", "day"),
    ("w", "wk", "week"),
)
_WORDED = re.compile(r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)")
SECOND = 10**9


def quote(text: str) -> str:
    """fmt's %q."""
    return '"' + "".join(_quoted(char) for char in text) + '"'


def _quoted(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def marshal(value: Any) -> str:
    """encoding/json: compact, keys in the order given, HTML characters escaped."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def parse_duration(text: str) -> int | None:
    """time.ParseDuration in nanoseconds; None when Go would not take it."""
    if text in ("0", "+0", "-0"):
        return 0
    if not _DURATION.fullmatch(text):
        return None
    total = sum(_nanoseconds(number, _UNITS[unit]) for number, unit in _DURATION_PART.findall(text))
    negative = text.startswith("-")
    if total > _LONGEST + negative:
        return None
    return -total if negative else total


def is_api_duration(text: str) -> bool:
    """A text of format `duration` as an API server validates it (kube-openapi): 1d and 1 m are some, not so for Go."""
    if parse_duration(text) is not None:
        return True
    parts = _WORDED.findall(text)
    if any(int(number) > _LONGEST for number, _word in parts):
        return False
    return any(_is_unit(word.lower()) for _number, word in parts)


def _is_unit(word: str) -> bool:
    return any(word in row or word.startswith(row[-1]) for row in _WORDS)


def duration_problem(text: str) -> str:
    """Why Go does not read it, in Go's words."""
    rest = re.sub(r"^[-+]", "", text)
    while rest:
        number = re.match(r"[0-9]+\.?[0-9]*|\.[0-9]+", rest)
        if not number:
            break
        unit = re.match(r"[^.0-9]*", rest[number.end() :])
        name = unit[0] if unit else ""
        if not name:
            return f"time: missing unit in duration {quote(text)}"
        if name not in _UNITS:
            return f"time: unknown unit {quote(name)} in duration {quote(text)}"
        rest = rest[number.end() + len(name) :]
    return f"time: invalid duration {quote(text)}"


def _nanoseconds(number: str, unit: int) -> int:
    whole, _dot, fraction = number.partition(".")
    part = int(fraction) * unit // 10 ** len(fraction) if fraction else 0
    return int(whole or 0) * unit + part


def format_duration(nanoseconds: int) -> str:
    """time.Duration's String: 90 s is 1m30s, nothing is 0s."""
    if nanoseconds == 0:
        return "0s"
    sign, rest = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if rest < SECOND:
        for unit, size in (("ms", 10**6), ("µs", 10**3), ("ns", 1)):
            if rest >= size:
                return f"{sign}{_decimal(rest, size)}{unit}"
    minutes, seconds = divmod(rest, 60 * SECOND)
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(seconds, SECOND)}s"
    if hours or minutes:
        text = f"{minutes}m{text}"
    return f"{sign}{hours}h{text}" if hours else sign + text


def _decimal(amount: int, unit: int) -> str:
    whole, fraction = divmod(amount, unit)
    if not fraction:
        return str(whole)
    digits = str(fraction).rjust(len(str(unit)) - 1, "0").rstrip("0")
    return f"{whole}.{digits}"


def whole_seconds(nanoseconds: int) -> int:
    """Duration.Round(time.Second): half away from zero."""
    return (nanoseconds + SECOND // 2) // SECOND
