# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A boto3 session from amazon.aws's options, its clients, and AWS's refusals as our sentences."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from . import kube_checks
from .errors import Forbidden, Invalid, Misconfigured, PortError, Throttled, Unauthorized, Unreachable, missing_library

# What botocore calls a service → how IAM names it.
_IAM = {"ec2": "ec2", "elb": "elasticloadbalancing", "elbv2": "elasticloadbalancing", "route53": "route53"}
_EXPIRED = ("ExpiredToken", "ExpiredTokenException", "RequestExpired")
_REJECTED = (
    "AuthFailure",
    "InvalidClientTokenId",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "MissingAuthenticationToken",
    "UnrecognizedClientException",
    "UnauthorizedException",
    "IncompleteSignature",
    "OptInRequired",
)
_DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "UnauthorizedAccess")
_THROTTLED = (
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "RequestLimitExceeded",
    "TooManyRequestsException",
)
_TRIES = 6
# A machine that is no instance of AWS has no metadata service: nobody is to wait for one that does not answer.
_METADATA = {"metadata_service_timeout": 2, "metadata_service_num_attempts": 3}  # at most; by default 1 of each
_REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")
_NOT_AWS = "Is a proxy in between? Check HTTPS_PROXY, NO_PROXY and endpoint_url."
_LOG_IN = "Log in again (aws sso login, or new keys) and pass access_key, secret_key and session_token, or profile."


class Session:
    """Safe to use from several threads; clients are made when first asked for."""

    def __init__(self, boto_session: Any, region: str, options: Mapping[str, Any]) -> None:
        from botocore import exceptions
        from botocore.parsers import ResponseParserError

        self.region = region
        self._session = boto_session
        self._errors: Any = exceptions
        # KeyError: what the parser of the query protocol makes of other people's XML.
        self._unreadable: Any = (ResponseParserError, KeyError)
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}
        self._arguments: dict[str, Any] = {
            "region_name": region,
            "endpoint_url": options.get("endpoint_url") or None,
            "verify": _verify(options),
        }

    def secrets(self) -> tuple[str, ...]:
        """Of a profile or a role too."""
        try:
            found = self._session.get_credentials()
            return tuple(one for one in (found.secret_key, found.token) if one) if found else ()
        except Exception:  # what cannot be had, cannot be shown either
            return ()

    def pages(self, service: str, operation: str, key: str, **query: Any) -> Iterator[Any]:
        """Every item of every page."""
        client = self._client(service)
        try:
            if client.can_paginate(operation):
                for page in client.get_paginator(operation).paginate(**query):
                    yield from self._items(service, page, key)
            else:
                yield from self._items(service, getattr(client, operation)(**query), key)
        except (self._errors.ClientError, self._errors.BotoCoreError) as error:
            raise self._sentence(service, error) from error
        except self._unreadable as error:
            raise self._not_aws(service, "it cannot be read as an answer of that API") from error
        except PortError:
            raise
        except Exception as error:  # credentials are looked for when the first request is signed
            raise _broken(error) from None

    def call(self, service: str, operation: str, **arguments: Any) -> Mapping[str, Any]:
        """One answer, whole."""
        client = self._client(service)
        try:
            answer: Mapping[str, Any] = getattr(client, operation)(**arguments)
        except (self._errors.ClientError, self._errors.BotoCoreError) as error:
            raise self._sentence(service, error) from error
        except self._unreadable as error:
            raise self._not_aws(service, "it cannot be read as an answer of that API") from error
        self._items(service, answer, "")
        return answer

    def _items(self, service: str, page: Mapping[str, Any], key: str) -> list[Any]:
        """Other people's XML may look like an empty answer; every answer of AWS has the id of its request."""
        if not page.get("ResponseMetadata", {}).get("RequestId"):
            raise self._not_aws(service, "it has no request id")
        return list(page.get(key) or ())

    def _not_aws(self, service: str, why: str) -> PortError:
        return Unreachable(f"What answered for AWS {service} in {self.region} is not AWS: {why}.", _NOT_AWS)

    def _client(self, service: str) -> Any:
        with self._lock:
            if service not in self._clients:
                try:
                    self._clients[service] = self._session.client(service, **self._arguments)
                except (self._errors.BotoCoreError, ValueError) as error:
                    raise Misconfigured(f"No connection to AWS can be set up: {error}.") from error
            return self._clients[service]

    def _sentence(self, service: str, error: Any) -> PortError:
        if isinstance(error, self._errors.ClientError):
            told = bool(error.response.get("Error", {}).get("Code"))
            return _refusal(service, error) if told else self._not_aws(service, "it refuses without a code of AWS")
        kinds = self._errors
        where = f"AWS {service} in {self.region}"
        if isinstance(error, (kinds.NoCredentialsError, kinds.PartialCredentialsError, kinds.CredentialRetrievalError)):
            return Unauthorized(f"The credentials for {where} cannot be had: {error}.", _LOG_IN)
        if isinstance(error, kinds.SSOError) or "Token" in type(error).__name__:
            return Unauthorized(f"The login for {where} has expired or is missing: {error}.", _LOG_IN)
        if isinstance(error, (kinds.HTTPClientError, kinds.ConnectionError)):
            remedy = "Check the region, endpoint_url, the proxy and aws_ca_bundle, and the network from here to AWS."
            return Unreachable(f"{where} cannot be reached: {str(error).rstrip('.')}.", remedy)
        return Misconfigured(f"The request to {where} could not be made: {error}.")


