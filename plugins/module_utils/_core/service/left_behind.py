# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests that a run has kept and that are still there: it was stopped, or is at work right now (SCO-7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..data import Json, dig
from ..holder import Holder, busy
from ..model import Decision, Finding, Severity, Target, Verdict
from ..serving import going, softer
from .kept import KEPT, record_of, service_of, spoilt

# Namespace and name of a Service → who holds its lock.
Holders = Mapping[tuple[str, str], "Holder | None"]


def left_behind(
    kept: Iterable[Json], services: Sequence[Json], cluster: str = "", holders: Holders | None = None
) -> tuple[Decision, ...]:
    """One row for each Service that is gone and could be brought back, or could not."""
    live = {_place(item) for item in services}
    gone = [(config, *_service(config)) for config in kept if _service(config) not in live]
    return tuple(
        _lost(Target("Service", name, space, cluster), config, (holders or {}).get((space, name)))
        for config, space, name in gone
    )


def _lost(target: Target, config: Json, holder: Holder | None) -> Decision:
    at_work = softer(busy(holder, str(target)))
    if at_work:
        return Decision(target, Verdict.IN_PROGRESS, at_work[0].what, findings=at_work)
    wrong = spoilt(config, target.namespace, target.name)
    if not wrong:
        return _restorable(target, config)
    return Decision(target, Verdict.BLOCKED, wrong[0].what, findings=wrong)


def beside(kept: Iterable[Json], service: Json, holders: Holders | None = None) -> tuple[Finding, ...]:
    """Of a Service that is still there, or on its way out."""
    for config in kept:
        if _service(config) == _place(service):
            target = Target("Service", *reversed(_place(service)))
            at_work = softer(busy((holders or {}).get(_place(service)), str(target)))
            if at_work:
                return at_work
            if going(service):
                return _restorable(target, config).findings
            what = f"{_shown(config)} keeps its manifest: a run is at work on it, or was stopped before it tidied up."
            remedy = f"If no run is at work on it, run {_task(target, config)}: it goes on, or removes the ConfigMap."
            return (Finding("manifest_left", Severity.WARNING, str(target), what, remedy),)
    return ()


def _restorable(target: Target, config: Json) -> Decision:
    did = "took its type away" if _way(config) == "type_flip" else "deleted it"
    what = f"Service {target.namespace}/{target.name} is down: a run of ours {did} and keeps it in {_shown(config)}."
    remedy = f"If no run is at work on it, run {_task(target, config)}: it brings the Service back."
    finding = Finding("service_restorable", Severity.ERROR, str(target), what, remedy)
    return Decision(target, Verdict.BLOCKED, what, findings=(finding,))


def _task(target: Target, config: Json) -> str:
    """Only a change of class writes its way down."""
    module = "service_lb_class" if _way(config) else "slb_scope"
    return f"{module} with service: {{namespace: {target.namespace}, name: {target.name}}}"


def _way(config: Json) -> str:
    return record_of(config).get("way", "")


def _place(obj: Json) -> tuple[str, str]:
    return str(dig(obj, "metadata", "namespace") or ""), str(dig(obj, "metadata", "name") or "")


def kept_services(kept: Iterable[Json]) -> tuple[Target, ...]:
    places = (_service(config) for config in kept)
    return tuple(Target("Service", name, namespace) for namespace, name in places)


def _service(config: Json) -> tuple[str, str]:
    return _place(config)[0], service_of(config)


def _shown(config: Json) -> str:
    return f"ConfigMap {'/'.join(_place(config))}"


def unread(kept: Sequence[Json] | None) -> tuple[Finding, ...]:
    if kept is not None:
        return ()
    what = "ConfigMaps may not be listed, so whether a stopped run has left a Service deleted is not known."
    return (Finding("kept_unread", Severity.INFO, f"ConfigMaps with label {KEPT}", what, "Permit list configmaps."),)
