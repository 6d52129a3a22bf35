# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses reserved beforehand: given, found by their name, or refused with what has to be reserved (API-2, API-8)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..data import Json, dig
from ..model import Finding, Severity
from ..platforms import AWS
from ..service import kept
from .clouds import AWS_PRIVATE, PRIVATE_SINCE, Cloud, cloud_of, known, reads_private_addresses
from .names import BY_ROLE, EXTERNAL, INTERNAL, MACHINE_CONFIG_SERVER, SLBS, Slb, reserved_name
from .state import DYNAMIC, FIXED, UNCHECKED, ObservedApi, Reserved, ReservedQuestion, WantedApi

EIP = re.compile(r"eipalloc-([0-9a-f]{8}|[0-9a-f]{17})")
_RACE = (
    "AWS reserves no private address for a load balancer: until it is made, anything else in the subnet may take it."
)


@dataclass(frozen=True)
class Resolved:
    """By role; a role that is not there keeps what its Service has."""

    by_role: Mapping[str, tuple[str, ...]]
    findings: tuple[Finding, ...] = ()


def version_of(address: str) -> int:
    """0 where it is no IP address."""
    try:
        return ipaddress.ip_address(address).version
    except ValueError:
        return 0


def resolve(wanted: WantedApi, observed: ObservedApi, roles: Sequence[str]) -> Resolved | ReservedQuestion:
    """Of the Services that are to be there."""
    question = _question(wanted, observed, roles)
    if question is not None and observed.reserved is None:
        return question
    found: dict[str, tuple[str, ...]] = {}
    remarks: list[Finding] = []
    for slb in (one for one in SLBS if one.role in roles):
        values = _values(slb, wanted, observed)
        remarks += _problems(slb, values, wanted, observed)
        if values:
            found[slb.role] = values
    return Resolved(found, tuple(remarks))


def given(slb: Slb, wanted: WantedApi, cloud: Cloud) -> tuple[str, ...]:
    """Where the two internal Services share an address, the second one is not given it twice."""
    own = tuple(wanted.addresses.get(slb.addresses) or ())
    shares = slb.role == MACHINE_CONFIG_SERVER and cloud.one_private_address
    return own or (tuple(wanted.addresses.get("private") or ()) if shares else ())


def _values(slb: Slb, wanted: WantedApi, observed: ObservedApi) -> tuple[str, ...]:
    values = given(slb, wanted, cloud_of(observed.platform))
    if observed.platform != AWS:
        return values
    if slb.internal:
        return () if wanted.aws_internal == DYNAMIC else values
    return values or (() if _is_there(slb, observed) else (observed.reserved or Reserved()).by_name)


def _is_there(slb: Slb, observed: ObservedApi) -> bool:
    """Then it keeps the addresses that it has, where the task says nothing."""
    return _service(slb, observed) is not None


def _service(slb: Slb, observed: ObservedApi) -> Json:
    """Or the manifest of one that a stopped run has deleted, and that is brought back."""
    seen = observed.services[slb.role]
    if seen.service is None and seen.deleted_by_us and not kept.spoilt_of(seen):
        return kept.manifest_kept(seen)
    return seen.service


def _question(wanted: WantedApi, observed: ObservedApi, roles: Sequence[str]) -> ReservedQuestion | None:
    """Where Elastic IPs have to be looked for, or their addresses are to be told for DNS."""
    external = BY_ROLE[EXTERNAL]
    if observed.platform != AWS or EXTERNAL not in roles or observed.aws_skipped:
        return None
    ids = given(external, wanted, cloud_of(AWS)) or _live_eips(external, observed)
    if wanted.handover is None and (ids or _is_there(external, observed)):
        return None
    return ReservedQuestion(observed.infra, reserved_name(observed.config.infra_id, False, 4), ids)


def _live_eips(slb: Slb, observed: ObservedApi) -> tuple[str, ...]:
    text = (dig(_service(slb, observed), "metadata", "annotations") or {}).get(cloud_of(AWS).public_key, "")
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _problems(slb: Slb, values: Sequence[str], wanted: WantedApi, observed: ObservedApi) -> Iterator[Finding]:
    cloud = cloud_of(observed.platform)
    yield from _unusable(slb, values, cloud)
    if observed.platform == AWS and slb.internal:
        yield from _private_on_aws(slb, values, wanted, observed)
    elif not values and known(observed.platform) and not _is_there(slb, observed):
        yield _needed(slb, observed)


