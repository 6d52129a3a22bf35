# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS shows as not in force, and the task asks for, is pending: told, gated, and carried out (SUB-4, SCO-7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import run_task

from .conftest import NewIngress, NewService
from .proofs import codes
from .workplace import Ingress, Subject

BY_DELETION = {"effectuate": "delete", "allow_disruption": "outage"}
NLB = {"service.beta.kubernetes.io/aws-load-balancer-type": "nlb"}


def take_away(subject: Subject) -> None:
    """As somebody with the console does."""
    clients = subject.cluster.clients
    found = clients.elbv2.describe_load_balancers()["LoadBalancers"]
    (arn,) = [lb["LoadBalancerArn"] for lb in found if lb["DNSName"] == subject.address]
    clients.elbv2.delete_load_balancer(LoadBalancerArn=arn)


def subnets_of(subject: Subject) -> set[str]:
    found = subject.cluster.clients.elbv2.describe_load_balancers()["LoadBalancers"]
    (lb,) = [lb for lb in found if lb["DNSName"] == subject.address]
    return {zone["SubnetId"] for zone in lb["AvailabilityZones"]}


@pytest.mark.parametrize("changes", [["subnets"], ["all"]])
def test_a_load_balancer_that_is_gone_is_made_again(ingress: NewIngress, changes: list[str]) -> None:
    """The runbook's remedy: without one, nothing that was asked for is in force."""
    subject = ingress(type="NLB", moto=True)
    take_away(subject)
    old = subject.uid
    plan = subject.run("lb_effectuate", aws=True, check=True, changes=changes, **BY_DELETION)
    assert (plan["verdict"], plan["disruption"]) == ("recreate", "outage")
    assert "load balancer none → a new one" in plan["message"]
    assert (
        subject.run("lb_effectuate", aws=True, changes=changes, effectuate="delete")["error_code"]
        == "disruption_not_allowed"
    )
    assert subject.uid == old
    made = subject.run("lb_effectuate", aws=True, changes=changes, **BY_DELETION)
    assert not made.get("failed")
    assert (made["verdict"], made["pending"]) == ("in_sync", [])
    assert subject.uid != old
    assert subnets_of(subject)


def test_the_operator_would_recreate_nothing_for_it(ingress: NewIngress) -> None:
    """It compares Service and spec only; armed, it would be waited for in vain."""
    subject = ingress(type="NLB", moto=True)
    take_away(subject)
    result = subject.run("lb_effectuate", aws=True, changes=["all"], effectuate="operator", allow_disruption="outage")
    assert result["failed"]
    assert "operator_unaware" in codes(result, "error")
    assert subject.armed is None


def test_credentials_of_another_account_take_nothing_away(ingress: NewIngress) -> None:
    """Where AWS does not show the cluster's network, that it has no load balancer proves nothing."""
    subject = ingress(type="NLB", moto=True)
    old = subject.uid
    subject.run("lb_effectuate", aws=True, region="eu-west-1", changes=["all"], **BY_DELETION)
    assert subject.uid == old


def by_hand(subject: Ingress) -> None:
    subject.annotate(internal="true")
    subject.patch_lb(scope="Internal")
    subject.settle()


@pytest.mark.parametrize(
    ("module", "options"), [("slb_scope", {"scope": "Internal"}), ("lb_effectuate", {"changes": ["scope"]})]
)
def test_a_scope_that_only_the_annotation_has(ingress: NewIngress, module: str, options: dict[str, Any]) -> None:
    """Spec and annotation say Internal, the load balancer is External."""
    subject = ingress(type="NLB", moto=True)
    by_hand(subject)
    old = subject.uid
    report = subject.run(module, aws=True, effectuate="report", **options)
    assert report["verdict"] == "recreate"
    assert [(entry["field"], entry["have"], entry["want"]) for entry in report["pending"]] == [
        ("scope", "External", "Internal")
    ]
    made = subject.run(module, aws=True, **BY_DELETION, **options)
    assert not made.get("failed")
    assert (made["verdict"], subject.uid != old) == ("in_sync", True)


def test_what_only_aws_shows_is_not_effectuated_unasked(ingress: NewIngress) -> None:
    """CORE-3: a recreation for subnets would make the load balancer Internal too."""
    subject = ingress(type="NLB", moto=True)
    by_hand(subject)
    wanted = {"ids": list(subject.cluster.aws.private.values())}
    result = subject.run("ingress_lb_subnets", aws=True, subnets=wanted, **BY_DELETION)
    assert result["failed"]
    assert "unasked_changes" in codes(result, "error")


def test_adopted_subnets_that_are_not_in_force(ingress: NewIngress) -> None:
    """SUB-7: the annotation was set by hand; the cloud controller never moves a Network load balancer."""
    subject = ingress(type="NLB", moto=True)
    wanted = set(subject.cluster.aws.spare_public.values())
    subject.annotate(subnets=",".join(sorted(wanted)))
    subject.settle()
    adopted = subject.run("ingress_lb_subnets", aws=True, state="adopted")
    assert (adopted["verdict"], adopted["changed"]) == ("recreate", True)
    made = subject.run("ingress_lb_subnets", aws=True, subnets={"ids": sorted(wanted)}, **BY_DELETION)
    assert not made.get("failed")
    assert (made["verdict"], subnets_of(subject)) == ("in_sync", wanted)


@pytest.mark.parametrize("annotations", [NLB, {}], ids=["NLB", "Classic"])
def test_a_plain_service_that_was_set_back_by_its_revert_patch(plain: NewService, annotations: dict[str, str]) -> None:
    """The patch is half of the way back, and says so; what is left is seen and done."""
    subject = plain(moto=True, annotations=annotations)
    there = subject.run("slb_scope", aws=True, scope="Internal", **BY_DELETION)
    assert (there["revert_disruption"], codes(there, "info").count("revert_recreates")) == ("outage", 1)
    subject.patch_service(there["revert_patch"])
    subject.settle()
    old = subject.uid
    plan = subject.run("slb_scope", aws=True, check=True, scope="External")
    assert (plan["verdict"], plan["disruption"]) == ("recreate", "outage")
    back = subject.run("slb_scope", aws=True, scope="External", **BY_DELETION)
    assert not back.get("failed")
    assert (back["verdict"], subject.uid != old) == ("in_sync", True)


def test_a_name_tells_the_scope_without_credentials(plain: NewService, no_credentials: None) -> None:
    """That of an internal Classic load balancer begins with `internal-`."""
    subject = plain(moto=True)
    there = subject.run("slb_scope", scope="Internal", preflight="skip", **BY_DELETION)
    assert subject.address.startswith("internal-")
    subject.patch_service(there["revert_patch"])
    plan = subject.run("slb_scope", check=True, scope="External")
    assert plan["verdict"] == "recreate"
    radar = run_task("lb_info", subject.cluster.kubeconfig, preflight="skip")
    (row,) = [row for row in radar["targets"] if row["name"] == subject.service_name]
    assert (row["verdict"], row["codes"]) == ("recreate", ["scope_not_in_force"])


def test_a_plain_service_whose_load_balancer_is_gone(plain: NewService) -> None:
    subject = plain(moto=True, annotations=NLB)
    take_away(subject)
    old = subject.uid
    assert subject.run("slb_scope", aws=True, check=True, scope="External")["verdict"] == "recreate"
    made = subject.run("slb_scope", aws=True, scope="External", **BY_DELETION)
    assert not made.get("failed")
    assert (made["verdict"], subject.uid != old, bool(subnets_of(subject))) == ("in_sync", True, True)
