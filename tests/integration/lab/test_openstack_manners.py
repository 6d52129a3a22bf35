# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenStack lab's manners: it ends what it started and nothing else, whatever happens in between."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.processes import carrying
from ansible_collections.edgeworks.lb_estate.tests.lab.openstack import LabError, OpenStackLab, packages
from ansible_collections.edgeworks.lb_estate.tests.lab.openstack.paths import HERE, ROOT, State

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
SERVERS = {"mariadb", "keystone", "neutron", "octavia"}
#: What a machine may have set, and what would break a service or client that listened to it.
HOSTILE = {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9", "REQUESTS_CA_BUNDLE": "/nowhere"}


def lab_command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "tests.lab.openstack", *map(str, arguments)]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    env = dict(os.environ) | HOSTILE
    command = lab_command(*arguments)
    return subprocess.run(command, check=False, cwd=ROOT, env=env, text=True, capture_output=True, timeout=300)


def processes_of(directory: Path) -> set[int]:
    """By the environment every process of that lab was given; so also those nobody recorded."""
    return carrying(f"LAB_FAULTS={State(directory).faults}")


def until(condition: Callable[[], bool], wait: float = 120) -> None:
    deadline = time.monotonic() + wait
    while not condition():
        assert time.monotonic() < deadline, f"not within {wait} s"
        time.sleep(0.05)


def begun(directory: Path, *command: str) -> subprocess.Popen[str]:
    """A start that has got as far as launching the services."""
    starting = subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    until((State(directory).run / "octavia.json").exists)
    assert len(processes_of(directory)) >= len(SERVERS)
    return starting


@pytest.mark.usefixtures("openstack_lab")
def test_up_takes_over_from_a_killed_start_and_runs_beside_another_lab(tmp_path: Path) -> None:
    directory = tmp_path / "lab"
    starting = begun(directory, *lab_command("up", "--state", directory))
    starting.kill()
    starting.communicate()
    left = processes_of(directory)
    assert left, "a start that is killed cannot clear up"
    assert run("status", "--state", directory).returncode == 3

    second = run("up", "--state", directory)
    assert second.returncode == 0, second.stderr
    assert "clearing up after a lab that did not end properly" in second.stderr
    assert not left & processes_of(directory)
    status = run("status", "--state", directory)
    assert (status.returncode, {line.split()[0] for line in status.stdout.splitlines()[:-1]}) == (0, SERVERS)
    again = run("up", "--state", directory)
    assert (again.returncode, "already up" in again.stderr) == (0, True)

    assert run("down", "--state", directory).returncode == 0
    assert not processes_of(directory)
    assert not directory.exists()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_start_leaves_nothing(tmp_path: Path, sign: signal.Signals) -> None:
    directory = tmp_path / "lab"
    starting = begun(directory, *lab_command("up", "--state", directory))
    starting.send_signal(sign)
    said = starting.communicate(timeout=60)[1]
    assert (starting.returncode, "nothing was left running" in said) == (130, True)
    assert not processes_of(directory)
    assert not directory.exists()


def test_a_killed_start_is_cleared_by_down(tmp_path: Path) -> None:
    directory = tmp_path / "lab"
    starting = begun(directory, *lab_command("up", "--state", directory))
    starting.kill()
    starting.communicate()
    assert run("down", "--state", directory).returncode == 0
    assert not processes_of(directory)
    assert not directory.exists()


def test_a_lab_of_a_test_run_does_not_outlive_it(tmp_path: Path) -> None:
    directory = tmp_path / "lab"
    program = f"from tests.lab.openstack import OpenStackLab; OpenStackLab.start({str(directory)!r})"
    starting = begun(directory, sys.executable, "-c", program)
    starting.kill()
    starting.communicate()
    until(lambda: not processes_of(directory), wait=30)


def test_a_directory_with_other_files_is_refused_and_kept(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine", encoding="utf-8")
    for command in ("up", "down"):
        refused = run(command, "--state", tmp_path)
        assert (refused.returncode, "name an empty one" in refused.stderr) == (1, True)
        assert "Traceback" not in refused.stderr
    assert precious.read_text(encoding="utf-8") == "mine"


def test_a_running_lab_is_not_started_twice(openstack_lab: OpenStackLab) -> None:
    with pytest.raises(LabError, match="A lab is already running in"):
        OpenStackLab.start(openstack_lab.state_dir)
    assert OpenStackLab.attach(openstack_lab.state_dir).auth_url == openstack_lab.auth_url


def test_clients_reach_the_lab_whatever_proxy_is_set(openstack_lab: OpenStackLab) -> None:
    program = "import openstack; print([zone.name for zone in openstack.connect().load_balancer.availability_zones()])"
    env = dict(os.environ) | HOSTILE | openstack_lab.client_environment() | {"OS_CLOUD": openstack_lab.admin_cloud}
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, check=False, env=env, text=True, capture_output=True, timeout=60)
    assert "'az1', 'az2', 'az3'" in done.stdout, done.stderr


def test_too_little_room_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="MB free and 1000000000000 MB are needed"):
        packages.need_room(tmp_path, 10**18)


def test_no_lab_to_attach_to_is_a_sentence_that_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"No lab is running in .* Start one: python -m tests.lab.openstack up"):
        OpenStackLab.attach(tmp_path / "none")


def test_debian_out_of_reach_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("apt-get", "echo 'E: Unable to locate package'; exit 100"), ("dpkg", "exit 1")):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(
        LabError, match="cannot bring the Debian package mariadb-server-core: E: Unable to locate package"
    ):
        packages.make_mariadb(tmp_path / "mariadb", lambda _: None)


def test_pypi_out_of_reach_is_a_sentence_and_leaves_nothing_that_looks_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {
        "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple",
        "UV_CACHE_DIR": str(tmp_path / "cache"),
        "UV_HTTP_RETRIES": "0",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    place = tmp_path / "venv"
    lock = HERE / f"requirements-{packages.python_version()}.txt"
    with pytest.raises(LabError, match=r"installing requirements-.* failed: PyPI cannot be reached"):
        packages.make_environment(place, lock, lambda _: None)
    assert not (place / packages.STAMP).exists()