def _needed(slb: Slb, observed: ObservedApi) -> Finding:
    cloud, found = cloud_of(observed.platform), observed.reserved
    names = [reserved_name(observed.config.infra_id, slb.internal, family) for family in _families(cloud, observed)]
    what = f"No address is given for {slb.name}, and none was found: it has to be reserved before, as {names[0]}."
    if found is not None and found.why_not:
        what = f"No address is given for {slb.name}, and AWS could not be asked for {names[0]}: {found.why_not}"
    look_up = cloud.look_up.format(names[0])
    where = f"addresses.{'private' if slb.internal else 'public'}"
    return Finding("address_needed", Severity.ERROR, where, what, f"Reserve it, and give it: {look_up}", names)


def _families(cloud: Cloud, observed: ObservedApi) -> tuple[int, ...]:
    served = (4, 6) if cloud.ipv6_key else (4,)
    return tuple(family for family in observed.config.families if family in served) or (4,)


def _unusable(slb: Slb, values: Sequence[str], cloud: Cloud) -> Iterator[Finding]:
    """The option's form was looked at before anything was asked; here is what the platform adds."""
    elastic = cloud.name == AWS and not slb.internal
    for value in values:
        if elastic and not EIP.fullmatch(value):
            what = f"{value!r} is no Elastic IP's allocation id, which a public load balancer on AWS takes."
            yield _bad(slb, value, what, "Give ids such as eipalloc-0123456789abcdef0, one per subnet.")
        elif not elastic and not version_of(value):
            yield _bad(slb, value, f"{value!r} is no IP address, which {cloud.name} takes.", "Give the address itself.")
    versions = [version_of(value) for value in values]
    if cloud.name == AWS:
        if slb.internal and 6 in versions:
            what = f"{AWS_PRIVATE} takes IPv4 addresses only."
            yield _bad(slb, ", ".join(values), what, "Give one IPv4 address per subnet.")
        return
    most = {4: 1, 6: 1 if cloud.ipv6_key or not known(cloud.name) else 0}
    for version, limit in most.items():
        if versions.count(version) > limit:
            what = f"{cloud.name} takes {limit or 'no'} IPv{version} address{'' if limit else 'es'} for {slb.name}."
            yield _bad(slb, ", ".join(values), what, f"Give {limit or 'no'} address of this family.")


def _bad(slb: Slb, value: str, what: str, remedy: str) -> Finding:
    return Finding("address_unusable", Severity.ERROR, f"addresses.{slb.addresses}", what, remedy, value)


def _private_on_aws(slb: Slb, values: Sequence[str], wanted: WantedApi, observed: ObservedApi) -> Iterator[Finding]:
    """API-2: what cannot be reserved is refused unless told otherwise."""
    where = f"addresses.{slb.addresses}"
    if wanted.aws_internal == DYNAMIC:
        return
    if not values:
        if not _is_there(slb, observed):
            what = f"{slb.name} has no fixed addresses, so no DNS record can be made for it beforehand. {_RACE}"
            remedy = "Give one free IPv4 address per subnet, or say aws_internal_addresses: dynamic."
            yield Finding("address_unreserved", Severity.ERROR, where, what, remedy)
        return
    able = reads_private_addresses(observed.version)
    if wanted.aws_internal == FIXED and not able:
        since = ".".join(map(str, PRIVATE_SINCE))
        which = f"the one of OpenShift {observed.version}" if able is not None else "this one, of no known version,"
        what = f"The cloud controller reads {AWS_PRIVATE} from OpenShift {since} on; {which} would pass over it."
        remedy = f"Upgrade first, or say aws_internal_addresses: {DYNAMIC}, or {UNCHECKED} if you know that it does."
        yield Finding("private_addresses_unread", Severity.ERROR, where, what, remedy, list(values))
    elif observed.service(slb) is None:
        remedy = "See that nothing else takes them until the load balancer is made."
        yield Finding("address_race", Severity.WARNING, where, _RACE, remedy, list(values))


def needed(observed: ObservedApi, roles: Sequence[str]) -> list[dict[str, Any]]:
    """What has to be reserved, by the names of the convention (API-8)."""
    cloud, found = cloud_of(observed.platform), list[dict[str, Any]]()
    internal = [role for role in (INTERNAL, MACHINE_CONFIG_SERVER) if role in roles]
    groups = [[EXTERNAL]] if EXTERNAL in roles else []
    groups += [internal] if cloud.one_private_address and internal else [[role] for role in internal]
    for group in groups:
        for family in _families(cloud, observed):
            found.append(
                {
                    "name": reserved_name(observed.config.infra_id, group != [EXTERNAL], family),
                    "family": f"ipv{family}",
                    "for": group,
                    "count": "one per subnet" if observed.platform == AWS else "one",
                    "purpose": cloud.purpose if len(group) > 1 else "",
                }
            )
    return found
