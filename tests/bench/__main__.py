# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m tests.bench [NAME…]: run bench_NAME.py of this folder (all of them, if none is named) and show the numbers.

Each has a function `measure` that yields Measurements. The exit code says whether every limit was kept.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from .measurement import Measurement

HERE = Path(__file__).parent
PREFIX = "bench_"


def known() -> list[str]:
    return sorted(path.stem.removeprefix(PREFIX) for path in HERE.glob(f"{PREFIX}*.py"))


def measurements(name: str) -> list[Measurement]:
    print(f"{name}:", flush=True)
    found = []
    for one in importlib.import_module(f"{__package__}.{PREFIX}{name}").measure():
        print(one.row(), flush=True)
        found.append(one)
    return found


def main(names: list[str]) -> int:
    unknown = sorted(set(names) - set(known()))
    if unknown:
        print(f"No benchmark is called {', '.join(unknown)}; there are: {', '.join(known())}.", file=sys.stderr)
        return 2
    try:
        taken = [one for name in names or known() for one in measurements(name)]
    except KeyboardInterrupt:
        return 130
    missed = [one.name for one in taken if one.missed]
    print(f"limits missed: {'; '.join(missed)}" if missed else f"{len(taken)} numbers, every limit kept")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
