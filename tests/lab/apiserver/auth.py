# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bearer tokens of one cluster: who they belong to and until when they hold."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, replace

from .errors import unauthorized

MASTERS = "system:masters"


@dataclass(frozen=True)
class User:
    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    expires_at: float | None = None

    @property
    def is_master(self) -> bool:
        return MASTERS in self.groups


ANONYMOUS = User("system:anonymous", ("system:unauthenticated",))


class Tokens:
    """Token table; times are seconds since the epoch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: dict[str, User] = {}

    def add(
        self, user: str, groups: tuple[str, ...] = (), *, token: str | None = None, expires_at: float | None = None
    ) -> str:
        token = token or f"sha256~{secrets.token_urlsafe(24)}"
        with self._lock:
            self._users[token] = User(user, (*groups, "system:authenticated"), f"uid-{user}", expires_at)
        return token

    def expire(self, token: str, at: float | None = None) -> None:
        """From `at` (default: now) on the token is refused with 401."""
        with self._lock:
            self._users[token] = replace(self._users[token], expires_at=time.time() if at is None else at)

    def revoke(self, token: str) -> None:
        with self._lock:
            self._users.pop(token, None)

    def user_of(self, authorization: str | None) -> User:
        """The user behind an Authorization header, or 401; without one it is nobody, who may do next to nothing."""
        if not authorization:
            return ANONYMOUS
        scheme, _space, token = (authorization or "").partition(" ")
        user = self._users.get(token.strip()) if scheme.lower() == "bearer" else None
        if user is None or (user.expires_at is not None and user.expires_at <= time.time()):
            raise unauthorized()
        return user
