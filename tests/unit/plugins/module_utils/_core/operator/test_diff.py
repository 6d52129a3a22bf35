# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live Service against wanted Service: applied now, waiting, or left alone (facts: ingress-operator §4, §6)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import diff
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator import given
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import service

RAW, PARSED = ["4.22", "4.23"], ["4.17", "4.21"]


def changes(version: str, have: Any, want: Any) -> dict[str, Any]:
    """What one update writes: annotation or spec field → new value, None when removed."""
    before = copy.deepcopy(have)
    after = diff.in_place(profile_for(version), have, want)
    assert have == before, "the live object was changed under its owner"
    if after is None:
        return {}
    pairs = [(diff.annotations_of(have), diff.annotations_of(after)), (have["spec"], after["spec"])]
    return {key: new.get(key) for old, new in pairs for key in {*old, *new} if old.get(key) != new.get(key)}


@pytest.mark.parametrize(
    ("value", "rewritten"), [("0.0.0.0/0", "true"), ("true", None), ("yes", None), ("0.0.0.0/1", None)]
)
def test_the_old_spelling_of_internal_is_rewritten(value: str, rewritten: str | None) -> None:
    """§3: non-disruptive, before anything is compared."""
    live = service({given.INTERNAL: value, "mine": "x"})
    after = diff.normalised(live)
    if rewritten is None:
        assert after is None
    else:
        assert diff.annotations_of(after) == {given.INTERNAL: rewritten, "mine": "x"}
    assert diff.annotations_of(live)[given.INTERNAL] == value


MANAGED = {
    given.INTERVAL: "4.10",
    given.IDLE: "4.11",
    given.GCP_GLOBAL: "4.10",
    given.FALLBACK: "4.10",
    given.PROXY: "4.12",
    given.IBM_FEATURES: "4.13",
    given.TAGS: "4.18",
    given.AZURE_INTERNAL: "4.10",
    given.GCP_TYPE: "4.10",
}


@pytest.mark.parametrize(("key", "since"), MANAGED.items(), ids=MANAGED)
def test_a_managed_annotation_is_set_changed_and_removed_at_once(key: str, since: str) -> None:
    for version in (since, "4.21", "4.22", "4.23"):
        assert changes(version, service(), service({key: "a"})) == {key: "a"}
        assert changes(version, service({key: "b"}), service({key: "a"})) == {key: "a"}
        assert changes(version, service({key: "b"}), service()) == {key: None}
        assert changes(version, service({key: "a"}), service({key: "a"})) == {}


@pytest.mark.parametrize(
    ("key", "before"), [(given.IDLE, "4.10"), (given.PROXY, "4.11"), (given.IBM_FEATURES, "4.12"), (given.TAGS, "4.17")]
)
def test_before_its_release_it_is_left_alone(key: str, before: str) -> None:
    assert changes(before, service({key: "b"}), service({key: "a"})) == {}


@pytest.mark.parametrize(
    ("version", "written"), [("4.11", {}), ("4.12", {given.TYPE: "nlb"}), ("4.21", {given.TYPE: "nlb"}), ("4.22", {})]
)
def test_the_type_is_applied_in_place_from_4_12_to_4_21(version: str, written: dict[str, str]) -> None:
    """§6; AWS then leaks the old load balancer."""
    assert changes(version, service(), service({given.TYPE: "nlb"})) == written


@pytest.mark.parametrize(
    "key", [given.INTERNAL, given.SUBNETS, given.EIPS, given.IBM_IP_TYPE, given.OPENSTACK_INTERNAL]
)
def test_creation_only_annotations_are_never_touched_in_place(key: str) -> None:
    for version in ("4.16", "4.21", "4.22", "4.23"):
        assert changes(version, service({key: "b"}), service({key: "a"})) == {}, version
        assert changes(version, service({key: "b"}), service()) == {}, version


@pytest.mark.parametrize("key", [given.TIMEOUT, given.UNHEALTHY, given.HEALTHY, "user.example.com/own"])
def test_what_users_set_survives(key: str) -> None:
    """CORE-6: healthcheck timeout and thresholds are set at creation and then ignored for ever."""
    assert changes("4.22", service({key: "9"}), service({key: "4"})) == {}


USER_FIELDS = {
    "ports": [{"name": "http", "port": 8080}],
    "selector": {"app": "mine"},
    "externalIPs": ["192.0.2.7"],
    "externalTrafficPolicy": "Cluster",
    "sessionAffinity": "ClientIP",
    "loadBalancerIP": "192.0.2.8",
    "healthCheckNodePort": 30000,
}


