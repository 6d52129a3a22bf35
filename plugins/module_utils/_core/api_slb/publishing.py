# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a stage in Route 53: what of a zone has to change, and what takes that back (API-4).

Of a zone only api and api-int of the cluster are ours; an alias that an installer left there is replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..data import Json, plain
from ..model import Step
from .stages import Record, RecordSet
from .state import Handover, ZoneQuestion

_TYPES = ("A", "AAAA", "CNAME")
_NAMES = {"public": ("api",), "private": ("api", "api-int")}
Change = dict[str, Any]


def question(handover: Handover, domain: str) -> ZoneQuestion:
    """What is in the zones that are to be published to."""
    return ZoneQuestion(tuple((zone, _names(kind, domain)) for kind, zone in zones(handover).items()))


def zones(handover: Handover) -> dict[str, str]:
    given = {"public": handover.public_zone, "private": handover.private_zone}
    return {kind: zone for kind, zone in given.items() if zone}


def _names(kind: str, domain: str) -> tuple[str, ...]:
    return tuple(f"{name}.{domain}." for name in _NAMES[kind])


def steps(handover: Handover, domain: str, due: RecordSet, have: Mapping[str, Sequence[Json]]) -> tuple[Step, ...]:
    """One for each zone that is not as the stage wants it; Route 53 takes each as a whole or not at all."""
    made = []
    for kind, zone in zones(handover).items():
        wanted = due.public if kind == "public" else due.private
        found = changes(_names(kind, domain), wanted, have[zone])
        if found:
            why = f"the {kind} zone has the records of stage {handover.stage}"
            back = Step("route53", "change", "hostedzones", zone, body=inverse(found, have[zone]), why="as they were")
            made.append(Step("route53", "change", "hostedzones", zone, body=found, why=why, undo=(back,)))
    return tuple(made)


def changes(names: Sequence[str], wanted: Sequence[Record], have: Sequence[Json]) -> list[Change]:
    """Deletions first: a name has a CNAME or addresses, never both."""
    due = {(f"{entry['name']}.".lower(), entry["type"]): _raw(entry) for entry in wanted}
    known = {_key(entry): entry for entry in have if _key(entry)[0] in names and _key(entry)[1] in _TYPES}
    gone = [{"Action": "DELETE", "ResourceRecordSet": plain(known[key])} for key in known if key not in due]
    new = [
        {"Action": "UPSERT", "ResourceRecordSet": entry}
        for key, entry in due.items()
        if not _same(known.get(key), entry)
    ]
    return gone + new


def inverse(made: Sequence[Change], have: Sequence[Json]) -> list[Change]:
    known = {_key(entry): entry for entry in have}
    back = []
    for change in made:
        key = _key(change["ResourceRecordSet"])
        entry = known.get(key)
        action = "DELETE" if entry is None else "UPSERT"
        back.append(
            {"Action": action, "ResourceRecordSet": plain(change["ResourceRecordSet"] if entry is None else entry)}
        )
    return sorted(back, key=lambda change: str(change["Action"]))


def _raw(entry: Record) -> dict[str, Any]:
    values = [f"{value}." if entry["type"] == "CNAME" else value for value in entry["data"]]
    return {
        "Name": f"{entry['name']}.",
        "Type": entry["type"],
        "TTL": entry["ttl"],
        "ResourceRecords": [{"Value": value} for value in values],
    }


def _key(entry: Json) -> tuple[str, str]:
    return str(entry["Name"]).lower(), str(entry["Type"])


def _same(have: Json, want: Mapping[str, Any]) -> bool:
    if have is None or have.get("AliasTarget") or have.get("TTL") != want["TTL"]:
        return False
    return _values(have) == _values(want)


def _values(entry: Json) -> list[str]:
    return sorted(str(one["Value"]).rstrip(".").lower() for one in entry.get("ResourceRecords") or ())
