# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.lab up | status | down`: what it starts it ends, and nothing else (lab.md, Manners)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeworks.lb_estate.tests.lab import ROOT
from ansible_collections.edgeworks.lb_estate.tests.lab.processes import ProcessId
from kubernetes import client, config

Command = Callable[..., subprocess.CompletedProcess[str]]


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.lab", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lab_command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    process = start(*arguments, **environment)
    out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def record(state: Path) -> dict[str, Any]:
    return dict(json.loads((state / "lab.json").read_text(encoding="utf-8")))


def processes_of(state: Path) -> list[ProcessId]:
    return [ProcessId.from_record(entry) for entry in record(state)["processes"]]


def mentioning(state: Path) -> list[str]:
    """Command lines of live processes that name this state directory."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if str(state) in line:
            found.append(line)
    return found


def until(predicate: Callable[[], Any], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not predicate():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s"
        time.sleep(0.02)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "lab"
    yield path
    lab_command("down", "--state", str(path))
    until(lambda: not mentioning(path), 20)


def test_the_demo_estate_within_its_budget(state: Path) -> None:
    made = lab_command("up", "--estate", "demo", "--state", str(state))
    assert made.returncode == 0, made.stderr
    found = record(state)
    memory = sum(process.memory() for process in processes_of(state)) // 2**20
    print(f"\ndemo: {found['seconds']:.1f} s, {found['seconds_after_moto']:.1f} s after moto, {memory} MB")
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert found["seconds_after_moto"] <= 10 * busy, f"10 s on a quiet machine; this one is {busy:.1f} times busy"
    assert memory <= 700
    assert len(found["clusters"]) == 12
    status = lab_command("status", "--state", str(state))
    assert status.returncode == 0
    assert "aws-latent" in status.stdout
    check_inventory(state)
    assert lab_command("down", "--state", str(state)).stdout == f"Ended the lab in {state}.\n"
    assert not state.exists()
    assert mentioning(state) == []


def check_inventory(state: Path) -> None:
    inventory = yaml.safe_load((state / "inventory.yml").read_text(encoding="utf-8"))["all"]
    assert inventory["vars"]["ansible_python_interpreter"] == "{{ ansible_playbook_python }}"
    assert sorted(inventory["children"]["openshift_4_16"]["hosts"]) == ["aws-416-classic"]
    host = inventory["hosts"]["aws-latent"]
    api = client.CustomObjectsApi(config.new_client_from_config(host["lb_estate_kubeconfig"]))
    group = ("operator.openshift.io", "v1", "openshift-ingress-operator", "ingresscontrollers", "default")
    conditions = {c["type"]: c for c in api.get_namespaced_custom_object(*group)["status"]["conditions"]}
    assert 'scope was changed from "External" to "Internal"' in conditions["LoadBalancerProgressing"]["message"]
    core = client.CoreV1Api(config.new_client_from_config(inventory["hosts"]["aws-unmanaged"]["lb_estate_kubeconfig"]))
    annotations = core.read_namespaced_service("router-default", "openshift-ingress").metadata.annotations
    subnets = inventory["hosts"]["aws-unmanaged"]["lb_estate_subnets"]["public"]
    assert annotations["service.beta.kubernetes.io/aws-load-balancer-subnets"].split(",")[0] in subnets.values()
    settings = (state / "aws.env").read_text(encoding="utf-8")
    assert f"AWS_ENDPOINT_URL={inventory['vars']['lb_estate_aws']['endpoint_url']}" in settings


def test_two_labs_side_by_side(state: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    try:
        for path in (state, other):
            made = lab_command("up", "--estate", "gcp", "--state", str(path))
            assert made.returncode == 0, made.stderr
        urls = {record(path)["clusters"][0]["url"] for path in (state, other)}
        assert len(urls) == 2
        assert lab_command("down", "--state", str(other)).returncode == 0
        assert all(process.alive() for process in processes_of(state))
    finally:
        lab_command("down", "--state", str(other))


def test_a_second_lab_in_the_same_directory_is_refused(state: Path) -> None:
    assert lab_command("up", "--estate", "gcp", "--state", str(state)).returncode == 0
    again = lab_command("up", "--estate", "gcp", "--state", str(state))
    assert again.returncode == 1
    assert again.stderr.startswith(f"A lab is already running in {state}. End it with: ")
    assert lab_command("status", "--state", str(state)).returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("begun", ["lab.lock", "lab.log", "moto"])
def test_interrupted_in_the_middle(state: Path, number: signal.Signals, begun: str) -> None:
    process = start("up", "--estate", "aws", "--state", str(state))
    until((state / begun).exists)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert "Traceback" not in err
    assert not state.exists()
    until(lambda: not mentioning(state), 10)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_in_the_foreground_until_interrupted(state: Path, number: signal.Signals) -> None:
    process = start("up", "--foreground", "--estate", "gcp", "--state", str(state))
    assert process.stdout is not None
    said = "".join(iter(process.stdout.readline, f"End it with: python -m tests.lab down --state {state}\n"))
    assert "gcp-one" in said
    process.send_signal(number)
    _out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert not state.exists()


def test_a_killed_lab_is_noticed_and_cleaned_up(state: Path) -> None:
    assert lab_command("up", "--estate", "aws", "--state", str(state)).returncode == 0
    lab, moto = processes_of(state)
    os.kill(lab.pid, signal.SIGKILL)
    until(lambda: not moto.alive(), 10)
    status = lab_command("status", "--state", str(state))
    assert status.returncode == 3
    assert "An earlier run left its files there" in status.stdout
    again = lab_command("up", "--estate", "gcp", "--state", str(state))
    assert again.returncode == 0
    assert again.stdout.startswith(f"Cleaned up what an earlier run left in {state}.")


def test_a_recycled_pid_is_never_ended(state: Path) -> None:
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        real = ProcessId.of("lab", bystander.pid)
        recycled = {**real.as_record(), "started": real.started - 1}
        other_boot = {**real.as_record(), "boot": "00000000-0000-0000-0000-000000000000"}
        state.mkdir()
        (state / "lab.lock").touch()
        stale = {"phase": "ready", "processes": [recycled, other_boot]}
        (state / "lab.json").write_text(json.dumps(stale), encoding="utf-8")
        assert lab_command("down", "--state", str(state)).returncode == 0
        assert not state.exists()
        assert bystander.poll() is None
        assert real.end()
        assert bystander.wait(5) == -signal.SIGTERM
    finally:
        bystander.kill()
        bystander.wait()


def test_nothing_to_end(state: Path) -> None:
    ended = lab_command("down", "--state", str(state))
    assert (ended.returncode, ended.stdout) == (0, f"No lab is running in {state}.\n")
    assert lab_command("status", "--state", str(state)).returncode == 3


def test_a_directory_with_other_things_in_it_is_left_alone(state: Path) -> None:
    state.mkdir()
    precious = state / "thesis.txt"
    precious.write_text("years of work", encoding="utf-8")
    for command in (["up", "--estate", "gcp"], ["down"], ["status"]):
        refused = lab_command(*command, "--state", str(state))
        assert refused.returncode == 1
        assert "was not made by the lab" in refused.stderr
    assert precious.exists()
    precious.unlink()
    state.rmdir()
    state.write_text("a file", encoding="utf-8")
    assert "is a file" in lab_command("up", "--estate", "gcp", "--state", str(state)).stderr
    state.unlink()


def test_a_lab_that_cannot_start_says_why_in_a_sentence(state: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken" / "moto"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise SystemExit('moto is broken here')\n", encoding="utf-8")
    path = f"{broken.parent}:{os.environ.get('PYTHONPATH', '')}"
    refused = lab_command("up", "--estate", "aws", "--state", str(state), PYTHONPATH=path)
    assert refused.returncode == 1
    assert "moto is broken here" in refused.stderr
    assert str(state) in refused.stderr
    assert "Traceback" not in refused.stderr
    assert mentioning(state) == []
