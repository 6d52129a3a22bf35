# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS is asked, and what becomes of no answer: preflight skip, when_possible and require (SUB-3, SUB-4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import (
    CLUSTER_TAG_PREFIX,
    SERVICE_TAG,
    SKIPPED,
    AwsAnswer,
    AwsFacts,
    AwsLoadBalancer,
    AwsSurvey,
    Eip,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.preflight import WantedLb
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.question import AwsQuestion
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws import Aws
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Forbidden, Misconfigured
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.aws import AwsReader

INFRA = Infra("AWS", "prod-x1", "eu-west-1")
SERVICE = {"metadata": {"uid": "u1"}}
LB = WantedLb("NLB", "External", Subnets(("s1", "s2"), ("blue",)), ("e1",))
FACTS = AwsFacts("vpc-1", "prod-x1")
DENIED = Forbidden("No permission for ec2:DescribeSubnets.", "Allow it.")
TAGS = {SERVICE_TAG: "shop/gone", f"{CLUSTER_TAG_PREFIX}prod-x1": "owned"}
OLD = AwsLoadBalancer("a1", "NLB", "a1.elb.example", "External", "vpc-1", tags=TAGS)


@dataclass
class Account:
    """Stands for the port; remembers what it was asked."""

    problem: Exception | None = None
    connect: Any = None  # how one got here
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def look(self, infra_id: str, **query: Any) -> AwsFacts:
        return self._answer("look", FACTS, infra_id=infra_id, **query)

    def survey(self, infra_id: str) -> AwsSurvey:
        return self._answer("survey", AwsSurvey(infra_id, (OLD,)), infra_id=infra_id)

    def load_balancer(self, service: Any) -> AwsLoadBalancer:
        return self._answer("load_balancer", OLD, service=service)

    def eips(self, ids: Any) -> tuple[Eip, ...]:
        return self._answer("eips", tuple(Eip(one) for one in ids), ids=ids)

    def eips_named(self, name: str) -> tuple[Eip, ...]:
        return self._answer("eips_named", (Eip("e1", "192.0.2.1"),), name=name)

    region = "eu-west-1"

    def _answer(self, call: str, answer: Any, **query: Any) -> Any:
        self.calls.append((call, query))
        if self.problem:
            raise self.problem
        return answer


@pytest.fixture
def account() -> Iterator[Account]:
    """All credentials lead here."""
    made = Account()
    with patch.object(Aws, "connect", return_value=made) as made.connect:
        yield made


def reader(mode: str) -> AwsReader:
    return AwsReader({"preflight": mode})


@pytest.mark.parametrize(("mode", "start"), [("skip", SKIPPED), ("when_possible", None), ("require", None)])
def test_what_a_decision_starts_with(mode: str, start: Any) -> None:
    """None has it ask; SKIPPED is an answer, so nobody is asked."""
    assert reader(mode).before_asking == start


@pytest.mark.parametrize(("whole", "kind"), [(True, "NLB"), (False, "")])
def test_the_question_is_asked_once_and_the_quota_only_for_a_new_one(account: Account, whole: bool, kind: str) -> None:
    answer = reader("require").answer(AwsQuestion(INFRA, LB, SERVICE, whole))
    assert (answer.facts, answer.whole, answer.unanswered, answer.region) == (FACTS, whole, (), "eu-west-1")
    query = {"infra_id": "prod-x1", "subnet_ids": ("s1", "s2"), "eips": ("e1",), "kind": kind, "service": SERVICE}
    assert account.calls == [("look", query)]
    account.connect.assert_called_once_with({"preflight": "require"}, cluster_region="eu-west-1")


def test_auto_discovery_asks_for_no_subnet_in_particular(account: Account) -> None:
    reader("require").answer(AwsQuestion(INFRA, WantedLb("NLB", "External"), SERVICE, True))
    assert account.calls[0][1]["subnet_ids"] == ()


