# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One OpenStack project: openstacksdk with openstack.cloud's options, clouds.yaml and OS_* variables.

The SDK finds credentials, catalog and endpoints; requests and answers are plain data, so that every request that is
made is one that is named here (a no-op costs the minimum of reads).
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from .._core.shape import Misshapen
from .errors import Misconfigured, PortError, Throttled, Unauthorized, Unreachable, Unreadable, missing_library
from .openstack_endpoints import WHERE, root_of, see_no_user
from .openstack_refusals import CloudAnswer, refusal, said
from .openstack_shapes import links, told
from .patience import Patience, Tries

Query = Mapping[str, Any]  # text, or a list of texts
Body = dict[str, Any]
# openstack.cloud's aliases, which are clouds.yaml's own keys: the plain names belong to the Kubernetes options here.
_OPTIONS = ("auth_type", "auth", "region_name", "interface", "verify", "cacert", "cert", "key", "api_timeout")
_AGENT = "edgeworks.lb_estate"
_API = "/v2.0"  # both services': later versions are what they offer below this one
_SECRET = re.compile("password|secret|token|passcode", re.IGNORECASE)
# What keystoneauth, which takes tokens apart, trips over where an answer is none of Keystone's.
_MISREAD = (AttributeError, KeyError, TypeError, ValueError)
_LEAST = 0.5  # seconds that a last try gets


@dataclass(frozen=True)
class CloudCall:
    service: str
    method: str
    path: str
    query: Query | None = None
    body: Any = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def answered_with(self) -> str:
        """The key of what a write is answered with: the one thing that was sent; "" where nothing comes back."""
        sent = self.body if isinstance(self.body, dict) and len(self.body) == 1 else {}
        return next((key for key, value in sent.items() if isinstance(value, dict)), "")


