# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Never the last working path: what else leads to the API is connected to before a load balancer goes (API-7)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..data import Json
from ..model import Finding, Severity
from ..waits import addresses
from .names import API_PORT, Slb
from .state import PathSeen

CONNECTED, REFUSED, SILENT, UNRESOLVED = "connected", "refused", "silent", "unresolved"
_UNREACHED = (SILENT, UNRESOLVED)
_WORDS = {CONNECTED: "answers", REFUSED: "refuses", SILENT: "does not answer from here", UNRESOLVED: "has no address"}


@dataclass(frozen=True)
class Path:
    """`name`: what a person calls it, to vouch for it."""

    name: str
    at: str  # host:port


def path_of(text: str) -> Path:
    return Path(text, with_port(text))


def with_port(text: str, port: int = API_PORT) -> str:
    """host, host:port, [address]:port, or an address of either family."""
    host, sign, tail = text.rpartition(":")
    if text.startswith("["):
        return text if not text.endswith("]") else f"{text}:{port}"
    if sign and ":" not in host and tail.isdecimal():
        return text
    return f"[{text}]:{port}" if ":" in text else f"{text}:{port}"


def is_loopback(at: str) -> bool:
    """A tunnel may lead anywhere, through the very load balancer that is to go, too."""
    host = host_of(at)
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def host_of(at: str) -> str:
    return at.rpartition(":")[0].strip("[]")


def of_service(slb: Slb, service: Json) -> tuple[Path, ...]:
    return tuple(Path(slb.name, with_port(address, slb.port)) for address in addresses(service))


def candidates(staying: Mapping[Slb, Json], others: Sequence[str], own: str) -> tuple[Path, ...]:
    """The Services that stay and are ready, what the task names, and the connection of this very run."""
    found = [path for slb, service in staying.items() if slb.serves_api for path in of_service(slb, service)]
    found += [path_of(text) for text in others]
    if own and not is_loopback(own):
        found.append(Path("the connection of this run", own))
    return tuple({path.at: path for path in reversed(found)}.values())[::-1]


def leads_on(path: Path, seen: Mapping[str, PathSeen], gone: Iterable[Path]) -> bool:
    """Does it lead elsewhere than to what goes? A name may hide the same load balancer."""
    away = {peer for one in gone for peer in (host_of(one.at), *(seen[one.at].peers if one.at in seen else ()))}
    here = {host_of(path.at), *seen[path.at].peers}
    return not here & away


def last_path(
    slb: Slb,
    tried: Sequence[Path],
    gone: Sequence[Path],
    seen: Mapping[str, PathSeen],
    vouched: Sequence[str],
    thing: str = "",
) -> Finding | None:
    """None where another path was connected to, or cannot be reached from here and somebody vouches for it by name."""
    elsewhere = [path for path in tried if leads_on(path, seen, gone)]
    for path in elsewhere:
        state = seen[path.at].state
        if state == CONNECTED or (state in _UNREACHED and {path.name, path.at} & set(vouched)):
            return None
    told = [f"{path.name} ({path.at}) {_WORDS[seen[path.at].state]}" for path in elsewhere]
    told += [f"{path.name} ({path.at}) is the same load balancer" for path in tried if path not in elsewhere]
    what = (
        f"Without {thing or slb.name} no path to the API is known to work. "
        + ("; ".join(told) or "There is no other")
        + "."
    )
    remedy = (
        "Name one that can be tried from here in other_paths, or, for one that works and cannot be reached from here, "
        "its name in vouched_paths."
    )
    return Finding("last_path", Severity.ERROR, str(slb), what, remedy, [path.at for path in tried])
