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
import threading
from pathlib import Path

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server
from werkzeug.test import Client

from . import moto_patches
from .moto_control import ControlledApp


def _end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(0)


# One harmless read per service. Its first request loads the service's model, for a tenth of a second and more; several
# clusters that come at once would each load it.
_FIRST_READS = (
    ("ec2", "POST", "/", "Action=DescribeRouteTables&Version=2016-11-15"),
    ("elasticloadbalancing", "POST", "/", "Action=DescribeLoadBalancers&Version=2012-06-01"),
    ("elasticloadbalancing", "POST", "/", "Action=DescribeLoadBalancers&Version=2015-12-01"),
    ("route53", "GET", "/2013-04-01/hostedzone", ""),
)


def _warm_up(app: DomainDispatcherApplication) -> None:
    client = Client(app)
    for service, method, path, form in _FIRST_READS:
        scope = f"AWS4-HMAC-SHA256 Credential=LAB/20260101/us-east-1/{service}/aws4_request, SignedHeaders=host"
        kind = "application/x-www-form-urlencoded" if form else None
        answer = client.open(path, method=method, headers={"Authorization": scope}, data=form, content_type=kind)
        if answer.status_code != 200:
            raise SystemExit(f"moto answers {service} with {answer.status}: {answer.get_data(as_text=True)}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ready-file", type=Path, required=True)
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the lab's to handle: it ends this process itself
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    moto_patches.apply()
    dispatcher = DomainDispatcherApplication(create_backend_app)
    _warm_up(dispatcher)
    app = ControlledApp(dispatcher)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=MotoRequestHandler)
    # moto calls itself for some services and reads its own port here.
    os.environ["MOTO_PORT"] = str(server.server_port)
    pending = options.ready_file.with_suffix(".pending")
    pending.write_text(f"http://127.0.0.1:{server.server_port}", encoding="utf-8")
    pending.replace(options.ready_file)
    server.serve_forever()


if __name__ == "__main__":
    main()
