# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked for and what was seen (CAPO-1): plain data. Options and objects fill the one, readers the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..data import Json, fixed
from .names import Identity

STATES = ("present", "single", "absent")
LEGACY = ("adopt", "keep", "retire")
REASONS = ("traffic_moved_because", "empty_pools_because")
PORTS = range(1, 65536)
ADOPTED = ("give_back", "delete")
DEFAULT_PORT = 6443
CAPI, INFRASTRUCTURE = "cluster.x-k8s.io", "infrastructure.cluster.x-k8s.io"  # API groups
CLUSTER_LABEL = f"{CAPI}/cluster-name"


@dataclass(frozen=True)
class Ref:
    """A subnet or network as CAPO's SubnetParam and NetworkParam name it: exactly one of id and filter."""

    id: str = ""
    filter: Json = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "filter", fixed(self.filter))

    def __str__(self) -> str:
        if self.id:
            return self.id
        return " ".join(f"{key}={value}" for key, value in sorted((self.filter or {}).items())) or "(nothing)"


@dataclass(frozen=True)
class ZoneSubnet:
    """One entry of availabilityZoneSubnets. What is empty is the cluster's to say, and then Octavia's."""

    zone: str  # the label: in names, marks and the record, and what machines' failure domains are matched with
    subnet: Ref
    octavia_zone: str = ""  # else of the same name
    provider: str = ""
    flavor: str = ""
    fixed_ip: str = ""  # VIP address


@dataclass(frozen=True)
class MonitorSpec:
    """TCP health monitor; zero means the default, as in CAPO (facts: capo §3)."""

    delay: int = 10
    timeout: int = 5
    max_retries: int = 5
    max_retries_down: int = 3


@dataclass(frozen=True)
class CapoDesired:
    """Everything the caller says. Fields follow the module's options."""

    namespace: str
    cluster: str  # the CAPI Cluster's name
    inventory_name: str = ""
    from_object: frozenset[str] = frozenset()  # fields that the OpenStackCluster says and the caller does not
    state: str = "present"  # single: back to one load balancer; absent: none
    zones: tuple[ZoneSubnet, ...] = ()
    network: Ref | None = None
    endpoint_host: str = ""
    endpoint_port: int | None = None  # else the object's endpoint port, its API server port, 6443
    additional_ports: tuple[int, ...] = ()
    allowed_cidrs: tuple[str, ...] | None = None  # None: leave the listeners' lists alone; (): open to all
    monitor: MonitorSpec = MonitorSpec()
    allow_cross_az_members: bool = False
    zone_aliases: Mapping[str, str] = field(default_factory=dict)  # Nova zone → zone of the mapping
    floating_ips: bool = True
    floating_network_id: str = ""  # else the object's external network
    floating_ip: str = ""  # cluster-wide address the user brought: the first zone takes it
    floating_ip_by_zone: Mapping[str, str] = field(default_factory=dict)
    fixed_ip: str = ""  # VIP address; only with a single zone
    provider: str = ""
    flavor: str = ""  # by name, as in CAPO
    availability_zone_hint: bool = True
    tags: tuple[str, ...] = ()
    timeout_client_data: int | None = None  # milliseconds without data; None: leave the listeners' own alone
    timeout_member_data: int | None = None
    legacy: str = "adopt"
    leave_legacy: bool = False  # in this run, whatever `legacy` says
    traffic_moved: bool = False
    traffic_moved_because: str = ""  # how a person knows, where DNS does not tell
    resolve_endpoint: bool | None = None  # may DNS be asked? None: where something is to be deleted
    allow_unhealthy_zones: tuple[str, ...] = ()  # zones that may be without an ONLINE member when something is deleted
    upkeep: bool = False  # a members-only run is scheduled (CAPO-13)
    allow_rebuild: bool = False
    others_may_go: tuple[str, ...] = ()  # what others put on a load balancer and may go with it, by name or address
    empty_pools_because: str = ""  # a person's reason to take out the last members that answer
    adopted: str = "give_back"  # what becomes of what was not made here when all goes
    former_uids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "zone_aliases", fixed(self.zone_aliases))
        object.__setattr__(self, "floating_ip_by_zone", fixed(self.floating_ip_by_zone))

    @property
    def identity(self) -> Identity:
        """Names; whose marks count is known once the cloud and the cluster were read (Site.identity)."""
        return Identity(self.namespace, self.cluster, former_uids=self.former_uids)

    @property
    def zone_names(self) -> tuple[str, ...]:
        return tuple(entry.zone for entry in self.zones)

    @property
    def reasons(self) -> dict[str, str]:
        """What a person gave as reasons, by option: told again in results and events."""
        given = {name: getattr(self, name) for name in REASONS}
        return {name: text for name, text in given.items() if text}

    @property
    def providers(self) -> dict[str, str]:
        """By the option that names one."""
        return _named("provider", self.provider, {one.zone: one.provider for one in self.zones})

    @property
    def flavors(self) -> dict[str, str]:
        return _named("flavor", self.flavor, {one.zone: one.flavor for one in self.zones})


