# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the project lies, and which files belong to it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build"


def project_files() -> list[Path]:
    """The files git knows or would know (relative to ROOT), so that a file is checked before it is committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    paths = {Path(os.fsdecode(name)) for name in listed.stdout.split(b"\0") if name}
    return sorted(path for path in paths if (ROOT / path).is_symlink() or (ROOT / path).is_file())
