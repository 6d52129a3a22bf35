# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make what the Makefile's targets run in, all below .build/: uv, virtual environments, the collection import root.

Runs on a bare Python 3.11 (standard library only). Doing it twice costs nothing: a finished environment carries a stamp
of the lock it was made from, written last, so an interrupted or outdated one is made anew.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build"
UV = BUILD / "uv" / "bin" / "uv"
STAMP = ".made-from"
#: ansible-core 2.19 runs on these as a controller.
PYTHON_LOWEST, PYTHON_ABOVE = (3, 11), (3, 14)
#: name of the environment -> where it lives. Its lock is requirements/<name>.txt.
ENVIRONMENTS = {"main": BUILD / "venv", "gates": BUILD / "gates"}
#: ansible-test installs its sanity environments from here, offline.
WHEELS = BUILD / "wheels"
NO_NETWORK = (
    "dns error",
    "connection refused",
    "failed to establish a new connection",
    "timed out",
    "network is unreachable",
)
NO_NETWORK += ("name resolution", "error sending request", "could not resolve", "error trying to connect")


class Problem(Exception):
    """Something a person has to put right; its text says what and how."""


def say(text: str) -> None:
    print(f"setup: {text}", file=sys.stderr, flush=True)


def installer_environment() -> dict[str, str]:
    """The caller's environment, with downloads kept inside the project and the machine's own certificates trusted."""
    caches = {"UV_CACHE_DIR": str(BUILD / "cache" / "uv"), "PIP_CACHE_DIR": str(BUILD / "cache" / "pip")}
    env = caches | dict(os.environ) | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    env |= {"UV_PYTHON_DOWNLOADS": "never", "UV_SYSTEM_CERTS": "true", "UV_NO_PROGRESS": "1"}
    # A virtual environment the caller happens to be in must not receive our packages.
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONHOME", "PYTHONPATH"):
        env.pop(name, None)
    return env


def run(what: str, *command: str | Path) -> None:
    done = subprocess.run(
        [str(part) for part in command],
        env=installer_environment(),
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode == 0:
        return
    last = "\n".join(f"    {line}" for line in done.stdout.strip().splitlines()[-12:])
    if any(sign in done.stdout.lower() for sign in NO_NETWORK):
        raise Problem(
            f"{what} failed: PyPI cannot be reached. Check the network or the proxy, then run the same command again."
        )
    raise Problem(f"{what} failed:\n{last}")


def digest(*parts: str | bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part.encode() if isinstance(part, str) else part)
    return whole.hexdigest()


def wanted_stamp(name: str) -> str:
    lock = ROOT / "requirements" / f"{name}.txt"
    # The place is part of it: the scripts of a virtual environment name it, so a moved working tree needs a new one.
    # So is the Python, except for uv, which is a program of its own and serves them all.
    return digest(lock.read_bytes(), str(ROOT), "" if name == "uv" else sys.version)


def is_made(name: str, place: Path) -> bool:
    stamp = place / STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted_stamp(name)


def finish(name: str, place: Path) -> None:
    (place / STAMP).write_text(wanted_stamp(name), encoding="utf-8")


def need_python() -> None:
    if not PYTHON_LOWEST <= sys.version_info[:2] < PYTHON_ABOVE:
        found = ".".join(map(str, sys.version_info[:3]))
        raise Problem(
            f"Python {found} is not one this project runs on (3.11, 3.12, 3.13). Name another: make PYTHON=python3.11 …"
        )


def need_venv_module() -> None:
    """Debian ships python3 without ensurepip; python3-venv brings it."""
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Problem(
            f"This Python has no ensurepip. Install it as root (apt-get install {package}), then run the same command "
            "again."
        )
    say(f"installing the Debian package {package}")
    env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
    ):
        done = subprocess.run(
            command, env=env, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    if done.returncode != 0:
        raise Problem(
            f"apt-get could not install {package}; it says {done.stdout.strip().splitlines()[-1:]}. Install it by "
            "hand, then run the same command again."
        )


def make_uv() -> None:
    place = UV.parent.parent
    if is_made("uv", place):
        return
    need_venv_module()
    say("getting uv")
    shutil.rmtree(place, ignore_errors=True)
    run("making the environment for uv", sys.executable, "-m", "venv", place)
    lock = ROOT / "requirements" / "uv.txt"
    run(
        "installing uv",
        place / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--require-hashes",
        "--requirement",
        lock,
    )
    finish("uv", place)


def compile_packages(place: Path) -> None:
    """Byte code now, once: some machines set PYTHONDONTWRITEBYTECODE and would compile at every start."""
    packages = next(place.glob("lib/python3.*/site-packages"))
    collections = packages / "ansible_collections"
    # No collection of the ansible package is imported here; compiling them would take a minute.
    targets = [path for path in packages.iterdir() if path != collections and path.suffix not in (".dist-info", ".pth")]
    subprocess.run(
        [place / "bin" / "python", "-m", "compileall", "-qq", "-j", "0", *targets],
        check=False,
        stdout=subprocess.DEVNULL,
    )


def make_environment(name: str) -> None:
    place = ENVIRONMENTS[name]
    if is_made(name, place):
        return
    make_uv()
    say(f"installing the {name} environment into {place.relative_to(ROOT)} (once; a minute or two)")
    shutil.rmtree(place, ignore_errors=True)
    run(f"making {place.name}", UV, "venv", "--quiet", "--no-config", "--no-project", "--python", sys.executable, place)
    lock = ROOT / "requirements" / f"{name}.txt"
    run(
        f"installing {lock.name}",
        UV,
        "pip",
        "sync",
        "--no-config",
        "--require-hashes",
        "--python",
        place / "bin" / "python",
        lock,
    )
    compile_packages(place)
    finish(name, place)


def make_wheels() -> None:
    """The pinned packages of ansible-test's sanity environments; ansible-test itself would not check their hashes."""
    if is_made("sanity", WHEELS):
        return
    say("fetching the packages of the sanity tests")
    shutil.rmtree(WHEELS, ignore_errors=True)
    lock = ROOT / "requirements" / "sanity.txt"
    pip = [UV.parent / "python", "-m", "pip", "download", "--quiet", "--require-hashes", "--only-binary", ":all:"]
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"  # uv's own environment may have another one
    run(f"fetching {lock.name}", *pip, "--python-version", python, "--dest", WHEELS, "--requirement", lock)
    finish("sanity", WHEELS)


def make_import_root() -> None:
    """.build/collections is where Python and Ansible find this working tree as the collection it is."""
    link = BUILD / "collections" / "ansible_collections" / "edgeworks" / "lb_estate"
    if link.is_symlink() and link.resolve() == ROOT:
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    # Relative, so the working tree can be moved.
    link.symlink_to(os.path.relpath(ROOT, link.parent), target_is_directory=True)


@contextmanager
def alone() -> Iterator[None]:
    """Two commands started side by side must not build the same environment at once."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / ".lock").open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another setup in this directory to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environments", nargs="+", choices=[*ENVIRONMENTS])
    wanted = parser.parse_args().environments
    try:
        need_python()
        with alone():
            make_import_root()
            make_uv()
            for name in wanted:
                make_environment(name)
            if "gates" in wanted:
                make_wheels()
    except Problem as problem:
        say(str(problem))
        return 1
    except KeyboardInterrupt:
        say("interrupted; run the same command again to go on")
        return 130
    except OSError as error:
        say(f"{error}. Put that right and run the same command again.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
