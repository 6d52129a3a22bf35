# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One API-server load balancer per availability zone for clusters made by CAPO: the pure core (S4, CAPO-1…13).

    decide(desired: CapoDesired, observed: CapoObserved) -> Decision          everything
    decide_members(desired: CapoDesired, observed: CapoObserved) -> Decision  members only, for upkeep (CAPO-13)

OBSERVED is plain data (`observed.py`), filled in by a port:

- `cluster`  ClusterFacts from the OpenStackCluster (`shapes.read_cluster`; None when there is no object to read, and
  then nobody knows who owns a legacy load balancer unless `managed_lb_enabled` is given by hand).
- `machines` the control-plane machines (`shapes.read_machines`), deleting ones included and flagged.
- `load_balancers` every load balancer of the project whose name begins with `k8s-clusterapi-cluster-` or that has a
  tag of this cluster (`names.Identity.cluster_tag`), each with its whole tree: all pools, also those no listener
  uses. More than these does no harm. DELETED ones may be left out.
- `floating_ips` all of the project's; `networks`, `subnets` all that the references may mean (filters are resolved
  here, in `refs.py`), so by id where ids are given and the network's where filters are.
- `cloud` what this Octavia can do: `api_versions` as listed, `providers`, `default_provider`, `zones` (name → enabled),
  `flavors` (enabled: name → id), `quotas` by "load_balancer", "listener", "pool", "health_monitor", "member",
  "floating_ip" (limit −1: unlimited; None: unknown), `lacking`: (provider, "allowed_cidrs" | "health_monitor") pairs
  that answered 501. On a 501 the port adds the pair, observes and decides again.
- `record` where the outcome is written down: `kind` "status" (the CRD has the fields: `shapes.read_record`),
  "config_map" (`name`, `exists`, and `entries`/`mirror` parsed from its data), or "none".
- `others` other CAPI clusters of the project, for name collisions; `endpoint_addresses` what the endpoint's host
  resolves to now (None: not asked), so that nothing it leads to is deleted.

STEPS (`model.Step`), by port, verb and resource. Bodies are the inner objects of the APIs, with the APIs' field names.

| port | verb resource | name | uid | body |
|---|---|---|---|---|
| octavia | create load_balancer | its name | – | fully populated: listeners[].default_pool{healthmonitor, members} |
| octavia | create listener, pool, health_monitor | its name | – | with loadbalancer_id, listener_id, pool_id |
| octavia | update load_balancer, listener, pool, health_monitor | name now | its id | the fields that change |
| octavia | replace members | the pool's name | pool id | {members: all of them}, pool_id where the pool is new |
| octavia | delete listener, pool | its name | its id | – (a pool takes monitor and members along) |
| octavia | delete load_balancer | its name | its id | {cascade: true} |
| octavia | wait load_balancer | its name | its id | {until: ACTIVE or DELETED, is: the state now} |
| neutron | create floating_ip | its description | – | floating_network_id, port_id, description, floating_ip_address? |
| neutron | update floating_ip | its address | its id | {port_id: a VIP port or null} |
| neutron | delete floating_ip | its address | its id | – (only ever one made here) |
| kube | patch openstackclusters.infrastructure.cluster.x-k8s.io | object | its uid | {status: …}, a merge patch |
| kube | create, patch, delete configmaps | record.name | its uid | {data: …}, each value a JSON text once resolved |

An undo step of something that was created has no uid but `body["id"]`.

A value {"$from": {"resource", "name", "attribute"}} anywhere in a body, or as expect["load_balancer_id"], stands for
an attribute (id, vip_port_id, vip_address, floating_ip_address) of what the last create step of that resource and
name answered with; where none ran in this process (undo after a crash), of the object that has the name.

`expect`: `lane`; for octavia writes `load_balancer_id` and `provisioning_status` ACTIVE: the writer waits for that
before it writes, and a write is done when the load balancer is ACTIVE again (or gone); `have`: the fields the step was
planned for, re-read and compared before the write (for members: sorted "address:port"); `subresource` for kube.

ORDER: details["phases"] is a list of {lane: [step numbers]}. Lanes of one phase are independent and may run side by
side (one per zone, "single", "legacy", "<zone> (old)", "floating-ips", "record"); steps of a lane run in order; a
phase starts when the one before it is done. Step order as such is also a right order. A lane that ends in a wait has
to be observed and decided again afterwards.

VERDICTS: `invalid` and `blocked` write nothing and are the only ones with findings of severity error; a lane that
cannot be worked on (ERROR, …) is a warning as long as other lanes have work, and `blocked` when nothing else is left.
`in_progress`: a load balancer is PENDING (wait steps), or details["awaiting"] names what the caller has to say
(`traffic_moved`) before the rest can happen; there everything else is in place and a run has succeeded.

DETAILS besides: `api_server_load_balancers` (S4's status entries as they stand), `mirror` and `mirror_zone` (from the
first mapping), `dns` {host, publish[], withhold[]}, `drift` [{lane, kind, have, want, port?}], `counts`. `before` and
`after` are what a person edits, by lane.

`shipped.py` and `shipped_webhook.py` model the released CAPO controller, which runs beside us and does otherwise.
"""
