# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and marks (CAPO-3, facts: capo §2)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo import names
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity

DEMO = Identity("team", "demo")


def test_names_of_a_zone_follow_from_its_load_balancers_name() -> None:
    lb = DEMO.zone("north-1")
    assert lb == "k8s-clusterapi-cluster-team-demo-north-1-kubeapi"
    assert names.port_name(lb, 8132) == f"{lb}-8132"
    assert names.member_name(lb, 8132, "cp-0") == f"{lb}-8132-cp-0"
    assert names.retiring_name(lb) == f"{lb}-retiring"


def test_every_name_below_begins_alike_whatever_the_zone() -> None:
    for lb in (DEMO.legacy, DEMO.zone("a"), DEMO.zone("b-c")):
        assert names.port_name(lb, 6443).startswith(DEMO.prefix)
    assert not names.port_name(Identity("team", "demon").legacy, 6443).startswith(DEMO.prefix)


def test_a_members_name_is_cut_at_octavias_limit() -> None:
    assert len(names.member_name(DEMO.legacy, 6443, "m" * 300)) == names.NAME_LIMIT


@pytest.mark.parametrize("zone", ["az1", "zone with spaces", "az/1"])
def test_our_description_gives_the_zone_back_to_its_own_cluster_only(zone: str) -> None:
    text = DEMO.description(zone)
    assert DEMO.zone_of_description(text) == zone
    assert Identity("team", "dem").zone_of_description(text) is None
    assert Identity("team-demo", "x").zone_of_description(text) is None
    assert DEMO.zone_of_description("Created by cluster-api-provider-openstack cluster team-demo") is None


FULL = Identity("team", "demo", project="p", uid="u")


@pytest.mark.parametrize(
    ("whose", "ours"),
    [
        (FULL, True),
        (DEMO, True),
        (Identity("team", "demo", project="p"), True),
        (Identity("team", "demo", project="q", uid="u"), False),
        (Identity("team", "demo", project="p", uid="v"), False),
        (Identity("team", "other", project="p", uid="u"), False),
    ],
)
def test_a_mark_names_project_and_uid_and_what_it_does_not_name_speaks_for_nothing(whose: Identity, ours: bool) -> None:
    """Description and tags alike; and one that was read without a management cluster owns by names and project."""
    assert (FULL.zone_of_description(whose.description("az1")) == "az1") is ours
    assert FULL.owns(names.mark_of_tags(whose.tags("az1"))) is ours
    bare = Identity("team", "demo", project="p")
    assert bare.owns(names.mark_of_tags(FULL.tags("az1")))


def test_a_former_uid_is_owned_and_gets_a_new_mark() -> None:
    moved = Identity("team", "demo", project="p", uid="new", former_uids=("u",))
    assert moved.owns(names.mark_of_tags(FULL.tags("")))
    assert moved.renewed(FULL.description("az 1")) == replace(moved, former_uids=()).description("az 1")
    assert moved.renewed(DEMO.description("az1")) == moved.description("az1")
    assert moved.renewed("by hand") == "by hand"
    assert Identity("team", "demo", project="p").renewed(FULL.description("az1")) == FULL.description("az1")


def test_what_is_no_mark() -> None:
    assert names.mark_of_tags(("x", "lb-estate/az=az1")) is None
    assert names.mark_of_description("Created by edgeworks.lb_estate cluster only-half") is None
    assert names.former_name(("x", f"lb-estate/was={DEMO.legacy}")) == DEMO.legacy


def test_marks_tell_clusters_apart_that_names_do_not() -> None:
    one, other = Identity("a-b", "c"), Identity("a", "b-c")
    assert one.legacy == other.legacy
    assert one.cluster_tag != other.cluster_tag
    assert names.zone_of_tags(("x", *one.tags("az9"))) == "az9"
    assert names.zone_of_tags(one.tags("")) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "meet"),
    [
        (("ns", "foo", ("az1",)), ("ns", "foo-az1", ()), True),
        (("ns", "foo", ("az1",)), ("ns", "foo-az2", ()), False),
        (("ns", "foo", ("x-y",)), ("ns", "foo-x", ("y",)), True),
        (("a-b", "c", ("az1",)), ("a", "b-c", ("az1",)), True),
        (("ns", "foo", ("az1",)), ("ns", "foo", ("az1",)), False),
    ],
)
def test_collisions_are_between_different_clusters(
    ours: tuple[str, str, tuple[str, ...]], theirs: tuple[str, str, tuple[str, ...]], meet: bool
) -> None:
    pairs = names.collisions(names.claims(*ours, single=False), names.claims(*theirs))
    assert bool(pairs) is meet
