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
    NOT_ASKED,
    SERVICE_TAG,
    AwsFacts,
    AwsLoadBalancer,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.preflight import AwsQuestion, WantedLb
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
OLD = AwsLoadBalancer("a1", "NLB", "a1.elb.example", "External", "vpc-1", tags={SERVICE_TAG: "shop/gone"})


@dataclass
class Account:
    """Stands for the port; remembers what it was asked."""

    problem: Exception | None = None
    connect: Any = None  # how one got here
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def look(self, infra_id: str, **query: Any) -> AwsFacts:
        return self._answer("look", FACTS, infra_id=infra_id, **query)

    def cluster_load_balancers(self, infra_id: str) -> tuple[AwsLoadBalancer, ...]:
        return self._answer("cluster_load_balancers", (OLD,), infra_id=infra_id)

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


@pytest.mark.parametrize(("mode", "start"), [("skip", NOT_ASKED), ("when_possible", None), ("require", None)])
def test_what_a_decision_starts_with(mode: str, start: Any) -> None:
    """None has it ask; NOT_ASKED is an answer, so nobody is."""
    assert reader(mode).before_asking == start


@pytest.mark.parametrize(("whole", "kind"), [(True, "NLB"), (False, "")])
def test_the_question_is_asked_once_and_the_quota_only_for_a_new_one(account: Account, whole: bool, kind: str) -> None:
    answer = reader("require").answer(AwsQuestion(INFRA, LB, SERVICE, whole))
    assert (answer.facts, answer.whole, answer.unanswered) == (FACTS, whole, None)
    query = {"infra_id": "prod-x1", "subnet_ids": ("s1", "s2"), "eips": ("e1",), "kind": kind, "service": SERVICE}
    assert account.calls == [("look", query)]
    account.connect.assert_called_once_with({"preflight": "require"}, cluster_region="eu-west-1")


def test_auto_discovery_asks_for_no_subnet_in_particular(account: Account) -> None:
    reader("require").answer(AwsQuestion(INFRA, WantedLb("NLB", "External"), SERVICE, True))
    assert account.calls[0][1]["subnet_ids"] == ()


def test_without_credentials_only_require_minds(account: Account) -> None:
    account.connect.return_value = None
    assert reader("when_possible").answer(AwsQuestion(INFRA, LB, SERVICE, True)) == NOT_ASKED
    assert reader("when_possible").leaks(INFRA, []) == ([], ())
    with pytest.raises(Misconfigured, match="preflight: require, but no AWS credentials"):
        reader("require").answer(AwsQuestion(INFRA, LB, SERVICE, True))


def test_a_refusal_is_a_remark_unless_an_answer_is_required(account: Account) -> None:
    account.problem = DENIED
    answer = reader("when_possible").answer(AwsQuestion(INFRA, LB, SERVICE, False))
    assert answer.unanswered is not None
    assert (answer.unanswered.code, answer.unanswered.severity.value) == ("preflight_unanswered", "warning")
    assert answer.unanswered.what == "AWS could not be asked: No permission for ec2:DescribeSubnets."
    assert answer.whole  # asking for more would fare no better
    _leaked, (finding,) = reader("when_possible").leaks(INFRA, [])
    assert finding == answer.unanswered
    with pytest.raises(Forbidden):
        reader("require").answer(AwsQuestion(INFRA, LB, SERVICE, True))
    with pytest.raises(Forbidden):
        reader("require").leaks(INFRA, [])


def test_what_a_cluster_left_behind(account: Account) -> None:
    (shown,), (finding,) = reader("when_possible").leaks(INFRA, [])
    assert (shown["name"], shown["tags"], shown["subnets"]) == ("a1", {SERVICE_TAG: "shop/gone"}, [])
    assert finding.code == "lb_leaked"
    assert account.calls == [("cluster_load_balancers", {"infra_id": "prod-x1"})]


@pytest.mark.parametrize(
    ("mode", "infra"),
    [("skip", INFRA), ("require", Infra("GCP", "prod-x1")), ("require", Infra("AWS"))],
)
def test_where_nobody_is_to_be_asked_nobody_is(account: Account, mode: str, infra: Infra) -> None:
    assert reader(mode).leaks(infra, []) == ([], ())
    account.connect.assert_not_called()
