# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Catalogue, plugins, page and documentation agree, or it is said where they do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from findings import Catalogue, complaints, page

CATALOGUE = """
- area: Some things
  about: What was found.
  modules: [look]
  codes:
    too_full:
      severity: [warning, cause]
      meaning: It is full, unlike `too_small`.
      remedy: Empty it.
    too_small:
      severity: [error]
      meaning: It is small.
      remedy: >-
        Take a larger one with `size`, and have it made for as long as that takes with the option `wait: true`.
"""
PLUGIN = """
Finding("too_full", Severity.WARNING, "here")
FailureCause("too_full", "what", "remedy")
Finding("too_small", Severity.ERROR, "here")
Refusal(decision.verdict.value, "what", "remedy")
"""
README = "See [`too_full`](docs/findings.md#too_full), `look` and `some_option`.\n"
MODULE = '"""some_option, error_code, wait_failed"""\n'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small project in which everything agrees."""
    for folder in ("docs", "roles", "playbooks", "plugins/modules", "tools"):
        (tmp_path / folder).mkdir(parents=True)
    catalogue = CATALOGUE + "".join(
        f"    {code}:\n      severity: [error]\n      meaning: A verdict.\n      remedy: Look.\n"
        for code in ("invalid", "blocked")
    )
    write(tmp_path / "tools/findings.yml", catalogue)
    write(tmp_path / "docs/findings.md", page(Catalogue(catalogue)))
    write(tmp_path / "README.md", README)
    write(tmp_path / "plugins/core.py", PLUGIN)
    write(tmp_path / "plugins/modules/look.py", MODULE)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    write(path, text.replace(old, new))


def test_nothing_to_complain_of(tree: Path) -> None:
    assert list(complaints(tree)) == []


CHANGES: dict[str, tuple[str, str, str, list[str]]] = {
    "a code that is new": (
        "plugins/core.py",
        'Finding("too_small"',
        'Finding("too_large", Severity.INFO, "here"), Finding("too_small"',
        ["plugins/core.py:4: code 'too_large' (info) is not in tools/findings.yml; add it there and run make findings"],
    ),
    "a code that is gone": (
        "plugins/core.py",
        'Finding("too_small", Severity.ERROR, "here")',
        "pass",
        ["tools/findings.yml: too_small: nothing in plugins/ uses it; take it out and run make findings"],
    ),
    "another severity": (
        "plugins/core.py",
        "Severity.ERROR",
        "Severity.INFO",
        [
            "plugins/core.py:4: code 'too_small' is used as info; say so in tools/findings.yml",
            "tools/findings.yml: too_small: nothing in plugins/ uses it as error",
        ],
    ),
    "another text": (
        "tools/findings.yml",
        "Empty it.",
        "Empty it soon.",
        ["docs/findings.md: is not what tools/findings.yml says; run make findings"],
    ),
    "a page that was edited": (
        "docs/findings.md",
        "Empty it.",
        "Empty it soon.",
        ["docs/findings.md: is not what tools/findings.yml says; run make findings"],
    ),
    "a misspelt key": (
        "tools/findings.yml",
        "remedy: Empty it.",
        "remedies: Empty it.",
        ["tools/findings.yml: _code() got an unexpected keyword argument 'remedies'"],
    ),
    "a link to no code": (
        "README.md",
        "#too_full",
        "#too_ful",
        ["README.md:1: 'too_ful' is no code; correct it, or add it to tools/findings.yml"],
    ),
    "a word that is none of ours": (
        "README.md",
        "`some_option`",
        "`too_old`",
        ["README.md:1: 'too_old' is no code; correct it, or add it to tools/findings.yml"],
    ),
    "a sample of a result": (
        "plugins/modules/look.py",
        "some_option, ",
        "some_option\n    - code: too_late\n",
        ["plugins/modules/look.py:2: 'too_late' is no code; correct it, or add it to tools/findings.yml"],
    ),
}


@pytest.mark.parametrize("case", CHANGES)
def test_what_differs_is_said(tree: Path, case: str) -> None:
    name, old, new, expected = CHANGES[case]
    change(tree / name, old, new)
    assert list(complaints(tree)) == expected


def test_a_code_has_a_spelling_a_severity_and_sentences(tree: Path) -> None:
    change(tree / "tools/findings.yml", "too_small:\n      severity: [error]", "tooSmall:\n      severity: [grave]")
    change(tree / "tools/findings.yml", "It is small.", "It is small")
    change(tree / "tools/findings.yml", "modules: [look]", "modules: [watch]")
    told = [one for one in complaints(tree) if one.startswith("tools/findings.yml: ")]
    assert told[:4] == [
        "tools/findings.yml: tooSmall: codes are lower case words joined by underscores",
        "tools/findings.yml: tooSmall: severity is one or more of info, warning, error, cause",
        "tools/findings.yml: tooSmall: meaning and remedy are sentences",
        "tools/findings.yml: Some things: there is no module watch",
    ]


def test_codes_of_a_table_are_codes_also_without_underscore(tree: Path) -> None:
    table = "| code | what |\n| --- | --- |\n| `too_full`, `full` | a `word` |\n\n`full`\n"
    write(tree / "docs/runbook.md", table)
    assert list(complaints(tree)) == [
        "docs/runbook.md:3: 'full' is no code; correct it, or add it to tools/findings.yml"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{{ found.findings | selectattr('code', 'equalto', 'CODE') | list }}",
        "{{ found.findings | selectattr('code', 'in', ['too_full', 'CODE']) | list }}",
        "when: found.error_code | default('') != 'CODE'",
        "when: found.error_code == 'CODE' and item.kind == 'Service'",
        "when: found.error_code not in ['CODE', 'too_small']",
        "when: \"'CODE' in item.codes\"",
        "- code: CODE",
    ],
)
def test_codes_in_yaml_are_codes(tree: Path, line: str) -> None:
    for word, expected in (("too_full", 0), ("too_old", 1)):
        write(tree / "playbooks/watch.yml", f"---\n{line.replace('CODE', word)}\n")
        assert len(list(complaints(tree))) == expected


def test_the_page_links_codes_and_nothing_else(tree: Path) -> None:
    text = (tree / "docs/findings.md").read_text(encoding="utf-8")
    assert "### `too_full`\n\n(warning, cause of a failed wait) It is full, unlike [`too_small`](#too_small).\n" in text
    assert "\n\n**Remedy:** Take a larger one with `size`, and " in text
    assert "`wait: true`" in text
    assert "- [Some things](#some-things)\n" in text
    assert all(len(line) <= 120 for line in text.splitlines())