def _named(option: str, of_all: str, by_zone: Mapping[str, str]) -> dict[str, str]:
    named = {option: of_all, **{f"zones[{zone}].{option}": value for zone, value in by_zone.items()}}
    return {where: value for where, value in named.items() if value}


# --- what was seen ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Member:
    id: str
    name: str
    address: str
    protocol_port: int
    subnet_id: str = ""
    weight: int = 1
    backup: bool = False
    monitor_address: str | None = None
    monitor_port: int | None = None
    admin_state_up: bool = True
    tags: tuple[str, ...] = ()
    provisioning_status: str = "ACTIVE"
    operating_status: str = "OFFLINE"


@dataclass(frozen=True)
class HealthMonitor:
    id: str
    name: str
    delay: int
    timeout: int
    max_retries: int
    max_retries_down: int
    type: str = "TCP"
    admin_state_up: bool = True
    provisioning_status: str = "ACTIVE"


@dataclass(frozen=True)
class Pool:
    id: str
    name: str
    protocol: str = "TCP"
    lb_algorithm: str = "ROUND_ROBIN"
    monitor: HealthMonitor | None = None
    members: tuple[Member, ...] = ()
    admin_state_up: bool = True
    provisioning_status: str = "ACTIVE"
    operating_status: str = "OFFLINE"


@dataclass(frozen=True)
class Listener:
    id: str
    name: str
    protocol_port: int
    protocol: str = "TCP"
    allowed_cidrs: tuple[str, ...] = ()  # Octavia reads [] and null back as null: both are () here
    pool_id: str = ""
    timeout_client_data: int | None = None
    timeout_member_data: int | None = None
    admin_state_up: bool = True
    provisioning_status: str = "ACTIVE"
    operating_status: str = "OFFLINE"


@dataclass(frozen=True)
class LoadBalancer:
    id: str
    name: str
    provisioning_status: str = "ACTIVE"
    operating_status: str = "OFFLINE"
    description: str = ""
    provider: str = ""
    availability_zone: str = ""
    flavor_id: str = ""
    vip_address: str = ""
    vip_port_id: str = ""
    vip_subnet_id: str = ""
    vip_network_id: str = ""
    created_at: str = ""
    tags: tuple[str, ...] = ()
    listeners: tuple[Listener, ...] = ()
    pools: tuple[Pool, ...] = ()  # all pools of the load balancer, also those no listener uses
    admin_state_up: bool = True

    def pool(self, pool_id: str) -> Pool | None:
        return next((pool for pool in self.pools if pool.id == pool_id), None)

    def listener(self, port: int) -> Listener | None:
        """The listener that serves API clients on a port. A UDP one may stand beside it and is not ours."""
        return next((one for one in self.listeners if one.protocol_port == port and one.protocol != "UDP"), None)

    @property
    def loose_pools(self) -> tuple[Pool, ...]:
        used = {listener.pool_id for listener in self.listeners}
        return tuple(pool for pool in self.pools if pool.id not in used)

    @property
    def pending(self) -> bool:
        return self.provisioning_status.startswith("PENDING_")


@dataclass(frozen=True)
class FloatingIp:
    id: str
    address: str
    port_id: str = ""
    description: str = ""


@dataclass(frozen=True)
class Subnet:
    """`facts` are Neutron's own fields (name, description, project_id, gateway_ip, tags, …), for filters."""

    id: str
    network_id: str = ""
    cidr: str = ""
    facts: Json = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", fixed(self.facts))


@dataclass(frozen=True)
class Network:
    id: str
    name: str = ""
    facts: Json = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", fixed(self.facts))


@dataclass(frozen=True)
class Machine:
    """One control-plane machine. `failure_domain` is a Nova zone."""

    name: str  # the OpenStackMachine's name
    address: str = ""
    failure_domain: str = ""
    ready: bool = True
    deleting: bool = False


