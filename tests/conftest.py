# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs started by tests inherit, so that a bare pytest does the same as make test."""

from __future__ import annotations

import os
import sys
from pathlib import Path

IMPORT_ROOT = Path(__file__).resolve().parents[1] / ".build" / "collections"

if IMPORT_ROOT.is_dir():  # not so in the copy ansible-test works on: it sets up its own
    os.environ["PYTHONPATH"] = str(IMPORT_ROOT)
    os.environ["ANSIBLE_COLLECTIONS_PATH"] = str(IMPORT_ROOT)
    os.environ["ANSIBLE_HOME"] = home = str(IMPORT_ROOT.parent / "ansible-home")
    # Modules run "on the host" by its user's home, which need not be HOME: keep both out of it.
    os.environ["ANSIBLE_REMOTE_TMP"] = f"{home}/remote"
    os.environ["ANSIBLE_ASYNC_DIR"] = f"{home}/async"
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}"
