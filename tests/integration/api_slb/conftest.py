# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One cluster a platform for all tests of a session; each test finds it without API load balancers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.addresses import version_of
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import name_service, paths
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab

from .workplace import PRIVATE, ApiLbs, mute

NewApi = Callable[..., ApiLbs]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The private address cannot be reached from here, names lead nowhere, and nobody needs five seconds to see it."""
    monkeypatch.setattr(paths, "SECONDS", 0.3)
    names = tmp_path_factory.mktemp("names") / "names.json"
    names.write_text('{"*": []}', encoding="utf-8")
    monkeypatch.setenv("LAB_HOSTS", str(names))
    resolve = name_service.addresses
    monkeypatch.setattr(name_service, "addresses", lambda host, within: resolve(host, within) if is_ip(host) else ())
    with mute(PRIVATE):
        yield


def is_ip(host: str) -> bool:
    return bool(version_of(host))


@pytest.fixture
def api(lab: Lab) -> Iterator[NewApi]:
    """`api("GCP")`: its API load balancers, none of which is there yet; `moto` on AWS where AWS is to be asked."""
    made: list[ApiLbs] = []

    def new(platform: str = "Azure", version: str = "4.22", *, moto: bool = False) -> ApiLbs:
        name = f"api-{platform.lower()}-{version.replace('.', '')}{'-moto' * moto}"
        cluster = lab.clusters.get(name) or lab.cluster(name, platform, version, ingress=(), moto=moto)
        subject = ApiLbs(cluster)
        subject.at_rest()
        made.append(subject)
        cluster.requests.reset()
        return subject

    yield new
    for subject in made:
        subject.cluster.faults.clear()
        subject.cluster.cloud_faults.clear()
        subject.remove()
