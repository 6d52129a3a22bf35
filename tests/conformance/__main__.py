# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m tests.conformance [--twin] [FILE…]: exit code 0 when the core agrees with every vector of every file.

With --twin histories of IngressControllers are replayed on the lab's API server with the operator twin at work, instead
of on the model. Histories of the API itself are always replayed on that server.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..lab import ROOT  # also puts the collection on the path, so that this runs without the Makefile
from .kinds import KINDS
from .runner import report

TWIN = "--twin"
OWN = ROOT / "tests" / "conformance" / "histories.json"
API = ROOT / "tests" / "conformance" / "api_histories.json"
WINDOWS = ROOT / "tests" / "conformance" / "windows.json"


def main(arguments: list[str]) -> int:
    kinds = dict(KINDS)
    if TWIN in arguments:
        from .twin import replay_on_twin

        kinds["ic_history"] = replay_on_twin
    paths = [Path(argument) for argument in arguments if argument != TWIN] or [OWN, API, WINDOWS]
    try:
        return report(paths, kinds, sys.stdout)
    except ValueError as problem:
        sys.stderr.write(f"conformance: {problem}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
