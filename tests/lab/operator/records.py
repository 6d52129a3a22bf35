# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator's DNS half: keeps the wildcard DNSRecord of an IngressController and publishes it to the zones."""

from __future__ import annotations

from typing import Protocol

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import OPERATOR_NAMESPACE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.status import Condition, condition

from ..apiserver.api import Api, Obj
from .config import DNSRECORDS, found
from .objects import RECORD_FINALIZER, record, record_name

_UNMANAGED = "DNS record is currently not being managed by the operator"


class ProviderError(Exception):
    """The DNS service said no."""


class Provider(Protocol):
    """A DNS service with hosted zones."""

    def publish(self, zone_id: str, record: Obj) -> None: ...

    def remove(self, zone_id: str, record: Obj) -> None: ...


class NoProvider:
    """Zones of a cloud that has no server behind it here: what is to be published counts as published."""

    def publish(self, zone_id: str, record: Obj) -> None: ...

    def remove(self, zone_id: str, record: Obj) -> None: ...


class Records:
    """DNSRecords of one cluster."""

    def __init__(self, api: Api, provider: Provider | None = None) -> None:
        self._api = api
        self.provider: Provider = provider or NoProvider()

    def ensure(self, ic: Obj, service: Obj | None, zones: tuple[Obj, ...]) -> Obj | None:
        """The record as it stands afterwards. While a new load balancer has no address the old record stays."""
        wanted = record(ic, service)
        current = self.current(ic["metadata"]["name"])
        if current is not None and current["metadata"].get("deletionTimestamp"):
            self._let_go(current)
            current = None
        elif wanted is not None and current is None:
            current = self._api.create(DNSRECORDS, OPERATOR_NAMESPACE, wanted)
        elif wanted is not None and current is not None and current["spec"] != wanted["spec"]:
            name = current["metadata"]["name"]
            current = self._api.replace(DNSRECORDS, OPERATOR_NAMESPACE, name, {**current, "spec": wanted["spec"]})
        return self._published(current, zones) if current is not None else None

    def current(self, ic_name: str) -> Obj | None:
        return found(self._api, DNSRECORDS, OPERATOR_NAMESPACE, record_name(ic_name))

    def delete(self, ic_name: str) -> bool:
        """Is it gone, from the cluster and from the zones?"""
        current = self.current(ic_name)
        if current is None:
            return True
        if not current["metadata"].get("deletionTimestamp"):
            self._api.delete(DNSRECORDS, OPERATOR_NAMESPACE, current["metadata"]["name"])
            current = self.current(ic_name)
        if current is not None:
            self._let_go(current)
        return self.current(ic_name) is None

    def _let_go(self, gone: Obj) -> None:
        """A record on its way out leaves the zones it was published to before it leaves the cluster."""
        for zone in dig(gone, "status", "zones") or ():
            if _status_in(gone, zone["dnsZone"]) == "True":
                self.provider.remove(zone["dnsZone"].get("id", ""), gone)
        meta = gone["metadata"]
        left = [name for name in meta.get("finalizers") or () if name != RECORD_FINALIZER]
        change = {"finalizers": left or None, "resourceVersion": meta["resourceVersion"]}
        self._api.patch(DNSRECORDS, OPERATOR_NAMESPACE, meta["name"], {"metadata": change})

    def _published(self, current: Obj, zones: tuple[Obj, ...]) -> Obj:
        generation = current["metadata"].get("generation", 0)
        fresh = generation == dig(current, "status", "observedGeneration")
        statuses = [{"dnsZone": zone, "conditions": [self._publish(current, zone, fresh)]} for zone in zones]
        status = {"observedGeneration": generation, "zones": statuses}
        if (current.get("status") or {}) == status:
            return current
        name = current["metadata"]["name"]
        return self._api.replace(
            DNSRECORDS, OPERATOR_NAMESPACE, name, {**current, "status": status}, subresource="status"
        )

    def _publish(self, current: Obj, zone: Obj, fresh: bool) -> Condition:
        """Only what changed or failed before is published; a zone that holds the record is asked nothing."""
        was_there = _status_in(current, zone) == "True"
        if fresh and was_there:
            return _condition_in(current, zone)
        if current["spec"]["dnsManagementPolicy"] == "Unmanaged":
            return condition("Published", "Unknown", "UnmanagedDNS", _UNMANAGED)
        verb, doing = ("replace", "replacing") if was_there else ("ensure", "ensuring")
        try:
            self.provider.publish(zone.get("id", ""), current)
        except ProviderError as error:
            text = f"The DNS provider failed to {verb} the record: {error}"
            return condition("Published", "False", "ProviderError", text)
        text = f"The DNS provider succeeded in {doing} the record"
        return condition("Published", "True", "ProviderSuccess", text)


def failed(current: Obj | None) -> bool:
    """Does a zone still lack the record, so that it has to be tried again?"""
    zones = dig(current, "status", "zones") or ()
    return any(entry["status"] == "False" for zone in zones for entry in zone["conditions"])


def _condition_in(current: Obj, zone: Obj) -> Condition:
    for entry in dig(current, "status", "zones") or ():
        if entry["dnsZone"] == zone:
            reported: Condition = next((one for one in entry["conditions"] if one["type"] == "Published"), {})
            return reported
    return {}


def _status_in(current: Obj, zone: Obj) -> str:
    return str(_condition_in(current, zone).get("status", ""))