def open_session(options: Mapping[str, Any], cluster_region: str) -> Session | None:
    """None where no credentials can be found: the caller decides whether that matters."""
    try:
        import boto3
        from botocore.exceptions import BotoCoreError
    except ImportError as error:
        raise missing_library("boto3", "asking AWS") from error
    keys = {
        "aws_access_key_id": options.get("access_key") or None,
        "aws_secret_access_key": options.get("secret_key") or None,
        "aws_session_token": options.get("session_token") or None,
    }
    profile = options.get("profile") or None
    if profile and any(keys.values()):
        raise Misconfigured("Both an AWS profile and access keys are given.", "Give one of them; '' unsets an option.")
    missing = [name for name in ("access_key", "secret_key") if not options.get(name)]
    if missing and any(keys.values()):
        what = f"AWS access keys are given in part only; missing: {', '.join(missing)}."
        raise Misconfigured(what, "Give access_key and secret_key together, or neither; '' unsets an option.")
    try:
        session = boto3.session.Session(botocore_session=_bounded(), profile_name=profile, **keys)
        if session.get_credentials() is None:
            return None
    except BotoCoreError as error:
        raise Misconfigured(f"The AWS credentials cannot be read: {error}.", _LOG_IN) from error
    except Exception as error:  # files, programs, servers and settings of any kind lead to credentials
        raise _broken(error) from None
    region = options.get("region") or cluster_region or _region_here(session)
    if not region:
        raise Misconfigured("No AWS region is known.", "Give region, or set AWS_REGION.")
    return Session(session, str(region), options)


def _broken(error: Exception) -> PortError:
    """Not one of boto3's own errors: something that leads to credentials is not there, or is not what it should be."""
    what = f"The AWS credentials cannot be had: {type(error).__name__}: {error}."
    return Misconfigured(what, "Check the AWS_* variables and the files they name.")


def _bounded() -> Any:
    """A session whose clients, also those that only fetch credentials, wait for seconds and not for minutes."""
    import botocore.session
    from botocore.config import Config

    found = botocore.session.get_session()
    for name, most in _METADATA.items():
        found.set_config_variable(name, min(found.get_config_variable(name), most))
    retries = {"mode": "standard", "total_max_attempts": _TRIES}
    found.set_default_client_config(
        Config(retries=retries, connect_timeout=10, read_timeout=30, user_agent_extra="edgeworks.lb_estate")
    )
    return found


def _region_here(session: Any) -> str:
    """The cluster's own region is asked for first: an environment is one for many clusters."""
    named = (os.environ.get(name) for name in _REGION_VARIABLES)
    return next((name for name in named if name), "") or str(session.region_name or "")


def _verify(options: Mapping[str, Any]) -> Any:
    """A bundle that was given is the one used; None leaves AWS_CA_BUNDLE and the rest to boto3."""
    if options.get("validate_certs") is False:
        return False
    return kube_checks.path(options.get("aws_ca_bundle") or "", "aws_ca_bundle") or None


def _refusal(service: str, error: Any) -> PortError:
    code = str(error.response.get("Error", {}).get("Code", ""))
    said = str(error.response.get("Error", {}).get("Message", "")).rstrip(".")
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    action = f"{_IAM.get(service, service)}:{error.operation_name}"
    details = {"action": action, "aws_code": code}
    if code in _EXPIRED:
        return Unauthorized(f"The AWS credentials have expired ({action}: {said}).", _LOG_IN, **details)
    if code in _REJECTED:
        return Unauthorized(f"AWS does not accept the credentials ({action}: {code}: {said}).", _LOG_IN, **details)
    if code in _DENIED:
        rule = {"Effect": "Allow", "Action": [action], "Resource": "*"}
        remedy = f"Allow the IAM action {action} for these credentials."
        return Forbidden(f"No permission for {action}: {said}.", remedy, rule=rule, **details)
    if code in _THROTTLED or status == 429:
        return Throttled(f"AWS kept throttling {action}: {said}.", "Run again later, or with fewer at once.", **details)
    if status >= 500:
        return Unreachable(f"AWS answered {action} with {status} {code}: {said}.", "Run again later.", **details)
    return Invalid(f"AWS refused {action} with {code}: {said}.", "", **details)
