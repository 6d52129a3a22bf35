# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where documentation, roles and playbooks name a code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: Where words of ours that are no codes are: options, return values, variables, files. The catalogue does not count.
ELSEWHERE = ("plugins", "roles", "playbooks", "tests", "tools", "meta")
_QUOTED = re.compile(r"`([a-z0-9_]+)`")
_LINK = re.compile(r"findings\.md#([\w-]+)")
# In YAML: the code of a sample, and comparisons with code, error_code, cause and codes.
_SAMPLE = re.compile(r"\bcode: *(\w+)")
_COMPARED = (
    re.compile(
        r"\b(?:code|error_code|cause)\b'?(?: *\| *default\([^)]*\))? *"
        r"(?:[!=]=|(?:not )?in\b|, *'(?:equalto|eq|==|ne|!=|in)' *,) *('\w+'|\[[^\]]*\])"
    ),
    re.compile(r"('\w+') (?:not )?in [\w.]*codes\b"),
)
_LISTED = re.compile(r"'(\w+)'")


@dataclass(frozen=True)
class Mention:
    """`surely`: it can be nothing but a code; else it may also be any other word of ours."""

    word: str
    where: str
    surely: bool


def mentions(root: Path) -> Iterator[Mention]:
    for path in (root / "README.md", *sorted((root / "docs").rglob("*.md")), *sorted((root / "roles").rglob("*.md"))):
        for number, word, surely in _in_markdown(path.read_text(encoding="utf-8").splitlines()):
            yield Mention(word, f"{path.relative_to(root)}:{number}", surely)
    for folder in ("roles", "playbooks", "awx", "plugins/modules"):
        for path in (one for one in sorted((root / folder).rglob("*")) if one.suffix in (".yml", ".py")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                yield from (Mention(word, f"{path.relative_to(root)}:{number}", True) for word in _in_yaml(line))


def _in_markdown(lines: list[str]) -> Iterator[tuple[int, str, bool]]:
    """Links to a code, what stands in a table's column of codes, and any quoted word with an underscore."""
    column = None
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.split("|")] if line.startswith("|") else []
        if not cells:
            column = None
        elif number < len(lines) and lines[number].startswith("| ---"):
            column = cells.index("code") if "code" in cells else None
        sure = {*_LINK.findall(line), *(_QUOTED.findall(cells[column]) if column else ())}
        yield from ((number, word, True) for word in sorted(sure))
        perhaps = {word for word in _QUOTED.findall(line) if "_" in word.strip("_")}
        yield from ((number, word, False) for word in sorted(perhaps - sure))


def _in_yaml(line: str) -> Iterator[str]:
    yield from _SAMPLE.findall(line)
    for part in (part for pattern in _COMPARED for part in pattern.findall(line)):
        yield from _LISTED.findall(part)


def other_words(root: Path) -> frozenset[str]:
    """Every word of the tree outside of its documentation."""
    found: set[str] = set()
    for folder in ELSEWHERE:
        for path in (one for one in (root / folder).rglob("*") if one.suffix in (".py", ".yml", ".sh", ".j2")):
            text = "" if path.name == "findings.yml" else path.read_text(encoding="utf-8")
            found |= {path.stem, *re.findall(r"\w+", text)}
    return frozenset(found)
