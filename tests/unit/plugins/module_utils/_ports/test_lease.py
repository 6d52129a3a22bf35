# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which process holds a lock; the Lease itself is tried on a server (tests/integration/ports/test_lease.py)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.holder import PROCESS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import lease


def held(**said: Any) -> dict[str, Any]:
    return {"metadata": {"annotations": {PROCESS: json.dumps({**lease.process(), **said})}}}


def test_this_very_process_has_not_ended() -> None:
    assert lease.process()["pid"] == os.getpid()
    assert not lease.has_ended(held())


@pytest.mark.parametrize(
    ("said", "ended"),
    [
        pytest.param({"started": "1"}, True, id="its number was given to another"),
        pytest.param({"pid": 2**22 + 1}, True, id="there is no such process"),
        pytest.param({"machine": "elsewhere", "pid": 2**22 + 1}, False, id="nobody can tell from here"),
        pytest.param({"machine": ""}, False, id="nor where a machine has no name"),
        pytest.param({"pid": "x"}, False, id="garbage proves nothing"),
    ],
)
def test_who_is_known_to_have_ended(said: dict[str, Any], ended: bool) -> None:
    assert lease.has_ended(held(**said)) is ended


@pytest.mark.parametrize("annotations", [None, {}, {PROCESS: "no json"}, {PROCESS: "[]"}, {PROCESS: "null"}])
def test_a_mark_that_cannot_be_read_proves_nothing(annotations: Any) -> None:
    assert not lease.has_ended({"metadata": {"annotations": annotations}})


def test_a_machine_without_proc_never_claims_that_somebody_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = held()

    def missing(*_args: Any, **_more: Any) -> str:
        raise OSError

    monkeypatch.setattr(Path, "read_text", missing)
    assert not lease.has_ended(mark)


@pytest.mark.parametrize(
    ("environ", "words"),
    [({"USER": "ann"}, ("ann on ", "process")), ({"LOGNAME": "bob", "JOB_ID": "7"}, ("bob on ", ", job 7"))],
)
def test_the_holder_is_named_for_people(environ: dict[str, str], words: tuple[str, ...]) -> None:
    assert all(word in lease.name_of_holder(environ) for word in words)
