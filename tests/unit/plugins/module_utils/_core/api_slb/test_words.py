# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result tells."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb import words
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Disruption
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    all_live,
    decided,
    observed,
    wanted,
)


def test_how_things_are() -> None:
    """API-8: endpoint addresses among it."""
    told = words.standing(wanted(), observed(services=all_live()), ("internal",))
    assert told["services"]["internal"] == {
        "name": "internal-lb",
        "namespace": "openshift-kube-apiserver",
        "port": 6443,
        "addresses": ["10.0.0.7"],
        "endpoints": ["10.0.16.10", "10.0.17.11"],
        "ready": True,
        "lacking": "",
    }
    assert (told["platform"], told["handover"], told["objects"]["domain"]) == ("Azure", None, "prod.example.com")


def test_before_and_after_of_what_a_person_edits() -> None:
    found = decided(wanted(), observed())
    assert (found.before["external"], found.before["addresses"]) == (None, ())
    assert found.after["external"]["loadBalancerIP"] == "20.0.0.7"
    assert found.after["addresses"] == ("(new)",)


def test_nothing_costs_nothing() -> None:
    assert words.cost([]) is Disruption.NONE


def test_manifests_can_be_applied_as_they_are() -> None:
    found = decided(wanted(), observed(services=all_live()))
    for body in found.standing["manifests"]:
        assert not {"uid", "resourceVersion"} & set(body["metadata"])
        assert "status" not in body
