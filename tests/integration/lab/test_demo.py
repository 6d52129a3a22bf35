# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make demo` prints, and that it puts everything away again (Foundation item 8)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.lab import ROOT, demo_view
from ansible_collections.edgeworks.lb_estate.tests.lab.demo_view import Balancer
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import DEMO

SUBNETS = "service.beta.kubernetes.io/aws-load-balancer-subnets"
A, B = (f"subnet-0{letter * 16}" for letter in "ab")
HOSTNAME = "a0e8d784f85204b89974b1b10b5230db-d5b878b9631ada84.elb.us-east-1.amazonaws.com"


def balancer(
    cluster: str = "aws-one", name: str = "default", scope: str = "External", platform: str = "AWS", **annotations: str
) -> Balancer:
    """Wanted in this scope, in force outside; annotations by the last word of their key."""
    aws = {"type": "Classic", "classicLoadBalancer": {}}
    if "subnets" in annotations:
        aws["classicLoadBalancer"] = {"subnets": {"ids": annotations["subnets"].split(",")}}
    lb = {"scope": scope, "providerParameters": {"type": "AWS", "aws": aws}}
    status = {"type": "LoadBalancerService", "loadBalancer": lb}
    spec = {"type": "LoadBalancerService", "loadBalancer": {"scope": scope}}
    keys = {SUBNETS: annotations["subnets"]} if "subnets" in annotations else {}
    return Balancer(
        cluster,
        profile_for("4.22.3"),
        Infra(platform),
        {
            "metadata": {"name": name},
            "spec": {"endpointPublishingStrategy": spec},
            "status": {"endpointPublishingStrategy": status},
        },
        {
            "metadata": {"name": f"router-{name}", "annotations": keys},
            "status": {"loadBalancer": {"ingress": [{"hostname": HOSTNAME}]}},
        },
    )


ESTATE = [
    balancer(),
    balancer(name="partners", scope="Internal"),
    balancer("aws-unmanaged", subnets=f"{A},{B}"),
]


@pytest.mark.parametrize("width", [80, 100, 120, 160, 250])
def test_the_table_fits_the_terminal_and_loses_no_load_balancer(width: int) -> None:
    header, *lines = demo_view.table(ESTATE, width).splitlines()
    assert all(len(line) <= width for line in (header, *lines))
    assert [line.split()[:2] for line in lines] == [
        ["aws-one", "AWS"],
        ["partners", "Classic"],  # of the cluster above it
        ["aws-unmanaged", "AWS"],
    ]
    assert ("ADDRESS" in header) == (width >= 120)
    assert "scope" in lines[1]
    assert "subnets" in lines[2]


@pytest.mark.parametrize(
    ("most", "shown"),
    [
        (24, "a0e8d784f8…amazonaws.com"),
        (38, "a0e8d784f8…elb.us-east-1.amazonaws.com"),
        (48, "a0e8d784f85204b89974…elb.us-east-1.amazonaws.com"),
        (99, HOSTNAME),
    ],
)
def test_a_squeezed_address_keeps_its_beginning(most: int, shown: str) -> None:
    assert demo_view._squeezed(HOSTNAME, most) == shown
    assert len(shown) <= most


def test_details_say_have_want_and_both_ways_out() -> None:
    text = demo_view.details(ESTATE[1], 120)
    assert text.startswith("aws-one: IngressController partners\n")
    assert "pending    scope: External → Internal\n" in text
    assert "effectuate oc -n openshift-ingress delete svc/router-partners\n" in text
    assert '"loadBalancer":{"scope":"External"}' in "".join(text.split())
    assert f"pending    subnets: {A}, {B} → none\n" in demo_view.details(ESTATE[2], 120)


@pytest.mark.parametrize("name", ["plain", "with space", 'it\'s, {odd}: "quoted"'])
@pytest.mark.parametrize("width", [40, 67, 200])
def test_a_broken_command_is_still_the_same_command(name: str, width: int) -> None:
    patch: dict[str, Any] = {"spec": {"subnets": {"ids": None, "names": [name, "b", "c" * 30]}, "scope": "External"}}
    lines = demo_view.patch_command("default", patch, width)
    script = "set -- {}; printf '%s\\0' \"$@\"".format("\n".join(lines))
    words = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    assert " ".join(words[:-1]) == "oc -n openshift-ingress-operator patch ingresscontrollers/default --type=merge"
    assert json.loads(words[-1].removeprefix("--patch=")) == patch


# -- the whole of it --------------------------------------------------------------------------------------------------


def start(directory: Path, columns: int = 80) -> subprocess.Popen[str]:
    environment = {**os.environ, "COLUMNS": str(columns), "TMPDIR": str(directory)}
    command = [sys.executable, "-m", "tests.lab", "demo"]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


def test_the_demo_from_start_to_end(tmp_path: Path) -> None:
    begun = time.monotonic()
    out, err = start(tmp_path).communicate(timeout=120)
    print(f"demo: {time.monotonic() - begun:.1f} s")
    assert err == ""
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    for spec in DEMO:
        assert sum(line.startswith(f"{spec.name} ") for line in lines) == 1
    assert "15 ingress load balancers in 12 clusters; a change is pending on 2." in lines
    for cluster, what in (("aws-latent", "scope: External → Internal"), ("aws-unmanaged", "subnets: subnet-")):
        at = lines.index(f"{cluster}: IngressController default")
        assert any(what in line for line in lines[at : at + 5])
    assert lines[-1].startswith("Stopped again after ")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_in_the_middle_is_a_sentence(tmp_path: Path) -> None:
    process = start(tmp_path)
    assert process.stdout is not None
    shown = ""
    while "clusters …" not in shown:
        piece = process.stdout.read(1)
        assert piece, "the demo ended before its clusters came up"
        shown += piece
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)  # once more: whoever presses it twice gets no traceback either
    _out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "Interrupted; nothing was left running.\n")
    assert list(tmp_path.iterdir()) == []
