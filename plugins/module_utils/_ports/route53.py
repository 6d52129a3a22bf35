# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of hosted zones in Route 53, read and changed as AWS writes them (API-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._core.data import Json, plain
from .aws_session import Session, open_session
from .errors import Misconfigured

_REGION = "us-east-1"  # it knows none, but its client wants one
_MOST = "20"  # of one name there are a handful at most


class Route53:
    def __init__(self, session: Session) -> None:
        self._session = session

    @classmethod
    def connect(cls, options: Mapping[str, Any]) -> Route53:
        session = open_session(options, _REGION)
        if session is None:
            what = "DNS records are to be published in Route 53, and no AWS credentials were found."
            raise Misconfigured(what, "Give access_key and secret_key, a profile, or what else boto3 looks at.")
        return cls(session)

    def records(self, zone: str, names: Sequence[str]) -> tuple[dict[str, Any], ...]:
        """All of these names; `names` end with a dot."""
        found: list[dict[str, Any]] = []
        for name in names:
            query = {"HostedZoneId": zone, "StartRecordName": name, "MaxItems": _MOST}
            answer = self._session.call("route53", "list_resource_record_sets", **query)
            found += [entry for entry in answer["ResourceRecordSets"] if str(entry["Name"]).lower() == name.lower()]
        return tuple(found)

    def change(self, zone: str, changes: Json) -> None:
        """All of them, or none."""
        batch = {"Comment": "edgeworks.lb_estate api_slb", "Changes": plain(changes)}
        self._session.call("route53", "change_resource_record_sets", HostedZoneId=zone, ChangeBatch=batch)
