# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stories of facts lab-kubernetes §6: operator twin, API server twin over HTTPS, cloud twin with moto behind it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import messages, revert
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.integration.lab.person import Person, strategy, without_id
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import IngressSpec
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab

AUTO_DELETE = "ingress.operator.openshift.io/auto-delete-load-balancer"
PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
_serial = itertools.count(1)

At = Callable[..., Person]


@pytest.fixture
def at(lab: Lab) -> Iterator[At]:
    """A person at the AWS cluster of a version (one each for all stories), who makes one IngressController."""
    people: list[Person] = []

    def arrive(version: str = "4.22") -> Person:
        name = f"stories-{version.replace('.', '')}"
        cluster = lab.clusters.get(name) or lab.cluster(name, "AWS", version, ingress=(IngressSpec(type="NLB"),))
        people.append(Person(cluster, f"test{next(_serial)}"))
        return people[-1]

    yield arrive
    for person in people:
        if person.ic() is not None:
            person.delete()
            person.waits(lambda one=person: one.service() is None and one.ic() is None, "the end of the story")
        person.close()


@pytest.fixture
def anna(at: At) -> Person:
    """At 4.22, with an NLB in two subnets."""
    person = at()
    person.create(strategy("NLB", subnets={"ids": subnets(person)[:2]}))
    person.waits_for_new_address()
    person.waits_for("Available", "True")
    return person


def subnets(person: Person, row: str = "public") -> list[str]:
    return list(getattr(person.cluster.aws, row).values())


def shown(ids: list[str]) -> str:
    """A set of subnets as the operator's messages quote it."""
    return json.dumps(json.dumps({"ids": ids, "names": []}, separators=(",", ":")))


def in_cloud(person: Person, hostname: str) -> bool:
    """Does AWS have a load balancer of this name?"""
    clients = person.cluster.clients
    classic = clients.elb.describe_load_balancers()["LoadBalancerDescriptions"]
    network = clients.elbv2.describe_load_balancers()["LoadBalancers"]
    return hostname in [balancer["DNSName"] for balancer in (*classic, *network)]


def aliases(person: Person) -> list[str]:
    """Where the wildcard points, in the public and the private zone."""
    name = f"*.{person.name}.{person.cluster.spec.base_domain}."
    network, route53 = person.cluster.aws, person.cluster.clients.route53
    found = []
    for zone in (network.public_zone, network.private_zone):
        entries = route53.list_resource_record_sets(HostedZoneId=zone)["ResourceRecordSets"]
        found += [entry["AliasTarget"]["DNSName"].rstrip(".") for entry in entries if entry["Name"] == name]
    return found


EFFECTUATE = (
    "  To effectuate this change, you must delete the service: `oc -n openshift-ingress delete svc/router-%(ic)s`; the"
    " service load-balancer will then be deprovisioned and a new one created. This will most likely cause the new"
    " load-balancer to have a different host name and IP address and cause disruption. To return to the previous state,"
    " you can revert the change to the IngressController: `oc -n openshift-ingress-operator patch"
    " ingresscontrollers/%(ic)s --type=merge --patch='%(patch)s'`. Direct updates to the service annotations are not"
    " supported."
)


# -- pending ----------------------------------------------------------------------------------------------------------


def test_a_new_load_balancer_is_pending_until_the_cloud_is_done(at: At) -> None:
    person = at()
    person.cluster.cloud_faults.hold_ensure(person.service_name)
    try:
        person.create(strategy("NLB"))
        assert person.waits_for("LoadBalancerReady", "False", "LoadBalancerPending") == (
            "The LoadBalancer service is pending"
        )
        assert person.said("DNSReady") == ("False", "RecordNotFound", "The wildcard record resource was not found.")
        assert person.said("Available")[:2] == ("False", "IngressControllerUnavailable")
    finally:
        person.cluster.cloud_faults.clear()
    assert person.waits_for("LoadBalancerReady", "True") == "The LoadBalancer service is provisioned"
    person.waits_for("Available", "True")
    assert person.said("LoadBalancerReady")[1] == "LoadBalancerProvisioned"
    assert person.said("LoadBalancerProgressing") == (
        "False",
        "LoadBalancerNotProgressing",
        "LoadBalancer is not progressing",
    )
    assert person.said("DNSReady") == ("True", "NoFailedZones", "The record is provisioned in all reported zones.")
    assert person.said("Available") == ("True", "", "")
    assert person.said("Progressing") == ("False", "", "")
    assert aliases(person) == [person.address()] * 2


