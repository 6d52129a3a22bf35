# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubeconfigs as paths, mappings and text: which cluster and user they lead to, and that no error repeats them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Misconfigured, PortError
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_config import Loaded, load

SECRET = "hunter2"
HOST = "https://api.example.com:6443"


def config(name: str = "one", **more: Any) -> dict[str, Any]:
    """A kubeconfig with one cluster, user and context, all of the same name."""
    cluster = {"server": HOST, **more.pop("cluster", {})}
    return {
        "current-context": name,
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": more.pop("user", {"token": SECRET})}],
        **more,
    }


def loaded(kubeconfig: Any, context: str | None = None) -> Loaded:
    return load({"kubeconfig": kubeconfig, "context": context}, {})


def written(path: Path, content: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), encoding="utf-8")
    return str(path)


def test_mapping_text_and_file_are_the_same(tmp_path: Path) -> None:
    forms = [config(), yaml.safe_dump(config()), json.dumps(config()), written(tmp_path / "c", config())]
    found = [loaded(form) for form in forms]
    assert [(one.host, one.authorization()) for one in found] == [(HOST, f"Bearer {SECRET}")] * 4


def test_what_a_cluster_says() -> None:
    cluster = {"insecure-skip-tls-verify": True, "tls-server-name": "inside", "proxy-url": "http://p:1"}
    ca = base64.b64encode(b"ca").decode()
    user = {"client-certificate-data": base64.b64encode(b"cert").decode(), "client-key": "/k"}
    found = loaded(config(cluster={**cluster, "certificate-authority-data": ca}, user=user))
    assert (found.verify, found.server_name, found.proxy) == (False, "inside", "http://p:1")
    given = found.certificates
    assert (given.ca_cert, given.client_cert, given.client_key) == (b"ca", b"cert", "/k")


def test_several_files_and_paths_beside_each(tmp_path: Path) -> None:
    """The first file that names something counts; a path in it starts from its own folder."""
    first = config("one", cluster={"certificate-authority": "ca.crt"}, user={"client-certificate": "tls.crt"})
    second = config("two", user={"tokenFile": "token", "client-certificate": "../tls.crt"})
    second["users"].append({"name": "one", "user": {"token": "of nobody"}})
    both = f"{written(tmp_path / 'a' / 'c', first)}:{written(tmp_path / 'b' / 'c', second)}:/no/such/file"
    (tmp_path / "b" / "token").write_text(f"{SECRET}\n", encoding="utf-8")
    one, two = loaded(both, "one"), loaded(both, "two")
    assert one.certificates.ca_cert == str(tmp_path / "a" / "ca.crt")
    assert one.certificates.client_cert == str(tmp_path / "a" / "tls.crt")
    assert (one.authorization(), two.authorization()) == ("", f"Bearer {SECRET}")
    assert Path(str(two.certificates.client_cert)).resolve() == tmp_path / "tls.crt"


def test_the_callers_mapping_stays_as_it_is() -> None:
    given = config()
    loaded(given)
    assert given == config()


def test_the_pods_own_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from kubernetes.config import incluster_config

    for name, value in (("HOST", "10.96.0.1"), ("PORT", "443")):
        monkeypatch.setenv(f"KUBERNETES_SERVICE_{name}", value)
    for name, text in (("TOKEN", f"{SECRET}\n"), ("CERT", "ca")):
        monkeypatch.setattr(incluster_config, f"SERVICE_{name}_FILENAME", written(tmp_path / name, text))
    found = load({}, {})
    assert (found.host, found.authorization()) == ("https://10.96.0.1:443", f"bearer {SECRET}")
    assert found.certificates.ca_cert == str(tmp_path / "CERT")


