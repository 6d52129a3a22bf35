# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AWS cloud controller's reading of a Service, and where the operator reads otherwise (facts: aws-ccm §1–§6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws import cloud_controller as ccm
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Severity

PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
INTERNAL, TYPE, SUBNETS, EIPS = (PREFIX + part for part in ("internal", "type", "subnets", "eip-allocations"))
FAILED = "Error syncing load balancer: failed to ensure load balancer: "


@pytest.mark.parametrize("value", ["true", "0.0.0.0/0", "yes", "no", "False", "FALSE", "0", "1", " "])
def test_any_other_value_is_internal(value: str) -> None:
    """§2: truthiness of the internal annotation."""
    assert ccm.internal_scheme({INTERNAL: value}) is True


@pytest.mark.parametrize("annotations", [{}, {INTERNAL: ""}, {INTERNAL: "false"}])
def test_absent_empty_and_exactly_false_are_external(annotations: dict[str, str]) -> None:
    assert ccm.internal_scheme(annotations) is False


@pytest.mark.parametrize(
    ("annotations", "kind"),
    [
        ({}, "Classic"),
        ({TYPE: ""}, "Classic"),
        ({TYPE: "nlb"}, "NLB"),
        ({TYPE: "NLB"}, "Classic"),
        ({TYPE: "clb"}, "Classic"),
        ({TYPE: "nlb-ip"}, ""),
        ({TYPE: "external"}, ""),
    ],
)
def test_kind_of_load_balancer(annotations: dict[str, str], kind: str) -> None:
    assert ccm.lb_kind(annotations) == kind


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("subnet-a,subnet-b", ["subnet-a", "subnet-b"]),
        (" subnet-a , name b ,", ["subnet-a", "name b"]),
        ("a,,b", ["a", "b"]),
        (" , ", []),
        ("", []),
    ],
)
def test_subnets_are_trimmed_and_empty_ones_dropped(value: str, read: list[str]) -> None:
    assert ccm.split_subnets(value) == read


@pytest.mark.parametrize(
    ("value", "read"), [("", []), ("eip-a,eip-b", ["eip-a", "eip-b"]), ("eip-a, eip-b,", ["eip-a", " eip-b", ""])]
)
def test_elastic_ips_are_not(value: str, read: list[str]) -> None:
    assert ccm.split_eips(value) == read


def service(kind: str = "LoadBalancer", cls: str | None = None, annotations: Any = None) -> dict[str, Any]:
    spec = {"type": kind} if cls is None else {"type": kind, "loadBalancerClass": cls}
    return {"metadata": {"annotations": annotations}, "spec": spec}


@pytest.mark.parametrize(
    ("given", "owned"),
    [
        (service(), True),
        (service(annotations={TYPE: "nlb"}), True),
        (service("ClusterIP"), False),
        (service(cls="example.com/lb"), False),
        (service(annotations={TYPE: "external"}), False),
        ({}, False),
    ],
)
def test_whom_the_service_controller_looks_after(given: Any, owned: bool) -> None:
    """§6: type LoadBalancer without a class; §1: not what the AWS Load Balancer Controller owns."""
    assert ccm.owns(given) is owned


def test_the_name_of_a_load_balancer_comes_from_the_uid() -> None:
    """§5: hence a recreated Service means a new name, hostname and addresses."""
    assert ccm.lb_name("12345678-90ab-cdef-1234-567890abcdef") == "a1234567890abcdef1234567890abcde"
    assert len(ccm.lb_name("12345678-90ab-cdef-1234-567890abcdef")) == 32


