# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that no module takes."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.bad_options import bad_option, refused, waiting
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Target


@pytest.mark.parametrize(
    ("timeout", "sleep", "wrong"), [(1, 1, []), (-5, 1, ["wait_timeout"]), (900, 0, ["wait_sleep"])]
)
def test_waits_have_an_end_and_a_pause(timeout: int, sleep: int, wrong: list[str]) -> None:
    assert [one.where for one in waiting({"wait_timeout": timeout, "wait_sleep": sleep})] == wrong


def test_the_refusal_says_everything() -> None:
    wrong = (bad_option("wait_sleep", "0 is less than 1.", "Give 1."),) * 2
    decision = refused(Target("Thing", "t"), wrong)
    assert (str(decision.target), decision.verdict.value, decision.findings) == ("Thing t", "invalid", wrong)
    assert decision.message == "wait_sleep: 0 is less than 1. Give 1. wait_sleep: 0 is less than 1. Give 1."
