# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SUB-5: what waits for recreation, in the words of each message family (facts: ingress-operator §7, §10)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import messages
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator import given
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIP1,
    EIP2,
    A,
    B,
    aws,
    ic,
    lb,
    provider,
    service,
)

# The texts of the three families, as facts §7 gives them; HAVE and WANT are as %q prints them.
M2 = (
    "The IngressController FIELD was changed from HAVE to WANT.  To effectuate this change, you must delete the"
    " service: `oc -n openshift-ingress delete svc/router-apps`; the service load-balancer will then be deprovisioned"
    " and a new one created. This will most likely cause the new load-balancer to have a different host name and IP"
    " address and cause disruption. To return to the previous state, you can revert the change to the"
    " IngressController: `oc -n openshift-ingress-operator patch ingresscontrollers/apps --type=merge"
    " --patch='PATCH'`. Direct updates to the service annotations are not supported."
)
M1_SCOPE = (
    "The IngressController scope was changed from HAVE to WANT.  To effectuate this change, you must delete the"
    " service: `oc -n openshift-ingress delete svc/router-apps`; the service load-balancer will then be deprovisioned"
    " and a new one created.  This will most likely cause the new load-balancer to have a different host name and IP"
    " address from the old one's.  Alternatively, you can revert the change to the IngressController:"
    " `oc -n openshift-ingress-operator patch ingresscontrollers/apps --type=merge --patch='PATCH'`"
)
M1_WERE = M2.replace("was changed", "were changed").removesuffix(
    ". Direct updates to the service annotations are not supported."
)
M1_WAS = M1_WERE.replace("were changed", "was changed")
M0_SCOPE = M1_SCOPE.removesuffix("`")  # the running 4.16 forgets the last backtick (histories)

SCOPE_PATCH = '{"spec":{"endpointPublishingStrategy":{"loadBalancer":{"scope":"External"}}}}'
AWS_PATCH = (
    '{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"providerParameters":'
    '{"type":"AWS","aws":%s}}}}}'
)
FLOATING_PATCH = (
    '{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"providerParameters":'
    '{"type":"OpenStack","openstack":{"floatingIP":"%s"}}}}}}'
)


def text(family: str, have: str, want: str, patch: str, field: str = "") -> str:
    filled = family.replace("FIELD", field).replace("HAVE", have).replace("WANT", want)
    return filled.replace("PATCH", patch)


def pending(version: str, platform: str | Infra, controller: Any, live: Any) -> list[messages.Change]:
    infra = platform if isinstance(platform, Infra) else Infra(platform)
    return messages.pending(profile_for(version), infra, controller, live)


def apps(spec: Any, status: Any = None) -> dict[str, Any]:
    return ic(spec, status, name="apps")


def live(annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    return service(annotations, owner="apps", **spec)


NLB = {given.TYPE: "nlb"}


# --- scope -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "platform", "family"),
    [
        ("4.11", "AWS", M0_SCOPE),
        ("4.16", "AWS", M0_SCOPE),
        ("4.16", "IBMCloud", M0_SCOPE),
        ("4.17", "AWS", M1_SCOPE),
        ("4.21", "AWS", M1_SCOPE),
        ("4.21", "OpenStack", M1_SCOPE),
        ("4.22", "AWS", M2),
        ("4.23", "IBMCloud", M2),
        ("4.23", "PowerVS", M2),
        ("4.23", "OpenStack", M2),
        ("4.23", "BareMetal", M2),
    ],
)
def test_scope_with_delete_instructions(version: str, platform: str, family: str) -> None:
    (change,) = pending(version, platform, apps(lb("Internal")), live())
    assert change.message == text(family, '"External"', '"Internal"', SCOPE_PATCH, "scope")
    assert (change.field, change.have, change.want, change.patch) == ("scope", "External", "Internal", SCOPE_PATCH)


@pytest.mark.parametrize(
    ("version", "platform"),
    [
        *((version, platform) for version in ("4.16", "4.21", "4.22", "4.23") for platform in ("Azure", "GCP")),
        ("4.17", "OpenStack"),
        ("4.16", "PowerVS"),
        ("4.17", "BareMetal"),
    ],
)
def test_scope_in_the_first_sentence_only(version: str, platform: str) -> None:
    """In place on Azure and GCP; elsewhere than AWS and IBM Cloud the instructions came with 4.18."""
    (change,) = pending(version, platform, apps(lb("Internal")), live())
    assert change.message == 'The IngressController scope was changed from "External" to "Internal".'
    assert change.patch == ""