@dataclass(frozen=True)
class OpenStackCluster:
    """What the OpenStackCluster object says, whichever API version it was read in."""

    api_version: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    paused: bool = False
    deleting: bool = False
    # Does the CAPO controller run an API load balancer of its own? None: nobody could tell.
    managed_lb_enabled: bool | None = None
    endpoint_host: str = ""
    endpoint_port: int | None = None
    api_server_port: int | None = None
    network_id: str = ""
    subnets: tuple[Subnet, ...] = ()  # status.network.subnets, with their CIDRs
    router_ips: tuple[str, ...] = ()
    bastion_ips: tuple[str, ...] = ()
    external_network_id: str = ""
    failure_domains: tuple[str, ...] = ()

    @property
    def reference(self) -> dict[str, str]:
        """As events and owner references name it."""
        version = f"{INFRASTRUCTURE}/{self.api_version}"
        return {"apiVersion": version, "kind": "OpenStackCluster", "name": self.name, "uid": self.uid}


@dataclass(frozen=True)
class OtherCluster:
    """Another CAPI cluster that uses the same project: its names must not meet ours."""

    namespace: str
    cluster: str
    zones: tuple[str, ...] = ()
    managed_lb_enabled: bool | None = None


@dataclass(frozen=True)
class Quota:
    limit: int | None = None  # None: unknown; -1: unlimited
    used: int = 0

    @property
    def free(self) -> int | None:
        return None if self.limit is None or self.limit < 0 else max(self.limit - self.used, 0)


@dataclass(frozen=True)
class CloudFacts:
    """What this Octavia and Neutron can do."""

    api_versions: tuple[str, ...] = ()
    providers: tuple[str, ...] | None = None
    default_provider: str = ""
    zones: Mapping[str, bool] | None = None  # Octavia availability zone → enabled; None: could not be listed
    flavors: Mapping[str, str] | None = None  # enabled flavors: name → id
    quotas: Mapping[str, Quota] = field(default_factory=dict)
    chooses_addresses: bool = True  # may a floating IP be made with an address of one's choice?
    # (provider, feature) that were refused in this run: site.WITHOUT and SINCE name features
    lacking: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class Record:
    """Where the outcome is written down (CAPO-6): status fields where the CRD has them, else a ConfigMap."""

    kind: str = "none"  # status, config_map, none
    name: str = ""
    exists: bool = False
    uid: str = ""
    resource_version: str = ""
    entries: Json = ()  # as in the result's api_server_load_balancers
    mirror: Json = None
    mirror_field: str = ""  # apiServerLoadBalancer, apiServerManagedLoadBalancer; "" where it may not be written

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", fixed(self.entries))
        object.__setattr__(self, "mirror", fixed(self.mirror))

    def entry(self, *, zone: str = "", load_balancer_id: str = "") -> Json:
        """The entry of a zone or of a load balancer, or an empty mapping."""
        for entry in self.entries:
            if (zone and entry.get("availabilityZone") == zone) or (
                load_balancer_id and entry.get("id") == load_balancer_id
            ):
                return entry
        return fixed({})


@dataclass(frozen=True)
class CapoObserved:
    cluster: OpenStackCluster | None = None  # None: no object could be read, and nobody knows who owns a legacy one
    project: str = ""  # of the credentials: nothing of any other is read
    machines: tuple[Machine, ...] = ()  # of the control plane, those on their way out included
    load_balancers: tuple[LoadBalancer, ...] = ()  # at least those with a name or a mark of this cluster
    floating_ips: tuple[FloatingIp, ...] = ()  # all of the project
    subnets: tuple[Subnet, ...] = ()  # all that the references may mean: the core resolves filters
    networks: tuple[Network, ...] = ()
    cloud: CloudFacts = CloudFacts()
    record: Record = Record()
    others: tuple[OtherCluster, ...] = ()
    external_networks: tuple[Network, ...] | None = None  # with the id that floating IPs are to be of; None: not asked
    taken: Mapping[str, str] = field(default_factory=dict)  # VIP addresses asked for → the port that has it
    endpoint_addresses: tuple[str, ...] | None = None  # what the endpoint's host resolves to now; None: not asked
    own_endpoint_addresses: tuple[str, ...] | None = None  # the same of the object's own, where that is another name
    dead_locks: tuple[str, ...] = ()  # ports that mark locks of runs which are gone
    # Recorded load balancers that the project does not have and Octavia does not call gone: id → whose they are.
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def floating_ip_on(self, port_id: str) -> FloatingIp | None:
        return next((ip for ip in self.floating_ips if port_id and ip.port_id == port_id), None)
