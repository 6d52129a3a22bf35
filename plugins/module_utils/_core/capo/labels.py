# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, tags and hosts as Kubernetes, Octavia and DNS take them: what they would refuse is refused before (CAPO-2).

Octavia takes 255 characters for a name and for a tag. A tag it already has, or one with a comma, makes it fail or
makes the tag impossible to look for. A zone's label becomes a part of all of these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from typing import TypeVar

from ..model import Finding, Severity
from .cidrs import version_of_address
from .names import NAME_LIMIT, Identity, is_mark, port_name, retiring_name
from .state import CapoDesired

_T = TypeVar("_T", bound=Hashable)
_KUBERNETES = re.compile(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")
_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_ZONE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_DNS = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
# Lanes of steps that are no zone's.
SHORTEST_REASON = 3
RESERVED = ("single", "legacy", "record", "floating-ips")


def error(code: str, where: str, what: str, remedy: str, value: object = None) -> Finding:
    return Finding(code, Severity.ERROR, where, what, remedy, value)


def duplicates(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(value for value, count in Counter(values).items() if count > 1)


def is_dns_name(host: str) -> bool:
    """A name that could be in DNS: labels of letters, digits and hyphens, the last one not a number."""
    labels = host.removesuffix(".").split(".")
    return len(host) <= 253 and all(map(_DNS.fullmatch, labels)) and not labels[-1].isdigit()


def cluster_rules(desired: CapoDesired) -> Iterator[Finding]:
    """The names of every load balancer begin with these two, so they hold whatever is asked for."""
    return name_rules(desired.cluster, desired.namespace)


def name_rules(cluster: str, namespace: str, openstack_cluster: str = "") -> Iterator[Finding]:
    """`openstack_cluster`: "" where the Cluster says it."""
    for where, value, pattern in (
        ("cluster", cluster, _KUBERNETES),
        ("namespace", namespace, _NAMESPACE),
        ("openstack_cluster", openstack_cluster or cluster, _KUBERNETES),
    ):
        if not pattern.fullmatch(value) and (where != "openstack_cluster" or openstack_cluster):
            what = f"{value!r} is no name that Kubernetes takes: lower-case letters, digits and hyphens, 63 at most."
            yield error("name_invalid", where, what, "Give the name of the object in the management cluster.", value)


def tag_rules(desired: CapoDesired) -> Iterator[Finding]:
    for tag in desired.tags:
        if not tag.strip() or len(tag) > NAME_LIMIT or "," in tag or not tag.isprintable():
            what = f"{tag!r} is no tag that Octavia takes: 1 to {NAME_LIMIT} characters, no comma, no line break."
            yield error("tag_invalid", "tags", what, "Correct it.", tag)
        elif is_mark(tag):
            what = f"{tag!r} looks like a mark that says whose load balancer it is."
            yield error("tag_invalid", "tags", what, "Use another tag; marks are set by themselves.", tag)
    for tag in duplicates(desired.tags):
        yield error("tag_invalid", "tags", f"{tag!r} is listed more than once.", "List it once.", tag)


def reason_rules(desired: CapoDesired) -> Iterator[Finding]:
    """A reason is a person's word to those who read the events later: spaces are none."""
    for name, text in desired.reasons.items():
        if len(text.strip()) < SHORTEST_REASON:
            what = f"{text!r} is no reason that anybody could read later."
            yield error("reason_missing", name, what, "Say in a few words why, for those who come after you.", text)


def zone_rules(desired: CapoDesired, identity: Identity) -> Iterator[Finding]:
    """`identity`: with all that marks say, which are as limited as names."""
    for index, entry in enumerate(desired.zones):
        if not entry.zone:
            yield error("zone_required", f"zones[{index}]", "the availability zone has no name.", "Name it.")
        elif not _ZONE.fullmatch(entry.zone):
            what = f"{entry.zone!r} cannot be a part of names: letters, digits, dots, underscores and hyphens can."
            remedy = "Give the zone a label, and Octavia's own name of it as octavia_zone."
            yield error("zone_invalid", f"zones[{index}]", what, remedy, entry.zone)
        elif entry.zone in RESERVED:
            what = f"{entry.zone!r} has a meaning of its own in plans: {', '.join(RESERVED)} are no zones."
            remedy = "Give the zone another label, and Octavia's own name of it as octavia_zone."
            yield error("zone_invalid", f"zones[{index}]", what, remedy, entry.zone)
        texts = (retiring_name(port_name(identity.zone(entry.zone), 65535)), identity.description(entry.zone))
        length = max(map(len, texts))
        if length > NAME_LIMIT:
            what = f"names and marks of zone {entry.zone} come to {length} characters; Octavia takes {NAME_LIMIT}."
            where = f"zones[{entry.zone}]"
            yield error("name_too_long", where, what, "Use a shorter zone or cluster name.", entry.zone)
    for zone in duplicates(desired.zone_names):
        yield error(
            "duplicate_az",
            "zones",
            f'duplicate availability zone "{zone}" in availabilityZoneSubnets.',
            "Give each zone one entry.",
            zone,
        )


def endpoint_rules(host: str) -> Iterator[Finding]:
    where = "endpoint_host"
    if not host:
        yield error(
            "endpoint_host_required",
            where,
            "several load balancers need a DNS name as control plane endpoint, and no host is set.",
            "Set it to the name that will have one record per zone.",
        )
    elif version_of_address(host) is not None or not is_dns_name(host):
        yield error(
            "endpoint_host_must_be_dns",
            where,
            f"{host} is not a DNS name; one address cannot stand for several load balancers.",
            "Set a DNS name. A cluster whose own endpoint is an IP gets legacy: keep with an additional name.",
            host,
        )
