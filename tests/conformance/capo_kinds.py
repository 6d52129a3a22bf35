# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAPO vectors through the code that the module runs: each kind translates what is given, asks, and compares.

Here is what S4 asks of us and what we do as CAPO does it; what only shipped CAPO does is in capo_shipped_kinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo import names
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.members import place
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.shapes import read_monitor
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.site import api_port
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CapoObserved,
    CloudFacts,
    HealthMonitor,
    Listener,
    LoadBalancer,
    Machine,
    Member,
    MonitorSpec,
    Network,
    OpenStackCluster,
    Pool,
    Ref,
    Subnet,
    ZoneSubnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.validate import validate
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision, Finding

from .capo_shipped_kinds import ANSWERS, Answer, Given, asked
from .runner import Kind

# names


def _resource_name(given: Given) -> str:
    return given.get("clusterResourceName") or names.cluster_resource_name(given["namespace"], given["cluster"])


def _zone(given: Given) -> str:
    return given.get("az") or given.get("availabilityZone") or ""


def name_answers(given: Given) -> Answer:
    lb = names.load_balancer_name(_resource_name(given), _zone(given))
    answer: Answer = {"load_balancer": lb}
    if "port" in given:
        shared = names.port_name(lb, given["port"])
        answer |= {"listener": shared, "pool": shared, "monitor": shared}
        answer["member"] = names.member_name(lb, given["port"], given.get("machine", ""))
    return answer


def collision_answers(given: Given) -> Answer:
    """Every party with all the names it lays claim to; a mapping adds one per zone."""
    parties = [party for party in given.values() if isinstance(party, Mapping)]
    claimed = []
    for party in parties:
        zones = [_zone(party)] if _zone(party) else list(party.get("mapping") or party.get("zones") or ())
        claimed.append(names.claims(party["namespace"], party["cluster"], zones, single=not zones))
    pairs = [
        pair
        for index, ours in enumerate(claimed)
        for theirs in claimed[index + 1 :]
        for pair in names.collisions(ours, theirs)
    ]
    return {"collision": bool(pairs), "name": pairs[0][0].name if pairs else None}


def description_answers(given: Given) -> Answer:
    return {"description": names.capo_description(_resource_name(given))}


# what S4 asks for


def placement_answers(given: Given) -> Answer:
    lbs = {lb["az"]: lb["id"] for lb in given["load_balancers"]}
    legacy = given.get("legacy")
    machine = Machine("m", failure_domain=given.get("machine_failure_domain") or "")
    aliases = given.get("zone_aliases") or {}
    zones = place(machine, list(lbs), aliases, given["allowCrossAZLoadBalancerMembers"], legacy is not None)
    targets = [lbs[zone] if zone else legacy["id"] for zone in zones]
    existing = given.get("existing_membership") or []
    return {
        "target_lbs": targets,
        "remove_from": [one for one in existing if one not in targets],
        "unplaced": not targets,
    }


def validation_answers(given: Given) -> Answer:
    desired, observed = _wishes(given)
    findings = validate(desired, observed)
    mode = "multi-az" if desired.zones else "single-lb"
    return {"mode": mode, "valid": not findings, "errors": _codes(findings)}


def _codes(findings: Sequence[Finding]) -> list[str]:
    return list(dict.fromkeys(finding.code.replace("_", "-") for finding in findings))  # the vectors' spelling


def _wishes(given: Given) -> tuple[CapoDesired, CapoObserved]:
    known = given.get("subnet_networks") or {}
    network = given.get("network") or {}
    zones = tuple(
        ZoneSubnet(one["availabilityZone"], _subnet_ref(one.get("subnet") or {}, given))
        for one in given.get("availabilityZoneSubnets") or ()
    )
    wanted = Ref(network.get("id") or "", network.get("filter")) if network else None
    desired = CapoDesired("default", "c", zones=zones, network=wanted, endpoint_host=given.get("host") or "")
    subnets = tuple(Subnet(key, value) for key, value in known.items())
    ids = {network["id"]} if network.get("id") else set(known.values())
    return desired, CapoObserved(subnets=subnets, networks=tuple(Network(one) for one in sorted(ids)))


