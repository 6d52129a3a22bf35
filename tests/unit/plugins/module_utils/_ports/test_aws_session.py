# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From amazon.aws's options to a session, and AWS's refusals as sentences with the IAM action (CORE-7, CORE-12)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import boto3
import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import aws_session
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws_session import Session, open_session
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    Forbidden,
    Invalid,
    Misconfigured,
    PortError,
    Throttled,
    Unauthorized,
    Unreachable,
)
from botocore import exceptions
from botocore.config import Config
from botocore.stub import Stubber

KEYS = {"access_key": "AKIAEXAMPLE", "secret_key": "do-not-tell"}
BOTO = boto3.session.Session(*KEYS.values())  # shared: it keeps what it has read of the APIs
ONCE = Config(retries={"total_max_attempts": 1})


@pytest.fixture(autouse=True)
def _no_aws_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No credentials, files or metadata service of the machine the tests run on."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))


class Stubbed:
    """Stands for a boto3 session: real clients that never reach the network."""

    def __init__(self) -> None:
        self.made: list[tuple[str, dict[str, Any]]] = []
        self.elb = BOTO.client("elbv2", region_name="us-east-1", config=ONCE)
        self.stub = Stubber(self.elb)
        self.stub.activate()

    def client(self, service: str, **arguments: Any) -> Any:
        self.made.append((service, arguments))
        return self.elb

    def session(self, **options: Any) -> Session:
        return Session(self, "us-east-1", options)

    def ask(self) -> list[Any]:
        return list(self.session().pages("elbv2", "describe_load_balancers", "LoadBalancers"))


REAL = {"ResponseMetadata": {"RequestId": "r", "HTTPStatusCode": 200}}  # as all that AWS itself answers


def test_every_item_of_every_page_from_one_client() -> None:
    aws = Stubbed()
    aws.stub.add_response(
        "describe_load_balancers", {"LoadBalancers": [{"LoadBalancerName": "a"}], "NextMarker": "m", **REAL}, {}
    )
    aws.stub.add_response(
        "describe_load_balancers", {"LoadBalancers": [{"LoadBalancerName": "b"}], **REAL}, {"Marker": "m"}
    )
    aws.stub.add_response(
        "describe_tags", {"TagDescriptions": [{"ResourceArn": "arn"}], **REAL}, {"ResourceArns": ["arn"]}
    )
    session = aws.session(endpoint_url="", validate_certs=False)
    found = list(session.pages("elbv2", "describe_load_balancers", "LoadBalancers"))
    assert [entry["LoadBalancerName"] for entry in found] == ["a", "b"]
    assert list(session.pages("elbv2", "describe_tags", "TagDescriptions", ResourceArns=["arn"])) == [
        {"ResourceArn": "arn"}
    ]
    ((service, arguments),) = aws.made
    assert (service, arguments["region_name"], arguments["endpoint_url"], arguments["verify"]) == (
        "elbv2",
        "us-east-1",
        None,
        False,
    )


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("ExpiredToken", 403, Unauthorized),
        ("InvalidClientTokenId", 403, Unauthorized),
        ("SignatureDoesNotMatch", 403, Unauthorized),
        ("AccessDenied", 403, Forbidden),
        ("UnauthorizedOperation", 403, Forbidden),
        ("Throttling", 400, Throttled),
        ("SlowDown", 429, Throttled),
        ("InternalFailure", 500, Unreachable),
        ("ServiceUnavailable", 503, Unreachable),
        ("LoadBalancerNotFound", 400, Invalid),
    ],
)
def test_a_refusal_names_the_action_and_aws_own_code(code: str, status: int, kind: type[PortError]) -> None:
    aws = Stubbed()
    aws.stub.add_client_error("describe_load_balancers", code, "because", status)
    with pytest.raises(PortError) as caught:
        aws.ask()
    assert caught.value.code == kind.code
    assert "elasticloadbalancing:DescribeLoadBalancers" in str(caught.value)
    assert "because" in str(caught.value)
    assert caught.value.details["aws_code"] == code


