# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The authentication options of kubernetes.core."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
requirements:
  - kubernetes
options:
  kubeconfig:
    description:
      - Path of a kubeconfig file (several with C(:) in between), or the content of one, as a dictionary or as text.
      - Certificates and keys in it are never written to a disk.
      - The environment variable E(K8S_AUTH_KUBECONFIG) is used when this is left out, then C(~/.kube/config).
    type: raw
  context:
    description: The context of the kubeconfig to use. Also E(K8S_AUTH_CONTEXT).
    type: str
  host:
    description:
      - URL of the API server, for example V(https://api.prod.example.com:6443). Also E(K8S_AUTH_HOST).
      - C(http://) together with a token or password is refused, except for the machine itself (loopback).
    type: str
  api_key:
    description: Bearer token; spaces and newlines around it do not count. Also E(K8S_AUTH_API_KEY).
    type: str
  username:
    description: User for basic authentication. Also E(K8S_AUTH_USERNAME).
    type: str
  password:
    description: Password for basic authentication. Also E(K8S_AUTH_PASSWORD).
    type: str
  validate_certs:
    description: Whether to verify TLS certificates. Also E(K8S_AUTH_VERIFY_SSL).
    type: bool
    aliases: [verify_ssl]
  ca_cert:
    description: Path of the API server's CA certificate. Also E(K8S_AUTH_SSL_CA_CERT).
    type: path
    aliases: [ssl_ca_cert]
  client_cert:
    description: Path of a client certificate. Also E(K8S_AUTH_CERT_FILE).
    type: path
    aliases: [cert_file]
  client_key:
    description: Path of the client certificate's key. Also E(K8S_AUTH_KEY_FILE).
    type: path
    aliases: [key_file]
  proxy:
    description: URL of an HTTP or SOCKS proxy, for example V(http://proxy.example.com:3128). Also E(K8S_AUTH_PROXY).
    type: str
  no_proxy:
    description: Hosts that are reached without the proxy. Also E(K8S_AUTH_NO_PROXY).
    type: str
  proxy_headers:
    description: Headers for the proxy.
    type: dict
    suboptions:
      proxy_basic_auth:
        description: C(user:password) for the proxy. Also E(K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH).
        type: str
      basic_auth:
        description: C(user:password) as basic authentication. Also E(K8S_AUTH_PROXY_HEADERS_BASIC_AUTH).
        type: str
      user_agent:
        description: The user agent to call oneself. Also E(K8S_AUTH_PROXY_HEADERS_USER_AGENT).
        type: str
  persist_config:
    description: Whether to write refreshed tokens back to the kubeconfig. Also E(K8S_AUTH_PERSIST_CONFIG).
    type: bool
  impersonate_user:
    description: User to act as. Also E(K8S_AUTH_IMPERSONATE_USER).
    type: str
  impersonate_groups:
    description: Groups to act as. Also E(K8S_AUTH_IMPERSONATE_GROUPS), separated by commas.
    type: list
    elements: str
"""

    # For modules whose cluster is an OpenShift cluster.
    CLUSTER = r"""
options:
  platform:
    description:
      - The cluster's platform as in C(infrastructure.status.platformStatus.type), for example V(AWS) or V(Azure).
      - Read from the cluster when left out.
    type: str
  version:
    description:
      - The cluster's OpenShift version, for example V(4.21.7).
      - Read from the cluster when left out. Given together with O(platform), two requests fewer are made.
    type: str
"""