@pytest.mark.parametrize("persist", [True, False])
def test_a_provider_that_asks_a_program(tmp_path: Path, persist: bool) -> None:
    """What it gives is kept in the file where that was asked for."""
    answer = {"credential": {"access_token": SECRET, "token_expiry": "2999-01-01T00:00:00Z"}}
    settings = {"cmd-path": "/bin/echo", "cmd-args": json.dumps(answer, separators=(",", ":"))}
    path = written(tmp_path / "config", config(user={"auth-provider": {"name": "gcp", "config": settings}}))
    found = load({"kubeconfig": path, "persist_config": persist}, {})
    assert found.authorization() == f"Bearer {SECRET}"
    kept = yaml.safe_load(Path(path).read_text(encoding="utf-8"))["users"][0]["user"]["auth-provider"]["config"]
    assert kept.get("access-token") == (SECRET if persist else None)
    assert {name: kept[name] for name in settings} == settings


CONTENT = yaml.safe_dump(config())
BROKEN: dict[str, tuple[Any, str]] = {
    "a tag for a password": (f"users:\n  - password: !{SECRET}\n", "not YAML: see line 2, column 15"),
    "an alias for a token": (f"users:\n  - token: *{SECRET}\n", "not YAML: see line 2, column 12"),
    "a tab": (f"{CONTENT}\ttoken: {SECRET}\n", "not YAML"),
    "a control character": (f"{CONTENT}x: {SECRET}\x07\n", "not YAML"),
    "a flow that does not end": (f'{{"users": "{SECRET}"', "not YAML"),
    "text that is no mapping": (f"{SECRET}\n{SECRET}\n", "neither the path of a file nor the content"),
    "a list as text": (f"- {SECRET}\n- b\n", "neither the path of a file nor the content"),
    "base64": (base64.b64encode(CONTENT.encode()).decode() * 2, "kubeconfig with a path of "),
    "a list": ([SECRET], "kubeconfig is a list"),
    "lists that are none": (config(users={"name": SECRET}), "is none: it is not a mapping with lists"),
    "items that are none": (config(clusters=[SECRET]), "it has no cluster one"),
    "no context": ({**config(), "current-context": None}, "names no current-context"),
    "a context without cluster": (config(contexts=[{"name": "one", "context": {}}]), "it has no cluster None"),
    "a misspelt cluster": (config(clusters=[{"name": "one", "clustr": {"server": SECRET}}]), "it has no cluster one"),
    "no base64": (
        config(user={"client-key-data": f"{SECRET}!"}),
        "client-key-data of one in the kubeconfig is not base64",
    ),
    "a token of two lines": (
        config(user={"token": f"{SECRET}\n{SECRET}"}),
        "token of user one in the kubeconfig contains",
    ),
    "a password of two lines": (
        config(user={"username": "me", "password": f"{SECRET}\n"}),
        "password of user one in the kubeconfig contains a control character",
    ),
    "a token file that is not there": (config(user={"tokenFile": "/no/file"}), "No such file or directory: '/no/file'"),
    "a provider without settings": (
        config(user={"auth-provider": {"name": "oidc", "config": {"id": SECRET}}}),
        "id-token",
    ),
    "a server without a scheme": (
        config(cluster={"server": f"me:{SECRET}@api"}),
        "server of cluster one in the kubeconfig api does not begin with https://",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_errors_do_not_repeat_what_was_given(case: str, tmp_path: Path) -> None:
    given, words = BROKEN[case]
    with pytest.raises(PortError) as caught:
        loaded(given)
    _hold(caught.value, words)
    if isinstance(given, str) and "not YAML" in words:
        with pytest.raises(Misconfigured) as caught_of_file:
            loaded(written(tmp_path / "config", given))
        _hold(caught_of_file.value, str(tmp_path / "config"))


def _hold(error: PortError, words: str) -> None:
    """Also not through the error that it came from: Ansible shows the whole chain at -vvv."""
    assert words in str(error)
    assert SECRET not in str(error)
    assert error.__cause__ is None or SECRET not in str(error.__cause__)
    assert error.__cause__ is not None or error.__context__ is None or error.__suppress_context__


def test_an_entry_of_a_file_is_not_quoted(tmp_path: Path) -> None:
    """The library's own words for this would hold the whole entry."""
    broken = config(users=[{"name": "one", "usr": {"token": SECRET}}], clusters=[{"name": "one", "token": SECRET}])
    with pytest.raises(Misconfigured, match="it has no cluster one") as caught:
        loaded(written(tmp_path / "config", broken))
    _hold(caught.value, "which context one names")
