# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who looks after a load balancer: no class is the cloud provider's, unless an annotation gives it away (CLS-4)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.owner import (
    has_provider,
    orphaned_annotations,
    owner,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    service,
)

PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
LBC, CLOUD = "the AWS Load Balancer Controller", "the cloud provider's controller of {}"


@pytest.mark.parametrize(
    ("platform", "annotations", "lb_class", "name"),
    [
        ("AWS", {}, None, CLOUD.format("AWS")),
        ("GCP", {}, None, CLOUD.format("GCP")),
        ("OpenStack", {}, None, CLOUD.format("OpenStack")),
        ("AWS", {f"{PREFIX}type": "nlb-ip"}, None, LBC),
        ("AWS", {f"{PREFIX}type": "external", f"{PREFIX}nlb-target-type": "ip"}, None, LBC),
        ("AWS", {f"{PREFIX}type": "external"}, None, ""),
        ("GCP", {f"{PREFIX}type": "external"}, None, CLOUD.format("GCP")),
        ("BareMetal", {}, None, ""),
        ("AWS", {}, "service.k8s.aws/nlb", LBC),
        ("AWS", {f"{PREFIX}type": "nlb-ip"}, CLASS, f"whoever watches the class {CLASS}"),
    ],
)
def test_who_it_is(platform: str, annotations: dict[str, str], lb_class: str | None, name: str) -> None:
    found = owner(service("whatever.it/has", annotations=annotations), platform, lb_class, {})
    assert found.name == name
    assert found.why
    assert str(found).startswith(name or "nobody")


def test_the_estate_knows_better() -> None:
    assert owner(service(), "AWS", CLASS, {CLASS: "the edge team"}).name == "the edge team"


def test_platforms_that_make_load_balancers() -> None:
    assert [name for name in ("AWS", "OpenStack", "BareMetal", "None") if has_provider(name)] == ["AWS", "OpenStack"]


@pytest.mark.parametrize(
    ("before", "after", "unread"),
    [
        (None, CLASS, ["connection-idle-timeout", "subnets", "type"]),
        (None, "service.k8s.aws/nlb", ["connection-idle-timeout", "type"]),
        ("service.k8s.aws/nlb", None, ["scheme"]),
        (CLASS, None, []),
    ],
)
def test_annotations_that_only_the_former_one_reads(before: str | None, after: str | None, unread: list[str]) -> None:
    keys = ("connection-idle-timeout", "scheme", "subnets", "type")
    found = service(annotations={"example.com/mine": "1", **{f"{PREFIX}{key}": "nlb" for key in keys}})
    one, other = (owner(found, "AWS", lb_class, {}) for lb_class in (before, after))
    assert orphaned_annotations(found, one, other) == [f"{PREFIX}{key}" for key in unread]
