# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which builtin types complete themselves on a write, and which validate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .api import Cause, Obj
from .crds import CRDS, CrdStrategy, validate_crd
from .features import Features
from .service_strategy import ServiceStrategy, default_service
from .validation_core import (
    NamespaceStrategy,
    PodStrategy,
    StatusStrategy,
    default_lease,
    default_secret,
    validate_configmap,
    validate_event,
    validate_lease,
    validate_role_binding,
    validate_secret,
)
from .validation_service import ServiceValidator

_RBAC = "rbac.authorization.k8s.io"

Validator = Callable[[Obj | None, Obj, str | None], list[Cause]]
_VALIDATORS: dict[str, Validator] = {
    CRDS: validate_crd,
    "configmaps": validate_configmap,
    "secrets": validate_secret,
    "events": validate_event,
    "leases.coordination.k8s.io": validate_lease,
    f"rolebindings.{_RBAC}": validate_role_binding,
    f"clusterrolebindings.{_RBAC}": validate_role_binding,
}


# What the server fills in as it decodes an object.
DEFAULTS: dict[str, Callable[[Obj], None]] = {
    "services": default_service,
    "secrets": default_secret,
    "leases.coordination.k8s.io": default_lease,
}


def builtin(services: ServiceStrategy) -> dict[str, Any]:
    return {
        "services": services,
        CRDS: CrdStrategy(),
        "namespaces": NamespaceStrategy(),
        "pods": PodStrategy(),
        "nodes": StatusStrategy(),
        "deployments.apps": StatusStrategy(),
    }


def validators(features: Features) -> dict[str, Validator]:
    return {**_VALIDATORS, "services": ServiceValidator(features)}


__all__ = ["DEFAULTS", "builtin", "validators"]
