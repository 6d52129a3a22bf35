# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Database templates: a stopped database with everything a new lab holds, kept in the cache and copied per lab."""

from __future__ import annotations

import hashlib
import shutil
import uuid
from pathlib import Path

from .database import copy_tree
from .packages import Software
from .paths import CACHE, HERE, PLUGIN, State

TEMPLATES = CACHE / "templates"
#: One per Python version in use, and the last one of other code.
KEPT = 4
#: Code that decides what is in a template; a change makes the old ones useless.
SOURCES = (
    HERE / "bootstrap.py",
    HERE / "config.py",
    HERE / "database.py",
    HERE / "services.py",
    PLUGIN / "lab_plugin" / "keys.py",
)


class Template:
    def __init__(self, software: Software) -> None:
        digest = hashlib.sha256(software.lock.read_bytes() + software.mariadb_version.encode())
        for source in SOURCES:
            digest.update(source.read_bytes())
        self.path = TEMPLATES / digest.hexdigest()[:16]

    @property
    def exists(self) -> bool:
        return self.path.is_dir()

    @property
    def lock(self) -> Path:
        return TEMPLATES / "making.lock"

    def fill(self, state: State) -> None:
        """A new lab's data and keys."""
        copy_tree(self.path / "mysql", state.data)
        shutil.copytree(self.path / "keys", state.keys, dirs_exist_ok=True)

    def save(self, state: State) -> None:
        """From a lab whose database is stopped; complete or not there at all."""
        TEMPLATES.mkdir(parents=True, exist_ok=True)
        draft = TEMPLATES / f"draft-{uuid.uuid4().hex}"
        draft.mkdir()
        try:
            copy_tree(state.data, draft / "mysql")
            shutil.copytree(state.keys, draft / "keys")
            draft.rename(self.path)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        self._prune()

    def _prune(self) -> None:
        """Old templates, and drafts of makers that were killed: nobody else makes one, the caller holds the lock."""
        folders = [path for path in TEMPLATES.iterdir() if path.is_dir() and path != self.path]
        drafts = [path for path in folders if path.name.startswith("draft-")]
        finished = sorted((path for path in folders if path not in drafts), key=lambda path: path.stat().st_mtime)
        for path in [*drafts, *finished[: max(0, len(finished) - KEPT + 1)]]:
            shutil.rmtree(path, ignore_errors=True)
