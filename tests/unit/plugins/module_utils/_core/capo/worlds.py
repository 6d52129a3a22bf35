# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random worlds and wishes, from a seed: what an estate may look like before a run, damaged in every known way."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CapoObserved,
    FloatingIp,
    LoadBalancer,
    Machine,
    Member,
    MonitorSpec,
    Pool,
    Record,
    Ref,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    cluster,
    legacy,
    machines,
    seen,
    want,
    zone_name,
)

ZONES = ("az1", "az2", "az3")


def some_machines(dice: Random) -> tuple[Machine, ...]:
    zones = [dice.choice(ZONES) for _time in range(dice.choice((1, 3, 3, 5)))]
    found = machines(*zones)
    return tuple(
        replace(one, deleting=dice.random() < 0.1, address=one.address if dice.random() < 0.95 else "") for one in found
    )


def some_wish(dice: Random, moved: bool = False) -> CapoDesired:
    """`moved`: may traffic be said to have moved? Only once everything stands, else it is refused."""
    zones = dice.sample(ZONES, dice.choice((0, 1, 2, 3, 3)))
    more: dict[str, Any] = {
        "additional_ports": tuple(dice.sample((22, 8132), dice.choice((0, 0, 1, 2)))),
        "allowed_cidrs": dice.choice((None, (), ("10.0.0.5/8",), ("198.51.100.7", "10.0.0.0/8"))),
        "allow_cross_az_members": dice.random() < 0.4,
        "floating_ips": dice.random() < 0.7,
        "floating_ip": dice.choice(("", "", "198.51.100.99")),
        "monitor": dice.choice((MonitorSpec(), MonitorSpec(delay=20))),
        "legacy": dice.choice(("adopt", "adopt", "keep", "retire")),
        "traffic_moved": moved,
        "allow_rebuild": dice.random() < 0.7,
        "tags": dice.choice(((), ("team=a",))),
    }
    wish = want(*zones, allow_unhealthy_zones=tuple(zones), **more)
    if dice.random() < 0.2:  # other subnets than before: load balancers have to be replaced
        turned = {"s1": "s2", "s2": "s3", "s3": "s1"}
        mapping = tuple(replace(entry, subnet=Ref(turned[entry.subnet.id])) for entry in wish.zones)
        wish = replace(wish, zones=mapping)
    return wish


def some_world(dice: Random) -> Cloud:
    """What an earlier wish left, with a legacy load balancer or without, then damaged."""
    crew = some_machines(dice)
    start = seen(machines=crew, cluster=cluster(failure_domains=ZONES))
    if dice.random() < 0.4:  # a CRD with S4's fields, in either version
        version, field = dice.choice(
            (("v1beta1", "apiServerLoadBalancer"), ("v1beta2", "apiServerManagedLoadBalancer"))
        )
        record = Record("status", "demo", exists=True, uid="uid", mirror_field=field)
        start = replace(start, record=record, cluster=cluster(failure_domains=ZONES, api_version=version))
    if dice.random() < 0.5:
        fits = dice.random() < 0.6
        old = legacy(on=tuple(one for one in crew if one.address), vip_subnet_id="s1" if fits else "s2")
        if dice.random() < 0.3:
            old = replace(old, tags=("somebody=else",), availability_zone=dice.choice(("", "az1")))
        start = replace(start, load_balancers=(old,))
        if dice.random() < 0.5:
            theirs = FloatingIp("fip-legacy", "198.51.100.20", old.vip_port_id, old.description)
            start = replace(start, floating_ips=(theirs,))
    if dice.random() < 0.4:
        start = replace(start, floating_ips=(*start.floating_ips, FloatingIp("fip-byo", "198.51.100.99", "", "mine")))
    return Cloud(start)


