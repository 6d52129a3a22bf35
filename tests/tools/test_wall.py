# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CORE-1, the wall: the core decides and does nothing else. No I/O, no clock, no Ansible, no SDK, however imported.

Two views of the same rule: every file is read (imports inside functions, calls of open or now), and every module is
imported in a fresh interpreter in which the SDKs are not to be had and the core's own imports are watched.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "plugins" / "module_utils" / "_core"
# What a function from values to values needs. Anything else wants a reason, here.
ALLOWED = frozenset(
    {
        *("__future__", "collections", "dataclasses", "enum", "functools", "itertools", "types", "typing"),
        *("hashlib", "ipaddress", "json", "re", "shlex", "datetime", "dateutil", "difflib", "zoneinfo"),
    }
)
CALLS = frozenset({"open", "print", "input", "eval", "exec", "breakpoint", "__import__"})
CLOCK = frozenset({"now", "utcnow", "today"})

NOT_TO_BE_HAD = ("ansible", "kubernetes", "boto3", "botocore", "openstack", "requests", "urllib3", "yaml")
NOT_FOR_THE_CORE = ("os", "posix", "io", "pathlib", "socket", "ssl", "subprocess", "time", "random", "uuid", "logging")

# Run in its own interpreter: argv is the folder above the package, the package's name, and the two lists.
WATCHED_IMPORT = """
import builtins, importlib, json, pkgutil, sys

root, package, nowhere, not_for_core = sys.argv[1], sys.argv[2], sys.argv[3].split(","), sys.argv[4].split(",")
problems, imported, real = [], [], builtins.__import__


class Nowhere:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in nowhere:
            raise ImportError(f"{name} is not to be had")


def watched(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    if level == 0 and importer.partition(".")[0] == package and name.partition(".")[0] in not_for_core:
        raise ImportError(f"{name} is not for the core")
    return real(name, globals, locals, fromlist, level)


for name in [name for name in sys.modules if name.partition(".")[0] in nowhere]:
    del sys.modules[name]
sys.meta_path.insert(0, Nowhere)
builtins.__import__ = watched
sys.path.insert(0, root)
names = [package]
for name in names:
    try:
        found = importlib.import_module(name)
    except ImportError as problem:
        problems.append(f"{name}: {problem}")
        continue
    imported.append(name)
    if hasattr(found, "__path__"):
        names.extend(entry.name for entry in pkgutil.iter_modules(found.__path__, name + "."))
builtins.__import__ = real
print(json.dumps({"imported": imported, "problems": problems}))
"""


def offences(file: Path, package: Path) -> list[str]:
    """What one file of the package does that the core may not."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    depth = len(file.relative_to(package).parts)
    where = file.relative_to(package.parent)
    return [f"{where}:{line}: {what}" for node in ast.walk(tree) for line, what in _offences(node, depth)]


def _offences(node: ast.AST, depth: int) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.partition(".")[0] not in ALLOWED:
                yield node.lineno, f"imports {alias.name}"
    elif isinstance(node, ast.ImportFrom):
        if node.level > depth:
            yield node.lineno, f"imports {node.module or '.'} from outside the core"
        elif not node.level and (node.module or "").partition(".")[0] not in ALLOWED:
            yield node.lineno, f"imports {node.module}"
    elif isinstance(node, ast.Name) and node.id in CALLS:
        yield node.lineno, f"uses {node.id}"
    elif isinstance(node, ast.Attribute) and node.attr in CLOCK and isinstance(node.value, (ast.Name, ast.Attribute)):
        owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
        if owner in ("datetime", "date"):
            yield node.lineno, f"reads the clock with {owner}.{node.attr}"


def watch(package: Path) -> dict[str, list[str]]:
    """Every module of a package imported behind the wall: which ones came in, and which problems there were."""
    lists = [",".join(NOT_TO_BE_HAD), ",".join(NOT_FOR_THE_CORE)]
    command = [sys.executable, "-I", "-B", "-c", WATCHED_IMPORT, str(package.parent), package.name, *lists]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    found: dict[str, list[str]] = json.loads(ran.stdout)
    return found


def test_every_file_of_the_core_keeps_to_itself() -> None:
    files = sorted(CORE.rglob("*.py"))
    assert len(files) > 20
    assert [offence for file in files for offence in offences(file, CORE)] == []


def test_every_module_of_the_core_comes_in_behind_the_wall() -> None:
    found = watch(CORE)
    assert found["problems"] == []
    assert len(found["imported"]) == len(list(CORE.rglob("*.py")))
    assert {"_core", "_core.model", "_core.operator.reconcile"} <= set(found["imported"])


# --- the wall can fail -----------------------------------------------------------------------------------------------


def planted(folder: Path, text: str) -> Path:
    package = folder / "_core"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "inner" / "__init__.py").touch()
    (package / "inner" / "planted.py").write_text(text + "\n", encoding="utf-8")
    return package


AT_IMPORT = {
    "import os": "imports os",
    "import os.path": "imports os.path",
    "from socket import socket": "imports socket",
    "import subprocess as quietly": "imports subprocess",
    "from time import sleep": "imports time",
    "import ansible.module_utils.basic": "imports ansible.module_utils.basic",
    "import kubernetes": "imports kubernetes",
    "from botocore.session import Session": "imports botocore.session",
    "try:\n    import openstack\nexcept ModuleNotFoundError:\n    openstack = None": "imports openstack",
}
BY_READING = {
    "def later():\n    import os": "imports os",
    "import importlib\nos = importlib.import_module": "imports importlib",
    "from ..._ports import kube": "imports _ports from outside the core",
    "def read(path):\n    return open(path).read()": "uses open",
    "loud = print": "uses print",
    "from datetime import datetime\ndef when():\n    return datetime.now()": "reads the clock with datetime.now",
    "import datetime\nTODAY = datetime.date.today()": "reads the clock with date.today",
    "hidden = __import__('os')": "uses __import__",
}


@pytest.mark.parametrize(("text", "told"), (AT_IMPORT | BY_READING).items(), ids=(AT_IMPORT | BY_READING).values())
def test_reading_a_planted_file_finds_it(tmp_path: Path, text: str, told: str) -> None:
    package = planted(tmp_path, text)
    (found,) = offences(package / "inner" / "planted.py", package)
    assert found.endswith(f": {told}")


@pytest.mark.parametrize("text", AT_IMPORT)
def test_importing_a_planted_module_finds_it(tmp_path: Path, text: str) -> None:
    found = watch(planted(tmp_path, text))
    assert found["imported"] == ["_core", "_core.inner"]
    assert len(found["problems"]) == 1
    assert found["problems"][0].startswith("_core.inner.planted: ")


def test_a_clean_module_passes_both(tmp_path: Path) -> None:
    package = planted(tmp_path, "import json\nimport re\nfrom datetime import datetime\nfrom .. import inner")
    assert offences(package / "inner" / "planted.py", package) == []
    assert watch(package) == {"imported": ["_core", "_core.inner", "_core.inner.planted"], "problems": []}
