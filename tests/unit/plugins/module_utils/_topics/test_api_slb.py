# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API's load balancers carried out: built, taken away with another path proven, rendered from a copy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import api_slb, service
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import (
    PathSeen,
    Reserved,
    ReservedQuestion,
    WantedApi,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import SKIPPED, AwsAnswer, Eip
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Disruption,
    Question,
    Step,
    Wait,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import run
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import paths
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Conflict, Forbidden, Timeout
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Failed, Gate
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.api_slb import (
    ApiSlbTopic,
    CopyTopic,
    NoLock,
    _host,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    ADDRESSES,
    all_live,
    handing_over,
    wanted,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    MemoryCluster,
    platform_objects,
    waiting,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.topics import (
    MemoryAws,
    wait_kinds,
)

SPACE = "openshift-kube-apiserver"
SLICES = "endpointslices.discovery.k8s.io"


class Cloud(MemoryCluster):
    """Gives every Service that is made a uid, an address and an endpoint."""

    def do(self, step: Step) -> Any:
        found = super().do(step)
        if (step.verb, step.resource) == ("create", "services"):
            made = self.objects["services", step.namespace, step.name]
            made["metadata"] |= {"uid": f"uid-{step.name}", "resourceVersion": "1"}
            made["status"] = {"loadBalancer": {"ingress": [{"ip": made["spec"].get("loadBalancerIP", "10.9.9.9")}]}}
        return found


@dataclass
class AskedAws(MemoryAws):
    """Knows two Elastic IPs by name."""

    names: list[str] = field(default_factory=list)

    def reserved(self, _infra: Infra, name: str, _ids: Any) -> Any:
        self.names.append(name)
        found = tuple(Eip(f"eipalloc-{digit * 17}", f"203.0.113.{digit}") for digit in "12")
        return found, tuple(eip.id for eip in found), ""


def cluster(platform: str = "Azure", **services: Any) -> Cloud:
    made = Cloud(platform_objects(platform).objects)
    for found in services.values():
        made.put("services", found)
    for space, name in ((SPACE, "a"), ("openshift-machine-config-operator", "b")):
        slices = {"metadata": {"namespace": space, "name": name}, "endpoints": [{"addresses": ["10.0.16.10"]}]}
        made.put(SLICES, slices)
    return made


def no_dns() -> Any:
    raise AssertionError("nothing is published")


def topic(
    memory: MemoryCluster, what: WantedApi | None = None, aws: Any = None, wait: bool = True, dns: Any = no_dns
) -> ApiSlbTopic:
    asked = aws or MemoryAws(SKIPPED)
    return ApiSlbTopic(memory, asked, Given(), what or wanted(), waiting(wait), dns)  # type: ignore[arg-type]


def quiet(_text: str) -> None:
    pass


def services(memory: MemoryCluster) -> list[str]:
    return sorted(name for kind, _space, name in memory.objects if kind == "services")


def test_built_from_nothing_and_idle_afterwards() -> None:
    memory = cluster()
    told = run(topic(memory), Gate(), quiet)
    assert (told["changed"], told["verdict"], told["planned"]["verdict"]) == (True, "in_sync", "update_in_place")
    assert services(memory) == ["external-lb", "internal-lb", "internal-lb-machine-config-server"]
    assert not run(topic(memory), Gate(), quiet)["changed"]


def seen_as(monkeypatch: pytest.MonkeyPatch, *states: str) -> list[str]:
    """What connecting gives, one state a time; the last one for ever."""
    left, tried = list(states), []

    def try_all(wanted_paths: Any) -> dict[str, PathSeen]:
        tried.extend(wanted_paths)
        state = left.pop(0) if len(left) > 1 else left[0]
        return {at: PathSeen(state, peers=(at.rpartition(":")[0],)) for at in wanted_paths}

    monkeypatch.setattr(paths, "try_all", try_all)
    return tried


def test_a_public_one_goes_when_the_internal_one_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = seen_as(monkeypatch, "connected")
    memory = cluster(**all_live())
    told = run(topic(memory, wanted(public=False)), Gate(False, Disruption.OUTAGE), quiet)
    assert (told["changed"], services(memory)) == (True, ["internal-lb", "internal-lb-machine-config-server"])
    assert tried.count("10.0.0.7:6443") == 2  # asked, and once more right before


def test_a_path_that_fell_silent_meanwhile_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """API-7, CORE-13"""
    seen_as(monkeypatch, "connected", "silent")
    memory = cluster(**all_live())
    with pytest.raises(Failed, match="no path to the API is known to work"):
        run(topic(memory, wanted(public=False)), Gate(False, Disruption.OUTAGE), quiet)
    assert "external-lb" in services(memory)


def test_what_is_not_deleted_needs_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = seen_as(monkeypatch, "connected")
    subject = topic(cluster(**all_live()))
    observed = subject.read().answered(paths={"10.0.0.7:6443": PathSeen("connected")})
    decision = subject.decide(observed)
    patch = Step("kube", "patch", "services", "external-lb", SPACE)
    assert subject.recheck(patch, decision, observed) == patch  # type: ignore[arg-type]
    assert tried == []
    seen_as(monkeypatch, "silent")
    with pytest.raises(Conflict, match="answered a moment ago"):
        subject.recheck(Step("kube", "delete", "services", "external-lb", SPACE), decision, observed)  # type: ignore[arg-type]


def test_disruption_has_to_be_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """CORE-3"""
    seen_as(monkeypatch, "connected")
    with pytest.raises(Failed, match="allow_disruption: outage"):
        run(topic(cluster(**all_live()), wanted(public=False)), Gate(), quiet)


def test_elastic_ips_are_found_by_name_and_aws_is_asked_before() -> None:
    aws = AskedAws()
    memory = cluster("AWS")
    what = wanted("AWS", addresses={**ADDRESSES["AWS"], "public": ()})
    subject = topic(memory, what, aws)
    first = subject.read()
    question = subject.decide(first)
    assert isinstance(question, ReservedQuestion)
    answered = subject.ask(question, first)
    assert answered.reserved == Reserved(
        (Eip("eipalloc-" + "1" * 17, "203.0.113.1"), Eip("eipalloc-" + "2" * 17, "203.0.113.2")),
        ("eipalloc-" + "1" * 17, "eipalloc-" + "2" * 17),
    )
    asked = subject.ask(subject.decide(answered), answered)  # type: ignore[arg-type]
    assert asked.aws is not None
    assert {type(answer) for answer in asked.aws.values()} == {AwsAnswer}
    assert subject.read(asked).aws == asked.aws
    assert (subject.read().aws, subject.read().reserved) == (None, None)
    assert aws.names == ["prod-x1-rsvd-public-ipv4"]
    with pytest.raises(TypeError, match="nobody to ask"):
        subject.ask(Question(), first)


@pytest.mark.parametrize("until", sorted(wait_kinds(api_slb) | wait_kinds(service)))
def test_every_wait_that_a_decision_has_can_be_waited_for(until: str) -> None:
    subject = topic(cluster(**all_live()))
    step = Step("kube", "wait", "services", "external-lb", SPACE, wait_for=Wait(until, "another", ("another",)))
    subject.do(step, subject.read(), quiet)


def test_a_wait_for_endpoints_ends_with_what_is_missing() -> None:
    """API-3"""
    memory = cluster(**all_live())
    del memory.objects[SLICES, SPACE, "a"]
    step = Step("kube", "wait", "services", "external-lb", SPACE, wait_for=Wait("served"))
    subject = topic(memory)
    with pytest.raises(Timeout, match="an endpoint to be ready behind it"):
        subject.do(step, subject.read(), quiet)
    topic(memory, wait=False).do(step, subject.read(), quiet)


def test_all_rights_are_asked_for_before_the_first_write() -> None:
    """CORE-13"""
    memory = cluster()
    subject = topic(memory)
    seen = subject.read()
    memory.forbidden |= {("create", "services"), ("list", SLICES)}
    decision = subject.decide(seen)
    with pytest.raises(Forbidden, match="list endpointslices"):
        subject.begin(decision, seen)  # type: ignore[arg-type]
    assert memory.done == []


class Zones:
    """Route 53 in memory."""

    def __init__(self) -> None:
        self.changed: list[tuple[str, Any]] = []
        self.stored: dict[tuple[str, str], Any] = {}

    def records(self, zone: str, names: Any) -> tuple[Any, ...]:
        return tuple(self.stored[zone, name] for name in names if (zone, name) in self.stored)

    def change(self, zone: str, changes: Any) -> None:
        sets = [entry["ResourceRecordSet"] for entry in changes]
        self.stored |= {(zone, one["Name"]): one for one in sets}
        self.changed.append((zone, [one["Name"] for one in sets]))


def test_the_records_of_a_stage_are_published_before_it_begins() -> None:
    """API-4"""
    memory, zones = cluster(**all_live()), Zones()
    zone = handing_over(2, public_zone="ZPUB", private_zone="ZPRIV", domain="prod.example.com")
    told = run(topic(memory, wanted(handover=zone), dns=lambda: zones), Gate(), quiet)
    private = ["api.prod.example.com.", "api-int.prod.example.com."]
    assert zones.changed == [("ZPUB", private[:1]), ("ZPRIV", private)]
    assert [step["port"] for step in told["steps"]] == ["route53", "route53", "kube"]


def test_a_copy_stands_for_the_cluster() -> None:
    """API-8"""
    told = run(topic(cluster(**all_live())), Gate(), quiet)
    ask = WantedApi(state="rendered")
    again = run(CopyTopic(told["objects"], Given(), ask), Gate(), quiet)
    assert (again["changed"], again["manifests"]) == (False, told["manifests"])
    assert again["direct_records"] == told["direct_records"]
    with pytest.raises(TypeError, match="nothing is done to a copy"):
        CopyTopic({}, Given(), ask).do(Step("kube", "create", "services", "x"), None, quiet)  # type: ignore[arg-type]
    lock = NoLock()
    lock.acquire()
    lock.hold()
    lock.release()


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.example.com:6443", "api.example.com:6443"),
        ("https://api.example.com/proxy", "api.example.com:443"),
        ("https://[fd00::1]:6443", "[fd00::1]:6443"),
        ("", ""),
    ],
)
def test_where_this_run_comes_from(url: str, host: str) -> None:
    assert _host(url) == host
