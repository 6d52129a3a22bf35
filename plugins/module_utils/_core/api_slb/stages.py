# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand-over from a bootstrap host in three stages: the DNS records of each, and when it may begin (API-4).

1 bootstrapping    the bootstrap host serves; the load balancers' addresses stand in DNS before there are any
2 bootstrapped     the control plane serves behind the load balancers; clients pass over the bootstrap address
3 handed over      the bootstrap address has left DNS; the host may go
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..data import Json, dig
from ..waits import addresses
from .addresses import version_of
from .names import BY_ROLE, EXTERNAL, INTERNAL, STAGE
from .paths import CONNECTED, SILENT, UNRESOLVED, Path, path_of
from .state import Handover, ObservedApi, PathSeen, Reserved, WantedApi

STAGES = (1, 2, 3)
Record = dict[str, Any]
_TYPES = {4: "A", 6: "AAAA"}


@dataclass(frozen=True)
class RecordSet:
    """By zone. `withheld`: what cannot be published, and why."""

    public: tuple[Record, ...]
    private: tuple[Record, ...]
    withheld: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        return {"public": list(self.public), "private": list(self.private), "withheld": list(self.withheld)}


def records(stage: int, wanted: WantedApi, observed: ObservedApi, by_role: Mapping[str, Sequence[str]]) -> RecordSet:
    """What the zones hold in a stage. `by_role`: reserved addresses of the Services that are to be there."""
    handover = wanted.handover or Handover(stage)
    domain, bootstrap = domain_of(handover, observed), handover.bootstrap if stage < 3 else ()
    withheld: list[str] = []

    def zone(role: str, names: Sequence[str], beside: Sequence[str]) -> tuple[Record, ...]:
        if role not in by_role:
            return ()
        values = known_addresses(role, by_role[role], observed)
        if not values and not beside:
            withheld.append(f"{BY_ROLE[role].name} has no address that is known yet")
        if beside and any(not version_of(value) for value in values):
            withheld.append(
                f"{BY_ROLE[role].name} is known by the name {values[0]}, which cannot stand beside addresses"
            )
            values = ()
        return tuple(
            entry for name in names for entry in _records(f"{name}.{domain}", [*beside, *values], handover.ttl)
        )

    public = zone(EXTERNAL, ("api",), ())
    private = zone(INTERNAL, ("api", "api-int"), bootstrap)
    return RecordSet(public, private, tuple(withheld))


def direct(wanted: WantedApi, observed: ObservedApi) -> list[Record]:
    """To the control plane itself, where no load balancer is left (API-8)."""
    handover = wanted.handover or Handover(0)
    domain = domain_of(handover, observed)
    found = [entry for role in (INTERNAL, EXTERNAL) for entry in observed.endpoints.get(role) or ()]
    nodes = list(dict.fromkeys(found))
    return [entry for name in ("api", "api-int") for entry in _records(f"{name}.{domain}", nodes, handover.ttl)]


def domain_of(handover: Handover, observed: ObservedApi) -> str:
    return handover.domain or observed.config.domain


def known_addresses(role: str, reserved: Sequence[str], observed: ObservedApi) -> tuple[str, ...]:
    """IP addresses; else the name that the load balancer has."""
    by_id = {eip.id: eip.address for eip in (observed.reserved or Reserved()).eips}
    found = [value if version_of(value) else by_id.get(value, "") for value in reserved]
    if found and all(found):
        return tuple(found)
    return tuple(addresses(observed.service(BY_ROLE[role])))


def _records(name: str, values: Sequence[str], ttl: int) -> list[Record]:
    kinds = {"CNAME": [value for value in values if not version_of(value)][:1]}
    if not kinds["CNAME"]:
        kinds = {kind: [value for value in values if version_of(value) == family] for family, kind in _TYPES.items()}
    return [{"name": name, "type": kind, "data": found, "ttl": ttl} for kind, found in kinds.items() if found]


def fragment(entries: Sequence[Record]) -> str:
    """Lines of a zone file."""
    lines = [
        f"{entry['name']}. {entry['ttl']} IN {entry['type']} {value}{'.' * (entry['type'] == 'CNAME')}"
        for entry in entries
        for value in entry["data"]
    ]
    return "".join(f"{line}\n" for line in lines)


def current(observed: ObservedApi) -> int:
    """The stage that the internal Service says; 0 where none was begun."""
    text = (dig(observed.service(BY_ROLE[INTERNAL]), "metadata", "annotations") or {}).get(STAGE, "")
    return int(text) if text in map(str, STAGES) else 0


def bootstrap_paths(handover: Handover) -> tuple[Path, ...]:
    return tuple(path_of(address) for address in handover.bootstrap)


def goes_back(handover: Handover, observed: ObservedApi) -> bool:
    return handover.stage < current(observed)


def gate(
    handover: Handover,
    observed: ObservedApi,
    due: RecordSet,
    lacking: Mapping[str, str],
    seen: Mapping[str, PathSeen],
    vouched: Sequence[str],
) -> list[str]:
    """What keeps a stage from beginning, in sentences; [] where it may. `lacking`: by Service, what it still needs."""
    stage, now = handover.stage, current(observed)
    found = []
    if not domain_of(handover, observed):
        found.append("Nothing says what the cluster's domain is; give handover.domain.")
    if stage < 3 and not handover.bootstrap:
        found.append(f"Stage {stage} has the bootstrap host's address in DNS; give handover.bootstrap_addresses.")
    found += [f"{reason[0].upper()}{reason[1:]}." for reason in due.withheld]
    if goes_back(handover, observed):
        return found + _back(handover, now, seen, vouched)
    if stage >= 2:
        found += [f"{name} is not ready: {what}." for name, what in lacking.items() if what]
    return found


def _back(handover: Handover, now: int, seen: Mapping[str, PathSeen], vouched: Sequence[str]) -> list[str]:
    """One stage at a time; and into the first one only where the bootstrap host serves again."""
    if now - handover.stage > 1:
        return [f"Stage {now} goes back to stage {now - 1} first."]
    if handover.stage > 1:
        return []
    paths = bootstrap_paths(handover)
    serving = [path for path in paths if _serves(path, seen, vouched)]
    if serving or not paths:
        return []
    return [f"The bootstrap host does not answer at {', '.join(path.at for path in paths)}."]


def _serves(path: Path, seen: Mapping[str, PathSeen], vouched: Sequence[str]) -> bool:
    state = seen[path.at].state if path.at in seen else UNRESOLVED
    return state == CONNECTED or (state in (SILENT, UNRESOLVED) and bool({path.name, path.at} & set(vouched)))


def told(handover: Handover, observed: ObservedApi, due: RecordSet, missing: Sequence[str]) -> Json:
    """For the result."""
    return {
        "stage": handover.stage,
        "was": current(observed),
        "holds": not missing,
        "missing": list(missing),
        "records": due.as_data(),
        "zones": {"public": fragment(due.public), "private": fragment(due.private)},
    }
