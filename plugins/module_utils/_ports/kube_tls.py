# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS with an API server: certificates and keys go from memory into the context and are never files on a disk."""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias

from .errors import Misconfigured, missing_library

Pem: TypeAlias = "str | bytes"  # the path of a file, or what would be in it


@dataclass(repr=False)
class Certificates:
    ca_cert: Pem = ""
    client_cert: Pem = ""
    client_key: Pem = ""

    def __str__(self) -> str:
        parts = [part for part in (self.ca_cert, self.client_cert, self.client_key) if part]
        return ", ".join(part if isinstance(part, str) else "inside the kubeconfig" for part in parts)


def context(host: str, given: Certificates, *, verify: bool) -> ssl.SSLContext:
    """One for all connections. A CA that was given is the only one trusted, whatever SSL_CERT_FILE says."""
    try:
        # urllib3's own making: its older releases check the host's name themselves and want the context not to.
        from urllib3.util.ssl_ import create_urllib3_context
    except ImportError as error:
        raise missing_library("kubernetes", "talking to a cluster") from error
    made: ssl.SSLContext = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED if verify else ssl.CERT_NONE)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        if verify:
            _trust(made, given.ca_cert)
        if given.client_cert:
            with ExitStack() as until_loaded:
                certificate = until_loaded.enter_context(as_file(given.client_cert))
                key = until_loaded.enter_context(as_file(given.client_key))
                made.load_cert_chain(certificate, key or None)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise Misconfigured(
            f"A certificate or key for {host} cannot be used ({given}): {error}.",
            "ca_cert, client_cert and client_key must be readable PEM files, key and certificate a pair.",
        ) from error
    return made


def _trust(context: ssl.SSLContext, ca_cert: Pem) -> None:
    if not ca_cert:
        context.load_default_certs()
    elif isinstance(ca_cert, str):
        context.load_verify_locations(cafile=ca_cert)
    else:
        # Between the certificates of a bundle there may be comments in any language.
        context.load_verify_locations(cadata=ca_cert.decode("ascii", "ignore"))


@contextmanager
def as_file(pem: Pem) -> Iterator[str]:
    """A path for a library that takes nothing else; what is in memory has one only for so long."""
    if isinstance(pem, str):
        yield pem
        return
    # Where there is no file in memory: one that only this user may read, removed when it is closed.
    with _unlisted() or tempfile.NamedTemporaryFile() as file:
        file.write(pem)
        file.flush()
        yield _path(file)


def _unlisted() -> IO[bytes] | None:
    """A file in memory that is in no directory (Linux): even a process that is killed leaves nothing behind."""
    try:
        file = os.fdopen(os.memfd_create("pem"), "wb")
    except (AttributeError, OSError):
        return None
    if Path(_path(file)).exists():
        return file
    file.close()
    return None


def _path(file: IO[bytes]) -> str:
    """Of a file in memory the system knows no name, only its number in this process."""
    return file.name if isinstance(file.name, str) else f"/proc/self/fd/{file.fileno()}"
