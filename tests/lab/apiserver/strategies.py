# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which builtin types complete themselves on a write, and which validate."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from .api import Cause, Obj
from .crds import CRDS, CrdStrategy, validate_crd
from .features import Features
from .service_strategy import ServiceStrategy
from .validation_core import (
    ConfigMapStrategy,
    LeaseStrategy,
    NamespaceStrategy,
    PodStrategy,
    StatusStrategy,
    drop_nulls,
    validate_configmap,
    validate_event,
    validate_lease,
    validate_role_binding,
)
from .validation_service import ServiceValidator

_RBAC = "rbac.authorization.k8s.io"

Validator = Callable[[Obj | None, Obj, str | None], list[Cause]]
_VALIDATORS: dict[str, Validator] = {
    CRDS: validate_crd,
    "configmaps": validate_configmap,
    "events": validate_event,
    "leases.coordination.k8s.io": validate_lease,
    f"rolebindings.{_RBAC}": validate_role_binding,
    f"clusterrolebindings.{_RBAC}": validate_role_binding,
}


def builtin(
    features: Features, lb_class_supported: bool, ip_families: tuple[str, ...], draw: random.Random
) -> dict[str, Any]:
    return {
        "services": ServiceStrategy(features, lb_class_supported, ip_families, draw),
        CRDS: CrdStrategy(),
        "namespaces": NamespaceStrategy(),
        "configmaps": ConfigMapStrategy(),
        "leases.coordination.k8s.io": LeaseStrategy(),
        "pods": PodStrategy(),
        "nodes": StatusStrategy(),
        "deployments.apps": StatusStrategy(),
    }


def validators(features: Features) -> dict[str, Validator]:
    return {**_VALIDATORS, "services": ServiceValidator(features)}


__all__ = ["builtin", "drop_nulls", "validators"]
