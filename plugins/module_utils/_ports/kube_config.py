# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kubeconfig, or the pod's own account. The kubernetes library reads and merges files and asks for tokens.

Certificates and keys never reach it: it would write them to files and leave these behind in a forked worker.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import kube_checks
from .errors import Misconfigured, missing_library
from .kube_credentials import Entry, credentials, of_configuration
from .kube_tls import Certificates

HOW = "Give kubeconfig (and context), or host with api_key, or the environment variables K8S_AUTH_*."
_KINDS = ("clusters", "contexts", "users")
# What is longer may not be a path at all, but a kubeconfig in base64, for example.
_LONGEST_SHOWN = 255
_PATHS = ("/", "~", "./", "../")
# Refreshed tokens are written back into files that other threads may be reading.
_SAVING = threading.Lock()


@dataclass(repr=False)
class Loaded:
    """What a kubeconfig or the pod's own account says."""

    host: str = ""
    authorization: Callable[[], str] = lambda: ""
    verify: bool = True
    certificates: Certificates = field(default_factory=Certificates)
    server_name: str = ""
    proxy: str = ""


@dataclass(frozen=True, repr=False)
class _Kubeconfig:
    """Lists of entries, each with the folder that relative paths in it start from."""

    called: str
    current: Any
    lists: Mapping[str, list[tuple[Any, str]]]
    save: Callable[[], None]

    def entry(self, kind: str, name: Any) -> Entry | None:
        key = kind.removesuffix("s")
        for item, folder in self.lists[kind]:
            if isinstance(item, Mapping) and item.get("name") == name and isinstance(item.get(key), Mapping):
                return Entry(str(name), item[key], folder)
        return None

    def no_way(self, why: str) -> Misconfigured:
        return Misconfigured(f"{self.called} does not lead to a cluster: {why}.", HOW)


def load(auth: Mapping[str, Any], environ: Mapping[str, str]) -> Loaded:
    """kubernetes.core's order: kubeconfig or context; the pod's own account; the default file."""
    try:
        import kubernetes.config  # noqa: F401
    except ImportError as error:
        raise missing_library("kubernetes", "reading a kubeconfig") from error
    if not (auth.get("kubeconfig") or auth.get("context")):
        account = _pods_account()
        if account is not None:
            return account
    keep = bool(auth.get("persist_config"))
    with _SAVING if keep else nullcontext():
        return _chosen(_read(auth.get("kubeconfig"), environ), auth.get("context"), keep=keep)


def _chosen(kubeconfig: _Kubeconfig, context: str | None, *, keep: bool) -> Loaded:
    name = context or kubeconfig.current
    if not name:
        raise kubeconfig.no_way("it names no current-context, and no context was given")
    chosen = kubeconfig.entry("contexts", name)
    if chosen is None:
        raise kubeconfig.no_way(f"it has no context {name}")
    cluster = kubeconfig.entry("clusters", chosen.value.get("cluster"))
    if cluster is None:
        raise kubeconfig.no_way(f"it has no cluster {chosen.value.get('cluster')}, which context {name} names")
    user = kubeconfig.entry("users", chosen.value.get("user")) or Entry("", {})
    found = credentials(user, cluster, kubeconfig.save if keep else None)
    address = str(cluster.value.get("server") or "").strip()
    return Loaded(
        host=kube_checks.server(address, f"server of cluster {cluster.name} in the kubeconfig") if address else "",
        authorization=found.authorization,
        verify=not cluster.value.get("insecure-skip-tls-verify"),
        certificates=Certificates(cluster.pem("certificate-authority"), found.certificate, found.key),
        server_name=str(cluster.value.get("tls-server-name") or ""),
        proxy=str(cluster.value.get("proxy-url") or ""),
    )


def _pods_account() -> Loaded | None:
    from kubernetes import client, config

    configuration = client.Configuration()
    try:
        config.load_incluster_config(client_configuration=configuration)
    except config.ConfigException:
        return None
    except OSError as error:
        raise Misconfigured(f"The pod's own account cannot be read: {error}.", HOW) from error
    authorization = of_configuration(configuration, "The token of the pod's service account")
    return Loaded(configuration.host, authorization, certificates=Certificates(configuration.ssl_ca_cert))


