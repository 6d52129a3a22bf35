# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rescue is no way past the gate: what was not asked for is not effectuated after a thaw (CORE-3, SUB-13)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import RESCUE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_EIPS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import AWS_INTERNAL

from .conftest import NewIngress
from .proofs import finding, pending, prove, refused
from .test_frozen import NOW, freeze, ids, is_stuck
from .workplace import Ingress

TOLD = {"scope": "scope", "eip_allocations": "eipAllocations", "subnets": "subnets"}


@pytest.fixture
def subject(ingress: NewIngress) -> Ingress:
    return ingress(type="NLB", subnets="public", eips=3)


def freeze_with_subnets(subject: Ingress) -> None:
    params = {"eipAllocations": None, "subnets": {"ids": ids(subject, "spare_private")}}
    subject.patch_lb(scope="Internal", providerParameters={"aws": {"networkLoadBalancer": params}})
    subject.wait_for(lambda: is_stuck(subject), "the operator to be stuck")


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize("changes", [[], ["subnets"], ["scope"], ["eip_allocations"]])
def test_what_was_not_asked_for_stops_a_rescue(subject: Ingress, changes: list[str], way: str) -> None:
    freeze(subject)
    uid, kept = subject.uid, subject.annotations
    result = refused(subject, "lb_effectuate", changes=changes, unfreeze=True, effectuate=way, **NOW)
    said = finding(result, "unasked_changes")["what"]
    assert [name for name in ("scope", "eip_allocations") if f"{TOLD[name]}:" in said] == [
        name for name in ("scope", "eip_allocations") if name not in changes
    ]
    assert (subject.uid, subject.annotations, subject.lb["scope"]) == (uid, kept, "Internal")


@pytest.mark.parametrize("missing", ["scope", "eip_allocations", "subnets"])
def test_one_of_three_that_was_not_asked_for_stops_it_before_the_first_write(subject: Ingress, missing: str) -> None:
    freeze_with_subnets(subject)
    changes = [name for name in TOLD if name != missing]
    result = refused(subject, "lb_effectuate", changes=changes, unfreeze=True, effectuate="operator", **NOW)
    assert f"{TOLD[missing]}:" in finding(result, "unasked_changes")["what"]


def test_all_of_it_by_name_goes_through(subject: Ingress) -> None:
    freeze_with_subnets(subject)
    proven = prove(subject, "lb_effectuate", changes=list(TOLD), unfreeze=True, effectuate="operator", **NOW)
    assert all(entry["asked"] for entry in proven.checked["pending"])
    assert (subject.annotations[AWS_INTERNAL], AWS_EIPS in subject.annotations) == ("true", False)


def test_a_thaw_alone_needs_nothing_asked_for(subject: Ingress) -> None:
    freeze_with_subnets(subject)
    uid = subject.uid
    result = prove(subject, "lb_effectuate", unfreeze=True).applied
    subject.settle()
    assert (subject.uid, subject.lb["scope"]) == (uid, "External")
    assert "eipAllocations" in pending(result)


def test_where_the_thaw_itself_recreates_that_is_asked_for_too(subject: Ingress) -> None:
    """Somebody armed auto-delete: once thawed, the operator effectuates whatever spec says."""
    subject.arm("theirs")
    freeze(subject)
    for changes in ([], ["eip_allocations"], ["scope"]):
        assert finding(refused(subject, "lb_effectuate", changes=changes, unfreeze=True, **NOW), "unasked_changes")
    result = subject.run("lb_effectuate", changes=["scope", "eip_allocations"], unfreeze=True, **NOW)
    assert not result.get("failed"), result["msg"]


def test_without_a_service_what_the_later_stages_lead_to_is_known_too(subject: Ingress) -> None:
    freeze(subject)
    subject.cluster.api.delete("services", subject.namespace, subject.service_name)
    subject.wait_for(lambda: subject.service() is None, "the Service to be gone")
    result = refused(subject, "lb_effectuate", changes=[], unfreeze=True, effectuate="operator", **NOW)
    assert "scope:" in finding(result, "unasked_changes")["what"]


@pytest.mark.parametrize("changes", [[], ["eip_allocations"], ["scope"]])
def test_a_rescue_that_is_picked_up_is_gated_the_same(subject: Ingress, changes: list[str]) -> None:
    """Thawed and not frozen any more; what spec said before still waits in our annotation."""
    freeze(subject)
    assert not subject.run("lb_effectuate", unfreeze=True).get("failed")
    subject.wait_for(lambda: not is_stuck(subject), "the operator to go on")
    assert RESCUE in subject.ic()["metadata"]["annotations"]
    uid = subject.uid
    result = refused(subject, "lb_effectuate", changes=changes, unfreeze=True, effectuate="operator", **NOW)
    assert finding(result, "unasked_changes")
    assert subject.uid == uid


def test_unfreeze_asks_for_nothing_where_nothing_is_frozen(subject: Ingress) -> None:
    subject.patch_lb(providerParameters={"aws": {"networkLoadBalancer": {"eipAllocations": None}}})
    subject.settle()
    options: dict[str, Any] = {"unfreeze": True, "effectuate": "operator", **NOW}
    assert finding(refused(subject, "lb_effectuate", changes=[], **options), "unasked_changes")
    prove(subject, "lb_effectuate", changes=["eip_allocations"], **options)
