# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cloud small enough to reason about: applies steps to observed data with Octavia's and Neutron's own rules.

It refuses what they refuse (facts: lab-openstack, fidelity table): writes while a load balancer is not ACTIVE, a
second listener on a port, a second member at an address and port, a second monitor, a port with two floating IPs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.cidrs import read_back
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoObserved,
    FloatingIp,
    HealthMonitor,
    Listener,
    LoadBalancer,
    Member,
    Pool,
    Record,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step, Wait


class Refused(AssertionError):
    """The cloud, or a step's own precondition, says no."""


def check(condition: bool, what: str) -> None:
    if not condition:
        raise Refused(what)


class Cloud:
    """Observed data that steps change. New members come ONLINE at once, so that health never stands in the way."""

    def __init__(self, observed: CapoObserved) -> None:
        self.observed = observed
        self.answers: dict[tuple[str, str], Any] = {}
        self.count = 0

    def copy(self) -> Cloud:
        twin = Cloud(self.observed)
        twin.count = self.count
        return twin

    def apply(self, step: Step) -> None:
        body = self.resolve(plain(step.body) or {})
        getattr(self, f"_{step.port}_{step.verb}")(step, body)

    # references

    def resolve(self, value: Any) -> Any:
        if isinstance(value, dict):
            if "$from" in value:
                source = value["$from"]
                answer = self.answers.get((source["resource"], source["name"]))
                check(answer is not None, f"{source} has not been made in this run")
                return getattr(answer, {"floating_ip_address": "address"}.get(source["attribute"], source["attribute"]))
            return {key: self.resolve(item) for key, item in value.items()}
        return [self.resolve(item) for item in value] if isinstance(value, list) else value

    def new_id(self, kind: str) -> str:
        self.count += 1
        return f"{kind}-{self.count:04d}"

    # load balancers

    def _lb(self, lb_id: str) -> LoadBalancer:
        found = [lb for lb in self.observed.load_balancers if lb.id == lb_id]
        check(bool(found), f"404: load balancer {lb_id}")
        return found[0]

    def _put(self, lb: LoadBalancer) -> None:
        others = tuple(one for one in self.observed.load_balancers if one.id != lb.id)
        self.observed = replace(self.observed, load_balancers=(*others, lb))

    def _mutable(self, step: Step) -> LoadBalancer:
        lb = self._lb(self.resolve(plain(step.locks)))
        check(lb.provisioning_status == "ACTIVE", f"409: Load Balancer {lb.id} is immutable and cannot be updated.")
        return lb

    def _octavia_wait(self, step: Step, body: dict[str, Any]) -> None:
        lb = self._lb(step.uid)
        check(lb.pending and step.wait_for == Wait("settled"), "nothing to wait for")
        if lb.provisioning_status == "PENDING_DELETE":
            self._drop(lb)
        else:
            self._put(replace(lb, provisioning_status="ACTIVE"))

    def _octavia_create(self, step: Step, body: dict[str, Any]) -> None:
        make = getattr(self, f"_create_{step.resource}")
        self.answers[(step.resource, step.name)] = make(step, body)

    def _create_load_balancer(self, step: Step, body: dict[str, Any]) -> LoadBalancer:
        lb_id = self.new_id("lb")
        listeners, pools = [], []
        for one in body["listeners"]:
            pool = self._pool(one["default_pool"], ports=len(pools))
            pools.append(pool)
            listeners.append(self._listener(one, pool.id))
        lb = LoadBalancer(
            id=lb_id,
            name=body["name"],
            description=body["description"],
            provider=body.get("provider", self.observed.cloud.default_provider),
            availability_zone=body.get("availability_zone", ""),
            flavor_id=body.get("flavor_id", ""),
            vip_address=body.get("vip_address", f"10.9.{self.count // 250}.{self.count % 250 + 1}"),
            vip_port_id=f"port-of-{lb_id}",
            vip_subnet_id=body["vip_subnet_id"],
            vip_network_id=body["vip_network_id"],
            tags=tuple(body.get("tags", ())),
            listeners=tuple(listeners),
            pools=tuple(pools),
        )
        self._put(lb)
        return lb

    def _listener(self, body: dict[str, Any], pool_id: str) -> Listener:
        return Listener(
            id=self.new_id("listener"),
            name=body["name"],
            protocol_port=body["protocol_port"],
            protocol=body["protocol"],
            allowed_cidrs=read_back(body.get("allowed_cidrs", ())),
            pool_id=pool_id,
        )

    def _pool(self, body: dict[str, Any], ports: int = 0) -> Pool:
        monitor = self._monitor(body["healthmonitor"]) if "healthmonitor" in body else None
        members = tuple(self._member(one) for one in body.get("members", ()))
        return Pool(self.new_id("pool"), body["name"], body["protocol"], body["lb_algorithm"], monitor, members)

    def _monitor(self, body: dict[str, Any]) -> HealthMonitor:
        values = {key: body[key] for key in ("delay", "timeout", "max_retries", "max_retries_down", "type")}
        return HealthMonitor(self.new_id("monitor"), body["name"], **values)

    def _member(self, body: dict[str, Any], before: Member | None = None) -> Member:
        fields = {key: value for key, value in body.items() if key != "tags"} | {"tags": tuple(body.get("tags", ()))}
        kept = {"id": before.id, "operating_status": before.operating_status} if before else None
        return Member(**fields, **(kept or {"id": self.new_id("member"), "operating_status": "ONLINE"}))

    def _create_listener(self, step: Step, body: dict[str, Any]) -> Listener:
        lb = self._mutable(step)
        taken = any(one.protocol_port == body["protocol_port"] for one in lb.listeners)
        check(not taken, "409: Another Listener on this Load Balancer is already using protocol TCP")
        pool_id = body.get("default_pool_id", "")
        check(not pool_id or lb.pool(pool_id) is not None, f"404: pool {pool_id}")
        listener = self._listener(body, pool_id)
        self._put(replace(lb, listeners=(*lb.listeners, listener)))
        return listener

    def _create_pool(self, step: Step, body: dict[str, Any]) -> Pool:
        lb = self._mutable(step)
        pool = self._pool(body)
        listeners = lb.listeners
        if "listener_id" in body:
            target = next(one for one in listeners if one.id == body["listener_id"])
            check(not target.pool_id, "409: the listener already has a default pool")
            listeners = tuple(replace(one, pool_id=pool.id) if one is target else one for one in listeners)
        self._put(replace(lb, listeners=listeners, pools=(*lb.pools, pool)))
        return pool

    def _create_health_monitor(self, step: Step, body: dict[str, Any]) -> HealthMonitor:
        lb = self._mutable(step)
        pool = self._pool_of(lb, body["pool_id"])
        check(pool.monitor is None, "409: This pool already has a health monitor")
        monitor = self._monitor(body)
        self._put_pool(lb, replace(pool, monitor=monitor))
        return monitor

    def _pool_of(self, lb: LoadBalancer, pool_id: str) -> Pool:
        pool = lb.pool(pool_id)
        check(pool is not None, f"404: pool {pool_id}")
        assert pool is not None
        check(pool.provisioning_status == "ACTIVE", f"409: Pool {pool_id} is immutable and cannot be updated.")
        return pool

    def _put_pool(self, lb: LoadBalancer, pool: Pool) -> None:
        self._put(replace(lb, pools=tuple(pool if one.id == pool.id else one for one in lb.pools)))

    def _octavia_replace(self, step: Step, body: dict[str, Any]) -> None:
        lb = self._mutable(step)
        pool = self._pool_of(lb, step.uid or body["pool_id"])
        have = (plain(step.expect) or {}).get("members")
        now = sorted(f"{one.address}:{one.protocol_port}" for one in pool.members)
        check(have is None or have == now, f"members are {now}, the step was planned for {have}")
        keys = [(one["address"], one["protocol_port"]) for one in body["members"]]
        check(len(set(keys)) == len(keys), "400: Member must be updated only once in the same request.")
        old = {(one.address, one.protocol_port): one for one in pool.members}
        members = tuple(self._member(one, old.get((one["address"], one["protocol_port"]))) for one in body["members"])
        self._put_pool(lb, replace(pool, members=members))

    def _octavia_update(self, step: Step, body: dict[str, Any]) -> None:
        lb = self._mutable(step)
        change = {{"default_pool_id": "pool_id"}.get(key, key): value for key, value in body.items()}
        change |= {key: tuple(value) for key, value in change.items() if isinstance(value, list)}
        if "allowed_cidrs" in change:
            change["allowed_cidrs"] = read_back(change["allowed_cidrs"])
        change["provisioning_status"] = "ACTIVE"
        if step.resource == "load_balancer":
            self._planned_for(step, lb)
            self._put(replace(lb, **change))
        elif step.resource == "listener":
            target = next(one for one in lb.listeners if one.id == step.uid)
            change |= {"pool_id": change["pool_id"] or ""} if "pool_id" in change else {}
            self._planned_for(step, target)
            self._put(replace(lb, listeners=tuple(replace(x, **change) if x is target else x for x in lb.listeners)))
        elif step.resource == "pool":
            pool = next(one for one in lb.pools if one.id == step.uid)
            self._planned_for(step, pool)
            self._put_pool(lb, replace(pool, **change))
        else:
            pool = next(one for one in lb.pools if one.monitor and one.monitor.id == step.uid)
            assert pool.monitor is not None
            check(pool.provisioning_status == "ACTIVE", "409: Pool is immutable")
            self._planned_for(step, pool.monitor)
            self._put_pool(lb, replace(pool, monitor=replace(pool.monitor, **change)))

    def _planned_for(self, step: Step, target: Any) -> None:
        for key, value in (plain(step.expect) or {}).items():
            now = getattr(target, {"default_pool_id": "pool_id"}.get(key, key))
            now = list(now) if isinstance(now, tuple) else now
            check((now or None) == (value or None), f"{step.ref}: {key} is {now}, the step was planned for {value}")

    def _octavia_delete(self, step: Step, body: dict[str, Any]) -> None:
        target_id = step.uid or body["id"]
        if step.resource == "load_balancer":
            lb = self._lb(target_id)
            check(self.resolve(plain(step.locks)) == target_id, "a deletion locks what it deletes")
            check(lb.provisioning_status in ("ACTIVE", "ERROR"), f"409: Invalid state {lb.provisioning_status}")
            check(bool(body.get("cascade")), "400: it has children")
            self._drop(lb)
        elif step.resource == "listener":
            lb = self._mutable(step)
            check(any(one.id == target_id for one in lb.listeners), f"404: listener {target_id}")
            self._put(replace(lb, listeners=tuple(one for one in lb.listeners if one.id != target_id)))
        elif step.resource == "health_monitor":
            lb = self._mutable(step)
            pool = next(one for one in lb.pools if one.monitor and one.monitor.id == target_id)
            self._put_pool(lb, replace(pool, monitor=None))
        else:
            lb = self._mutable(step)
            check(lb.pool(target_id) is not None, f"404: pool {target_id}")
            listeners = tuple(replace(x, pool_id="" if x.pool_id == target_id else x.pool_id) for x in lb.listeners)
            self._put(replace(lb, listeners=listeners, pools=tuple(one for one in lb.pools if one.id != target_id)))

    def _drop(self, lb: LoadBalancer) -> None:
        others = tuple(one for one in self.observed.load_balancers if one.id != lb.id)
        ips = tuple(
            replace(ip, port_id="") if ip.port_id and ip.port_id == lb.vip_port_id else ip
            for ip in self.observed.floating_ips
        )
        self.observed = replace(self.observed, load_balancers=others, floating_ips=ips)

    # floating IPs

    def _neutron_create(self, step: Step, body: dict[str, Any]) -> None:
        self._port_is_free(body["port_id"])
        ip_id = self.new_id("fip")
        address = body.get("floating_ip_address", f"203.0.{self.count // 250}.{self.count % 250 + 1}")
        check(all(one.address != address for one in self.observed.floating_ips), f"409: {address} exists")
        ip = FloatingIp(ip_id, address, body["port_id"], body["description"])
        self.observed = replace(self.observed, floating_ips=(*self.observed.floating_ips, ip))
        self.answers[(step.resource, step.name)] = ip

    def _port_is_free(self, port_id: str) -> None:
        check(any(lb.vip_port_id == port_id for lb in self.observed.load_balancers), f"404: PortNotFound {port_id}")
        check(self.observed.floating_ip_on(port_id) is None, "409: FloatingIPPortAlreadyAssociated")

    def _neutron_update(self, step: Step, body: dict[str, Any]) -> None:
        ip = self._ip(step)
        if body["port_id"]:
            self._port_is_free(body["port_id"])
        self._put_ip(replace(ip, port_id=body["port_id"] or ""))

    def _neutron_delete(self, step: Step, body: dict[str, Any]) -> None:
        ip = self._ip(step)
        check(ip.description.startswith("Created by edgeworks.lb_estate"), f"deletes {ip.address}, made by others")
        self._put_ip(None, ip.id)

    def _ip(self, step: Step) -> FloatingIp:
        wanted = step.uid or self.resolve(plain(step.body))["id"]
        found = [ip for ip in self.observed.floating_ips if ip.id == wanted]
        check(bool(found), f"404: floating IP {wanted}")
        have = (plain(step.expect) or {}).get("port_id", found[0].port_id or None)
        check((found[0].port_id or None) == have, f"{step.ref}: is on {found[0].port_id}, planned for {have}")
        return found[0]

    def _put_ip(self, ip: FloatingIp | None, ip_id: str = "") -> None:
        others = tuple(one for one in self.observed.floating_ips if one.id != (ip.id if ip else ip_id))
        self.observed = replace(self.observed, floating_ips=(*others, *([ip] if ip else ())))

    # the record

    def _kube_create(self, step: Step, body: dict[str, Any]) -> None:
        check(not self.observed.record.exists, "409: AlreadyExists")
        check(body["metadata"]["labels"]["cluster.x-k8s.io/cluster-name"] == "demo", "whose record is it?")
        self._write(body["data"])

    def _kube_patch(self, step: Step, body: dict[str, Any]) -> None:
        check(self.observed.record.exists, "404: NotFound")
        if "data" in body:
            self._write(body["data"])
            return
        check(step.resource.endswith(".infrastructure.cluster.x-k8s.io/status"), f"{step.resource} has no status")
        status = body["status"]
        record = self.observed.record
        entries = status.get("apiServerLoadBalancers") or ()
        mirror = status.get(record.mirror_field, record.mirror)
        self.observed = replace(self.observed, record=replace(record, entries=entries, mirror=mirror))

    def _kube_delete(self, step: Step, body: dict[str, Any]) -> None:
        check(self.observed.record.exists, "404: NotFound")
        self.observed = replace(self.observed, record=Record("config_map", self.observed.record.name))

    def _write(self, data: dict[str, Any]) -> None:
        record = replace(
            self.observed.record,
            exists=True,
            uid="uid",
            entries=data["apiServerLoadBalancers"],
            mirror=data["apiServerLoadBalancer"],
        )
        self.observed = replace(self.observed, record=record)


