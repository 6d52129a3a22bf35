# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the lab's own tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from ansible_collections.edgeworks.lb_estate.tests.integration.lab.balancers import Balancers
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab, LabCluster

BareCluster = Callable[[str, str], LabCluster]


@pytest.fixture(scope="session")
def bare_cluster(lab: Lab) -> BareCluster:
    """A cluster without the ingress operator, one per platform and version for all tests."""

    def made(platform: str, version: str) -> LabCluster:
        name = f"bare-{platform.lower()}-{version.replace('.', '')}"
        return lab.clusters.get(name) or lab.cluster(name, platform, version, operator=False)

    return made


@pytest.fixture
def aws(bare_cluster: BareCluster) -> LabCluster:
    return bare_cluster("AWS", "4.22")


@pytest.fixture
def balancers(bare_cluster: BareCluster, request: pytest.FixtureRequest) -> Iterator[Balancers]:
    """Of AWS 4.22, or of what the test's parameter says: (platform, version)."""
    made = Balancers(bare_cluster(*getattr(request, "param", ("AWS", "4.22"))))
    yield made
    made.clean_up()
