# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slb_scope on IngressControllers: in place or with a recreation, per platform and version (SCO-1 … SCO-5)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import (
    AWS_INTERNAL,
    AZURE_INTERNAL,
    GCP_TYPE,
    IBM_IP_TYPE,
    OPENSTACK_INTERNAL,
)
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab

from .conftest import NewIngress
from .proofs import codes, finding, pending, prove, refused
from .workplace import Ingress

# platform → annotation, its value when Internal, its value when External
KEYS = {
    "AWS": (AWS_INTERNAL, "true", None),
    "Azure": (AZURE_INTERNAL, "true", None),
    "GCP": (GCP_TYPE, "Internal", None),
    "IBMCloud": (IBM_IP_TYPE, "private", "public"),
    "OpenStack": (OPENSTACK_INTERNAL, "true", None),
}
VERSIONS = ("4.16", "4.18", "4.21", "4.22", "4.23")
RECREATED = [("AWS", version) for version in VERSIONS] + [
    ("IBMCloud", "4.16"),
    ("IBMCloud", "4.22"),
    ("OpenStack", "4.22"),
]
IN_PLACE = [("Azure", "4.16"), ("Azure", "4.21"), ("GCP", "4.22"), ("GCP", "4.23")]
BACK = {"Internal": "External", "External": "Internal"}


@pytest.mark.parametrize("scope", ["Internal", "External"])
@pytest.mark.parametrize(("platform", "version"), RECREATED)
def test_where_a_recreation_is_needed(ingress: NewIngress, platform: str, version: str, scope: str) -> None:
    """SCO-1, SCO-2, SCO-3: reported with the operator's words and the command; the Service is not touched."""
    subject = ingress(version, platform, scope=BACK[scope])
    key, internal, external = KEYS[platform]
    uid, before = subject.uid, subject.annotations.get(key)
    result = prove(subject, "slb_scope", scope=scope).applied
    assert (result["verdict"], result["disruption"], pending(result)) == ("recreate", "outage", ["scope"])
    assert result["pending"][0]["message"] in subject.condition()[2]
    assert f'from "{BACK[scope]}" to "{scope}"' in result["pending"][0]["message"]
    assert result["commands"][0] == f"oc -n openshift-ingress delete svc/{subject.service_name}"
    assert (subject.uid, subject.annotations.get(key)) == (uid, before)
    assert before == (external if scope == "Internal" else internal)


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize(
    ("platform", "version"), [("AWS", "4.16"), ("AWS", "4.23"), ("IBMCloud", "4.22"), ("OpenStack", "4.22")]
)
def test_effectuated_on_request(ingress: NewIngress, platform: str, version: str, way: str) -> None:
    """SCO-3 as SUB-6: the right annotation and value on the new Service."""
    subject = ingress(version, platform)
    key, internal, _external = KEYS[platform]
    uid = subject.uid
    result = prove(subject, "slb_scope", scope="Internal", effectuate=way, allow_disruption="outage").applied
    assert (result["planned"]["verdict"], result["pending"]) == ("recreate", [])
    assert subject.uid != uid
    assert subject.annotations[key] == internal
    assert (subject.condition()[0], subject.armed) == ("False", None)


@pytest.mark.parametrize("scope", ["Internal", "External"])
@pytest.mark.parametrize(("platform", "version"), IN_PLACE)
def test_in_place(ingress: NewIngress, platform: str, version: str, scope: str) -> None:
    """SCO-1, SCO-2: the same Service, another address, nothing pending; the plan says so beforehand."""
    subject = ingress(version, platform, scope=BACK[scope])
    key, internal, external = KEYS[platform]
    uid, address = subject.uid, subject.address
    proven = prove(subject, "slb_scope", scope=scope, allow_disruption="brief")
    assert (proven.checked["verdict"], proven.checked["disruption"]) == ("update_in_place", "brief")
    assert f"on {platform} the scope changes in place and the address with it" in proven.checked["message"]
    assert (subject.uid, subject.annotations.get(key)) == (uid, internal if scope == "Internal" else external)
    assert subject.address != address
    assert proven.applied["after"]["addresses"] == [subject.address]


@pytest.mark.parametrize(("platform", "version"), [*RECREATED[::2], ("OpenStack", "4.22")])
def test_cancelled_before_it_takes_effect(ingress: NewIngress, platform: str, version: str) -> None:
    """SCO-4: the previous scope before the Service was deleted; Progressing returns to False, no disruption."""
    subject = ingress(version, platform)
    uid, address = subject.uid, subject.address
    prove(subject, "slb_scope", scope="Internal")
    assert subject.condition()[0] == "True"
    result = prove(subject, "slb_scope", scope="External").applied
    assert (result["planned"]["verdict"], result["disruption"], result["pending"]) == ("update_in_place", "none", [])
    assert subject.condition()[0] == "False"
    assert (subject.uid, subject.address) == (uid, address)


