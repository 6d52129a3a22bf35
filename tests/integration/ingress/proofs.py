# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every run of every module must hold to: check mode tells the truth and writes nothing, a second run is idle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import Result

from .workplace import Subject

STRUCTURE = {
    "changed",
    "verdict",
    "disruption",
    "findings",
    "pending",
    "steps",
    "undo",
    "revert_patch",
    "commands",
    "planned",
    "revert_disruption",
    "before",
    "after",
    "message",
    "profile",
    "fingerprint",
}
_NOISE = ("managedFields", "resourceVersion", "creationTimestamp", "generation", "uid", "observedGeneration", "status")
_NEW = ["(new)"]


@dataclass(frozen=True)
class Proven:
    """The three runs: check, apply, apply again."""

    checked: Result
    applied: Result
    again: Result


def prove(subject: Subject, module: str, **options: Any) -> Proven:
    """Check → apply → apply again, with everything asserted that must hold for any scenario (CORE-4, CORE-5)."""
    requests = subject.cluster.requests
    requests.reset()
    checked = subject.run(module, check=True, **options)
    assert subject.writes() == [], f"check mode wrote {subject.writes()}"
    _good(checked)
    applied = subject.run(module, **options)
    _good(applied)
    assert checked["changed"] == applied["changed"] == bool(subject.writes())
    for same in ("planned", "fingerprint", "profile", "before"):
        assert checked[same] == applied[same], f"{same}: foretold {checked[same]}, was {applied[same]}"
    _foretold(checked["after"], applied["after"])
    requests.reset()
    again = subject.run(module, **options)
    _good(again)
    assert not again["changed"], f"a second run changed {[(s['verb'], s['resource']) for s in again['steps']]}"
    assert subject.writes() == [], f"a second run wrote {subject.writes()}"
    return Proven(checked, applied, again)


def _good(result: Result) -> None:
    assert not result.get("failed"), result.get("msg")
    assert set(result) >= STRUCTURE, STRUCTURE - set(result)
    _diff(result)


def _diff(result: Result) -> None:
    """Before and after of what a person edits, and nothing else."""
    diff = result["diff"]
    assert set(diff) == {"before", "after"}
    noise = [key for side in diff.values() for key in _keys(side) if key in _NOISE]
    assert not noise, f"noise in the diff: {noise}"
    if not result["changed"]:
        assert diff["before"] == diff["after"]


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for item in value.values() for key in _keys(item))]
    if isinstance(value, list):
        return [key for item in value for key in _keys(item)]
    return []


def _foretold(predicted: dict[str, Any], observed: dict[str, Any]) -> None:
    """What was seen afterwards is what was foretold; an address nobody can know is new."""
    assert {**predicted, "addresses": None} == {**observed, "addresses": None}
    if predicted.get("addresses") == _NEW:
        assert observed["addresses"]
        assert observed["addresses"] != _NEW
    else:
        assert predicted.get("addresses") == observed.get("addresses")


def refused(subject: Subject, module: str, **options: Any) -> Result:
    """Fails with a sentence, in check mode as when applied, and writes nothing (CORE-7)."""
    subject.cluster.requests.reset()
    checked = subject.run(module, check=True, **options)
    found = subject.run(module, **options)
    assert found.get("failed"), f"was not refused: {found.get('message')}"
    assert checked.get("failed"), f"check mode did not refuse: {checked.get('message')}"
    assert checked["msg"] == found["msg"]
    assert not found["changed"]
    assert subject.writes() == [], f"wrote {subject.writes()}"
    assert found["msg"].strip()
    assert "Traceback" not in found["msg"]
    return found


def codes(result: Result, severity: str = "") -> list[str]:
    return [entry["code"] for entry in result["findings"] if severity in ("", entry["severity"])]


def finding(result: Result, code: str) -> dict[str, Any]:
    found = [entry for entry in result["findings"] if entry["code"] == code]
    assert found, f"no finding {code} among {codes(result)}"
    return dict(found[0])


def pending(result: Result) -> list[str]:
    return [entry["field"] for entry in result["pending"]]
