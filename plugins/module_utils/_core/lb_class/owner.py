# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who looks after a Service's load balancer: no class is the cloud provider, unless an annotation says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..aws import lb_controller
from ..data import Json, dig
from ..operator.names import AWS_TYPE
from ..platforms import AWS, OPENSTACK, platform
from . import names

# What the controller of each cloud provider reads, by the beginnings of the annotations.
_OF_CLOUDS = {
    "AWS": ("service.beta.kubernetes.io/aws-load-balancer-",),
    "Azure": ("service.beta.kubernetes.io/azure-",),
    "GCP": ("cloud.google.com/", "networking.gke.io/"),
    "IBMCloud": ("service.kubernetes.io/ibm-load-balancer-",),
    "PowerVS": ("service.kubernetes.io/ibm-load-balancer-",),
    "OpenStack": ("service.beta.kubernetes.io/openstack-", "loadbalancer.openstack.org/"),
    "AlibabaCloud": ("service.beta.kubernetes.io/alibaba-cloud-",),
}
# Of the annotations that both controllers of AWS share the beginning of, those that only one of them reads.
_AWS = "service.beta.kubernetes.io/aws-load-balancer-"
_ONLY_CLOUD_CONTROLLER = tuple(
    _AWS + name
    for name in (
        "type",
        "connection-draining-",
        "connection-idle-timeout",
        "extra-security-groups",
        "access-log-emit-interval",
        "healthcheck-unhealthy-threshold-",
    )
)
_ONLY_LB_CONTROLLER = tuple(
    _AWS + name for name in ("scheme", "nlb-target-type", "name", "attributes", "ip-address-type", "target-node-labels")
)


@dataclass(frozen=True)
class Owner:
    """`name` for sentences; '' where nobody does. `reads`: beginnings of its annotations, '' of all it is unknown."""

    name: str
    why: str
    reads: tuple[str, ...] = ()
    not_read: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name or 'nobody'} ({self.why})"

    def reads_annotation(self, key: str) -> bool:
        return key.startswith(self.reads) and not key.startswith(self.not_read) if self.reads else False


def owner(service: Json, platform_name: str, lb_class: str | None, known: Mapping[str, str]) -> Owner:
    """With this class, whatever class it has now."""
    if lb_class is not None:
        return _by_class(lb_class, known)
    annotations = dig(service, "metadata", "annotations") or {}
    bare = {"metadata": {"annotations": annotations}, "spec": {}}
    if platform_name == AWS and lb_controller.owns(bare):
        why = f"no class, and {AWS_TYPE} {annotations.get(AWS_TYPE)} gives it away"
        return Owner(lb_controller.NAME, why, _OF_CLOUDS[AWS], _ONLY_CLOUD_CONTROLLER[1:])
    if platform_name == AWS and lb_controller.nobody_owns(bare):
        why = f"no class; {AWS_TYPE} external turns the cloud controller away, and without "
        return Owner("", f"{why}{lb_controller.TARGET_TYPE} {lb_controller.NAME} does not take it")
    if has_provider(platform_name):
        unread = _ONLY_LB_CONTROLLER if platform_name == AWS else ()
        name = f"the cloud provider's controller of {platform_name}"
        return Owner(name, "no class", _OF_CLOUDS.get(platform_name, ()), unread)
    return Owner("", f"no class, and the platform {platform_name!r} has no cloud provider that makes load balancers")


def has_provider(platform_name: str) -> bool:
    return platform(platform_name).has_load_balancers or platform_name == OPENSTACK


def _by_class(lb_class: str, known: Mapping[str, str]) -> Owner:
    controller = names.controller_of(lb_class)
    name = known.get(lb_class) or (controller.name if controller else "")
    unread = _ONLY_CLOUD_CONTROLLER if controller is not None and controller.name == lb_controller.NAME else ()
    reads = controller.annotations if controller else ()
    return Owner(name or f"whoever watches the class {lb_class}", f"class {lb_class}", reads, unread)


def orphaned_annotations(service: Json, before: Owner, after: Owner) -> list[str]:
    """Those that the controller from before reads and the one afterwards does not."""
    keys = sorted(dig(service, "metadata", "annotations") or {})
    return [key for key in keys if before.reads_annotation(key) and not after.reads_annotation(key)]
