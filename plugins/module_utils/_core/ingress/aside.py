# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a change does besides what was asked for: told before it, and true after it."""

from __future__ import annotations

from ..aws.cloud_controller import lb_name
from ..data import dig
from ..model import Decision, Finding, Severity
from ..operator import names
from ..operator.names import CLASSIC
from ..operator.subnets import lb_type
from ..waits import addresses
from . import edits, effects, exposure
from .state import Candidate, Observed, Way


def effects_of(way: Way, observed: Observed, candidate: Candidate, recreates: bool) -> tuple[Finding, ...]:
    """All of them, also those for which it is not to be done (`stops`)."""
    if observed.service is None:
        return ()
    where = f"Service {names.OPERAND_NAMESPACE}/{names.service_name(observed.name)}"
    found = [*effects.told(candidate.effects, where), *_leak(observed, candidate, where)]
    if recreates or any(entry.asked for entry in candidate.pending):
        ic = candidate.settled.ic
        found += exposure.opened(observed, ic, way.restore_edits, recreates)
        found += edits.lost(observed, ic, way.restore_edits)
    return (*found, *(_node_ports(observed, where) if recreates else ()))


def stops(decision: Decision) -> tuple[Finding, ...]:
    return tuple(entry for entry in decision.effects if entry.severity is Severity.ERROR)


def _leak(observed: Observed, candidate: Candidate, where: str) -> tuple[Finding, ...]:
    """Up to 4.21 the cloud controller makes the other kind beside the old one and forgets that (facts: aws-ccm §4)."""
    uid = dig(observed.service, "metadata", "uid")
    if not candidate.replaces or candidate.settled.recreated or not uid:
        return ()
    kind, name = lb_type(observed.annotations), lb_name(uid)
    named = f" ({', '.join(addresses(observed.service))})" if addresses(observed.service) else ""
    what = f"A type change in place leaves the old {kind} load balancer {name}{named} behind in AWS: it costs money and"
    what += " holds quota, and nobody deletes it."
    found = f"aws elbv2 describe-load-balancers --names {name} --query LoadBalancers[0].LoadBalancerArn --output text"
    command = f'aws elbv2 delete-load-balancer --load-balancer-arn "$({found})"'
    if kind == CLASSIC:
        command = f"aws elb delete-load-balancer --load-balancer-name {name}"
    return (Finding("lb_leaked", Severity.WARNING, where, what, f"Once nobody uses it any more: {command}", name),)


def _node_ports(observed: Observed, where: str) -> tuple[Finding, ...]:
    """Allocated by the server, so nobody's modification; but whoever relies on them has to know."""
    listed = [str(port["nodePort"]) for port in dig(observed.service, "spec", "ports") or () if port.get("nodePort")]
    if not listed:
        return ()
    what = f"The node ports {', '.join(listed)} go with the old Service; the new one gets others."
    return (Finding("node_ports_change", Severity.INFO, where, what, "Tell whoever relies on them."),)
