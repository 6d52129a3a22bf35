# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests that runs have kept: a Service that is gone is in no list of Services (SCO-7, CORE-14)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.left_behind import (
    beside,
    left_behind,
    unread,
)


def kept(name: str, namespace: str = "shop") -> dict[str, Any]:
    manifest = {"metadata": {"name": name, "namespace": namespace}, "spec": {"ports": [{"port": 443}]}}
    data = {"uid": "u1", "manifest.json": json.dumps(manifest)}
    return {"metadata": {"name": f"lb-estate-saved-{name}", "namespace": namespace}, "data": data}


def service(name: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "shop", **metadata}}


def test_a_service_that_is_gone_is_a_row() -> None:
    (row,) = left_behind([kept("front"), kept("back")], [service("back")], "prod")
    assert (row.target.name, row.target.namespace, row.target.cluster, row.verdict.value) == (
        "front",
        "shop",
        "prod",
        "blocked",
    )
    assert row.message.startswith("Service shop/front is down: a run of ours deleted it")
    assert "service: {namespace: shop, name: front}" in row.findings[0].remedy


def test_one_that_its_manifest_does_not_bring_back_is_not_called_restorable() -> None:
    (row,) = left_behind([{**kept("front"), "data": {"uid": "u1"}}], [])
    assert ([entry.code for entry in row.findings], row.verdict.value) == (["kept_manifest_spoilt"], "blocked")
    assert "shop/front, which is gone, and cannot" in row.message


@pytest.mark.parametrize(
    ("way", "said", "module"),
    [
        ("", "deleted it", "slb_scope"),
        ("recreate", "deleted it", "service_lb_class"),
        ("type_flip", "took its type away", "service_lb_class"),
    ],
)
def test_the_remedy_is_the_task_that_was_stopped(way: str, said: str, module: str) -> None:
    config = kept("front")
    config["data"] |= {"way": way} if way else {}
    (row,) = left_behind([config], [])
    assert f"a run of ours {said}" in row.message
    assert f"run {module} with service" in row.findings[0].remedy
    assert f"run {module} with service" in beside([config], service("front"))[0].remedy


def test_the_same_name_elsewhere_is_another_service() -> None:
    assert [row.target.namespace for row in left_behind([kept("front", "other")], [service("front")])] == ["other"]


@pytest.mark.parametrize(
    ("live", "codes"),
    [
        (service("front"), ["manifest_left"]),
        (service("front", deletionTimestamp="now"), ["service_restorable"]),
        (service("back"), []),
    ],
)
def test_one_that_is_still_there_has_a_remark(live: dict[str, Any], codes: list[str]) -> None:
    assert [finding.code for finding in beside([kept("front")], live)] == codes
    assert left_behind([kept("front")], [service("front")]) == ()


def test_what_may_not_be_read_is_said() -> None:
    assert [finding.code for finding in unread(None)] == ["kept_unread"]
    assert unread(()) == ()
