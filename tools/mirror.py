# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/unit mirrors plugins/: plugins/a/x.py has tests/unit/plugins/a/test_x.py, and no other test does.

One that grows too long goes on in test_x__topic.py beside it.
"""

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
    twins = {twin_of(path) for path in plugins}
    for path in sorted(path for path in tests - twins if _begun_in(path) not in twins):
        yield f"{path}: there is no plugin file of that name; tests/tools is for what is no plugin's"


def twin_of(plugin: Path) -> Path:
    return UNIT / plugin.with_name(_PREFIX + plugin.name)


def _begun_in(test: Path) -> Path:
    """The file that this one goes on from. Names of plugins may begin with a line, so it is the last two that part."""
    return test.with_name(f"{test.stem.rpartition('__')[0]}.py")
