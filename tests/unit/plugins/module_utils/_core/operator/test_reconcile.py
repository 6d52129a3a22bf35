# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One pass of the operator, and what an edit leads to: at once, pending, nothing (facts: ingress-operator §1, §6)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import predict, reconcile
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator import given
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIP1,
    EIP2,
    A,
    B,
    aws,
    ic,
    lb,
    provider,
    service,
)

TYPE = "loadBalancer.providerParameters.aws.type"
NOTHING, IN_PLACE, PENDING = "nothing", "in place", "pending"


class Cluster:
    """An IngressController at rest with the Service the operator made for it."""

    def __init__(self, version: str, platform: str, spec: Any, tags: tuple[tuple[str, str], ...] = ()) -> None:
        self.profile, self.infra = profile_for(version), Infra(platform, resource_tags=tags)
        new = {"metadata": {"name": "default", "generation": 1}, "spec": {"endpointPublishingStrategy": spec}}
        self.now = predict.settle(self.profile, self.infra, new, None)
        self.now = self.settled(service={**self.now.service, "status": {"loadBalancer": {"ingress": [{"ip": "::1"}]}}})

    def settled(self, **changes: Any) -> predict.Settled:
        parts = {"ic": self.now.ic, "service": self.now.service, **changes}
        return predict.settle(self.profile, self.infra, parts["ic"], parts["service"])

    def patch(self, spec: Any = None, annotations: Any = None) -> predict.Settled:
        """A merge patch of the IngressController, accepted by the API server, and the operator's answer to it."""
        patch = {
            **({"spec": {"endpointPublishingStrategy": spec}} if spec is not None else {}),
            **({"metadata": {"annotations": annotations}} if annotations is not None else {}),
        }
        edited, refused = predict.patched(self.profile, self.now.ic, patch)
        assert refused == []
        self.now = self.settled(ic=edited)
        return self.now

    def edit_service(self, **annotations: str | None) -> predict.Settled:
        edited = copy.deepcopy(self.now.service)
        for key, value in annotations.items():
            edited["metadata"]["annotations"].pop(key, None)
            if value is not None:
                edited["metadata"]["annotations"][key] = value
        self.now = self.settled(service=edited)
        return self.now

    def effect(self, spec: Any) -> str:
        before = self.now.service
        after = self.patch(spec)
        assert not after.recreated
        if after.changes:
            return PENDING
        return NOTHING if after.service == before else IN_PLACE


# The table of facts §6 without auto-delete: platform, before, edit, and by version what happens.
BLOCK = {"Classic": "classicLoadBalancer", "NLB": "networkLoadBalancer"}


def parameters(kind: str, **params: Any) -> dict[str, Any]:
    return {"loadBalancer": {"providerParameters": {"type": "AWS", "aws": {"type": kind, BLOCK[kind]: params}}}}


def openstack(address: str) -> dict[str, Any]:
    return {"loadBalancer": {"providerParameters": {"type": "OpenStack", "openstack": {"floatingIP": address}}}}