class Cloud:
    """Safe to use from several threads: a lane of writes each, and reads side by side."""

    def __init__(self, connection: Any, patience: Patience | None = None) -> None:
        from keystoneauth1 import exceptions
        from openstack.exceptions import SDKException

        self._connection = connection
        self._errors: Any = exceptions
        self._sdk_error: Any = SDKException
        self.patience = patience or Patience()
        self._lock = threading.Lock()
        self._roots: dict[str, str] = {}
        self._ahead = 0.0  # of this machine's clock

    @classmethod
    def connect(cls, options: Mapping[str, Any], patience: Patience | None = None) -> Cloud:
        """Makes no request: the first read finds out. No request lasts longer than `wait_timeout`."""
        try:
            import openstack
            from openstack import exceptions
        except ImportError as error:
            raise missing_library("openstacksdk", "talking to OpenStack") from error
        _keep_libraries_quiet()
        try:
            connection = openstack.connect(**_arguments(options), app_name=_AGENT)
            see_no_user(connection.config.config)
            own = connection.session.timeout
        except (exceptions.ConfigException, exceptions.SDKException) as error:
            raise Misconfigured(f"No OpenStack cloud to talk to: {error}.", WHERE) from error
        except PortError:
            raise
        except Exception as error:
            # keystoneauth's own family: an auth plugin that is not there, an option it does not know.
            raise Misconfigured(f"The OpenStack credentials cannot be used: {error}.", WHERE) from error
        chosen = patience or _patience(own, options.get("wait_timeout"))
        # Signing in takes up to three requests, which the session makes by itself.
        connection.session.timeout = min(chosen.read, chosen.total / 3)
        return cls(connection, chosen)

    def secrets(self) -> tuple[str, ...]:
        """Of clouds.yaml too, and the token they were exchanged for."""
        config = self._connection.config
        given = [value for key, value in (config.config.get("auth") or {}).items() if _SECRET.search(str(key))]
        signed_in = getattr(self._connection.session.auth, "auth_ref", None)
        return tuple(str(one) for one in (*given, getattr(signed_in, "auth_token", None)) if one)

    def close(self) -> None:
        self._connection.close()

    @property
    def project_id(self) -> str:
        """Of the credentials. It comes with the token, so it costs no request of its own."""
        found = self._guarded(lambda: self._connection.current_project_id)
        if not found:
            what = "The OpenStack credentials are for no project (a domain or the whole system)."
            raise Misconfigured(what, "Name the project of the load balancers: project_name or project_id.")
        return str(found)

    @property
    def roles(self) -> tuple[str, ...] | None:
        """Of the credentials, as the token tells them; None where the way of signing in knows none."""
        session = self._connection.session
        get_access = getattr(session.auth, "get_access", None)
        return None if get_access is None else tuple(self._guarded(lambda: get_access(session).role_names))

    def now(self) -> float:
        """The time there, as the last answer told it."""
        return time.time() + self._ahead

    def versions(self, service: str) -> tuple[str, ...]:
        """What the service says it can."""
        root = self._root(service)
        answer = self._guarded(lambda: self._connection.session.get(f"{root}/", authenticated=False, raise_exc=False))
        try:
            return tuple(one["id"] for one in told(service, "versions", _parsed(answer)))
        except Misshapen as problem:
            what = f"{service} at {root} does not say which versions of its API it has (status {answer.status_code})"
            raise Misconfigured(f"{what}: {problem}.", f"Is that its endpoint? {WHERE}") from None

    def send(self, call: CloudCall, tries: Tries | None = None) -> CloudAnswer:
        """One try. Status 0 where no answer came: the request may have been carried out. `tries`: of the operation that
        this is a part of, which ends with its patience."""
        url = f"{self._root(call.service)}{_API}{call.path}"
        left = max(tries.left if tries else self.patience.total, _LEAST)
        try:
            response = self._connection.session.request(
                url,
                call.method,
                json=call.body,
                params=dict(call.query) if call.query else None,
                raise_exc=False,
                connect_retries=0,
                status_code_retries=0,
                headers={"Accept": "application/json"},
                timeout=(min(self.patience.connect, left), min(self.patience.read, left)),
            )
        except self._errors.Unauthorized as error:
            raise _unauthorized(error) from error
        except self._errors.SSLError as error:
            raise _untrusted(error) from error
        except self._errors.ConnectionError as error:
            return CloudAnswer(0, None, str(error))
        except self._errors.ClientException as error:
            raise Misconfigured(f"OpenStack cannot be asked for `{call}`: {error}.", WHERE) from error
        except _MISREAD as error:
            raise _no_keystone(error) from error
        at = _at(response)
        self._ahead = self._ahead if at is None else at - time.time()
        return CloudAnswer(int(response.status_code), _parsed(response), response.text[:500], _wait(response))

    def read(self, call: CloudCall, key: str, tries: Tries | None = None) -> Any:
        """What the answer holds under `key`; None for what is not there."""
        answer = self._answer(call, tries)
        return None if answer is None else self.told(call, key, answer)

    def told(self, call: CloudCall, key: str, answer: CloudAnswer) -> Any:
        """Unreadable where a good answer is not what this service would say. Of what was written, the id is enough."""
        fields = (call.query or {}).get("fields") if call.method == "GET" else ("id",)
        try:
            return told(call.service, key, answer.body, fields)
        except Misshapen as problem:
            raise self.strange(call, answer, str(problem)) from None

    def strange(self, call: CloudCall, answer: CloudAnswer, problem: str) -> Unreadable:
        begins = " ".join(answer.text.split())[:60]
        shown = f" It begins with {begins!r}." if begins and not isinstance(answer.body, dict) else ""
        where = self._root(call.service)
        what = f"{where} answered `{call}` with {answer.status} and something that is not {call.service}'s: {problem}."
        return Unreadable(f"{what}{shown}", f"Is a proxy or a login page in between? Correct the endpoint. {WHERE}")

    def _answer(self, call: CloudCall, tries: Tries | None = None) -> CloudAnswer | None:
        """None for what is not there. Tried again inside the deadline where that may help."""
        tries = tries or self.patience.start()
        while True:
            answer = self.send(call, tries)
            if answer.good:
                return answer
            if answer.status == 404:
                return None
            passing = answer.status in (0, 429) or answer.status >= 500
            if not passing or not tries.pause(answer.wait):
                raise refused(call, answer, tries)

    def items(
        self,
        service: str,
        path: str,
        key: str,
        query: Query | None = None,
        *,
        below: bool = False,
        tries: Tries | None = None,
    ) -> Iterator[Body]:
        """Every item of every page. `below`: it is a list of something that may be gone, and then empty."""
        marker = ""
        while True:
            call = CloudCall(service, "GET", path, {**(query or {}), **({"marker": marker} if marker else {})})
            answer = self._answer(call, tries)
            if answer is None and below:
                return
            if answer is None:
                # Nothing there would be an empty list: taking a wrong address for that would build all anew.
                what = f"{self._root(service)} answers 404 to `{call}`, so it is not {service}."
                raise Misconfigured(what, f"Correct the endpoint, in the catalog or its override. {WHERE}")
            found = self.told(call, key, answer)
            yield from found
            try:
                following = links(key, answer.body)
            except Misshapen as problem:
                raise self.strange(call, answer, str(problem)) from None
            if not following or not found:
                return
            if marker == found[-1]["id"]:
                raise self.strange(call, answer, "every page says that the same one comes next")
            marker = found[-1]["id"]

    def own_items(
        self, service: str, path: str, key: str, query: Query | None = None, tries: Tries | None = None
    ) -> Iterator[Body]:
        """Every item of the credentials' own project: administrators are shown those of all projects."""
        mine = self.project_id
        asked = {**(query or {}), "project_id": mine}
        if "fields" in asked:
            asked["fields"] = [*asked["fields"], "project_id"]
        return (one for one in self.items(service, path, key, asked, tries=tries) if one["project_id"] == mine)

    def _root(self, service: str) -> str:
        with self._lock:
            if service not in self._roots:
                connection = self._connection
                self._roots[service] = self._guarded(lambda: root_of(connection.config, connection.session, service))
            return self._roots[service]

    def _guarded(self, ask: Any) -> Any:
        """Signing in and looking at the catalog happen with the first request."""
        try:
            return ask()
        except self._errors.Unauthorized as error:
            raise _unauthorized(error) from error
        except self._errors.SSLError as error:
            raise _untrusted(error) from error
        except self._errors.ConnectionError as error:
            raise Unreachable(f"OpenStack does not answer: {error}.", WHERE) from error
        except (self._errors.ClientException, self._sdk_error) as error:
            raise Misconfigured(f"OpenStack's catalog cannot be read: {error}.", WHERE) from error
        except _MISREAD as error:
            raise _no_keystone(error) from error


