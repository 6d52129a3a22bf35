# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the keys a lab needs, once per template: Octavia's certificate authority and Keystone's token keys."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

from cryptography import x509
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def authority(place: Path, passphrase: bytes) -> None:
    """Without a CA every load balancer ends in ERROR: Octavia signs a certificate for each amphora."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "OpenStack lab")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=3650))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (place / "ca.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    encryption = serialization.BestAvailableEncryption(passphrase)
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, encryption)
    (place / "ca.key").write_bytes(private)


def tokens(place: Path) -> None:
    """Keystone's layout: 0 is the staged key, the highest number the primary one."""
    place.mkdir(exist_ok=True)
    for number in ("0", "1"):
        path = place / number
        path.write_bytes(Fernet.generate_key())
        path.chmod(0o600)


def main() -> None:
    place = Path(sys.argv[1])
    authority(place, sys.argv[2].encode())
    tokens(place / "fernet")


if __name__ == "__main__":
    main()
