# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Control of a running lab over HTTP: faults, request counts, tokens. Needs the admin token of the server.

/admin/clusters                         GET names
/admin/clusters/NAME/faults             GET, POST {kind, …}, DELETE; /faults/ID DELETE
/admin/clusters/NAME/requests           GET all since the last reset, DELETE resets
/admin/clusters/NAME/tokens             POST {user, groups, token, expires_in} gives {token}
/admin/clusters/NAME/tokens/expire      POST {token}
/admin/clusters/NAME/compact            POST: older watches get 410
"""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from .api import ApiError
from .errors import bad_request, method_not_allowed, unauthorized, unknown_path
from .http1 import Request
from .store import Cluster


def answer(request: Request, clusters: Mapping[str, Cluster], token: str) -> tuple[int, Any]:
    """Status and JSON of an admin request."""
    try:
        sent = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(sent.encode(), token.encode()):
            raise unauthorized()
        parts = [part for part in request.path.split("/") if part][1:]
        return 200, _dispatch(request, parts, clusters)
    except ApiError as error:
        return error.status, error.body()


def _dispatch(request: Request, parts: list[str], clusters: Mapping[str, Cluster]) -> Any:
    if parts == ["clusters"] and request.method == "GET":
        return {"clusters": sorted(clusters)}
    if len(parts) < 3 or parts[0] != "clusters" or parts[1] not in clusters:
        raise unknown_path()
    cluster, topic, rest = clusters[parts[1]], parts[2], parts[3:]
    if topic == "faults":
        return _faults(request, cluster, rest)
    if topic == "requests" and not rest:
        return _requests(request, cluster)
    if topic == "tokens":
        return _tokens(request, cluster, rest)
    if topic == "compact" and request.method == "POST":
        cluster.compact()
        return {}
    raise unknown_path()


def _body(request: Request) -> dict[str, Any]:
    try:
        data = json.loads(request.body or b"{}")
    except ValueError as error:
        raise bad_request(f"the body is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise bad_request("the body is not a JSON object")
    return data


def _faults(request: Request, cluster: Cluster, rest: list[str]) -> Any:
    if request.method == "GET" and not rest:
        return {"faults": [fault.describe() for fault in cluster.faults.active()]}
    if request.method == "POST" and not rest:
        try:
            return cluster.faults.add(**_body(request)).describe()
        except (TypeError, ValueError) as error:
            raise bad_request(f"not a fault: {error}") from None
    if request.method == "DELETE":
        cluster.faults.clear(int(rest[0]) if rest and rest[0].isdigit() else None)
        return {}
    raise method_not_allowed()


def _requests(request: Request, cluster: Cluster) -> Any:
    if request.method == "GET":
        return {"requests": cluster.requests.as_data()}
    if request.method == "DELETE":
        cluster.requests.reset()
        return {}
    raise method_not_allowed()


def _tokens(request: Request, cluster: Cluster, rest: list[str]) -> Any:
    if request.method != "POST":
        raise method_not_allowed()
    body = _body(request)
    if rest == ["expire"]:
        try:
            cluster.tokens.expire(str(body.get("token")))
        except KeyError:
            raise bad_request("no such token") from None
        return {}
    if not body.get("user"):
        raise bad_request("user is missing")
    expires = time.time() + float(body["expires_in"]) if body.get("expires_in") is not None else None
    token = cluster.tokens.add(body["user"], tuple(body.get("groups", ())), token=body.get("token"), expires_at=expires)
    return {"token": token}
