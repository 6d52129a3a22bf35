# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One cluster's API: reads give plain data, steps are carried out with the preconditions they were planned with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .._core.data import Json, dig, plain
from .._core.model import Step
from .._core.shape import Misshapen, sane
from . import attempts, kube_auth, kube_paths
from .errors import Conflict, NotAsPlanned, Unreadable
from .kube_refusals import is_missing_object, refusal
from .kube_wire import KubeAnswer, KubeCall, Wire
from .patience import Patience

Object = dict[str, Any]
Objects = list[Object]  # `list` is also a method here

_PAGE = 500
_TRIES = 5
_MERGE = "application/merge-patch+json"
# What the server fills in or changes by itself; no part of whether a replace has landed.
_SERVERS_MARKS = ("uid", "resourceVersion")  # of every object that was ever stored
_SERVERS_OWN = ("resourceVersion", "uid", "generation", "creationTimestamp", "managedFields")


class Kube:
    """Safe to use from several threads. Also a context manager that closes its connections."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._verbs: dict[str, Callable[[Step, str, bool], Object | None]] = {
            "create": self._create,
            "patch": self._patch,
            "replace": self._replace,
            "delete": self._delete,
        }

    @classmethod
    def connect(
        cls,
        options: Mapping[str, Any],
        *,
        environ: Mapping[str, str] | None = None,
        patience: Patience | None = None,
    ) -> Kube:
        """From kubernetes.core's options and K8S_AUTH_* variables. Makes no request: the first read finds out."""
        return cls(Wire(kube_auth.access(options, environ), patience or Patience()))

    @property
    def host(self) -> str:
        return self._wire.access.host

    def secrets(self) -> tuple[str, ...]:
        """What was sent to be let in."""
        return tuple(self._wire.sent)

    def close(self) -> None:
        self._wire.close()

    def __enter__(self) -> Kube:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- reading ------------------------------------------------------------------------------------------------------

    def get(self, resource: str, namespace: str, name: str) -> Object | None:
        """None where there is no such object; NoSuchApi where the cluster knows no such kind."""
        call = KubeCall("GET", "get", kube_paths.resource(resource), namespace, name)
        answer = self._wire.request(call)
        if is_missing_object(answer):
            return None
        return self._sane(call, self._accepted(call, answer))

    def list(
        self, resource: str, namespace: str | None = None, *, label_selector: str = "", field_selector: str = ""
    ) -> Objects:
        """All pages; over all namespaces where none is given."""
        query = {"limit": str(_PAGE), "labelSelector": label_selector, "fieldSelector": field_selector}
        found: Objects = []
        after = ""
        while True:
            page = query | {"continue": after}
            call = KubeCall("GET", "list", kube_paths.resource(resource), namespace or "", query=page)
            answer = self._wire.request(call)
            if answer.status == 410 and after:
                # The page mark is older than the server's memory; what was read so far is of another time.
                found, after = [], ""
                continue
            body = self._accepted(call, answer)
            found += [self._sane(call, item) for item in self._items(call, body)]
            after = str(dig(body, "metadata", "continue") or "")
            if not after:
                return found

    def now(self) -> float:
        """The server's clock, in seconds: all who lock there measure by the same one."""
        return self._wire.now()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Until then a server that does not answer is tried again, and not for much longer."""
        self._wire.until(seconds)
        try:
            yield
        finally:
            self._wire.until(None)

    def may(self, verb: str, resource: str, namespace: str, name: str = "") -> bool:
        """Would the server allow it? One request, and nothing is done."""
        found = kube_paths.resource(resource)
        wanted = {
            "verb": verb,
            "group": found.group,
            "resource": found.plural,
            "subresource": found.subresource,
            "namespace": namespace,
            "name": name,
        }
        body = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {key: value for key, value in wanted.items() if value}},
        }
        review = kube_paths.resource("selfsubjectaccessreviews.v1.authorization.k8s.io")
        call = KubeCall("POST", "create", review, body=body, repeatable=True)
        answer = self._accepted(call, self._wire.request(call))
        allowed = dig(answer, "status", "allowed")
        if not isinstance(allowed, bool):
            raise self._strange(call, "status.allowed is not there")
        return allowed

    def rehearse(self, resource: str, body: Json) -> Object:
        """What the server would make of a new object: everything but storing it is done."""
        wanted: Object = plain(body)
        meta = wanted["metadata"]
        kind, query = kube_paths.resource(resource), {"dryRun": "All"}
        call = KubeCall("POST", "create", kind, meta["namespace"], meta["name"], query, wanted, repeatable=True)
        return self._accepted(call, self._wire.request(call))

    # -- writing ------------------------------------------------------------------------------------------------------

    def do(self, step: Step, *, exists_ok: bool = False) -> Object | None:
        """Carry out a create, patch, replace or delete; returns the object as the server left it, None once it is gone.

        `step.expect` is a piece of an object (null: absent) that must be there before; it is read right before the
        write, and the write then holds only for what was read. Where somebody wrote in that very moment (a controller
        its status) and it is still there, it is tried again. `exists_ok`: a create that finds one gives that back.
        """
        if step.port != "kube" or step.verb not in self._verbs:
            raise ValueError(f"{step.verb} {step.ref} is not a step for this port")
        write = self._verbs[step.verb]
        if step.expect is None:
            return write(step, step.resource_version, exists_ok)
        for _try in range(_TRIES - 1):
            version = self._expected(step)
            try:
                return write(step, step.resource_version or version, exists_ok)
            except Conflict:
                if step.resource_version:
                    raise
        return write(step, self._expected(step), exists_ok)

    def _expected(self, step: Step) -> str:
        """The resourceVersion that was found to be as the step expects."""
        have = self.get(step.resource.partition("/")[0], step.namespace, step.name)
        wanted = have is not None and step.uid in ("", have["metadata"]["uid"]) and _holds(have, step.expect)
        if have is None or not wanted:
            state = "is gone" if have is None else "is not in the state this step was planned for"
            raise NotAsPlanned(
                f"{step.ref} {state}.", "Run again: the plan is made anew from what is there now.", call=step.ref
            )
        return str(have["metadata"]["resourceVersion"])

    def _create(self, step: Step, _version: str, exists_ok: bool) -> Object | None:
        body = plain(step.body)
        meta = body.setdefault("metadata", {})
        meta.setdefault("name", step.name)
        if step.namespace:
            meta.setdefault("namespace", step.namespace)
        # A name can be taken only once, so a second try cannot make a second object.
        call = self._call(step, "POST", "create", body, repeatable=True)
        answer = self._wire.request(call)
        welcome = exists_ok and answer.status == 409 and answer.part("reason") == "AlreadyExists"
        if welcome or (answer.unsure and not answer.good):
            have = self.get(step.resource, step.namespace, step.name)
            # After a lost answer it may be the one of our first try: then it says what we sent. The refusal need not be
            # 409: a Service is told that its own cluster IP is already allocated.
            if have is not None and (welcome or _holds(have, body)):
                return have
        return self._written(call, answer)

    def _patch(self, step: Step, version: str, _exists_ok: bool) -> Object | None:
        body = _with_preconditions(step, version)
        call = self._call(step, "PATCH", "patch", body, content_type=_MERGE, repeatable=bool(version))
        return self._landed(call, self._wire.request(call), step, step.body)

    def _replace(self, step: Step, version: str, _exists_ok: bool) -> Object | None:
        body = _with_preconditions(step, version)
        call = self._call(step, "PUT", "update", body, repeatable=bool(version))
        meta = {key: value for key, value in body["metadata"].items() if key not in _SERVERS_OWN}
        return self._landed(call, self._wire.request(call), step, body | {"metadata": meta})

    def _landed(self, call: KubeCall, answer: KubeAnswer, step: Step, content: Json) -> Object:
        """The object after an update. A conflict after a lost answer may be with our own first try: look."""
        if answer.status == 409 and answer.unsure:
            have = self.get(step.resource.partition("/")[0], step.namespace, step.name)
            if have is not None and step.uid in ("", have["metadata"]["uid"]) and _holds(have, content):
                return have
        return self._written(call, answer)

    def _written(self, call: KubeCall, answer: KubeAnswer) -> Object:
        """A write is believed when the object comes back."""
        body = self._accepted(call, answer)
        try:
            return self._sane(call, body)
        except Unreadable:
            attempts.lose()
            raise

    def _delete(self, step: Step, version: str, _exists_ok: bool) -> Object | None:
        preconditions = {"uid": step.uid, "resourceVersion": version}
        options: Object = {"apiVersion": "v1", "kind": "DeleteOptions", **(plain(step.body) or {})}
        options["preconditions"] = {key: value for key, value in preconditions.items() if value}
        # Without the uid a second try could delete what somebody made in between.
        call = self._call(step, "DELETE", "delete", options, repeatable=bool(step.uid))
        answer = self._wire.request(call)
        if is_missing_object(answer):
            return None
        if answer.status == 409 and answer.unsure:
            have = self.get(step.resource, step.namespace, step.name)
            if have is None or have["metadata"]["uid"] != step.uid:
                return None  # the one that was meant is gone
            if have["metadata"].get("deletionTimestamp"):
                return have
        gone = self._accepted(call, answer)
        return None if gone.get("kind") == "Status" else _unless_gone(gone)

    def _call(self, step: Step, method: str, verb: str, body: Any, **more: Any) -> KubeCall:
        return KubeCall(method, verb, kube_paths.resource(step.resource), step.namespace, step.name, body=body, **more)

    def _sane(self, call: KubeCall, body: Json) -> Object:
        """Unreadable where it cannot be what the call asked for."""
        try:
            found = sane(call.resource.key, body)
            missing = [name for name in _SERVERS_MARKS if not dig(found, "metadata", name)]
            if missing:
                raise Misshapen("; ".join(f"metadata.{name}: Required value" for name in missing))
        except Misshapen as problem:
            raise self._strange(call, str(problem)) from None
        return found

    def _items(self, call: KubeCall, body: Object) -> Objects:
        """A server that has none says so with an empty list; anything else is no list of it."""
        found = body.get("items", ...)
        if found is ... or not isinstance(found, (list, type(None))):
            raise self._strange(call, "it has no list of items")
        return found or []

    def _strange(self, call: KubeCall, problem: str) -> Unreadable:
        what = f"{self.host} answered `{call}` with something else: {problem}."
        remedy = "Is that the API server's address, and not a proxy or a mock? If so, see who wrote that object."
        return Unreadable(what, remedy, call=str(call))

    def _accepted(self, call: KubeCall, answer: KubeAnswer) -> Object:
        if not answer.good:
            raise refusal(self._wire.access, call, answer)
        body: Object = answer.body
        return body


def _with_preconditions(step: Step, version: str) -> Object:
    body: Object = plain(step.body)
    pins = {"resourceVersion": version, "uid": step.uid}
    body["metadata"] = {**(body.get("metadata") or {}), **{key: value for key, value in pins.items() if value}}
    if not body["metadata"]:
        del body["metadata"]
    return body


def _holds(have: Json, piece: Json) -> bool:
    """Does the object say all of this? null: absent. The server may have added defaults, inside list items too."""
    if isinstance(piece, Mapping):
        inside = {} if have is None else have  # the server drops empty maps
        return isinstance(inside, Mapping) and all(_holds(inside.get(key), item) for key, item in piece.items())
    if isinstance(piece, (list, tuple)):
        same = isinstance(have, (list, tuple)) and len(have) == len(piece)
        return same and all(_holds(one, other) for one, other in zip(have, piece, strict=True))
    return bool(have == piece)


def _unless_gone(obj: Object) -> Object | None:
    """A delete answers with the object: still there, held by finalizers, or as it last was."""
    return obj if (obj.get("metadata") or {}).get("finalizers") else None