def test_a_change_that_needs_effectuation_waits_and_says_so(anna: Person) -> None:
    old, (first, second, third) = anna.address(), subnets(anna)
    anna.patch({"spec": strategy("NLB", subnets={"ids": [third]})})
    pending = anna.waits_for("LoadBalancerProgressing", "True", "OperandsProgressing")
    patch = (
        '{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"providerParameters":'
        '{"type":"AWS","aws":{"type":"NLB","networkLoadBalancer":{"subnets":{"ids":["%s","%s"],"names":null}}}}}}}}'
    ) % (first, second)
    assert pending == (
        "One or more managed resources are progressing: The IngressController subnets was changed from"
        f" {shown([first, second])} to {shown([third])}." + EFFECTUATE % {"ic": anna.name, "patch": patch}
    )
    rolled_up = (
        "One or more status conditions indicate progressing: LoadBalancerProgressing=True"
        f" (OperandsProgressing: {pending})"
    )
    assert anna.said("Progressing") == ("True", "IngressControllerProgressing", rolled_up)
    line = f'ingresscontroller "{anna.name}" is progressing: IngressControllerProgressing: {rolled_up}.'
    anna.waits(lambda: line in anna.cluster_operator("Progressing")[2], "the ClusterOperator's line")
    assert anna.said("Available") == ("True", "", "")
    assert anna.said("Degraded") == ("False", "", "")
    assert anna.address() == old
    assert anna.annotations()[PREFIX + "subnets"] == f"{first},{second}"


def test_while_pending_status_has_the_old_subnets_but_the_new_scope(anna: Person) -> None:
    have, want = subnets(anna)[:2], subnets(anna, "private")[:2]
    anna.patch({"spec": strategy("NLB", "Internal", subnets={"ids": want})})
    text = anna.waits_for("LoadBalancerProgressing", "True")
    status = anna.strategy_in_status()
    assert status["scope"] == "Internal"
    assert status["providerParameters"]["aws"]["networkLoadBalancer"]["subnets"] == {"ids": have}
    revert_scope = '{"spec":{"endpointPublishingStrategy":{"loadBalancer":{"scope":"External"}}}}'
    scope = 'The IngressController scope was changed from "External" to "Internal".' + EFFECTUATE % {
        "ic": anna.name,
        "patch": revert_scope,
    }
    start = "One or more managed resources are progressing: "
    assert text.startswith(f"{start}[{scope}, The IngressController subnets was changed from {shown(have)} to ")
    assert text.endswith("]")


def test_removing_the_subnets_is_pending_and_reordering_them_is_nothing(anna: Person) -> None:
    have = subnets(anna)[:2]
    anna.patch({"spec": strategy("NLB", subnets={"ids": have[::-1]})})
    assert anna.waits_for("LoadBalancerProgressing", "False") == "LoadBalancer is not progressing"
    anna.patch({"spec": strategy("NLB", subnets=None)})
    assert f'was changed from {shown(have)} to "{{}}".' in anna.waits_for("LoadBalancerProgressing", "True")


# -- effectuated, cancelled -------------------------------------------------------------------------------------------


def settled(person: Person, old: str) -> str:
    """The new address, once everything follows it; the old load balancer is gone."""
    new = person.waits_for_new_address(old)
    person.waits(lambda: aliases(person) == [new] * 2, "the zones to point at the new load balancer")
    person.waits_for("LoadBalancerProgressing", "False")
    person.waits_for("Available", "True")
    assert not in_cloud(person, old)
    assert in_cloud(person, new)
    return new