@pytest.mark.parametrize(("field", "value"), USER_FIELDS.items(), ids=USER_FIELDS)
def test_spec_fields_of_users_survive_too(field: str, value: Any) -> None:
    wanted = service(ports=[], selector={}, externalTrafficPolicy="Local", sessionAffinity="None")
    assert changes("4.22", service(**{field: value}), wanted) == {}


@pytest.mark.parametrize(
    ("version", "have", "want", "written"),
    [
        ("4.23", None, given.SPEAKS_PROXY, {given.TARGET_GROUP: given.SPEAKS_PROXY}),
        ("4.23", given.SPEAKS_TCP, given.SPEAKS_PROXY, {given.TARGET_GROUP: given.SPEAKS_PROXY}),
        ("4.23", given.SPEAKS_TCP, None, {}),
        ("4.22", given.SPEAKS_TCP, given.SPEAKS_PROXY, {}),
    ],
)
def test_target_group_attributes_are_written_but_never_removed(
    version: str, have: str | None, want: str | None, written: dict[str, str]
) -> None:
    """§4, one-way (from 4.23)."""
    live, wanted = (service({given.TARGET_GROUP: value} if value else {}) for value in (have, want))
    assert changes(version, live, wanted) == written


TEN, ELEVEN = ["10.0.0.0/8"], ["11.0.0.0/8"]


@pytest.mark.parametrize(
    ("live", "want", "written"),
    [
        pytest.param(service(), TEN, {"loadBalancerSourceRanges": TEN}, id="set"),
        pytest.param(service(loadBalancerSourceRanges=TEN), ELEVEN, {"loadBalancerSourceRanges": ELEVEN}, id="changed"),
        pytest.param(
            service(loadBalancerSourceRanges=TEN + ELEVEN),
            ELEVEN + TEN,
            {"loadBalancerSourceRanges": ELEVEN + TEN},
            id="order counts",
        ),
        pytest.param(service(loadBalancerSourceRanges=TEN), TEN, {}, id="same"),
        pytest.param(service(loadBalancerSourceRanges=TEN), None, {}, id="removing is not applied"),
        pytest.param(service({given.SOURCE_RANGES: "10.0.0.0/8"}), None, {}, id="the annotation alone stays"),
        pytest.param(
            service({given.SOURCE_RANGES: "10.0.0.0/8"}),
            ELEVEN,
            {"loadBalancerSourceRanges": ELEVEN, given.SOURCE_RANGES: None},
            id="the field takes the annotation away",
        ),
    ],
)
def test_allowed_source_ranges(live: Any, want: Any, written: dict[str, Any]) -> None:
    wanted = service(loadBalancerSourceRanges=want) if want else service()
    assert changes("4.22", live, wanted) == written


