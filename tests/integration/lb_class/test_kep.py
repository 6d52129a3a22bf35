# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""KEP-1959 behaviour by behaviour, where no other file here has it; the API's own part is for the real tier, too.

Tested elsewhere: opting out of the cloud provider and several implementations in one cluster (test_ways), nobody
watches (test_watched), a server without the field and one where it was turned off (test_watched), names (test_input,
and against the API server's rules in the unit tests), the finalizer of others (below and test_cleanup).

Not tested, and why: that the field is gated behind ServiceLoadBalancerClass in the first releases is the server's own
start-up; what a client sees of it is a server that drops the field, and that is tested. Metrics, scalability and the
text on graduation describe no behaviour of a Service.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError

from .conftest import NewClassed
from .workplace import MODULE, OUTAGE, UNWATCHED, WATCHED

pytestmark = pytest.mark.real
CLEANUP = "service.kubernetes.io/load-balancer-cleanup"
ONCE = "may not change once set"


@pytest.mark.parametrize(
    ("have", "want"),
    [(None, WATCHED), (WATCHED, UNWATCHED), (WATCHED, None)],
    ids=["unset to set", "set to another", "set to unset"],
)
def test_immutable_while_the_type_is_load_balancer(classed: NewClassed, have: str | None, want: str | None) -> None:
    """CLS-1: why there are ways at all. The seed speaks of changes; the server also refuses the first setting."""
    subject = classed(lb_class=have)
    with pytest.raises(ApiError, match=ONCE):
        subject.patch_service({"spec": {"loadBalancerClass": want}})


def test_leaving_the_type_clears_the_class_by_itself(classed: NewClassed) -> None:
    """The seed has the user clear it; the server does."""
    subject = classed(lb_class=WATCHED)
    subject.patch_service({"spec": {"type": "NodePort"}})
    assert subject.lb_class is None


def test_no_other_type_has_a_class(classed: NewClassed) -> None:
    subject = classed()
    with pytest.raises(ApiError, match="may only be used when"):
        subject.patch_service({"spec": {"type": "NodePort", "loadBalancerClass": WATCHED}})


def test_the_cloud_provider_leaves_a_class_alone(classed: NewClassed) -> None:
    """With the class its controller is not even asked: no event of its, no finalizer of its."""
    subject = classed(lb_class=WATCHED)
    assert CLEANUP not in subject.live()["metadata"]["finalizers"]
    told = subject.cluster.events(subject.service_name, namespace=subject.namespace)
    assert {event["source"]["component"] for event in told} == {WATCHED}


def test_two_implementations_beside_each_other(classed: NewClassed) -> None:
    """Goals and stories: one Service by the cloud provider, one by another controller, in one cluster."""
    ours, theirs = classed("GCP"), classed("GCP", lb_class=WATCHED)
    assert ("edge.example.com" in ours.address, "edge.example.com" in theirs.address) == (False, True)


def test_an_implementation_that_uses_the_common_finalizer(classed: NewClassed) -> None:
    """The KEP wants it so. The cloud provider's controller takes it off under them: no proof of anything (CLS-5)."""
    subject = classed()
    shares = "shares.example.com/lb"
    controller = subject.cluster.watch_class(shares, finalizer=CLEANUP)
    given: dict[str, Any] = {"known_classes": {shares: "us"}, "way": "type_flip", **OUTAGE}
    try:
        subject.change(lb_class=shares, **given)
        assert subject.live()["metadata"]["finalizers"] == [CLEANUP]
        assert subject.change(state="absent", **given)["verdict"] == "in_sync"
        assert subject.lb_class is None
    finally:
        subject.tidy()
        controller.stop()


def test_turned_off_again_what_has_a_class_keeps_it(classed: NewClassed) -> None:
    """Feature enablement and rollback: controllers go on, and so does this module where nothing is to change."""
    subject = classed(lb_class=WATCHED)
    subject.cluster.api.serve_class_field(False)
    try:
        subject.patch_service({"metadata": {"labels": {"edited": "yes"}}})
        assert subject.change(lb_class=WATCHED)["verdict"] == "in_sync"
        assert subject.lb_class == WATCHED
        cleared = subject.run(MODULE, state="absent", way="type_flip", **OUTAGE)
        assert (cleared.get("failed"), subject.lb_class) == (None, None)
    finally:
        subject.cluster.api.serve_class_field(True)
