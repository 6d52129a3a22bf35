# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The small schema: what a server drops, fills in and refuses (facts: lab-kubernetes §6; histories)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.schema import (
    UNCHECKED,
    Array,
    Number,
    Obj,
    Rule,
    Text,
    prune,
    validate,
)

EVEN = Rule("must be even", lambda value: len(value) % 2 == 0)
SCHEMA = Obj(
    fields={
        "name": Text(min_length=2, max_length=4, pattern="^[a-z]+$", rules=(EVEN,)),
        "kind": Text(enum=("a", "b")),
        "wait": Text(duration=True),
        "port": Number(minimum=1, maximum=9, default=5),
        "tags": Array(item=Text(min_length=1), max_items=2, rules=(EVEN,)),
        "maybe": Array(item=Text(), nullable=True),
        "inner": Obj(fields={"need": Text()}, required=("need",), rules=(Rule("never", lambda _value: False),)),
    }
)
NOT_CHECKED = (UNCHECKED.field, UNCHECKED.reason, UNCHECKED.message)
UNSUPPORTED = 'Unsupported value: "c": supported values: "a", "b"'


def told(value: Any) -> list[tuple[str, str, str]]:
    return [(cause.field, cause.reason, cause.message) for cause in validate(SCHEMA, value, "spec")]


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ({}, {"port": 5}),
        ({"port": 7, "unknown": 1}, {"port": 7}),
        ({"name": None}, {"port": 5}),
        ({"maybe": None}, {"maybe": None, "port": 5}),
        ({"inner": {"need": "x", "other": 1}}, {"inner": {"need": "x"}, "port": 5}),
        ({"tags": ["a"]}, {"tags": ["a"], "port": 5}),
        ("no object", "no object"),
    ],
)
def test_pruning_and_defaults(value: Any, stored: Any) -> None:
    assert prune(SCHEMA, value) == stored


def invalid(path: str, shown: str, text: str) -> tuple[str, str, str]:
    return (path, "FieldValueInvalid", f"Invalid value: {shown}: {path} in body {text}")


def of_type(path: str, wanted: str, got: str) -> tuple[str, str, str]:
    text = f'Invalid value: "{got}": {path} in body must be of type {wanted}: "{got}"'
    return (path, "FieldValueTypeInvalid", text)


@pytest.mark.parametrize(
    ("value", "causes"),
    [
        ({"name": "ab", "kind": "a", "wait": "5s", "port": 1, "tags": [], "maybe": None}, []),
        (
            {"name": "a"},
            [
                invalid("spec.name", '"a"', "should be at least 2 chars long"),
                ("spec.name", "FieldValueInvalid", 'Invalid value: "a": must be even'),
            ],
        ),
        (
            {"name": "abcde"},
            [("spec.name", "FieldValueTooLong", "Too long: may not be more than 4 bytes"), NOT_CHECKED],
        ),
        ({"name": "AB"}, [invalid("spec.name", '"AB"', "should match '^[a-z]+$'")]),
        ({"name": "abc\n"}, [invalid("spec.name", '"abc\\n"', "should match '^[a-z]+$'")]),  # Go's $ is the very end
        ({"kind": "c"}, [("spec.kind", "FieldValueNotSupported", UNSUPPORTED), NOT_CHECKED]),
        ({"wait": "5"}, [of_type("spec.wait", "duration", "5"), NOT_CHECKED]),
        ({"wait": 5}, [of_type("spec.wait", "duration", "int64"), NOT_CHECKED]),
        ({"port": 0}, [invalid("spec.port", "0", "should be greater than or equal to 1")]),
        ({"port": 10}, [invalid("spec.port", "10", "should be less than or equal to 9")]),
        (
            {"tags": ["a", "b", "c"]},
            [("spec.tags", "FieldValueTooMany", "Too many: 3: must have at most 2 items"), NOT_CHECKED],
        ),
        ({"tags": ["a"]}, [("spec.tags", "FieldValueInvalid", "Invalid value: must be even")]),
        ({"tags": ["a", ""]}, [invalid("spec.tags[1]", '""', "should be at least 1 chars long")]),
        ({"inner": {}}, [("spec.inner.need", "FieldValueRequired", "Required value"), NOT_CHECKED]),
        ({"inner": {"need": "x"}}, [("spec.inner", "FieldValueInvalid", "Invalid value: never")]),
    ],
)
def test_causes(value: Any, causes: list[tuple[str, str, str]]) -> None:
    assert told(value) == causes


@pytest.mark.parametrize(
    ("value", "path", "wanted", "got"),
    [
        ([], "spec", "object", "array"),
        ("x", "spec", "object", "string"),
        ({"name": 7}, "spec.name", "string", "integer"),
        ({"name": True}, "spec.name", "string", "boolean"),
        ({"name": None}, "spec.name", "string", "null"),
        ({"port": "7"}, "spec.port", "integer", "string"),
        ({"port": 1.5}, "spec.port", "integer", "number"),
        ({"port": True}, "spec.port", "integer", "boolean"),
        ({"tags": {}}, "spec.tags", "array", "object"),
    ],
)
def test_the_wrong_type_is_told_alone(value: Any, path: str, wanted: str, got: str) -> None:
    assert told(value) == [of_type(path, wanted, got), NOT_CHECKED]


def test_all_causes_of_the_structure_come_together_and_then_the_rules() -> None:
    found = told({"name": "A", "port": 0, "tags": [""]})
    assert [path for path, _reason, _text in found] == [
        "spec.name",
        "spec.name",
        "spec.port",
        "spec.tags[0]",
        "spec.name",
        "spec.tags",
    ]


HIDES = {
    "TooLong": {"name": "abcde"},
    "Required": {"inner": {}},
    "TooMany": {"tags": ["a", "b", "c"]},
    "TypeInvalid": {"name": 7},
    "TypeInvalid by its format": {"wait": "soon"},
    "NotSupported": {"kind": "c"},
}


@pytest.mark.parametrize("hides", HIDES.values(), ids=HIDES)
def test_some_errors_of_the_structure_hide_all_rules(hides: dict[str, Any]) -> None:
    """Safe ingress 19: no rule is evaluated then, and one cause says so; where the CRD has no rule at all, none."""
    value = {"inner": {"need": "x"}, **hides}
    found = told(value)
    assert all("never" not in text and "even" not in text for _path, _reason, text in found)
    assert [cause for cause in found if cause[0] == "<nil>"] == [NOT_CHECKED] == found[-1:]
    assert [str(cause) for cause in validate(SCHEMA, value, "spec", has_rules=False)] == [
        f"{path}: {text}" for path, _reason, text in found[:-1]
    ]


def test_with_everything_the_rules_are_not_hidden() -> None:
    found = validate(SCHEMA, {"inner": {"need": "x"}, "kind": "c"}, "spec", everything=True)
    assert [cause.field for cause in found] == ["spec.kind", "spec.inner"]


def test_other_errors_of_the_structure_do_not() -> None:
    assert [path for path, _reason, _text in told({"inner": {"need": "x"}, "port": 0})] == ["spec.port", "spec.inner"]


def test_a_rule_that_cannot_be_evaluated() -> None:
    """As the server tells it: with the type in place of the value."""
    second = Rule("has a second part", lambda value: value.split("-")[1] != "")
    (cause,) = validate(Text(rules=(second,)), "a", "spec")
    assert cause.message == 'Invalid value: "string": index out of bounds: 1 evaluating rule: has a second part'


def test_a_cause_as_a_sentence() -> None:
    cause = validate(SCHEMA, {"kind": "c"}, "spec")[0]
    assert str(cause) == f"spec.kind: {UNSUPPORTED}"
