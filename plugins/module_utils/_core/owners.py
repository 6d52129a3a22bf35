# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other owners of an object: who would write our change back (CORE-6). Labels, annotations and managedFields tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .data import Json, dig
from .model import Finding, Severity

_MANAGED = "the managed service's operators (ROSA, OpenShift Dedicated)"
# Domain of a label, an annotation or a finalizer → who sets it; also of the domains below it.
_MARKS = {
    "argocd.argoproj.io": "Argo CD",
    "kustomize.toolkit.fluxcd.io": "Flux",
    "helm.toolkit.fluxcd.io": "Flux",
    "hive.openshift.io": "a Hive SyncSet",
    "hypershift.openshift.io": "the hosted control plane",
    "api.openshift.com": "OpenShift Cluster Manager",
    "managed.openshift.io": _MANAGED,
    "policy.open-cluster-management.io": "an ACM policy",
}
# A label or an annotation with exactly this value → who sets it.
_VALUES = {
    ("app.kubernetes.io/managed-by", "Helm"): "Helm",
    ("Owner", "cloud-ingress-operator"): _MANAGED,
}
_HELM = "meta.helm.sh"  # a release's name beside the label above
# Word of a field manager's name → who it is.
_MANAGERS = {
    "argocd": "Argo CD",
    "kustomize-controller": "Flux",
    "helm-controller": "Flux",
    "hive": "a Hive SyncSet",
    "hypershift": "the hosted control plane",
    "cloud-ingress-operator": _MANAGED,
    "config-policy-controller": "an ACM policy",
}


def owners(obj: Json) -> list[str]:
    """Names of the owners found, without doubles, in a stable order."""
    return sorted({*_by_marks(obj), *_by_field_managers(obj), *_controllers(obj)})


def marked(key: str, value: str) -> bool:
    """Is this label or annotation one by which a tool knows what it keeps?"""
    domain = "." + key.partition("/")[0]
    known = any(domain.endswith("." + mark) for mark in (*_MARKS, _HELM))
    return (key, value) in _VALUES or ("/" in key and known)


def _by_marks(obj: Json) -> Iterator[str]:
    meta = dig(obj, "metadata") or {}
    pairs = [*(meta.get("labels") or {}).items(), *(meta.get("annotations") or {}).items()]
    yield from (_VALUES[pair] for pair in pairs if pair in _VALUES)
    for key in (*(key for key, _value in pairs), *(meta.get("finalizers") or ())):
        domain = "." + key.partition("/")[0]
        yield from (owner for mark, owner in _MARKS.items() if "/" in key and domain.endswith("." + mark))


def _by_field_managers(obj: Json) -> Iterator[str]:
    for entry in dig(obj, "metadata", "managedFields") or ():
        name = entry.get("manager") or ""
        yield from (owner for word, owner in _MANAGERS.items() if re.search(rf"(?<![a-z]){word}(?![a-z])", name))


def _controllers(obj: Json) -> Iterator[str]:
    """The one object that controls this one keeps it as it wants it, and makes it again where it is deleted."""
    for entry in dig(obj, "metadata", "ownerReferences") or ():
        if entry.get("controller"):
            yield f"{entry.get('kind', '')} {entry.get('name', '')} (its controller)"


def finding(obj: Json, where: str) -> tuple[Finding, ...]:
    """A warning before the first write to an object that somebody else keeps in their own shape."""
    names = owners(obj)
    if not names:
        return ()
    what = f"Also managed by {' and '.join(names)}, which may write this change back."
    remedy = "Change it in that source instead, or pause it for this change."
    return (Finding("other_owner", Severity.WARNING, where, what, remedy, names),)
