# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the options of service_lb_class: all of it at once, before any server is asked (CLS-2, CORE-7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..ingress import options as rules
from ..model import Finding, Severity
from . import names
from .state import SIDE_BY_SIDE, WantedClass, successor_name

Options = Mapping[str, Any]
_SUFFIX = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_FORM = "Give NAME or DNS-PREFIX/NAME, for example service.k8s.aws/nlb."


def wanted(options: Options) -> WantedClass:
    return WantedClass(
        options["lb_class"] if options["state"] == "present" else None,
        options["way"],
        options["suffix"],
        (options["traffic_moved_because"] or "").strip() if options["traffic_moved"] else "",
        dict(options["known_classes"] or {}),
        options["allow_unwatched"],
    )


def problems(options: Options) -> tuple[Finding, ...]:
    return (*_classes(options), *_ways(options), *_waits(options), *rules.common(options))


def _classes(options: Options) -> Iterator[Finding]:
    given, state = options["lb_class"], options["state"]
    if state == "present" and given is None:
        yield _error("lb_class", "No class is given.", f"{_FORM} Or say state: absent for none.")
    if state == "absent" and given is not None:
        what = "A class is given, but state: absent takes it away."
        yield _error("lb_class", what, "Leave lb_class out, or take state: present.", given)
    yield from _named("lb_class", given)
    for name, who in (options["known_classes"] or {}).items():
        yield from _named("known_classes", str(name))
        if not isinstance(who, str) or not who.strip():
            what = f"{name!r} has {who!r}, which does not say who watches it."
            yield _error("known_classes", what, "Give the controller's name as text.", who)
    allowed = options["allow_unwatched"]
    expected = given if state == "present" else "none"
    if allowed and expected and allowed != expected:
        what = f"{allowed!r} is not the class that this task leads to ({expected})."
        yield _error("allow_unwatched", what, f"Say allow_unwatched: {expected}, or leave it out.", allowed)


def _named(where: str, name: str | None) -> Iterator[Finding]:
    """Every rule of the API that the name breaks, in one finding."""
    broken = "; ".join(names.problems(name)) if name is not None else ""
    if broken:
        yield _error(where, f"{name!r} is no name of a class: {broken}.", _FORM, name)


def _ways(options: Options) -> Iterator[Finding]:
    suffix, moved, why = options["suffix"], options["traffic_moved"], (options["traffic_moved_because"] or "").strip()
    whole = successor_name(options["service"]["name"], suffix)
    if not _SUFFIX.fullmatch(suffix):
        what = f"{suffix!r} cannot end the name of a Service."
        yield _error("suffix", what, "Give lower case letters, digits and '-'.", suffix)
    elif options["way"] == SIDE_BY_SIDE and len(whole) > 63:
        what = f"The second Service would be called {whole}, {len(whole)} characters; a Service's name has 63 at most."
        yield _error("suffix", what, "Give a shorter one.", suffix)
    if moved and not why:
        what = "Said without a reason: after it the old load balancer is deleted."
        yield _error("traffic_moved_because", what, "Say who or what showed that traffic has moved.", why)
    if why and not moved:
        what = "A reason is given, but traffic_moved is not said."
        yield _error("traffic_moved_because", what, "Say traffic_moved: true, or leave it out.", why)
    if moved and options["way"] != SIDE_BY_SIDE:
        what = f"way: {options['way']} has no second Service that traffic could have moved to."
        yield _error("traffic_moved", what, "Leave it out, or take way: side_by_side.", moved)


def _waits(options: Options) -> Iterator[Finding]:
    if options["unwatched_after"] < 1:
        what = f"{options['unwatched_after']} is less than 1."
        yield _error("unwatched_after", what, "Give a whole number of seconds from 1 on.", options["unwatched_after"])


def _error(where: str, what: str, remedy: str, value: Any = None) -> Finding:
    return Finding("bad_option", Severity.ERROR, where, what, remedy, value)
