# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps against Octavia and Neutron, each with its precondition, what takes it back and what that costs.

(CORE-2, CORE-6) Lane and phase are the assembly's to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..data import Json
from ..model import Disruption, Step, Wait
from .members import member_body
from .state import FloatingIp, HealthMonitor, Listener, LoadBalancer, Pool

Body = Mapping[str, Any]


def created(resource: str, name: str, attribute: str = "id") -> Json:
    """An attribute of what the last create step of this resource and name answered with."""
    return {"$from": {"resource": resource, "name": name, "attribute": attribute}}


def _undone_by(step: Step, *back: Step) -> Step:
    return replace(step, undo=tuple(replace(one, why=f"take back: {step.why}") for one in back))


def create(resource: str, name: str, body: Body, why: str, lb: LoadBalancer | None = None) -> Step:
    """`lb`: the load balancer it becomes a part of; None for a load balancer itself."""
    step = Step("octavia", "create", resource, name, body=dict(body), why=why, locks=lb.id if lb else None)
    gone: dict[str, Any] = {"id": created(resource, name)}
    if lb is None:
        gone["cascade"] = True
    # By then it may serve; a monitor only watches.
    cost = Disruption.NONE if resource == "health_monitor" else Disruption.OUTAGE
    locks = step.locks or gone["id"]
    return _undone_by(step, replace(step, verb="delete", body=gone, disruption=cost, locks=locks))


def update(
    lb: LoadBalancer,
    resource: str,
    target: LoadBalancer | Listener | Pool | HealthMonitor,
    change: Body,
    why: str,
    disruption: Disruption = Disruption.NONE,
    back: Disruption = Disruption.NONE,
) -> Step:
    """`back`: what it costs to take the change back."""
    before = {key: _have(target, key) for key in change}
    step = Step("octavia", "update", resource, target.name, body=before, uid=target.id, locks=lb.id, disruption=back)
    forth = replace(step, body=dict(change), why=why, disruption=disruption, expect=before)
    return _undone_by(forth, step)


def _have(target: LoadBalancer | Listener | Pool | HealthMonitor, key: str) -> Any:
    if key == "default_pool_id" and isinstance(target, Listener):
        return target.pool_id or None
    value = getattr(target, key)
    return list(value) if isinstance(value, tuple) else value


def first_members(lb: LoadBalancer, pool_name: str, members: Sequence[Body], why: str) -> Step:
    """Of a pool that a step before this one makes, and whose undo takes them along."""
    body = {"members": list(members), "pool_id": created("pool", pool_name)}
    return Step("octavia", "replace", "members", pool_name, body=body, why=why, locks=lb.id)


def replace_members(
    lb: LoadBalancer,
    pool: Pool,
    before: Sequence[Body],
    members: Sequence[Body],
    why: str,
    disruption: Disruption = Disruption.NONE,
) -> Step:
    """One batch update: members that are not in the list go, so it always holds all of them. `before`: those there."""
    have, want = _places(before), _places(members)
    lost = Disruption.BRIEF if set(have) & set(want) else Disruption.OUTAGE
    back = Disruption.NONE if set(want) <= set(have) else lost
    step = Step("octavia", "replace", "members", pool.name, uid=pool.id, locks=lb.id, why=why)
    return _undone_by(
        replace(step, body={"members": list(members)}, disruption=disruption, expect={"members": have}),
        replace(step, body={"members": list(before)}, disruption=back),
    )


def _places(members: Sequence[Body]) -> list[str]:
    return sorted(f"{one['address']}:{one['protocol_port']}" for one in members)


def delete_listener(lb: LoadBalancer, listener: Listener, pool: Json, why: str, disruption: Disruption) -> Step:
    """`pool`: the id of its pool, or a reference where the undo of the pool's own deletion has made it again."""
    again: dict[str, Any] = {
        "name": listener.name,
        "protocol": listener.protocol,
        "protocol_port": listener.protocol_port,
        "loadbalancer_id": lb.id,
    }
    again |= {"allowed_cidrs": list(listener.allowed_cidrs)} if listener.allowed_cidrs else {}
    timeouts = {name: getattr(listener, name) for name in ("timeout_client_data", "timeout_member_data")}
    again |= {name: value for name, value in timeouts.items() if value is not None}
    again |= {"default_pool_id": pool} if pool else {}
    again |= {} if listener.admin_state_up else {"admin_state_up": False}
    return _delete(lb, "listener", listener, why, disruption, _again(lb, "create", "listener", listener.name, again))