def test_effectuated_by_hand(anna: Person) -> None:
    old, third = anna.address(), subnets(anna)[2]
    anna.patch({"spec": strategy("NLB", subnets={"ids": [third]})})
    anna.waits_for("LoadBalancerProgressing", "True")
    anna.delete_service()
    settled(anna, old)
    assert anna.annotations()[PREFIX + "subnets"] == third
    parameters = anna.strategy_in_status()["providerParameters"]["aws"]
    assert parameters["networkLoadBalancer"]["subnets"] == {"ids": [third]}
    assert {event.reason for event in anna.events()} == {
        "EnsuringLoadBalancer",
        "EnsuredLoadBalancer",
        "DeletingLoadBalancer",
        "DeletedLoadBalancer",
    }


@pytest.mark.parametrize("change", ["subnets", "scope and subnets", "type"])
def test_effectuated_by_auto_delete(anna: Person, change: str) -> None:
    old = anna.address()
    wanted = {
        "subnets": strategy("NLB", subnets={"ids": subnets(anna)[2:]}),
        "scope and subnets": strategy("NLB", "Internal", subnets={"ids": subnets(anna, "private")}),
        "type": strategy("Classic", subnets={"ids": subnets(anna)[:2]}),
    }[change]
    anna.patch({"metadata": {"annotations": {AUTO_DELETE: ""}}})
    anna.patch({"spec": wanted})
    settled(anna, old)
    annotations = anna.annotations()
    assert annotations.get(PREFIX + "internal") == ("true" if change.startswith("scope") else None)
    assert annotations.get(PREFIX + "type") == (None if change == "type" else "nlb")


def test_cancelled_with_the_merged_revert_patch(anna: Person) -> None:
    """One patch for all pending fields, valid as a whole, unlike the operator's one per field."""
    old, uid = anna.address(), anna.service()["metadata"]["uid"]
    anna.patch({"spec": strategy("NLB", "Internal", subnets={"ids": subnets(anna, "private")[:2]})})
    anna.waits_for("LoadBalancerProgressing", "True")
    profile, infra = profile_for(anna.cluster.spec.release), Infra("AWS")
    changes = messages.pending(profile, infra, anna.ic(), anna.service())
    assert [change.field for change in changes] == ["scope", "subnets"]
    found = revert.revert(profile, anna.ic(), changes)
    assert found.refused == ()
    anna.patch(found.patch)
    anna.waits_for("LoadBalancerProgressing", "False")
    assert (anna.address(), anna.service()["metadata"]["uid"]) == (old, uid)


# -- bad subnets ------------------------------------------------------------------------------------------------------

NOT_FOUND = (
    'Error syncing load balancer: failed to ensure load balancer: error listing AWS subnets: "operation error EC2:'
    " DescribeSubnets, https response error StatusCode: 400, RequestID: <id>, api error InvalidSubnetID.NotFound: The"
    " subnet ID 'subnet-0123456789abcdef0' does not exist\""
)
NO_SUCH_NAME = "Error syncing load balancer: failed to ensure load balancer: expected to find 1, but found 0 subnets"
SAME_ZONE_NLB = (
    'Error syncing load balancer: failed to ensure load balancer: error creating load balancer: "operation error'
    " Elastic Load Balancing v2: CreateLoadBalancer, https response error StatusCode: 400, RequestID: <id>,"
    " InvalidConfigurationRequest: A load balancer cannot be attached to multiple subnets in the same Availability"
    ' Zone"'
)


def same_zone(person: Person) -> list[str]:
    return [subnets(person)[0], subnets(person, "spare_public")[0]]


@pytest.mark.parametrize(
    ("kind", "bad", "words"),
    [
        ("NLB", lambda _p: {"ids": ["subnet-0123456789abcdef0"]}, NOT_FOUND),
        ("NLB", lambda p: {"ids": [subnets(p)[0], "subnet-0123456789abcdef0"]}, NOT_FOUND),
        ("NLB", lambda _p: {"names": ["no-such-subnet"]}, NO_SUCH_NAME),
        ("NLB", lambda p: {"ids": same_zone(p)}, SAME_ZONE_NLB),
        ("Classic", lambda p: {"ids": same_zone(p)}, ""),
    ],
    ids=["C2 missing id", "C2 one good and one missing", "C3 missing name", "C1 one zone, NLB", "C1 one zone, Classic"],
)
def test_bad_subnets(at: At, kind: str, bad: Callable[[Person], Any], words: str) -> None:
    person = at()
    person.create(strategy(kind, subnets=bad(person)))
    echo = without_id(person.waits_for("LoadBalancerReady", "False", "SyncLoadBalancerFailed"))
    event = without_id(person.failures()[0].message)
    assert event == words or not words  # the Classic wording is AWS's own business (facts: unverified)
    assert echo == (
        f"The service-controller component is reporting SyncLoadBalancerFailed events like: {event}\n"
        "The cloud-controller-manager logs may contain more details."
    )
    assert person.said("Available")[:2] == ("False", "IngressControllerUnavailable")
    assert person.said("LoadBalancerProgressing")[0] == "False"
    person.waits(lambda: sum(one.count for one in person.failures()) > 1, "the next try")