def _read(kubeconfig: Any, environ: Mapping[str, str]) -> _Kubeconfig:
    if isinstance(kubeconfig, str) and _is_content(kubeconfig):
        kubeconfig = _parsed(kubeconfig)
        if not isinstance(kubeconfig, Mapping):
            raise Misconfigured("kubeconfig is neither the path of a file nor the content of a kubeconfig.", HOW)
    if isinstance(kubeconfig, Mapping):
        return _from_mapping(copy.deepcopy(dict(kubeconfig)))
    return _from_files(_existing(kubeconfig, environ))


def _is_content(text: str) -> bool:
    text = text.strip()
    return "\n" in text or text.startswith("{")


def _parsed(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise _not_yaml("The text given as kubeconfig", error) from None


def _not_yaml(which: str, error: Any) -> Misconfigured:
    """The parser's own words quote what is there, which may be a password."""
    mark = getattr(error, "problem_mark", None)
    where = f": see line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    return Misconfigured(f"{which} is not YAML{where}.", HOW)


def _not_one(which: str) -> Misconfigured:
    return Misconfigured(f"{which} is none: it is not a mapping with lists of named clusters, contexts and users.", HOW)


def _from_mapping(config: Mapping[str, Any]) -> _Kubeconfig:
    lists = {kind: config.get(kind) or [] for kind in _KINDS}
    if not all(isinstance(items, list) for items in lists.values()):
        raise _not_one("The kubeconfig")
    located = {kind: [(item, "") for item in items] for kind, items in lists.items()}
    return _Kubeconfig("The kubeconfig", config.get("current-context"), located, lambda: None)


def _from_files(paths: str) -> _Kubeconfig:
    import yaml
    from kubernetes.config import ConfigException
    from kubernetes.config.kube_config import KubeConfigMerger

    called = f"The kubeconfig {_shown(paths)}"
    try:
        merger = KubeConfigMerger(paths)
        merged = merger.config.value
        located = {
            kind: [(node.value, str(Path(node.path).absolute().parent)) for node in merged[kind]] for kind in _KINDS
        }
    except yaml.YAMLError as error:
        raise _not_yaml(called, error) from None
    except OSError as error:
        raise _unreadable(paths, error) from None
    except (ConfigException, ValueError, TypeError, AttributeError, KeyError):
        # What the library lets through where a file is no kubeconfig.
        raise _not_one(called) from None
    return _Kubeconfig(called, merged.get("current-context"), located, merger.save_changes)


def _unreadable(paths: str, error: OSError) -> Misconfigured:
    return Misconfigured(f"The kubeconfig {_shown(paths)} cannot be read: {error.strerror}.", HOW)


def _shown(paths: str) -> str:
    """A path. Anything else may be a token that was put into the wrong option."""
    if len(paths) > _LONGEST_SHOWN:
        return f"with a path of {len(paths)} characters"
    known = paths.startswith(_PATHS) or Path(paths).is_file()
    return paths if known else f"(a value of {len(paths)} characters, which is not shown: it may be no path)"


def _existing(kubeconfig: Any, environ: Mapping[str, str]) -> str:
    """Paths as kubectl takes them, several with `:` between. The library passes over a missing one in silence."""
    if kubeconfig is not None and not isinstance(kubeconfig, (str, os.PathLike)):
        kind = type(kubeconfig).__name__
        raise Misconfigured(f"kubeconfig is a {kind}; it must be a path or a mapping.", HOW)
    paths = str(kubeconfig or environ.get("KUBECONFIG") or "~/.kube/config").strip()
    listed = [part for part in paths.split(os.pathsep) if part]
    try:
        exists = any(Path(part).expanduser().is_file() for part in listed)
    except OSError as error:
        raise _unreadable(paths, error) from None
    if not exists:
        whose = "kubeconfig" if kubeconfig else "The default kubeconfig"
        raise Misconfigured(f"{whose} {_shown(paths)} does not exist on the host that runs this task.", HOW)
    return paths
