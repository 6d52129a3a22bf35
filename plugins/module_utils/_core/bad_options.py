# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the options of any module may not say, and how that is told (CORE-7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .model import Decision, Finding, Severity, Target, Verdict

Options = Mapping[str, Any]


def bad_option(where: str, what: str, remedy: str, value: Any = None) -> Finding:
    return Finding("bad_option", Severity.ERROR, where, what, remedy, value)


def waiting(options: Options) -> Iterator[Finding]:
    """Waits without an end or a pause."""
    for name in ("wait_timeout", "wait_sleep"):
        if options[name] < 1:
            what, remedy = f"{options[name]} is less than 1.", "Give a whole number of seconds from 1 on."
            yield bad_option(name, what, remedy, options[name])


def refused(target: Target, problems: tuple[Finding, ...]) -> Decision:
    """The decision on options that cannot be meant."""
    text = " ".join(str(finding) for finding in problems)
    return Decision(target, Verdict.INVALID, text, findings=problems)
