# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that cannot be meant: all of it at once, before any server is asked (SUB-1, CORE-7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress import options as rules
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    E2,
    A,
    B,
)

FINE: dict[str, Any] = {"state": "present", "wait_timeout": 900, "wait_sleep": 5, "ingress_controller": "default"}
ELEVEN = [f"subnet-0{number:016x}" for number in range(11)]


def problems(**given: Any) -> list[tuple[str, str]]:
    return [(finding.code, finding.where) for finding in rules.subnets({**FINE, **given})]


def both(**given: Any) -> dict[str, Any]:
    return {"subnets": {"ids": [], "names": [], **given}}


@pytest.mark.parametrize(
    "given",
    [
        {},
        both(ids=[A, B]),
        both(names=["blue"]),
        {**both(ids=[A, B]), "eip_allocations": [E1, E2]},
        {"eip_allocations": []},
        {"state": "absent"},
        {"state": "absent", "eip_allocations": []},
        {"state": "adopted"},
        {"state": "adopted", "scope": "Internal"},
        {"lb_type": "Classic", "eip_allocations": []},
    ],
)
def test_what_can_be_meant(given: dict[str, Any]) -> None:
    assert problems(**given) == []


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"state": "absent", **both(ids=[A])}, ["subnets"]),
        ({"state": "adopted", "lb_type": "NLB", "eip_allocations": [E1]}, ["eip_allocations", "lb_type"]),
        ({"lb_type": "Classic", "eip_allocations": [E1]}, ["eip_allocations"]),
        ({"replicas": -1}, ["replicas"]),
        ({"wait_timeout": 0, "wait_sleep": -5}, ["wait_timeout", "wait_sleep"]),
    ],
)
def test_contradictions(given: dict[str, Any], where: list[str]) -> None:
    assert problems(**given) == [("bad_option", name) for name in where]


@pytest.mark.parametrize(
    ("given", "where"),
    [
        (both(), "subnets"),
        (both(ids=["subnet-12345678"]), "subnets.ids[0]"),
        (both(ids=[A, A]), "subnets.ids"),
        (both(names=[A]), "subnets.names"),
        (both(names=["a,b"]), "subnets.names"),
        (both(ids=ELEVEN), "subnets.ids"),
        ({"eip_allocations": ["eip-1"]}, "eip_allocations[0]"),
        ({**both(ids=[A, B]), "eip_allocations": [E1]}, "loadBalancer"),
        ({"scope": "Internal", "eip_allocations": [E1]}, "loadBalancer"),
    ],
)
def test_what_no_api_server_would_take(given: dict[str, Any], where: str) -> None:
    found = problems(**given)
    assert {code for code, _where in found} == {"refused_by_api"}
    assert any(name.startswith(where) for _code, name in found), found


def test_everything_wrong_is_told_at_once() -> None:
    given = {"lb_type": "Classic", "eip_allocations": ["eip-1"], "wait_sleep": 0, **both(ids=["x"])}
    found = problems(**given)
    assert {code for code, _where in found} == {"bad_option", "refused_by_api"}
    assert {where.partition(".")[0].partition("[")[0] for _code, where in found} >= {
        "subnets",
        "eip_allocations",
        "wait_sleep",
    }


def test_also_what_the_server_would_tell_only_once_the_rest_is_mended() -> None:
    too_long = [f"eipalloc-{'0' * 40}"]
    found = {where for _code, where in problems(scope="Internal", eip_allocations=too_long)}
    assert found >= {"eip_allocations[0]", "loadBalancer"}


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ({}, "IngressController openshift-ingress-operator/default"),
        ({"ingress_controller": "shard"}, "IngressController openshift-ingress-operator/shard"),
        ({"service": {"namespace": "shop", "name": "front"}}, "Service shop/front"),
    ],
)
def test_the_refusal_names_its_target(given: dict[str, Any], target: str) -> None:
    assert str(rules.target(given)) == target


@pytest.mark.parametrize("name", [" ", " a", "a ", "\t", "a\nb"])
def test_a_name_that_no_subnet_is_found_by(name: str) -> None:
    """The API takes it; the cloud controller trims it, and the next recreation fails."""
    assert ("bad_option", "subnets.names") in problems(**both(names=[name]))
    assert problems(**both(names=["a b"])) == []
