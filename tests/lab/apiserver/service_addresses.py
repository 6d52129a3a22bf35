# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses, networks and IP families in a Service, with the API server's texts."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Container

from .api import Cause, Obj
from .errors import duplicate, invalid_value, not_supported, required
from .service_fields import NO_ADDRESS, has_addresses

_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_POLICIES = ("SingleStack", "PreferDualStack", "RequireDualStack")
_LEADING_ZEROS = re.compile(r"\b0+(?=\d)")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def without_zeros(value: str) -> str:
    """Older servers ignored leading zeros in the parts of an IPv4 address, and read them as decimal."""
    return value if ":" in value else _LEADING_ZEROS.sub("", value)


def parsed_ip(value: str) -> Address | None:
    try:
        found = ipaddress.ip_address(without_zeros(value))
    except ValueError:
        return None
    return None if "%" in value else found


def family_of(value: str) -> str:
    return "IPv6" if ":" in value else "IPv4"


def ip_causes(field: str, value: str, strict: bool, known: Container[str] = ()) -> list[Cause]:
    """`known`: values of the old object, which stay as they are whatever the rules are now."""
    if value in known:
        return []
    found = parsed_ip(value)
    if found is None:
        return [invalid_value(field, value, _IP)]
    if strict and without_zeros(value) != value:
        return [invalid_value(field, value, "must not have leading 0s")]
    if strict and getattr(found, "ipv4_mapped", None):
        return [invalid_value(field, value, "must not be an IPv4-mapped IPv6 address")]
    return []


def cidr_causes(field: str, value: str, strict: bool, known: Container[str] = ()) -> list[Cause]:
    if value in known:
        return []
    address, slash, prefix = value.partition("/")
    found = parsed_ip(address)
    try:
        if found is None or not slash or not re.fullmatch(r"[0-9]+", prefix):
            raise ValueError(value)
        network = ipaddress.ip_network(f"{found}/{int(prefix)}", strict=False)
    except ValueError:
        return [invalid_value(field, value, _CIDR)]
    if strict and (without_zeros(address) != address or str(int(prefix)) != prefix):
        return [invalid_value(field, value, "must not have leading 0s in IP or prefix length")]
    if strict and getattr(found, "ipv4_mapped", None):
        return [invalid_value(field, value, "must not have an IPv4-mapped IPv6 address")]
    if strict and network.network_address != found:
        return [invalid_value(field, value, "must not have bits set beyond the prefix length")]
    return []


def related_causes(before: Obj | None, spec: Obj, strict: bool) -> list[Cause]:
    """clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy have to fit each other."""
    if not has_addresses(spec):
        return []
    causes = _in_step(spec)
    for index, family in enumerate(spec.get("ipFamilies", ())):
        where = f"spec.ipFamilies[{index}]"
        if family not in ("IPv4", "IPv6"):
            causes.append(not_supported(where, family, ("IPv4", "IPv6")))
        if family in spec["ipFamilies"][:index]:
            causes.append(duplicate(where, family))
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in _POLICIES:
        causes.append(not_supported("spec.ipFamilyPolicy", policy, _POLICIES))
    wrong = _wrong_addresses(before, spec, strict)
    if len(spec.get("clusterIPs", ())) > 2:
        wrong.append(invalid_value("spec.clusterIPs", spec["clusterIPs"], "may only hold up to 2 values"))
    causes += wrong
    return causes if any(cause["field"] != "spec.clusterIPs" for cause in wrong) else causes + _mixed(spec)


def _in_step(spec: Obj) -> list[Cause]:
    field, one, all_of_them = "spec.clusterIPs", spec.get("clusterIP", ""), spec.get("clusterIPs", [])
    if one and not all_of_them:
        return [required(field)]
    if one and all_of_them[0] != one:
        return [invalid_value(field, all_of_them, "first value must match `clusterIP`")]
    if not one and all_of_them:
        return [invalid_value(field, all_of_them, "must be empty when `clusterIP` is not specified")]
    return []


def _wrong_addresses(before: Obj | None, spec: Obj, strict: bool) -> list[Cause]:
    causes: list[Cause] = []
    addresses = spec.get("clusterIPs", [])
    known = (before or {}).get("clusterIPs", [])
    for index, address in enumerate(addresses):
        if index == 0 and address == NO_ADDRESS:
            if len(addresses) > 1:
                causes.append(invalid_value("spec.clusterIPs", addresses, "'None' must be the first and only value"))
            continue
        causes += ip_causes(f"spec.clusterIPs[{index}]", address, strict, known)
    return causes


def _mixed(spec: Obj) -> list[Cause]:
    """One address of each family at most, and each of the family its place asks for."""
    addresses = spec.get("clusterIPs", [])
    if NO_ADDRESS in addresses:
        return []
    causes: list[Cause] = []
    families = [family_of(address) for address in addresses]
    if len(families) > 1 and sorted(families) != ["IPv4", "IPv6"]:
        why = "may specify no more than one IP for each IP family"
        causes.append(invalid_value("spec.clusterIPs", addresses, why))
    for index, (family, wanted) in enumerate(zip(families, spec.get("ipFamilies", ()), strict=False)):
        if family != wanted and wanted in ("IPv4", "IPv6"):
            why = f"expected an {wanted} value as indicated by `ipFamilies[{index}]`"
            causes.append(invalid_value(f"spec.clusterIPs[{index}]", addresses[index], why))
    return causes
