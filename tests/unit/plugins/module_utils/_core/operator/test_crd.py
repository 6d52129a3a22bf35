# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SUB-1: what the API refuses of a publishing strategy, in its words, all at once (facts: ingress-operator §8)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import crd
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.schema import UNCHECKED
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIP1,
    EIP2,
    A,
    B,
    aws,
    lb,
    provider,
)

PATH = "spec.endpointPublishingStrategy.loadBalancer"
AWS_PATH = f"{PATH}.providerParameters.aws"
SUBNETS = f"{AWS_PATH}.networkLoadBalancer.subnets"
EIPS = f"{AWS_PATH}.networkLoadBalancer.eipAllocations"
WITH_SUBNETS = ["4.17", "4.21", "4.22", "4.23"]


def refusals(strategy: Any, version: str = "4.22", where: str = "spec") -> list[str]:
    """Causes as `field: message`, of what the API server would store; the last one of all that it adds is checked."""
    profile, before = profile_for(version), copy.deepcopy(strategy)
    found = crd.check(profile, crd.stored(profile, strategy), where)
    assert strategy == before, "validation changed its input"
    assert (found[-1:] == [UNCHECKED]) == (profile.crd_rules and any(cause.blocks_rules for cause in found))
    return [str(cause) for cause in found if cause != UNCHECKED]


def ids(count: int) -> list[str]:
    return [f"subnet-{number:017d}" for number in range(count)]


def names(count: int) -> list[str]:
    return [f"name {number}" for number in range(count)]


VALID = {
    "no strategy": None,
    "scope alone": lb(),
    "Internal": lb("Internal"),
    "one id": aws("NLB", subnets={"ids": [A]}),
    "one name": aws("Classic", subnets={"names": ["n"]}),
    "ids and names": aws("NLB", subnets={"ids": [A], "names": ["blue"]}),
    "ten in all": aws("NLB", subnets={"ids": ids(5), "names": names(5)}),
    "upper case in an id": aws("NLB", subnets={"ids": ["subnet-0ABCDEFabcdef1234"]}),
    "names that differ in case": aws("NLB", subnets={"names": ["Blue", "blue"]}),
    "a name of 256": aws("NLB", subnets={"names": ["n" * 256]}),
    "a name with spaces": aws("NLB", subnets={"names": [" subnet-x "]}),
    "null is unset": aws("NLB", subnets=None),
    "Elastic IPs without subnets": aws("NLB", eipAllocations=[EIP1, EIP2]),
    "as many Elastic IPs as subnets": aws("NLB", subnets={"ids": [A], "names": ["b"]}, eipAllocations=[EIP1, EIP2]),
    "a floating IP": provider("OpenStack", floatingIP="192.0.2.1"),
    "a floating IPv6": provider("OpenStack", floatingIP="2001:db8::1"),
    "source ranges": lb(allowedSourceRanges=["10.0.0.0/8", "2001:db8::/32", "0.0.0.0/0"]),
    "no source ranges": lb(allowedSourceRanges=None),
    "GCP": provider("GCP", clientAccess="Global"),
    "IBM": provider("IBM", protocol="PROXY"),
    "host network": {"type": "HostNetwork", "hostNetwork": {"httpPort": 8080}},
    "an idle timeout": aws("Classic", connectionIdleTimeout="1m30s"),
    **{
        f"an idle timeout of {text}": aws("Classic", connectionIdleTimeout=text)
        for text in ("1d", "1w", "2d12h", "1D", "1 m", "-1s")
    },
}


@pytest.mark.parametrize("strategy", VALID.values(), ids=VALID)
def test_what_the_api_takes(strategy: Any) -> None:
    assert refusals(strategy) == []


