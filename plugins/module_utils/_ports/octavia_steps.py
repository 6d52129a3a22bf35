# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia, written to: one request per step. Waiting for ACTIVE between them is the caller's."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import nullcontext
from ipaddress import ip_address

from .._core.capo.names import mark_of_description
from .._core.capo.steps import created
from .._core.model import Step
from .errors import Conflict, Invalid
from .octavia import LOAD_BALANCERS, OCTAVIA, RESOURCES
from .octavia_features import featured, is_about_the_way
from .octavia_leftovers import Leftovers
from .openstack_cloud import Body, Cloud, CloudCall
from .openstack_refusals import Immutable, Taken, Unsupported
from .openstack_steps import Answers, Writer, expect
from .patience import Patience, Tries

_FIXED = ("address", "protocol_port", "subnet_id")  # of a member, as long as it is one
_PARENTS = {"listener": "loadbalancer_id", "pool": "listener_id", "health_monitor": "pool_id"}


class OctaviaSteps:
    """`known`: ids of load balancers that were there before, so that a new one of the same name is told apart."""

    def __init__(self, cloud: Cloud, answers: Answers, patience: Patience | None = None) -> None:
        self._cloud = cloud
        self._answers = answers
        self._writer = Writer(cloud, patience)
        self._patience = patience or cloud.patience
        self._leftovers = Leftovers(cloud, self._patience)
        self.known: Collection[str] = ()

    def locked(self, step: Step) -> str:
        """The id of the load balancer that the step locks; "" before it exists."""
        return str(self._answers.resolve(step.locks) or "")

    def do(self, step: Step) -> str:
        """Carries one step out; the id of the load balancer that is PENDING afterwards. Immutable: nothing was done."""
        verbs = {"create": self._create, "update": self._update, "replace": self._replace, "delete": self._delete}
        if step.port != "octavia" or step.verb not in verbs:
            raise ValueError(f"{step.verb} {step.ref} is not a step for this port")
        verbs[step.verb](step)
        if step.resource == "load_balancer" and step.verb == "create":
            return str(self._answers.resolve(created("load_balancer", step.name)))
        return self.locked(step)

    def _create(self, step: Step) -> None:
        path, key = RESOURCES[step.resource]
        body = self._answers.resolve(step.body)
        call = CloudCall(OCTAVIA, "POST", path, body={key: body})
        whole = step.resource == "load_balancer"
        clearing = self._leftovers.cleared(body.get("vip_subnet_id", "")) if whole else nullcontext()
        if whole:
            self._see_no_twin(step, body)
        try:
            with clearing:
                made = self._writer.create(call, key, lambda tries: self._landed(step, body, tries))
        except Unsupported as problem:
            raise featured(problem, step, body) from problem
        except Taken as problem:
            # Names are not unique in Octavia: what a new load balancer clashes with does not go by looking again.
            raise _for_good(problem) if whole else problem from problem
        self._answers.keep(step, made)
        if whole:
            self._see_no_twin(step, body, made["id"])

    def _see_no_twin(self, step: Step, body: Body, made: str = "") -> None:
        """Octavia keeps no name unique, so it is looked right before and right after: a killed run's request may land
        at any time, and another run may have had the same thought."""
        found = [one for one in self._twins(step, body) if one["id"] != made]
        if found:
            ids = ", ".join(one["id"] for one in found)
            raise Conflict(f"{step.ref} was made by another request meanwhile ({ids}).", "It is looked at anew.")

    def _twins(self, step: Step, body: Body, tries: Tries | None = None) -> Iterator[Body]:
        """Of this name and mark, and not there yet when it was decided."""
        listed = self._cloud.own_items(OCTAVIA, LOAD_BALANCERS, "loadbalancers", {"name": step.name}, tries)
        for one in listed:
            going = one.get("provisioning_status") in ("PENDING_DELETE", "DELETED")
            if one["id"] not in self.known and not going and _same_mark(one, body):
                yield one

    def _landed(self, step: Step, body: Body, tries: Tries) -> Body | None:
        """What our own lost try made: the same name, below the same parent, and new."""
        if step.resource == "load_balancer":
            return next(self._twins(step, body, tries), None)
        path, _key = RESOURCES[step.resource]
        for one in self._cloud.own_items(OCTAVIA, path, path.rpartition("/")[2], {"name": step.name}, tries):
            if _parent(step.resource, one) == body.get(_PARENTS[step.resource], ""):
                return one
        return None

    def _update(self, step: Step) -> None:
        path, key = RESOURCES[step.resource]
        where = f"{path}/{step.uid}"
        if step.expect:
            expect(step, self._cloud.read(CloudCall(OCTAVIA, "GET", where), key))
        body = self._answers.resolve(step.body)
        try:
            answer = self._writer.change(CloudCall(OCTAVIA, "PUT", where, body={key: body}))
        except Unsupported as problem:
            raise featured(problem, step, body) from problem
        if answer.status == 404:
            raise Conflict(f"{step.ref} is gone.", "Run again: the plan is made anew from what is there now.")

    def _replace(self, step: Step) -> None:
        """One batch for the whole pool."""
        body = self._answers.resolve(step.body)
        where = f"/lbaas/pools/{body.pop('pool_id', None) or step.uid}/members"
        if step.expect:
            found = self._cloud.items(OCTAVIA, where, "members", below=True)
            expect(step, {"members": [f"{one['address']}:{one['protocol_port']}" for one in found]})
        try:
            answer = self._writer.change(CloudCall(OCTAVIA, "PUT", where, body=body))
        except Taken as problem:
            raise _for_good(problem) from problem
        except Unsupported as problem:
            known = featured(problem, step, body)
            if known.details["feature"] and not is_about_the_way(problem):
                raise known from problem
            self._one_by_one(where, body["members"])
            return
        if answer.status == 404:
            raise Conflict(f"Pool {step.name} is gone.", "Run again: the plan is made anew from what is there now.")

    def _one_by_one(self, where: str, wanted: list[Body]) -> None:
        """For a provider without batches: everybody new first, and those who leave last."""
        have = {_place(one): one for one in self._cloud.items(OCTAVIA, where, "members", below=True)}
        for one in wanted:
            old = have.pop(_place(one), None)
            if old is None:
                self._patiently(CloudCall(OCTAVIA, "POST", where, body={"member": one}))
                continue
            change = {key: value for key, value in one.items() if key not in _FIXED and old.get(key) != value}
            if change:
                self._patiently(CloudCall(OCTAVIA, "PUT", f"{where}/{old['id']}", body={"member": change}))
        for old in have.values():
            self._patiently(CloudCall(OCTAVIA, "DELETE", f"{where}/{old['id']}"))

    def _patiently(self, call: CloudCall) -> None:
        """Each locks the load balancer for the next."""
        tries = self._patience.start()
        while True:
            try:
                self._writer.change(call)
            except Immutable:
                if not tries.pause():
                    raise
            except Taken:
                return  # an answer got lost, and it is there
            else:
                return

    def _delete(self, step: Step) -> None:
        path, key = RESOURCES[step.resource]
        body = self._answers.resolve(step.body) or {}
        where = f"{path}/{step.uid or body['id']}"
        if step.expect:
            found = self._cloud.read(CloudCall(OCTAVIA, "GET", where), key)
            if found is None:
                return
            expect(step, found)
        query = {"cascade": "true"} if body.get("cascade") and path == LOAD_BALANCERS else None
        self._writer.change(CloudCall(OCTAVIA, "DELETE", where, query))


def _same_mark(one: Body, other: Body) -> bool:
    """For the same cluster and zone, whether or not the uid was known."""
    marks = [mark_of_description(str(body.get("description") or "")) for body in (one, other)]
    if marks[0] is None or marks[1] is None:
        return bool(one.get("description") == other.get("description"))
    return (marks[0].cluster, marks[0].zone) == (marks[1].cluster, marks[1].zone)


def _parent(resource: str, body: Body) -> str:
    """Octavia shows parents as lists of ids."""
    plural = {"listener": "loadbalancers", "pool": "listeners", "health_monitor": "pools"}[resource]
    return next((str(one["id"]) for one in body.get(plural) or ()), "")


def _place(member: Body) -> tuple[str, int]:
    return str(ip_address(member["address"])), int(member["protocol_port"])


def _for_good(problem: Taken) -> Invalid:
    return Invalid(problem.message, "The service's own words say what is in the way; sending it again would not help.")
