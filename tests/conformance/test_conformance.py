# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The conformance runner: what it holds the core to, its words, its exit codes (Foundation item 5)."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.conformance.__main__ import API, OWN, main
from ansible_collections.edgeworks.lb_estate.tests.conformance.kinds import KINDS
from ansible_collections.edgeworks.lb_estate.tests.conformance.runner import Mismatch, compare, load, report

ROOT = Path(__file__).resolve().parents[2]
# Of the vectors beside the repository the project keeps no copy: they are run where they are to be found.
BESIDE = [ROOT.parent / "shared" / "vectors" / name for name in ("ingress.json", "capo.json", "apiserver.json")]
FILES = [path for path in (OWN, API, *BESIDE) if path.exists()]
CLOSING = re.compile(r"(\d+) passed, (\d+) failed")


def write(folder: Path, content: Any) -> Path:
    file = folder / "vectors.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def run(*paths: Path) -> tuple[int, list[str]]:
    out = io.StringIO()
    code = report(paths, KINDS, out)
    return code, out.getvalue().splitlines()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_core_agrees_with_every_vector(path: Path) -> None:
    code, lines = run(path)
    counted = [vector for vector in load(path) if not vector.get("optional")]
    assert lines[-1] == f"{len(counted)} passed, 0 failed"
    assert [line for line in lines[:-1] if not line.startswith("optional, not counted: ")] == []
    assert code == 0


def test_the_copy_of_the_histories_is_whole() -> None:
    histories = load(OWN)
    assert len(histories) == 265
    assert sum(len(history["steps"]) for history in histories) == 1823
    assert {history["version"] for history in histories} == {"4.16", "4.18", "4.21", "4.22", "4.23"}
    assert {history["platform"] for history in histories} == {"AWS", "Azure", "GCP", "IBMCloud", "OpenStack"}


def test_the_sample_of_the_apis_histories_has_every_kind_of_request() -> None:
    histories = load(API)
    requests = [step["request"] for history in histories for step in history["steps"]]
    assert (len(histories), len(requests)) == (25, 285)
    assert {request["method"] for request in requests} == {"GET", "POST", "PUT", "PATCH", "DELETE"}
    assert {request.get("as", "admin") for request in requests} == {"admin", "restricted", "bad", "none"}
    kinds = {request.get("content_type", "").partition("-")[0] for request in requests}
    assert {"application/merge", "application/json", "application/strategic"} <= kinds


SHORT = min(
    (history for history in load(OWN) if "annotations" in history["steps"][0]["expect"]),
    key=lambda history: len(json.dumps(history)),
)


def altered(number: int, **expect: Any) -> dict[str, Any]:
    """A recorded history that expects something else after one of its steps."""
    history: dict[str, Any] = json.loads(json.dumps(SHORT))
    history["steps"][number]["expect"] |= expect
    return history


def test_a_disagreement_is_told_with_both_sides(tmp_path: Path) -> None:
    file = write(tmp_path, {"vectors": [altered(0, annotations={"made": "up"}), SHORT]})
    code, lines = run(file)
    assert code == 1
    assert lines[0] == f"FAILED {SHORT['id']} (vectors.json)"
    assert lines[1] == "    step 0 annotations"
    assert lines[2] == '      expected {"made": "up"}'
    assert lines[3].startswith('      got      {"')
    assert lines[-1] == "1 passed, 1 failed"


@pytest.mark.parametrize(
    "expect", [{"rejected": ["spec: no"]}, {"recreated": True}, {"frozen": True}, {"service_absent": True}]
)
def test_each_thing_a_history_tells_is_compared(tmp_path: Path, expect: dict[str, Any]) -> None:
    code, lines = run(write(tmp_path, {"vectors": [altered(0, **expect)]}))
    assert (code, lines[-1]) == (1, "0 passed, 1 failed")


API_HISTORY = min(
    (history for history in load(API) if not history.get("optional")), key=lambda history: len(json.dumps(history))
)


@pytest.mark.parametrize(
    ("expect", "where"),
    [
        ({"code": 418}, "step 0 code"),
        ({"reason": "Teapot"}, "step 0 reason"),
        ({"causes": [{"field": "spec.tea"}]}, "step 0 fields"),
        ({"text": "short and stout"}, "step 0 text"),
        ({"object": {}}, "step 0 object.apiVersion"),
    ],
)
def test_each_thing_an_answer_of_the_api_tells_is_compared(tmp_path: Path, expect: dict[str, Any], where: str) -> None:
    history = json.loads(json.dumps(API_HISTORY))
    history["steps"][0]["expect"] |= expect
    code, lines = run(write(tmp_path, {"vectors": [history, API_HISTORY]}))
    assert (code, lines[-1]) == (1, "1 passed, 1 failed")
    assert f"    {where}" in lines