@pytest.mark.parametrize("version", ["4.16", "4.21", "4.22"])
def test_cancelling_a_scope_change_leaves_nothing_pending(version: str) -> None:
    """SCO-4."""
    internal = live({given.INTERNAL: "true"})
    assert pending(version, "AWS", apps(lb("Internal")), internal) == []
    assert pending(version, "AWS", apps(lb("External")), live()) == []
    (change,) = pending(version, "AWS", apps(lb("External")), internal)
    assert (change.have, change.want) == ("Internal", "External")


def test_any_platforms_internal_annotation_counts_and_a_wrong_value_does_not() -> None:
    """§3: haveScope."""
    assert pending("4.22", "AWS", apps(lb("Internal")), live({given.GCP_TYPE: "Internal"})) == []
    assert pending("4.22", "AWS", apps(lb("External")), live({given.INTERNAL: "yes"})) == []


def test_a_status_without_a_scope_is_compared_as_it_is() -> None:
    """§3: an IngressController admitted by a very old version."""
    (change,) = pending("4.22", "AWS", apps(lb(), lb("")), live())
    assert 'changed from "External" to ""' in change.message


# --- type ------------------------------------------------------------------------------------------------------------

TYPE = "loadBalancer.providerParameters.aws.type"


@pytest.mark.parametrize("version", ["4.22", "4.23"])
def test_type_from_4_22(version: str) -> None:
    (change,) = pending(version, "AWS", apps(aws("NLB")), live())
    assert change.message == text(M2, '"Classic"', '"NLB"', AWS_PATCH % '{"type":"Classic"}', TYPE)
    (change,) = pending(version, "AWS", apps(aws("Classic")), live(NLB))
    assert change.message == text(M2, '"NLB"', '"Classic"', AWS_PATCH % '{"type":"NLB"}', TYPE)


@pytest.mark.parametrize("version", ["4.11", "4.16", "4.21"])
def test_before_that_a_type_is_never_pending(version: str) -> None:
    assert pending(version, "AWS", apps(aws("NLB")), live()) == []


@pytest.mark.parametrize("family", ["DualStackIPv4Primary", "DualStackIPv6Primary"])
def test_classic_on_a_dual_stack_cluster_gets_a_note(family: str) -> None:
    infra = Infra("AWS", ip_family=family)
    (change,) = pending("4.22", infra, apps(aws("Classic")), live(NLB))
    assert change.message == text(M2, '"NLB"', '"Classic"', AWS_PATCH % '{"type":"NLB"}', TYPE) + (
        ' Classic Load Balancers do not support dual-stack. The IngressController "apps" will use IPv4-only despite'
        f' that the cluster is configured as "{family}". Use an NLB type to support dual-stack networking.'
    )
    (to_nlb,) = pending("4.22", infra, apps(aws("NLB")), live())
    assert "dual-stack" not in to_nlb.message


# --- subnets ---------------------------------------------------------------------------------------------------------

# have in status, want in spec: how both are shown before %q, and the set in the patch
SUBNETS = [
    pytest.param(None, {"ids": [A]}, "{}", f'{{"ids":["{A}"],"names":[]}}', "null", id="set"),
    pytest.param(
        {"ids": [A]}, None, f'{{"ids":["{A}"],"names":[]}}', "{}", f'{{"ids":["{A}"],"names":null}}', id="cleared"
    ),
    pytest.param(
        {"names": ["R&D"], "ids": [B, A]},
        {"names": ["it's"]},
        f'{{"ids":["{B}","{A}"],"names":["R\\u0026D"]}}',
        '{"ids":[],"names":["it\'s"]}',
        f'{{"ids":["{B}","{A}"],"names":["R\\u0026D"]}}',
        id="changed, with characters that Go escapes",
    ),
]


def quoted(json_text: str) -> str:
    return '"' + json_text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@pytest.mark.parametrize(("have", "want", "shown_have", "shown_want", "patched"), SUBNETS)
