# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a task is run: in this process, or as a module where it asks for another place; the result is the same."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.plugin_utils import _local
from ansible_collections.edgeworks.lb_estate.plugins.plugin_utils._local import LocalAction
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.actions import acted, action
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    cluster,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import MemoryCluster, holding

OPTIONS = {"scope": "Internal", "preflight": "skip"}


class Scope(LocalAction):
    task_name = "slb_scope"


def here() -> MemoryCluster:
    return holding(cluster(spec=strategy("Classic")))


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param({"environment": [{"EDGE": "elsewhere"}]}, id="environment"),
        pytest.param({"async_val": 30}, id="async"),
        pytest.param({"become": True}, id="become"),
        pytest.param({"transport": "ssh"}, id="another connection"),
    ],
)
def test_a_task_that_asks_for_another_place_goes_to_the_module(asked: dict[str, Any]) -> None:
    made = action(Scope, OPTIONS, **asked)
    with patch.object(made, "_execute_module", return_value={"from": "module"}) as module:
        assert made.run(task_vars={"a": "b"}) == {"from": "module"}
    module.assert_called_once_with(task_vars={"a": "b"}, wrap_async=asked.get("async_val", 0))


def test_empty_entries_of_environment_are_no_other_place() -> None:
    """A play has one for itself, one for its block and one for the task."""
    made = action(Scope, {"scope": "Sideways"}, environment=[{}, None])
    with patch.object(made, "_execute_module") as module:
        assert made.run()["failed"]
    module.assert_not_called()


def test_bad_options_are_told_all_at_once_and_nobody_is_asked() -> None:
    cluster = here()
    result = acted(Scope, cluster, scope="Sideways", ingress_controller="a", service={"namespace": "b", "name": "c"})
    assert result["failed"]
    assert "value of scope must be one of" in result["msg"]
    assert "mutually exclusive: ingress_controller|service" in result["msg"]
    assert cluster.requests == []


def test_a_refusal_fails_with_its_sentence_and_everything_known() -> None:
    result = acted(Scope, here(), **OPTIONS, effectuate="delete")
    assert (result["failed"], result["error_code"]) == (True, "disruption_not_allowed")
    assert result["msg"] == str(result["findings"][-1]["what"] + " " + result["findings"][-1]["remedy"])
    assert result["steps"]


@pytest.mark.parametrize("diff", [True, False])
def test_the_diff_comes_only_where_it_is_asked_for(diff: bool) -> None:
    with patch.object(_local, "perform", return_value={"changed": False, "diff": {}}):
        result = action(Scope, OPTIONS, diff=diff).run(task_vars={})
    assert ("diff" in result) is diff


def test_check_mode_reaches_the_task() -> None:
    for check_mode in (True, False):
        with patch.object(_local, "perform", return_value={}) as perform:
            action(Scope, OPTIONS, check_mode=check_mode).run(task_vars={})
        assert perform.call_args.args[2] is check_mode


@pytest.mark.parametrize(("host", "told"), [("prod", "[prod] waiting"), ("", "waiting")])
def test_progress_names_the_host(host: str, told: str) -> None:
    with patch.object(_local._display, "display") as display:
        _local._teller(host)("waiting")
    display.assert_called_once_with(told)


def test_a_result_crosses_from_the_worker_to_the_parent() -> None:
    """Plain data only, as Ansible wants it."""
    result = acted(Scope, here(), **OPTIONS, allow_disruption="outage")
    assert _types(result) <= {dict, list, str, int, bool, type(None)}


def _types(value: Any) -> set[type]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {type(value)}.union(*(_types(item) for item in inside))
