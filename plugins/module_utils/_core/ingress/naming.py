# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of what is to be created: what the API server would refuse, and what the operator could make nothing of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..data import Json
from ..model import Finding, Severity
from ..operator.names import service_name

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_LONGEST_NAME, _LONGEST_LABEL = 253, 63


def name_problems(name: str, domain: Json) -> tuple[Finding, ...]:
    """Of an IngressController that does not exist yet."""
    return (*_name(name), *_domain(domain))


def _name(name: str) -> Iterator[Finding]:
    if not _SUBDOMAIN.fullmatch(name) or len(name) > _LONGEST_NAME:
        what = f"{name!r} is no name an object can have: lower case letters, digits, '-' and '.', at most"
        what += f" {_LONGEST_NAME} characters, beginning and ending with a letter or digit."
        yield _error("refused_by_api", "ingress_controller", what, "Take another name.", name)
    elif "." in name or len(service_name(name)) > _LONGEST_LABEL:
        most = _LONGEST_LABEL - len(service_name(""))
        what = f"The operator names a Service {service_name(name)!r}, which can have no '.' and at most"
        what += f" {_LONGEST_LABEL} characters."
        yield _error("name_unusable", "ingress_controller", what, f"Take a name of at most {most} characters.", name)


def _domain(domain: Json) -> Iterator[Finding]:
    text = str(domain or "")
    fits = _SUBDOMAIN.fullmatch(text) and len(text) <= _LONGEST_NAME
    if not fits or any(len(part) > _LONGEST_LABEL for part in text.split(".")):
        what = f"{text!r} is no DNS name, so no route could ever be found under it."
        yield _error("domain_unusable", "domain", what, "Give a domain such as apps.example.com, in lower case.", text)


def _error(code: str, where: str, what: str, remedy: str, value: Json) -> Finding:
    return Finding(code, Severity.ERROR, where, what, remedy, value)