@pytest.mark.parametrize(("version", "family"), [("4.17", M1_WERE), ("4.21", M1_WERE), ("4.22", M2), ("4.23", M2)])
@pytest.mark.parametrize(("kind", "block"), [("Classic", "classicLoadBalancer"), ("NLB", "networkLoadBalancer")])
def test_subnets(
    version: str,
    family: str,
    kind: str,
    block: str,
    have: Any,
    want: Any,
    shown_have: str,
    shown_want: str,
    patched: str,
) -> None:
    controller = apps(aws(kind, subnets=want), aws(kind, subnets=have))
    (change,) = pending(version, "AWS", controller, live(NLB if kind == "NLB" else {}))
    patch = AWS_PATCH % f'{{"type":"{kind}","{block}":{{"subnets":{patched}}}}}'
    assert change.message == text(family, quoted(shown_have), quoted(shown_want), patch, "subnets")
    assert (change.have, change.want) == (shown_have, shown_want)


@pytest.mark.parametrize("version", ["4.17", "4.22"])
def test_an_order_is_never_pending(version: str) -> None:
    controller = apps(aws("NLB", subnets={"ids": [A, B]}), aws("NLB", subnets={"ids": [B, A]}))
    assert pending(version, "AWS", controller, live(NLB)) == []


@pytest.mark.parametrize("version", ["4.11", "4.16"])
def test_before_4_17_subnets_are_nobodys_business(version: str) -> None:
    controller = apps(aws("NLB", subnets={"ids": [A]}), aws("NLB"))
    assert pending(version, "AWS", controller, live(NLB)) == []


def test_an_unmanaged_annotation_is_invisible_when_status_has_no_aws_parameters() -> None:
    """§5: no mirror, so no difference (SUB-7 cannot rely on Progressing)."""
    for version in ("4.17", "4.21", "4.22", "4.23"):
        assert pending(version, "AWS", apps(lb()), live({given.SUBNETS: A})) == []


def test_without_aws_parameters_in_status_spec_counts_only_from_4_22() -> None:
    spec = aws("Classic", subnets={"ids": [A]})
    assert pending("4.21", "AWS", apps(spec, lb()), live()) == []
    assert [change.field for change in pending("4.22", "AWS", apps(spec, lb()), live())] == ["subnets"]


# --- type and subnets together (§10) ---------------------------------------------------------------------------------


def both(classic: Any, network: Any, kind: str) -> dict[str, Any]:
    params = {"classicLoadBalancer": {"subnets": classic}, "networkLoadBalancer": {"subnets": network}}
    return lb(providerParameters={"type": "AWS", "aws": {"type": kind, **params}})


def test_up_to_4_21_the_new_types_subnets_are_compared_at_once() -> None:
    controller = apps(both({"ids": [A]}, {"ids": [B]}, "NLB"), both(None, {"ids": [A]}, "NLB"))
    for there in ({**NLB, given.SUBNETS: A}, {given.SUBNETS: A}):  # whatever type the Service still has
        (change,) = pending("4.21", "AWS", controller, live(there))
        assert (change.field, change.want) == ("subnets", f'{{"ids":["{B}"],"names":[]}}')


@pytest.mark.parametrize("version", ["4.22", "4.23"])
def test_from_4_22_the_old_types_subnets_are_compared_until_the_type_is_in_force(version: str) -> None:
    status = both({"ids": [A]}, None, "NLB")
    kept = apps(both({"ids": [A]}, {"ids": [B]}, "NLB"), status)
    assert [change.field for change in pending(version, "AWS", kept, live({given.SUBNETS: A}))] == [TYPE]
    dropped = apps(both(None, {"ids": [B]}, "NLB"), status)
    assert [change.field for change in pending(version, "AWS", dropped, live({given.SUBNETS: A}))] == [TYPE, "subnets"]


# --- Elastic IPs, floating IP, source ranges -------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "family"), [("4.17", M1_WERE), ("4.21", M1_WERE), ("4.22", M2), ("4.23", M2)])
def test_elastic_ips(version: str, family: str) -> None:
    network = '{"type":"NLB","networkLoadBalancer":{"eipAllocations":%s}}'
    one, two = f'["{EIP1}"]', f'["{EIP2}","{EIP1}"]'
    controller = apps(aws("NLB", eipAllocations=[EIP2, EIP1]), aws("NLB", eipAllocations=[EIP1]))
    (change,) = pending(version, "AWS", controller, live(NLB))
    patch = AWS_PATCH % (network % one)
    assert change.message == text(family, quoted(one), quoted(two), patch, "eipAllocations")
    (change,) = pending(version, "AWS", apps(aws("NLB", eipAllocations=[EIP1]), aws("NLB")), live(NLB))
    assert (change.have, change.want, change.patch) == ("[]", one, AWS_PATCH % (network % "null"))


