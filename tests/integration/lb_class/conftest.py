# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Services on a cluster where one class has a controller and another has none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab, LabCluster

from .workplace import WATCHED, ClassedService

NewClassed = Callable[..., ClassedService]
Shared = Callable[..., LabCluster]


@pytest.fixture(scope="session")
def shared(lab: Lab) -> Shared:
    """The shared cluster of a platform, with a controller for the class WATCHED; with `moto`, AWS can be asked."""

    def cluster(platform: str = "AWS", *, moto: bool = False) -> LabCluster:
        name = f"class-{platform.lower()}{'-moto' * moto}"
        found = lab.clusters.get(name)
        if found is None:
            found = lab.cluster(name, platform, ingress=(), moto=moto)
            found.watch_class(WATCHED)
            found.api.seed("deployments.apps", _controller())
        return found

    return cluster


def _controller() -> dict[str, object]:
    label = {"app": "edge-controller"}
    container = {"name": "controller", "image": "edge", "args": [f"--lb-class={WATCHED}"]}
    return {
        "metadata": {"name": "edge-controller", "namespace": "openshift-operators"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": label},
            "template": {"metadata": {"labels": label}, "spec": {"containers": [container]}},
        },
        "status": {"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 1},
    }


@pytest.fixture
def classed(shared: Shared) -> Iterator[NewClassed]:
    """A Service that serves, with two ready endpoints: `classed("GCP", lb_class=WATCHED)`; removed afterwards."""
    made: list[ClassedService] = []

    def new(
        platform: str = "AWS", *, moto: bool = False, lb_class: str | None = None, **fields: object
    ) -> ClassedService:
        subject = ClassedService(shared(platform, moto=moto))
        made.append(subject)
        subject.create_classed(lb_class, **fields)
        subject.cluster.requests.reset()
        return subject

    yield new
    for subject in made:
        subject.tidy()