def _keep_libraries_quiet() -> None:
    """Where nobody listens, Python prints a library's warnings, which show addresses and headers as they are."""
    for name in ("keystoneauth", "openstack", "urllib3"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


def _patience(own: float | None, limit: float | None) -> Patience:
    """`own`: the seconds that the configuration gives one request, `limit`: those that the task gives anything."""
    usual = Patience()
    read, most = own or usual.read, limit or usual.total
    total = min(max(usual.total, read), most)
    return Patience(total, min(usual.contact, most), min(usual.connect, most), min(read, most))


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


def _no_keystone(error: Exception) -> PortError:
    what = f"What answered for Keystone is not Keystone: its token cannot be read ({type(error).__name__}: {error})."
    return Unreadable(what, f"Correct auth_url. {WHERE}")


def _untrusted(error: Exception) -> PortError:
    return Misconfigured(f"OpenStack's certificate is not trusted: {error}.", "Set cacert, or verify: false.")


def refused(call: CloudCall, answer: CloudAnswer, tries: Tries) -> PortError:
    """An answer that is not good, after all patience."""
    if answer.status == 0:
        what = f"No answer to `{call}` within {max(tries.elapsed, 1):.0f} s: {answer.text}."
        return Unreachable(what, "Is the service up, and reachable from here?")
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


def _at(response: Any) -> float | None:
    """The server's time of its answer."""
    try:
        return parsedate_to_datetime(response.headers.get("Date", "")).timestamp()
    except ValueError:
        return None
