# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An IngressController and its Service: read, decided on, written, waited for. Serves three modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._core import waits
from .._core.ingress.decide import decide
from .._core.ingress.effectuate import IC_RESOURCE
from .._core.ingress.state import CLEAR, LEAVE, Observed, Wanted, Way
from .._core.model import Decision, Finding, Severity, Step, Verdict
from .._core.operator import names
from .._ports.kube import Kube
from .._run import Clock, Progress
from . import aws_look
from .cluster import ClusterFacts, read_cluster
from .events import ServiceEvents
from .waiting import WaitOptions, wait_for

# How long the operator may take from admission to its conditions before its word is taken as it is.
_CONDITIONS_GRACE = 20.0


class IngressTopic:
    """`wanted` may depend on what is found (an effectuation of what is pending), so it is asked for each time."""

    def __init__(
        self, params: Mapping[str, Any], wanted: Callable[[Observed], tuple[Wanted, Way]], clock: Clock | None = None
    ) -> None:
        self._params = params
        self._wanted = wanted
        self._kube = Kube.connect(params)
        self._aws = aws_look.AwsLook(params)
        self._facts: ClusterFacts | None = None
        self._patience = WaitOptions(params["wait_timeout"], params["wait_sleep"], clock or Clock())
        self._name = str(params["ingress_controller"])
        self._looks: dict[str, Callable[[Any], Callable[[float], waits.Look]]] = {
            "admitted": lambda _expect: self._look_admitted,
            "recreated": lambda expect: lambda _waited: self._look_recreated(expect["old_uid"]),
            "readdressed": self._look_readdressed,
        }

    def close(self) -> None:
        self._kube.close()

    def observe(self) -> Observed:
        """Four requests at most; platform and version do not change during a task."""
        ic = self._kube.get(IC_RESOURCE, names.OPERATOR_NAMESPACE, self._name)
        service = self._kube.get("services", names.OPERAND_NAMESPACE, names.service_name(self._name))
        if self._facts is None:
            self._facts = read_cluster(self._kube, self._params, service)
        cluster = str(self._params.get("cluster") or "")
        return Observed(self._facts.profile, self._facts.infra, self._name, ic, service, cluster)

    def decide(self, observed: Observed) -> Decision:
        wanted, way = self._wanted(observed)
        found = self._upgrade_finding()
        decision = decide(wanted, way, observed, found)
        more = self._look_at_aws(wanted, observed, decision)
        return decide(wanted, way, observed, (*found, *more)) if more else decision

    def _upgrade_finding(self) -> tuple[Finding, ...]:
        if self._facts is None or not self._facts.upgrading:
            return ()
        text = "The cluster is being upgraded; the operator of the old and of the new version may differ."
        return (
            Finding("upgrade_in_progress", Severity.WARNING, "ClusterVersion", text, "Wait for the upgrade to end."),
        )

    def _look_at_aws(self, wanted: Wanted, observed: Observed, decision: Decision) -> tuple[Finding, ...]:
        """SUB-3: what AWS could refuse is known before anything is touched."""
        if self._facts is None or decision.verdict in (Verdict.INVALID, Verdict.BLOCKED):
            return ()
        makes_one = decision.verdict is Verdict.RECREATE or (observed.ic is None and bool(decision.steps))
        return self._aws.ingress(wanted, observed, self._facts.site, makes_one)

    def do(self, step: Step, observed: Observed, progress: Progress) -> None:
        if step.verb != "wait":
            self._kube.do(step)
            return
        wants = step.expect["for"]
        if wants == "recreated" or self._params["wait"]:
            # A recreation is always waited for as far as the new Service: until then the next step has no object.
            wait_for(self._looks[wants](step.expect), self._patience, progress, self._who(observed))

    def _who(self, observed: Observed) -> str:
        return f"{observed.cluster} IngressController {self._name}".lstrip()

    def _look_admitted(self, waited: float) -> waits.Look:
        seen = self.observe()
        return waits.admitted(seen.profile, seen.infra, seen.ic, seen.service, waited < _CONDITIONS_GRACE)

    def _look_recreated(self, old_uid: str) -> waits.Look:
        seen = self.observe()
        service = seen.service
        replaced = service is not None and service["metadata"]["uid"] != old_uid
        if replaced and not self._params["wait"]:
            return waits.Look(True)  # the old one is gone for good; the address is not waited for
        events = self._events().all() if replaced and not waits.addresses(service) else []
        return waits.recreated(seen.profile, seen.infra, seen.ic, service, events, old_uid)

    def _look_readdressed(self, expect: Any) -> Callable[[float], waits.Look]:
        events = self._events()
        return lambda _waited: waits.readdressed(self.observe().service, events.since_first_look(), expect["old"])

    def _events(self) -> ServiceEvents:
        return ServiceEvents(self._kube, names.OPERAND_NAMESPACE, names.service_name(self._name))


def way(params: Mapping[str, Any], **more: Any) -> Way:
    return Way(params["effectuate"], restore_edits=params["restore_edits"], **more)


def subnets_wanted(params: Mapping[str, Any]) -> Wanted:
    """The options of ingress_lb_subnets as wanted state."""
    state = params["state"]
    given = params.get("subnets")
    subnets: Any = {key: list(given.get(key) or ()) for key in ("ids", "names")} if given is not None else LEAVE
    eips = params.get("eip_allocations")
    create = None
    if params.get("domain"):
        create = {"domain": params["domain"], **({"replicas": params["replicas"]} if params.get("replicas") else {})}
    return Wanted(
        scope=params.get("scope") or "",
        lb_type=params.get("lb_type") or "",
        subnets=CLEAR if state == "absent" else subnets,
        eips=LEAVE if eips is None else (list(eips) or CLEAR),
        adopt=state == "adopted",
        create=create,
    )