def test_one_value_that_differs_anywhere_in_an_object_is_told(tmp_path: Path) -> None:
    history = json.loads(json.dumps(API_HISTORY))
    shown = next(step["expect"]["object"] for step in history["steps"] if "object" in step["expect"])
    shown["metadata"]["resourceVersion"] = "<rv:7>"
    code, lines = run(write(tmp_path, {"vectors": [history]}))
    assert (code, lines[-1]) == (1, "0 passed, 1 failed")
    assert any(line.endswith("object.metadata.resourceVersion") for line in lines)


def test_optional_vectors_count_for_neither(tmp_path: Path) -> None:
    bad = {
        **API_HISTORY,
        "id": "odd",
        "optional": True,
        "steps": [{**API_HISTORY["steps"][0], "expect": {"code": 418}}],
    }
    good = {**API_HISTORY, "id": "even", "optional": True}
    code, lines = run(write(tmp_path, {"vectors": [bad, good, API_HISTORY]}))
    assert (code, lines) == (0, ["optional, not counted: 1 agree, 1 differ: odd", "1 passed, 0 failed"])


def test_a_kind_nobody_implements_is_a_failure_and_named(tmp_path: Path) -> None:
    code, lines = run(write(tmp_path, {"vectors": [{"id": "X-1", "kind": "made_up"}, {"id": "X-2"}]}))
    assert code == 1
    assert lines == [
        "FAILED X-1 (vectors.json)",
        "    kind",
        '      expected "one that is implemented"',
        '      got      "made_up"',
        "FAILED X-2 (vectors.json)",
        "    kind",
        '      expected "one that is implemented"',
        "      got      null",
        "0 passed, 2 failed",
    ]


def test_a_core_that_raises_is_a_failure_and_the_rest_goes_on(tmp_path: Path) -> None:
    broken = {"id": "X-1", "kind": "ic_history", "version": "3.11", "platform": "AWS", "steps": []}
    code, lines = run(write(tmp_path, {"vectors": [broken, SHORT]}))
    assert code == 1
    assert lines[1] == "    the core raised"
    assert "UnsupportedVersion" in lines[3]
    assert lines[-1] == "1 passed, 1 failed"


def test_several_files_are_counted_together(tmp_path: Path) -> None:
    file = write(tmp_path, {"vectors": [SHORT]})
    assert run(file, file) == (0, ["2 passed, 0 failed"])


def test_no_vectors_prove_nothing(tmp_path: Path) -> None:
    assert run(write(tmp_path, {"vectors": []})) == (1, ["0 passed, 0 failed"])


NO_VECTOR_FILES = {
    "not JSON": "{",
    "not text": "\ud800",
    "no vectors": {"count": 0},
    "a bare list": [],
    "vectors that are no list": {"vectors": 5},
    "a vector that is no object": {"vectors": ["x"]},
    "a vector without an id": {"vectors": [{"kind": "ic_history"}]},
}


@pytest.mark.parametrize("content", NO_VECTOR_FILES.values(), ids=NO_VECTOR_FILES)
def test_a_file_that_is_none_of_ours_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: Any
) -> None:
    file = tmp_path / "vectors.json"
    text = content if isinstance(content, str) else json.dumps(content)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert main([str(file)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f'conformance: {file}: not a vector file (JSON with a list "vectors"): ')
    assert told.err.count("\n") == 1


def test_a_missing_file_and_a_folder_are_sentences_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "ingress.json")]) == 2
    told = capsys.readouterr().err
    assert told == (
        f"conformance: {tmp_path}/ingress.json: no such file. Name a vector file,"
        " or leave FILES out for the copy in tests/conformance.\n"
    )
    assert main([str(tmp_path)]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_bad_file_is_told_before_any_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = write(tmp_path, {"vectors": [SHORT]})
    assert main([str(good), str(tmp_path / "missing.json")]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("content", "code", "closing"),
    [
        ({"vectors": [SHORT]}, 0, "1 passed, 0 failed"),
        ({"vectors": [{"id": "X", "kind": "?"}]}, 1, "0 passed, 1 failed"),
    ],
)
def test_as_a_program_from_the_root(tmp_path: Path, content: Any, code: int, closing: str) -> None:
    """Plain `python -m tests.conformance`, without the Makefile's settings."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [sys.executable, "-m", "tests.conformance", str(write(tmp_path, content))]
    ran = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (code, "")
    assert ran.stdout.splitlines()[-1] == closing
    assert CLOSING.fullmatch(ran.stdout.splitlines()[-1])


def test_comparing_tells_absent_from_null() -> None:
    assert compare({"a": None}, {"a": None}) == []
    assert compare({"a": None}, {}) == [Mismatch("a", None, "<absent>")]
    assert compare({"a": 1}, {"a": 1, "b": 2}) == []
    assert compare({"a": 1}, {"a": 2}, "P2 ") == [Mismatch("P2 a", 1, 2)]