@pytest.mark.parametrize("version", ["4.22", "4.23"])
def test_elastic_ips_of_a_service_that_is_no_nlb_yet_are_not_told(version: str) -> None:
    controller = apps(aws("NLB", eipAllocations=[EIP1]), aws("NLB"))
    assert [change.field for change in pending(version, "AWS", controller, live())] == [TYPE]


@pytest.mark.parametrize(("version", "family"), [("4.18", M1_WAS), ("4.21", M1_WAS), ("4.22", M2)])
def test_floating_ip(version: str, family: str) -> None:
    controller = apps(provider("OpenStack", floatingIP="192.0.2.2"), provider("OpenStack", floatingIP="192.0.2.1"))
    (change,) = pending(version, "OpenStack", controller, live())
    assert change.message == text(family, '"192.0.2.1"', '"192.0.2.2"', FLOATING_PATCH % "192.0.2.1", "floatingIP")
    (change,) = pending(version, "OpenStack", apps(provider("OpenStack", floatingIP="192.0.2.2"), lb()), live())
    assert (change.have, change.patch) == ("", FLOATING_PATCH % "")  # which the API would refuse: defect 4


def test_no_floating_ip_before_4_18() -> None:
    controller = apps(provider("OpenStack", floatingIP="192.0.2.2"), provider("OpenStack"))
    assert pending("4.17", "OpenStack", controller, live()) == []


EDITED = "You have manually edited an operator-managed object. You must revert your modifications by removing the "
BY_ANNOTATION = EDITED + (
    'service.beta.kubernetes.io/load-balancer-source-ranges annotation on service "router-apps". You can use the new'
    " AllowedSourceRanges API field on the ingresscontroller object to configure this setting instead."
)
BY_FIELD = EDITED + (
    'Spec.LoadBalancerSourceRanges field of LoadBalancer-typed service "router-apps". You can use the new'
    " AllowedSourceRanges API field on the ingresscontroller to configure this setting instead."
)


@pytest.mark.parametrize(
    ("annotation", "field", "spec", "texts"),
    [
        (None, None, None, []),
        ("10.0.0.0/8", None, None, [BY_ANNOTATION]),
        ("", None, None, []),
        (None, ["10.0.0.0/8"], None, [BY_FIELD]),
        (None, ["10.0.0.0/8"], ["10.0.0.0/8"], []),
        ("10.0.0.0/8", ["10.0.0.0/8"], None, [BY_ANNOTATION, BY_FIELD]),
        ("10.0.0.0/8", ["10.0.0.0/8"], ["10.0.0.0/8"], [BY_ANNOTATION]),
    ],
)
def test_source_ranges_edited_by_hand_or_left_behind(
    annotation: str | None, field: Any, spec: Any, texts: list[str]
) -> None:
    """§6: ranges removed from spec stay on the Service and raise this until somebody edits it."""
    edited = live({given.SOURCE_RANGES: annotation} if annotation is not None else {}, loadBalancerSourceRanges=field)
    found = pending("4.22", "AWS", apps(lb(allowedSourceRanges=spec)), edited)
    assert [change.message for change in found] == texts
    assert pending("4.11", "AWS", apps(lb(allowedSourceRanges=spec)), edited) == []


# --- several at once -------------------------------------------------------------------------------------------------


def test_everything_at_once_in_the_operators_order() -> None:
    spec, status = aws("NLB", "Internal", subnets={"ids": [A]}, eipAllocations=[EIP1]), aws("Classic", "Internal")
    edited = live({**NLB, given.SOURCE_RANGES: "10.0.0.0/8"}, loadBalancerSourceRanges=["10.0.0.0/8"])
    fields = [change.field for change in pending("4.22", "AWS", apps(spec, status), edited)]
    assert fields == ["scope", TYPE, "subnets", "eipAllocations", "sourceRangesAnnotation", "loadBalancerSourceRanges"]


def test_one_text_alone_several_in_brackets_and_none_twice() -> None:
    one, two = (messages.Change("f", "", "", "", said) for said in ("one.", "two."))
    assert messages.aggregate([one]) == "one."
    assert messages.aggregate([one, two]) == "[one., two.]"
    assert messages.aggregate([one, two, one]) == "[one., two.]"
    assert messages.aggregate([one, one]) == "one."
