# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps against Octavia and Neutron, each with its precondition and what takes it back (CORE-2, CORE-6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..data import Json
from ..model import Disruption, Finding, Step, Verdict
from .observed import FloatingIp, HealthMonitor, Listener, LoadBalancer, Member, Pool

Body = Mapping[str, Any]


def created(resource: str, name: str, attribute: str = "id") -> Json:
    """An attribute of what the last create step of this resource and name answered with."""
    return {"$from": {"resource": resource, "name": name, "attribute": attribute}}


@dataclass(frozen=True)
class Anchor:
    """The load balancer a write belongs to. Octavia locks it as a whole, so it is what writers wait for."""

    lane: str
    name: str
    id: str = ""  # "" for one that an earlier step of the same lane creates

    @property
    def ref(self) -> Json:
        return self.id or created("load_balancer", self.name)

    @property
    def expect(self) -> dict[str, Any]:
        return {"lane": self.lane, "load_balancer_id": self.ref, "provisioning_status": "ACTIVE"}


@dataclass
class Lane:
    """Steps on one load balancer, in order, while they are being collected."""

    name: str
    steps: list[Step] = field(default_factory=list)
    later: list[Step] = field(default_factory=list)  # only once every other lane has come this far
    findings: list[Finding] = field(default_factory=list)
    drift: list[dict[str, Any]] = field(default_factory=list)
    verdict: Verdict = Verdict.UPDATE_IN_PLACE  # should it have anything to write
    creates: bool = False  # its load balancer does not exist yet, or not any more
    stuck: bool = False  # nothing may be written here: ERROR, or waiting for a PENDING state to end

    def add(self, *steps: Step) -> None:
        self.steps += steps

    @property
    def writes(self) -> bool:
        return any(step.verb != "wait" for step in (*self.steps, *self.later))

    def note(self, kind: str, have: Json, want: Json, port: int | None = None) -> None:
        entry: dict[str, Any] = {"lane": self.name, "kind": kind, "have": have, "want": want}
        self.drift.append(entry if port is None else entry | {"port": port})


def create(anchor: Anchor, resource: str, name: str, body: Body, why: str) -> Step:
    expect = {"lane": anchor.lane} if resource == "load_balancer" else anchor.expect
    gone = Step("octavia", "delete", resource, name, body=_gone(resource, name), why=f"Take back: {why}", expect=expect)
    return Step("octavia", "create", resource, name, body=dict(body), why=why, expect=expect, undo=(gone,))


def _gone(resource: str, name: str) -> dict[str, Any]:
    body: dict[str, Any] = {"id": created(resource, name)}
    return body | {"cascade": True} if resource == "load_balancer" else body


def update(
    anchor: Anchor,
    resource: str,
    target: LoadBalancer | Listener | Pool | HealthMonitor,
    change: Body,
    why: str,
    disruption: Disruption = Disruption.NONE,
) -> Step:
    before = {key: _have(target, key) for key in change}
    back = Step(
        "octavia",
        "update",
        resource,
        target.name,
        body=before,
        why=f"Take back: {why}",
        uid=target.id,
        expect=anchor.expect,
    )
    return Step(
        "octavia",
        "update",
        resource,
        target.name,
        body=dict(change),
        why=why,
        disruption=disruption,
        uid=target.id,
        expect=anchor.expect | {"have": before},
        undo=(back,),
    )


def _have(target: LoadBalancer | Listener | Pool | HealthMonitor, key: str) -> Any:
    if key == "default_pool_id" and isinstance(target, Listener):
        return target.pool_id or None
    value = getattr(target, key)
    return list(value) if isinstance(value, tuple) else value


def replace_members(anchor: Anchor, pool: Pool | None, pool_name: str, members: Sequence[Body], why: str) -> Step:
    """One batch update: members that are not in the list go, so it always holds all of them."""
    body: dict[str, Any] = {"members": [dict(one) for one in members]}
    if pool is None:
        body["pool_id"] = created("pool", pool_name)
        return Step("octavia", "replace", "members", pool_name, body=body, why=why, expect=anchor.expect)
    before = [member_body(one) for one in pool.members]
    return _replace(anchor, pool, before, body, why, Disruption.NONE)


def _replace(anchor: Anchor, pool: Pool, before: Sequence[Body], body: Body, why: str, disruption: Disruption) -> Step:
    back = {"members": [dict(one) for one in before]}
    undo = Step(
        "octavia",
        "replace",
        "members",
        pool.name,
        body=back,
        why=f"Take back: {why}",
        uid=pool.id,
        expect=anchor.expect,
    )
    have = sorted(f"{one['address']}:{one['protocol_port']}" for one in before)
    return Step(
        "octavia",
        "replace",
        "members",
        pool.name,
        body=dict(body),
        why=why,
        disruption=disruption,
        uid=pool.id,
        expect=anchor.expect | {"have": {"members": have}},
        undo=(undo,),
    )


def drain_members(
    anchor: Anchor, pool: Pool, before: Sequence[Body], members: Sequence[Body], why: str, disruption: Disruption
) -> Step:
    """Takes machines out that still run. `before`: what the update before this one left."""
    return _replace(anchor, pool, before, {"members": [dict(one) for one in members]}, why, disruption)


def member_body(member: Member, name: str = "") -> dict[str, Any]:
    """A batch update resets what it is not told (weight, backup, …), so everything goes along (CORE-6)."""
    kept: dict[str, Any] = {
        "name": name or member.name,
        "address": member.address,
        "protocol_port": member.protocol_port,
        "weight": member.weight,
        "backup": member.backup,
        "admin_state_up": member.admin_state_up,
    }
    optional = {
        "subnet_id": member.subnet_id,
        "monitor_address": member.monitor_address,
        "monitor_port": member.monitor_port,
        "tags": list(member.tags),
    }
    return kept | {key: value for key, value in optional.items() if value}


