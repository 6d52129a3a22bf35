# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One annotation, two readers (Safe ingress 13; those of AWS are in aws/test_cloud_controller.py too)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import (
    AWS_INTERNAL,
    AZURE_INTERNAL,
    GCP_NEWER_TYPE,
    GCP_TYPE,
    IBM_IP_TYPE,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.scope_views import scope_views


@pytest.mark.parametrize(
    ("name", "annotations", "where"),
    [
        ("GCP", {}, ""),
        ("GCP", {GCP_TYPE: "Internal"}, ""),
        ("GCP", {GCP_NEWER_TYPE: "Internal"}, GCP_NEWER_TYPE),
        ("GCP", {GCP_NEWER_TYPE: "External", GCP_TYPE: "Internal"}, GCP_TYPE),
        ("GCP", {AWS_INTERNAL: "true"}, AWS_INTERNAL),
        ("Azure", {AZURE_INTERNAL: "True"}, AZURE_INTERNAL),
        ("IBMCloud", {IBM_IP_TYPE: "public"}, ""),
        ("IBMCloud", {IBM_IP_TYPE: "vpc"}, IBM_IP_TYPE),
        ("AWS", {AWS_INTERNAL: "yes"}, AWS_INTERNAL),
        ("AWS", {AWS_INTERNAL: "0.0.0.0/0"}, ""),
        ("BareMetal", {AWS_INTERNAL: "true"}, ""),
    ],
)
def test_where_operator_and_cloud_differ(name: str, annotations: dict[str, str], where: str) -> None:
    found = [(finding.code, finding.where) for finding in scope_views(name, annotations)]
    assert found == ([("scope_views_differ", f"metadata.annotations[{where}]")] if where else [])
