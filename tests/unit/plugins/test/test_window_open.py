# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The test is true where what is to be done fits now (EST-4)."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.test import window_open as plugin

NIGHTS = '[{"name": "nights", "timezone": "Europe/Berlin", "start": "2026-01-05T22:00", "duration": "4h"}]'


def test_it_is_found_by_its_name() -> None:
    assert plugin.TestModule().tests() == {"window_open": plugin.window_open}


def test_it_is_about_what_fits() -> None:
    assert plugin.window_open(NIGHTS, needs="90m", now="2026-01-05T23:30:00Z")
    assert not plugin.window_open(NIGHTS, needs="91m", now="2026-01-05T23:30:00Z")
