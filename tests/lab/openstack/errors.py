# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error of this lab: a sentence for a person, never a traceback."""

from __future__ import annotations

import errno
from pathlib import Path


class LabError(Exception):
    """What was found, where, and what to do about it."""


def sentence_of(error: OSError) -> str:
    """An operating system error as a sentence; a full disk says how much a lab needs."""
    if error.errno == errno.ENOSPC:
        return (
            "The disk is full: a lab needs about 300 MB, its installation another 700 MB. "
            "Free some space and run the same command again."
        )
    where = f" ({error.filename})" if error.filename else ""
    return f"{error.strerror or error}{where}. Put that right and run the same command again."


def tail_of(log: Path, lines: int = 12) -> str:
    """The last lines of a log, indented, to stand below the sentence that says which process failed."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return f"    (no log at {log})"
    return "\n".join(f"    {line}" for line in text.strip().splitlines()[-lines:])