INTERNAL = {"loadBalancer": {"scope": "Internal"}}
SETS = {"ids": [A, B]}
EFFECTS = [
    ("scope AWS", "AWS", lb(), INTERNAL, {"4.16": PENDING, "4.21": PENDING, "4.22": PENDING, "4.23": PENDING}),
    ("scope IBM", "IBMCloud", lb(), INTERNAL, {"4.16": PENDING, "4.23": PENDING}),
    ("scope PowerVS", "PowerVS", lb(), INTERNAL, {"4.23": PENDING}),
    ("scope OpenStack", "OpenStack", lb(), INTERNAL, {"4.16": PENDING, "4.23": PENDING}),
    ("scope Azure", "Azure", lb(), INTERNAL, {"4.16": IN_PLACE, "4.21": IN_PLACE, "4.23": IN_PLACE}),
    ("scope GCP", "GCP", lb(), INTERNAL, {"4.16": IN_PLACE, "4.21": IN_PLACE, "4.23": IN_PLACE}),
    ("scope BareMetal", "BareMetal", lb(), INTERNAL, {"4.22": PENDING}),
    (
        "type",
        "AWS",
        aws("Classic"),
        parameters("NLB"),
        {"4.12": IN_PLACE, "4.16": IN_PLACE, "4.21": IN_PLACE, "4.22": PENDING, "4.23": PENDING},
    ),
    ("subnets", "AWS", aws("NLB"), parameters("NLB", subnets=SETS), {"4.17": PENDING, "4.22": PENDING}),
    ("subnets before 4.17", "AWS", aws("NLB"), parameters("NLB", subnets=SETS), {"4.16": NOTHING}),
    (
        "order of subnets",
        "AWS",
        aws("NLB", subnets=SETS),
        parameters("NLB", subnets={"ids": [B, A]}),
        {"4.17": NOTHING, "4.21": NOTHING, "4.22": NOTHING, "4.23": NOTHING},
    ),
    ("Elastic IPs", "AWS", aws("NLB"), parameters("NLB", eipAllocations=[EIP1]), {"4.17": PENDING, "4.23": PENDING}),
    (
        "order of Elastic IPs",
        "AWS",
        aws("NLB", eipAllocations=[EIP1, EIP2]),
        parameters("NLB", eipAllocations=[EIP2, EIP1]),
        {"4.17": NOTHING, "4.22": NOTHING},
    ),
    (
        "idle timeout",
        "AWS",
        aws("Classic"),
        parameters("Classic", connectionIdleTimeout="5m"),
        {"4.10": NOTHING, "4.11": IN_PLACE, "4.22": IN_PLACE},
    ),
    ("NLB protocol", "AWS", aws("NLB"), parameters("NLB", protocol="TCP"), {"4.22": NOTHING, "4.23": IN_PLACE}),
    (
        "IBM protocol",
        "IBMCloud",
        provider("IBM"),
        {"loadBalancer": {"providerParameters": {"type": "IBM", "ibm": {"protocol": "PROXY"}}}},
        {"4.16": IN_PLACE, "4.23": IN_PLACE},
    ),
    (
        "GCP client access",
        "GCP",
        provider("GCP", "Internal", clientAccess="Local"),
        {"loadBalancer": {"providerParameters": {"type": "GCP", "gcp": {"clientAccess": "Global"}}}},
        {"4.16": IN_PLACE, "4.23": IN_PLACE},
    ),
    (
        "source ranges",
        "AWS",
        lb(allowedSourceRanges=["10.0.0.0/8"]),
        {"loadBalancer": {"allowedSourceRanges": ["11.0.0.0/8"]}},
        {"4.16": IN_PLACE, "4.23": IN_PLACE},
    ),
    (
        "source ranges removed",
        "Azure",
        lb(allowedSourceRanges=["10.0.0.0/8"]),
        {"loadBalancer": {"allowedSourceRanges": None}},
        {"4.16": PENDING, "4.23": PENDING},
    ),
    (
        "floating IP",
        "OpenStack",
        provider("OpenStack", floatingIP="192.0.2.1"),
        openstack("192.0.2.2"),
        {"4.17": NOTHING, "4.18": PENDING, "4.23": PENDING},
    ),
    ("strategy", "AWS", lb(), {"type": "NodePortService"}, {"4.16": NOTHING, "4.23": NOTHING}),
]
ROWS = [
    pytest.param(version, platform, before, edit, effect, id=f"{name} {version}")
    for name, platform, before, edit, effects in EFFECTS
    for version, effect in effects.items()
]


@pytest.mark.parametrize(("version", "platform", "before", "edit", "effect"), ROWS)
def test_in_place_pending_or_nothing(version: str, platform: str, before: Any, edit: Any, effect: str) -> None:
    assert Cluster(version, platform, before).effect(edit) == effect


def test_resource_tags_move_in_place_from_4_18() -> None:
    for version, tags in (("4.17", None), ("4.18", "team=edge"), ("4.22", "team=edge")):
        cluster = Cluster(version, "AWS", lb())
        cluster.infra = Infra("AWS", resource_tags=(("team", "edge"),))
        after = cluster.edit_service()
        assert after.service["metadata"]["annotations"].get(given.TAGS) == tags


@pytest.mark.parametrize(("platform", "key"), [("Azure", given.AZURE_INTERNAL), ("GCP", given.GCP_TYPE)])
def test_there_and_back_in_place(platform: str, key: str) -> None:
    """SCO-1, SCO-2."""
    cluster = Cluster("4.22", platform, lb())
    assert key in cluster.patch(INTERNAL).service["metadata"]["annotations"]
    assert key not in cluster.patch({"loadBalancer": {"scope": "External"}}).service["metadata"]["annotations"]


