# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credential options of amazon.aws, and the look at AWS before a change."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  access_key:
    description: AWS access key id. Also E(AWS_ACCESS_KEY_ID) and everything else boto3 looks at.
    type: str
    aliases: [aws_access_key_id, aws_access_key]
  secret_key:
    description: AWS secret access key. Also E(AWS_SECRET_ACCESS_KEY).
    type: str
    aliases: [aws_secret_access_key, aws_secret_key]
  session_token:
    description: AWS session token. Also E(AWS_SESSION_TOKEN).
    type: str
    aliases: [aws_session_token]
  profile:
    description: Named profile of the AWS configuration. Also E(AWS_PROFILE).
    type: str
    aliases: [aws_profile]
  region:
    description:
      - AWS region, where it is not to be the cluster's own. A difference between the two is told.
      - Left out, it is the one the cluster tells, and only for a cluster that tells none E(AWS_REGION),
        E(AWS_DEFAULT_REGION) or the profile's.
    type: str
    aliases: [aws_region]
  endpoint_url:
    description: URL to use in place of the AWS endpoints. Also E(AWS_ENDPOINT_URL).
    type: str
    aliases: [aws_endpoint_url]
  aws_ca_bundle:
    description: Path of a CA bundle for AWS. Also E(AWS_CA_BUNDLE).
    type: path
  preflight:
    description:
      - Whether to look at AWS first. A failing check is an error before anything is written. What could not be asked is
        told in the findings.
      - V(when_possible) checks what AWS tells. A change that takes the load balancer away is refused without
        credentials, and where AWS does not tell the load balancer, the VPC, the subnets with their routes or the
        Elastic IPs.
      - V(require) means that every check is made, or the task stops.
      - V(skip) never looks, and lets a change go on unchecked. The findings say so.
    type: str
    choices: [require, when_possible, skip]
    default: when_possible
requirements:
  - boto3 (for the look at AWS)
"""
