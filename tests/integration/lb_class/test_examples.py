# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module's own EXAMPLES, one after the other: truthful in check mode, idempotent, and run as written (issue)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import prove
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.test_examples import PREFIX, written
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.workplace import PlainService, stage_of
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab, LabCluster

from .workplace import MODULE, SLICES, WATCHED, endpoint_slice

NAMES = ("front", "front-next")


@pytest.fixture
def shop(lab: Lab) -> Iterator[LabCluster]:
    """shop/front, served by the cloud provider, with endpoints for it and for the one that comes beside it."""
    cluster = lab.clusters.get("class-examples")
    if cluster is None:
        cluster = lab.cluster("class-examples", "GCP", ingress=())
        cluster.watch_class(WATCHED)
    services = [PlainService(cluster, name) for name in NAMES]
    services[0].create()
    services[0].settle()
    for name in NAMES:
        cluster.api.seed(SLICES, endpoint_slice("shop", name))
    yield cluster
    for service in services:
        service.remove()
        cluster.api.delete(SLICES, "shop", f"{service.service_name}-abcde")


def test_every_example_is_truthful_and_idempotent(shop: LabCluster) -> None:
    """CORE-4, CORE-5; in their order, as they tell one story."""
    for task in written(MODULE):
        options = task[f"{PREFIX}{MODULE}"]
        subject = PlainService(shop, options["service"]["name"])
        subject.options = {}
        prove(subject, MODULE, **options)


@pytest.mark.parametrize("more", [{}, {"environment": {"EDGE": "elsewhere"}}], ids=["in the worker", "as a module"])
def test_all_examples_as_written_by_ansible_playbook(
    shop: LabCluster, tmp_path: Path, more: dict[str, dict[str, str]]
) -> None:
    """With module_defaults for the way in, and nothing else changed."""
    tasks = [{**task, **more} for task in written(MODULE)]
    played = stage_of(tmp_path, shop).play(tasks)
    assert [result["failed"] for result in played.results] == [False] * len(tasks), played.output
    assert [result["changed"] for result in played.results] == [False, True, True, True]
    assert PlainService(shop, NAMES[0]).service() is None
