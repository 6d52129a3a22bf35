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
from collections.abc import Callable
from typing import Any

from ansible_collections.edgeworks.lb_estate.tests.lab.shared.lab_gate import HEADER

#: Telling, asking and signing in change nothing that counts.
_NO_WRITES = ("/events", "/authorization.k8s.io/", "/auth/tokens")
#: Headers to add to a write before it is sent, and what to do once it is answered.
Before = Callable[[], dict[str, str]]
After = Callable[[], None]


def is_write(method: str, url: str) -> bool:
    return method.upper() not in ("GET", "HEAD") and not any(part in url for part in _NO_WRITES)


def dying_after(writes: int) -> tuple[Before, After]:
    answered = itertools.count(1)

    def after() -> None:
        if next(answered) >= writes:
            os.kill(os.getpid(), signal.SIGKILL)

    return dict, after


def held(write: int, port: str) -> tuple[Before, After]:
    sent = itertools.count(1)
    return lambda: {HEADER: port} if next(sent) == write else {}, lambda: None


def count(before: Before, after: After) -> None:
    import requests
    import urllib3

    send, urlopen = requests.Session.send, urllib3.PoolManager.urlopen

    def counted_send(self: Any, request: Any, **options: Any) -> Any:
        if not is_write(request.method, request.url):
            return send(self, request, **options)
        request.headers.update(before())
        answer = send(self, request, **options)
        after()
        return answer

    def counted_urlopen(self: Any, method: str, url: str, *args: Any, **options: Any) -> Any:
        if not is_write(method, url):
            return urlopen(self, method, url, *args, **options)
        if added := before():
            options["headers"] = urllib3.HTTPHeaderDict(options.get("headers") or self.headers, **added)
        answer = urlopen(self, method, url, *args, **options)
        after()
        return answer

    requests.Session.send = counted_send  # type: ignore[method-assign]
    urllib3.PoolManager.urlopen = counted_urlopen  # type: ignore[method-assign,assignment]


def main() -> None:
    module, *plan = sys.argv[1:]
    if plan:
        moment, number, port = plan
        count(*(dying_after(int(number)) if moment == "after" else held(int(number), port)))
    sys.argv = [module]  # a module with arguments would take them for its options
    runpy.run_path(module, run_name="__main__")


if __name__ == "__main__":
    main()
