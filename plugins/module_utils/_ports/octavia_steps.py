# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia, written to: one request per step. Waiting for ACTIVE between them is the caller's."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .._core.capo.steps import created
from .._core.model import Step
from .errors import Conflict
from .octavia import LOAD_BALANCERS, OCTAVIA, RESOURCES
from .openstack_cloud import Body, Cloud, CloudCall
from .openstack_refusals import Unsupported
from .openstack_steps import Answers, Writer, expect
from .patience import Patience

_PARENTS = {"listener": "loadbalancer_id", "pool": "listener_id", "health_monitor": "pool_id"}


class OctaviaSteps:
    """`known`: ids of load balancers that were there before, so that a new one of the same name is told apart."""

    def __init__(self, cloud: Cloud, answers: Answers, patience: Patience | None = None) -> None:
        self._cloud = cloud
        self._answers = answers
        self._writer = Writer(cloud, patience)
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
        try:
            made = self._writer.create(call, key, lambda: self._landed(step, body))
        except Unsupported as problem:
            raise _featured(problem, step, body) from problem
        self._answers.keep(step, made)

    def _landed(self, step: Step, body: Body) -> Body | None:
        """What our own lost try made: the same name, below the same parent, and new."""
        path, _key = RESOURCES[step.resource]
        for one in self._cloud.items(OCTAVIA, path, path.rpartition("/")[2], {"name": step.name}):
            if step.resource == "load_balancer":
                if one["id"] not in self.known and one.get("description") == body.get("description"):
                    return one
            elif _parent(step.resource, one) == body.get(_PARENTS[step.resource], ""):
                return one
        return None

    def _update(self, step: Step) -> None:
        path, key = RESOURCES[step.resource]
        where = f"{path}/{step.uid}"
        if step.expect:
            found = self._cloud.read(CloudCall(OCTAVIA, "GET", where))
            expect(step, found[key] if found else None)
        body = self._answers.resolve(step.body)
        try:
            answer = self._writer.change(CloudCall(OCTAVIA, "PUT", where, body={key: body}))
        except Unsupported as problem:
            raise _featured(problem, step, body) from problem
        if answer.status == 404:
            raise Conflict(f"{step.ref} is gone.", "Run again: the plan is made anew from what is there now.")

    def _replace(self, step: Step) -> None:
        """One batch for the whole pool."""
        body = self._answers.resolve(step.body)
        where = f"/lbaas/pools/{body.pop('pool_id', None) or step.uid}/members"
        if step.expect:
            found = self._cloud.items(OCTAVIA, where, "members")
            expect(step, {"members": [f"{one['address']}:{one['protocol_port']}" for one in found]})
        answer = self._writer.change(CloudCall(OCTAVIA, "PUT", where, body=body))
        if answer.status == 404:
            raise Conflict(f"Pool {step.name} is gone.", "Run again: the plan is made anew from what is there now.")

    def _delete(self, step: Step) -> None:
        path, key = RESOURCES[step.resource]
        body = self._answers.resolve(step.body) or {}
        where = f"{path}/{step.uid or body['id']}"
        if step.expect:
            found = self._cloud.read(CloudCall(OCTAVIA, "GET", where))
            if found is None:
                return
            expect(step, found[key])
        query = {"cascade": "true"} if body.get("cascade") and path == LOAD_BALANCERS else None
        self._writer.change(CloudCall(OCTAVIA, "DELETE", where, query))


def _parent(resource: str, body: Body) -> str:
    """Octavia shows parents as lists of ids."""
    plural = {"listener": "loadbalancers", "pool": "listeners", "health_monitor": "pools"}[resource]
    return next((str(one["id"]) for one in body.get(plural) or ()), "")


def _featured(problem: Unsupported, step: Step, body: Any) -> Unsupported:
    """Which of our options the provider lacks: its words tell, else what was sent."""
    words = str(problem.details.get("words", "")).lower()
    monitored = step.resource == "health_monitor" or "monitor" in words
    feature = "health_monitor" if monitored and "cidr" not in words else "allowed_cidrs"
    provider = problem.details.get("provider") or (body or {}).get("provider") or ""
    return Unsupported(problem.message, problem.remedy, provider=provider, feature=feature)
