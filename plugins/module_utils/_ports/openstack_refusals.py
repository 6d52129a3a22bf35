# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia's and Neutron's refusals as our sentences (facts: lab-openstack, fidelity table)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .errors import Conflict, Forbidden, Invalid, NotFound, PortError, Unauthorized

_AGAIN = "Run again: the plan is made anew from what is there now."
# Both texts of a locked load balancer: of itself, and of what is below it.
_IMMUTABLE = re.compile(r"Invalid state \w+ of \w+ resource|is immutable and cannot be updated")
_QUOTA = re.compile(r"Quota has been met|Quota exceeded|OverQuota")
_PROVIDER = re.compile(r"Provider '([^']+)'")
_LACKING = re.compile(r"not support|unsupported|not implemented", re.IGNORECASE)
_VIP_TAKEN = "VIP IP address is already in use"


class Immutable(PortError):
    """The load balancer is PENDING or in ERROR: nothing was written."""

    code = "immutable"


class Taken(Conflict):
    """409 for what is there already: made by another run, or by a request of ours whose answer got lost."""

    code = "taken"


class QuotaMet(PortError):
    """The project may not have more of this."""

    code = "quota"


class Unsupported(PortError):
    """The provider does not have it. `details`: provider, its words, and the feature where that is known."""

    code = "unsupported"


@dataclass(frozen=True)
class CloudAnswer:
    status: int  # 0: none came
    body: Any = None
    text: str = ""
    wait: float | None = None  # seconds the server asked for

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    @property
    def unsure(self) -> bool:
        """May the write have been carried out all the same? A provider's own words are a refusal."""
        return self.status == 0 or (self.status >= 500 and self.status != 501 and not _PROVIDER.search(said(self)))


def said(answer: CloudAnswer) -> str:
    """The service's own words: Octavia's faultstring, Neutron's message."""
    body = answer.body if isinstance(answer.body, dict) else {}
    neutron = body.get("NeutronError")
    if isinstance(neutron, dict):
        return f"{neutron.get('type', '')}: {neutron.get('message', '')}".strip(": ")
    text = body.get("faultstring") or (neutron if isinstance(neutron, str) else "") or answer.text
    return " ".join(str(text or f"status {answer.status}").split())


def refusal(what: str, service: str, answer: CloudAnswer) -> PortError:
    """What an answer that is not good means."""
    words = said(answer).rstrip(".")
    text = f"{service} refused `{what}` with {answer.status}: {words}."
    if _QUOTA.search(words):
        return QuotaMet(text, "Have the project's quota raised, or delete what is not needed, and run again.")
    if answer.status == 409:
        return _conflict(text, words)
    if answer.status == 401:
        return Unauthorized(text, "The token was not accepted; check the credentials.")
    if answer.status == 403:
        return Forbidden(text, "Give the user the roles member and load-balancer_member in this project.")
    if answer.status == 404:
        return NotFound(text, _AGAIN)
    if answer.status == 501 or (answer.status in (400, 500) and _LACKING.search(words)):
        provider = _PROVIDER.search(words)
        remedy = "The load balancers cannot do without it: name another provider."
        return Unsupported(text, remedy, provider=provider[1] if provider else "", words=words)
    if answer.status >= 500 and _PROVIDER.search(words):
        # The provider asked Neutron for the VIP port and was refused: 500 to us, 400 to it.
        remedy = "Most often the VIP address does not lie in the mapped subnet: check fixed_ip and the subnet."
        return Invalid(text, remedy)
    return Invalid(text, "The service's own words say what it does not take.")


def _conflict(text: str, words: str) -> PortError:
    if _IMMUTABLE.search(words):
        return Immutable(text, "Wait until the load balancer is ACTIVE.")
    if _VIP_TAKEN in words:
        return Invalid(text, "Another port has this address: give another fixed_ip, or none.")
    return Taken(text, _AGAIN)