def monitor_body(monitor: HealthMonitor) -> dict[str, Any]:
    return {
        "name": monitor.name,
        "type": monitor.type,
        "delay": monitor.delay,
        "timeout": monitor.timeout,
        "max_retries": monitor.max_retries,
        "max_retries_down": monitor.max_retries_down,
    }


def delete_listener(anchor: Anchor, listener: Listener, pool: Pool | None, why: str, disruption: Disruption) -> Step:
    """Undone by a listener on the pool, which the undo of the pool's own deletion has made again before."""
    body: dict[str, Any] = {
        "name": listener.name,
        "protocol": listener.protocol,
        "protocol_port": listener.protocol_port,
        "loadbalancer_id": anchor.ref,
        "allowed_cidrs": list(listener.allowed_cidrs),
    }
    if pool is not None:
        body["default_pool_id"] = created("pool", pool.name)
    again = _again(anchor, "create", "listener", listener.name, body, why)
    return _delete(anchor, "listener", listener, why, disruption, (again,))


def delete_pool(anchor: Anchor, pool: Pool, why: str) -> Step:
    """Its monitor and members go with it. A listener's deletion leaves the pool behind, so it needs its own."""
    body = {
        "name": pool.name,
        "protocol": pool.protocol,
        "lb_algorithm": pool.lb_algorithm,
        "loadbalancer_id": anchor.ref,
    }
    again = [_again(anchor, "create", "pool", pool.name, body, why)]
    if pool.monitor is not None:
        monitor = monitor_body(pool.monitor) | {"pool_id": created("pool", pool.name)}
        again.append(_again(anchor, "create", "health_monitor", pool.monitor.name, monitor, why))
    if pool.members:
        members = {"pool_id": created("pool", pool.name), "members": [member_body(one) for one in pool.members]}
        again.append(_again(anchor, "replace", "members", pool.name, members, why))
    return _delete(anchor, "pool", pool, why, Disruption.NONE, tuple(again))


def _again(anchor: Anchor, verb: str, resource: str, name: str, body: Body, why: str) -> Step:
    return Step("octavia", verb, resource, name, body=dict(body), why=f"Take back: {why}", expect=anchor.expect)


def _delete(
    anchor: Anchor, resource: str, target: Listener | Pool, why: str, disruption: Disruption, undo: tuple[Step, ...]
) -> Step:
    return Step(
        "octavia",
        "delete",
        resource,
        target.name,
        why=why,
        disruption=disruption,
        uid=target.id,
        expect=anchor.expect,
        undo=undo,
    )


def delete_load_balancer(lane: str, lb: LoadBalancer, why: str, disruption: Disruption) -> Step:
    """With all it holds. Its address is gone afterwards: nothing undoes it."""
    expect = {"lane": lane, "load_balancer_id": lb.id, "have": {"name": lb.name, "vip_address": lb.vip_address}}
    return Step(
        "octavia",
        "delete",
        "load_balancer",
        lb.name,
        body={"cascade": True},
        why=why,
        disruption=disruption,
        uid=lb.id,
        expect=expect,
        point_of_no_return=True,
    )


def await_load_balancer(lane: str, lb: LoadBalancer) -> Step:
    """Somebody else's change, or a killed run's, is under way: its tree is read again afterwards."""
    until = "DELETED" if lb.provisioning_status == "PENDING_DELETE" else "ACTIVE"
    body = {"until": until, "is": lb.provisioning_status}
    why = f"Load balancer {lb.name} is {lb.provisioning_status}; Octavia refuses writes until that ends."
    return Step("octavia", "wait", "load_balancer", lb.name, body=body, why=why, uid=lb.id, expect={"lane": lane})


def create_floating_ip(anchor: Anchor, network: str, address: str, description: str, vip_port: Json) -> Step:
    """Made and associated in one request, mark included: a run that dies leaves nothing unknown behind."""
    body: dict[str, Any] = {"floating_network_id": network, "port_id": vip_port, "description": description}
    if address:
        body["floating_ip_address"] = address
    why = f"Give load balancer {anchor.name} a floating IP."
    expect = {"lane": anchor.lane}
    gone = {"id": created("floating_ip", description)}
    undo = Step("neutron", "delete", "floating_ip", description, body=gone, why=f"Take back: {why}", expect=expect)
    return Step("neutron", "create", "floating_ip", description, body=body, why=why, expect=expect, undo=(undo,))


def associate(lane: str, ip: FloatingIp, vip_port: Json, why: str, disruption: Disruption = Disruption.NONE) -> Step:
    """`vip_port` None takes it off."""
    before = {"port_id": ip.port_id or None}
    back = Step(
        "neutron",
        "update",
        "floating_ip",
        ip.address,
        body=before,
        why=f"Take back: {why}",
        uid=ip.id,
        expect={"lane": lane},
    )
    return Step(
        "neutron",
        "update",
        "floating_ip",
        ip.address,
        body={"port_id": vip_port},
        why=why,
        disruption=disruption,
        uid=ip.id,
        expect={"lane": lane, "have": before},
        undo=(back,),
    )


def delete_floating_ip(lane: str, ip: FloatingIp, why: str, disruption: Disruption) -> Step:
    """Only ever one of ours. The address goes back to the pool: nothing undoes it."""
    return Step(
        "neutron",
        "delete",
        "floating_ip",
        ip.address,
        why=why,
        disruption=disruption,
        uid=ip.id,
        expect={"lane": lane, "have": {"port_id": ip.port_id or None, "description": ip.description}},
        point_of_no_return=True,
    )
