# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make demo` shows: the ingress load balancers of clusters and what is pending on them, through the model."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import messages, revert, subnets
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.diff import annotations_of
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.messages import Change
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    Infra,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import (
    AWS,
    EXTERNAL,
    INTERNAL,
    any_internal,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import Profile
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.render import aligned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.reading import Cluster
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.radar import read_everything

_HEADER = ("CLUSTER", "PLATFORM", "VERSION", "INGRESS", "TYPE", "SCOPE", "ADDRESS", "PENDING")
_GAP = 2
_ADDRESS_LEAST, _ADDRESS_MOST, _HEAD_LEAST = 24, 48, 10
_NOTHING = "–"
_LABELS = {
    messages.TYPE: "type",
    messages.EIPS: "EIPs",
    messages.FLOATING_IP: "floating IP",
    messages.RANGES_ANNOTATION: "source ranges",
    messages.RANGES_FIELD: "source ranges",
}
_ON_SERVICE = (messages.RANGES_ANNOTATION, messages.RANGES_FIELD)


@dataclass(frozen=True)
class Balancer:
    """One IngressController's load balancer as found over the API."""

    cluster: str
    profile: Profile
    infra: Infra
    ic: Mapping[str, Any]
    service: Mapping[str, Any] | None

    @property
    def name(self) -> str:
        return str(self.ic["metadata"]["name"])

    @property
    def changes(self) -> list[Change]:
        if self.service is None:
            return []
        found: list[Change] = messages.pending(self.profile, self.infra, self.ic, self.service)
        return found

    @property
    def address(self) -> str:
        entries = dig(self.service, "status", "loadBalancer", "ingress") or [{}]
        return str(entries[0].get("hostname") or entries[0].get("ip") or _NOTHING)


def look(name: str, cluster: Cluster) -> list[Balancer]:
    """As lb_info reads it."""
    return [
        Balancer(name, seen.profile, seen.infra, seen.ic, seen.service)
        for seen in read_everything(cluster, Given()).controllers
    ]


# -- the table ----------------------------------------------------------------------------------------------------


def table(balancers: Sequence[Balancer], width: int) -> str:
    """As wide as the terminal at most: first the address gives way, then what is pending shrinks to its name."""
    rows = [_cells(balancer) for balancer in balancers]
    fixed = sum(max(len(row[at]) for row in (_HEADER, *rows)) + _GAP for at in range(6))
    left = width - fixed
    pending = max(len(", ".join(map(_short, balancer.changes))) for balancer in balancers)
    room = left - pending - _GAP
    if room >= _ADDRESS_LEAST:
        most = min(room, _ADDRESS_MOST)
        lines = [[*row[:6], _squeezed(row[6], most), row[7]] for row in rows]
        return str(aligned(_HEADER, _once(lines), left))
    if left < pending:
        rows = [[*row[:7], _names(balancer)] for row, balancer in zip(rows, balancers, strict=True)]
    lines = [[*row[:6], row[7]] for row in rows]
    return str(aligned((*_HEADER[:6], _HEADER[7]), _once(lines), max(left, 8)))


def _cells(balancer: Balancer) -> list[str]:
    annotations = dict(annotations_of(balancer.service)) if balancer.service is not None else {}
    return [
        balancer.cluster,
        balancer.infra.platform,
        f"{balancer.profile.version} {balancer.profile.name}",
        balancer.name,
        subnets.lb_type(annotations) if balancer.infra.platform == AWS else _NOTHING,
        INTERNAL if any_internal(annotations) else EXTERNAL,
        balancer.address,
        ", ".join(map(_short, balancer.changes)) or _NOTHING,
    ]


def _once(lines: list[list[str]]) -> list[list[str]]:
    """A cluster with several IngressControllers is named in its first row only."""
    shown, before = [], ""
    for line in lines:
        shown.append(["", "", "", *line[3:]] if line[0] == before else line)
        before = line[0]
    return shown


def _squeezed(text: str, most: int) -> str:
    """Its beginning tells a load balancer from others; of the domain as many labels stay as there is room for."""
    if len(text) <= most:
        return text
    labels = text.split(".")
    tails = (".".join(labels[start:]) for start in range(1, len(labels)))
    tail = next((tail for tail in tails if len(tail) < most - _HEAD_LEAST), "")
    return f"{text[: most - 1 - len(tail)]}…{tail}"


def _names(balancer: Balancer) -> str:
    return ", ".join(dict.fromkeys(_label(change) for change in balancer.changes)) or _NOTHING


def _label(change: Change) -> str:
    return _LABELS.get(change.field, str(change.field))


def _short(change: Change) -> str:
    """`scope External → Internal`, `subnets 2 → none`."""
    have, want = (_items(change, text) for text in (change.have, change.want))
    if have is None or want is None:
        return f"{_label(change)} {change.have or 'none'} → {change.want or 'none'}"
    return f"{_label(change)} {len(have) or 'none'} → {len(want) or 'none'}"


def _items(change: Change, text: str) -> list[str] | None:
    """The elements of a list of subnets or EIPs; None for a plain value."""
    if change.field == messages.SUBNETS:
        found = json.loads(text)
        return [*(found.get("ids") or ()), *(found.get("names") or ())]
    return list(json.loads(text)) if change.field == messages.EIPS else None


# -- the details --------------------------------------------------------------------------------------------------


def details(balancer: Balancer, width: int) -> str:
    """Have and want of everything pending, why it waits, how to effectuate and how to cancel it."""
    kind, scope = _cells(balancer)[4:6]
    lines = [f"{balancer.cluster}: IngressController {balancer.name}"]
    address = _squeezed(balancer.address, width - len(_margin()))
    lines += _wrapped("in force", " ".join(part for part in (kind, scope, address) if part != _NOTHING), width)
    for change in balancer.changes:
        have, want = _long(change, change.have), _long(change, change.want)
        lines += _wrapped("pending", f"{_label(change)}: {have} → {want}", width)
        lines += _wrapped("why", _why(balancer, change), width)
    if any(change.field not in _ON_SERVICE for change in balancer.changes):
        lines.append(f"{_margin('effectuate')}{revert.delete_command(balancer.name)}")
        lines += _wrapped("", "The new load balancer has another address; nothing answers until DNS follows.", width)
        lines += _cancel(balancer, width)
    return "\n".join(lines)


def _cancel(balancer: Balancer, width: int) -> list[str]:
    found = revert.revert(balancer.profile, balancer.ic, balancer.changes)
    if found.patch is None:
        causes = "; ".join(str(cause) for cause in found.refused)
        return _wrapped("cancel", f"No patch can: the API refuses what is in force ({causes}).", width)
    command = patch_command(balancer.name, found.patch, width - len(_margin()))
    margins = [_margin("cancel"), *[_margin()] * len(command)]
    return [
        *(f"{margin}{line}" for margin, line in zip(margins, command, strict=False)),
        *_wrapped("", "Writes into spec what is in force. Nothing is recreated.", width),
    ]


def patch_command(ic_name: str, patch: Mapping[str, Any], width: int) -> list[str]:
    """Broken where shell and JSON allow it, so that it can be read and still be copied as it stands."""
    compact, breakable = (json.dumps(patch, separators=marks) for marks in ((",", ":"), (",\0", ":\0")))
    head, merge, tail = str(revert.command(ic_name, patch)).replace(compact, breakable).partition(" --type=merge")
    lines = [f"{head} \\", ""]
    for piece in f"{merge.strip()}{tail}".split("\0"):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return lines


def _long(change: Change, text: str) -> str:
    items = _items(change, text)
    return (", ".join(items) if items is not None else text) or "none"


def _why(balancer: Balancer, change: Change) -> str:
    if change.field in _ON_SERVICE:
        return str(change.message)
    if change.field in (messages.SUBNETS, messages.EIPS) and not _items(change, change.want):
        return "The Service is annotated with them, the spec does not have them: edited by hand, or removed from spec."
    return (
        f"{balancer.infra.platform} fixes this when a load balancer is created, and the spec was edited later:"
        " the change waits for a new Service."
    )


def _margin(label: str = "") -> str:
    return f"  {label:<11}"


def _wrapped(label: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=_margin(label),
        subsequent_indent=_margin(),
        break_long_words=False,
        break_on_hyphens=False,
    )
