# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One cluster in memory: the API server's write path over a versioned store."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from . import garbage, meta, patches, strategies
from .accounting import RequestLog
from .api import ApiError, Cause, Obj, Write
from .auth import Tokens
from .checks import FieldValidation, typed_object
from .crds import CRDS, Definitions, Schemas, definition
from .errors import (
    already_exists,
    bad_request,
    conflict,
    invalid,
    invalid_value,
    namespace_terminating,
    not_found,
    quoted,
)
from .faults import Faults
from .features import features_of
from .resources import OPENSHIFT_CLUSTER, Resource
from .service_strategy import ServiceStrategy, given
from .state import State
from .strategic import strategic

Validator = Callable[[Obj | None, Obj, str | None], list[Cause]]
Defaulter = Callable[[Obj | None, Obj, str | None], None]
_PATCHERS: dict[str, Callable[[Any, Any], Any]] = {
    "merge": patches.merge,
    "json": patches.json_patch,
    "strategic": strategic,
}


class Strategy(Protocol):
    """Completes an object before validation (defaults, allocation); what could not be completed ends the request."""

    def prepare(self, write: Write) -> list[Cause]: ...


class Cluster(State):
    """See `Api` for the methods' contract. `version` is the Kubernetes version that /version reports.

    `validators` and `defaulters` are keyed by resource: a validator gets (old or None, new, subresource) and returns
    causes, a defaulter gets the same and completes `new` in place. Both run for HTTP and in-process writes alike.
    """

    def __init__(
        self,
        name: str,
        version: str = "v1.34.2",
        *,
        resources: Sequence[Resource] = OPENSHIFT_CLUSTER,
        validators: Mapping[str, Validator] | None = None,
        defaulters: Mapping[str, Defaulter] | None = None,
        namespaces: Sequence[str] = ("default", "kube-system", "kube-public"),
        lb_class_supported: bool = True,
        ip_families: tuple[str, ...] = ("IPv4",),
        garbage_collection: bool = True,
        history: int = 4096,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_uid: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        super().__init__(resources, history)
        self.name = name
        self.version = version
        self.requests = RequestLog()
        self.faults = Faults()
        self.tokens = Tokens()
        self._clock, self._new_uid = clock, new_uid
        self._garbage_collection = garbage_collection
        self.features = features = features_of(version)
        self.schemas = Schemas()
        self._services = ServiceStrategy(features, lb_class_supported, ip_families, random.Random(name))
        self._strategies: dict[str, Strategy] = strategies.builtin(self._services)
        self.validators: dict[str, list[Validator]] = {
            key: [rule] for key, rule in strategies.validators(features).items()
        }
        self.defaulters: dict[str, list[Defaulter]] = {}
        for key, validator in (validators or {}).items():
            self.validators.setdefault(key, []).append(validator)
        for key, defaulter in (defaulters or {}).items():
            self.defaulters.setdefault(key, []).append(defaulter)
        self._definitions = Definitions(self)
        for namespace in namespaces:
            self.create("namespaces", None, {"metadata": {"name": namespace}})
        for resource in resources:
            if resource.custom and CRDS in self.resources:
                self.create(CRDS, None, definition(resource))

    def serve_class_field(self, served: bool) -> None:
        """KEP-1959's feature gate, turned while the server runs (CLS-6)."""
        self._services.lb_class_supported = served

    # -- writing ------------------------------------------------------------------------------------------------------

    def create(
        self,
        resource: str,
        namespace: str | None,
        obj: Obj,
        *,
        dry_run: bool = False,
        fields: FieldValidation | None = None,
    ) -> Obj:
        res = self.resource(resource)
        new = self._received(res, obj, fields)
        if new["metadata"].get("resourceVersion"):
            raise ApiError(500, "", "resourceVersion should not be set on objects to be created")
        with self.lock:
            meta.born(res, new, namespace if res.namespaced else None, self._now(), self._new_uid())
            name = new["metadata"].get("name", "")
            by_client = _given(res, new)
            self._check_namespace(res, namespace, name)
            if res.status and not res.keeps_status_on_create:
                new.pop("status", None)
            causes = self._completed(res, None, new, None, dry_run)
            causes = meta.create_causes(res, new, self.features.relaxed_service_names) + causes
            if causes:
                raise invalid(res, name, causes)
            key = (new["metadata"].get("namespace", ""), name)
            if key in self._objects[resource]:
                terminating = "deletionTimestamp" in self._objects[resource][key].obj["metadata"]
                raise already_exists(res, name, terminating=terminating)
            if dry_run:
                return meta.copy_of(new)
            return meta.copy_of(self._commit("ADDED", res, key, new, None, frozenset(by_client)))

    def patch(
        self,
        resource: str,
        namespace: str | None,
        name: str,
        patch: Any,
        *,
        subresource: str | None = None,
        kind: str = "merge",
        dry_run: bool = False,
        fields: FieldValidation | None = None,
    ) -> Obj:
        res = self.resource(resource)
        with self.lock:
            old = self.stored(resource, namespace, name).obj
            new = self._received(res, _PATCHERS[kind](old, patch), fields, patched=True)
            return self._update(res, old, new, subresource, dry_run)

    def replace(
        self,
        resource: str,
        namespace: str | None,
        name: str,
        obj: Obj,
        *,
        subresource: str | None = None,
        dry_run: bool = False,
        fields: FieldValidation | None = None,
    ) -> Obj:
        res = self.resource(resource)
        new = self._received(res, obj, fields)
        with self.lock:
            found = self._objects[resource].get((namespace or "", name))
            sent = new["metadata"].get("uid")
            if found is None:
                if not res.create_on_update or subresource:
                    raise not_found(res, name)
                if sent:
                    raise self._other_uid(res, namespace, name, sent, "")
                version = new["metadata"].pop("resourceVersion", None)
                new["metadata"].setdefault("name", name)
                made = self.create(resource, namespace, new, dry_run=dry_run)
                if dry_run and version:  # nothing was stored, so nothing replaced it
                    made["metadata"]["resourceVersion"] = version
                return made
            have = found.obj["metadata"]["uid"]
            if sent and sent != have:
                raise self._other_uid(res, namespace, name, sent, have)
            return self._update(res, found.obj, new, subresource, dry_run)

    @staticmethod
    def _other_uid(res: Resource, namespace: str | None, name: str, sent: str, have: str) -> ApiError:
        why = f"Precondition failed: UID in precondition: {sent}, UID in object meta: {have}"
        where = "/".join(part for part in ("/registry", res.group, res.plural, namespace, name) if part)
        error = f"StorageError: invalid object, Code: 4, Key: {where}, ResourceVersion: 0"
        return conflict(res, name, f"{error}, AdditionalErrorMsg: {why}")

    def delete(
        self,
        resource: str,
        namespace: str | None,
        name: str,
        *,
        uid: str | None = None,
        resource_version: str | None = None,
        propagation: str | None = None,
        dry_run: bool = False,
    ) -> Obj:
        """Removes the object, or marks it while finalizers hold it; returns the object, or a Status once it is gone."""
        res = self.resource(resource)
        with self.lock:
            old = self.stored(resource, namespace, name).obj
            self._check_preconditions(res, old, uid, resource_version)
            finalizers = meta.finalizers_for(old["metadata"], propagation)
            if finalizers or res.key == "namespaces":
                new = meta.marked_for_deletion(old, finalizers, self._now())
                if res.key == "namespaces":
                    new["status"] = {**new.get("status", {}), "phase": "Terminating"}
                if new == old or dry_run:
                    return meta.copy_of(new)
                return meta.copy_of(self._commit("MODIFIED", res, (namespace or "", name), new, old))
            gone = old if dry_run else self._remove(res, (namespace or "", name), old)
            return meta.copy_of(gone) if res.returns_deleted else _deleted(res, gone)

    def seed(self, resource: str, obj: Obj) -> Obj:
        """Create an object with its status in one go, and its namespace if there is none yet."""
        namespace = obj.get("metadata", {}).get("namespace")
        if namespace and ("", namespace) not in self._objects["namespaces"]:
            self.create("namespaces", None, {"metadata": {"name": namespace}})
        made = self.create(resource, namespace, obj)
        if "status" not in obj or not self.resource(resource).status:
            return made
        return self.patch(
            resource, namespace, made["metadata"]["name"], {"status": obj["status"]}, subresource="status"
        )

    def collect_garbage(self) -> None:
        """Also called by the shared collector thread unless the cluster was made without garbage collection."""
        with self.lock:
            garbage.collect(self)

    def forget_namespace(self, name: str) -> None:
        res = self.resource("namespaces")
        with self.lock:
            self._remove(res, ("", name), self.stored("namespaces", None, name).obj)

    # -- the write path -----------------------------------------------------------------------------------------------

    def _now(self) -> str:
        return meta.stamp(self._clock())

    def _received(self, res: Resource, obj: Any, fields: FieldValidation | None, patched: bool = False) -> Obj:
        root = self.schemas.root(res.key) if res.custom else None
        new = meta.copy_of(typed_object(res, obj, fields or FieldValidation(), root, patched))
        if res.key in strategies.DEFAULTS:
            strategies.DEFAULTS[res.key](new)
        return new

    def _check_namespace(self, res: Resource, namespace: str | None, name: str) -> None:
        if not res.namespaced:
            return
        if not namespace:
            raise bad_request("an empty namespace may not be set during creation")
        found = self._objects["namespaces"].get(("", namespace))
        if found is None:
            raise not_found(self.resources["namespaces"], namespace)
        if "deletionTimestamp" in found.obj["metadata"]:
            raise namespace_terminating(res, name, namespace)

    def _check_preconditions(self, res: Resource, old: Obj, uid: str | None, version: str | None) -> None:
        have = old["metadata"]
        if uid is not None and uid != have["uid"]:
            why = f"the UID in the precondition ({uid}) does not match the UID in record ({have['uid']}). "
            why += "The object might have been deleted and then recreated"
            raise conflict(res, have["name"], why, subject=res.qualified_kind)
        if version is not None and version != have["resourceVersion"]:
            why = f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record "
            why += f"({have['resourceVersion']}). The object might have been modified"
            raise conflict(res, have["name"], why, subject=res.qualified_kind)

    def _completed(
        self, res: Resource, old: Obj | None, new: Obj, subresource: str | None, dry_run: bool
    ) -> list[Cause]:
        """Defaults and allocation, which end the request where they fail; then what every validator finds."""
        for defaulter in self.defaulters.get(res.key, ()):
            defaulter(old, new, subresource)
        if strategy := self._strategies.get(res.key):
            mine = old["metadata"]["uid"] if old else None
            others = (s.obj for s in self._objects[res.key].values() if s.obj["metadata"]["uid"] != mine)
            missing = strategy.prepare(Write(new, old, subresource, others, dry_run))
            if missing:
                raise invalid(res, new["metadata"].get("name", ""), missing)
        causes = self.schemas.causes(res, old, new) if res.custom else []
        for validator in self.validators.get(res.key, ()):
            causes += validator(old, new, subresource)
        return causes

    def _update(self, res: Resource, old: Obj, new: Obj, subresource: str | None, dry_run: bool) -> Obj:
        have, sent = old["metadata"], new["metadata"]
        name = have["name"]
        if not sent.get("name"):
            why = "was undeterminable: name must be provided"
            raise bad_request(f"the name of the object ({name} based on URL) {why}")
        if sent["name"] != name:
            raise bad_request(f"the name of the object ({sent['name']}) does not match the name on the URL ({name})")
        if sent.get("namespace", have.get("namespace")) != have.get("namespace"):
            raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
        self._check_version(res, name, sent.get("resourceVersion"), have["resourceVersion"])
        meta.carried_over(res, old, new)
        given = self._still_given(res, old, new)
        new = meta.copy_of(meta.separate_status(res, old, new, subresource))
        self._hold_finalizers(res, old, new)
        causes = self._completed(res, old, new, subresource, dry_run)
        causes = meta.update_causes(res, old, new) + causes
        if causes:
            raise invalid(res, name, causes)
        if res.generation and meta.content(res, new) != meta.content(res, old):
            new["metadata"]["generation"] = have.get("generation", 0) + 1
        key = (have.get("namespace", ""), name)
        if dry_run or (new == old and given == self._objects[res.key][key].given):
            return meta.copy_of(new)
        if "deletionTimestamp" in have and not new["metadata"].get("finalizers") and res.key != "namespaces":
            self._remove(res, key, old, last=new)
            return meta.copy_of(new)
        return meta.copy_of(self._commit("MODIFIED", res, key, new, old, given))

    def _still_given(self, res: Resource, old: Obj, new: Obj) -> frozenset[str]:
        """A value that a client takes back is not its own any more, even where the server then fills in the same.

        That alone is a change, as in a real server's managedFields.
        """
        had = self._objects[res.key][(old["metadata"].get("namespace", ""), old["metadata"]["name"])].given
        before, after = _given(res, old), _given(res, new)
        changed = {name for name, value in after.items() if before.get(name) != value}
        return (had | changed) & frozenset(after)

    def _check_version(self, res: Resource, name: str, sent: str | None, have: str) -> None:
        if not sent:
            if not res.unconditional_update:
                cause = invalid_value("metadata.resourceVersion", 0, "must be specified for an update")
                raise invalid(res, name, [cause], subject=res.key)
        elif not re.fullmatch(r"[0-9]+", sent):
            raise ApiError(500, "", f"strconv.ParseUint: parsing {quoted(sent)}: invalid syntax")
        elif sent != have:
            raise conflict(res, name)

    def _hold_finalizers(self, res: Resource, old: Obj, new: Obj) -> None:
        had = old["metadata"].get("finalizers", [])
        removed = set(had) - set(new["metadata"].get("finalizers", ()))
        key = (old["metadata"].get("namespace", ""), old["metadata"]["name"])
        for fault in self.faults.holding(res.key, *key, removed):
            if fault.mode == "deny":
                why = f"{fault.finalizer} may not be removed"
                raise ApiError(403, "Forbidden", f'admission webhook "stuck-finalizer.lab" denied the request: {why}')
            kept = set(new["metadata"].get("finalizers", ())) | {fault.finalizer}
            new["metadata"]["finalizers"] = [item for item in had if item in kept]

    def _left_garbage(self) -> None:
        if self._garbage_collection:
            garbage.SHARED.wake(self)


def _given(res: Resource, obj: Obj) -> dict[str, str]:
    return given(obj["spec"]) if res.key == "services" else {}


def _deleted(res: Resource, gone: Obj) -> Obj:
    details: Obj = {"name": gone["metadata"]["name"], "kind": res.plural, "uid": gone["metadata"]["uid"]}
    if res.group:
        details["group"] = res.group
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
