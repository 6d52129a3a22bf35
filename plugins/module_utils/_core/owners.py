# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other owners of an object: who would write our change back (CORE-6). Labels, annotations and managedFields tell."""

from __future__ import annotations

from .data import Json, dig
from .model import Finding, Severity

# Prefix of a label or annotation key → who sets it.
_MARKS = (
    ("argocd.argoproj.io/", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/", "Flux"),
    ("helm.toolkit.fluxcd.io/", "Flux"),
    ("hive.openshift.io/", "a Hive SyncSet"),
    ("hypershift.openshift.io/", "the hosted control plane"),
    ("api.openshift.com/", "OpenShift Cluster Manager"),
    ("policy.open-cluster-management.io/", "an ACM policy"),
)
# Part of a field manager's name → who it is.
_MANAGERS = (
    ("argocd", "Argo CD"),
    ("kustomize-controller", "Flux"),
    ("helm-controller", "Flux"),
    ("hive", "a Hive SyncSet"),
    ("hypershift", "the hosted control plane"),
    ("config-policy-controller", "an ACM policy"),
)


def owners(obj: Json) -> list[str]:
    """Names of the owners found, without doubles, in a stable order."""
    keys = [*(dig(obj, "metadata", "labels") or {}), *(dig(obj, "metadata", "annotations") or {})]
    found = {owner for key in keys for mark, owner in _MARKS if key.startswith(mark)}
    if (dig(obj, "metadata", "labels") or {}).get("app.kubernetes.io/managed-by") == "Helm":
        found.add("Helm")
    managers = [entry.get("manager", "") for entry in dig(obj, "metadata", "managedFields") or ()]
    return sorted(found | {owner for manager in managers for part, owner in _MANAGERS if part in manager})


def finding(obj: Json, where: str) -> tuple[Finding, ...]:
    """A warning before the first write to an object that somebody else keeps in their own shape."""
    names = owners(obj)
    if not names:
        return ()
    what = f"Also managed by {' and '.join(names)}, which may write this change back."
    remedy = "Change it in that source instead, or pause it for this change."
    return (Finding("other_owner", Severity.WARNING, where, what, remedy, names),)
