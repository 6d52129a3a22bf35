# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API server's refusals as sentences: what, why, and the rule or value to mend (CORE-7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import errors
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_auth import Access
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_paths import resource
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_refusals import (
    is_missing_object,
    refusal,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_wire import KubeAnswer, KubeCall

HOST = "https://api.example.com:6443"
KNOWN, NOBODY = Access(HOST, lambda: "Bearer secret-token"), Access(HOST, lambda: "")
PATCH = KubeCall("PATCH", "patch", resource("services"), "shop", "front")
CREATE = KubeCall("POST", "create", resource("ingresscontrollers.operator.openshift.io"), "", "default")


def answer(status: int, message: str = "words", **more: Any) -> KubeAnswer:
    return KubeAnswer(status, {"message": message, **more})


def cause(field: str) -> dict[str, Any]:
    return {"causes": [{"field": field, "message": "Invalid value: 7"}]}


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        pytest.param(answer(401), errors.Unauthorized, "does not accept these credentials", id="401"),
        pytest.param(
            answer(403, 'User "jo" cannot patch'), errors.Forbidden, "No permission to patch services", id="RBAC"
        ),
        pytest.param(
            answer(403, "exceeded quota: small"),
            errors.Forbidden,
            "did not admit `patch services",
            id="an admission rule",
        ),
        pytest.param(
            answer(403, 'User "system:anonymous" cannot patch'), errors.Unauthorized, "credentials", id="nobody at all"
        ),
        pytest.param(
            answer(404, details={"name": "front"}), errors.NotFound, "services shop/front does not exist", id="404"
        ),
        pytest.param(answer(404), errors.NoSuchApi, "does not serve services (v1)", id="no such API"),
        pytest.param(answer(409, reason="AlreadyExists"), errors.AlreadyExists, "exists already: words", id="taken"),
        pytest.param(answer(409, reason="Conflict"), errors.Conflict, "has changed since it was read", id="409"),
        pytest.param(answer(422, details=cause("metadata.uid")), errors.Conflict, "was recreated", id="another uid"),
        pytest.param(
            answer(422, details=cause("spec.type")), errors.Invalid, "spec.type: Invalid value: 7", id="a bad value"
        ),
        pytest.param(answer(400, "no such strategy"), errors.Invalid, "no such strategy", id="no causes"),
        pytest.param(answer(418, "short and stout"), errors.Invalid, "with 418: short and stout", id="unheard of"),
        pytest.param(KubeAnswer(415, "<html>"), errors.Invalid, "with 415: <html>", id="no JSON"),
        pytest.param(KubeAnswer(410, None), errors.Invalid, "with 410: no reason given", id="no words"),
    ],
)
def test_what_a_refusal_means(given: KubeAnswer, kind: type[errors.PortError], words: str) -> None:
    found = refusal(KNOWN, PATCH, given)
    assert found.code == kind.code
    assert words in found.message
    assert "secret-token" not in str(found)


def test_the_rule_to_add_is_complete() -> None:
    found = refusal(KNOWN, CREATE, answer(403, 'User "jo" cannot create'))
    rule = {"apiGroups": ["operator.openshift.io"], "resources": ["ingresscontrollers"], "verbs": ["create"]}
    assert found.details["rule"] == rule
    assert found.remedy.startswith("Add this rule to a ClusterRole bound to that user: ")
    assert "a Role in namespace shop" in refusal(KNOWN, PATCH, answer(403, "jo cannot patch")).remedy
    status = KubeCall("PATCH", "patch", resource("services/status"), "shop", "front")
    assert refusal(KNOWN, status, answer(403, "jo cannot patch")).details["rule"]["resources"] == ["services/status"]


def test_no_credentials_are_told_from_wrong_ones() -> None:
    assert "none were sent" in refusal(NOBODY, PATCH, answer(401)).message
    certificate = Access(HOST, lambda: "", has_certificate=True)
    assert "wrong or has expired" in refusal(certificate, PATCH, answer(401)).message


def test_every_cause_of_an_invalid_object_is_told() -> None:
    causes = [
        {"field": "spec.a", "message": "is bad", "reason": "FieldValueInvalid"},
        {"field": "spec.b", "message": "too"},
    ]
    found = refusal(KNOWN, PATCH, answer(422, details={"causes": causes}))
    told = [{"field": "spec.a", "message": "is bad"}, {"field": "spec.b", "message": "too"}]
    assert found.details["causes"] == told
    assert found.message == f"{HOST} refused to patch services shop/front: spec.a: is bad; spec.b: too."


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (answer(404, details={"name": "front"}), True),
        (answer(404, details={}), False),
        (KubeAnswer(404, "404 page not found"), False),
        (answer(409, details={"name": "front"}), False),
    ],
)
def test_a_missing_object_is_told_from_a_missing_path(given: KubeAnswer, missing: bool) -> None:
    assert is_missing_object(given) is missing
