# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The embedded lab: servers on loopback that tests, demo and benchmarks run against.

The collection's own code is imported by its Ansible name, which needs a directory named like the collection above the
repository. `make venv` puts it under .build/; a lab started before that makes it here.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_COLLECTIONS = ROOT / ".build" / "collections"


def _import_root() -> None:
    link = _COLLECTIONS / "ansible_collections" / "edgeworks" / "lb_estate"
    if ROOT.parent.name == "edgeworks" and ROOT.parents[1].name == "ansible_collections":
        root = ROOT.parents[2]
    else:
        root = _COLLECTIONS
        if not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(ROOT, target_is_directory=True)
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))


_import_root()
