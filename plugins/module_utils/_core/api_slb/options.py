# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the options of api_slb themselves: all of it at once, before any server is asked (CORE-7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..ingress.options import common
from ..model import Finding, Severity
from .addresses import EIP, version_of
from .copies import problems as copy_problems
from .paths import with_port
from .state import ABSENT, PRESENT, RENDERED

Options = Mapping[str, Any]
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_ZONE = re.compile(r"[A-Z0-9]{1,32}")
_AT = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s/:\[\]]+):(\d{1,5})")


def problems(options: Options) -> tuple[Finding, ...]:
    return (
        *_addresses(options),
        *_subnets(options),
        *_labels(options),
        *_paths(options),
        *_handover(options),
        *_copy(options),
        *_contradictions(options),
        *common(options),
    )


def _addresses(options: Options) -> Iterator[Finding]:
    for key, values in (options.get("addresses") or {}).items():
        yield from _twice(f"addresses.{key}", values or ())
        for number, value in enumerate(values or ()):
            where = f"addresses.{key}[{number}]"
            if not version_of(value) and not (key == "public" and EIP.fullmatch(value)):
                more = " and no Elastic IP's allocation id" if key == "public" else ""
                yield _error(where, f"{value!r} is no IP address{more}.", "Give an address that was reserved.", value)


def _twice(where: str, values: Sequence[str]) -> Iterator[Finding]:
    for value in dict.fromkeys(value for value in values if list(values).count(value) > 1):
        yield _error(where, f"{value!r} is listed twice.", "Give each once.", value)


def _subnets(options: Options) -> Iterator[Finding]:
    for key, values in (options.get("subnets") or {}).items():
        yield from _twice(f"subnets.{key}", values or ())
        for number, value in enumerate(values or ()):
            if not value.strip() or "," in value:
                what = f"{value!r} is empty." if not value.strip() else f"{value!r} has a comma in it."
                yield _error(f"subnets.{key}[{number}]", what, "Give a subnet's id or the name in its Name tag.", value)


def _labels(options: Options) -> Iterator[Finding]:
    for option in ("annotations", "selectors"):
        for role, given in (options.get(option) or {}).items():
            for key, value in (given or {}).items():
                where, (prefix, _sign, name) = f"{option}.{role}", str(key).rpartition("/")
                if not _NAME.fullmatch(name) or (prefix and not _DOMAIN.fullmatch(prefix)):
                    yield _error(where, f"{key!r} is no key that Kubernetes takes.", "Write it as prefix/name.", key)
                if not isinstance(value, str):
                    what = f"{key} has the value {value!r}, which is no text."
                    yield _error(where, what, "Put it into quotes.", str(value))


def _paths(options: Options) -> Iterator[Finding]:
    for option in ("other_paths", "vouched_paths"):
        for number, value in enumerate(options[option]):
            match = _AT.fullmatch(with_port(value)) if value.strip() else None
            if match is None or not 0 < int(match[2]) < 65536:
                what = f"{value!r} is no host, and no host with a port."
                yield _error(f"{option}[{number}]", what, "Write it as host or host:port.", value)


def _handover(options: Options) -> Iterator[Finding]:
    given = options.get("handover")
    if not given:
        return
    for number, value in enumerate(given.get("bootstrap_addresses") or ()):
        if not version_of(value):
            where = f"handover.bootstrap_addresses[{number}]"
            yield _error(where, f"{value!r} is no IP address.", "Give the bootstrap host's private address.", value)
    domain = given.get("domain") or ""
    if domain and not _DOMAIN.fullmatch(domain):
        what = f"{domain!r} is no domain."
        yield _error("handover.domain", what, "Give the cluster's domain, such as prod.example.com.", domain)
    for key in ("public_zone", "private_zone"):
        zone = given.get(key) or ""
        if zone and not _ZONE.fullmatch(zone):
            yield _error(
                f"handover.{key}", f"{zone!r} is no id of a hosted zone.", "Give one such as Z0123456789.", zone
            )
    if given["ttl"] < 1:
        yield _error("handover.ttl", f"{given['ttl']} is less than 1.", "Give seconds from 1 on.", given["ttl"])


def _copy(options: Options) -> Iterator[Finding]:
    copy = options.get("objects")
    if copy is None:
        return
    for text in copy_problems(copy):
        yield _error("objects", f"It is no copy that this module has returned: {text}.", "Give one, whole.")
    if options["state"] != RENDERED:
        what = f"A copy of objects stands for a cluster only where nothing is written, and state is {options['state']}."
        yield _error("objects", what, f"Say state: {RENDERED}, or leave objects out.")


def _contradictions(options: Options) -> Iterator[Finding]:
    if options["state"] != ABSENT:
        return
    if options.get("public"):
        yield _error("public", "public: true contradicts state: absent.", f"Say state: {PRESENT}, or leave public out.")
    if options.get("handover"):
        what = "A stage of the hand-over needs the load balancers that state: absent takes away."
        yield _error("handover", what, "Leave one of them out.")


def _error(where: str, what: str, remedy: str, value: Any = None) -> Finding:
    return Finding("bad_option", Severity.ERROR, where, what, remedy, value)
