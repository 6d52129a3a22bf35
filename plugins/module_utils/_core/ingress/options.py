# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the options themselves: all of it at once, before any server is asked (SUB-1, CORE-7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..bad_options import Options, bad_option, waiting
from ..model import Finding, Target
from ..operator import crd, names
from ..operator.names import CLASSIC, LB_STRATEGY, NLB, PARAMS
from ..platforms import EXTERNAL
from ..profiles import REPRESENTATIVE, profile_for
from . import words

_NAME = re.compile(r"[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?")
_NEWEST = profile_for(REPRESENTATIVE["P4"])


def common(options: Options) -> tuple[Finding, ...]:
    """Of every module that may change something: names that name nothing, and waits without an end or a pause."""
    return (*_names(options), *waiting(options))


def _names(options: Options) -> Iterator[Finding]:
    """An empty name is a variable that was not set: never taken for the default, nor for a list of everything."""
    given = {"ingress_controller": options.get("ingress_controller")}
    given |= {f"service.{part}": value for part, value in (options.get("service") or {}).items()}
    for option, value in given.items():
        if value is not None and not _NAME.fullmatch(str(value)):
            what = f"{value!r} is empty." if not str(value).strip() else f"{value!r} is no name of an object."
            yield bad_option(option, what, "Give a name of lower case letters, digits, '-' and '.'.", value)


def subnets(options: Options) -> tuple[Finding, ...]:
    """Of ingress_lb_subnets: what contradicts itself, and what no API server of any version would take."""
    return (*_contradictions(options), *_values(options), *common(options))


def _contradictions(options: Options) -> Iterator[Finding]:
    state, given = options["state"], [name for name in _VALUES if options.get(name) is not None]
    left_out = {"absent": ("subnets",), "adopted": _VALUES}.get(state, ())
    for name in given:
        if name in left_out:
            what = f"{name} is given, but state: {state} {_STATES[state]}."
            yield bad_option(name, what, f"Leave {name} out, or take state: present.", options[name])
    if options.get("eip_allocations") and options.get("lb_type") == CLASSIC:
        what = "Elastic IPs are for Network load balancers; lb_type is Classic."
        yield bad_option("eip_allocations", what, "Leave them out, or take lb_type: NLB.", options["eip_allocations"])
    if (options.get("replicas") or 0) < 0:
        yield bad_option("replicas", f"{options['replicas']} is less than 0.", "Give the number of routers to run.")


_VALUES = ("subnets", "eip_allocations", "lb_type")
_STATES = {
    "absent": "takes the subnets away",
    "adopted": "takes everything from the Service as it is",
}


def _values(options: Options) -> Iterator[Finding]:
    """The API's own rules, on a strategy that says nothing but these options."""
    given, eips = options.get("subnets"), options.get("eip_allocations")
    params: dict[str, Any] = {}
    if given is not None:
        params["subnets"] = {key: list(given[key]) for key in ("ids", "names") if given.get(key)}
    if eips:
        params["eipAllocations"] = list(eips)
    aws = {"type": NLB, PARAMS[NLB]: params}
    lb = {
        "scope": options.get("scope") or EXTERNAL,
        "dnsManagementPolicy": "Managed",
        "providerParameters": {"type": "AWS", "aws": aws},
    }
    strategy = {"type": LB_STRATEGY, "loadBalancer": lb}
    yield from (words.refusal(cause) for cause in crd.check(_NEWEST, strategy, everything=True))
    yield from _unresolvable((given or {}).get("names") or ())


def _unresolvable(subnet_names: Iterable[str]) -> Iterator[Finding]:
    """The API takes them, the cloud controller trims them away: no Name tag is ever found by one."""
    for name in subnet_names:
        if name and (name != name.strip() or not name.isprintable()):
            what = f"{name!r} is blank, or has spaces around it or a control character in it: no subnet is found by it."
            yield bad_option("subnets.names", what, "Give the Name tag as it is in AWS.", name)


def target(options: Options) -> Target:
    service = options.get("service")
    if service:
        return Target("Service", service["name"], service["namespace"])
    name = options.get("ingress_controller")
    return Target("IngressController", "default" if name is None else name, names.OPERATOR_NAMESPACE)
