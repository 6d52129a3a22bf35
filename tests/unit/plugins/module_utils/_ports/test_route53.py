# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of hosted zones, asked for by name and changed as a whole (API-4)."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import route53
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Misconfigured
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.route53 import Route53


class Session:
    """Has one zone; remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def call(self, service: str, operation: str, **arguments: Any) -> dict[str, Any]:
        assert service == "route53"
        self.calls.append((operation, arguments))
        names = ("api.x.org.", "API-INT.x.org.", "zzz.x.org.")
        return {"ResourceRecordSets": [{"Name": name, "Type": "A"} for name in names]}


def test_only_records_of_the_names_asked_for() -> None:
    session = Session()
    found = Route53(session).records("Z1", ["api.x.org.", "api-int.x.org."])  # type: ignore[arg-type]
    assert [entry["Name"] for entry in found] == ["api.x.org.", "API-INT.x.org."]
    assert [arguments["StartRecordName"] for _name, arguments in session.calls] == ["api.x.org.", "api-int.x.org."]


def test_changes_are_one_batch() -> None:
    session = Session()
    Route53(session).change("Z1", ({"Action": "UPSERT"},))  # type: ignore[arg-type]
    ((operation, arguments),) = session.calls
    assert operation == "change_resource_record_sets"
    assert arguments["ChangeBatch"]["Changes"] == [{"Action": "UPSERT"}]


def test_without_credentials_nothing_can_be_published() -> None:
    with patch.object(route53, "open_session", return_value=None), pytest.raises(Misconfigured, match="Route 53"):
        Route53.connect({})
    with patch.object(route53, "open_session", return_value=Session()):
        assert isinstance(Route53.connect({}), Route53)
