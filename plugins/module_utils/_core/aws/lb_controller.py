# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AWS Load Balancer Controller's own reading of a Service; the cloud controller leaves such a Service alone."""

from __future__ import annotations

from collections.abc import Mapping

from ..data import Json, dig
from ..operator.names import AWS_TYPE
from ..platforms import AWS_INTERNAL

NAME = "the AWS Load Balancer Controller"
CLASS = "service.k8s.aws/nlb"
FINALIZER = "service.k8s.aws/resources"
_PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
SCHEME = _PREFIX + "scheme"
TARGET_TYPE = _PREFIX + "nlb-target-type"
SCHEMES = {"Internal": "internal", "External": "internet-facing"}
_TARGET_TYPES = ("ip", "instance")
_FALSE = ("0", "f", "F", "false", "FALSE", "False")  # as Go reads a boolean


def owns(service: Json) -> bool:
    """By its class; without any, by the type annotation, where `external` needs a target type beside it."""
    lb_class = dig(service, "spec", "loadBalancerClass")
    if lb_class is not None:
        return bool(lb_class == CLASS)
    annotations = dig(service, "metadata", "annotations") or {}
    return annotations.get(AWS_TYPE) == "nlb-ip" or (annotations.get(AWS_TYPE) == "external" and _targets(annotations))


def _targets(annotations: Mapping[str, str]) -> bool:
    return annotations.get(TARGET_TYPE) in _TARGET_TYPES


def nobody_owns(service: Json) -> bool:
    """Given away by the cloud controller, and not taken by this one."""
    annotations = dig(service, "metadata", "annotations") or {}
    given_away = dig(service, "spec", "loadBalancerClass") is None and annotations.get(AWS_TYPE) == "external"
    return given_away and not _targets(annotations)


def holds(service: Json) -> bool:
    """It has made something for the Service that it has not cleaned up yet."""
    return FINALIZER in (dig(service, "metadata", "finalizers") or ())


def internal(annotations: Mapping[str, str]) -> bool:
    """Its scheme annotation counts, then the cloud controller's, read as a boolean; else it makes an internal one."""
    scheme = annotations.get(SCHEME)
    if scheme is not None:
        return scheme != SCHEMES["External"]
    return annotations.get(AWS_INTERNAL, "") not in _FALSE