# subnets given → the one refusal
BAD_SUBNETS = {
    "an id of eight digits": (
        {"ids": ["subnet-1234abcd"]},
        (
            f'{SUBNETS}.ids[0]: Invalid value: "subnet-1234abcd":'
            f" {SUBNETS}.ids[0] in body should be at least 24 chars long"
        ),
    ),
    "an id too long": (
        {"ids": [A + "0"]},
        f"{SUBNETS}.ids[0]: Too long: may not be more than 24 bytes",
    ),
    "an id with a dash": (
        {"ids": ["subnet-0123456789-bcdef0"]},
        (
            f'{SUBNETS}.ids[0]: Invalid value: "subnet-0123456789-bcdef0":'
            f" {SUBNETS}.ids[0] in body should match '^subnet-[0-9A-Za-z]+$'"
        ),
    ),
    "an id twice": ({"ids": [A, B, A]}, f"{SUBNETS}.ids: Invalid value: subnet ids cannot contain duplicates"),
    "a name twice": ({"names": ["n", "n"]}, f"{SUBNETS}.names: Invalid value: subnet names cannot contain duplicates"),
    "a comma": ({"names": ["a,b"]}, f'{SUBNETS}.names[0]: Invalid value: "a,b": subnet name cannot contain a comma'),
    "a name like an id": (
        {"names": ["subnet-x"]},
        f"{SUBNETS}.names[0]: Invalid value: \"subnet-x\": subnet name cannot start with 'subnet-'",
    ),
    "an empty name": (
        {"names": [""]},
        f'{SUBNETS}.names[0]: Invalid value: "": {SUBNETS}.names[0] in body should be at least 1 chars long',
    ),
    "a name too long": (
        {"names": ["n" * 257]},
        f"{SUBNETS}.names[0]: Too long: may not be more than 256 bytes",
    ),
    "eleven ids": ({"ids": ids(11)}, f"{SUBNETS}.ids: Too many: 11: must have at most 10 items"),
    "eleven in all": (
        {"ids": ids(6), "names": names(5)},
        f"{SUBNETS}: Invalid value: the total number of subnets cannot exceed 10",
    ),
    "nothing in it": ({}, f"{SUBNETS}: Invalid value: must specify at least 1 subnet name or id"),
    "empty lists": (
        {"ids": [], "names": []},
        f"{SUBNETS}: Invalid value: must specify at least 1 subnet name or id",
    ),
    "a list": (
        [A],
        f'{SUBNETS}: Invalid value: "array": {SUBNETS} in body must be of type object: "array"',
    ),
    "a number": (
        {"ids": [7]},
        f'{SUBNETS}.ids[0]: Invalid value: "integer": {SUBNETS}.ids[0] in body must be of type string: "integer"',
    ),
}


@pytest.mark.parametrize(("subnets", "told"), BAD_SUBNETS.values(), ids=BAD_SUBNETS)
def test_subnets_the_api_refuses(subnets: Any, told: str) -> None:
    classic = told.replace("networkLoadBalancer", "classicLoadBalancer")
    for version in WITH_SUBNETS:
        assert refusals(aws("NLB", subnets=subnets), version) == [told], version
        assert refusals(aws("Classic", subnets=subnets), version) == [classic], version


BAD_EIPS = {
    "too short": (
        ["eipalloc-0123"],
        [
            f'{EIPS}[0]: Invalid value: "eipalloc-0123": {EIPS}[0] in body should be at least 26 chars long',
            (
                f'{EIPS}[0]: Invalid value: "eipalloc-0123": eipAllocations must be'
                " 'eipalloc-' followed by exactly 17 hexadecimal characters (0-9, a-f, A-F)"
            ),
        ],
    ),
    "another prefix": (
        ["eipother-0" + "1" * 16],
        [f"{EIPS}[0]: Invalid value: \"eipother-01111111111111111\": eipAllocations should start with 'eipalloc-'"],
    ),
    "no hexadecimal digit": (
        ["eipalloc-0" + "g" * 16],
        [
            (
                f'{EIPS}[0]: Invalid value: "eipalloc-0gggggggggggggggg": eipAllocations must be'
                " 'eipalloc-' followed by exactly 17 hexadecimal characters (0-9, a-f, A-F)"
            )
        ],
    ),
    "no dash at all": (
        ["x" * 26],
        [
            f"{EIPS}[0]: Invalid value: \"{'x' * 26}\": eipAllocations should start with 'eipalloc-'",
            (
                f'{EIPS}[0]: Invalid value: "string": index out of bounds: 1 evaluating rule: eipAllocations must be'
                " 'eipalloc-' followed by exactly 17 hexadecimal characters (0-9, a-f, A-F)"
            ),
        ],
    ),
    "too long": ([EIP1 + "0"], [f"{EIPS}[0]: Too long: may not be more than 26 bytes"]),
    "twice": ([EIP1, EIP1], [f"{EIPS}: Invalid value: eipAllocations cannot contain duplicates"]),
    "eleven": (
        [f"eipalloc-{number:017d}" for number in range(11)],
        [f"{EIPS}: Too many: 11: must have at most 10 items"],
    ),
}


