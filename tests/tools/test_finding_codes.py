# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No code is overlooked: however it comes into a finding, it is seen, or there is a complaint."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from finding_codes import TOLD, Scan
from project_files import ROOT


def scan(folder: Path, **files: str) -> Scan:
    plugins = folder / "plugins"
    plugins.mkdir()
    for name, text in files.items():
        (plugins / f"{name}.py").write_text(dedent(text), encoding="utf-8")
    return Scan(plugins, told={})


def seen(found: Scan) -> dict[str, set[str]]:
    assert found.complaints == []
    return {use.code: {other.used_as for other in found.uses if other.code == use.code} for use in found.uses}


ONE_FILE: dict[str, tuple[str, dict[str, set[str]]]] = {
    "a string": (
        "Finding('a', Severity.INFO, 'here')",
        {"a": {"info"}},
    ),
    "by keyword": (
        "Finding(where='here', severity=Severity.ERROR, code='a')",
        {"a": {"error"}},
    ),
    "the cause of a failed wait, and a refusal": (
        "FailureCause('a', 'what'); Refusal('b', 'what', 'remedy')",
        {"a": {"cause"}, "b": {"error"}},
    ),
    "an error's class": (
        """
        class Broken(PortError):
            code = "a"
        class Worse(PortError):
            code: ClassVar[str] = "b"
        class Carrier:
            code: str
        """,
        {"a": {"error"}, "b": {"error"}},
    ),
    "chosen by a condition, severity too": (
        """
        def make(broken):
            code = "a" if broken else "b"
            severity = Severity.ERROR if broken else Severity.WARNING
            return Finding(code, severity, "here")
        """,
        {"a": {"error", "warning"}, "b": {"error", "warning"}},
    ),
    "through a function, with the severity that goes with it": (
        """
        def make(code, severity, what):
            return Finding(code, severity, "here", what)
        def use():
            return [make("a", Severity.INFO, "x"), make(what="y", code="b", severity=Severity.ERROR)]
        """,
        {"a": {"info"}, "b": {"error"}},
    ),
    "through two functions, put together on the way": (
        """
        def use():
            return missing("subnet"), missing("network")
        def missing(kind):
            return error(f"{kind}_not_found")
        def error(code, severity=Severity.ERROR):
            return Finding(code, severity, "here")
        """,
        {"subnet_not_found": {"error"}, "network_not_found": {"error"}},
    ),
    "through a method, of itself and of another": (
        """
        class Notes:
            def note(self, code):
                self.found.append(Finding(code, Severity.INFO, "here"))
            def begin(self):
                self.note("a")
        def end(notes):
            notes.note("b")
        """,
        {"a": {"info"}, "b": {"info"}},
    ),
    "rows of a table": (
        """
        def use(service):
            rules = ((service is None, "a", "x"), (service.gone, "b", "y"))
            for broken, code, what in rules:
                if broken:
                    yield Finding(code, Severity.ERROR, "here", what)
        """,
        {"a": {"error"}, "b": {"error"}},
    ),
    "put together of a table's rows": (
        """
        def use(given):
            return [Finding(f"unknown_{where}", Severity.ERROR, where) for where in ("flavor", "provider")]
        """,
        {"unknown_flavor": {"error"}, "unknown_provider": {"error"}},
    ),
    "looked up": (
        """
        CODES = {"x": "a", "y": "b"}
        def use(what):
            return Finding(CODES[what], Severity.ERROR, "here")
        """,
        {"a": {"error"}, "b": {"error"}},
    ),
    "handed on: counted where it was made": (
        """
        def use(refusal):
            return Finding(refusal.code, Severity.ERROR, "here")
        REFUSAL = Refusal("a", "what", "remedy")
        """,
        {"a": {"error"}},
    ),
}


@pytest.mark.parametrize("case", ONE_FILE)
def test_a_code_is_seen(tmp_path: Path, case: str) -> None:
    text, expected = ONE_FILE[case]
    assert seen(scan(tmp_path, one=text)) == expected


def test_a_function_of_another_file_is_followed(tmp_path: Path) -> None:
    found = scan(
        tmp_path,
        rules="def error(code):\n    return Finding(code, Severity.ERROR, 'here')\n",
        by_name="from .rules import error as wrong\nFOUND = wrong('a')\n",
        by_file="from . import rules\ndef use():\n    return rules.error('b')\n",
        passed_along="from .by_name import wrong\nFOUND = wrong('c')\n",
        renamed="from .model import Finding as Remark\nFOUND = Remark('d', Severity.INFO, 'here')\n",
    )
    assert seen(found) == {"a": {"error"}, "b": {"error"}, "c": {"error"}, "d": {"info"}}


OUT_OF_SIGHT = {
    "calculated": "Finding(calculate(), Severity.ERROR, 'here')",
    "unpacked from something calculated": """
        def use(found):
            where, code = calculate(found)
            return Finding(code, Severity.ERROR, where)
        """,
    "rows of something calculated": """
        def use(found):
            return [Finding(code, Severity.ERROR, "here") for code in calculate(found)]
        """,
    "arguments as one": "Finding(*everything)",
    "arguments of a function as one": """
        def error(code):
            return Finding(code, Severity.ERROR, "here")
        FOUND = error(*everything)
        """,
    "a severity that is calculated": "Finding('a', calculate(), 'here')",
    "a class that calculates its code": """
        class Broken(PortError):
            code = calculate()
        """,
    "a function passed on": """
        def error(code):
            return Finding(code, Severity.ERROR, "here")
        FOUND = [error("a"), *map(error, calculate())]
        """,
}


@pytest.mark.parametrize("case", OUT_OF_SIGHT)
def test_what_cannot_be_followed_is_a_complaint(tmp_path: Path, case: str) -> None:
    (complaint,) = scan(tmp_path, one=OUT_OF_SIGHT[case]).complaints
    assert complaint.startswith("plugins/one.py:")


def test_what_is_explained_is_a_code_and_what_is_not_needed_a_complaint(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("Refusal(decision.verdict.value, 'what', '')", encoding="utf-8")
    found = Scan(tmp_path, told={"decision.verdict.value": ("invalid", "blocked"), "gone": ("x",)})
    assert [use.code for use in found.uses] == ["invalid", "blocked"]
    assert found.complaints == ["TOLD in tools/finding_codes.py: 'gone' is no code anywhere; take it out"]


def test_the_plugins_can_be_followed() -> None:
    found = Scan(ROOT / "plugins", TOLD)
    assert found.complaints == []
    # One of each kind: a string, handed through, put together, from a table, of a class, of a wait, of a refusal.
    assert {
        "latent_change", "subnet_full", "network_not_found", "not_a_load_balancer", "unreachable", "subnets_disjoint",
        "stale_plan",
    } <= {use.code for use in found.uses}  # fmt: skip