@pytest.mark.parametrize(("platform", "version"), [("AWS", "4.16"), ("AWS", "4.22"), ("IBMCloud", "4.22")])
def test_latent_changes_are_named_as_such(ingress: NewIngress, platform: str, version: str) -> None:
    """SCO-5: set long ago and never effectuated; told from what this task asks for."""
    subject = ingress(version, platform)
    subject.patch_lb(scope="Internal")
    subject.settle()
    result = prove(subject, "slb_scope", scope="Internal").applied
    assert (result["changed"], result["pending"][0]["latent"]) == (False, True)
    assert "was set earlier and never effectuated" in finding(result, "latent_change")["what"]


def test_what_this_task_just_set_is_not_latent(ingress: NewIngress) -> None:
    """SCO-5"""
    subject = ingress()
    result = subject.run("slb_scope", scope="Internal")
    assert "latent_change" not in codes(result)
    assert not result["pending"][0]["latent"]


def test_a_latent_change_comes_up_with_an_upgrade(lab: Lab) -> None:
    """SCO-5, pain point 12: found before the upgrade, and still there after it."""
    cluster = lab.cluster("scope-upgraded", version="4.16", moto=False)
    subject = Ingress(cluster, "default")
    subject.patch_lb(scope="Internal")
    subject.settle()
    assert "latent_change" in codes(subject.run("lb_effectuate", check=True))
    uid = subject.uid
    cluster.upgrade("4.22.1")
    result = subject.wait_for(lambda: _if_profile(subject, "P3"), "the new operator")
    assert "latent_change" in codes(result)
    assert subject.uid == uid


def _if_profile(subject: Ingress, name: str) -> dict | None:
    result = subject.run("lb_effectuate", check=True)
    return result if result["profile"] == name else None


def test_the_default_ingress_is_meant_unless_another_is_named(lab: Lab) -> None:
    """SCO-1"""
    cluster = lab.cluster("scope-default", "GCP")
    subject = Ingress(cluster, "default")
    subject.options = {}
    prove(subject, "slb_scope", scope="Internal", allow_disruption="brief")
    assert subject.lb["scope"] == "Internal"


def test_a_spec_without_a_strategy(ingress: NewIngress) -> None:
    """SCO-1: nothing said in spec; External is in force by default and needs no patch, Internal gets the parents."""
    subject = ingress()
    subject.patch({"spec": {"endpointPublishingStrategy": None}})
    subject.settle()
    assert prove(subject, "slb_scope", scope="External").applied["verdict"] == "in_sync"
    assert prove(subject, "slb_scope", scope="Internal").applied["verdict"] == "recreate"
    assert subject.ic()["spec"]["endpointPublishingStrategy"]["type"] == "LoadBalancerService"


def test_the_old_spelling_of_internal_is_no_change(ingress: NewIngress) -> None:
    """SCO-2: 0.0.0.0/0 is rewritten in place; Internal it was and is."""
    subject = ingress(scope="Internal")
    subject.annotate(internal="0.0.0.0/0")
    assert subject.run("slb_scope", check=True, scope="Internal")["verdict"] == "in_sync"


@pytest.mark.parametrize("value", ["yes", "False", "1"])
def test_a_value_the_operator_and_the_cloud_controller_read_differently(ingress: NewIngress, value: str) -> None:
    """SCO-2 (facts: aws-ccm §2): both views, and the disagreement as a finding."""
    subject = ingress(scope="Internal")
    subject.annotate(internal=value)
    result = subject.run("slb_scope", check=True, scope="Internal")
    found = finding(result, "scope_views_differ")
    assert "Internal for the cloud controller, but the operator reads External" in found["what"]


@pytest.mark.parametrize("platform", ["BareMetal", "VSphere", "None"])
def test_a_platform_where_internal_can_never_be_realised(ingress: NewIngress, platform: str) -> None:
    """SCO-2: no annotation makes it internal there."""
    subject = ingress("4.22", platform)
    result = refused(subject, "slb_scope", scope="Internal")
    assert platform in finding(result, "scope_unrealisable")["what"]
    assert prove(subject, "slb_scope", scope="External").applied["verdict"] == "in_sync"
