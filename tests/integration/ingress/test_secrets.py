# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CORE-12: what was given to get into a cluster is not in the output, at any verbosity and either way of running."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from .conftest import At
from .workplace import stage_of

SECRET = "hunter2-and-more"


def _exec(script: str) -> dict[str, Any]:
    """A kubeconfig whose credential plugin runs this."""
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "/bin/sh",
        "args": ["-c", script],
        "interactiveMode": "Never",
    }
    return {
        "clusters": [{"name": "the-cluster", "cluster": {"server": "https://127.0.0.1:9"}}],
        "users": [{"name": "the-user", "user": {"exec": plugin}}],
        "contexts": [{"name": "the-context", "context": {"cluster": "the-cluster", "user": "the-user"}}],
        "current-context": "the-context",
    }


GIVEN: tuple[dict[str, Any], ...] = (
    {"kubeconfig": f"users:\n  - password: !{SECRET}\n"},
    {"kubeconfig": {"clusters": [{"name": SECRET, "token": SECRET}], "current-context": "none"}},
    {"host": "https://127.0.0.1:9", "api_key": f"{SECRET}\nx"},
    {"host": "http://192.0.2.1", "api_key": SECRET},
    {
        "host": "https://127.0.0.1:9",
        "api_key": "another-token",
        "validate_certs": False,
        "proxy": f"u:{SECRET}@127.0.0.1:9",
    },
    {"host": f"https://u:{SECRET}@127.0.0.1:9", "api_key": "another-token"},
    {"kubeconfig": SECRET},
    {"host": "https://127.0.0.1:9", "client_cert": "/nowhere", "client_key": f"-----BEGIN PRIVATE KEY-----\n{SECRET}"},
    {"kubeconfig": _exec(f"echo {SECRET} >&2; exit 3")},
)


def _named(number: int) -> dict[str, str]:
    return {option: f"{{{{ given[{number}].{option} }}}}" for option in GIVEN[number]}


def test_no_secret_in_the_output(at: At, tmp_path: Path) -> None:
    variables = tmp_path / "given.json"  # Ansible itself quotes what stands in the play
    variables.write_text(json.dumps({"given": GIVEN}), encoding="utf-8")
    tasks = [
        {"name": "Look", "edgeworks.lb_estate.lb_info": {"kubeconfig": ""} | _named(number), **more}
        for number in range(len(GIVEN))
        for more in ({}, {"environment": {"EDGE": "elsewhere"}})
    ]
    played = stage_of(tmp_path, at()).play(tasks, "-vvvv", "-e", f"@{variables}")
    assert {result.get("error_code") for result in played.results} == {"misconfigured", "unauthorized"}, played.output
    assert SECRET not in str([result["msg"] for result in played.results])
    assert SECRET not in played.output


