# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must never be shown, and how it is taken out of everything that is (CORE-12).

A server may say anything, the Authorization it was sent included; so results, errors and progress are all gone over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

MASK = "********"
_ENVIRONMENT = re.compile(
    r"^(K8S_AUTH_(API_KEY|PASSWORD|PROXY_HEADERS_(PROXY_)?BASIC_AUTH)|AWS_(SECRET_ACCESS_KEY|SECRET_KEY|SESSION_TOKEN|"
    r"SECURITY_TOKEN|CONTAINER_AUTHORIZATION_TOKEN)|EC2_SECRET_KEY|OS_(PASSWORD|TOKEN|AUTH_TOKEN|PASSCODE|\w*SECRET\w*))$"
)
_SECRET_KEY = re.compile(r"(token|password|secret|key-data|passcode|api[_-]?key)$", re.IGNORECASE)
_SECRET_LINE = re.compile(r"(?:token|password|secret|key-data)[\"']?\s*:\s*[\"']?([^\s\"',}]+)", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+(?=@)")
# Variables that hold an address, and options that do: with a scheme or without, a user and a password may stand in it.
_ADDRESS_VARIABLE = re.compile(r"(_URL|_URL_\w+|_URI|_HOST|PROXY)$", re.IGNORECASE)
_SIGNED_ADDRESS = re.compile(r"^\s*(?:[A-Za-z][\w+.-]*://)?(?P<user>[^@\s:]*:[^\s]+)@[^@\s]+$")
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_PEM = "-----BEGIN"


def known_secrets(
    spec: Mapping[str, Mapping[str, Any]], options: Mapping[str, Any], environ: Mapping[str, str]
) -> tuple[str, ...]:
    """Longest first, so that none is masked only in part."""
    found = {value for name, value in environ.items() if _ENVIRONMENT.match(name)}
    found |= set(_in_options(spec, options))
    addresses = [value for name, value in environ.items() if _ADDRESS_VARIABLE.search(name)]
    found |= {one for text in (*addresses, *_leaves(options)) for one in _user_info(text)}
    return _longest_first(found)


def _user_info(address: str) -> tuple[str, ...]:
    """User and password of an address, and the password alone; as they stand there, and as they are meant."""
    match = _SIGNED_ADDRESS.match(address)
    if not match:
        return ()
    password = match["user"].partition(":")[2]
    return match["user"], password, _ESCAPED.sub(_meant, password)


def _meant(escaped: re.Match[str]) -> str:
    return bytes.fromhex(escaped[0].replace("%", "")).decode("utf-8", "replace")


def concealed(
    spec: Mapping[str, Mapping[str, Any]], options: Mapping[str, Any], environ: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """The same spec, with no_log for every option that holds a secret where usually there is none.

    Ansible shows the arguments of a module at -vvv and logs them; an address without a password may be seen there.
    """
    return {
        name: {**entry, "no_log": True} if _holds_secret(_given(name, entry, options, environ)) else dict(entry)
        for name, entry in spec.items()
    }


def _given(name: str, entry: Mapping[str, Any], options: Mapping[str, Any], environ: Mapping[str, str]) -> Any:
    names = (name, *entry.get("aliases", ()))
    variables = entry["fallback"][1] if "fallback" in entry else ()
    told = (*(options.get(one) for one in names), *(environ.get(one) for one in variables))
    return next((value for value in told if value is not None), None)


def _holds_secret(value: Any) -> bool:
    return any(is_pem(text) or _user_info(text) or _USER_INFO.search(text) for text in _leaves(value))


def is_pem(text: str) -> bool:
    """The key or certificate itself, where the path of a file belongs."""
    return _PEM in text


def _longest_first(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({one for value in found if (one := value.strip())}, key=len, reverse=True))


def _in_options(spec: Mapping[str, Mapping[str, Any]], options: Mapping[str, Any]) -> Iterator[str]:
    for name, entry in spec.items():
        value = options.get(name)
        if entry.get("no_log") and value is not None:
            yield from _leaves(value) if name != "kubeconfig" else _in_kubeconfig(value)
        for nested in [value] if isinstance(value, Mapping) else value if isinstance(value, list) else []:
            if isinstance(nested, Mapping) and entry.get("options"):
                yield from _in_options(entry["options"], nested)


def _in_kubeconfig(value: Any) -> Iterator[str]:
    """A path is no secret and helps whoever reads the error; content is full of them."""
    if isinstance(value, str):
        yield from _SECRET_LINE.findall(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item) if _SECRET_KEY.search(str(key)) else _in_kubeconfig(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _in_kubeconfig(item) if isinstance(item, (Mapping, list, tuple)) else ()


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield value


def scrubbed(value: Any, secrets: tuple[str, ...]) -> Any:
    """The same without any of them, and without the user part of any address."""
    if isinstance(value, Mapping):
        return {scrubbed(key, secrets): scrubbed(item, secrets) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [scrubbed(item, secrets) for item in value]
    if not isinstance(value, str):
        return value
    for secret in secrets:
        if secret in value:
            value = value.replace(secret, MASK)
    return _USER_INFO.sub(MASK, value) if "@" in value else value


class Hide:
    """Takes out what the task was given, and what connections send: a kubeconfig's token, a profile's key."""

    def __init__(self, known: tuple[str, ...]) -> None:
        self._known = known
        self._senders: list[Callable[[], Iterable[str]]] = []

    def what_is_sent_by(self, sender: Callable[[], Iterable[str]]) -> None:
        self._senders.append(sender)

    def __call__(self, value: Any) -> Any:
        sent = (one for sender in self._senders for one in sender())
        return scrubbed(value, _longest_first((*self._known, *sent)))
