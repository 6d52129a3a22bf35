# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia's and Neutron's refusals, with the bodies they really send (facts: lab-openstack, fidelity table)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    Forbidden,
    Invalid,
    NotFound,
    PortError,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import (
    CloudAnswer,
    Immutable,
    QuotaMet,
    Taken,
    Unsupported,
    refusal,
    said,
)


def octavia(status: int, words: str) -> CloudAnswer:
    return CloudAnswer(status, {"faultcode": "Client", "faultstring": words, "debuginfo": None})


def neutron(status: int, kind: str, words: str) -> CloudAnswer:
    return CloudAnswer(status, {"NeutronError": {"type": kind, "message": words, "detail": ""}})


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (octavia(409, "Invalid state PENDING_UPDATE of loadbalancer resource 1f"), Immutable),
        (octavia(409, "Load Balancer 1f is immutable and cannot be updated."), Immutable),
        (octavia(403, "Quota has been met for resources: Load Balancer"), QuotaMet),
        (neutron(409, "OverQuota", "Quota exceeded for resources: ['floatingip']."), QuotaMet),
        (octavia(403, "Policy does not allow this request to be performed."), Forbidden),
        (octavia(409, "Another Listener on this Load Balancer is already using protocol TCP"), Taken),
        (neutron(409, "FloatingIPPortAlreadyAssociated", "Cannot associate"), Taken),
        (octavia(409, "The VIP IP address is already in use: IP address 10.0.1.9 already allocated"), Invalid),
        (octavia(500, "Provider 'amphora' reports error: BadRequestException: 400"), Invalid),
        (octavia(400, "Validation failure: Invalid availability zone."), Invalid),
        (octavia(501, "Provider 'ovn' does not support a requested option: allowed_cidrs"), Unsupported),
        (octavia(404, "listener 1f not found."), NotFound),
    ],
)
def test_what_an_answer_means(answer: CloudAnswer, kind: type[PortError]) -> None:
    found = refusal("POST /x", "octavia", answer)
    assert found.__class__ is kind
    assert said(answer).rstrip(".") in found.message


def test_a_provider_is_named() -> None:
    found = refusal("POST /x", "octavia", octavia(501, "Provider 'ovn' does not support a requested option: x"))
    assert found.details["provider"] == "ovn"


@pytest.mark.parametrize(
    ("answer", "unsure"),
    [
        (CloudAnswer(0, None, "Connection reset by peer"), True),
        (CloudAnswer(503, None, "Service Unavailable"), True),
        (octavia(500, "Unable to establish connection to http://127.0.0.1:9696"), True),
        (octavia(500, "Provider 'amphora' reports error: BadRequestException: 400"), False),
        (octavia(501, "Provider 'ovn' does not support a requested option"), False),
        (octavia(409, "Load Balancer 1f is immutable and cannot be updated."), False),
        (octavia(201, ""), False),
    ],
)
def test_when_a_write_may_have_happened_all_the_same(answer: CloudAnswer, unsure: bool) -> None:
    assert answer.unsure is unsure


@pytest.mark.parametrize("body", [None, "text", {"NeutronError": "plain"}, {"badRequest": {}}])
def test_words_of_strange_bodies(body: Any) -> None:
    assert said(CloudAnswer(400, body, "raw words"))