def test_one_recreation_brings_everything_in() -> None:
    """CORE-9: type, scope and subnets wait together; the user deletes the Service once."""
    cluster = Cluster("4.22", "AWS", aws("Classic"))
    edit = parameters("NLB", subnets={"ids": [A]})
    edit["loadBalancer"]["scope"] = "Internal"
    assert [change.field for change in cluster.patch(edit).changes] == ["scope", TYPE]
    after = cluster.settled(service=None)
    assert after.changes == ()
    found = after.service["metadata"]["annotations"]
    assert (found[given.TYPE], found[given.INTERNAL], found[given.SUBNETS]) == ("nlb", "true", A)


# --- auto-delete -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["", "true", "false", "our-transaction"])
def test_only_the_presence_of_the_annotation_counts(value: str) -> None:
    """SUB-6."""
    cluster = Cluster("4.22", "AWS", lb())
    assert not cluster.patch(annotations={given.AUTO_DELETE: value}).recreated
    assert cluster.patch(INTERNAL).recreated


@pytest.mark.parametrize("version", ["4.16", "4.21", "4.22", "4.23"])
def test_it_is_level_triggered(version: str) -> None:
    """Set long after the change, it acts at once (SCO-5: latent changes)."""
    cluster = Cluster(version, "AWS", lb())
    assert cluster.patch(INTERNAL).changes
    after = cluster.patch(annotations={given.AUTO_DELETE: ""})
    assert after.recreated
    assert after.changes == ()
    assert not cluster.patch(annotations={"other": "x"}).recreated


# an edit of the Service by a user, and whether an armed operator recreates it: 4.16, 4.21, 4.22
EDITS = [
    pytest.param({given.SUBNETS: A}, False, True, True, id="unmanaged subnets"),
    pytest.param({given.EIPS: EIP1}, False, True, True, id="unmanaged Elastic IPs, on Classic too"),
    pytest.param({given.SUBNETS: ""}, False, False, True, id="an empty annotation"),
    pytest.param({given.INTERNAL: "yes"}, True, True, True, id="a value that means nothing to the operator"),
    pytest.param({given.INTERNAL: "0.0.0.0/0"}, True, True, True, id="the old spelling of Internal"),
    pytest.param({given.TYPE: "NLB"}, False, False, True, id="a type that is still Classic"),
    pytest.param({given.INTERVAL: "7"}, False, False, False, id="a managed annotation"),
    pytest.param({"mine": "x"}, False, False, False, id="a user's own"),
]


@pytest.mark.parametrize(("edit", "in_4_16", "in_4_21", "in_4_22"), EDITS)
def test_an_armed_operator_acts_on_any_creation_only_difference(
    edit: dict[str, str], in_4_16: bool, in_4_21: bool, in_4_22: bool
) -> None:
    for version, recreated in (("4.16", in_4_16), ("4.21", in_4_21), ("4.22", in_4_22)):
        armed = Cluster(version, "AWS", aws("Classic"))
        armed.patch(annotations={given.AUTO_DELETE: ""})
        assert armed.edit_service(**edit).recreated is recreated, version


@pytest.mark.parametrize(("version", "recreated"), [("4.17", False), ("4.21", False), ("4.22", True), ("4.23", True)])
@pytest.mark.parametrize(
    ("before", "edit"),
    [
        (aws("NLB", subnets=SETS), parameters("NLB", subnets={"ids": [B, A]})),
        (aws("NLB", eipAllocations=[EIP1, EIP2]), parameters("NLB", eipAllocations=[EIP2, EIP1])),
    ],
)
def test_armed_an_order_alone_recreates_from_4_22(version: str, recreated: bool, before: Any, edit: Any) -> None:
    cluster = Cluster(version, "AWS", before)
    cluster.patch(annotations={given.AUTO_DELETE: ""})
    assert cluster.patch(edit).recreated is recreated


@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_armed_changes_nothing_where_scope_moves_in_place(platform: str) -> None:
    cluster = Cluster("4.22", platform, lb())
    cluster.patch(annotations={given.AUTO_DELETE: ""})
    assert not cluster.patch(INTERNAL).recreated


