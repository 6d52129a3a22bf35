# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring the software: OpenStack from PyPI by lock, MariaDB unpacked from Debian's packages, nothing system-wide.

A finished part carries a stamp, written last, so an interrupted or outdated one is made anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from .. import debian
from ..debian import STAMP, stamp
from .errors import LabError
from .paths import CACHE, HERE, ROOT

#: MariaDB's server and the libraries of its that a bare Debian lacks; a later Debian's name stands second.
DEBIAN = (("mariadb-server-core",), ("libaio1", "libaio1t64"), ("liburing2",), ("libnuma1",))
#: Bytes free before anything is made: the environment, MariaDB, a template and a lab.
ROOM_TO_INSTALL = 1_200_000_000


@dataclass(frozen=True)
class Software:
    """What a lab is started from."""

    venv: Path
    mariadb: Path
    lock: Path
    mariadb_version: str

    @property
    def python(self) -> Path:
        return self.venv / "bin" / "python"


def python_version() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def setup_tool() -> ModuleType:
    """The project's own set-up (uv, runs with sentences for errors), which is a script and not a package."""
    spec = importlib.util.spec_from_file_location("lb_estate_setup", ROOT / "tools" / "bootstrap.py")
    if spec is None or spec.loader is None:
        raise LabError("tools/bootstrap.py is missing; the lab runs only inside the project's working tree.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def alone(path: Path, say: Callable[[str], None], waiting_for: str) -> Iterator[None]:
    """Two labs started side by side must not make the same thing at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another lab that is {waiting_for}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def need_room(place: Path, wanted: int) -> None:
    place.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(place).free
    if free < wanted:
        raise LabError(
            f"{place} has {free // 1_000_000} MB free and {wanted // 1_000_000} MB are needed. "
            "Free some space and run the same command again."
        )


def software(say: Callable[[str], None]) -> Software:
    """Everything a lab needs, brought if it is not there yet."""
    lock = HERE / f"requirements-{python_version()}.txt"
    if not lock.is_file():
        known = ", ".join(sorted(path.stem.removeprefix("requirements-") for path in HERE.glob("requirements-*.txt")))
        raise LabError(
            f"There is no lock for Python {python_version()}, only for {known}. Run the lab with one of those."
        )
    venv, mariadb = CACHE / f"venv-{python_version()}", CACHE / "mariadb"
    if not (_is_made(venv, lock) and stamp(mariadb)):
        with alone(CACHE / "install.lock", say, "installing OpenStack"):
            make_environment(venv, lock, say)
            make_mariadb(mariadb, say)
    return Software(venv, mariadb, lock, stamp(mariadb))


def make_environment(place: Path, lock: Path, say: Callable[[str], None]) -> None:
    if _is_made(place, lock):
        return
    need_room(CACHE, ROOM_TO_INSTALL)
    say(f"installing Keystone, Neutron and Octavia into {place} (once; about a minute)")
    shutil.rmtree(place, ignore_errors=True)
    tool = setup_tool()
    new = ("venv", "--quiet", "--no-config", "--no-project", "--python", sys.executable)
    sync = (
        "pip",
        "sync",
        "--no-config",
        "--require-hashes",
        "--compile-bytecode",
        "--python",
        place / "bin" / "python",
    )
    try:
        if not tool.UV.exists():
            with tool.alone():
                tool.make_uv()
        tool.run(f"making {place.name}", tool.UV, *new, place)
        tool.run(f"installing {lock.name}", tool.UV, *sync, lock)
    except tool.Problem as problem:
        raise LabError(str(problem)) from None
    (place / STAMP).write_text(_wanted_stamp(place, lock), encoding="utf-8")


def make_mariadb(place: Path, say: Callable[[str], None]) -> None:
    try:
        debian.unpack(place, DEBIAN, "MariaDB", say)
    except debian.Unavailable as problem:
        raise LabError(str(problem)) from None


def _wanted_stamp(place: Path, lock: Path) -> str:
    """The place is part of it: the scripts of a virtual environment name it."""
    return hashlib.sha256(lock.read_bytes() + sys.version.encode() + str(place).encode()).hexdigest()


def _is_made(place: Path, lock: Path) -> bool:
    return stamp(place) == _wanted_stamp(place, lock)