def test_without_credentials_that_is_said_and_only_require_stops(account: Account) -> None:
    account.connect.return_value = None
    question = AwsQuestion(INFRA, LB, SERVICE, True)
    assert reader("when_possible").answer(question) == AwsAnswer(whole=True)
    assert reader("require").answer(question) == AwsAnswer(whole=True, required=True)
    nothing, (finding,) = reader("when_possible").survey(INFRA)
    assert (nothing, finding.code) == (None, "aws_not_asked")
    with pytest.raises(Misconfigured, match="preflight: require, but: No AWS credentials"):
        reader("require").survey(INFRA)


def test_a_refusal_is_told_and_stops_where_an_answer_is_required(account: Account) -> None:
    account.problem = DENIED
    answer = reader("when_possible").answer(AwsQuestion(INFRA, LB, SERVICE, False))
    assert [part.what for part in answer.unanswered] == ["No permission for ec2:DescribeSubnets."]
    assert answer.whole  # asking for more would fare no better
    nothing, (finding,) = reader("when_possible").survey(INFRA)
    assert (nothing, finding.code, finding.severity.value) == (None, "preflight_unanswered", "warning")
    with pytest.raises(Misconfigured, match="No permission"):
        reader("require").survey(INFRA)


@pytest.mark.parametrize(("infra", "mode"), [(Infra("GCP"), "require"), (INFRA, "skip")])
def test_nobody_is_asked_where_there_is_no_aws_or_it_is_not_to_be(account: Account, infra: Infra, mode: str) -> None:
    assert reader(mode).survey(infra)[0] is None
    assert account.calls == []


def test_credentials_are_looked_for_once_in_a_task(account: Account) -> None:
    """Looking for them can take seconds."""
    account.connect.return_value = None
    one = reader("when_possible")
    for _time in range(3):
        one.answer(AwsQuestion(INFRA, LB, SERVICE, True))
    account.connect.assert_called_once()


def test_a_cluster_is_described_once_for_all_its_load_balancers(account: Account) -> None:
    found, told = reader("when_possible").survey(INFRA)
    assert found is not None
    assert (found.balancers, told) == ((OLD,), ())
    assert [call for call, _query in account.calls] == ["survey"]


def test_what_a_cluster_without_a_name_left_behind_cannot_be_known(account: Account) -> None:
    _found, (finding,) = reader("when_possible").survey(Infra("AWS"))
    assert finding.code == "preflight_unanswered"
    assert "left behind" in finding.what


def test_another_account_or_region_is_told_from_one_with_nothing_left_behind(account: Account) -> None:
    _found, (finding,) = reader("when_possible").survey(Infra("AWS", "other-y2", "eu-west-1"))
    assert (finding.code, finding.severity.value) == ("vpc_unknown", "warning")
    with pytest.raises(Misconfigured, match="carries the cluster's tag"):
        reader("require").survey(Infra("AWS", "other-y2", "eu-west-1"))


def test_what_is_left_of_a_load_balancer_that_was_let_go(account: Account) -> None:
    """CLS-5"""
    assert reader("when_possible").left_of(INFRA, SERVICE) == OLD
    assert account.calls == [("load_balancer", {"service": SERVICE})]
    assert reader("skip").left_of(INFRA, SERVICE) is None
    assert reader("when_possible").left_of(Infra("GCP"), SERVICE) is None
    account.connect.return_value = None
    assert reader("when_possible").left_of(INFRA, SERVICE) is None
    assert len(account.calls) == 1


def test_elastic_ips_that_were_reserved(account: Account) -> None:
    """API-2"""
    one = reader("when_possible")
    assert one.reserved(INFRA, "prod-x1-rsvd-public-ipv4", ("e7",)) == (
        (Eip("e1", "192.0.2.1"), Eip("e7")),
        ("e1",),
        "",
    )
    assert one.reserved(Infra("AWS"), "-rsvd-public-ipv4", ())[:2] == ((), ())
    account.problem = DENIED
    assert one.reserved(INFRA, "any", ())[2] == str(DENIED)


def test_nobody_to_ask_for_them(account: Account) -> None:
    account.connect.return_value = None
    assert reader("when_possible").reserved(INFRA, "any", ()) == ((), (), "no AWS credentials were found.")
