# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which paths to the API have to be tried before one is taken away, and what came of it (API-7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model import Finding
from . import paths
from .parts import Part
from .readiness import lacking
from .state import ObservedApi, PathQuestion, PathSeen, WantedApi


def tried(wanted: WantedApi, observed: ObservedApi, staying: Sequence[Part]) -> tuple[paths.Path, ...]:
    """Of the Services only those that are ready (API-3)."""
    ready = {
        one.slb: one.seen.service
        for one in staying
        if one.stays and not lacking(one.seen.service, observed.endpoints.get(one.slb.role, ()))
    }
    return paths.candidates(ready, wanted.other_paths, observed.host)


def looked(observed: ObservedApi, wanted: Sequence[paths.Path]) -> Mapping[str, PathSeen] | PathQuestion:
    """What was seen of them, or the question that has to be asked first."""
    known = observed.paths or {}
    missing = tuple(dict.fromkeys(path.at for path in wanted if path.at not in known))
    return PathQuestion(missing) if missing else known


def of_part(one: Part) -> tuple[paths.Path, ...]:
    return paths.of_service(one.slb, one.seen.service)


def last_path(
    wanted: WantedApi, observed: ObservedApi, first: Part, staying: Sequence[Part], others: Sequence[Part]
) -> Finding | PathQuestion | None:
    """Would this be the last one? `others`: what else goes; those that only go for a while serve until then."""
    if not first.slb.serves_api:
        return None
    for_good = [one for one in others if not one.stays]
    gone = [path for one in (first, *for_good) if one.slb.serves_api for path in of_part(one)]
    candidates = tried(wanted, observed, [*staying, *(one for one in others if one.stays)])
    seen = looked(observed, (*candidates, *gone))
    if isinstance(seen, PathQuestion):
        return seen
    return paths.last_path(first.slb, candidates, gone, seen, wanted.vouched_paths)