@pytest.mark.parametrize(
    ("annotations", "codes"),
    [
        ({}, []),
        ({INTERNAL: "true", TYPE: "nlb", SUBNETS: "subnet-a,name b", EIPS: "eip-a,eip-b"}, []),
        ({INTERNAL: "false"}, []),
        ({INTERNAL: "yes"}, ["scope_views_differ"]),
        ({INTERNAL: "False"}, ["scope_views_differ"]),
        ({SUBNETS: "subnet-a, subnet-b"}, ["subnet_views_differ"]),
        ({SUBNETS: "a,,b"}, ["subnet_views_differ"]),
        ({SUBNETS: " subnet-a,b "}, []),  # the operator trims the whole value
        ({SUBNETS: "name,subnet-a"}, []),  # an order means nothing to either
        ({EIPS: "eip-a, eip-b"}, ["eip_spaces"]),
        ({EIPS: "eip-a,"}, ["eip_spaces"]),
        ({TYPE: "external"}, ["no_controller"]),
        ({TYPE: "external", f"{PREFIX}nlb-target-type": "ip"}, ["other_controller"]),
        ({TYPE: "NLB"}, []),  # Classic for both
        (
            {INTERNAL: "1", SUBNETS: "a, b", EIPS: " e", TYPE: "nlb-ip"},
            ["scope_views_differ", "subnet_views_differ", "eip_spaces", "other_controller"],
        ),
    ],
)
def test_where_the_two_views_disagree(annotations: dict[str, str], codes: list[str]) -> None:
    found = ccm.disagreements(annotations)
    assert [finding.code for finding in found] == codes
    for finding in found:
        assert finding.severity is Severity.WARNING
        assert finding.where == f"metadata.annotations[{_key(finding.code)}]"
        assert finding.value == annotations[_key(finding.code)]
        assert repr(finding.value) in finding.what
        assert finding.remedy


def _key(code: str) -> str:
    return {"scope_views_differ": INTERNAL, "subnet_views_differ": SUBNETS, "eip_spaces": EIPS}.get(code, TYPE)


def test_the_scope_finding_says_both_views() -> None:
    (finding,) = ccm.disagreements({INTERNAL: "yes"})
    assert str(finding) == (
        f"metadata.annotations[{INTERNAL}]: 'yes' makes the load balancer Internal for the cloud controller,"
        " but the operator reads External. Write exactly `true`, or remove it."
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cloud.google.com/load-balancer-type", "Internal"),
        ("service.beta.kubernetes.io/azure-load-balancer-internal", "true"),
    ],
)
def test_another_platforms_annotation_is_internal_for_the_operator_alone(key: str, value: str) -> None:
    """facts: ingress-operator §3, haveScope."""
    for there in ({key: value}, {key: value, INTERNAL: "false"}):
        (finding,) = ccm.disagreements(there)
        assert (finding.code, finding.where) == ("scope_views_differ", f"metadata.annotations[{key}]")
        assert "External for the cloud controller, but the operator reads Internal" in finding.what
        assert finding.remedy == "Remove it."
    assert ccm.disagreements({key: value, INTERNAL: "true"}) == ()


