# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does anybody watch a class, and does the server keep it? Evidence from the cluster, and what follows (CLS-4, CLS-6).

Whether the API has the field is asked of the server itself, by a creation that is only rehearsed: one that drops the
field does so silently, and Services of before a downgrade still have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..aws import lb_controller
from ..data import Json, dig
from ..model import Finding, Question, Severity
from ..waits import addresses
from . import names

SERVICES, DEPLOYMENTS, DAEMON_SETS = "services", "deployments.apps", "daemonsets.v1.apps"
INGRESS_CLASSES = "ingressclasses.v1.networking.k8s.io"
GATEWAY_CLASSES = "gatewayclasses.v1.gateway.networking.k8s.io"
LOOKED_AT = (SERVICES, DEPLOYMENTS, DAEMON_SETS, INGRESS_CLASSES, GATEWAY_CLASSES)
_KINDS = {DEPLOYMENTS: ("Deployment", "availableReplicas"), DAEMON_SETS: ("DaemonSet", "numberAvailable")}
_HINTS = {INGRESS_CLASSES: ("IngressClass", "controller"), GATEWAY_CLASSES: ("GatewayClass", "controllerName")}
NO_CLASS = "none"  # how allow_unwatched names it


@dataclass(frozen=True)
class Probe:
    """What a rehearsed creation came back with. `refused`: why there was no answer to tell by."""

    lb_class: str | None = None
    refused: str = ""


@dataclass(frozen=True)
class ClassQuestion(Question):
    """Who watches this class, and what does the server make of `rehearsed`, a Service that has it?"""

    lb_class: str | None
    service: str  # namespace/name of the one that is to change: no evidence of its own
    rehearsed: Json = None
    taker: str | None = None  # the class whose controller takes it; without a class an annotation can give it there


@dataclass(frozen=True)
class Evidence:
    """For and against somebody watching a class; each entry is a noun phrase for a sentence."""

    lb_class: str | None
    taker: str | None = None
    serving: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    probe: Probe = Probe()

    @property
    def strong(self) -> tuple[str, ...]:
        return (*self.serving, *self.workloads)


def evidence(question: ClassQuestion, found: Mapping[str, Sequence[Json] | None], probe: Probe) -> Evidence:
    """`found`: what was listed of each kind; None: it may not be listed. A kind that the cluster lacks is empty."""
    taker = question.taker
    others = [item for item in found.get(SERVICES) or () if _place(item) != question.service]
    alike = [item for item in others if dig(item, "spec", "type") == "LoadBalancer" and _taken_by(taker, item)]
    return Evidence(
        question.lb_class,
        taker,
        serving=tuple(f"Service {_place(item)}" for item in alike if addresses(item)),
        waiting=tuple(f"Service {_place(item)}" for item in alike if not addresses(item)),
        workloads=tuple(_workloads(taker, found)) if taker is not None else (),
        hints=tuple(_hints(taker, found)) if taker is not None else (),
        unread=tuple(kind.partition(".")[0] for kind in LOOKED_AT if found.get(kind, ()) is None),
        probe=probe,
    )


def _taken_by(taker: str | None, service: Json) -> bool:
    """Does the same controller look after it? The AWS Load Balancer Controller's also by an annotation."""
    if taker == lb_controller.CLASS and lb_controller.owns(service):
        return True
    return bool(dig(service, "spec", "loadBalancerClass") == taker)


def _place(item: Json) -> str:
    return f"{dig(item, 'metadata', 'namespace') or ''}/{dig(item, 'metadata', 'name') or ''}"


def _workloads(lb_class: str, found: Mapping[str, Sequence[Json] | None]) -> Iterator[str]:
    """Running ones that are called like a known controller of the class, or are told the class."""
    controller = names.controller_of(lb_class)
    called = controller.workloads if controller else ()
    for resource, (kind, count) in _KINDS.items():
        for item in found.get(resource) or ():
            named = dig(item, "metadata", "name") in called or lb_class in _told(item)
            if named and (dig(item, "status", count) or 0) >= 1:
                yield f"{kind} {_place(item)}"


def _told(item: Json) -> set[str]:
    """Every word in its containers' commands, arguments and variables; a word ends at '=', ',', space or quote."""
    pods = dig(item, "spec", "template", "spec", "containers") or ()
    texts = [str(text) for pod in pods for text in (*(pod.get("command") or ()), *(pod.get("args") or ()))]
    texts += [str(entry.get("value") or "") for pod in pods for entry in pod.get("env") or ()]
    return {word for text in texts for word in re.split(r"[=,\s\"']+", text)}


def _hints(lb_class: str, found: Mapping[str, Sequence[Json] | None]) -> Iterator[str]:
    """Classes of other kinds, of a controller with the same domain: its maker's software is installed, no more."""
    wanted = names.domain(lb_class)
    for resource, (kind, key) in _HINTS.items():
        for item in found.get(resource) or ():
            said = str(dig(item, "spec", key) or "")
            if wanted and _related(wanted, names.domain(said)):
                yield f"{kind} {dig(item, 'metadata', 'name')} ({said})"


def _related(one: str, other: str) -> bool:
    """The same domain, or two below one that is not a whole top level: service.k8s.aws and ingress.k8s.aws."""
    parent = one.partition(".")[2]
    return one == other or ("." in parent and other.partition(".")[2] == parent)


def watched(seen: Evidence, where: str, known: Mapping[str, str], allowed: str) -> Iterator[Finding]:
    """An error where nothing speaks for it; only a warning where something hints at it, or somebody allows it."""
    taker, allowance = seen.taker, seen.lb_class or NO_CLASS
    if taker is None or seen.strong or taker in known:
        return
    what = f"Nothing shows that anybody watches the class {taker}: no other Service of it has an address, and no "
    what += "running Deployment or DaemonSet is told it."
    if seen.waiting:
        what += f" Without an address, too: {', '.join(seen.waiting)}."
    if seen.hints:
        what += f" Only hints: {', '.join(seen.hints)}."
    if seen.unread:
        what += f" Not permitted to be listed: {', '.join(seen.unread)}."
    remedy = f"Install its controller; or name it in known_classes; or say allow_unwatched: {allowance}."
    severity = Severity.WARNING if seen.hints or allowed == allowance else Severity.ERROR
    yield Finding("class_unwatched", severity, where, what, remedy, taker)


def kept_by_server(seen: Evidence, where: str, gentle: bool) -> Iterator[Finding]:
    """What the rehearsed creation showed. `gentle`: no Service is created, so a webhook may not get at it."""
    probe, wanted = seen.probe, seen.lb_class
    if probe.refused:
        what = f"Whether the server keeps the class could not be tried out: {probe.refused}"
        severity = Severity.WARNING if wanted is None or seen.serving else Severity.ERROR
        remedy = "Permit create services, which the server only rehearses (dryRun), or see what it says."
        yield Finding("class_unproven", severity, where, what, remedy)
    elif wanted is not None and probe.lb_class is None:
        what = "The API server drops spec.loadBalancerClass: it is older than the field, or has it turned off."
        remedy = "Upgrade the cluster to Kubernetes 1.24 or newer; nothing can have a class here."
        yield Finding("class_dropped", Severity.ERROR, where, what, remedy, wanted)
    elif probe.lb_class != wanted:
        what = f"A webhook gives a new Service the class {probe.lb_class}, where {wanted or 'none'} is asked for."
        remedy = "Leave this Service out of that webhook's rules" + ("." if gentle else ", or take way: type_flip.")
        severity = Severity.WARNING if gentle and wanted is None else Severity.ERROR
        yield Finding("class_imposed", severity, where, what, remedy, probe.lb_class)
