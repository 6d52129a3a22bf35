# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A step's own note of what got lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import attempts


def test_a_note_is_of_one_step_and_one_thread() -> None:
    attempts.begin()
    attempts.lose()
    with ThreadPoolExecutor(1) as pool:
        assert not pool.submit(attempts.lost).result()
    assert attempts.lost()
    attempts.begin()
    assert not attempts.lost()