# §6, error classifier: the event's text as the cloud controller writes it, and the cause.
EVENTS = [
    ("InvalidConfigurationRequest: ELB cannot be attached to multiple subnets in the same AZ.", "subnets_same_az"),
    (
        (
            "error creating load balancer: InvalidConfigurationRequest: A load balancer cannot be attached to multiple"
            " subnets in the same Availability Zone"
        ),
        "subnets_same_az",
    ),
    ("expected to find 2, but found 1 subnets", "subnet_name_unknown"),
    ("InvalidSubnetID.NotFound: The subnet ID 'subnet-x' does not exist", "subnet_id_unknown"),
    ("InvalidSubnet: The subnet ID 'subnet-x' does not exist", "subnet_id_unknown"),
    (
        (
            'error creating load balancer: "InvalidSubnet: Not enough IP space available in subnet-x. ELB requires at'
            ' least 8 free IP addresses in each subnet.\\n\\tstatus code: 400"'
        ),
        "subnet_full",
    ),
    ("InvalidSubnet: VPC vpc-1 has no internet gateway", "no_internet_gateway"),
    ("InvalidSubnet: subnet-x", "subnet_refused"),
    ("Classic Load Balancers do not support Availability Zone 'us-east-1f'.", "subnet_zone_type"),
    (
        (
            'Unable to update load balancer attributes during attribute sync: "AccessDenied: User: arn:aws:sts::1:'
            "assumed-role/x is not authorized to perform: elasticloadbalancing:ModifyLoadBalancerAttributes on"
            ' resource: arn:aws:elasticloadbalancing:eu-central-1:1:loadbalancer/a1"'
        ),
        "iam_denied",
    ),
    ("UnauthorizedOperation: You are not authorized to perform this operation.", "iam_denied"),
    ("error creating load balancer: AllocationIdNotFound: The specified allocation ID does not exist", "eip_unknown"),
    (
        (
            "failed to delete load balancer: operation error Elastic Load Balancing v2: DeleteLoadBalancer, https"
            " response error StatusCode: 400, OperationNotPermitted: Load balancer 'arn:aws:x' cannot be deleted"
            " because deletion protection is enabled"
        ),
        "deletion_protection",
    ),
    (
        (
            "ResourceInUse: Load balancer 'arn:aws:x' cannot be deleted because it is currently associated with another"
            " service"
        ),
        "endpoint_service",
    ),
    (
        (
            'error authorizing security group ingress: "RulesPerSecurityGroupLimitExceeded: The maximum number of rules'
            ' per security group has been reached."'
        ),
        "security_group_rules",
    ),
    (
        "SecurityGroupLimitExceeded: The maximum number of security groups for VPC 'vpc-1' has been reached.",
        "security_group_limit",
    ),
    (
        "InvalidConfigurationRequest: The maximum number of security groups per load balancer has been reached.",
        "security_group_limit",
    ),
    ("InvalidParameterValue: CIDR block fd00::/8 is malformed", "ranges_ipv6"),
    ("unable to resolve empty subnet slice", "subnets_empty"),
    ("error detaching AWS loadbalancer from subnets: InvalidConfigurationRequest", "subnets_disjoint"),
    ("error attaching AWS loadbalancer to subnets: InvalidConfigurationRequest", "subnets_attach"),
    ("error attaching AWS loadbalancer to subnets: AccessDenied", "iam_denied"),
    (
        "error attaching AWS loadbalancer to subnets: ELB cannot be attached to multiple subnets in the same AZ.",
        "subnets_same_az",
    ),
    ("could not find any suitable subnets for creating the ELB", "no_suitable_subnets"),
    ("error creating load balancer: Must have same number of EIP AllocationIDs (2) and SubnetIDs (3)", "eip_count"),
    (f'cannot update Load Balancer Type annotation "{TYPE}" after creation for NLB', "type_changed_live"),
    ("target group attributes annotation is only supported for NLB", "target_group_on_classic"),
    ("TooManyLoadBalancers: limit exceeded", "lb_quota"),
    ("you have reached your quota of target groups", "lb_quota"),
]


@pytest.mark.parametrize(("text", "code"), EVENTS)
def test_the_cause_behind_an_event(text: str, code: str) -> None:
    """SUB-10, SCO-8: a terminal cause with a remedy, so that nobody waits for it in vain."""
    cause = ccm.classify(FAILED + text)
    assert cause.code == code
    assert cause.terminal
    assert cause.what.endswith(".")
    assert cause.remedy.endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        "error creating load balancer: ResourceInUse: The allocation IDs are not available for use",
        "Resource.AlreadyAssociated: resource eipalloc-1 is already associated with associate-id eipassoc-1",
    ],
)
def test_an_elastic_ip_may_come_free(text: str) -> None:
    """Safe ingress 15: the old load balancer gives its own back some time after it is gone, so that is waited for."""
    cause = ccm.classify(FAILED + text)
    assert (cause.code, cause.terminal) == ("eip_in_use", False)


@pytest.mark.parametrize(
    "text", ["", FAILED + "RequestLimitExceeded", "expected to find a node", "but found 2 subnets"]
)
def test_an_event_nobody_knows_is_not_terminal(text: str) -> None:
    cause = ccm.classify(text)
    assert cause is ccm.UNKNOWN
    assert not cause.terminal


@pytest.mark.parametrize(
    ("annotations", "codes"),
    [
        ({INTERNAL: "0.0.0.0/0"}, []),  # rewritten to `true` before the operator looks (aws-ccm §2)
        ({SUBNETS: ""}, ["subnets_empty"]),  # explicit for the cloud controller, none for the operator (§3)
        ({SUBNETS: " , "}, ["subnets_empty"]),
    ],
)
def test_values_one_of_the_two_rewrites_or_trips_over(annotations: dict[str, str], codes: list[str]) -> None:
    assert [finding.code for finding in ccm.disagreements(annotations)] == codes
