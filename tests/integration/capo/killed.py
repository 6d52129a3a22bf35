# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m …killed KUBECONFIG WRITES OPTIONS: run the module and die, as by kill -9, right after so many writes.

The count is taken where requests leave the process, below everything that is ours, so nothing of ours can clean up.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import sys
from typing import Any

import requests
import urllib3
from ansible_collections.edgeworks.lb_estate.tests.integration.capo.tasks import run_task


def die_after(writes: int) -> None:
    counter = itertools.count(1)

    def count(method: str, url: str) -> None:
        told = "/events" in url or url.endswith("/auth/tokens")  # telling and signing in change nothing that counts
        if method.upper() not in ("GET", "HEAD") and not told and next(counter) >= writes:
            os.kill(os.getpid(), signal.SIGKILL)

    send, urlopen = requests.Session.send, urllib3.PoolManager.urlopen

    def counted_send(self: Any, request: Any, **options: Any) -> Any:
        answer = send(self, request, **options)
        count(request.method, request.url)
        return answer

    def counted_urlopen(self: Any, method: str, url: str, *args: Any, **options: Any) -> Any:
        answer = urlopen(self, method, url, *args, **options)
        count(method, url)
        return answer

    requests.Session.send = counted_send  # type: ignore[method-assign]
    urllib3.PoolManager.urlopen = counted_urlopen  # type: ignore[method-assign,assignment]


def main() -> int:
    kubeconfig, writes, options = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
    die_after(writes)
    result = run_task(kubeconfig, **options)
    print(result.get("msg", ""))
    return 1 if result.get("failed") else 0


if __name__ == "__main__":
    sys.exit(main())
