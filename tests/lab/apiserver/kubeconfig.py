# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kubeconfig for one cluster and one token."""

from __future__ import annotations

import base64

_TEMPLATE = """apiVersion: v1
kind: Config
clusters:
  - name: {cluster}
    cluster:
      server: {server}
      certificate-authority-data: {ca}
users:
  - name: {user}
    user:
      token: {token}
contexts:
  - name: {user}@{cluster}
    context:
      cluster: {cluster}
      user: {user}
      namespace: {namespace}
current-context: {user}@{cluster}
"""


def kubeconfig(
    cluster: str, server: str, ca: bytes, token: str, *, user: str = "admin", namespace: str = "default"
) -> str:
    encoded = base64.b64encode(ca).decode()
    return _TEMPLATE.format(cluster=cluster, server=server, ca=encoded, token=token, user=user, namespace=namespace)