def test_armed_the_newest_operator_makes_the_new_service_without_a_look_at_the_old() -> None:
    """§6 (from 4.23): else target group attributes would land on a new Classic Service, which the cloud refuses."""
    cluster = Cluster("4.23", "AWS", aws("NLB"))
    assert cluster.now.service["metadata"]["annotations"][given.TARGET_GROUP] == given.SPEAKS_PROXY
    cluster.patch(annotations={given.AUTO_DELETE: ""})
    after = cluster.patch(parameters("Classic"))
    assert after.recreated
    assert given.TARGET_GROUP not in after.service["metadata"]["annotations"]
    assert after.service["metadata"]["annotations"][given.PROXY] == "*"


def test_armed_4_22_still_looks_at_the_old_and_mends_the_new_service_in_a_second_pass() -> None:
    for version, at_once in (("4.22", False), ("4.23", True)):
        cluster = Cluster(version, "AWS", aws("NLB"))
        edited, _refused = predict.patched(
            cluster.profile, cluster.now.ic, {"spec": {"endpointPublishingStrategy": parameters("Classic")}}
        )
        edited["metadata"]["annotations"] = {given.AUTO_DELETE: ""}
        admitted = {**edited, "status": one_pass(edited, cluster.now.service, version).ic_status}
        first = one_pass(admitted, cluster.now.service, version)
        assert first.recreates
        assert (given.PROXY in first.create["metadata"]["annotations"]) is at_once
        settled = predict.settle(cluster.profile, cluster.infra, admitted, cluster.now.service)
        assert settled.service["metadata"]["annotations"][given.PROXY] == "*"


# --- one pass --------------------------------------------------------------------------------------------------------


def one_pass(controller: Any, live: Any, version: str = "4.22", platform: str = "AWS") -> reconcile.Outcome:
    return reconcile.reconcile(profile_for(version), Infra(platform), controller, live, now="t1")


def test_admission_comes_first_and_alone() -> None:
    found = one_pass(ic(lb("Internal"), lb(), generation=3), service())
    assert found.ic_status["observedGeneration"] == 3
    assert found.ic_status["endpointPublishingStrategy"]["loadBalancer"]["scope"] == "Internal"
    assert (found.create, found.update, found.delete) == (None, None, False)
    assert not found.rests


def test_a_foreign_service_is_never_touched() -> None:
    """§1: blocked, and said so."""
    foreign = service({given.SUBNETS: A}, owner="other")
    foreign["metadata"]["name"] = "router-default"
    for controller in (ic(lb()), ic(lb(), annotations={given.AUTO_DELETE: ""}), ic({"type": "HostNetwork"})):
        found = one_pass(controller, foreign)
        assert found.error == (
            "a conflicting load balancer service exists that is not owned by the ingress controller:"
            " openshift-ingress/router-default"
        )
        assert (found.create, found.update, found.delete) == (None, None, False)


def test_a_service_nobody_wants_any_more_is_deleted() -> None:
    found = one_pass(ic({"type": "HostNetwork"}), service())
    assert found.delete
    assert found.create is None
    assert not found.recreates
    assert found.service_after(service()) is None


def test_a_missing_service_is_created() -> None:
    found = one_pass(ic(lb()), None)
    assert found.create["metadata"]["name"] == "router-default"
    assert not found.recreates
    assert found.service_after(None) == found.create


def test_the_old_spelling_of_internal_is_mended_in_place() -> None:
    """§3: before anything is compared, so it is not a reason to recreate."""
    cluster = Cluster("4.22", "AWS", lb("Internal"))
    cluster.patch(annotations={given.AUTO_DELETE: ""})
    after = cluster.edit_service(**{given.INTERNAL: "0.0.0.0/0"})
    assert not after.recreated
    assert after.service["metadata"]["annotations"][given.INTERNAL] == "true"


def test_same_input_same_outcome_and_nothing_shared() -> None:
    """CORE-1."""
    controller, live = ic(aws("NLB", "Internal", subnets={"ids": [A]}), aws("NLB")), service({given.TYPE: "nlb"})
    before = copy.deepcopy((controller, live))
    assert one_pass(controller, live) == one_pass(controller, live)
    assert (controller, live) == before


def test_a_cluster_at_rest_rests() -> None:
    cluster = Cluster("4.22", "AWS", aws("NLB", subnets={"ids": [A]}))
    assert one_pass(cluster.now.ic, cluster.now.service).rests