def _subnet_ref(subnet: Given, given: Given) -> Ref:
    """A filter is resolved by whatever table of the vector names it: filters are Neutron's to resolve, not ours."""
    if subnet.get("id"):
        return Ref(subnet["id"])
    name = (subnet.get("filter") or {}).get("name", "")
    tables = [value for key, value in given.items() if isinstance(value, Mapping) and key != "subnet_networks"]
    return Ref(next((table[name] for table in tables if name in table), name))


CASES = {"duplicate": "duplicate_az", "not in": "subnet_not_in_network", "not found": "subnet_not_found"}


def error_text_answers(given: Given) -> Answer:
    """The prototype's texts. A zone given twice never reaches a controller: the list is a map keyed by zone."""
    code = next(code for words, code in CASES.items() if words in given["case"])
    mapping = {"duplicate_az": ("s1", "s2"), "subnet_not_in_network": ("s9",), "subnet_not_found": ("s7",)}[code]
    zones = [{"availabilityZone": "az1", "subnet": {"id": subnet}} for subnet in mapping]
    world = {"network": {"id": "net1"}, "host": "api.example.com", "availabilityZoneSubnets": zones}
    finding = next(
        one
        for one in validate(*_wishes(world | {"subnet_networks": {"s1": "net1", "s2": "net1", "s9": "net2"}}))
        if one.code == code
    )
    if code == "duplicate_az":
        return {
            "rejected_by": "API server (list-map key)",
            "cause_type": "FieldValueDuplicate",
            "field": "spec.apiServerLoadBalancer.availabilityZoneSubnets",
            "error": finding.what,
        }
    return {"rejected_by": "controller", "error": finding.what}


def plan_answers(given: Given) -> Answer:
    """Through the whole decision: what was seen is the cluster's own, and traffic has moved where something goes."""
    identity = names.Identity(given["namespace"], given["cluster"])
    mapping = [one if isinstance(one, Mapping) else {"az": one} for one in given["mapping"]]
    zones = tuple(ZoneSubnet(_zone(one), Ref(one.get("subnet") or f"subnet-{_zone(one)}")) for one in mapping)
    lbs = tuple(_plan_lb(identity, one, zones) for one in given["observed_lbs"])
    wanted = [entry.zone for entry in zones]
    moved = any(zone and zone not in wanted for zone in map(_zone, given["observed_lbs"]))
    return _plan_view(_decided(identity, zones, lbs, traffic_moved=moved), lbs)


def _decided(
    identity: names.Identity,
    zones: Sequence[ZoneSubnet],
    lbs: Sequence[LoadBalancer] = (),
    cloud: CloudFacts | None = None,
    **more: Any,
) -> Decision:
    """In a world where all that is not given is as the mapping has it."""
    subnets = {entry.subnet.id for entry in zones} | {lb.vip_subnet_id for lb in lbs}
    observed = CapoObserved(
        cluster=OpenStackCluster(managed_lb_enabled=False, endpoint_host="api.example.com", endpoint_port=6443),
        machines=tuple(Machine(f"m-{entry.zone}", f"10.0.0.{n}", entry.zone) for n, entry in enumerate(zones, 1)),
        load_balancers=tuple(lbs),
        subnets=tuple(Subnet(one, "net") for one in sorted(subnets)),
        networks=(Network("net"),),
        cloud=cloud or CloudFacts(api_versions=("v2.26",)),
    )
    desired = CapoDesired(
        identity.namespace,
        identity.cluster,
        zones=tuple(zones),
        network=Ref("net"),
        endpoint_host="api.example.com",
        floating_ips=False,
        upkeep=True,
        traffic_moved_because="the vectors say nothing of DNS",
        **more,
    )
    return decide(desired, observed)


def _plan_lb(identity: names.Identity, lb: Given, zones: Sequence[ZoneSubnet], **pool: Any) -> LoadBalancer:
    """Given by name and zone; the rest is as the mapping has it, so that only what is given speaks."""
    zone = _zone(lb)
    single = lb["name"] == identity.legacy
    place_of = {entry.zone: entry.subnet.id for entry in zones}
    fitting = place_of.get(zone, zones[0].subnet.id if single and zones else f"subnet-{zone}")
    members = (_online(lb["name"], 1), _online(lb["name"], 2))
    return LoadBalancer(
        id=lb.get("id") or lb["name"],
        name=lb["name"],
        availability_zone=zone,
        description=names.capo_description(identity.resource_name),
        vip_subnet_id=lb.get("vip_subnet") or lb.get("subnet") or fitting,
        vip_network_id="net",
        vip_address="10.9.0.5",
        tags=() if single else identity.tags(zone),
        listeners=(Listener("listener", f"{lb['name']}-6443", 6443, pool_id="pool"),),
        pools=(Pool("pool", f"{lb['name']}-6443", members=members, **pool),),
    )


