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
    r"SECURITY_TOKEN)|EC2_SECRET_KEY|OS_(PASSWORD|TOKEN|AUTH_TOKEN|PASSCODE|\w*SECRET\w*))$"
)
_SECRET_KEY = re.compile(r"(token|password|secret|key-data|passcode|api[_-]?key)$", re.IGNORECASE)
_SECRET_LINE = re.compile(r"(?:token|password|secret|key-data)[\"']?\s*:\s*[\"']?([^\s\"',}]+)", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+:[^/@\s]*(?=@)")


def known_secrets(
    spec: Mapping[str, Mapping[str, Any]], options: Mapping[str, Any], environ: Mapping[str, str]
) -> tuple[str, ...]:
    """Longest first, so that none is masked only in part."""
    found = {value for name, value in environ.items() if _ENVIRONMENT.match(name)}
    found |= set(_in_options(spec, options))
    return _longest_first(found)


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
