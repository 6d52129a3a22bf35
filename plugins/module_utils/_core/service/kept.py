# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Service that nobody recreates: its manifest is kept before it is deleted, and brings it back (SCO-7, CLS-3).

Nothing is ever lost: the manifest stays in a ConfigMap until the new Service serves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..data import Json, dig, plain
from ..model import Disruption, Finding, Severity, Step, Wait
from ..shape import Misshapen, sane
from ..waits import addresses
from .state import ObservedService

_MANIFEST = "manifest.json"
_SERVER_SET = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "managedFields",
    "selfLink",
    "finalizers",
)
# What a server says of a value that it cannot give; the last two where its ranges are others than before.
_NOT_TO_BE_HAD = ("already allocated", "not in the valid range", "does not match the current range")
_PORT = re.compile(r"spec\.ports\[(\d+)\]\.nodePort")
_FIELDS = {"spec.clusterIPs": ("clusterIP", "clusterIPs"), "spec.healthCheckNodePort": ("healthCheckNodePort",)}


def kept_name(service: str) -> str:
    return f"lb-estate-saved-{service}"


def manifest_kept(observed: ObservedService) -> dict[str, Any]:
    """Of this very Service; Misshapen where the ConfigMap holds nothing that could bring it back."""
    text = dig(observed.kept, "data", _MANIFEST)
    if not text:
        raise Misshapen(f"data has no {_MANIFEST}")
    try:
        manifest = sane("services", json.loads(text))
    except RecursionError:
        raise Misshapen("it is nested too deeply") from None
    except Misshapen:
        raise
    except ValueError as problem:
        raise Misshapen(f"{_MANIFEST} is no JSON ({problem})") from None
    place = manifest["metadata"]["namespace"], manifest["metadata"]["name"]
    if place != (observed.namespace, observed.name):
        raise Misshapen(f"it holds Service {'/'.join(place)}")
    if not dig(manifest, "spec", "ports"):
        raise Misshapen("spec.ports: Required value")
    return manifest


def spoilt(observed: ObservedService) -> tuple[Finding, ...]:
    """A ConfigMap of our name that brings nothing back: somebody has to look, before it is thrown away or trusted."""
    try:
        manifest_kept(observed)
    except Misshapen as problem:
        where = f"ConfigMap {observed.namespace}/{kept_name(observed.name)}"
        what = (
            f"It is to bring back Service {observed.namespace}/{observed.name}, which is gone, and cannot: {problem}."
        )
        remedy = "Recreate the Service by hand or mend the manifest, then run again; or delete the ConfigMap."
        return (Finding("kept_manifest_spoilt", Severity.ERROR, where, what, remedy),)
    return ()


def bare(service: Json) -> dict[str, Any]:
    """The manifest without what the server sets; ports and cluster IP are kept, in-cluster users rely on them."""
    manifest: dict[str, Any] = plain(service)
    manifest.pop("status", None)
    manifest.setdefault("apiVersion", "v1")
    manifest.setdefault("kind", "Service")
    for key in _SERVER_SET:
        manifest["metadata"].pop(key, None)
    return manifest


def replaced(observed: ObservedService, body: Json, why: str) -> tuple[Step, ...]:
    """The live Service goes and `body` comes in its place. Everything that was kept is told to whoever finds it."""
    meta = observed.service["metadata"]
    keep = replace(
        keeping(observed), undo=(_forget(observed, "the Service is still there; its kept manifest is not needed"),)
    )
    delete = Step(
        "kube",
        "delete",
        "services",
        observed.name,
        observed.namespace,
        why="the load balancer is deleted and a new one made: minutes of outage, new addresses",
        disruption=Disruption.OUTAGE,
        uid=meta.get("uid", ""),
        # What is deleted is exactly what was kept: an edit in between must not be lost.
        resource_version=meta.get("resourceVersion", ""),
        point_of_no_return=True,
    )
    return (keep, delete, *brought_back(observed, body, why))


def keeping(observed: ObservedService) -> Step:
    """The live Service's manifest into its ConfigMap."""
    meta = observed.service["metadata"]
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": kept_name(observed.name), "namespace": observed.namespace},
        "data": {_MANIFEST: json.dumps(bare(observed.service), sort_keys=True), "uid": meta.get("uid", "")},
    }
    return Step(
        "kube",
        "create" if observed.kept is None else "replace",
        "configmaps",
        kept_name(observed.name),
        observed.namespace,
        config,
        "the manifest is kept before the Service is deleted, so that a stopped run loses nothing",
    )


def brought_back(observed: ObservedService, body: Json, why: str) -> tuple[Step, ...]:
    """From the deletion on."""
    uid = dig(observed.service, "metadata", "uid")
    gone = (_wait(observed, "the old load balancer is gone", Wait("gone", old_uid=uid)),) if uid else ()
    create = Step("kube", "create", "services", observed.name, observed.namespace, body, why)
    ready = _wait(observed, "the load balancer has an address", Wait("ready"))
    return (*gone, create, ready, *forgotten(observed))


def readdressed(observed: ObservedService) -> Step:
    old = tuple(addresses(observed.service))
    return _wait(observed, "the load balancer has its new address", Wait("readdressed", old_addresses=old))


def forgotten(observed: ObservedService) -> tuple[Step, ...]:
    return (_forget(observed, "the new Service serves; its kept manifest is no longer needed"),)


def _forget(observed: ObservedService, why: str) -> Step:
    return Step("kube", "delete", "configmaps", kept_name(observed.name), observed.namespace, why=why)


def _wait(observed: ObservedService, why: str, wait_for: Wait) -> Step:
    return Step("kube", "wait", "services", observed.name, observed.namespace, why=why, wait_for=wait_for)


def without_taken(body: Json, causes: Sequence[Mapping[str, str]]) -> tuple[dict[str, Any], list[str]] | None:
    """The manifest without the addresses and ports that somebody else got meanwhile, and what those were.

    None where that is not all that stands in the way.
    """
    left: dict[str, Any] = plain(body)
    lost = []
    for cause in causes:
        field, port = cause["field"], _PORT.fullmatch(cause["field"])
        names = ("nodePort",) if port else _FIELDS.get(field, ())
        place = left["spec"]["ports"][int(port[1])] if port else left["spec"]
        values = [place.pop(name) for name in names if name in place]
        if not values or not any(text in cause["message"] for text in _NOT_TO_BE_HAD):
            return None
        lost.append(f"{field} {values[0]}")
    return (left, lost) if causes else None


def taken(observed: ObservedService) -> tuple[Finding, ...]:
    if not observed.taken:
        return ()
    what = f"{', '.join(observed.taken)} could not be had again: another Service got them while this one was gone."
    where, remedy = str(observed.target), "It has new ones now; tell whoever relied on the old."
    return (Finding("allocation_taken", Severity.WARNING, where, what, remedy, list(observed.taken)),)
