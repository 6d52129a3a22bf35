# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one of the three Services needs (API-1, API-5, CORE-6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.manifests import said
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import BY_ROLE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.parts import Part, part
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Disruption, Verdict
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.kept import bare
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    ADDRESSES,
    ENDS,
    live,
    observed,
    wanted,
)


def made(service: Any, role: str = "external", platform: str = "Azure", to_be: bool = True, **more: Any) -> Part:
    slb = BY_ROLE[role]
    seen = observed(platform, {role: service}, kept={role: more.pop("kept", None)}).services[role]
    ends = more.pop("endpoints", ENDS)
    patient = more.pop("patient", False)
    given = more.pop("given", ADDRESSES[platform].get(slb.addresses, ()))
    what = said(slb, wanted(platform, **more), platform, given) if to_be else None
    return part(slb, seen, what, ends, patient)


def shape(found: Part) -> list[str]:
    return [f"{step.verb} {step.resource}" if step.writes else f"wait {step.wait_for.until}" for step in found.steps]  # type: ignore[union-attr]


def saved(service: Any) -> dict[str, Any]:
    name = service["metadata"]["name"]
    meta = {"name": f"lb-estate-saved-{name}", "namespace": service["metadata"]["namespace"]}
    return {"metadata": meta, "data": {"manifest.json": json.dumps(bare(service)), "uid": service["metadata"]["uid"]}}


def going(service: Any) -> dict[str, Any]:
    found: dict[str, Any] = merge_patch(service, {"metadata": {"deletionTimestamp": "2026-11-01T00:00:00Z"}})
    return found


def test_a_new_one_and_the_way_back() -> None:
    found = made(None)
    assert (found.verdict, shape(found), found.takes_away) == (
        Verdict.UPDATE_IN_PLACE,
        ["create services", "wait served"],
        False,
    )
    assert [step.verb for step in found.steps[0].undo] == ["delete"]


def test_one_that_is_as_it_should_be() -> None:
    assert (made(live("external")).verdict, made(live("external")).steps) == (Verdict.IN_SYNC, ())


def test_another_address_in_place_where_the_cloud_does_that() -> None:
    found = made(live("external"), given=("20.0.0.8",))
    assert (found.verdict, shape(found)) == (Verdict.UPDATE_IN_PLACE, ["patch services", "wait readdressed"])
    assert found.steps[0].disruption is Disruption.BRIEF
    assert found.steps[0].resource_version == "7"
    assert found.steps[0].undo[0].body == {"spec": {"loadBalancerIP": "20.0.0.7"}}


def test_another_elastic_ip_takes_a_new_load_balancer() -> None:
    """CORE-3: AWS reads it at creation only; the manifest is kept before."""
    found = made(live("external", "AWS"), platform="AWS", given=("eipalloc-0123456789abcdef2",))
    assert shape(found) == [
        "create configmaps",
        "delete services",
        "wait gone",
        "create services",
        "wait ready",
        "wait served",
        "delete configmaps",
    ]
    assert (found.verdict, found.takes_away, len(found.pending)) == (Verdict.RECREATE, True, 1)
    assert found.body["spec"]["clusterIP"] == "172.30.0.9"


def test_one_that_has_no_load_balancer_yet_is_mended_in_place() -> None:
    service = merge_patch(live("external", "AWS"), {"status": {"loadBalancer": None}})
    found = made(service, platform="AWS", given=("eipalloc-0123456789abcdef2",))
    assert (shape(found), found.steps[0].disruption) == (["patch services", "wait served"], Disruption.NONE)


def test_one_that_is_not_to_be_there_goes_with_its_manifest_kept_meanwhile() -> None:
    found = made(live("external"), to_be=False)
    assert shape(found) == ["create configmaps", "delete services", "wait gone", "delete configmaps"]
    assert (found.takes_away, found.steps[1].disruption) == (True, Disruption.OUTAGE)
    assert (found.steps[1].uid, found.steps[1].resource_version) == ("uid-external", "7")
    assert found.steps[1].undo[0].body["spec"]["loadBalancerIP"] == "20.0.0.7"


def test_a_removal_that_was_stopped_is_finished() -> None:
    service = live("external")
    assert shape(made(going(service), to_be=False, kept=saved(service))) == ["wait gone", "delete configmaps"]
    assert shape(made(None, to_be=False, kept=saved(service))) == ["delete configmaps"]
    assert shape(made(None, to_be=False)) == []


def test_a_recreation_that_was_stopped_is_finished_with_the_same_cluster_ip() -> None:
    service = live("external", "AWS")
    found = made(None, platform="AWS", kept=saved(service))
    assert shape(found) == ["create services", "wait ready", "wait served", "delete configmaps"]
    assert found.steps[0].body["spec"]["clusterIP"] == "172.30.0.9"
    assert [entry.code for entry in found.effects] == ["restored"]
    assert shape(made(going(service), platform="AWS", kept=saved(service)))[:2] == ["wait gone", "create services"]


def test_a_manifest_that_somebody_spoilt_is_made_anew() -> None:
    """Unlike any other Service this one can be made from the task alone; that the old one is lost is said."""
    config = {"metadata": {"name": "lb-estate-saved-external-lb", "namespace": "openshift-kube-apiserver"}, "data": {}}
    found = made(None, kept=config)
    assert shape(found) == ["create services", "wait served", "delete configmaps"]
    assert [entry.code for entry in found.findings] == ["kept_manifest_spoilt"]
    again = made(going(live("external")), kept={**config, "data": {"uid": "uid-external"}})
    assert shape(again)[:3] == ["replace configmaps", "wait gone", "create services"]


def test_a_kept_manifest_beside_a_live_one_is_thrown_away() -> None:
    service = live("external")
    assert shape(made(service, kept=saved(service))) == ["delete configmaps"]


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        ({"metadata": {"deletionTimestamp": "2026-11-01T00:00:00Z"}}, "being_deleted"),
        ({"spec": {"loadBalancerClass": "example.com/x"}}, "other_controller"),
    ],
)
def test_what_it_does_not_touch(spoil: Any, code: str) -> None:
    found = made(merge_patch(live("external"), spoil))
    assert (found.verdict, [entry.code for entry in found.findings], found.steps) == (Verdict.BLOCKED, [code], ())


def test_without_an_endpoint_it_is_not_called_ready() -> None:
    """API-3, CORE-14: waited for while it is young, a failure when it had time enough."""
    old = made(live("external"), endpoints=())
    assert (old.verdict, [entry.code for entry in old.findings]) == (Verdict.BLOCKED, ["no_endpoints"])
    young = merge_patch(live("external"), {"metadata": {"creationTimestamp": "2027-01-15T07:59:00Z"}})
    found = made(young, endpoints=())
    assert (found.verdict, shape(found)) == (Verdict.IN_PROGRESS, ["wait served"])
    assert shape(made(live("external"), endpoints=(), patient=True)) == []


def test_what_is_changed_anyway_is_changed_whatever_its_health() -> None:
    found = made(live("external"), endpoints=(), given=("20.0.0.8",))
    assert found.verdict is Verdict.UPDATE_IN_PLACE
    assert {entry.severity.value for entry in found.findings} == {"warning"}


def test_another_owner_is_told() -> None:
    service = merge_patch(live("external"), {"metadata": {"labels": {"app.kubernetes.io/managed-by": "Helm"}}})
    assert [entry.code for entry in made(service).findings] == ["other_owner"]
