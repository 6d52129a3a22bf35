# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/findings.md from tools/findings.yml, or check (--check) that both agree with the plugins and the docs."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from finding_codes import TOLD, Scan, Use
from finding_mentions import mentions, other_words
from project_files import ROOT

CATALOGUE, PAGE = Path("tools/findings.yml"), Path("docs/findings.md")
SPELLING = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
SEVERITIES = {"info": "info", "warning": "warning", "error": "error", "cause": "cause of a failed wait"}
WRITE_ANEW = "run make findings"
WIDTH = 120
HEAD = """\
<!--
Copyright: Edgeworks contributors
GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
SPDX-License-Identifier: GPL-3.0-or-later
Written by tools/findings.py from tools/findings.yml; change that one and run make findings.
-->

# Findings

Every remark of this collection has a code that stays the same from release to release, so that a playbook may rely on
it. This page says what each code means and what to do. In a result they are at these places:

| where | what |
| --- | --- |
| `findings[].code` | everything that was found, with `severity`, `where`, `what`, `remedy` and often a `value` |
| `targets[].codes` | of lb_info: the codes of one IngressController or Service |
| `error_code` | why a task failed |
| `findings[].value.cause` | with `wait_failed`: why the wait ended |

An **error** stops a task that would change something; after a **warning** it goes on, but somebody should know; an
**info** is only a remark. The codes, by what they are about:
"""


@dataclass(frozen=True)
class Code:
    name: str
    severity: tuple[str, ...]
    meaning: str
    remedy: str


@dataclass(frozen=True)
class Area:
    title: str
    about: str
    modules: tuple[str, ...]
    codes: tuple[Code, ...]


class Catalogue:
    """What is written down. Its file is checked when it is read: a misspelt key is no key."""

    def __init__(self, text: str) -> None:
        self.areas = tuple(_area(**one) for one in yaml.safe_load(text))
        self.codes = {code.name: code for area in self.areas for code in area.codes}
        if len(self.codes) != sum(len(area.codes) for area in self.areas):
            raise ValueError("a code is in two areas")


def _area(area: str, about: str, modules: Sequence[str], codes: Mapping[str, Mapping[str, Any]]) -> Area:
    return Area(area, about, tuple(modules), tuple(_code(name, **told) for name, told in codes.items()))


def _code(name: str, severity: Sequence[str], meaning: str, remedy: str) -> Code:
    return Code(name, tuple(severity), meaning, remedy)


# -- the page ---------------------------------------------------------------------------------------------------------


def page(catalogue: Catalogue) -> str:
    parts = [HEAD, _contents(catalogue)]
    for area in catalogue.areas:
        modules = ", ".join(f"`{module}`" for module in area.modules)
        parts.append(f"## {area.title}\n\n{_filled(catalogue, f'{area.about} Modules: {modules}.')}\n")
        parts += [_section(catalogue, code) for code in area.codes]
    return "\n".join(parts)


def _contents(catalogue: Catalogue) -> str:
    titles = [(area.title, area.title.lower().replace(" ", "-")) for area in catalogue.areas]
    return "\n".join(f"- [{title}](#{anchor})" for title, anchor in titles) + "\n"


def _section(catalogue: Catalogue, code: Code) -> str:
    severity = ", ".join(SEVERITIES.get(one, one) for one in code.severity)
    what, remedy = _filled(catalogue, f"({severity}) {code.meaning}"), _filled(catalogue, f"**Remedy:** {code.remedy}")
    return f"### `{code.name}`\n\n{what}\n\n{remedy}\n"


def _filled(catalogue: Catalogue, text: str) -> str:
    """Wrapped, but not inside of what is quoted, and every code a link to its section."""
    linked = re.sub(r"`(\w+)`", lambda found: _link(found[1]) if found[1] in catalogue.codes else found[0], text)
    whole = re.sub(r"`[^`]+`", lambda found: found[0].replace(" ", "\0"), linked)
    return textwrap.fill(whole, WIDTH, break_long_words=False, break_on_hyphens=False).replace("\0", " ")


def _link(name: str) -> str:
    return f"[`{name}`](#{name})"


# -- the check --------------------------------------------------------------------------------------------------------


def complaints(root: Path) -> Iterator[str]:
    """Everything in which catalogue, plugins, page and documentation differ."""
    try:
        catalogue = Catalogue((root / CATALOGUE).read_text(encoding="utf-8"))
    except (TypeError, ValueError, AttributeError, yaml.YAMLError) as problem:
        yield f"{CATALOGUE}: {problem}"
        return
    scan = Scan(root / "plugins", TOLD)
    yield from scan.complaints
    yield from _of_catalogue(catalogue, root)
    yield from _of_codes(catalogue, scan.uses)
    have = root / PAGE
    if not have.is_file() or have.read_text(encoding="utf-8") != page(catalogue):
        yield f"{PAGE}: is not what {CATALOGUE} says; {WRITE_ANEW}"
    others = other_words(root)
    for one in mentions(root):
        if one.word not in catalogue.codes and (one.surely or one.word not in others):
            yield f"{one.where}: {one.word!r} is no code; correct it, or add it to {CATALOGUE}"


def _of_catalogue(catalogue: Catalogue, root: Path) -> Iterator[str]:
    for code in catalogue.codes.values():
        if not SPELLING.fullmatch(code.name):
            yield f"{CATALOGUE}: {code.name}: codes are lower case words joined by underscores"
        if not code.severity or not set(code.severity) <= set(SEVERITIES):
            yield f"{CATALOGUE}: {code.name}: severity is one or more of {', '.join(SEVERITIES)}"
        if not all(text.endswith(".") for text in (code.meaning, code.remedy)):
            yield f"{CATALOGUE}: {code.name}: meaning and remedy are sentences"
    for area in catalogue.areas:
        for module in area.modules:
            if not (root / "plugins" / "modules" / f"{module}.py").is_file():
                yield f"{CATALOGUE}: {area.title}: there is no module {module}"


def _of_codes(catalogue: Catalogue, uses: Sequence[Use]) -> Iterator[str]:
    used: dict[str, dict[str, str]] = defaultdict(dict)
    for use in uses:
        used[use.code].setdefault(use.used_as, use.where)
    for code in sorted(set(used) - set(catalogue.codes)):
        listed = ", ".join(sorted(used[code]))
        where = min(used[code].values())
        yield f"{where}: code {code!r} ({listed}) is not in {CATALOGUE}; add it there and {WRITE_ANEW}"
    for code in sorted(set(catalogue.codes) - set(used)):
        yield f"{CATALOGUE}: {code}: nothing in plugins/ uses it; take it out and {WRITE_ANEW}"
    for code in sorted(set(catalogue.codes) & set(used)):
        told = set(catalogue.codes[code].severity)
        for severity in sorted(set(used[code]) - told):
            yield f"{used[code][severity]}: code {code!r} is used as {severity}; say so in {CATALOGUE}"
        for severity in sorted(told - set(used[code])):
            yield f"{CATALOGUE}: {code}: nothing in plugins/ uses it as {severity}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    if not parser.parse_args().check:
        catalogue = Catalogue((ROOT / CATALOGUE).read_text(encoding="utf-8"))
        (ROOT / PAGE).write_text(page(catalogue), encoding="utf-8")
        print(f"{PAGE}: {len(catalogue.codes)} codes")
        return 0
    found = list(complaints(ROOT))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
