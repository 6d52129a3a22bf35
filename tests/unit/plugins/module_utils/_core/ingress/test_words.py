# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person reads: before and after without noise, a remedy for every refusal, remarks (CORE-5, CORE-7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress import words
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    EDITS,
    TRANSACTION_PREFIX,
    Observed,
    Wanted,
    Way,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Finding, Severity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import crd
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_EIPS, AWS_SUBNETS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.schema import Cause
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    A,
    B,
    after_patch,
    cluster,
    lb_patch,
    strategy,
)

MOVE = Wanted(subnets=Subnets((A, B)))
CLASSIC, NLB = strategy("Classic"), strategy("NLB")
CALM = "Nothing is disrupted until then."
PENDING = after_patch(cluster(spec=CLASSIC), lb_patch(scope="Internal"))


def by_hand(key: str, value: str, version: str = "4.22") -> Observed:
    return cluster(version, spec=NLB, edits={"metadata": {"annotations": {key: value}}})


def test_shown_is_what_a_person_edits_and_where_it_is_served() -> None:
    observed = cluster(spec=strategy("NLB", subnets={"ids": [A]}), edits={"metadata": {"annotations": {"mine": "x"}}})
    shown = words.shown(observed)
    assert shown["addresses"] == ["old.example.com"]
    assert shown["spec"] == {"endpointPublishingStrategy": observed.ic["spec"]["endpointPublishingStrategy"]}
    assert shown["annotations"][AWS_SUBNETS] == A
    assert "mine" not in shown["annotations"]
    assert words.shown(replace(observed, ic=None)) == {}
    assert words.shown(replace(observed, service=None))["addresses"] == []


@pytest.mark.parametrize(
    ("observed", "wanted", "way", "addresses"),
    [
        (cluster(spec=CLASSIC), MOVE, Way("report"), ("old.example.com",)),
        (cluster(spec=CLASSIC), MOVE, Way("delete"), ("(new)",)),
        (cluster(spec=CLASSIC, armed="yes"), MOVE, Way("report"), ("(new)",)),
        (cluster(platform="Azure"), Wanted(scope="Internal"), Way("report"), ("(new)",)),
        (PENDING, Wanted(scope="External"), Way("delete"), ("old.example.com",)),
    ],
)
def test_the_address_of_a_load_balancer_made_anew_is_not_foretold(
    observed: Observed, wanted: Wanted, way: Way, addresses: tuple[str, ...]
) -> None:
    assert planned(wanted, way, observed).after["addresses"] == addresses


@pytest.mark.parametrize(
    ("observed", "wanted", "way", "message"),
    [
        (cluster(spec=CLASSIC), Wanted(), Way(), "Spec, Service and load balancer agree with what is wanted."),
        (
            cluster(spec=CLASSIC),
            MOVE,
            Way(),
            f"Would wait for the load balancer to be recreated: subnets none → {A}, {B}. {CALM}",
        ),
        (
            PENDING,
            Wanted(scope="Internal"),
            Way(),
            f"Waiting for the load balancer to be recreated: scope External → Internal. {CALM}",
        ),
        (
            PENDING,
            Wanted(),
            Way(),
            "What is wanted is in force. Not in force, and not asked for by this task: scope External → Internal.",
        ),
        (
            cluster(spec=CLASSIC),
            MOVE,
            Way("delete"),
            f"The load balancer would be recreated once for everything pending: subnets none → {A}, {B}.",
        ),
        (
            cluster(spec=CLASSIC),
            Wanted(lb_type="NLB"),
            Way(),
            "Would wait for the load balancer to be recreated: type Classic → NLB. Nothing is disrupted until then.",
        ),
        (
            cluster(platform="GCP"),
            Wanted(scope="Internal"),
            Way(),
            "Would be applied in place: on GCP the scope changes in place and the address with it.",
        ),
        (
            PENDING,
            Wanted(scope="External"),
            Way(),
            "Spec would go back to what is in force. Nothing would be disrupted.",
        ),
        (
            by_hand(AWS_SUBNETS, A),
            Wanted(adopt=True),
            Way(),
            "Spec would take over what the Service's annotations already say. Nothing would be disrupted.",
        ),
        (
            replace(cluster(spec=CLASSIC), service=None),
            Wanted(),
            Way(),
            "Ingress is down: there is no Service, and so no load balancer at all.",
        ),
    ],
)
def test_the_decision_in_a_sentence(observed: Observed, wanted: Wanted, way: Way, message: str) -> None:
    assert planned(wanted, way, observed).message == message


