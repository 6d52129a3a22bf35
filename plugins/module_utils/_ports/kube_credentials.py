# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kubeconfig's user has to show: tokens, a credential plugin, a password, a client certificate."""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from . import kube_checks
from .errors import Misconfigured, Unauthorized
from .kube_tls import Pem, as_file

_NEVER = datetime.max.replace(tzinfo=UTC)
# As the library does with its other tokens.
_RENEW_BEFORE = timedelta(minutes=5)
_MOST_WORDS = 300
_ENDED = re.compile(r"^exec: process returned -?\d+")
_LOG_IN = "Log in again, or check the user's token, tokenFile or auth-provider."
# What an OIDC provider hands out anew.
_RENEWED = ("id-token", "refresh-token")


@dataclass(frozen=True, repr=False)
class Entry:
    """A named cluster, context or user of a kubeconfig; relative paths in it start from its folder."""

    name: str
    value: Mapping[str, Any]
    folder: str = ""

    def pem(self, key: str) -> Pem:
        """What `key`-data holds, or the path that `key` names."""
        data = self.value.get(f"{key}-data")
        if data:
            return _decoded(data, f"{key}-data of {self.name} in the kubeconfig")
        path = self.value.get(key)
        return str(Path(self.folder, str(path))) if path else ""


@dataclass(frozen=True, repr=False)
class Credentials:
    authorization: Callable[[], str]  # asked before every request: short-lived tokens are renewed behind it
    certificate: Pem = ""
    key: Pem = ""


def credentials(user: Entry, cluster: Entry, save: Callable[[], None] | None) -> Credentials:
    """In the library's order: an auth provider or a token, a credential plugin, user name and password."""
    certificate, key = user.pem("client-certificate"), user.pem("client-key")
    given = {name: user.value[name] for name in ("auth-provider", "token", "tokenFile") if user.value.get(name)}
    if given:
        authorization = _from_library(user, given, save)
        if authorization():
            return Credentials(authorization, certificate, key)
    if user.value.get("exec"):
        plugin = _Plugin(user, cluster)
        return Credentials(plugin.authorization, plugin.certificate or certificate, plugin.key or key)
    fixed = ""
    if user.value.get("username") and user.value.get("password"):
        whose = f"of user {user.name} in the kubeconfig"
        fixed = basic(user.value["username"], user.value["password"], f"username {whose}", f"password {whose}")
    return Credentials(lambda: fixed, certificate, key)


def basic(user: Any, password: Any, user_is: str, password_is: str) -> str:
    """The header's value; the last two name the options for an error."""
    pair = f"{kube_checks.credential(str(user), user_is)}:{kube_checks.credential(str(password), password_is)}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def of_configuration(configuration: Any, what: str) -> Callable[[], str]:
    """Asks the library, which reads or renews a token that has expired; once is enough for all threads."""
    renewing = threading.Lock()

    def authorization() -> str:
        with renewing:
            try:
                settings = configuration.auth_settings()
            except Exception as error:  # files, programs and servers of any kind are asked
                raise Unauthorized(f"{what} cannot be renewed: {_words(error)}.", _LOG_IN) from None
        value = next((setting["value"] for setting in settings.values() if setting.get("value")), "")
        return kube_checks.header(str(value), what)

    return authorization


def _from_library(user: Entry, given: dict[str, Any], save: Callable[[], None] | None) -> Callable[[], str]:
    """The library is shown the user's tokens and no cluster, for which it would write files."""
    from kubernetes import client
    from kubernetes.config.kube_config import KubeConfigLoader

    context = {"name": "it", "context": {"cluster": "it", "user": user.name}}
    cluster = {"name": "it", "cluster": {}}
    configuration = client.Configuration()
    with ExitStack() as until_loaded:
        shown, keep = _issuer_as_file(given, save, until_loaded)
        users = [{"name": user.name, "user": shown}]
        config = {"current-context": "it", "contexts": [context], "clusters": [cluster], "users": users}
        try:
            loader = KubeConfigLoader(config, config_base_path=user.folder, config_persister=keep)
            loader.load_and_set(configuration)
        except Exception as error:
            what = f"User {user.name} of the kubeconfig has no token that can be used: {_words(error)}."
            raise Unauthorized(what, _LOG_IN) from None
    return of_configuration(configuration, f"token of user {user.name} in the kubeconfig")


