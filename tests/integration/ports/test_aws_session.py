# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way to AWS, its refusals as sentences, and what is no answer of AWS at all (SUB-3)."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import errors
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws import Aws
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.aws import AwsReader

from .conftest import Answering, AwsSite
from .test_aws import service

# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "status", "family", "words"),
    [
        ("RequestExpired", 400, errors.Unauthorized, "have expired"),
        ("AuthFailure", 401, errors.Unauthorized, "does not accept the credentials"),
        ("UnauthorizedOperation", 403, errors.Forbidden, "Allow the IAM action ec2:DescribeSubnets"),
        ("InvalidParameterValue", 400, errors.Invalid, "refused ec2:DescribeSubnets with InvalidParameterValue"),
    ],
)
def test_refusals_name_the_action(
    aws: Aws, aws_site: AwsSite, code: str, status: int, family: type[errors.PortError], words: str
) -> None:
    aws_site.moto.add_fault("DescribeSubnets", code=code, message="No.", status=status)
    with pytest.raises(family, match=words) as caught:
        aws.subnets(aws_site.network.vpc_id)
    assert caught.value.details["action"] == "ec2:DescribeSubnets"


def test_access_denied_on_the_load_balancer_api(aws: Aws, aws_site: AwsSite) -> None:
    aws_site.moto.add_fault("DescribeLoadBalancers", code="AccessDenied", message="No.", status=403)
    with pytest.raises(errors.Forbidden, match="elasticloadbalancing:DescribeLoadBalancers") as caught:
        aws.load_balancer(service())
    assert caught.value.details["rule"]["Action"] == ["elasticloadbalancing:DescribeLoadBalancers"]


def test_throttling_is_waited_out(aws: Aws, aws_site: AwsSite) -> None:
    aws_site.moto.add_fault("DescribeSubnets", code="RequestLimitExceeded", message="Slow.", status=503, times=2)
    assert aws.subnets(aws_site.network.vpc_id)
    assert aws_site.moto.requests()["actions"]["DescribeSubnets"] >= 3


def test_nobody_at_the_endpoint(aws_site: AwsSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws_session._TRIES", 1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        endpoint = f"http://127.0.0.1:{listener.getsockname()[1]}"
    port = Aws.connect({**aws_site.options, "endpoint_url": endpoint})
    assert port is not None
    with pytest.raises(errors.Unreachable, match=rf"AWS ec2 in us-east-1 cannot be reached.*{endpoint}"):
        port.subnets("vpc-1")


HTML = "<html><body><p>Sign in to the proxy</p></body></html>"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, HTML),
        (403, HTML),
        (200, "<!doctype html><p>Sign in<br>"),
        (200, ""),
        (200, "{}"),
        (403, "<!doctype html><br>"),
    ],
)
def test_what_is_no_answer_of_aws(aws_site: AwsSite, status: int, body: str, answering: Answering) -> None:
    """Safe ingress 14: a proxy's page is neither a crash nor an account without subnets."""
    with answering(status, body) as endpoint:
        port = Aws.connect({**aws_site.options, "endpoint_url": endpoint})
        assert port is not None
        for ask in (lambda: port.subnets("vpc-1"), lambda: port.load_balancer(service())):
            with pytest.raises(errors.Unreachable, match=r"is not AWS: .* Is a proxy in between\?"):
                ask()


# -- connecting --------------------------------------------------------------------------------------------------------


def test_no_credentials_is_no_port(aws_site: AwsSite) -> None:
    assert Aws.connect({"region": "us-east-1"}) is None


def test_credentials_of_the_environment(aws_site: AwsSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAENV")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    port = Aws.connect({"endpoint_url": aws_site.moto.endpoint}, cluster_region="eu-west-1")
    assert port is not None
    assert port.region == "eu-west-1"
    assert port.subnets("vpc-unknown") == ()


def test_the_clusters_region_comes_before_the_environments(aws_site: AwsSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Safe ingress 10: an environment is one for many clusters. An option beats both."""
    keys = {"access_key": "AKIA", "secret_key": "secret"}

    def region(cluster_region: str = "", **options: str) -> str:
        port = Aws.connect({**keys, **options}, cluster_region=cluster_region)
        assert port is not None
        return port.region

    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-3")
    assert (region(), region("eu-north-1")) == ("eu-west-3", "eu-north-1")
    monkeypatch.setenv("AWS_REGION", "eu-west-2")
    assert (region(), region("eu-north-1"), region("eu-north-1", region="sa-east-1")) == (
        "eu-west-2",
        "eu-north-1",
        "sa-east-1",
    )


@pytest.mark.parametrize("patient", [False, True])
def test_a_silent_metadata_service_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, patient: bool) -> None:
    """Safe ingress 10: two seconds, and seconds also where the environment would be more patient."""
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
    if patient:
        monkeypatch.setenv("AWS_METADATA_SERVICE_NUM_ATTEMPTS", "60")
        monkeypatch.setenv("AWS_METADATA_SERVICE_TIMEOUT", "60")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", endpoint)
        begun = time.monotonic()
        assert Aws.connect({"region": "us-east-1"}) is None
    assert time.monotonic() - begun < (20 if patient else 5)


def test_what_does_not_lead_to_aws(aws_site: AwsSite) -> None:
    with pytest.raises(errors.Misconfigured, match="Both an AWS profile and access keys"):
        Aws.connect({**aws_site.options, "profile": "prod"})
    with pytest.raises(errors.Misconfigured, match=r"profile.*prod"):
        Aws.connect({"profile": "prod"})
    with pytest.raises(errors.Misconfigured, match="No AWS region is known"):
        Aws.connect({**aws_site.options, "region": ""})


@pytest.mark.parametrize(
    "variables",
    [
        {"AWS_WEB_IDENTITY_TOKEN_FILE": "/nonexistent/token", "AWS_ROLE_ARN": "arn:aws:iam::1:role/x"},
        {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:9/x",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN": "a\nb",
        },
        {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:9/x",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/nonexistent",
        },
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://example.com/x"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "garbage"},
        {"AWS_EC2_METADATA_DISABLED": "false", "AWS_METADATA_SERVICE_TIMEOUT": "soon"},
    ],
    ids=" ".join,
)
def test_broken_surroundings_are_a_sentence(
    aws_site: AwsSite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variables: dict[str, str]
) -> None:
    """SUB-3: whatever leads to credentials may be missing or be nonsense; nobody gets a traceback."""
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    places = {key: aws_site.options[key] for key in ("endpoint_url", "region")}
    reader = AwsReader({**places, "preflight": "when_possible"})
    found, told = reader.survey(Infra("AWS", "infra", "us-east-1"))
    assert found is None
    assert [finding.code for finding in told] == ["preflight_unanswered"]
    assert reader.secrets() == ()