def test_a_patch_that_is_the_outage_itself_says_so() -> None:
    message = planned(MOVE, Way(), cluster(spec=CLASSIC, armed="yes")).message
    assert message.startswith("The patch itself is the outage: auto-delete is armed")
    assert message.endswith(f"subnets none → {A}, {B}.")


# -- refusals ---------------------------------------------------------------------------------------------------------

EIP = "An allocation id is 'eipalloc-' and 17 hexadecimal characters."
ID = "A subnet id is 'subnet-' and 17 characters."
NAME = "A subnet name has 1 to 256 characters."
# Parameters of an NLB that the API refuses → the remedies that are told.
REMEDIES: list[tuple[dict[str, Any], set[str]]] = [
    ({"subnets": {"ids": ["subnet-short"]}}, {ID}),
    ({"subnets": {"ids": ["x" * 40]}}, {ID}),
    ({"subnets": {"ids": [A, A]}}, {"List each one once."}),
    ({"subnets": {"names": ["a", "a"]}}, {"List each one once."}),
    ({"subnets": {"names": [A]}}, {"Put ids under ids, Name tags under names."}),
    ({"subnets": {"names": ["a,b"]}}, {"Give each name as its own list item."}),
    ({"subnets": {"names": [""]}}, {NAME}),
    ({"subnets": {"names": ["n" * 257]}}, {NAME}),
    ({"subnets": {"names": [f"n{number}" for number in range(11)]}}, {"Give at most 10."}),
    ({"subnets": {}}, {"Give at least one subnet, or state: absent for auto-discovery."}),
    ({"eipAllocations": ["eipalloc-1"]}, {EIP}),
    ({"eipAllocations": ["x" * 40]}, {EIP}),
    ({"eipAllocations": [E1, E1]}, {"List each one once."}),
    (
        {"subnets": {"ids": [A, B]}, "eipAllocations": [E1]},
        {"Give subnets and eip_allocations of the same number in the same task."},
    ),
]


@pytest.mark.parametrize(("params", "remedies"), REMEDIES)
def test_a_refusal_of_the_api_has_a_remedy_of_its_own(params: dict[str, Any], remedies: set[str]) -> None:
    spec = {**NLB, "loadBalancer": {**strategy("NLB", **params)["loadBalancer"], "dnsManagementPolicy": "Managed"}}
    found = [words.refusal(cause) for cause in crd.check(profile_for("4.23"), spec, everything=True)]
    assert {finding.remedy for finding in found} >= remedies
    assert "Correct the value." not in {finding.remedy for finding in found}
    assert {finding.code for finding in found} == {"refused_by_api"}


def test_a_refusal_names_the_option_and_the_rule() -> None:
    field = "spec.endpointPublishingStrategy.loadBalancer.providerParameters.aws.networkLoadBalancer.eipAllocations[0]"
    finding = words.refusal(Cause(field, "FieldValueInvalid", f"{field} in body should be at least 26 chars long"))
    assert (finding.where, finding.what) == ("eip_allocations[0]", "should be at least 26 chars long.")
    assert finding.value == field
    assert words.refusal(Cause("spec.domain", "FieldValueInvalid", "no such rule")).remedy == "Correct the value."


# -- remarks ----------------------------------------------------------------------------------------------------------


def remarks(observed: Observed, wanted: Wanted | None = None) -> dict[str, Finding]:
    decision = planned(wanted or Wanted(), Way(), observed)
    return {finding.code: finding for finding in words.remarks(wanted or Wanted(), observed, decision)}


def kept(patch: dict[str, Any]) -> Observed:
    observed = cluster(spec=CLASSIC)
    return replace(observed, ic=merge_patch(observed.ic, patch))


