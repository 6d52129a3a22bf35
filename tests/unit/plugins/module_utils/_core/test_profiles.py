# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Version knowledge is data: which operator behaves how (facts: ingress-operator §0; SUB-11)."""

from __future__ import annotations

from dataclasses import fields

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import (
    REPRESENTATIVE,
    Profile,
    UnsupportedVersion,
    profile_for,
)

VERSIONS = [f"4.{minor}" for minor in range(10, 24)] + ["5.0", "5.1"]


@pytest.mark.parametrize(
    ("version", "name", "family"),
    [
        ("4.10", "P0", "M0"),
        ("4.11", "P0", "M0"),
        ("4.12", "P1", "M0"),
        ("4.16", "P1", "M0"),
        ("4.17", "P2", "M1"),
        ("4.21", "P2", "M1"),
        ("4.22", "P3", "M2"),
        ("4.23", "P4", "M2"),
        ("5.0", "P4", "M2"),
        ("5.1", "P4", "M2"),
    ],
)
def test_profile_and_message_family_of_each_version(version: str, name: str, family: str) -> None:
    profile = profile_for(version)
    assert (profile.name, profile.family, profile.known) == (name, family, True)


# Each behaviour with the first version that has it, and the first that has it no more.
SPANS = {
    "idle_timeout": ("4.11", None),
    "type_in_place": ("4.12", "4.22"),
    "type_recreates": ("4.22", None),
    "proxy_in_place": ("4.12", None),
    "source_ranges": ("4.12", None),
    "progressing_condition": ("4.12", None),
    "ibm_protocol": ("4.13", None),
    "crd_rules": ("4.14", None),
    "subnets": ("4.17", None),
    "floating_ip": ("4.18", None),
    "tags_in_place": ("4.18", None),
    "delete_text_everywhere": ("4.18", None),
    "openstack_dns_unmanaged": ("4.18", None),
    "alibaba": ("4.10", "4.19"),
    "readmits_missing_lb": ("4.21", None),
    "raw_compare": ("4.22", None),
    "actual_type": ("4.22", None),
    "dual_stack": ("4.22", None),
    "nlb_protocol": ("4.23", None),
}


@pytest.mark.parametrize(("flag", "span"), SPANS.items(), ids=SPANS)
def test_each_behaviour_begins_and_ends_with_its_version(flag: str, span: tuple[str, str | None]) -> None:
    since, until = span
    end = VERSIONS.index(until) if until else len(VERSIONS)
    having = [version for version in VERSIONS if getattr(profile_for(version), flag)]
    assert having == VERSIONS[VERSIONS.index(since) : end]


def test_no_behaviour_is_missing_from_the_table_above() -> None:
    flags = {field.name for field in fields(Profile) if field.type == "bool"} - {"known"}
    assert flags == set(SPANS)


@pytest.mark.parametrize(
    ("version", "hint"), [("4.16", "kube-controller-manager"), ("4.17", "cloud-controller-manager")]
)
def test_the_hint_in_load_balancer_ready_names_the_component_of_its_time(version: str, hint: str) -> None:
    assert profile_for(version).ready_hint == hint


@pytest.mark.parametrize(
    "version", ["4.21.7", "4.21.0-rc.1", "v4.21", "4.21.0-0.nightly-2026-08-06-101500", "4.21.7+x86"]
)
def test_a_full_version_means_its_minor(version: str) -> None:
    profile = profile_for(version)
    assert (profile.name, profile.version) == ("P2", version)
    assert profile.readmits_missing_lb


@pytest.mark.parametrize("version", ["4.24", "4.24.0-rc.1", "4.99.0", "5.2", "5.10", "6.0"])
def test_a_newer_version_than_was_measured_behaves_as_the_newest_but_is_not_called_known(version: str) -> None:
    profile = profile_for(version)
    assert (profile.name, profile.known) == ("P4", False)


@pytest.mark.parametrize("version", ["4.9", "4.9.59", "4.1", "3.11", "0.0"])
def test_an_older_version_is_refused_with_the_oldest_known(version: str) -> None:
    with pytest.raises(UnsupportedVersion, match=f"OpenShift {version} is older than 4.10"):
        profile_for(version)


@pytest.mark.parametrize("version", ["", "4", "latest", "four.ten", "v", "-4.21", " 4.21"])
def test_what_is_no_version_is_refused_with_an_example(version: str) -> None:
    with pytest.raises(UnsupportedVersion, match=r"is not an OpenShift version; expected major\.minor such as 4\.21"):
        profile_for(version)


@pytest.mark.parametrize("name", ["P0", "P1", "P2", "P3", "P4"])
def test_a_profile_known_by_name_only_has_a_version_that_stands_for_it(name: str) -> None:
    assert profile_for(REPRESENTATIVE[name]).name == name
