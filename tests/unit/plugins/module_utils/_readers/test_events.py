# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events about one Service; after a change only those since then count (SUB-10, SCO-8)."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.events import ServiceEvents
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import MemoryCluster


def event(uid: str, name: str = "front", kind: str = "Service", namespace: str = "shop", **more: Any) -> dict[str, Any]:
    meta = {"name": uid, "namespace": namespace, "uid": uid}
    return {"metadata": meta, "involvedObject": {"kind": kind, "name": name}, **more}


def told(*events: dict[str, Any]) -> tuple[MemoryCluster, ServiceEvents]:
    memory = MemoryCluster()
    for one in events:
        memory.put("events", one)
    return memory, ServiceEvents(memory, "shop", "front")


def uids(events: list[dict[str, Any]]) -> list[str]:
    return [one["metadata"]["uid"] for one in events]


def test_only_events_about_this_service_are_asked_for() -> None:
    memory, events = told(event("a"), event("b", "back"), event("c", kind="Pod"), event("d", namespace="other"))
    assert uids(events.all()) == ["a"]
    assert memory.requests == ["list events shop involvedObject.kind=Service,involvedObject.name=front"]


def test_events_outlive_what_they_told_of() -> None:
    memory, events = told(event("old"))
    assert events.since_first_look() == []
    memory.put("events", event("new"))
    assert uids(events.since_first_look()) == ["new"]
    assert uids(events.since_first_look()) == ["new"]  # since the first look, not since the last


def test_an_event_that_recurs_counts_again() -> None:
    memory, events = told(event("a", count=3))
    assert events.since_first_look() == []
    memory.put("events", event("a", count=4))
    assert uids(events.since_first_look()) == ["a"]


def test_an_event_without_a_count_happened_once() -> None:
    memory, events = told(event("a"))
    assert events.since_first_look() == []
    memory.put("events", event("a", count=1))
    assert events.since_first_look() == []
