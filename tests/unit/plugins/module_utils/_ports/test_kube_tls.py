# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates and keys reach TLS without ever being files that a directory lists."""

from __future__ import annotations

import os
import ssl
import stat
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Misconfigured
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_tls import Certificates, as_file, context
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.certs import Authority


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever makes a temporary file fails."""
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _trusted(made: ssl.SSLContext) -> int:
    return made.cert_store_stats()["x509_ca"]


@pytest.mark.usefixtures("nowhere")
def test_everything_in_memory(authority: Authority) -> None:
    pair = authority.issue()
    made = context("https://h", Certificates(authority.pem, *pair), verify=True)
    assert (_trusted(made), made.verify_mode) == (1, ssl.CERT_REQUIRED)


def test_everything_in_files(authority: Authority, tmp_path: Path) -> None:
    files = authority.write(tmp_path)
    given = Certificates(str(files.ca), str(files.certificate), str(files.key))
    assert _trusted(context("https://h", given, verify=True)) == 1


@pytest.mark.usefixtures("nowhere")
def test_one_in_a_file_and_one_in_memory(authority: Authority, tmp_path: Path) -> None:
    certificate, key = authority.issue()
    (tmp_path / "tls.crt").write_bytes(certificate)
    assert context("https://h", Certificates(b"", str(tmp_path / "tls.crt"), key), verify=False)


def test_a_bundle_with_comments(authority: Authority) -> None:
    bundle = "# Prüfstelle\n".encode() + authority.pem + b"\n# another\n" + Authority().pem
    assert _trusted(context("https://h", Certificates(bundle), verify=True)) == 2


@pytest.mark.parametrize("ca", [b"none", b"\xff\xfe", "/no/such/file"])
def test_a_ca_that_is_none(ca: str | bytes) -> None:
    with pytest.raises(Misconfigured, match="A certificate or key for https://h cannot be used"):
        context("https://h", Certificates(ca), verify=True)


def test_key_and_certificate_that_are_no_pair(authority: Authority) -> None:
    (certificate, _key), (_other, key) = authority.issue(), authority.issue()
    with pytest.raises(
        Misconfigured, match=r"cannot be used \(inside the kubeconfig, inside the kubeconfig\)"
    ) as caught:
        context("https://h", Certificates("", certificate, key), verify=False)
    assert "BEGIN" not in str(caught.value)


@pytest.mark.usefixtures("nowhere")
def test_a_file_in_memory() -> None:
    before = _open_files()
    with as_file(b"text") as path:
        assert Path(path).read_bytes() == b"text"
    assert not Path(path).exists()
    assert _open_files() == before


def test_a_private_file_where_memory_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(_name: str) -> NoReturn:
        raise OSError("not here")

    monkeypatch.setattr(os, "memfd_create", refused)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with as_file(b"text") as path:
        assert Path(path).read_bytes() == b"text"
        assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == []


def test_a_path_is_its_own() -> None:
    with as_file("/some/where") as path:
        assert path == "/some/where"
