# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia's worker inside the API's process: the in-memory transport (`fake://`) reaches no further.

It is down while the switch `worker-down` is there; messages wait in the queue meanwhile, as with a broker.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from octavia.controller.queue.v2 import consumer
from oslo_config import cfg

from lab_plugin import switches

POLL = 0.1


class Worker:
    """Follows the switch; `state` says what is true, not what was asked for."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._consumer = consumer.ConsumerService(0, cfg.CONF)
        self._running = False

    def start(self) -> None:
        self._tell("down")
        threading.Thread(target=self._follow, name="worker-switch", daemon=True).start()

    def _follow(self) -> None:
        while True:
            wanted = not (switches.directory() / "worker-down").exists()
            if wanted and not self._running:
                self._consumer.run()
                self._running = True
                self._tell("up")
            elif self._running and not wanted:
                # What it has taken it finishes first, so afterwards nothing is half done.
                self._consumer.message_listener.stop()
                self._consumer.message_listener.wait()
                self._running = False
                self._tell("down")
            time.sleep(POLL)

    def _tell(self, state: str) -> None:
        draft = self._state.with_suffix(".new")
        draft.write_text(state, encoding="utf-8")
        draft.replace(self._state)