@pytest.mark.parametrize(("eips", "told"), BAD_EIPS.values(), ids=BAD_EIPS)
def test_elastic_ips_the_api_refuses(eips: list[str], told: list[str]) -> None:
    assert refusals(aws("NLB", eipAllocations=eips)) == told


@pytest.mark.parametrize("version", WITH_SUBNETS)
def test_elastic_ips_are_for_external_load_balancers(version: str) -> None:
    """SUB-12."""
    told = f"{PATH}: Invalid value: eipAllocations are forbidden when the scope is Internal."
    assert refusals(aws("NLB", "Internal", eipAllocations=[EIP1]), version) == [told]


@pytest.mark.parametrize("version", WITH_SUBNETS)
@pytest.mark.parametrize("eips", [[EIP1], [EIP1, EIP2, EIP1[:-1] + "3"]])
def test_as_many_elastic_ips_as_subnets(version: str, eips: list[str]) -> None:
    told = f"{AWS_PATH}.networkLoadBalancer: Invalid value: number of subnets must be equal to number of eipAllocations"
    given = aws("NLB", subnets={"ids": [A], "names": ["b"]}, eipAllocations=eips)
    assert refusals(given, version) == [told]


@pytest.mark.parametrize("address", ["", "nowhere", "192.0.2.256", "192.0.2.1/32", "::ffff:192.0.2.1", "fe80::1%eth0"])
def test_a_floating_ip_is_an_address(address: str) -> None:
    path = f"{PATH}.providerParameters.openstack.floatingIP"
    told = f'{path}: Invalid value: "{address}": floatingIP must be a valid IPv4 or IPv6 address'
    assert refusals(provider("OpenStack", floatingIP=address)) == [told]


def test_a_floating_ip_needs_openstack_and_an_external_scope() -> None:
    internal = provider("OpenStack", "Internal", floatingIP="192.0.2.1")
    assert refusals(internal) == [f"{PATH}: Invalid value: cannot specify a floating ip when scope is internal"]
    mixed = lb(providerParameters={"type": "AWS", "openstack": {}})
    assert refusals(mixed) == [
        f"{PATH}.providerParameters: Invalid value: openstack is not permitted when type is not OpenStack"
    ]


NO_RANGES = ["10.0.0.0", "10.0.0.0/33", "256.0.0.0/8", "2001:db8::", "2001:db8::/129", "all", "", "::ffff:10.0.0.1/96"]


@pytest.mark.parametrize("value", NO_RANGES)
def test_a_source_range_is_a_cidr(value: str) -> None:
    (told,) = refusals(lb(allowedSourceRanges=["10.0.0.0/8", value]))
    path = f"{PATH}.allowedSourceRanges[1]"
    assert told.startswith(f'{path}: Invalid value: "{value}": {path} in body should match ')


IPV6 = ["1:2:3:4:5:6:7:8", "::", "1::", "::8", "1::8", "1:2::7:8", "1:2:3:4:5:6::8", "1:2:3:4:5:6:7::", "fe80::1%eth0"]


@pytest.mark.parametrize("address", IPV6)
def test_source_ranges_of_ipv6(address: str) -> None:
    assert refusals(lb(allowedSourceRanges=[f"{address}/64"])) == []


@pytest.mark.parametrize(
    ("strategy", "told"),
    [
        ({}, "spec.endpointPublishingStrategy.type: Required value"),
        ({"type": "LoadBalancerService", "loadBalancer": {}}, f"{PATH}.scope: Required value"),
        (lb("Private"), f'{PATH}.scope: Unsupported value: "Private": supported values: "Internal", "External"'),
        (lb(providerParameters={}), f"{PATH}.providerParameters.type: Required value"),
        (lb(providerParameters={"type": "AWS", "aws": {}}), f"{AWS_PATH}.type: Required value"),
        (
            lb(providerParameters={"type": "AWS", "aws": {"type": "nlb"}}),
            f'{AWS_PATH}.type: Unsupported value: "nlb": supported values: "Classic", "NLB"',
        ),
        (
            aws("Classic", connectionIdleTimeout="one minute"),
            (
                f'{AWS_PATH}.classicLoadBalancer.connectionIdleTimeout: Invalid value: "one minute":'
                f' {AWS_PATH}.classicLoadBalancer.connectionIdleTimeout in body must be of type duration: "one minute"'
            ),
        ),
        (
            {"type": "HostNetwork", "hostNetwork": {"httpPort": 65536}},
            (
                "spec.endpointPublishingStrategy.hostNetwork.httpPort: Invalid value: 65536:"
                " spec.endpointPublishingStrategy.hostNetwork.httpPort in body should be less than or equal to 65535"
            ),
        ),
    ],
)
def test_the_rest_of_the_strategy(strategy: Any, told: str) -> None:
    assert refusals(strategy) == [told]


