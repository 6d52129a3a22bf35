# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One OpenStack project: openstacksdk with openstack.cloud's options, clouds.yaml and OS_* variables.

The SDK finds credentials, catalog and endpoints; requests and answers are plain data, so that every request that is
made is one that is named here (a no-op costs the minimum of reads).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import Misconfigured, PortError, Throttled, Unauthorized, Unreachable, missing_library
from .openstack_refusals import CloudAnswer, refusal, said
from .patience import Patience

Query = Mapping[str, Any]  # text, or a list of texts
Body = dict[str, Any]
# our name of a service → the SDK's
SERVICES = {"octavia": "load_balancer", "neutron": "network"}
# openstack.cloud's aliases, which are clouds.yaml's own keys: the plain names belong to the Kubernetes options here.
_OPTIONS = ("auth_type", "auth", "region_name", "interface", "verify", "cacert", "cert", "key", "api_timeout")
_AGENT = "edgeworks.lb_estate"
_WHERE = "Check clouds.yaml, the cloud option and the OS_* variables."


@dataclass(frozen=True)
class CloudCall:
    service: str
    method: str
    path: str
    query: Query | None = None
    body: Any = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Cloud:
    """Safe to use from several threads: a lane of writes each, and reads side by side."""

    def __init__(self, connection: Any, patience: Patience | None = None) -> None:
        from keystoneauth1 import exceptions
        from openstack.exceptions import SDKException

        self._connection = connection
        self._errors: Any = exceptions
        self._sdk_error: Any = SDKException
        self._patience = patience or Patience()
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}

    @classmethod
    def connect(cls, options: Mapping[str, Any], patience: Patience | None = None) -> Cloud:
        """Makes no request: the first read finds out."""
        try:
            import openstack
            from openstack import exceptions
        except ImportError as error:
            raise missing_library("openstacksdk", "talking to OpenStack") from error
        try:
            connection = openstack.connect(**_arguments(options), app_name=_AGENT)
        except (exceptions.ConfigException, exceptions.SDKException) as error:
            raise Misconfigured(f"No OpenStack cloud to talk to: {error}.", _WHERE) from error
        except Exception as error:
            # keystoneauth's own family: an auth plugin that is not there, an option it does not know.
            raise Misconfigured(f"The OpenStack credentials cannot be used: {error}.", _WHERE) from error
        return cls(connection, patience)

    def close(self) -> None:
        self._connection.close()

    @property
    def project_id(self) -> str:
        return str(self._guarded(lambda: self._connection.current_project_id) or "")

    def versions(self, service: str) -> tuple[str, ...]:
        """What the service says it can, from the discovery that has been made anyway."""
        client = self._client(service)
        found = self._guarded(
            lambda: client.session.get_all_version_data(
                service_type=client.service_type, interface=client.interface, region_name=client.region_name
            )
        )
        listed = [
            one for region in found.values() for face in region.values() for kinds in face.values() for one in kinds
        ]
        return tuple(f"v{one['version']}" for one in listed if one.get("version"))

    def send(self, call: CloudCall) -> CloudAnswer:
        """One try. Status 0 where no answer came: the request may have been carried out."""
        client = self._client(call.service)
        try:
            response = client.request(
                call.path,
                call.method,
                json=call.body,
                params=dict(call.query) if call.query else None,
                raise_exc=False,
                connect_retries=0,
                status_code_retries=0,
                headers={"Accept": "application/json"},
            )
        except self._errors.Unauthorized as error:
            raise _unauthorized(error) from error
        except self._errors.ConnectFailure as error:
            return CloudAnswer(0, None, str(error))
        except self._errors.ClientException as error:
            raise Misconfigured(f"OpenStack cannot be asked for `{call}`: {error}.", _WHERE) from error
        return CloudAnswer(int(response.status_code), _parsed(response), response.text[:500], _wait(response))

    def read(self, call: CloudCall) -> Body | None:
        """The answer's body; None for what is not there. Tried again inside the deadline where that may help."""
        tries = self._patience.start()
        while True:
            answer = self.send(call)
            if answer.good:
                return answer.body if isinstance(answer.body, dict) else {}
            if answer.status == 404:
                return None
            passing = answer.status in (0, 429) or answer.status >= 500
            if not passing or not tries.pause(answer.wait):
                raise refused(call, answer)

    def items(self, service: str, path: str, key: str, query: Query | None = None) -> Iterator[Body]:
        """Every item of every page."""
        marker = ""
        while True:
            asked = {**(query or {}), **({"marker": marker} if marker else {})}
            body = self.read(CloudCall(service, "GET", path, asked)) or {}
            found = body.get(key) or []
            yield from found
            following = [one for one in body.get(f"{key}_links") or () if one.get("rel") == "next"]
            if not following or not found:
                return
            marker = str(found[-1]["id"])

    def _client(self, service: str) -> Any:
        with self._lock:
            if service not in self._clients:
                self._clients[service] = self._guarded(lambda: self._ready_client(service))
            return self._clients[service]

    def _ready_client(self, service: str) -> Any:
        client = getattr(self._connection, SERVICES[service])
        if client.get_endpoint() is None:
            raise Misconfigured(f"The cloud's catalog has no endpoint for {service}.", _WHERE)
        return client

    def _guarded(self, ask: Any) -> Any:
        """Signing in and looking at the catalog happen with the first request."""
        try:
            return ask()
        except self._errors.Unauthorized as error:
            raise _unauthorized(error) from error
        except self._errors.ConnectFailure as error:
            raise Unreachable(f"OpenStack does not answer: {error}.", _WHERE) from error
        except (self._errors.ClientException, self._sdk_error, AttributeError) as error:
            raise Misconfigured(f"OpenStack's catalog cannot be read: {error}.", _WHERE) from error


def _arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """A cloud given as a dictionary is the whole configuration, as in openstack.cloud."""
    cloud = options.get("cloud")
    given = {name: options[name] for name in _OPTIONS if options.get(name) is not None}
    if isinstance(cloud, dict):
        if given:
            names = ", ".join(sorted(given))
            raise Misconfigured(
                f"cloud is a dictionary, and {names} is given beside it.", "Put it into that dictionary."
            )
        return dict(cloud)
    return given | ({"cloud": cloud} if cloud else {})


def _unauthorized(error: Exception) -> PortError:
    what = f"Keystone does not accept these credentials: {error}."
    return Unauthorized(what, "Give a user and password, or an application credential, that is valid in this project.")


def refused(call: CloudCall, answer: CloudAnswer) -> PortError:
    """An answer that is not good, after all patience."""
    if answer.status == 0:
        return Unreachable(f"No answer to `{call}`: {answer.text}.", "Is the service up, and reachable from here?")
    if answer.status == 429:
        return Throttled(f"{call.service} asks for patience: {said(answer)}.", "Run again later.")
    if answer.status >= 502:
        return Unreachable(f"{call.service} answered {answer.status} to `{call}`.", "Is the service up?")
    return refusal(str(call), call.service, answer)


def _parsed(response: Any) -> Any:
    try:
        return response.json() if response.content else None
    except ValueError:
        return None


def _wait(response: Any) -> float | None:
    value = response.headers.get("Retry-After", "")
    return float(value) if re.fullmatch(r"\d+", value) else None
