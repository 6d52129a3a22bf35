# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run ansible-test on this working tree, without docker and without its download of a bootstrap script.

ansible-test wants the collection at .../ansible_collections/edgeworks/lb_estate as a real path, so it gets a copy of the
files git knows or would know. Its home lies below .build/, so that its environments are the project's own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from project_files import BUILD, ROOT, project_files

COLLECTIONS = BUILD / "sanity" / "ansible_collections"
COPY = COLLECTIONS / "edgeworks" / "lb_estate"
HOME = BUILD / "ansible-test"
WHEELS = BUILD / "wheels"
VENV = BUILD / "venv"
#: Documentation fragments come from these; they stand beside the copy, as Ansible expects.
NEIGHBOURS = ("kubernetes/core", "amazon/aws", "openstack/cloud")

#: Stands where ansible-test looks for the bootstrap script it would download. Python's own ensurepip gives the same pip;
#: setuptools, which ensurepip may bring along, was not asked for and would hide a missing dependency from the import test.
BOOTSTRAP = """\
import ensurepip, subprocess, sys
ensurepip.bootstrap()
subprocess.run([sys.executable, "-m", "pip", "uninstall", "-q", "-y", "setuptools"], check=True)
"""


def refresh_copy() -> None:
    shutil.rmtree(COPY, ignore_errors=True)
    for path in project_files():
        (COPY / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, COPY / path, follow_symlinks=False)
    # A repository of its own: ansible-test asks git for the files, and the one around it ignores .build/.
    subprocess.run(["git", "init", "--quiet", COPY], check=True)
    packages = next(VENV.glob("lib/python3.*/site-packages")) / "ansible_collections"
    for name in NEIGHBOURS:
        link = COLLECTIONS / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(packages / name)


def lay_out_bootstrap() -> None:
    """Its name carries the pip version ansible-test asks for; read that from ansible-test, so that an update cannot miss it."""
    source = next(VENV.glob("lib/python3.*/site-packages/ansible_test/_internal/python_requirements.py"))
    found = re.search(r"pip='([0-9.]+)'", source.read_text(encoding="utf-8"))
    if not found:
        sys.exit("ansible-test no longer says which pip it bootstraps; see tools/ansible_test.py")
    script = HOME / ".ansible" / "test" / "cache" / f"get_pip_{found[1].replace('.', '_')}.py"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(BOOTSTRAP, encoding="utf-8")


def lay_out_pip_settings() -> None:
    """The packages of the sanity environments were fetched beforehand, with hashes (requirements/sanity.txt).

    ansible-test drops PIP_* variables but keeps HOME, so pip learns it from a file there.
    """
    settings = HOME / ".config" / "pip" / "pip.conf"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f"[global]\nno-index = true\nfind-links = {WHEELS}\n", encoding="utf-8")


def environment() -> dict[str, str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHON", "PIP_", "VIRTUAL_"))}
    return env | {"HOME": str(HOME), "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}


def main(arguments: list[str]) -> int:
    refresh_copy()
    lay_out_bootstrap()
    lay_out_pip_settings()
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    command = [VENV / "bin" / "ansible-test", arguments[0], "--python", python, *arguments[1:]]
    try:
        return subprocess.run(command, cwd=COPY, env=environment(), stdin=subprocess.DEVNULL).returncode
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
