# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SUB-4: subnets and Elastic IPs read, written and compared exactly as shipped (facts: ingress-operator §5, §7)."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import subnets
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIPS,
    SUBNETS,
    TYPE,
)

ABSENT: dict[str, str] = {}


def ids(*values: str) -> dict[str, list[str]]:
    return {"ids": list(values)}


def names(*values: str) -> dict[str, list[str]]:
    return {"names": list(values)}


@pytest.mark.parametrize(
    ("value", "read"),
    [
        pytest.param("subnet-1", ids("subnet-1"), id="one id"),
        pytest.param("blue", names("blue"), id="one name"),
        pytest.param("subnet-1,blue,subnet-2", ids("subnet-1", "subnet-2") | names("blue"), id="sorted into two lists"),
        pytest.param("subnet-2,subnet-1", ids("subnet-2", "subnet-1"), id="order kept"),
        pytest.param(" subnet-1,blue\n", ids("subnet-1") | names("blue"), id="trimmed as a whole"),
        pytest.param("blue, green", names("blue", " green"), id="but not each part"),
        pytest.param("subnet-1, subnet-2", ids("subnet-1") | names(" subnet-2"), id="a space makes an id a name"),
        pytest.param("blue,,green", names("blue", "", "green"), id="an empty part is a name"),
        pytest.param("subnet-1,", ids("subnet-1") | names(""), id="so is a trailing one"),
        pytest.param(",", names("", ""), id="nothing but a comma"),
        pytest.param("subnet-1,subnet-1", ids("subnet-1", "subnet-1"), id="duplicates stay"),
        pytest.param("subnet-1234abcd", ids("subnet-1234abcd"), id="an id of eight digits"),
        pytest.param("Subnet-1", names("Subnet-1"), id="case counts"),
        pytest.param("", None, id="empty"),
        pytest.param("  ", None, id="blank"),
    ],
)
def test_the_operator_reads_the_annotation(value: str, read: Any) -> None:
    assert subnets.parse({SUBNETS: value}) == Subnets.listed(read)
    assert subnets.parse({SUBNETS: value}).as_spec() == read


def test_no_annotation_is_no_subnets() -> None:
    assert not subnets.parse(ABSENT)
    assert subnets.parse_eips(ABSENT) == []


@pytest.mark.parametrize(
    ("value", "read"),
    [("e1", ["e1"]), (" e1,e2 ", ["e1", "e2"]), ("e1, e2", ["e1", " e2"]), ("e1,,", ["e1", "", ""]), (" ", [])],
)
def test_the_operator_reads_elastic_ips(value: str, read: list[str]) -> None:
    assert subnets.parse_eips({EIPS: value}) == read


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, ""),
        ({}, ""),
        ({"ids": [], "names": []}, ""),
        (ids("subnet-b", "subnet-a"), "subnet-b,subnet-a"),
        (names("x", "y") | ids("subnet-a"), "subnet-a,x,y"),
        ({"ids": None, "names": ["a b"]}, "a b"),
    ],
)
def test_ids_are_written_before_names_each_in_their_order(given: Any, text: str) -> None:
    assert ",".join(Subnets.listed(given)) == text


@pytest.mark.parametrize(
    ("given", "text"), [(None, ""), ([], ""), (["e2", "e1"], "e2,e1"), (["e1", "", "e2"], "e1,e2")]
)
def test_elastic_ips_are_written_without_empty_ones(given: Any, text: str) -> None:
    assert subnets.render_eips(given) == text


@pytest.mark.parametrize("value", ["subnet-1", "subnet-2,subnet-1,blue,green", "blue"])
def test_an_annotation_with_ids_before_names_survives_adoption_byte_for_byte(value: str) -> None:
    """§9: SUB-7 with auto-delete present needs exactly that."""
    assert ",".join(subnets.parse({SUBNETS: value})) == value


@pytest.mark.parametrize("value", ["blue,subnet-1", " subnet-1", "subnet-1 "])
def test_a_name_before_an_id_or_outer_spaces_cannot(value: str) -> None:
    assert ",".join(subnets.parse({SUBNETS: value})) != value


