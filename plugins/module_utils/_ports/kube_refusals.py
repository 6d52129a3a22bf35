# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API server's refusals as our sentences."""

from __future__ import annotations

import json
from collections.abc import Callable

from .errors import AlreadyExists, Conflict, Forbidden, Invalid, NoSuchApi, NotFound, PortError, Unauthorized
from .kube_auth import Access
from .kube_wire import KubeAnswer, KubeCall

_AGAIN = "Run again: the plan is made anew from what is there now."


def refusal(access: Access, call: KubeCall, answer: KubeAnswer) -> PortError:
    """What an answer that is not good means."""
    say = _SENTENCES.get(answer.status)
    if say:
        return say(access, call, answer)
    message = f"{access.host} refused `{call}` with {answer.status}: {said(answer)}"
    return Invalid(message, "This is not a refusal this collection knows; the server's words say more.")


def said(answer: KubeAnswer) -> str:
    text = answer.part("message") if isinstance(answer.body, dict) else answer.body
    return str(text or "no reason given").strip()


def is_missing_object(answer: KubeAnswer) -> bool:
    """A 404 about the object, and not about a path that the server does not know."""
    return answer.status == 404 and bool(answer.part("details", "name"))


def _unauthorized(access: Access, _call: KubeCall, _answer: KubeAnswer) -> PortError:
    if access.authorization() or access.has_certificate:
        what = f"{access.host} does not accept these credentials: the token or certificate is wrong or has expired."
        return Unauthorized(what, "Log in again (oc login, or a new token) and pass the new api_key or kubeconfig.")
    what = f"{access.host} wants credentials and none were sent: the options and the kubeconfig hold none."
    remedy = (
        "Give api_key, client_cert or a kubeconfig with a user; if its user has an `exec` plugin, run that by hand."
    )
    return Unauthorized(what, remedy)


def _forbidden(access: Access, call: KubeCall, answer: KubeAnswer) -> PortError:
    text = said(answer)
    if "system:anonymous" in text:
        return _unauthorized(access, call, answer)
    resource = call.resource
    details = {"verb": call.verb, "resource": resource.rbac, "group": resource.group, "namespace": call.namespace}
    if " cannot " not in text:
        # An admission plugin, webhook or quota; a role would not help.
        return Forbidden(
            f"{access.host} did not admit `{call}`: {text}", "Ask who runs that admission rule.", **details
        )
    rule = {"apiGroups": [resource.group], "resources": [resource.rbac], "verbs": [call.verb]}
    role = f"a Role in namespace {call.namespace}" if call.namespace else "a ClusterRole"
    return Forbidden(
        f"No permission to {call.verb} {resource.rbac}{f'.{resource.group}' if resource.group else ''}"
        f"{f' in namespace {call.namespace}' if call.namespace else ''}: {text}.",
        f"Add this rule to {role} bound to that user: {json.dumps(rule)}",
        rule=rule,
        **details,
    )


def _not_found(access: Access, call: KubeCall, answer: KubeAnswer) -> PortError:
    if is_missing_object(answer):
        return NotFound(f"{call.resource.key} {_place(call)} does not exist on {access.host}.", "", call=str(call))
    return NoSuchApi(
        f"{access.host} does not serve {call.resource.key} ({call.resource.version}).",
        "Is this the right cluster, and does its platform and version have this kind of object?",
        resource=call.resource.key,
    )


def _conflict(_access: Access, call: KubeCall, answer: KubeAnswer) -> PortError:
    if answer.part("reason") == "AlreadyExists":
        return AlreadyExists(f"{call.resource.key} {_place(call)} exists already: {said(answer)}.", _AGAIN)
    what = f"{call.resource.key} {_place(call)} has changed since it was read: {said(answer)}"
    return Conflict(what if what.endswith(".") else what + ".", _AGAIN, call=str(call))


def _invalid(access: Access, call: KubeCall, answer: KubeAnswer) -> PortError:
    causes = [
        {"field": str(cause.get("field", "")), "message": str(cause.get("message", ""))}
        for cause in answer.part("details", "causes") or ()
    ]
    if any(cause["field"] == "metadata.uid" for cause in causes):
        # A patch that names the uid it was planned for: the object of that name is another one by now.
        return Conflict(f"{call.resource.key} {_place(call)} was recreated since it was read.", _AGAIN, call=str(call))
    listed = "; ".join(f"{cause['field']}: {cause['message']}" for cause in causes) or said(answer)
    return Invalid(
        f"{access.host} refused to {call.verb} {call.resource.key} {_place(call)}: {listed}.",
        "Correct the values; nothing was written.",
        causes=causes,
    )


def _no_port(access: Access, call: KubeCall, answer: KubeAnswer) -> PortError:
    """The one refusal of a field that comes as a 500 and does not name the field."""
    cause = {"field": "spec.healthCheckNodePort", "message": said(answer)}
    what = f"{access.host} refused to {call.verb} {call.resource.key} {_place(call)}: {cause['message']}."
    return Invalid(what, "Leave the port out, or give another one; nothing was written.", causes=[cause])


def _place(call: KubeCall) -> str:
    return "/".join(part for part in (call.namespace, call.name) if part)


_SENTENCES: dict[int, Callable[[Access, KubeCall, KubeAnswer], PortError]] = {
    400: _invalid,
    401: _unauthorized,
    403: _forbidden,
    404: _not_found,
    409: _conflict,
    422: _invalid,
    500: _no_port,
}
