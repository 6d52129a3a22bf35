# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the found objects mean: who was stopped where, and what was written down before (CLS-3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class import state
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


def test_a_flip_that_was_stopped_is_recognised() -> None:
    found = flipped(service(OTHER))
    assert (found.flipped, found.deleted_by_us, found.old_addresses) == (True, False, ("old.example.com",))
    assert state.class_of(found.manifest) == OTHER


@pytest.mark.parametrize(
    "data",
    [{"way": "recreate"}, {"uid": "another"}, {"way": ""}],
    ids=["another way", "another Service", "of slb_scope"],
)
def test_what_is_no_flip_of_ours(data: dict[str, str]) -> None:
    found = flipped(service())
    changed = {**found.kept, "data": {**found.kept["data"], **data}}
    assert not replace(found, kept=changed).flipped


def test_the_type_is_still_that_of_a_load_balancer() -> None:
    assert not observed(service(), kept=keeping(service(), "type_flip")).flipped


@pytest.mark.parametrize("text", ["", "{}", "no json"])
def test_what_is_kept_may_be_spoilt(text: str) -> None:
    config = keeping(service(), "type_flip")
    config["data"] |= {"manifest.json": text, "addresses": text}
    found = observed(None, kept=config)
    assert (found.manifest, found.old_addresses) == (None, ())


def test_addresses_of_now_count_before_those_written_down() -> None:
    found = observed(service(address="now.example.com"), kept=keeping(service(), "type_flip"))
    assert found.old_addresses == ("now.example.com",)


@pytest.mark.parametrize(("beside", "ours"), [("front", True), ("back", False)])
def test_whose_the_second_one_is(beside: str, ours: bool) -> None:
    assert observed(service(), successor=second(beside=beside)).ours_beside is ours


@pytest.mark.parametrize(
    ("found", "wanted", "begins"),
    [
        ({"found": service()}, want(), True),
        ({"found": service(CLASS)}, want(), False),
        ({"found": None}, want(), False),
        ({"found": service(), "successor": second()}, want(way="side_by_side"), False),
        ({"found": service(), "successor": second()}, want(way="recreate"), True),
    ],
)
def test_who_takes_the_first_step(found: dict[str, Any], wanted: state.WantedClass, begins: bool) -> None:
    assert state.begins(wanted, observed(**found)) is begins


def test_a_second_one_that_stands_for_the_first() -> None:
    found = observed(None, successor=second())
    assert state.is_retired(want(way="side_by_side"), found)
    assert not state.is_retired(want(OTHER, way="side_by_side"), found)
    assert not state.is_retired(want(way="recreate"), found)


@pytest.mark.parametrize(
    ("address", "endpoints", "serves"), [("a", 2, True), ("a", 0, False), ("", 2, False), ("a", None, True)]
)
def test_it_serves_with_an_address_and_somebody_behind_it(address: str, endpoints: int | None, serves: bool) -> None:
    found = observed(service(), successor=second(address=address), endpoints=endpoints)
    assert state.serves(found) is serves
