# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways from one class to another: what each costs, keeps and loses, and what takes it back (CLS-3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..data import Json, dig
from ..model import Disruption
from ..operator.names import AWS_EIPS
from ..waits import addresses
from .state import RECREATE, SIDE_BY_SIDE, TYPE_FLIP, ObservedClass


@dataclass(frozen=True)
class Way:
    """`later`: what it costs once the old load balancer goes, where that is not at once."""

    name: str
    disruption: Disruption
    later: Disruption
    keeps: tuple[str, ...]
    loses: tuple[str, ...]
    undo: str

    @property
    def shown(self) -> Json:
        return {
            "way": self.name,
            "disruption": self.disruption.value,
            "later": self.later.value,
            "keeps": list(self.keeps),
            "loses": list(self.loses),
            "undo": self.undo,
        }


_WAYS = (
    Way(
        TYPE_FLIP,
        Disruption.OUTAGE,
        Disruption.NONE,
        ("name", "uid", "labels", "annotations", "selector"),
        (),
        "Flip it again, to the class from before: another outage, and new addresses once more.",
    ),
    Way(
        RECREATE,
        Disruption.OUTAGE,
        Disruption.NONE,
        ("name", "labels", "annotations", "selector"),
        ("uid",),
        "Recreate it again with the class from before: another outage, and new addresses once more.",
    ),
    Way(
        SIDE_BY_SIDE,
        Disruption.NONE,
        Disruption.BRIEF,
        ("the old Service with everything it has, until traffic has moved", "annotations", "selector"),
        ("the name, and with it its name in the cluster's DNS", "uid"),
        "Delete the second Service. Once the first is retired: create it again, with a new address.",
    ),
)


def ways(observed: ObservedClass) -> tuple[Way, ...]:
    """Of this very Service."""
    return tuple(_of(observed.service, way) for way in _WAYS)


def _of(service: Json, way: Way) -> Way:
    keeps, loses = list(way.keeps), list(way.loses)
    beside = way.name == SIDE_BY_SIDE
    for what, value in _allocated(service):
        text = f"{what} {value}"
        if beside:
            loses.append(text)
        else:
            keeps.append(f"{text}, where it is still free" if _may_be_taken(way, what) else text)
    ranges = ", ".join(dig(service, "spec", "loadBalancerSourceRanges") or ())
    if ranges:
        keeps.append(f"source ranges {ranges}")
    found = ", ".join(addresses(service))
    if found:
        loses.append(f"the addresses {found}")
    if beside:
        loses += _unshared(service)
    return replace(way, keeps=tuple(keeps), loses=tuple(loses))


def _allocated(service: Json) -> list[tuple[str, str]]:
    spec = dig(service, "spec") or {}
    ports = [str(port["nodePort"]) for port in spec.get("ports") or () if port.get("nodePort")]
    found = [
        ("clusterIP", str(spec.get("clusterIP") or "")),
        ("nodePorts", ", ".join(ports)),
        ("healthCheckNodePort", str(spec.get("healthCheckNodePort") or "")),
    ]
    return [(what, value) for what, value in found if value]


def _may_be_taken(way: Way, what: str) -> bool:
    """A Service that is away holds nothing; one that only changes its type lets go of the health-check port."""
    return way.name == RECREATE or what == "healthCheckNodePort"


def _unshared(service: Json) -> list[str]:
    """What two load balancers cannot have at the same time."""
    wished = dig(service, "spec", "loadBalancerIP")
    eips = (dig(service, "metadata", "annotations") or {}).get(AWS_EIPS)
    found = [("spec.loadBalancerIP", wished), (AWS_EIPS, eips)]
    return [f"{where} {value}, which two cannot share" for where, value in found if value]
