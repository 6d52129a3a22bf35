# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/unit mirrors plugins/ one to one: plugins/a/x.py has tests/unit/plugins/a/test_x.py, and no other test does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

PLUGINS, UNIT = Path("plugins"), Path("tests/unit")
_PREFIX = "test_"


def unmirrored(files: Iterable[Path]) -> Iterator[str]:
    """One sentence for each plugin file without its test file, and for each test file without its plugin file."""
    known = {path for path in files if path.suffix == ".py" and path.name != "__init__.py"}
    plugins = {path for path in known if path.is_relative_to(PLUGINS)}
    tests = {path for path in known if path.is_relative_to(UNIT) and path.name.startswith(_PREFIX)}
    for path in sorted(plugins):
        if twin_of(path) not in tests:
            yield f"{path}: {twin_of(path)} is missing; write there what it has to do"
    for path in sorted(tests - {twin_of(path) for path in plugins}):
        yield f"{path}: there is no plugin file of that name; tests/tools is for what is no plugin's"


def twin_of(plugin: Path) -> Path:
    return UNIT / plugin.with_name(_PREFIX + plugin.name)
