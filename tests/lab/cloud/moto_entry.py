# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process behind `MotoServer`: moto with its gaps closed, on a port of its own choice.

It writes its address to the ready file once it listens, and ends when its standard input does: a lab that is killed
without a chance to clean up leaves no server behind.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from pathlib import Path

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

from . import moto_patches
from .moto_control import ControlledApp


def _end_with_parent() -> None:
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ready-file", type=Path, required=True)
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the lab's to handle: it ends this process itself
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    moto_patches.apply()
    app = ControlledApp(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=MotoRequestHandler)
    # moto calls itself for some services and reads its own port here.
    os.environ["MOTO_PORT"] = str(server.server_port)
    pending = options.ready_file.with_suffix(".pending")
    pending.write_text(f"http://127.0.0.1:{server.server_port}", encoding="utf-8")
    pending.replace(options.ready_file)
    server.serve_forever()


if __name__ == "__main__":
    main()