def test_degraded_only_after_a_while_and_never_for_the_whole_cluster(at: At) -> None:
    person = at()
    person.create(strategy("NLB", subnets={"names": ["no-such-subnet"]}))
    person.waits_for("LoadBalancerReady", "False", "SyncLoadBalancerFailed")
    assert person.said("Degraded") == ("False", "", "")
    text = person.waits_for("Degraded", "True", "DegradedConditions")
    assert text.startswith(
        "One or more other status conditions indicate a degraded state: LoadBalancerReady=False"
        " (SyncLoadBalancerFailed: The service-controller component is reporting "
    )
    overall = ("True", "Reconciling", "Not all ingress controllers are available.")
    person.waits(lambda: person.cluster_operator("Progressing") == overall, "the ClusterOperator's line")
    assert person.cluster_operator("Available")[0] == "True"
    assert person.cluster_operator("Degraded")[0] == "False"
    person.patch({"spec": strategy("NLB", subnets=None)})
    person.waits_for("LoadBalancerProgressing", "True")
    person.delete_service()
    person.waits_for("Available", "True")
    assert person.said("Degraded")[0] == "False"


# -- profiles ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["4.16", "4.21"])
def test_up_to_4_21_a_type_change_is_applied_at_once(at: At, version: str) -> None:
    person = at(version)
    person.create(strategy("Classic"))
    old = person.waits_for_new_address()
    uid = person.service()["metadata"]["uid"]
    person.patch({"spec": strategy("NLB")})
    new = person.waits_for_new_address(old)
    assert person.service()["metadata"]["uid"] == uid
    assert person.annotations()[PREFIX + "type"] == "nlb"
    assert person.said("LoadBalancerProgressing")[0] == "False"
    assert in_cloud(person, new)
    assert in_cloud(person, old)  # AWS keeps the old one: nobody deletes it any more


@pytest.mark.parametrize("version", ["4.22", "4.23"])
def test_from_4_22_on_a_type_change_waits_for_recreation(at: At, version: str) -> None:
    person = at(version)
    person.create(strategy("NLB"))
    old = person.waits_for_new_address()
    person.patch({"spec": strategy("Classic")})
    text = person.waits_for("LoadBalancerProgressing", "True")
    assert text.startswith(
        "One or more managed resources are progressing: The IngressController loadBalancer.providerParameters.aws.type"
        ' was changed from "NLB" to "Classic".  To effectuate this change, you must delete the service: '
    )
    assert person.address() == old
    person.delete_service()
    new = settled(person, old)
    assert new.endswith(".us-east-1.elb.amazonaws.com")


# -- not ours, and the end --------------------------------------------------------------------------------------------


def test_a_service_with_a_class_is_somebody_elses(anna: Person) -> None:
    anna.create_service("classy", loadBalancerClass="example.com/other")
    anna.create_service("classless")
    anna.waits(lambda: anna.address("classless"), "an address of the Service made after it")
    found = anna.service("classy")
    assert found["status"] == {"loadBalancer": {}}
    assert "finalizers" not in found["metadata"]
    assert anna.events("classy") == []
    for name in ("classy", "classless"):
        anna.delete_service(name)


def test_deleting_an_ingresscontroller_leaves_nothing(anna: Person) -> None:
    address = anna.address()
    assert in_cloud(anna, address)
    assert aliases(anna) == [address] * 2
    anna.delete()
    anna.waits(lambda: anna.ic() is None and anna.service() is None, "IngressController and Service to go")
    assert anna.record() is None
    assert not in_cloud(anna, address)
    assert aliases(anna) == []
