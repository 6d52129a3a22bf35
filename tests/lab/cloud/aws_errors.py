# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS errors in the words of the Go SDK, as the cloud controller prints them (facts: lab-kubernetes §6)."""

from __future__ import annotations

import uuid
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

_SERVICE_IDS = {"ec2": "EC2", "elb": "Elastic Load Balancing", "elbv2": "Elastic Load Balancing v2"}


def sdk_text(client: Any, error: ClientError | BotoCoreError) -> str:
    """`operation error <service>: <operation>, https response error StatusCode: <n>, RequestID: <id>, <error>`.

    An error the service's model knows is named by its code; any other is an `api error`.
    """
    name = client.meta.service_model.service_name
    service = _SERVICE_IDS.get(name, name)
    if not isinstance(error, ClientError):
        return f"operation error {service}: {error}"
    answer = error.response
    code, message = answer["Error"]["Code"], answer["Error"]["Message"]
    status = answer["ResponseMetadata"]["HTTPStatusCode"]
    known = {shape.error_code for shape in client.meta.service_model.error_shapes}
    words = f"{code}: {message}" if code in known else f"api error {code}: {message}"
    # moto gives EC2 errors a constant id; AWS never repeats one, and each retry is a new event because of it.
    return (
        f"operation error {service}: {error.operation_name}, https response error StatusCode: {status}, "
        f"RequestID: {uuid.uuid4()}, {words}"
    )
