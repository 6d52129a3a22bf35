# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which paths are tried, and when (API-7)."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb import proof
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.manifests import said
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import BY_ROLE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.parts import Part, part
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import PathQuestion
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    ADDRESSES,
    CONNECTED,
    ENDS,
    all_live,
    observed,
    wanted,
)


def parts(*gone: str) -> list[Part]:
    seen = observed(services=all_live())
    made = []
    for role, slb in BY_ROLE.items():
        given = ADDRESSES["Azure"].get(slb.addresses, ())
        what = None if role in gone else said(slb, wanted(), "Azure", given)
        made.append(part(slb, seen.services[role], what, ENDS, False))
    return made


def test_only_services_that_stay_and_are_ready_are_tried() -> None:
    made = parts("external")
    found = proof.tried(wanted(other_paths=("bastion",)), observed(services=all_live()), made)
    assert [path.at for path in found] == ["10.0.0.7:6443", "bastion:6443"]
    assert proof.tried(wanted(), observed(services=all_live(), endpoints={}), made) == ()


def test_the_run_s_own_connection_is_one() -> None:
    found = proof.tried(wanted(), observed(host="api.prod.example.com:6443"), [])
    assert [path.name for path in found] == ["the connection of this run"]


def test_nothing_is_asked_twice() -> None:
    made = parts("external")
    seen = observed(services=all_live(), paths={"10.0.0.7:6443": CONNECTED})
    question = proof.last_path(wanted(), seen, made[0], made[1:], [])
    assert question == PathQuestion(("20.0.0.7:6443",))


def test_the_machine_config_server_needs_no_proof() -> None:
    made = parts("machine_config_server")
    assert proof.last_path(wanted(), observed(services=all_live()), made[2], made[:2], []) is None


def test_of_two_that_go_for_good_neither_is_the_other_s_path() -> None:
    made = parts("external", "internal")
    seen = observed(services=all_live(), paths={"20.0.0.7:6443": CONNECTED, "10.0.0.7:6443": CONNECTED})
    found = proof.last_path(wanted(), seen, made[0], [], made[1:])
    assert found is not None
    assert "There is no other" in found.what  # type: ignore[union-attr]
