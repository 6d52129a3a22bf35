# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One cluster per platform and version for all tests of a session; each test gets load balancers of its own on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import IngressSpec
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab, LabCluster

from .workplace import Ingress, PlainService, Subject, next_name, spec_of

At = Callable[..., LabCluster]
NewIngress = Callable[..., Ingress]
NewService = Callable[..., PlainService]


@pytest.fixture(scope="session")
def at(lab: Lab) -> At:
    """The shared cluster of a platform and version; with `moto` on AWS there is one that can be asked."""

    def cluster(platform: str = "AWS", version: str = "4.22", *, moto: bool = False) -> LabCluster:
        name = f"ingress-{platform.lower()}-{version.replace('.', '')}{'-moto' * moto}"
        return lab.clusters.get(name) or lab.cluster(name, platform, version, ingress=(), moto=moto)

    return cluster


@pytest.fixture
def subjects() -> Iterator[list[Subject]]:
    """Made by a test, removed after it; faults it injected are cleared first."""
    made: list[Any] = []
    yield made
    for subject in made:
        subject.cluster.faults.clear()
        subject.cluster.cloud_faults.clear()
        subject.remove()


@pytest.fixture
def ingress(at: At, subjects: list[Subject]) -> NewIngress:
    """A new IngressController at rest: `ingress("4.21", type="NLB", subnets="public")`."""

    def new(version: str = "4.22", platform: str = "AWS", *, moto: bool = False, **fields: Any) -> Ingress:
        cluster = at(platform, version, moto=moto)
        spec: IngressSpec = spec_of(**fields)
        made = Ingress(cluster, spec.name)
        subjects.append(made)
        made.create(spec.strategy(platform, cluster.aws), annotations=dict(spec.annotations))
        made.settle()
        cluster.requests.reset()
        return made

    return new


@pytest.fixture
def plain(at: At, subjects: list[Subject]) -> NewService:
    """A new Service of type LoadBalancer that serves: `plain("GCP")`."""

    def new(platform: str = "AWS", version: str = "4.22", *, moto: bool = False, **fields: Any) -> PlainService:
        made = PlainService(at(platform, version, moto=moto), next_name("front"))
        subjects.append(made)
        made.create(**fields)
        made.settle()
        made.cluster.requests.reset()
        return made

    return new


@pytest.fixture
def no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Nowhere boto3 looks."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
