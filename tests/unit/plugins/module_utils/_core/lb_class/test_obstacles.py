# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a class from being changed: somebody else's Service, or a second one that is not ours (CLS-1, CLS-3)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.obstacles import obstacles
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.state import WantedClass
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import OWNER_LABEL
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    OTHER,
    flipped,
    keeping,
    observed,
    second,
    service,
    want,
)

BESIDE = want(way="side_by_side")
MOVED = want(way="side_by_side", moved_because="seen")
OWNED = [{"kind": "Gateway", "name": "edge", "controller": True}, {"kind": "Other", "name": "x"}]
UNSELECTED = {"found": service(selector=None)}


@pytest.mark.parametrize(
    ("found", "wanted", "code"),
    [
        ({"found": None}, want(), "not_found"),
        ({"found": service(type="ClusterIP")}, want(), "not_a_load_balancer"),
        ({"found": service(labels={OWNER_LABEL: "default"})}, want(), "operator_owned"),
        ({"found": service(ownerReferences=OWNED)}, want(), "operator_owned"),
        ({"found": service()}, MOVED, "not_moved"),
        (UNSELECTED, BESIDE, "no_selector"),
        ({"found": service(), "successor": second(beside="other")}, BESIDE, "successor_foreign"),
        ({"found": service(), "successor": second(OTHER)}, BESIDE, "successor_differs"),
        ({"found": service(), "successor": second(), "endpoints": 0}, MOVED, "not_moved"),
    ],
)
def test_what_stands_in_the_way(found: dict[str, Any], wanted: WantedClass, code: str) -> None:
    (told,) = obstacles(wanted, observed(**found))
    assert (told.code, told.severity.value) == (code, "error")
    assert told.remedy


def test_who_owns_it_is_named() -> None:
    (told,) = obstacles(want(), observed(service(ownerReferences=OWNED)))
    assert "Gateway edge" in told.what


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ({"found": service()}, want()),
        (UNSELECTED, want()),
        ({"found": service(), "successor": second(), "endpoints": 1}, MOVED),
        ({"found": None, "successor": second()}, BESIDE),
        ({"found": service(CLASS), "successor": second(beside="other")}, BESIDE),
        ({"found": None, "kept": keeping(service(), "recreate")}, want()),
    ],
)
def test_what_does_not(found: dict[str, Any], wanted: WantedClass) -> None:
    assert list(obstacles(wanted, observed(**found))) == []


def test_a_stopped_flip_needs_what_was_kept() -> None:
    stopped = flipped(service())
    assert list(obstacles(want(), stopped)) == []
    stopped.kept["data"]["manifest.json"] = "{"
    (told,) = obstacles(want(), stopped)
    assert (told.code, "which has no load balancer" in told.what) == ("kept_manifest_spoilt", True)
