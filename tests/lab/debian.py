# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs out of Debian's packages, unpacked into a directory of the project: nothing is installed on the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

STAMP = ".made-from"
Names = tuple[str, ...]  # of one package; a later Debian's name stands second


class Unavailable(Exception):
    """A sentence that says what is missing and what to do."""


def stamp(place: Path) -> str:
    """What the place was made from, empty while it is not (or only half) made."""
    try:
        return (place / STAMP).read_text(encoding="utf-8")
    except OSError:
        return ""


def unpack(place: Path, packages: Sequence[Names], purpose: str, say: Callable[[str], None]) -> None:
    """Once; the stamp, the first package's archive name, is written last, so that a half-done place starts over."""
    if stamp(place):
        return
    for tool in ("apt-get", "dpkg"):
        if not shutil.which(tool):
            raise Unavailable(f"{purpose} comes from Debian's packages, and {tool} is not here. Run this on Debian 12.")
    say(f"unpacking {purpose} from Debian's packages (once)")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    archives = [_downloaded(place, names) for names in packages]
    for archive in archives:
        done = _run(place, "dpkg", "-x", archive.name, ".")
        if done.returncode:
            raise Unavailable(
                f"{archive.name} could not be unpacked: {done.stdout.strip()}. Try again; it starts over."
            )
        archive.unlink()
    (place / STAMP).write_text(archives[0].name, encoding="utf-8")


def _downloaded(place: Path, names: Names) -> Path:
    problems = [_download(place, name) for name in names]
    if all(problems):
        # Fresh machines have no package lists, old ones lists that name packages no longer served.
        _apt(place, "update", "-qq")
        problems = [_download(place, name) for name in names]
    if all(problems):
        raise Unavailable(
            f"apt-get cannot bring the Debian package {names[0]}: {problems[0]}\n"
            "Check that this machine reaches Debian's packages (apt-get update, as root) and try again."
        )
    return next(path for name in names for path in place.glob(f"{name}_*.deb"))


def _download(place: Path, name: str) -> str:
    """An empty text when the package is there, else what apt said."""
    return "" if any(place.glob(f"{name}_*.deb")) else _apt(place, "download", "-qq", name)


def _apt(place: Path, *arguments: str) -> str:
    done = _run(place, "apt-get", *arguments)
    if done.returncode == 0:
        return ""
    errors = [line for line in done.stdout.splitlines() if line.startswith("E:")]
    return " ".join(errors[-2:]) or f"apt-get {arguments[0]} ended with code {done.returncode}"


def _run(place: Path, *command: str) -> subprocess.CompletedProcess[str]:
    env = dict(os.environ) | {"LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(
        command, check=False, cwd=place, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
