# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy the collection to .build/sanity/ansible_collections/edgeworks/lb_estate.

ansible-test and its like want it at such a place as a real path (no symlink), with only the files that belong to it.
"""

from __future__ import annotations

import shutil
import subprocess

from project_files import BUILD, ROOT, project_files

COLLECTIONS = BUILD / "sanity"
COPY = COLLECTIONS / "ansible_collections" / "edgeworks" / "lb_estate"
PACKAGES = next((BUILD / "venv").glob("lib/python3.*/site-packages"))
#: The modules of awx/ come from here; it stands beside the copy, as Ansible expects.
NEIGHBOURS = ("awx/awx",)


def refresh_copy() -> None:
    shutil.rmtree(COPY, ignore_errors=True)
    for path in project_files():
        (COPY / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, COPY / path, follow_symlinks=False)
    # A repository of its own: ansible-test asks git for the files, and the one around it ignores .build/.
    subprocess.run(["git", "init", "--quiet", COPY], check=True)
    for name in NEIGHBOURS:
        link = COLLECTIONS / "ansible_collections" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(PACKAGES / "ansible_collections" / name)


if __name__ == "__main__":
    refresh_copy()