def _online(name: str, number: int) -> Member:
    return Member(f"member-{number}", f"{name}-6443-m", f"10.0.0.{number}", 6443, operating_status="ONLINE")


def _plan_view(decision: Decision, lbs: Sequence[LoadBalancer]) -> Answer:
    """Load balancers by what happens to them, in the order of the steps."""
    on_lbs = [step for step in decision.steps if step.resource == "load_balancer"]
    renamed = {step.name: step.body["name"] for step in on_lbs if step.verb == "update" and "name" in step.body}
    gone = [step.name for step in on_lbs if step.verb == "delete"]
    waiting = [one.where for one in decision.findings if one.code == "awaiting_traffic_moved"]
    return {
        "create": [step.name for step in on_lbs if step.verb == "create"],
        "rename": renamed,
        "delete": gone,
        "keep": [lb.name for lb in lbs if lb.name not in gone and lb.name not in renamed],
        "replace": waiting,
        "mirror_az": (plain(decision.standing) or {}).get("mirror_zone"),
        "verdict": decision.verdict.value,
    }


# what we do as CAPO does it

DEMO = names.Identity("default", "c")
AZ1 = (ZoneSubnet("az1", Ref("subnet-az1")),)
MONITOR = {"delay": "delay", "timeout": "timeout", "max_retries": "maxRetries", "max_retries_down": "maxRetriesDown"}


def monitor_answers(given: Given) -> Answer:
    """A pool with the monitor that was observed, or with none. 501: the provider of this run has shown to lack it."""
    answered = [str(value) for key, value in given.items() if key not in ("spec", "observed")]
    lacks = any("501" in text or "NotImplemented" in text for text in answered)
    cloud = CloudFacts(("v2.26",), lacking=frozenset({("", "health_monitor")} if lacks else ()))
    have, name = given.get("observed"), DEMO.zone("az1")
    values = {ours: (have or {}).get(theirs) or 0 for ours, theirs in MONITOR.items()}
    monitor = HealthMonitor("monitor", f"{name}-6443", **values) if have is not None else None
    lb = _plan_lb(DEMO, {"name": name, "az": "az1"}, AZ1, monitor=monitor)
    decision = _decided(DEMO, AZ1, (lb,), cloud, monitor=read_monitor(given.get("spec")) or MonitorSpec())
    step = next((one for one in decision.steps if one.resource == "health_monitor"), None)
    skipped = any(finding.code == "monitor_unsupported" for finding in decision.findings)
    sent = {MONITOR[key]: value for key, value in plain(step.body).items() if key in MONITOR} if step else {}
    action = {"create": "create", "update": "update-in-place"}[step.verb] if step else "skip" if skipped else "none"
    event = "SkippedCreateMonitor" if skipped else None
    return {"action": action, "changes": sent, "values": sent, "event_reason": event, "fatal": False}


def pool_method_answers(given: Given) -> Answer:
    made = _decided(DEMO, AZ1, provider=given["provider"]).steps[0]
    pool = made.body["listeners"][0]["default_pool"]
    return {"lb_method": pool["lb_algorithm"], "protocol": pool["protocol"]}


def api_port_answers(given: Given) -> Answer:
    endpoint = given.get("endpoint") or {}
    cluster = OpenStackCluster(
        endpoint_host=endpoint.get("host") or "",
        endpoint_port=endpoint.get("port"),
        api_server_port=given.get("apiServerPort"),
    )
    return {"port": api_port(CapoDesired("default", "c"), CapoObserved(cluster=cluster))}


KINDS: dict[str, Kind] = {
    kind: asked(answer)
    for kind, answer in {
        "names": name_answers,
        "name_collision": collision_answers,
        "description": description_answers,
        "member_placement": placement_answers,
        "multi_az_validation": validation_answers,
        "multi_az_error_text": error_text_answers,
        "multi_az_plan": plan_answers,
        "monitor": monitor_answers,
        "pool_method": pool_method_answers,
        "api_port": api_port_answers,
        **ANSWERS,
    }.items()
}
