# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for pytest; a test file takes them in by naming this module in its `pytest_plugins`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest

from .errors import LabError
from .lab import OpenStackLab
from .tenants import Project

__all__ = ["openstack_lab", "openstack_project"]
#: State directory of a lab that runs already: tests use it and leave it running.
RUNNING_LAB = "LB_ESTATE_OPENSTACK_LAB"
#: A fixture that several test files import is one fixture per file to pytest; the lab behind them is one all the same.
_users: list[OpenStackLab] = []


@pytest.fixture(scope="session")
def openstack_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenStackLab]:
    """The lab, for the whole session; clients of this process and its children find it by OS_CLIENT_CONFIG_FILE."""
    running = os.environ.get(RUNNING_LAB)
    try:
        if _users:
            lab = _users[0]
        elif running:
            lab = OpenStackLab.attach(running)
        else:
            lab = OpenStackLab.start(tmp_path_factory.mktemp("openstack"))
    except LabError as error:
        pytest.fail(f"The OpenStack lab did not start: {error}", pytrace=False)
    _users.append(lab)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in lab.client_environment().items():
            patch.setenv(name, value)
        try:
            yield lab
        finally:
            _users.pop()
            if not (_users or running):
                lab.stop()


@pytest.fixture
def openstack_project(openstack_lab: OpenStackLab, request: pytest.FixtureRequest) -> Project:
    """A project for this test alone, named after it."""
    return openstack_lab.project(
        re.sub(r"[^a-z0-9]+", "-", request.node.name.removeprefix("test_").lower())[:40].strip("-")
    )