def test_ip_families_are_applied_when_wanted_and_never_taken_away() -> None:
    dual = {"ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "RequireDualStack"}
    single = {"ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"}
    assert changes("4.22", service(**single), service(**dual)) == dual
    assert changes("4.22", service(**dual), service(**dual)) == {}
    assert changes("4.22", service(**dual), service()) == {}


def test_all_of_it_is_one_update() -> None:
    live = service({given.INTERVAL: "5", given.PROXY: "*", "mine": "x"})
    wanted = service({given.INTERVAL: "10", given.TAGS: "a=b", given.SUBNETS: "s"}, loadBalancerSourceRanges=TEN)
    assert changes("4.22", live, wanted) == {
        given.INTERVAL: "10",
        given.PROXY: None,
        given.TAGS: "a=b",
        "loadBalancerSourceRanges": TEN,
    }


def test_a_service_without_annotations_is_like_one_with_none() -> None:
    bare = {"metadata": {"name": "router-default"}, "spec": {}}
    assert diff.in_place(profile_for("4.22"), bare, service()) is None


def recreated_for(version: str, platform: str, have: Any, want: Any) -> list[str]:
    keys, fields = diff.recreation(profile_for(version), platform, have, want)
    return keys + fields


@pytest.mark.parametrize(
    ("platform", "key", "value"),
    [
        ("AWS", given.INTERNAL, "true"),
        ("IBMCloud", given.IBM_IP_TYPE, "private"),
        ("PowerVS", given.IBM_IP_TYPE, "private"),
        ("OpenStack", given.OPENSTACK_INTERNAL, "true"),
    ],
)
def test_scope_waits_for_recreation(platform: str, key: str, value: str) -> None:
    for version in ("4.11", "4.16", *PARSED, *RAW):
        assert recreated_for(version, platform, service(), service({key: value})) == [key], version
        assert recreated_for(version, platform, service({key: value}), service()) == [key], version
        assert recreated_for(version, platform, service({key: value}), service({key: value})) == [], version


@pytest.mark.parametrize(("platform", "key"), [("Azure", given.AZURE_INTERNAL), ("GCP", given.GCP_TYPE)])
@pytest.mark.parametrize("version", ["4.16", "4.21", "4.22"])
def test_on_azure_and_gcp_it_does_not(version: str, platform: str, key: str) -> None:
    assert recreated_for(version, platform, service(), service({key: "true"})) == []


# have, want, recreated when parsed (up to 4.21), recreated when compared as raw strings (from 4.22)
RAW_COMPARE = [
    pytest.param("a,b", "b,a", False, True, id="order"),
    pytest.param("x,subnet-1", "subnet-1,x", False, True, id="a name before an id"),
    pytest.param("a,b ", "a,b", False, True, id="outer space"),
    pytest.param("a, b", "a,b", True, True, id="inner space"),
    pytest.param("a", "a,b", True, True, id="one more"),
    pytest.param("a", "a", False, False, id="same"),
    pytest.param("", None, False, True, id="present but empty"),
    pytest.param("a", None, True, True, id="unmanaged"),
    pytest.param(None, "a", True, True, id="to be set"),
]


@pytest.mark.parametrize(("have", "want", "parsed", "raw"), RAW_COMPARE)
@pytest.mark.parametrize("key", [given.SUBNETS, given.EIPS])
def test_auto_delete_compares_raw_strings_from_4_22(
    key: str, have: str | None, want: str | None, parsed: bool, raw: bool
) -> None:
    """SUB-4; §6: level-triggered, on everything that differs right now."""
    live, wanted = (service({key: value} if value is not None else {}) for value in (have, want))
    for version in PARSED:
        assert recreated_for(version, "AWS", live, wanted) == ([key] if parsed else []), version
    for version in RAW:
        assert recreated_for(version, "AWS", live, wanted) == ([key] if raw else []), version


@pytest.mark.parametrize(("version", "keys"), [("4.21", []), ("4.22", [given.TYPE]), ("4.23", [given.TYPE])])
def test_the_type_waits_for_recreation_from_4_22(version: str, keys: list[str]) -> None:
    assert recreated_for(version, "AWS", service(), service({given.TYPE: "nlb"})) == keys


def test_before_subnets_existed_only_scope_counted() -> None:
    live = service({given.SUBNETS: "a", given.EIPS: "e", given.TYPE: "nlb"})
    assert recreated_for("4.16", "AWS", live, service()) == []


@pytest.mark.parametrize("value", ["yes", "True", ""])
def test_a_hand_edited_internal_value_counts(value: str) -> None:
    """§6: from 4.22 also an empty one."""
    live = service({given.INTERNAL: value})
    assert recreated_for("4.22", "AWS", live, service()) == [given.INTERNAL]
    assert recreated_for("4.21", "AWS", live, service()) == ([given.INTERNAL] if value else [])


@pytest.mark.parametrize(
    ("version", "platform", "fields"),
    [("4.17", "OpenStack", []), ("4.18", "OpenStack", ["spec.loadBalancerIP"]), ("4.22", "AWS", [])],
)
def test_a_floating_ip_waits_for_recreation_on_openstack(version: str, platform: str, fields: list[str]) -> None:
    live, wanted = service(loadBalancerIP="192.0.2.1"), service()
    assert recreated_for(version, platform, live, wanted) == fields
    assert recreated_for(version, platform, live, live) == []
    assert recreated_for(version, platform, service(loadBalancerIP=""), wanted) == []


def test_several_differences_are_told_in_one_order() -> None:
    """CORE-9: all of them cost one recreation."""
    wanted = service({given.TYPE: "nlb", given.SUBNETS: "a", given.EIPS: "e", given.INTERNAL: "true"})
    keys = recreated_for("4.22", "AWS", service(), wanted)
    assert keys == sorted([given.TYPE, given.SUBNETS, given.EIPS, given.INTERNAL])
