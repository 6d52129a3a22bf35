# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run ansible-test on this working tree, without docker and without its download of a bootstrap script.

It works on the copy that tools/collection_copy.py makes. Its home lies below .build/, so that the environments of its
sanity tests are the project's own; the first run makes them, which takes a minute.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from collection_copy import COPY
from project_files import BUILD

HOME = BUILD / "ansible-test"
WHEELS = BUILD / "wheels"
VENV = BUILD / "venv"
#: Stands where ansible-test looks for the bootstrap script it would download. Python's own ensurepip brings a pip, too;
#: setuptools, which may come along, was not asked for and would hide a missing dependency from the import test.
BOOTSTRAP = """\
import ensurepip, subprocess, sys
ensurepip.bootstrap()
subprocess.run([sys.executable, "-m", "pip", "uninstall", "-q", "-y", "setuptools"], check=True)
"""


def lay_out_bootstrap() -> None:
    """Its name carries the pip version ansible-test asks for, which only ansible-test's own source tells."""
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


def lay_out_shellcheck() -> None:
    """Alone in a folder on the PATH: beside it in its environment stand other versions of what ansible-test calls."""
    link = HOME / "bin" / "shellcheck"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(BUILD / "gates" / "bin" / "shellcheck")


def environment() -> dict[str, str]:
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ANSIBLE_", "PYTHON", "PIP_", "VIRTUAL_"))
    }
    path = f"{VENV / 'bin'}:{HOME / 'bin'}:{os.environ['PATH']}"
    return env | {"HOME": str(HOME), "PATH": path, "LC_ALL": "C.UTF-8"}


def main(arguments: list[str]) -> int:
    lay_out_bootstrap()
    lay_out_pip_settings()
    lay_out_shellcheck()
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    command = [VENV / "bin" / "ansible-test", arguments[0], "--python", python, *arguments[1:]]
    try:
        return subprocess.run(command, cwd=COPY, env=environment(), check=False, stdin=subprocess.DEVNULL).returncode
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