def _issuer_as_file(
    given: dict[str, Any], save: Callable[[], None] | None, until_loaded: ExitStack
) -> tuple[dict[str, Any], Callable[[], None] | None]:
    """An OIDC issuer's CA as a path: from data the library would make a file and leave it."""
    provider: Any = given.get("auth-provider")
    settings: Any = provider.get("config") if isinstance(provider, dict) else None
    data = settings.get("idp-certificate-authority-data") if isinstance(settings, dict) else None
    if not data:
        return given, save
    shown = {key: value for key, value in settings.items() if key != "idp-certificate-authority-data"}
    ca_cert = _decoded(data, "idp-certificate-authority-data in the kubeconfig")
    shown["idp-certificate-authority"] = until_loaded.enter_context(as_file(ca_cert))

    def keep() -> None:
        settings.update({key: shown[key] for key in _RENEWED if key in shown})
        if save:
            save()

    return {**given, "auth-provider": {**provider, "config": shown}}, keep


class _Plugin:
    """A credential plugin (`exec`), asked at once and again before its token ends."""

    def __init__(self, user: Entry, cluster: Entry) -> None:
        self._user, self._cluster = user, cluster
        self._renewing = threading.Lock()
        self._token, self._ends = "", _NEVER
        self.certificate: Pem = ""
        self.key: Pem = ""
        self._ask()

    def authorization(self) -> str:
        with self._renewing:
            if self._ends - _RENEW_BEFORE <= datetime.now(UTC):
                # The old token may still do; if not, the server will say so.
                with suppress(Unauthorized):
                    self._ask()
            return self._token

    def _ask(self) -> None:
        from kubernetes.config.dateutil import parse_rfc3339
        from kubernetes.config.exec_provider import ExecProvider
        from kubernetes.config.kube_config import ConfigNode

        cluster = ConfigNode("cluster", dict(self._cluster.value))
        try:
            provider = ExecProvider(ConfigNode("exec", self._user.value["exec"]), self._cluster.folder, cluster)
            status = provider.run()
            token, ends = status.get("token"), status.get("expirationTimestamp")
            certificate, key = status.get("clientCertificateData"), status.get("clientKeyData")
            until = parse_rfc3339(ends) if ends else _NEVER
        except Exception as error:
            raise self._failed(_without_stderr(_words(error))) from None
        if not token and not (certificate and key):
            raise self._failed("it gave neither a token nor a certificate with its key")
        self._ends = until
        if token:
            what = f"The token that the `exec` plugin of user {self._user.name} gave"
            self._token = f"Bearer {kube_checks.header(str(token), what)}"
        if certificate and key:
            self.certificate, self.key = str(certificate).encode(), str(key).encode()

    def _failed(self, why: str) -> Unauthorized:
        return Unauthorized(
            f"The `exec` plugin of user {self._user.name} in the kubeconfig gave no credentials: {why}.",
            "Run its command by hand on the host that runs this task; it may want a login, or not be installed.",
        )


def _words(error: Exception) -> str:
    """An error's first words: further lines may show commands with their arguments, or whole answers."""
    first = str(error).strip().partition("\n")[0][:_MOST_WORDS].rstrip(".")
    return first if " " in first else f"{type(error).__name__} {first}".rstrip()


def _without_stderr(words: str) -> str:
    """The library quotes what a plugin wrote there, which may be anything that it was given."""
    ended = _ENDED.match(words)
    return f"{ended[0]} (what it wrote is not shown)" if ended else words


def _decoded(data: Any, what: str) -> bytes:
    try:
        return base64.b64decode(data)
    except (ValueError, TypeError):
        raise Misconfigured(f"{what} is not base64.", "Copy the kubeconfig again from where it was made.") from None
