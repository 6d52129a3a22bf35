# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gates of the Ansible community on the copy that tools/collection_copy.py makes: name one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from collection_copy import COLLECTIONS, COPY
from project_files import BUILD

GATES = BUILD / "gates" / "bin"
HOME = BUILD / "gates-home"


def run(*command: str | Path, **more: str) -> int:
    env = os.environ | {
        "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS),
        "PATH": f"{GATES}:{os.environ['PATH']}",
        "NO_COLOR": "1",
        # Some of these tools leave logs and caches in the home directory; the user's own is not theirs.
        "HOME": str(HOME),
        "XDG_CACHE_HOME": str(BUILD / "cache"),
        # ansible-core warns about every collection that does not support its version; that is not about this one.
        "ANSIBLE_COLLECTIONS_ON_ANSIBLE_VERSION_MISMATCH": "ignore",
    }
    env.pop("PYTHONPATH", None)
    HOME.mkdir(exist_ok=True)
    return subprocess.run(command, cwd=COPY, env=env | more, check=False).returncode


def ansible_lint() -> int:
    return run(GATES / "ansible-lint", "--nocolor")


def docs() -> int:
    flags = ("--plugin-docs", "--check-extra-docs-refs", "--validate-collection-refs", "dependent")
    return run(GATES / "antsibull-docs", "lint-collection-docs", *flags, COPY)


def changelog() -> int:
    changelog_tool = GATES / "antsibull-changelog"
    return run(changelog_tool, "lint") or run(changelog_tool, "lint-changelog-yaml", "changelogs/changelog.yaml")


def galaxy() -> int:
    """Build the tarball and let Galaxy's importer read it, as an upload would; its warnings count as failures here."""
    place = BUILD / "galaxy"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if code := run(GATES / "ansible-galaxy", "collection", "build", "--output-path", place):
        return code
    tarball = next(place.glob("*.tar.gz"))
    settings = place / "galaxy-importer.cfg"
    # ansible-test and ansible-lint are gates of their own; here they would run a second time, and in a container.
    choices = {"run_ansible_test": False, "run_ansible_lint": False, "run_ansible_doc": True, "check_changelog": True}
    lines = [f"{name} = {value}" for name, value in choices.items()]
    settings.write_text("\n".join(["[galaxy-importer]", *lines, f"tmp_root_dir = {place}"]) + "\n", encoding="utf-8")
    log = place / "importer.log"
    code = run("/bin/sh", "-c", '"$0" -m galaxy_importer.main "$1" > "$2" 2>&1', GATES / "python", tarball, log,
               GALAXY_IMPORTER_CONFIG=str(settings))  # fmt: skip
    text = log.read_text(encoding="utf-8")
    print(text, end="")
    return code or ("WARNING" in text or "ERROR" in text)


NAMES = {"ansible-lint": ansible_lint, "docs": docs, "changelog": changelog, "galaxy": galaxy}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in NAMES:
        sys.exit(f"{__doc__} {', '.join(NAMES)}")
    sys.exit(NAMES[sys.argv[1]]())
