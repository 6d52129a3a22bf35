# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of classes: the rules of the API, held to the lab's API server; and who is known to watch what (CLS-2)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class import names
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.names import qualified_name_problems
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import CLEANUP

GOOD = ["a", "A", "internal-vip", "example.com/edge", "service.k8s.aws/nlb", "a.b/C_d.e", "x" * 63, f"{'a' * 253}/b"]
BAD = [
    "",
    "/",
    "/a",
    "a/",
    "Bad/LoadBalancerClass",
    "a/b/c",
    "-a",
    "a-",
    "a b",
    "a\n",
    "x" * 64,
    "example..com/a",
    "-example.com/a",
    "example.com./a",
    f"{'a' * 254}/b",
    "ä",
    "example_com/a",
]


@pytest.mark.parametrize("name", [*GOOD, *BAD])
def test_a_name_is_good_where_the_api_server_says_so(name: str) -> None:
    assert (list(names.problems(name)) == []) is (name in GOOD)
    assert bool(list(names.problems(name))) is bool(qualified_name_problems(name))


def test_every_problem_is_told_at_once() -> None:
    assert len(list(names.problems("Bad/-"))) == 2


@pytest.mark.parametrize(
    ("lb_class", "name"),
    [("service.k8s.aws/nlb", "the AWS Load Balancer Controller"), ("tailscale", "the Tailscale operator")],
)
def test_known_controllers(lb_class: str, name: str) -> None:
    found = names.controller_of(lb_class)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("lb_class", [None, "", "example.com/edge"])
def test_a_class_of_nobody_known(lb_class: str | None) -> None:
    assert names.controller_of(lb_class) is None


@pytest.mark.parametrize(
    ("finalizer", "lb_class", "owner"),
    [
        (CLEANUP, None, "the owner"),
        (CLEANUP, "example.com/edge", "the owner"),
        ("service.k8s.aws/resources", None, "the AWS Load Balancer Controller"),
        ("example.com/load-balancer", "example.com/edge", "the owner"),
        ("example.com/load-balancer", None, ""),
        ("foregroundDeletion", "edge", ""),
    ],
)
def test_who_takes_a_finalizer_off(finalizer: str, lb_class: str | None, owner: str) -> None:
    """CLS-5: one that is not about load balancers is not waited for."""
    assert names.finalizer_owner(finalizer, lb_class, "the owner") == owner
