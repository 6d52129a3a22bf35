# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What galaxy.yml, meta/ and the locks say must agree with what is in the tree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
LAB_LOCKS = sorted((ROOT / "tests" / "lab" / "openstack").glob("requirements-*.txt"))


def read_yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def locked_versions(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", lock.read_text(encoding="utf-8"), re.MULTILINE))


def test_the_version_is_the_newest_of_the_changelog() -> None:
    releases = read_yaml("changelogs/changelog.yaml")["releases"]
    assert read_yaml("galaxy.yml")["version"] == max(releases, key=Version)
    assert f"v{read_yaml('galaxy.yml')['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace(
        "\\", ""
    )


def test_the_collections_that_are_used_are_the_declared_ones() -> None:
    """Used is what is imported, and what a task or a documentation fragment names."""
    patterns = (r"ansible_collections\.(\w+\.\w+)", r"(?m)^[ -]*([a-z_]+\.[a-z_]+)\.[a-z_.]+:?$")
    files = [path for folder in ("plugins", "roles", "playbooks") for path in (ROOT / folder).rglob("*.[py]*")]
    texts = [path.read_text(encoding="utf-8") for path in files]
    used = {name for text in texts for pattern in patterns for name in re.findall(pattern, text)}
    assert used - {"ansible.builtin", "edgeworks.lb_estate"} == set(read_yaml("galaxy.yml")["dependencies"])


def test_an_execution_environment_gets_versions_the_tests_run_on() -> None:
    named = read_yaml("meta/execution-environment.yml")["dependencies"]
    assert (ROOT / named["system"]).is_file()
    lines = (ROOT / named["python"]).read_text(encoding="utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    locked = locked_versions(ROOT / "requirements" / "main.txt")
    assert {one.name for one in wanted} >= {"kubernetes", "boto3", "openstacksdk", "python-dateutil"}
    assert [one.name for one in wanted if locked[one.name.lower()] not in one.specifier] == []


@pytest.mark.parametrize("lock", LOCKS + LAB_LOCKS, ids=lambda path: path.stem)
def test_a_lock_has_a_hash_for_everything_and_names_no_place(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert re.findall(r"^.*(?:://|--index|--find-links|^/|\s/\w).*$", text, re.MULTILINE) == []
    entries = re.findall(r"^[a-z0-9].*==.*(?:\n +.*)*", text, re.MULTILINE)
    assert len(entries) >= 1
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_a_lock_contains_every_package_its_input_names(lock: Path) -> None:
    lines = lock.with_suffix(".in").read_text(encoding="utf-8").splitlines()
    asked = [Requirement(line) for line in lines if line and not line.startswith("#")]
    locked = {name.replace("_", "-") for name in locked_versions(lock)}
    assert {one.name.lower().replace("_", "-") for one in asked} <= locked
