# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Serve one OpenStack API on a socket the lab has bound: `lab_plugin.serve SERVICE FILE-DESCRIPTOR STATE`."""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import waitress

from lab_plugin.recorder import Application, DefaultProvider, Holding, Misanswering, Recorder

THREADS = 8


def keystone(etc: Path) -> Application:
    os.environ["OS_KEYSTONE_CONFIG_DIR"] = str(etc)
    sys.argv = ["keystone"]
    from keystone.wsgi.api import application

    return application


def neutron(etc: Path) -> Application:
    os.environ["OS_NEUTRON_CONFIG_DIR"] = str(etc)
    os.environ["OS_NEUTRON_CONFIG_FILES"] = "neutron.conf"
    sys.argv = ["neutron-api"]
    from neutron.wsgi.api import application

    return application


def octavia(etc: Path) -> Application:
    sys.argv = ["octavia-api", "--config-file", str(etc / "octavia.conf")]
    from octavia.wsgi.api import application
    from oslo_config.cfg import CONF

    from lab_plugin.worker import Worker

    Worker(etc.parent / "run" / "worker-state").start()
    return DefaultProvider(application, CONF)


APPLICATIONS: dict[str, Callable[[Path], Application]] = {"keystone": keystone, "neutron": neutron, "octavia": octavia}


def main() -> None:
    service, descriptor, state = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    listening = socket.socket(fileno=descriptor)
    # Loading makes some hundred thousand objects that live as long as the process: not worth looking through again.
    gc.disable()
    application = APPLICATIONS[service](state / "etc")
    gc.freeze()
    gc.enable()
    application = Recorder(Misanswering(application, service), service, state / "run" / "requests.jsonl")
    application = Holding(application)
    waitress.serve(application, sockets=[listening], threads=THREADS, _quiet=True)


if __name__ == "__main__":
    main()
