# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""boto3 clients for the lab's AWS: one per service, shared by all clusters (thread-safe, and slow to build)."""

from __future__ import annotations

import threading
from typing import Any

import boto3
import botocore.session
from botocore.config import Config

ACCESS_KEY = "AKIALABLABLABLABLAB0"
SECRET_KEY = "lab-secret-not-a-credential"

# Proxies and certificate bundles of the environment are for the outside world; this endpoint is on loopback.
_CONFIG = Config(
    retries={"total_max_attempts": 1}, max_pool_connections=32, proxies={}, connect_timeout=5, read_timeout=30
)
_lock = threading.Lock()
_shared: dict[tuple[str, str, str], Any] = {}
_session: list[boto3.session.Session] = []


def load_models() -> None:
    """Read the services' descriptions ahead of time (a quarter of a second), while moto is still starting."""
    for service in ("ec2", "elb", "elbv2", "route53"):
        _new_client(service, None, "us-east-1")


def _new_client(service: str, endpoint: str | None, region: str) -> Any:
    with _lock:
        if not _session:
            # A profile chosen in the environment is none of the lab's, and may not exist.
            bare = botocore.session.Session(session_vars={"profile": (None, None, None, None)})
            _session.append(
                boto3.session.Session(
                    aws_access_key_id=ACCESS_KEY, aws_secret_access_key=SECRET_KEY, botocore_session=bare
                )
            )
        return _session[0].client(service, endpoint_url=endpoint, region_name=region, config=_CONFIG)


class AwsClients:
    """`clients.ec2`, `clients.elb`, `clients.elbv2`, `clients.route53` of one region."""

    def __init__(self, endpoint: str, region: str) -> None:
        self.endpoint = endpoint
        self.region = region

    def client(self, service: str) -> Any:
        key = (service, self.endpoint, self.region)
        if key not in _shared:
            _shared.setdefault(key, _new_client(*key))
        return _shared[key]

    @property
    def ec2(self) -> Any:
        return self.client("ec2")

    @property
    def elb(self) -> Any:
        return self.client("elb")

    @property
    def elbv2(self) -> Any:
        return self.client("elbv2")

    @property
    def route53(self) -> Any:
        return self.client("route53")


def tag_pairs(tags: dict[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]
