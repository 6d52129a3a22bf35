# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""pytest fixtures: one lab for the whole session, in this process, with clusters added as tests want them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .cloud.faults import Timing
from .running import Lab

# Retries after 0.1 s instead of 5, at most 2 instead of 300: tests see several without waiting for minutes.
TEST_TIMING = Timing(speed=0.02, retry_most=100.0)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(tmp_path_factory.mktemp("lab"), TEST_TIMING) as running:
        yield running
