# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EST-4: lengths of time as people, RFC 5545 and AWX write them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.windows.durations import LONGEST, seconds


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (14400, 14400),
        ("14400", 14400),
        ("4h", 14400),
        ("90m", 5400),
        ("2h30m", 9000),
        ("1d2h3m4s", 93784),
        ("24d", 24 * 86400),
        ("PT4H", 14400),
        ("P1DT12H", 129600),
        ("P2W", 14 * 86400),
        ("PT90M", 5400),
        (LONGEST, LONGEST),
        (LONGEST + 1, None),
        ("367d", None),
        ("9" * 400, None),
        (0, None),
        ("0h", None),
        (-5, None),
        ("-4h", None),
        ("", None),
        ("P", None),
        ("PT", None),
        ("P1DT", None),
        ("4x", None),
        ("4 h", None),
        ("30m2h", None),
        ("3600.5", None),
        (3600.0, None),
        (True, None),
        (None, None),
        (["4h"], None),
        ("٤h", None),
    ],
)
def test_seconds(value: Any, found: int | None) -> None:
    assert seconds(value) == found
