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
from .patience import Patience, Tries

NEUTRON = "neutron"
PORTS = "/ports"
_FLOATING_IPS = "/floatingips"
# CAPO's names of tag filters → Neutron's
_TAGS = {"tags": "tags", "tagsAny": "tags-any", "notTags": "not-tags", "notTagsAny": "not-tags-any"}
_LIMITED = {"floating_ip": "floatingip", "port": "port"}  # our name → Neutron's
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
        return tuple(Network(one["id"], one.get("name") or "", _facts(one)) for one in found if self._usable(ref, one))

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
                found |= self._subnets(_query(ref), ref)
        return tuple(found.values())

    def ports_at(self, networks: Iterable[Network], addresses: Iterable[str]) -> dict[str, str]:
        """Which of the addresses are in use on the networks, and by which port; as far as it may be seen."""
        wanted = [f"ip_address={address}" for address in addresses]
        query = {"network_id": [one.id for one in networks], "fixed_ips": wanted, "fields": ["id", "fixed_ips"]}
        found = self._cloud.items(NEUTRON, "/ports", "ports", query)
        return {ip["ip_address"]: one["id"] for one in found for ip in one["fixed_ips"]}

    def _usable(self, ref: Ref, body: Body) -> bool:
        """As for an ordinary user: the project's own, and what is shared. Administrators are shown those of all
        projects, and a name is easily another project's, too; an id or a project that is asked for is meant."""
        if ref.id or "projectID" in (ref.filter or {}):
            return True
        shared = body.get("shared") or body.get("router:external")
        return bool(shared) or body.get("project_id") == self._cloud.project_id

    def floating_ips(self) -> tuple[FloatingIp, ...]:
        found = self._cloud.own_items(NEUTRON, _FLOATING_IPS, "floatingips", {"fields": _SEEN})
        return tuple(
            FloatingIp(one["id"], one["floating_ip_address"], one.get("port_id") or "", one.get("description") or "")
            for one in found
        )

    def chooses_addresses(self) -> bool:
        """Neutron's policy lets only administrators say which address a new floating IP is to have."""
        roles = self._cloud.roles
        return roles is None or "admin" in roles

    def quotas(self) -> dict[str, Quota]:
        call = CloudCall(NEUTRON, "GET", f"/quotas/{self._cloud.project_id}/details.json")
        limits: Mapping[str, Mapping[str, int]] = self._cloud.read(call, "quota") or {}
        return {
            name: Quota(limits[key]["limit"], limits[key]["used"] + limits[key]["reserved"])
            for name, key in _LIMITED.items()
            if key in limits
        }

    def _subnets(self, query: Query, ref: Ref | None = None) -> dict[str, Subnet]:
        """`ref`: named by a filter, anywhere."""
        found = self._cloud.items(NEUTRON, "/subnets", "subnets", query)
        meant = [one for one in found if ref is None or self._usable(ref, one)]
        return {one["id"]: Subnet(one["id"], one["network_id"], one["cidr"], _facts(one)) for one in meant}

    # -- writing ------------------------------------------------------------------------------------------------------

    def do(self, step: Step) -> None:
        verbs = {"create": self._create, "update": self._update, "delete": self._delete}
        if (step.port, step.verb, step.resource) == (NEUTRON, "delete", "lock"):
            self._writer.change(CloudCall(NEUTRON, "DELETE", f"{PORTS}/{step.uid}"))
            return
        if step.port != NEUTRON or step.verb not in verbs or step.resource != "floating_ip":
            raise ValueError(f"{step.verb} {step.ref} is not a step for this port")
        verbs[step.verb](step)

    def _create(self, step: Step) -> None:
        body = self._answers.resolve(step.body)
        call = CloudCall(NEUTRON, "POST", _FLOATING_IPS, body={"floatingip": body})
        self._answers.keep(step, self._writer.create(call, "floatingip", lambda tries: self._landed(body, tries)))

    def _landed(self, body: Body, tries: Tries) -> Body | None:
        """Made and put on the port in one request, so the port tells."""
        query = {"port_id": str(body["port_id"])}
        found = self._cloud.own_items(NEUTRON, _FLOATING_IPS, "floatingips", query, tries)
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
        found = self._cloud.read(CloudCall(NEUTRON, "GET", where), "floatingip")
        if found is None:
            return
        expect(step, found)
        self._writer.change(CloudCall(NEUTRON, "DELETE", where))

    def _look(self, step: Step, where: str) -> None:
        expect(step, self._cloud.read(CloudCall(NEUTRON, "GET", where), "floatingip"))


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
