# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CORE-12: what was given to get into a cluster is not in the output, at any verbosity and either way of running."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .conftest import At
from .workplace import stage_of

SECRET = "hunter2-and-more"
GIVEN: tuple[dict[str, Any], ...] = (
    {"kubeconfig": f"users:\n  - password: !{SECRET}\n"},
    {"kubeconfig": {"clusters": [{"name": SECRET, "token": SECRET}], "current-context": "none"}},
    {"host": "https://127.0.0.1:9", "api_key": f"{SECRET}\nx"},
    {"host": "http://192.0.2.1", "api_key": SECRET},
    {
        "host": "https://127.0.0.1:9",
        "api_key": "another-token",
        "validate_certs": False,
        "proxy": f"u:{SECRET}@127.0.0.1:9",
    },
)


def _named(number: int) -> dict[str, str]:
    return {option: f"{{{{ given[{number}].{option} }}}}" for option in GIVEN[number]}


def test_no_secret_in_the_output(at: At, tmp_path: Path) -> None:
    variables = tmp_path / "given.json"  # Ansible itself quotes what stands in the play
    variables.write_text(json.dumps({"given": GIVEN}), encoding="utf-8")
    tasks = [
        {"name": "Look", "edgeworks.lb_estate.lb_info": {"kubeconfig": ""} | _named(number), **more}
        for number in range(len(GIVEN))
        for more in ({}, {"environment": {"EDGE": "elsewhere"}})
    ]
    played = stage_of(tmp_path, at()).play(tasks, "-vvvv", "-e", f"@{variables}")
    assert [result.get("error_code") for result in played.results] == ["misconfigured"] * len(tasks), played.output
    assert SECRET not in str([result["msg"] for result in played.results])
    assert SECRET not in played.output
