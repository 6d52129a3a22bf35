# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator made a new Service and has not looked at it since: what it said of the old one is no all-clear."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import run_task
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError

from .conftest import NewIngress
from .proofs import codes
from .workplace import Ingress

RECORDS = "dnsrecords.ingress.operator.openshift.io"


@pytest.fixture
def unseen(ingress: NewIngress, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ingress]:
    """From the next Service on, what the operator writes about it fails."""
    subject = ingress(type="NLB")
    time.sleep(1.1)  # times have whole seconds
    old, api = subject.uid, subject.cluster.api

    def failing(name: str) -> Any:
        original = getattr(api, name)

        def write(resource: str, *args: Any, **more: Any) -> Any:
            told = resource == RECORDS or more.get("subresource") == "status"
            service = subject.service()
            by_operator = threading.current_thread().name.startswith("ingress-operator")
            if told and by_operator and service is not None and service["metadata"]["uid"] != old:
                raise ApiError(503, "ServiceUnavailable", "etcd is busy")
            return original(resource, *args, **more)

        return write

    with monkeypatch.context() as patched:
        for name in ("patch", "replace", "create"):
            patched.setattr(api, name, failing(name))
        yield subject


def test_neither_a_run_nor_the_radar_gives_an_all_clear(unseen: Ingress) -> None:
    """CORE-14: Available=True and the DNSRecord are of the load balancer that is gone."""
    wanted = {"ids": list(unseen.cluster.aws.spare_public.values())}
    options = {"subnets": wanted, "effectuate": "delete", "allow_disruption": "outage", "wait_timeout": 3}
    assert unseen.run("ingress_lb_subnets", **options)["failed"]
    for module, more in (("ingress_lb_subnets", options), ("lb_effectuate", {"changes": ["all"], "wait_timeout": 2})):
        again = unseen.run(module, **more)
        assert (again["verdict"], again["failed"]) == ("in_progress", True)
        assert "dns_outdated" in codes(again)
    radar = run_task("lb_info", unseen.cluster.kubeconfig, preflight="skip")
    (row,) = [row for row in radar["targets"] if row["name"] == unseen.name]
    assert row["verdict"] == "in_progress"
    assert "dns_outdated" in row["codes"]
