# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS says: before a change and of what is in force (SUB-3, SUB-4), and what a cluster left behind there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from .._core.aws.facts import NOT_ASKED, AwsAnswer, AwsLoadBalancer
from .._core.aws.in_force import leaked, unused
from .._core.aws.preflight import AwsQuestion
from .._core.data import Json, plain
from .._core.model import Finding, Severity
from .._core.operator.names import Infra
from .._core.platforms import AWS
from .._ports.aws import Aws
from .._ports.errors import Misconfigured, PortError


@dataclass(frozen=True)
class AwsReader:
    """Connects when it is first asked: most tasks ask nothing. `options`: credentials, region and `preflight`."""

    options: Mapping[str, Any]

    @property
    def before_asking(self) -> AwsAnswer | None:
        """What a decision starts with."""
        return NOT_ASKED if self._mode == "skip" else None

    @property
    def _mode(self) -> str:
        return str(self.options["preflight"])

    def answer(self, question: AwsQuestion) -> AwsAnswer:
        lb = question.lb
        try:
            aws = self._connect(question.infra)
            if aws is None:
                return NOT_ASKED
            facts = aws.look(
                question.infra.name,
                subnet_ids=lb.subnets.ids if lb.subnets else (),
                eips=lb.eips,
                kind=lb.kind if question.whole else "",
                service=question.service,
            )
        except PortError as problem:
            return AwsAnswer(unanswered=self._unanswered(problem), whole=True)
        return AwsAnswer(facts, whole=question.whole)

    def leaks(self, infra: Infra, services: Sequence[Json]) -> tuple[list[dict[str, Any]], tuple[Finding, ...]]:
        """Load balancers tagged for the cluster that no Service uses any more."""
        if infra.platform != AWS or self._mode == "skip" or not infra.name:
            return [], ()
        try:
            aws = self._connect(infra)
            balancers = aws.cluster_load_balancers(infra.name) if aws is not None else ()
        except PortError as problem:
            return [], (self._unanswered(problem),)
        return [_shown(lb) for lb, _other_kind in unused(balancers, services)], leaked(balancers, services)

    def _connect(self, infra: Infra) -> Aws | None:
        """None without credentials, which only `preflight: require` minds."""
        aws = Aws.connect(self.options, cluster_region=infra.region)
        if aws is None and self._mode == "require":
            raise Misconfigured(
                "preflight: require, but no AWS credentials were found.",
                "Give access_key and secret_key, a profile, or the environment variables boto3 reads.",
            )
        return aws

    def _unanswered(self, problem: PortError) -> Finding:
        if self._mode == "require":
            raise problem
        text = f"AWS could not be asked: {problem.message}"
        return Finding("preflight_unanswered", Severity.WARNING, "AWS", text, problem.remedy)


def _shown(lb: AwsLoadBalancer) -> dict[str, Any]:
    return dict(plain({entry.name: getattr(lb, entry.name) for entry in fields(lb)}))
