# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps any task from working on a plain Service (SCO-7, CLS-1)."""

from __future__ import annotations

from ..data import dig
from ..model import Decision, Finding, Severity, Verdict
from ..operator.names import OWNER_LABEL
from .state import ObservedService


def unfit(observed: ObservedService, remedy_if_owned: str) -> Finding | None:
    """The first thing that stands in the way: what comes after it makes no sense then."""
    service = observed.service
    kind = dig(service, "spec", "type")
    owner = dig(service, "metadata", "labels", OWNER_LABEL)
    rules = (
        (service is None, "not_found", "There is no such Service.", "Check namespace and name."),
        (
            observed.going,
            "being_deleted",
            "It is being deleted, and not by this collection.",
            "Wait until it is gone.",
        ),
        (
            owner,
            "operator_owned",
            f"The ingress operator owns it for IngressController {owner!r} and would write the change back.",
            remedy_if_owned,
        ),
        (
            kind != "LoadBalancer",
            "not_a_load_balancer",
            f"Its type is {kind}, not LoadBalancer.",
            "Name a Service of that type.",
        ),
    )
    for broken, code, what, remedy in rules:
        if broken:
            return Finding(code, Severity.ERROR, str(observed.target), what, remedy)
    return None


def blocked(observed: ObservedService, found: tuple[Finding, ...]) -> Decision:
    errors = [str(finding) for finding in found if finding.severity is Severity.ERROR]
    return Decision(observed.target, Verdict.BLOCKED, " ".join(errors), findings=found)
