# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API server twin: honest Kubernetes REST semantics for many clusters in one process.

from .server import ApiServer
from .store import Cluster

with ApiServer() as server:
    url = server.add(Cluster("demo"))
    print(server.kubeconfig("demo"))
"""