NOTHING = [None, {}, {"ids": []}, {"ids": [], "names": []}, {"ids": None, "names": None}]


def test_all_ways_to_say_nothing_are_equal() -> None:
    for want, have in itertools.product(NOTHING, repeat=2):
        assert Subnets.listed(want).same(Subnets.listed(have)), (want, have)


@pytest.mark.parametrize(
    ("want", "have", "same"),
    [
        pytest.param(ids("a", "b"), ids("b", "a"), True, id="order of ids"),
        pytest.param(names("x", "y"), names("y", "x"), True, id="order of names"),
        pytest.param(ids("a") | names("x"), names("x") | ids("a"), True, id="both"),
        pytest.param(ids("a"), ids("a", "b"), False, id="one more"),
        pytest.param(ids("a", "b"), ids("a"), False, id="one less"),
        pytest.param(ids("a", "b"), ids("a", "c"), False, id="another"),
        pytest.param(ids("a"), None, False, id="wanted but absent"),
        pytest.param(None, ids("a"), False, id="there but unwanted"),
        pytest.param(ids("a"), names("a"), False, id="an id is never a name"),
        pytest.param(ids("a") | names("x"), ids("a", "x"), False, id="nor counted with them"),
        pytest.param(names("x"), names("X"), False, id="case counts"),
        pytest.param(names("x"), names(" x"), False, id="spaces count"),
        pytest.param(ids("a", "a"), ids("a", "b"), True, id="one-sided: duplicates wanted"),
        pytest.param(ids("a", "b"), ids("a", "a"), False, id="one-sided: duplicates there"),
    ],
)
def test_comparing_subnets(want: Any, have: Any, same: bool) -> None:
    assert Subnets.listed(want).same(Subnets.listed(have)) is same


@pytest.mark.parametrize(
    ("want", "have", "same"),
    [
        (None, [], True),
        (["1", "2"], ["2", "1"], True),
        (["1"], ["1", "2"], False),
        (["1", "2"], ["1", "3"], False),
        (["1", "1"], ["1", "2"], True),
        (["1", "2"], ["1", "1"], False),
    ],
)
def test_comparing_elastic_ips(want: Any, have: Any, same: bool) -> None:
    assert subnets.eips_equal(want, have) is same


@pytest.mark.parametrize(
    ("value", "kind"),
    [("nlb", "NLB"), ("NLB", "Classic"), ("", "Classic"), ("nlb-ip", "Classic"), ("external", "Classic")],
)
def test_only_exactly_nlb_is_one(value: str, kind: str) -> None:
    """§2."""
    assert subnets.lb_type({TYPE: value}) == kind
    assert subnets.lb_type(ABSENT) == "Classic"


@pytest.mark.parametrize(
    ("given", "shown", "patched"),
    [
        (None, "{}", "null"),
        ({"ids": [], "names": []}, "{}", "null"),
        (ids("subnet-1"), '{"ids":["subnet-1"],"names":[]}', '{"ids":["subnet-1"],"names":null}'),
        (names("x"), '{"ids":[],"names":["x"]}', '{"ids":null,"names":["x"]}'),
        (
            names("x", "R&D") | ids("subnet-1"),
            '{"ids":["subnet-1"],"names":["x","R\\u0026D"]}',
            '{"ids":["subnet-1"],"names":["x","R\\u0026D"]}',
        ),
    ],
)
def test_as_messages_show_them_and_patches_write_them(given: Any, shown: str, patched: str) -> None:
    """§7, Value and PATCH formats."""
    assert Subnets.listed(given).shown() == shown
    assert Subnets.listed(given).patched() == patched


@pytest.mark.parametrize(
    ("given", "empty", "text"), [(None, "null", "null"), ([], "[]", "[]"), (["e1", "e2"], "null", '["e1","e2"]')]
)
def test_elastic_ips_in_messages_and_patches(given: Any, empty: str, text: str) -> None:
    assert subnets.eips_json(given, empty) == text
