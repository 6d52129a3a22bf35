# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage begins when everything is built and its gate holds; the internal Service says which one it is (API-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..data import Json, dig, plain
from ..model import Decision, Finding, Question, Severity, Step, Verdict
from . import clouds, paths, proof, publishing, stages
from .addresses import Resolved
from .names import BY_ROLE, INTERNAL, STAGE
from .parts import Part
from .readiness import lacking
from .state import ABSENT, Handover, ObservedApi, PathQuestion, PathSeen, WantedApi


def stage_due(wanted: WantedApi, observed: ObservedApi) -> bool:
    """Another stage than the one that is in force."""
    asked = wanted.handover is not None and wanted.state != ABSENT
    return asked and wanted.handover is not None and wanted.handover.stage != stages.current(observed)


def announced(wanted: WantedApi, observed: ObservedApi, known: Resolved, made: Sequence[Part]) -> Json:
    """The records of a stage whose gate nobody has looked at yet."""
    told = rendered(wanted, observed, known, made)
    missing = ["Something has to be built or waited for first."]
    return told and {**told, "holds": False, "missing": missing}


def rendered(wanted: WantedApi, observed: ObservedApi, known: Resolved, made: Sequence[Part]) -> Json:
    """The records of a stage, whatever its gate says."""
    if wanted.handover is None:
        return None
    due = stages.records(wanted.handover.stage, wanted, observed, reserved(made, known))
    return stages.told(wanted.handover, observed, due, [])


def staged(
    wanted: WantedApi, observed: ObservedApi, known: Resolved, base: Decision, made: Sequence[Part], waits: bool
) -> Decision | Question:
    """`base`: nothing is left to build, at most to wait for, where that is done at all (`waits`)."""
    handover = wanted.handover
    if handover is None or wanted.state == ABSENT:
        return base
    back = stages.goes_back(handover, observed)
    if base.steps and waits and handover.stage > 1 and not back:
        return replace(base, more_stages=stage_due(wanted, observed))
    boots, candidates = stages.bootstrap_paths(handover), proof.tried(wanted, observed, made)
    seen = proof.looked(observed, _asked(handover, observed, boots, candidates))
    if isinstance(seen, PathQuestion):
        return seen
    due = stages.records(handover.stage, wanted, observed, reserved(made, known))
    missing = _missing(wanted, observed, made, due, seen)
    told = {**plain(base.standing), "handover": stages.told(handover, observed, due, missing)}
    if not missing and publishing.zones(handover) and observed.zones is None:
        return publishing.question(handover, stages.domain_of(handover, observed))
    if missing:
        remedy = "Mend that and run again; the records of the stage before stay in force until then."
        what = f"Stage {handover.stage} may not begin. {' '.join(missing)}"
        finding = Finding("stage_not_due", Severity.ERROR, "handover", what, remedy, missing)
        blocked = replace(base, verdict=Verdict.BLOCKED, message=what, standing=told, steps=())
        return blocked.with_findings(finding)
    begun = _marked(handover.stage, observed, replace(base, standing=told))
    return _published(handover, observed, due, begun)


def _published(handover: Handover, observed: ObservedApi, due: stages.RecordSet, base: Decision) -> Decision:
    """The records are in force before the stage is."""
    domain = stages.domain_of(handover, observed)
    found = publishing.steps(handover, domain, due, observed.zones or {})
    if not found:
        return base
    verdict = Verdict.UPDATE_IN_PLACE if base.verdict is Verdict.IN_SYNC else base.verdict
    return replace(base, verdict=verdict, steps=(*found, *base.steps), message=f"DNS would change. {base.message}")


def _asked(
    handover: Handover, observed: ObservedApi, boots: Sequence[paths.Path], candidates: Sequence[paths.Path]
) -> tuple[paths.Path, ...]:
    """The bootstrap host before it has to serve again, everything else before it leaves DNS."""
    if _leaves_dns(handover, observed):
        return (*candidates, *boots)
    return tuple(boots) if handover.stage == 1 and stages.goes_back(handover, observed) else ()


def _leaves_dns(handover: Handover, observed: ObservedApi) -> bool:
    """The bootstrap address; once it has left, that is not asked again."""
    return handover.stage == 3 and stages.current(observed) != 3


def _missing(
    wanted: WantedApi,
    observed: ObservedApi,
    made: Sequence[Part],
    due: stages.RecordSet,
    seen: Mapping[str, PathSeen],
) -> list[str]:
    handover = wanted.handover or Handover(0)
    needs = {
        one.slb.name: lacking(one.seen.service, observed.endpoints.get(one.slb.role, ())) for one in made if one.stays
    }
    found = stages.gate(handover, observed, due, needs, seen, wanted.vouched_paths)
    if found or not _leaves_dns(handover, observed):
        return found
    boots, candidates = stages.bootstrap_paths(handover), proof.tried(wanted, observed, made)
    last = paths.last_path(BY_ROLE[INTERNAL], candidates, boots, seen, wanted.vouched_paths, "the bootstrap address")
    return [f"{last.what} {last.remedy}"] if last is not None else []


def _marked(stage: int, observed: ObservedApi, base: Decision) -> Decision:
    now, slb = stages.current(observed), BY_ROLE[INTERNAL]
    service = observed.service(slb)
    if now == stage or service is None:
        return base
    old: dict[str, Any] = {"metadata": {"annotations": {STAGE: str(now) if now else None}}}
    back = Step(
        "kube",
        "patch",
        "services",
        slb.name,
        slb.namespace,
        old,
        "the stage before",
        uid=dig(service, "metadata", "uid"),
    )
    new = {"metadata": {"annotations": {STAGE: str(stage)}}}
    step = replace(back, body=new, why=f"the records of stage {stage} are due", undo=(back,))
    verdict = Verdict.UPDATE_IN_PLACE if base.verdict is Verdict.IN_SYNC else base.verdict
    return replace(base, verdict=verdict, steps=(step, *base.steps), message=f"Stage {stage} begins. {base.message}")


def reserved(made: Sequence[Part], known: Resolved) -> dict[str, tuple[str, ...]]:
    """Addresses of those that are to be there; of one that has them in its Service, those."""
    return {one.slb.role: known.by_role.get(one.slb.role) or _of_service(one) for one in made if one.stays}


def _of_service(one: Part) -> tuple[str, ...]:
    key = clouds.cloud_of(one.seen.platform).address_key(one.slb)
    listed = one.seen.annotations.get(key, "") if key else str(dig(one.seen.service, "spec", "loadBalancerIP") or "")
    return tuple(part.strip() for part in listed.split(",") if part.strip())
