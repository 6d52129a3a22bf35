# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One play for both kinds of load balancer: the defaults of each action group reach only modules that know them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .conftest import At
from .workplace import stage_of

CAPO = {"cluster": "prod", "endpoint_host": "api.prod.example.com", "management_cluster": False}


def test_defaults_of_three_groups(at: At, tmp_path: Path) -> None:
    tasks: list[dict[str, Any]] = []
    for more in ({}, {"environment": {"EDGE": "elsewhere"}}):
        tasks.append({"name": "Look", "edgeworks.lb_estate.lb_info": {}, **more})
        tasks.append({"name": "Plan", "edgeworks.lb_estate.capo_multiaz_lb": CAPO, "check_mode": True, **more})
    played = stage_of(tmp_path, at()).play(tasks, "-vvv")
    assert played.by_module == [False, False, True, True]
    looks, plans = played.results[::2], played.results[1::2]
    assert [(look["failed"], look["platform"]) for look in looks] == [(False, "AWS")] * 2, played.output
    assert [plan.get("error_code") for plan in plans] == ["unreachable"] * 2, played.output
    assert all("OpenStack does not answer" in plan["msg"] for plan in plans)
