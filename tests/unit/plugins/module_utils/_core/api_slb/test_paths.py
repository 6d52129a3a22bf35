# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another path has to be proven before one goes (API-7)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import BY_ROLE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.paths import (
    Path,
    candidates,
    is_loopback,
    last_path,
    of_service,
    path_of,
    with_port,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import PathSeen
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    CONNECTED,
    REFUSED,
    SILENT,
    live,
)

EXTERNAL, INTERNAL = BY_ROLE["external"], BY_ROLE["internal"]
GONE = of_service(EXTERNAL, live("external"))
INSIDE = Path("internal-lb", "10.0.0.7:6443")
LOST = {GONE[0].at: PathSeen("connected", peers=("20.0.0.7",))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("api.example.com", "api.example.com:6443"),
        ("api.example.com:443", "api.example.com:443"),
        ("10.0.0.1", "10.0.0.1:6443"),
        ("fd00::1", "[fd00::1]:6443"),
        ("[fd00::1]", "[fd00::1]:6443"),
        ("[fd00::1]:443", "[fd00::1]:443"),
    ],
)
def test_where_a_path_is(text: str, expected: str) -> None:
    assert with_port(text) == expected
    assert path_of(text).name == text


def test_candidates_each_once_and_no_tunnel_of_this_run() -> None:
    found = candidates({INTERNAL: live("internal")}, ["10.0.0.7", "bastion:8443"], "api.example.com:6443")
    assert [path.at for path in found] == ["10.0.0.7:6443", "bastion:8443", "api.example.com:6443"]
    assert candidates({}, [], "127.0.0.1:6443") == ()
    assert [is_loopback(at) for at in ("localhost:1", "[::1]:1", "127.9.9.9:1", "api:1")] == [True, True, True, False]


def test_one_that_answers_is_enough() -> None:
    assert last_path(EXTERNAL, [INSIDE], GONE, {INSIDE.at: CONNECTED, **LOST}, ()) is None


@pytest.mark.parametrize(
    ("seen", "vouched", "holds"),
    [
        (SILENT, (), False),
        (SILENT, ("internal-lb",), True),
        (SILENT, ("10.0.0.7:6443",), True),
        (SILENT, ("another",), False),
        (PathSeen("unresolved"), ("internal-lb",), True),
        (REFUSED, ("internal-lb",), False),
    ],
)
def test_a_word_counts_only_where_nobody_can_tell_from_here(
    seen: PathSeen, vouched: tuple[str, ...], holds: bool
) -> None:
    found = last_path(EXTERNAL, [INSIDE], GONE, {INSIDE.at: seen, **LOST}, vouched)
    assert (found is None) is holds
    if found is not None:
        assert "internal-lb (10.0.0.7:6443)" in found.what
        assert "vouched_paths" in found.remedy


def test_another_name_of_the_same_load_balancer_is_no_other_path() -> None:
    name = path_of("api.example.com")
    seen = {name.at: PathSeen("connected", peers=("20.0.0.7",)), **LOST}
    found = last_path(EXTERNAL, [name], GONE, seen, ())
    assert found is not None
    assert "is the same load balancer" in found.what


def test_nothing_else_at_all() -> None:
    found = last_path(EXTERNAL, [], GONE, LOST, ())
    assert found is not None
    assert "There is no other" in found.what
