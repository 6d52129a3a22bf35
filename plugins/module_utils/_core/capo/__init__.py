# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One API-server load balancer per availability zone for clusters made by CAPO: the pure core (S4, CAPO-1…13).

    decide(desired: CapoDesired, observed: CapoObserved) -> Decision          everything
    decide_members(desired: CapoDesired, observed: CapoObserved) -> Decision  members only, for upkeep (CAPO-13)

`state` says what goes in, `site` brings it together, `ownership` says which load balancer is which. `lanes`, `trees`,
`floating`, `members`, `retire` and `record` collect steps, a lane per load balancer ("az1", "az1 (old)", "single",
"legacy") and two more ("floating-ips", "record"); `assembly` makes one decision of them; `report` tells people.

STEPS have the APIs' own field names in their bodies; a load balancer is created with everything below it, members are
replaced as a whole, and deleting a load balancer cascades. An undo of something created names it by body["id"].
A value {"$from": {"resource", "name", "attribute"}} in a body or in `locks` stands for an attribute of what the last
create step of that resource and name answered with in this run. `locks` is the load balancer that Octavia holds
PENDING while the step is done: the writer waits until it is ACTIVE again.

VERDICTS: `invalid` and `blocked` write nothing and are the only ones with findings of severity error; a lane that
cannot be worked on (ERROR, …) is a warning as long as other lanes have work, and `blocked` when nothing else is left.
`in_progress`: a load balancer is PENDING (a wait step; read and decide again), or details["awaiting"] names what the
caller has to say (`traffic_moved`); there everything else is in place and a run has succeeded.
"""
