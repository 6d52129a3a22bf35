# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check what no other gate checks: licence headers, short files, no marks for later, tests that mirror the plugins."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from mirror import unmirrored
from project_files import ROOT, project_files

HEADER_LINES = 8
COPYRIGHT = "Copyright: Edgeworks contributors"
LICENCE = "SPDX-License-Identifier: GPL-3.0-or-later"
LONGEST = 400
# Written apart, so that this file passes its own check.
MARKS = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def annotated_elsewhere(path: Path) -> bool:
    """REUSE.toml speaks for files that cannot carry a header."""
    annotations = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
    patterns = [pattern for annotation in annotations for pattern in annotation["path"]]
    return any(path.match(pattern.removeprefix("**/")) for pattern in patterns)


def complaints(path: Path) -> Iterator[str]:
    if path.parts[0] == "LICENSES" or (ROOT / path).is_symlink():
        return
    try:
        text = (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        text = ""
    if not text:  # sanity wants some __init__.py empty
        return
    head = "\n".join(text.splitlines()[:HEADER_LINES])
    if not annotated_elsewhere(path) and not (COPYRIGHT in head and LICENCE in head):
        yield f"{path}: the first {HEADER_LINES} lines lack '{COPYRIGHT}' or '{LICENCE}'"
    if path.suffix == ".py" and (length := text.count("\n")) >= LONGEST:
        yield f"{path}: {length} lines; split it by topic, files stay below {LONGEST}"
    if path.suffix in {".py", ".yml", ".sh", ".toml", ".j2"}:
        for number, line in enumerate(text.splitlines(), 1):
            if MARKS.search(line):
                yield f"{path}:{number}: a mark for later; do it, or write an issue"


def main() -> int:
    files = project_files()
    found = [complaint for path in files for complaint in complaints(path)] + list(unmirrored(files))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(files)} files, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
