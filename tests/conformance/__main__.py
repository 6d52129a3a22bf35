# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m tests.conformance [FILE…]: exit code 0 when the core agrees with every vector of every file."""

from __future__ import annotations

import sys
from pathlib import Path

from .kinds import KINDS
from .runner import report

OWN = Path(__file__).parent / "histories.json"


def main(arguments: list[str]) -> int:
    paths = [Path(argument) for argument in arguments] or [OWN]
    try:
        return report(paths, KINDS, sys.stdout)
    except ValueError as problem:
        sys.stderr.write(f"conformance: {problem}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
