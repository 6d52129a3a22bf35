# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a name leads to: addresses, none, or nobody to ask. The resolver itself is this machine's and stood in for."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import name_service

HOST = "api.example.com"


def resolver(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    def ask(host: str, _port: object, **_options: Any) -> Any:
        assert host == HOST
        return answer()

    monkeypatch.setattr(socket, "getaddrinfo", ask)


def fails(error: Exception) -> Any:
    def answer() -> Any:
        raise error

    return answer


def test_every_address_once_and_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = ["203.0.113.2", "203.0.113.1", "203.0.113.2", "2001:db8::1"]
    resolver(monkeypatch, lambda: [(0, 0, 0, "", (one, 0)) for one in addresses])
    assert name_service.addresses(HOST) == ("2001:db8::1", "203.0.113.1", "203.0.113.2")


def test_no_such_name_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver(monkeypatch, fails(socket.gaierror(socket.EAI_NONAME, "Name or service not known")))
    assert name_service.addresses(HOST) == ()


@pytest.mark.parametrize("error", [socket.gaierror(socket.EAI_AGAIN, "Temporary failure"), OSError("no network")])
def test_a_resolver_that_does_not_know_is_no_answer(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    resolver(monkeypatch, fails(error))
    assert name_service.addresses(HOST) is None


def test_nobody_waits_longer_than_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    end = threading.Event()
    resolver(monkeypatch, lambda: end.wait(30) and [])
    assert name_service.addresses(HOST, within=0.05) is None
    end.set()


@pytest.mark.parametrize("host", ["api..example.com", f"{'a' * 64}.example.com", ".example.com", "api\0.example.com"])
def test_a_name_that_nobody_can_be_asked_for_is_no_name(host: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Python refuses it by itself, in a thread where nobody would catch that."""
    assert name_service.addresses(host) == ()
    assert capfd.readouterr() == ("", "")
