# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One Service, the one beside it, and the evidence for a class: how much is read, and what may be missing (CLS-4)."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.state import WantedClass
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.watched import (
    GATEWAY_CLASSES,
    LOOKED_AT,
    ClassQuestion,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Invalid
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.lb_class import (
    read_class,
    read_evidence,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.service import SLICES
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    second,
    service,
    want,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    MemoryCluster,
    platform_objects,
)

PLACE = ("shop", "front")
REHEARSED = service(CLASS)
QUESTION = ClassQuestion(CLASS, "shop/front", REHEARSED, CLASS)


def shop(*services: dict[str, Any]) -> MemoryCluster:
    made = platform_objects("AWS")
    for one in services:
        made.put("services", one)
    labels = {"kubernetes.io/service-name": "front-next"}
    meta = {"name": "front-next-x", "namespace": "shop", "labels": labels}
    made.put(SLICES, {"metadata": meta, "endpoints": [{}, {"conditions": {"ready": False}}]})
    return made


def test_three_requests_where_there_is_no_second_one() -> None:
    memory = shop(service())
    found = read_class(memory, Given(name="prod"), PLACE, want())
    assert len(memory.requests) == 3
    assert (found.platform, found.cluster, found.lb_class, found.successor) == ("AWS", "prod", None, None)
    again = read_class(memory, Given(), PLACE, want(), found)
    assert again == found
    assert len(memory.requests) == 5


def test_two_more_where_there_may_be() -> None:
    memory = shop(service(), second())
    found = read_class(memory, Given(), PLACE, want(way="side_by_side"))
    assert memory.requests[-2:] == [
        "get services shop/front-next",
        f"list {SLICES} shop kubernetes.io/service-name=front-next",
    ]
    assert (found.ours_beside, found.endpoints) == (True, 1)
    memory.forbidden.add(("list", SLICES))
    assert read_class(memory, Given(), PLACE, want(way="side_by_side")).endpoints is None


def test_a_service_that_is_not_there_may_be_retired() -> None:
    assert read_class(shop(second()), Given(), PLACE, WantedClass(CLASS)).ours_beside


def test_evidence_is_five_lists_and_a_rehearsal() -> None:
    memory = shop(service(), second())
    memory.unserved = (GATEWAY_CLASSES,)
    memory.forbidden.add(("list", "deployments.apps"))
    found = read_evidence(memory, QUESTION)  # type: ignore[arg-type]
    assert memory.requests == [*(f"list {kind} *" for kind in LOOKED_AT), "rehearse services shop/front"]
    assert (found.serving, found.unread) == (("Service shop/front-next",), ("deployments",))
    assert found.probe.lb_class == CLASS


def test_a_rehearsal_may_be_refused() -> None:
    memory = shop()
    memory.problems = [Invalid("The server says no.")]
    assert read_evidence(memory, QUESTION).probe.refused == "The server says no."  # type: ignore[arg-type]
