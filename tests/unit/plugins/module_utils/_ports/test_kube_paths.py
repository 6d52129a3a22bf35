# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""REST paths without discovery."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_paths import resource

ROWS = [
    ("services", "ns", "s", "/api/v1/namespaces/ns/services/s"),
    ("services", "", "", "/api/v1/services"),
    ("services/status", "ns", "s", "/api/v1/namespaces/ns/services/s/status"),
    ("namespaces", "", "x", "/api/v1/namespaces/x"),
    ("leases.coordination.k8s.io", "ns", "l", "/apis/coordination.k8s.io/v1/namespaces/ns/leases/l"),
    ("infrastructures.config.openshift.io", "", "cluster", "/apis/config.openshift.io/v1/infrastructures/cluster"),
    (
        "ingresscontrollers.operator.openshift.io/status",
        "ns",
        "d",
        "/apis/operator.openshift.io/v1/namespaces/ns/ingresscontrollers/d/status",
    ),
    ("machines.v1beta1.cluster.x-k8s.io", "ns", "", "/apis/cluster.x-k8s.io/v1beta1/namespaces/ns/machines"),
    ("clusterroles.v1.rbac.authorization.k8s.io", "", "r", "/apis/rbac.authorization.k8s.io/v1/clusterroles/r"),
    ("serviceaccounts.v1", "ns", "sa", "/api/v1/namespaces/ns/serviceaccounts/sa"),
    ("configmaps", "ns", "a/../b", "/api/v1/namespaces/ns/configmaps/a%2F..%2Fb"),
]


@pytest.mark.parametrize(("kind", "namespace", "name", "path"), ROWS)
def test_path(kind: str, namespace: str, name: str, path: str) -> None:
    assert resource(kind).path(namespace, name) == path


@pytest.mark.parametrize("kind", ["widgets", "machines.cluster.x-k8s.io", "Services", ""])
def test_an_unknown_resource_must_say_its_version(kind: str) -> None:
    with pytest.raises(ValueError, match=r"plural\.version\.group"):
        resource(kind)


def test_rbac_names() -> None:
    assert resource("services/status").rbac == "services/status"
    assert resource("machines.v1beta1.cluster.x-k8s.io").key == "machines.cluster.x-k8s.io"