def test_a_missing_permission_comes_with_the_statement_to_add() -> None:
    aws = Stubbed()
    aws.stub.add_client_error("describe_load_balancers", "AccessDenied", "no.", 403)
    with pytest.raises(Forbidden) as caught:
        aws.ask()
    action = "elasticloadbalancing:DescribeLoadBalancers"
    assert caught.value.details["rule"] == {"Effect": "Allow", "Action": [action], "Resource": "*"}
    assert str(caught.value) == f"No permission for {action}: no. Allow the IAM action {action} for these credentials."


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (exceptions.NoCredentialsError(), Unauthorized),
        (exceptions.PartialCredentialsError(provider="env", cred_var="secret"), Unauthorized),
        (exceptions.SSOTokenLoadError(error_msg="none"), Unauthorized),
        (exceptions.TokenRetrievalError(provider="sso", error_msg="expired"), Unauthorized),
        (exceptions.EndpointConnectionError(endpoint_url="https://elb.example"), Unreachable),
        (exceptions.ConnectTimeoutError(endpoint_url="https://elb.example"), Unreachable),
        (exceptions.SSLError(endpoint_url="https://elb.example", error="untrusted"), Unreachable),
        (exceptions.ParamValidationError(report="bad"), Misconfigured),
    ],
)
def test_what_never_reached_aws(error: Exception, kind: type[PortError], monkeypatch: pytest.MonkeyPatch) -> None:
    aws = Stubbed()

    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise error

    monkeypatch.setattr(aws.elb, "_make_api_call", refuse)
    with pytest.raises(PortError, match="AWS elbv2 in us-east-1") as caught:
        aws.ask()
    assert caught.value.code == kind.code


@pytest.mark.parametrize(
    ("options", "cluster", "region"),
    [
        ({"region": "eu-west-1"}, "us-east-2", "eu-west-1"),
        ({}, "us-east-2", "us-east-2"),
        ({}, "", "ap-south-1"),
    ],
)
def test_the_region_of_the_task_beats_the_clusters_beats_the_environments(
    options: dict[str, str], cluster: str, region: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "ap-south-1")
    session = open_session({**KEYS, **options}, cluster)
    assert session is not None
    assert session.region == region


def test_without_credentials_there_is_no_session() -> None:
    assert open_session({"region": "us-east-1", "access_key": ""}, "") is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({**KEYS, "profile": "prod", "region": "us-east-1"}, "Both an AWS profile and access keys are given"),
        ({"profile": "prod", "region": "us-east-1"}, "The AWS credentials cannot be read: .*prod"),
        (KEYS, "No AWS region is known"),
        ({"access_key": "AKIAEXAMPLE", "region": "us-east-1"}, "given in part only; missing: secret_key"),
        ({"secret_key": "do-not-tell", "region": "us-east-1"}, "given in part only; missing: access_key"),
        ({"session_token": "do-not-tell", "region": "us-east-1"}, "missing: access_key, secret_key"),
    ],
)
def test_options_that_do_not_lead_to_aws(options: dict[str, str], words: str) -> None:
    with pytest.raises(Misconfigured, match=words) as caught:
        open_session(options, "")
    assert KEYS["secret_key"] not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "verify"),
    [
        ({}, None),
        ({"validate_certs": True}, None),
        ({"aws_ca_bundle": "/ca.pem"}, "/ca.pem"),
        ({"aws_ca_bundle": "/ca.pem", "validate_certs": True}, "/ca.pem"),
        ({"aws_ca_bundle": "/ca.pem", "validate_certs": False}, False),
    ],
)
def test_a_bundle_that_was_given_is_the_one_used(options: dict[str, Any], verify: Any) -> None:
    assert aws_session._verify(options) == verify


def test_a_profiles_secrets_are_known_so_that_they_can_be_hidden(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = "[prod]\naws_access_key_id = AKIA\naws_secret_access_key = do-not-tell\naws_session_token = nor-this\n"
    (tmp_path / "credentials").write_text(text, encoding="utf-8")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    session = open_session({"profile": "prod", "region": "eu-west-1"}, "")
    assert session is not None
    assert session.secrets() == ("do-not-tell", "nor-this")
