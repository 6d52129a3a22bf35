# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as decisions rely on them: null is absent, a wrong type is a sentence (Safe ingress 17)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.shape import Misshapen, sane

IC = "ingresscontrollers.operator.openshift.io"
META = {"name": "x", "namespace": "y"}


def with_meta(**parts: Any) -> dict[str, Any]:
    return {"metadata": META, **parts}


def test_a_good_object_stays_as_it_is_with_what_nobody_here_knows() -> None:
    service = with_meta(spec={"type": "LoadBalancer", "unheard": {"of": None}, "ports": [{"port": 80}]}, other=[1])
    assert sane("services", service) == service
    assert sane("unknown.example.com", {"anything": None}) == {"anything": None}


def test_null_is_absent_where_something_is_read() -> None:
    service = {
        "metadata": {**META, "annotations": {"a": None, "b": "c"}, "labels": None},
        "spec": {"ports": [{"port": 80, "name": None}], "loadBalancerClass": None},
        "status": None,
    }
    assert sane("services", service) == {
        "metadata": {**META, "annotations": {"b": "c"}},
        "spec": {"ports": [{"port": 80}]},
    }


def test_conditions_without_a_type_say_nothing_and_without_a_status_are_unknown() -> None:
    given = [{"type": "Available", "status": "True"}, {"status": "True"}, {"type": "Degraded", "reason": "r"}, {}]
    found = sane(IC, with_meta(status={"conditions": given}))["status"]["conditions"]
    assert found == [given[0], {"type": "Degraded", "status": "Unknown", "reason": "r"}]


WRONG = [
    ("services", [], "it is list, not an object"),
    ("services", {}, "metadata: Required value"),
    ("services", {"metadata": {}}, "metadata.name: Required value"),
    ("services", {"metadata": {"name": "x"}}, "metadata.namespace: Required value"),
    ("services", {"metadata": {"name": "", "namespace": "y"}}, "metadata.name: Required value"),
    (
        "services",
        {"metadata": {**META, "annotations": []}},
        'metadata.annotations: must be of type object: "array"',
    ),
    (
        "services",
        {"metadata": {**META, "annotations": {"a": 7}}},
        'metadata.annotations.a: must be of type string: "integer"',
    ),
    ("services", with_meta(spec="x"), 'spec: must be of type object: "string"'),
    ("services", with_meta(spec={"ports": [7]}), 'spec.ports[0]: must be of type object: "integer"'),
    (
        "services",
        with_meta(spec={"ports": [{"port": True}]}),
        'spec.ports[0].port: must be of type integer: "boolean"',
    ),
    (
        "services",
        with_meta(status={"loadBalancer": {"ingress": {"ip": "x"}}}),
        'status.loadBalancer.ingress: must be of type array: "object"',
    ),
    (
        IC,
        with_meta(
            spec={"endpointPublishingStrategy": {"loadBalancer": {"providerParameters": {"aws": {"type": "ALB"}}}}}
        ),
        (
            "spec.endpointPublishingStrategy.loadBalancer.providerParameters.aws.type: "
            'Unsupported value: "ALB": supported values: "", "Classic", "NLB"'
        ),
    ),
    (
        "endpointslices.discovery.k8s.io",
        with_meta(endpoints=[{"conditions": {"ready": "yes"}}]),
        'endpoints[0].conditions.ready: must be of type boolean: "string"',
    ),
    (
        "daemonsets.apps",
        with_meta(spec={"template": {"spec": {"containers": [{"args": [7]}]}}}),
        'spec.template.spec.containers[0].args[0]: must be of type string: "integer"',
    ),
    ("configmaps", with_meta(data={"a": {}}), 'data.a: must be of type string: "object"'),
    ("clusterversions.config.openshift.io", with_meta(status={"history": {}}), "status.history: must be of type array"),
]


@pytest.mark.parametrize(("resource", "obj", "told"), WRONG)
def test_a_wrong_type_is_told_with_its_place(resource: str, obj: Any, told: str) -> None:
    with pytest.raises(Misshapen) as problem:
        sane(resource, obj)
    assert str(problem.value).startswith(told)


def test_all_that_is_wrong_at_once() -> None:
    with pytest.raises(Misshapen) as problem:
        sane("services", {"metadata": {"name": 7, "labels": 8, "namespace": "y"}})
    assert str(problem.value).count("must be of type") == 2
