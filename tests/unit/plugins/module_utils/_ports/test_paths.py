# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether anything answers: on loopback, with and without TLS, and with names that lead nowhere (API-7)."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import name_service, paths
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.certs import Authority


@contextmanager
def listening(certificate: tuple[Path, Path] | None) -> Iterator[str]:
    """Accepts and, with a certificate, speaks TLS; without one it says something else."""
    with socket.create_server(("127.0.0.1", 0)) as door:

        def serve() -> None:
            try:
                while True:
                    client, _address = door.accept()
                    with client:
                        _greet(client, certificate)
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{door.getsockname()[1]}"


def _greet(client: socket.socket, certificate: tuple[Path, Path] | None) -> None:
    if certificate is None:
        client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        return
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    try:
        context.wrap_socket(client, server_side=True).close()
    except OSError:
        return


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    files = Authority().write(tmp_path)
    return Path(files.certificate), Path(files.key)


def test_one_that_speaks_tls_answers_whatever_its_certificate(certificate: tuple[Path, Path]) -> None:
    with listening(certificate) as at:
        seen = paths.try_path(at, 5)
        assert (seen.state, seen.peers) == ("connected", ("127.0.0.1",))


def test_one_that_speaks_something_else_is_no_api_server() -> None:
    with listening(None) as at:
        assert paths.try_path(at, 5).state == "refused"


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    assert paths.try_path(f"127.0.0.1:{port}", 5).state == "refused"


def test_one_that_never_answers_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=1) as door:
        assert paths.try_path(f"127.0.0.1:{door.getsockname()[1]}", 0.2).state == "silent"


@pytest.mark.parametrize("answer", [(), None])
def test_a_name_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch, answer: tuple[str, ...] | None) -> None:
    monkeypatch.setattr(name_service, "addresses", lambda _host, _within: answer)
    assert paths.try_path("api.example.com:6443").state == "unresolved"


def test_the_best_of_several_addresses_counts(monkeypatch: pytest.MonkeyPatch, certificate: tuple[Path, Path]) -> None:
    with listening(certificate) as at:
        monkeypatch.setattr(name_service, "addresses", lambda _host, _within: ("127.0.0.1", "127.0.0.2"))
        seen = paths.try_path(f"api.example.com:{at.rpartition(':')[2]}", 5)
        assert (seen.state, seen.peers) == ("connected", ("127.0.0.1", "127.0.0.2"))


def test_several_side_by_side(certificate: tuple[Path, Path]) -> None:
    with listening(certificate) as one, listening(None) as two:
        found = paths.try_all([one, two], 5)
    assert {at: seen.state for at, seen in found.items()} == {one: "connected", two: "refused"}
    assert paths.try_all([]) == {}
