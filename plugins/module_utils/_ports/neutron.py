# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Neutron: networks and subnets as they are named, floating IPs read and written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._core.capo.site import FIELDS, find_subnets
from .._core.capo.state import FloatingIp, Network, Quota, Ref, Subnet
from .._core.model import Step
from .errors import Conflict
from .openstack_cloud import Body, Cloud, CloudCall, Query
from .openstack_steps import Answers, Writer, expect
from .patience import Patience

NEUTRON = "neutron"
_FLOATING_IPS = "/floatingips"
# CAPO's names of tag filters → Neutron's
_TAGS = {"tags": "tags", "tagsAny": "tags-any", "notTags": "not-tags", "notTagsAny": "not-tags-any"}
_SEEN = ("id", "floating_ip_address", "port_id", "description")


class Neutron:
    def __init__(self, cloud: Cloud, answers: Answers, patience: Patience | None = None) -> None:
        self._cloud = cloud
        self._answers = answers
        self._writer = Writer(cloud, patience)

    # -- reading ------------------------------------------------------------------------------------------------------

    def networks(self, ref: Ref | None) -> tuple[Network, ...]:
        """Those that a reference may mean; the core has the last word."""
        if ref is None or not (ref.id or ref.filter):
            return ()
        found = self._cloud.items(NEUTRON, "/networks", "networks", _query(ref))
        return tuple(Network(one["id"], one.get("name") or "", _facts(one)) for one in found)

    def subnets(self, refs: Iterable[Ref], networks: Iterable[Network]) -> tuple[Subnet, ...]:
        """All of the load balancer networks; elsewhere only what is mapped and not found there."""
        found: dict[str, Subnet] = {}
        ids = [network.id for network in networks]
        if ids:
            found |= self._subnets({"network_id": ids})
        missing = [ref for ref in refs if not find_subnets(ref, found.values())]
        by_id = [ref.id for ref in missing if ref.id]
        if by_id:
            found |= self._subnets({"id": by_id})
        for ref in missing:
            if not ref.id and ref.filter:
                found |= self._subnets(_query(ref))
        return tuple(found.values())

    def ports_at(self, networks: Iterable[Network], addresses: Iterable[str]) -> dict[str, str]:
        """Which of the addresses are in use on the networks, and by which port; as far as it may be seen."""
        wanted = [f"ip_address={address}" for address in addresses]
        query = {"network_id": [one.id for one in networks], "fixed_ips": wanted, "fields": ["id", "fixed_ips"]}
        found = self._cloud.items(NEUTRON, "/ports", "ports", query)
        return {ip["ip_address"]: one["id"] for one in found for ip in one["fixed_ips"]}

    def floating_ips(self) -> tuple[FloatingIp, ...]:
        query = {"project_id": self._cloud.project_id, "fields": _SEEN}
        found = self._cloud.items(NEUTRON, _FLOATING_IPS, "floatingips", query)
        return tuple(
            FloatingIp(one["id"], one["floating_ip_address"], one.get("port_id") or "", one.get("description") or "")
            for one in found
        )

    def quotas(self) -> dict[str, Quota]:
        body = self._cloud.read(CloudCall(NEUTRON, "GET", f"/quotas/{self._cloud.project_id}/details.json")) or {}
        found = (body.get("quota") or {}).get("floatingip")
        return {"floating_ip": Quota(int(found["limit"]), int(found["used"]) + int(found["reserved"]))} if found else {}

    def _subnets(self, query: Query) -> dict[str, Subnet]:
        found = self._cloud.items(NEUTRON, "/subnets", "subnets", query)
        return {one["id"]: Subnet(one["id"], one["network_id"], one["cidr"], _facts(one)) for one in found}

    # -- writing ------------------------------------------------------------------------------------------------------

    def do(self, step: Step) -> None:
        verbs = {"create": self._create, "update": self._update, "delete": self._delete}
        if step.port != NEUTRON or step.verb not in verbs or step.resource != "floating_ip":
            raise ValueError(f"{step.verb} {step.ref} is not a step for this port")
        verbs[step.verb](step)

    def _create(self, step: Step) -> None:
        body = self._answers.resolve(step.body)
        call = CloudCall(NEUTRON, "POST", _FLOATING_IPS, body={"floatingip": body})
        self._answers.keep(step, self._writer.create(call, "floatingip", lambda: self._landed(body)))

    def _landed(self, body: Body) -> Body | None:
        """Made and put on the port in one request, so the port tells."""
        query = {"port_id": str(body["port_id"])}
        found = self._cloud.items(NEUTRON, _FLOATING_IPS, "floatingips", query)
        return next((one for one in found if one.get("description") == body["description"]), None)

    def _update(self, step: Step) -> None:
        where = f"{_FLOATING_IPS}/{step.uid}"
        self._look(step, where)
        answer = self._writer.change(
            CloudCall(NEUTRON, "PUT", where, body={"floatingip": self._answers.resolve(step.body)})
        )
        if answer.status == 404:
            raise Conflict(f"{step.ref} is gone.", "Run again: the plan is made anew from what is there now.")

    def _delete(self, step: Step) -> None:
        where = f"{_FLOATING_IPS}/{step.uid or self._answers.resolve(step.body)['id']}"
        found = self._cloud.read(CloudCall(NEUTRON, "GET", where))
        if found is None:
            return
        expect(step, found["floatingip"])
        self._writer.change(CloudCall(NEUTRON, "DELETE", where))

    def _look(self, step: Step, where: str) -> None:
        found = self._cloud.read(CloudCall(NEUTRON, "GET", where))
        expect(step, found["floatingip"] if found else None)


def _query(ref: Ref) -> dict[str, str | list[str]]:
    """As much of a reference as Neutron itself can look for."""
    if ref.id:
        return {"id": ref.id}
    query: dict[str, str | list[str]] = {}
    for key, value in (ref.filter or {}).items():
        if key in _TAGS:
            query[_TAGS[key]] = ",".join(value)
        elif key in FIELDS:
            query[FIELDS[key]] = str(value)
    return query


def _facts(body: Mapping[str, Any]) -> dict[str, Any]:
    names = (*FIELDS.values(), "tags", "router:external")
    return {name: body[name] for name in names if body.get(name) is not None}