def damage(dice: Random, observed: CapoObserved) -> CapoObserved:
    """Hits each load balancer with one known trouble, and leaves crew changes and stray addresses behind."""
    if dice.random() < 0.4:
        observed = replace(observed, machines=some_machines(dice))
    lbs = tuple(_hit(dice, lb) if dice.random() < 0.5 else lb for lb in observed.load_balancers)
    observed = replace(observed, load_balancers=lbs)
    if dice.random() < 0.2 and all(ip.id != "fip-stray" for ip in observed.floating_ips):
        mark = f"Created by edgeworks.lb_estate cluster default/demo az {dice.choice(ZONES)}"
        stray = FloatingIp("fip-stray", "203.0.113.200", "", mark)
        observed = replace(observed, floating_ips=(*observed.floating_ips, stray))
    return observed


def _hit(dice: Random, lb: LoadBalancer) -> LoadBalancer:
    troubles = [_no_listener, _no_pool, _no_monitor, _no_members, _listener_error, _pool_error, _stale, _foreign]
    troubles += [_error, _pending, _going, _no_marks, _old_names]
    return dice.choice(troubles)(lb)


def _no_listener(lb: LoadBalancer) -> LoadBalancer:
    """Its pool is left behind, as Octavia does."""
    return replace(lb, listeners=lb.listeners[1:])


def _no_pool(lb: LoadBalancer) -> LoadBalancer:
    gone = lb.pools[0].id if lb.pools else ""
    listeners = tuple(replace(one, pool_id="") if one.pool_id == gone else one for one in lb.listeners)
    return replace(lb, listeners=listeners, pools=lb.pools[1:])


def _first_pool(lb: LoadBalancer, **change: Any) -> LoadBalancer:
    pools = tuple(replace(pool, **change) if index == 0 else pool for index, pool in enumerate(lb.pools))
    return replace(lb, pools=pools)


def _no_monitor(lb: LoadBalancer) -> LoadBalancer:
    return _first_pool(lb, monitor=None)


def _no_members(lb: LoadBalancer) -> LoadBalancer:
    return _first_pool(lb, members=())


def _listener_error(lb: LoadBalancer) -> LoadBalancer:
    return replace(lb, listeners=tuple(replace(one, provisioning_status="ERROR") for one in lb.listeners))


def _pool_error(lb: LoadBalancer) -> LoadBalancer:
    return _first_pool(lb, provisioning_status="ERROR")


def _with_member(lb: LoadBalancer, name: str, address: str) -> LoadBalancer:
    def grown(pool: Pool) -> Pool:
        if any(member.address == address for member in pool.members):
            return pool
        port = next((one.protocol_port for one in lb.listeners if one.pool_id == pool.id), 6443)
        return replace(pool, members=(*pool.members, Member(f"{pool.id}-{name}", f"{pool.name}-{name}", address, port)))

    return replace(lb, pools=tuple(grown(pool) for pool in lb.pools))


def _stale(lb: LoadBalancer) -> LoadBalancer:
    return _with_member(lb, "gone", "10.0.1.250")


def _foreign(lb: LoadBalancer) -> LoadBalancer:
    def joined(pool: Pool) -> Pool:
        if any(member.address == "10.0.1.251" for member in pool.members):
            return pool
        return replace(pool, members=(*pool.members, Member(f"{pool.id}-x", "by-hand", "10.0.1.251", 6443, weight=7)))

    return replace(lb, pools=tuple(map(joined, lb.pools)))


def _error(lb: LoadBalancer) -> LoadBalancer:
    return replace(lb, provisioning_status="ERROR")


def _pending(lb: LoadBalancer) -> LoadBalancer:
    return replace(lb, provisioning_status="PENDING_UPDATE")


def _going(lb: LoadBalancer) -> LoadBalancer:
    return replace(lb, provisioning_status="PENDING_DELETE")


def _no_marks(lb: LoadBalancer) -> LoadBalancer:
    return replace(lb, tags=())


def _old_names(lb: LoadBalancer) -> LoadBalancer:
    """A rename that stopped after the load balancer itself."""
    listeners = tuple(replace(one, name=one.name.replace(lb.name, zone_name("az9"))) for one in lb.listeners)
    return replace(lb, listeners=listeners)
