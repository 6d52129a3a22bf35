# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the options themselves, before any server is asked with them (CAPO-2, CORE-7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..bad_options import Options, bad_option, waiting
from ..model import Finding, Target
from .assembly import KIND
from .cidrs import version_of_address
from .labels import is_dns_name, name_rules
from .state import PORTS

_UID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")


def problems(options: Options) -> tuple[Finding, ...]:
    return (
        *name_rules(options["cluster"], options["namespace"], options.get("openstack_cluster") or ""),
        *waiting(options),
        *_seconds(options),
        *_endpoint(options),
        *_uids(options),
        *_zones(options),
        *_credentials(options),
    )


def target(options: Options) -> Target:
    return Target(KIND, options["cluster"], options["namespace"])


def _seconds(options: Options) -> Iterator[Finding]:
    value = options.get("api_timeout")
    if value is not None and value < 1:
        yield bad_option("api_timeout", f"{value} is less than 1.", "Give a whole number of seconds from 1 on.", value)


def _endpoint(options: Options) -> Iterator[Finding]:
    """Names and ports that can be in no DNS and on no listener, whatever the state."""
    host, port = options.get("endpoint_host"), options.get("endpoint_port")
    if host and version_of_address(host) is None and not is_dns_name(host):
        what = f"{host!r} is neither a name that can be in DNS nor an address."
        yield bad_option("endpoint_host", what, "Give the name of the control plane endpoint.", host)
    if port is not None and port not in PORTS:
        what = f"{port} is not between {PORTS[0]} and {PORTS[-1]}."
        yield bad_option("endpoint_port", what, "Give the API's port, or leave it out.", port)


def _uids(options: Options) -> Iterator[Finding]:
    """They say whose load balancers may be deleted: nothing in them stands for anything else."""
    for uid in options.get("former_uids") or ():
        if not _UID.fullmatch(uid):
            what = f"{uid!r} is no uid of an object."
            yield bad_option("former_uids", what, "Give metadata.uid as the OpenStackCluster had it.", uid)


def _zones(options: Options) -> Iterator[Finding]:
    for name in ("zone_aliases", "floating_ip_by_zone"):
        for key, value in (options.get(name) or {}).items():
            if not isinstance(value, str) or not value.strip() or not str(key).strip():
                yield bad_option(name, f"{key!r}: {value!r} is no pair of texts.", "Correct it.", str(key))


def _credentials(options: Options) -> Iterator[Finding]:
    """A password in an address would be logged and told with it."""
    cloud = options.get("cloud")
    given = {"auth": options.get("auth"), "cloud.auth": cloud.get("auth") if isinstance(cloud, dict) else None}
    for where, auth in given.items():
        if isinstance(auth, dict) and has_user(auth.get("auth_url")):
            what = "the address has a user or a password in it, which would be shown wherever the address is."
            yield bad_option(f"{where}.auth_url", what, "Give them as username and password.")


def has_user(address: object) -> bool:
    """Between the scheme and the path."""
    place = str(address or "").rpartition("://")[2]
    return "@" in re.split(r"[/?#\\]", place, maxsplit=1)[0]
