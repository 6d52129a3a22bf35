# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of classes as the API takes them, and the controllers that are known to watch some (CLS-2, CLS-4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..aws import lb_controller

CLEANUP = "service.kubernetes.io/load-balancer-cleanup"  # of the service controller, and of whoever follows KEP-1959
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")


@dataclass(frozen=True)
class Controller:
    """`workloads`: names of the Deployments and DaemonSets it runs as. `annotations`: beginnings of those it reads."""

    name: str
    classes: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    finalizers: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()


_AWS_PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
CONTROLLERS = (
    Controller(
        lb_controller.NAME,
        (lb_controller.CLASS,),
        ("aws-load-balancer-controller",),
        (lb_controller.FINALIZER,),
        (_AWS_PREFIX, "service.k8s.aws/"),
    ),
    Controller("EKS Auto Mode", ("eks.amazonaws.com/nlb",), annotations=(_AWS_PREFIX,)),
    Controller(
        "Cilium",
        ("io.cilium/l2-announcer", "io.cilium/bgp-control-plane", "io.cilium/node"),
        ("cilium-operator", "cilium"),
        annotations=("io.cilium/", "lbipam.cilium.io/"),
    ),
    Controller(
        "kube-vip",
        ("kube-vip.io/kube-vip-class",),
        ("kube-vip-cloud-provider", "kube-vip-ds", "kube-vip"),
        annotations=("kube-vip.io/",),
    ),
    Controller("the Tailscale operator", ("tailscale",), finalizers=("tailscale.com/finalizer",)),
    Controller("PureLB", ("purelb.io/purelb",), ("lbnodeagent",), annotations=("purelb.io/",)),
    # Takes Services without a class, too, and any class that it is told (--lb-class).
    Controller("MetalLB", annotations=("metallb.io/", "metallb.universe.tf/")),
)


def problems(name: str) -> Iterator[str]:
    """What the API says against a class of this name: it is held to the rules of a qualified name."""
    parts = name.split("/")
    if len(parts) > 2:
        yield "it has more than one '/'; at most one stands between an optional DNS prefix and the name"
        return
    if len(parts) == 2:
        yield from _prefix_problems(parts[0])
    short = parts[-1]
    if not short:
        yield "its name part is empty"
    elif not _NAME.fullmatch(short):
        yield "its name part may have letters, digits, '-', '_' and '.', and begins and ends with a letter or digit"
    if len(short) > 63:
        yield f"its name part has {len(short)} characters, and may have 63"


def _prefix_problems(prefix: str) -> Iterator[str]:
    if not prefix:
        yield "its prefix is empty"
        return
    if len(prefix) > 253:
        yield f"its prefix has {len(prefix)} characters, and may have 253"
    if not _DOMAIN.fullmatch(prefix):
        yield "its prefix is no DNS name in lower case, such as example.com"


def controller_of(lb_class: str | None) -> Controller | None:
    return next((one for one in CONTROLLERS if lb_class in one.classes), None) if lb_class else None


def domain(name: str) -> str:
    """Of a class, a finalizer or a controller; '' where it has none."""
    prefix, slash, _rest = name.partition("/")
    return prefix if slash else ""


def finalizer_owner(finalizer: str, lb_class: str | None, owner: str) -> str:
    """Who takes this finalizer off once a load balancer is gone; '' where it is not about load balancers.

    `owner`: who looks after the load balancer that goes.
    """
    if finalizer == CLEANUP:
        return owner
    known = next((one.name for one in CONTROLLERS if finalizer in one.finalizers), "")
    same = bool(lb_class) and domain(finalizer) != "" and domain(finalizer) == domain(lb_class or "")
    return known or (owner if same else "")