def shape(observed: CapoObserved) -> Any:
    """The world without ids and addresses handed out by the cloud: what two ways to one end must share."""
    attached = {ip.port_id: ip for ip in observed.floating_ips if ip.port_id}

    def floating(lb: LoadBalancer) -> str:
        ip = attached.get(lb.vip_port_id)
        return "" if ip is None else ip.description or ip.address

    def pool_shape(pool: Pool | None) -> Any:
        if pool is None:
            return None
        members = sorted((one.name, one.address, one.protocol_port) for one in pool.members)
        monitor = pool.monitor and (pool.monitor.name, pool.monitor.delay, pool.monitor.provisioning_status)
        return pool.name, pool.provisioning_status, monitor, members

    lbs = [
        (
            lb.name,
            lb.provisioning_status,
            lb.vip_subnet_id,
            sorted(lb.tags),
            floating(lb),
            sorted(
                (x.name, x.protocol_port, x.allowed_cidrs, x.provisioning_status, pool_shape(lb.pool(x.pool_id)))
                for x in lb.listeners
            ),
            sorted(pool.name for pool in lb.loose_pools),
        )
        for lb in observed.load_balancers
    ]
    loose = sorted(ip.description or ip.address for ip in observed.floating_ips if not ip.port_id)
    zones = [entry.get("availabilityZone") for entry in observed.record.entries]
    return sorted(lbs), loose, zones