class _Telltale(BaseHTTPRequestHandler):
    """A server that says everything it was sent."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        said = {"kind": "Status", "status": "Failure", "code": 403, "message": f"cannot: {dict(self.headers)}"}
        body = json.dumps(said).encode()
        self.send_response(403)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_said: Any) -> None:
        """Nothing: it would say it once more."""


MODULES: dict[str, dict[str, Any]] = {
    "lb_info": {},
    "slb_scope": {"scope": "Internal"},
    "ingress_lb_subnets": {},
    "lb_effectuate": {"changes": ["all"]},
    "api_slb": {},
    "capo_multiaz_lb": {"cluster": "prod"},
    "service_lb_class": {"service": {"namespace": "shop", "name": "front"}, "lb_class": "example.com/x"},
}


def _in_files(folder: Path, host: str) -> dict[str, str]:
    """The secret where no option and no variable shows it; the variables that lead there."""
    kubeconfig = {
        "clusters": [{"name": "c", "cluster": {"server": host}}],
        "users": [{"name": "u", "user": {"token": SECRET}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    auth = {"auth_url": host, "username": "ann", "password": SECRET, "project_name": "p"}
    texts = {
        "KUBECONFIG": json.dumps(kubeconfig),
        "OS_CLIENT_CONFIG_FILE": json.dumps({"clouds": {"planted": {"auth": auth}}}),
        "AWS_SHARED_CREDENTIALS_FILE": f"[default]\naws_access_key_id = AKIA\naws_secret_access_key = {SECRET}\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return {name: str(folder / f"{name}.yaml") for name in texts}


@pytest.mark.parametrize("planted", ["options", "environment", "files"])
def test_not_even_where_the_server_says_it(at: At, tmp_path: Path, planted: str) -> None:
    """CORE-12: markers in every place that can hold one; the server repeats all it gets, at every verbosity."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Telltale) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_port}"
        options = {"kubeconfig": "", "host": host, "api_key": SECRET, "password": SECRET, "username": "ann"}
        cloud = {"auth": {"auth_url": host, "username": "ann", "password": SECRET, "project_name": "p"}}
        aws = {"secret_key": SECRET, "session_token": SECRET, "access_key": "AKIA", "endpoint_url": host, "region": "r"}
        variables, environment = tmp_path / "given.json", {}
        variables.write_text(json.dumps({"given": {**options, **cloud, **aws}}), encoding="utf-8")
        if planted == "environment":
            names = (
                "K8S_AUTH_API_KEY",
                "K8S_AUTH_PASSWORD",
                "AWS_SECRET_ACCESS_KEY",
                "AWS_SESSION_TOKEN",
                "OS_PASSWORD",
            )
            environment = {"K8S_AUTH_HOST": host, **dict.fromkeys(names, SECRET)}
            options, cloud, aws = {"kubeconfig": ""}, {}, {}
        if planted == "files":
            environment = _in_files(tmp_path, host)
            options, cloud, aws = {"kubeconfig": ""}, {"cloud": "planted"}, {"endpoint_url": host, "region": "r"}
            variables.write_text(json.dumps({"given": {**cloud, **aws}}), encoding="utf-8")
        tasks = []
        for name, more in MODULES.items():
            given = {**options, **(cloud if name == "capo_multiaz_lb" else aws)}
            named = {option: f"{{{{ given.{option} }}}}" for option in given if option != "kubeconfig"}
            task = {"name": "Try", f"edgeworks.lb_estate.{name}": {"kubeconfig": "", **named, **more}}
            tasks += [task, {**task, "environment": {"EDGE": "elsewhere"}}]
        stage = stage_of(tmp_path, at(), environment=environment)
        played = stage.play(tasks, "-vvvv", "-e", f"@{variables}")
        server.shutdown()
    assert all(result["failed"] for result in played.results)
    assert "cannot" in played.results[0]["msg"]
    assert SECRET not in json.dumps(played.results)
    assert SECRET not in played.output


@pytest.mark.parametrize(
    ("planted", "address"),
    [
        ("option", f"u:{SECRET}@127.0.0.1:9"),
        ("environment", f"u:{SECRET}@127.0.0.1:9"),
        ("option", f"http://u:{SECRET}@127.0.0.1:9"),
    ],
)
def test_an_endpoint_with_a_password(at: At, tmp_path: Path, planted: str, address: str) -> None:
    """CORE-12: with a scheme or without, in texts and in what Ansible shows of a module's arguments."""
    cluster = at()
    variables, variable = tmp_path / "given.json", {}
    variables.write_text(json.dumps({"given": address}), encoding="utf-8")
    options = {"access_key": "AKIA", "secret_key": "another-secret", "preflight": "when_possible"}
    if planted == "option":
        options["endpoint_url"] = "{{ given }}"
    else:
        variable = {"AWS_ENDPOINT_URL": address}
    task = {"name": "Look", "edgeworks.lb_estate.lb_info": options}
    played = stage_of(tmp_path, cluster, environment=variable).play(
        [task, {**task, "environment": {"EDGE": "elsewhere"}}], "-vvvv", "-e", f"@{variables}"
    )
    assert ["preflight_unanswered" in str(result) for result in played.results] == [True, True], played.output
    assert SECRET not in json.dumps(played.results)
    assert SECRET not in played.output