def test_all_problems_at_once() -> None:
    """SUB-1: structure and rules together, in the server's order."""
    strategy = aws("NLB", "Internal", subnets={"ids": [A, A], "names": ["a,b", "subnet-x"]}, eipAllocations=[EIP1])
    assert [told.split(": ", 2)[2] for told in refusals(strategy)] == [
        "eipAllocations are forbidden when the scope is Internal.",
        "number of subnets must be equal to number of eipAllocations",
        "subnet ids cannot contain duplicates",
        '"a,b": subnet name cannot contain a comma',
        "\"subnet-x\": subnet name cannot start with 'subnet-'",
    ]


@pytest.mark.parametrize(("version", "adds"), [("4.13", 0), ("4.14", 1), ("4.16", 1), ("4.23", 1)])
def test_what_was_not_checked_is_said_where_the_crd_has_rules(version: str, adds: int) -> None:
    """Safe ingress 19. Up to 4.13 there was none in the whole CRD."""
    found = crd.check(profile_for(version), lb("Sideways"))
    assert [cause.field for cause in found] == [f"{PATH}.scope"] + ["<nil>"] * adds


def test_an_error_of_the_structure_hides_the_rules() -> None:
    """The server runs no rules on a value that is too long or misses something."""
    strategy = aws("NLB", subnets={"ids": [A, A], "names": ["n" * 257]})
    assert refusals(strategy) == [f"{SUBNETS}.names[0]: Too long: may not be more than 256 bytes"]


def test_the_rules_hold_for_status_too() -> None:
    """facts §14: that is what can freeze the operator."""
    (told,) = refusals(aws("NLB", "Internal", eipAllocations=[EIP1]), where="status")
    assert told.startswith("status.endpointPublishingStrategy.loadBalancer: ")


# --- what the server stores ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "field", "block", "kept"),
    [
        ("4.10", "connectionIdleTimeout", "Classic", False),
        ("4.11", "connectionIdleTimeout", "Classic", True),
        ("4.16", "subnets", "NLB", False),
        ("4.17", "subnets", "NLB", True),
        ("4.16", "eipAllocations", "NLB", False),
        ("4.17", "eipAllocations", "NLB", True),
        ("4.22", "protocol", "NLB", False),
        ("4.23", "protocol", "NLB", True),
        ("4.23", "securityGroups", "NLB", False),
    ],
)
def test_a_field_the_release_does_not_have_is_dropped_silently(
    version: str, field: str, block: str, kept: bool
) -> None:
    """SUB-11."""
    stored = crd.stored(profile_for(version), aws(block, **{field: "x"}))
    ((_name, params),) = [
        item for item in stored["loadBalancer"]["providerParameters"]["aws"].items() if item[0] != "type"
    ]
    assert (field in params) is kept


def test_null_source_ranges_are_stored_as_null() -> None:
    """Safe ingress 19: the one field that may be null. It reads as none."""
    profile = profile_for("4.22")
    stored = crd.stored(profile, lb(allowedSourceRanges=None))
    assert stored["loadBalancer"]["allowedSourceRanges"] is None
    assert crd.check(profile, stored) == []


def test_defaults_come_in_and_nulls_go() -> None:
    given = {"type": "LoadBalancerService", "loadBalancer": {"scope": "Internal", "providerParameters": None}}
    assert crd.stored(profile_for("4.22"), given) == lb("Internal")
    assert crd.stored(profile_for("4.22"), None) is None


@pytest.mark.parametrize(("version", "kept"), [("4.17", False), ("4.18", True)])
def test_openstack_parameters_came_with_4_18(version: str, kept: bool) -> None:
    stored = crd.stored(profile_for(version), provider("OpenStack", floatingIP="192.0.2.1"))
    assert ("openstack" in stored["loadBalancer"]["providerParameters"]) is kept