def delete_pool(lb: LoadBalancer, pool: Pool, why: str) -> Step:
    """Its monitor and members go with it. A listener's deletion leaves the pool behind, so it needs its own."""
    body = {"name": pool.name, "protocol": pool.protocol, "lb_algorithm": pool.lb_algorithm, "loadbalancer_id": lb.id}
    off = {} if pool.admin_state_up else {"admin_state_up": False}
    again = [_again(lb, "create", "pool", pool.name, {**body, **off})]
    made = created("pool", pool.name)
    if pool.monitor is not None:
        names = ("name", "type", "delay", "timeout", "max_retries", "max_retries_down")
        monitor = {name: getattr(pool.monitor, name) for name in names} | {"pool_id": made}
        again.append(_again(lb, "create", "health_monitor", pool.monitor.name, monitor))
    if pool.members:
        members = {"pool_id": made, "members": [member_body(one) for one in pool.members]}
        again.append(_again(lb, "replace", "members", pool.name, members))
    return _delete(lb, "pool", pool, why, Disruption.NONE, *again)


def _again(lb: LoadBalancer, verb: str, resource: str, name: str, body: Body) -> Step:
    return Step("octavia", verb, resource, name, body=dict(body), locks=lb.id)


def _delete(
    lb: LoadBalancer, resource: str, target: Listener | Pool, why: str, disruption: Disruption, *again: Step
) -> Step:
    step = Step("octavia", "delete", resource, target.name, why=why, disruption=disruption, uid=target.id, locks=lb.id)
    return _undone_by(step, *again)


def delete_load_balancer(lb: LoadBalancer, why: str, disruption: Disruption) -> Step:
    """With all it holds. Its address is gone afterwards: nothing undoes it."""
    return Step(
        "octavia",
        "delete",
        "load_balancer",
        lb.name,
        body={"cascade": True},
        why=why,
        disruption=disruption,
        uid=lb.id,
        expect={"name": lb.name, "vip_address": lb.vip_address},
        locks=lb.id,
        point_of_no_return=True,
    )


def await_load_balancer(lb: LoadBalancer) -> Step:
    """Somebody else's change, or a killed run's, is under way: its tree is read again afterwards."""
    why = f"load balancer {lb.name} is {lb.provisioning_status}, and Octavia refuses writes until that ends"
    return Step("octavia", "wait", "load_balancer", lb.name, why=why, uid=lb.id, wait_for=Wait("settled"))


def create_floating_ip(lb_name: str, network: str, address: str, mark: str, vip_port: Json, back: Disruption) -> Step:
    """Made, marked and put on the port in one request: a run that dies leaves nothing unknown behind."""
    body: dict[str, Any] = {"floating_network_id": network, "port_id": vip_port, "description": mark}
    body |= {"floating_ip_address": address} if address else {}
    step = Step(
        "neutron", "create", "floating_ip", mark, body=body, why=f"load balancer {lb_name} has no floating IP yet"
    )
    gone = {"id": created("floating_ip", mark)}
    return _undone_by(step, replace(step, verb="delete", body=gone, disruption=back))


def change_floating_ip(ip: FloatingIp, change: Body, why: str, disruption: Disruption, back: Disruption) -> Step:
    """`change`: of port_id, where None takes it off, and of description. `back`: what it costs to take it back."""
    before = {key: {"port_id": ip.port_id or None, "description": ip.description}[key] for key in change}
    step = Step("neutron", "update", "floating_ip", ip.address, body=before, uid=ip.id, disruption=back)
    forth = replace(step, body=dict(change), why=why, disruption=disruption, expect=before)
    return _undone_by(forth, step)


def delete_floating_ip(ip: FloatingIp, why: str, disruption: Disruption) -> Step:
    """Only ever one of ours. The address goes back to the pool: nothing undoes it."""
    return Step(
        "neutron",
        "delete",
        "floating_ip",
        ip.address,
        why=why,
        disruption=disruption,
        uid=ip.id,
        expect={"port_id": ip.port_id or None, "description": ip.description},
        point_of_no_return=True,
    )
