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
KEPT = "lb-estate.edgeworks.io/kept"  # label, by which all of a cluster are found
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


_PREFIX = "lb-estate-saved-"


def kept_name(service: str) -> str:
    return f"{_PREFIX}{service}"


def service_of(config: Json) -> str:
    """The name of the Service that a ConfigMap of ours is of."""
    return str(dig(config, "metadata", "name") or "").removeprefix(_PREFIX)


def record_of(config: Json) -> dict[str, str]:
    """What stands in a ConfigMap of ours beside the manifest."""
    return {key: str(value) for key, value in (dig(config, "data") or {}).items() if key != _MANIFEST}


def manifest_kept(observed: ObservedService) -> dict[str, Any]:
    """Of this very Service; Misshapen where the ConfigMap holds nothing that could bring it back."""
    return _manifest(observed.kept, observed.namespace, observed.name)


def _manifest(config: Json, namespace: str, name: str) -> dict[str, Any]:
    text = dig(config, "data", _MANIFEST)
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
    if place != (namespace, name):
        raise Misshapen(f"it holds Service {'/'.join(place)}")
    if not dig(manifest, "spec", "ports"):
        raise Misshapen("spec.ports: Required value")
    return manifest


def spoilt(config: Json, namespace: str, name: str, state: str = "which is gone") -> tuple[Finding, ...]:
    """A ConfigMap of our name that brings nothing back: somebody has to look, before it is thrown away or trusted."""
    try:
        _manifest(config, namespace, name)
    except Misshapen as problem:
        where = f"ConfigMap {namespace}/{kept_name(name)}"
        what = f"It is to bring back Service {namespace}/{name}, {state}, and cannot: {problem}."
        remedy = "Recreate the Service by hand or mend the manifest, then run again; or delete the ConfigMap."
        return (Finding("kept_manifest_spoilt", Severity.ERROR, where, what, remedy),)
    return ()


def spoilt_of(observed: ObservedService) -> tuple[Finding, ...]:
    gone = observed.service is None or observed.going
    state = "which is gone" if gone else "which has no load balancer"
    return spoilt(observed.kept, observed.namespace, observed.name, state)


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
    return (kept_first(observed), outage(observed), *brought_back(observed, body, why))


def outage(observed: ObservedService) -> Step:
    why = "the load balancer is deleted and a new one made: minutes of outage, new addresses"
    return deleted(observed, why, Disruption.OUTAGE)


def kept_first(observed: ObservedService, record: Mapping[str, str] | None = None) -> Step:
    """While the Service is still there: the way back is to forget it again."""
    back = _forget(observed, "the Service is still there; its kept manifest is not needed")
    return replace(keeping(observed, record), undo=(back,))


def deleted(observed: ObservedService, why: str, cost: Disruption) -> Step:
    """Of the live Service, whose manifest was just kept."""
    meta = observed.service["metadata"]
    return Step(
        "kube",
        "delete",
        "services",
        observed.name,
        observed.namespace,
        why=why,
        disruption=cost,
        uid=meta.get("uid", ""),
        # What is deleted is exactly what was kept: an edit in between must not be lost.
        resource_version=meta.get("resourceVersion", ""),
        point_of_no_return=True,
    )


def keeping(observed: ObservedService, record: Mapping[str, str] | None = None) -> Step:
    """The live Service's manifest into its ConfigMap. `record`: what else the next run has to know."""
    meta = observed.service["metadata"]
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": kept_name(observed.name),
            "namespace": observed.namespace,
            "labels": {KEPT: "service"},
        },
        "data": {**(record or {}), _MANIFEST: _text(observed), "uid": meta.get("uid", "")},
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


def _text(observed: ObservedService) -> str:
    return json.dumps(bare(observed.service), sort_keys=True)


def gone(observed: ObservedService) -> tuple[Step, ...]:
    """Where there is something to wait for."""
    uid = dig(observed.service, "metadata", "uid")
    return (_wait(observed, "the old load balancer is gone", Wait("gone", old_uid=uid)),) if uid else ()


def brought_back(observed: ObservedService, body: Json, why: str, between: tuple[Step, ...] = ()) -> tuple[Step, ...]:
    """From the deletion on. `between`: once the old one is gone."""
    create = Step("kube", "create", "services", observed.name, observed.namespace, body, why, undo=_back(observed))
    return (*gone(observed), *between, create, ready(observed))


def _back(observed: ObservedService) -> tuple[Step, ...]:
    """As it was: the new one goes, the old manifest comes; its addresses were gone with the old load balancer."""
    if observed.service is None:
        return ()
    place = (observed.name, observed.namespace)
    why = "back to the Service from before: minutes of outage, new addresses"
    first = Step("kube", "delete", "services", *place, why=why, disruption=Disruption.OUTAGE)
    return first, Step("kube", "create", "services", *place, bare(observed.service), "the Service as it was before")


def ready(observed: ObservedService) -> Step:
    return _wait(observed, "the load balancer has an address", Wait("ready"))


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
        ports = left["spec"].get("ports") or ()
        known = port is None or int(port[1]) < len(ports)
        place = ports[int(port[1])] if port and known else left["spec"]
        values = [place.pop(name) for name in names if known and name in place]
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
