# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module as the process that Ansible would start, with its writes counted: `… MODULE-FILE [MOMENT WRITES PORT]`.

Moments: `after` dies, as by kill -9, when so many writes are answered; `in-flight` has the lab's servers hold the last
of them. The count is taken where requests leave the process, below everything that is ours, so nothing of ours can
clean up. It is one count for all servers that a module writes to.
"""

from __future__ import annotations

import itertools
import os
import runpy
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ansible_collections.edgeworks.lb_estate.tests.lab.shared.lab_gate import HEADER

#: Telling, asking and signing in change nothing that counts.
_NO_WRITES = ("/events", "/authorization.k8s.io/", "/auth/tokens")
#: Around one write, from before it is sent until it is answered; gives the headers to add to it.
Write = Callable[[], AbstractContextManager[dict[str, str]]]


def is_write(method: str, url: str) -> bool:
    return method.upper() not in ("GET", "HEAD") and not any(part in url for part in _NO_WRITES)


def dying_after(writes: int) -> Write:
    answered = itertools.count(1)

    @contextmanager
    def write() -> Iterator[dict[str, str]]:
        yield {}
        if next(answered) >= writes:
            os.kill(os.getpid(), signal.SIGKILL)

    return write


def held(number: int, port: str) -> Write:
    """A module may write from several threads. The held write is the only one on its way, or every run would be killed
    in another state: it is sent when all before it are answered, and those after it wait for its answer."""
    turn = threading.Condition()
    sent = answered = 0

    @contextmanager
    def write() -> Iterator[dict[str, str]]:
        nonlocal sent, answered
        with turn:
            mine = sent = sent + 1
            before = number - 1 if mine == number else number
            turn.wait_for(lambda: mine < number or answered >= before)
        try:
            yield {HEADER: port} if mine == number else {}
        finally:
            with turn:
                answered += 1
                turn.notify_all()

    return write


def count(write: Write) -> None:
    import requests
    import urllib3

    send, urlopen = requests.Session.send, urllib3.PoolManager.urlopen

    def counted_send(self: Any, request: Any, **options: Any) -> Any:
        if not is_write(request.method, request.url):
            return send(self, request, **options)
        with write() as added:
            request.headers.update(added)
            return send(self, request, **options)

    def counted_urlopen(self: Any, method: str, url: str, *args: Any, **options: Any) -> Any:
        if not is_write(method, url):
            return urlopen(self, method, url, *args, **options)
        with write() as added:
            options["headers"] = urllib3.HTTPHeaderDict(options.get("headers") or self.headers, **added)
            return urlopen(self, method, url, *args, **options)

    requests.Session.send = counted_send  # type: ignore[method-assign]
    urllib3.PoolManager.urlopen = counted_urlopen  # type: ignore[method-assign,assignment]


def main() -> None:
    module, *plan = sys.argv[1:]
    if plan:
        moment, number, port = plan
        count(dying_after(int(number)) if moment == "after" else held(int(number), port))
    sys.argv = [module]  # a module with arguments would take them for its options
    runpy.run_path(module, run_name="__main__")


if __name__ == "__main__":
    main()