@pytest.mark.parametrize(
    ("observed", "wanted", "codes"),
    [
        pytest.param(cluster(spec=CLASSIC), Wanted(), set(), id="nothing to say"),
        pytest.param(PENDING, Wanted(), {"latent_change", "foreign_pending"}, id="SCO-5 set earlier by somebody"),
        pytest.param(PENDING, Wanted(scope="Internal"), {"latent_change"}, id="set earlier, asked for now"),
        pytest.param(cluster("9.9", spec=CLASSIC), Wanted(), {"version_unmeasured"}, id="newer than measured"),
        pytest.param(cluster(armed=""), Wanted(), {"auto_delete_armed"}, id="armed by somebody"),
        pytest.param(cluster(armed=f"{TRANSACTION_PREFIX}x"), Wanted(), {"left_armed"}, id="SUB-6 left by us"),
        pytest.param(
            kept({"metadata": {"annotations": {EDITS: '{"uid": "old", "edits": {}}'}}}),
            Wanted(),
            {"edits_left"},
            id="SCO-6",
        ),
        pytest.param(kept({"metadata": {"annotations": {EDITS: "{"}}}), Wanted(), {"edits_spoilt"}, id="spoilt"),
        pytest.param(by_hand(AWS_SUBNETS, A), Wanted(), {"unmanaged_subnets"}, id="SUB-7 by hand"),
        pytest.param(by_hand(AWS_EIPS, E1), Wanted(), {"unmanaged_eip_allocations"}, id="SUB-7 Elastic IPs by hand"),
        pytest.param(by_hand(AWS_SUBNETS, A), MOVE, set(), id="SUB-7 asked for"),
    ],
)
def test_what_a_person_should_know_whatever_was_decided(observed: Observed, wanted: Wanted, codes: set[str]) -> None:
    assert set(remarks(observed, wanted)) == codes


def test_an_unmanaged_annotation_can_be_adopted_where_the_release_has_the_field() -> None:
    assert "state: adopted" in remarks(by_hand(AWS_SUBNETS, A))["unmanaged_subnets"].remedy
    assert "from 4.17 on" in remarks(by_hand(AWS_SUBNETS, A, "4.16"))["unmanaged_subnets"].remedy


def test_an_upgrade_under_way_is_told() -> None:
    assert words.upgrading(cluster()) == ()
    (finding,) = words.upgrading(replace(cluster(), upgrading=True))
    assert (finding.code, finding.severity) == ("upgrade_in_progress", Severity.WARNING)


def test_the_sentence_of_what_is_blocked_leaves_remarks_out() -> None:
    error = Finding("a", Severity.ERROR, "here", "is wrong.", "Mend it.")
    assert words.blocked([replace(error, severity=Severity.WARNING), error]) == "here: is wrong. Mend it."


# -- versions that nobody has measured --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "accepted", "verdict", "steps"),
    [
        ("5.1", "", "recreate", True),
        ("6.2.1", "", "blocked", False),
        ("6.2.1", "6.1", "blocked", False),
        ("6.2.1", "6", "blocked", False),
        ("6.2.1", "6.2", "recreate", True),
        ("6.2.1", "6.2.1", "recreate", True),
    ],
)
def test_a_version_nobody_has_measured_is_written_to_only_by_name(
    version: str, accepted: str, verdict: str, steps: bool
) -> None:
    """Safe ingress 3: and check mode shows the same."""
    decision = planned(MOVE, Way(accept_version=accepted), cluster(version, spec=CLASSIC))
    assert (decision.verdict.value, bool(decision.steps)) == (verdict, steps)
    if verdict == "blocked":
        (stop,) = decision.errors
        assert stop.code == "version_unmeasured"
        assert "accept_version: '6.2'" in stop.remedy


def test_what_writes_nothing_is_decided_on_any_version() -> None:
    decision = planned(Wanted(), Way(), cluster("6.2.1", spec=CLASSIC))
    assert (decision.verdict.value, decision.errors) == ("in_sync", ())


def test_a_new_one_is_not_made_there_either() -> None:
    gone = replace(cluster("6.2.1"), ic=None, service=None, name="shard")
    wanted = Wanted(create={"domain": "a.example.com"})
    assert planned(wanted, Way(), gone).verdict.value == "blocked"
    assert planned(wanted, Way(accept_version="6.2"), gone).steps


def test_nobody_says_that_all_agrees_beside_what_is_not_in_force() -> None:
    decision = planned(Wanted(), Way(), cluster(spec=CLASSIC))
    other = Finding("type_not_in_force", Severity.WARNING, "", "The annotation says NLB, the load balancer is Classic.")
    told = words.agreeing(decision.with_findings(other))
    assert told.message.endswith("the load balancer does not. The annotation says NLB, the load balancer is Classic.")
    assert words.agreeing(decision) == decision


def test_nobody_says_that_the_load_balancer_agrees_who_has_not_seen_it() -> None:
    decision = planned(Wanted(), Way(), cluster(spec=CLASSIC))
    told = words.agreeing(decision, looked=False)
    assert told.message == "Spec and Service agree with what is wanted; the load balancer itself was not looked at."
