# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The authentication options of openstack.cloud, where the Kubernetes options have the plain names."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
requirements:
  - openstacksdk
options:
  cloud:
    description:
      - Named cloud of C(clouds.yaml), or a cloud's whole configuration as a dictionary.
      - Without it E(OS_CLOUD) and the other C(OS_*) variables count.
    type: raw
  auth_type:
    description: Name of the auth plugin, for example V(password) or V(v3applicationcredential).
    type: str
  auth:
    description: The auth plugin's own options, for example C(auth_url), C(username), C(password), C(project_name).
    type: dict
  region_name:
    description: Name of the region.
    type: str
  interface:
    description: Which endpoints of the catalog to use.
    type: str
    choices: [public, internal, admin]
    aliases: [endpoint_type]
  verify:
    description:
      - Whether to verify the TLS certificates of OpenStack.
      - In C(openstack.cloud) this is an alias of C(validate_certs), which belongs to the Kubernetes options here.
    type: bool
  cacert:
    description: Path of a CA bundle for OpenStack (in C(openstack.cloud) an alias of C(ca_cert)).
    type: path
  cert:
    description: Path of a client certificate for OpenStack (in C(openstack.cloud) an alias of C(client_cert)).
    type: path
  key:
    description: Path of that certificate's key (in C(openstack.cloud) an alias of C(client_key)).
    type: path
  api_timeout:
    description:
      - Seconds to wait for the answer to one request to OpenStack, 30 by default. Never more than O(wait_timeout).
    type: int
"""
