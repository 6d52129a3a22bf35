# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS says: before a change and of what is in force (SUB-3, SUB-4), and of a whole cluster for the radar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .._core.aws.facts import SKIPPED, AwsAnswer, AwsLoadBalancer, AwsSurvey, Eip, Unanswered, identity
from .._core.aws.preflight import vpc_unknown
from .._core.aws.question import AwsQuestion, not_asked, region_differs, unanswered
from .._core.data import Json
from .._core.model import Finding
from .._core.operator.names import Infra
from .._core.platforms import AWS
from .._ports.aws import Aws
from .._ports.errors import Misconfigured, PortError

_NO_NAME = Unanswered(
    "cluster",
    "the cluster's name there (infrastructureName) was not read, so nobody looked for load balancers left behind.",
    "Leave platform out of the task: the cluster then tells its name too.",
)


@dataclass(frozen=True)
class AwsReader:
    """Connects when it is first asked: most tasks ask nothing. `options`: credentials, region and `preflight`."""

    options: Mapping[str, Any]
    _connected: dict[str, Aws | None] = field(default_factory=dict, repr=False, compare=False)

    def secrets(self) -> tuple[str, ...]:
        return tuple(one for aws in self._connected.values() if aws is not None for one in aws.secrets())

    @property
    def before_asking(self) -> AwsAnswer | None:
        """What a decision starts with."""
        return SKIPPED if self._skips else None

    @property
    def _skips(self) -> bool:
        return bool(self.options["preflight"] == "skip")

    @property
    def _requires(self) -> bool:
        return bool(self.options["preflight"] == "require")

    def answer(self, question: AwsQuestion) -> AwsAnswer:
        lb = question.lb
        try:
            aws = self._connect(question.infra)
            if aws is None:
                return AwsAnswer(whole=True, required=self._requires)
            facts = aws.look(
                question.infra.name,
                subnet_ids=lb.subnets.ids if lb.subnets else (),
                eips=lb.eips,
                kind=lb.kind if question.whole else "",
                service=question.service,
            )
        except PortError as problem:
            return AwsAnswer(unanswered=(_everything(problem),), whole=True, required=self._requires)
        told = AwsAnswer(facts, facts.unanswered, question.whole, self._requires, region=aws.region)
        return replace(told, about=identity(question.service))

    def reserved(self, infra: Infra, name: str, ids: Sequence[str]) -> tuple[tuple[Eip, ...], tuple[str, ...], str]:
        """Elastic IPs with these ids or this name, the ids of those with the name, and why AWS could not be asked."""
        try:
            aws = self._connect(infra)
            if aws is None:
                return (), (), "no AWS credentials were found."
            named = aws.eips_named(name) if infra.name else ()
            return (*named, *aws.eips(ids)), tuple(eip.id for eip in named), ""
        except PortError as problem:
            return (), (), str(problem)

    def survey(self, infra: Infra) -> tuple[AwsSurvey | None, tuple[Finding, ...]]:
        """Of a whole cluster, and what could not be asked. None where nothing could, or there is no AWS."""
        if infra.platform != AWS:
            return None, ()
        if self._skips:
            return None, (not_asked(skipped=True),)
        try:
            aws = self._connect(infra)
            found = aws.survey(infra.name) if aws is not None else None
        except PortError as problem:
            return None, tuple(self._told((_everything(problem),)))
        if aws is None or found is None:
            return None, (self._must(not_asked(skipped=False)),)
        silent = found.unanswered if infra.name else (*found.unanswered, _NO_NAME)
        told = (*self._told(silent), *region_differs(infra, aws.region))
        if infra.name and not found.unanswered and not found.owned and not found.vpc:
            told += (self._must(vpc_unknown(strict=self._requires)),)
        return found, told

    def left_of(self, infra: Infra, former: Json) -> AwsLoadBalancer | None:
        """The load balancer of a Service that let it go; None where AWS has none, or nobody is to be asked.

        `former`: its uid, and the hostnames that it published.
        """
        if infra.platform != AWS or self._skips:
            return None
        aws = self._connect(infra)
        return aws.load_balancer(former) if aws is not None else None

    def _connect(self, infra: Infra) -> Aws | None:
        """None without credentials. Looking for them can take a second or two, so that is done once in a task."""
        if None in self._connected.values():
            return None
        if infra.region not in self._connected:
            self._connected[infra.region] = Aws.connect(self.options, cluster_region=infra.region)
        return self._connected[infra.region]

    def _must(self, found: Finding) -> Finding:
        """Itself, unless the task wants everything looked at."""
        if self._requires:
            raise Misconfigured(f"preflight: require, but: {found.what}", found.remedy)
        return found

    def _told(self, parts: tuple[Unanswered, ...]) -> tuple[Finding, ...]:
        return tuple(self._must(found) for found in unanswered(parts, self._requires))


def _everything(problem: PortError) -> Unanswered:
    return Unanswered("anything", problem.message, problem.remedy)
