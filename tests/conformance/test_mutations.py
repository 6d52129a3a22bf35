# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conformance can fail: every mutation of the model makes it fail, and the unmutated copy passes.

Each mutation is applied to a copy of the core in its own import root, never to the working tree. `make test` takes a
sample whose seed is in the test's name (LB_ESTATE_MUTATION_SEED repeats it); `make test-long` takes them all.
"""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ansible_collections.edgeworks.lb_estate.tests.conformance.mutations import MUTATIONS, Mutation

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "plugins" / "module_utils" / "_core"
SEED = int(os.environ.get("LB_ESTATE_MUTATION_SEED") or random.SystemRandom().randrange(100_000))
SAMPLE = 15
PACKAGE = "ansible_collections.edgeworks.lb_estate.tests.conformance"
# Stops at the first disagreement, which is what a mutation must cause: a core that raises is no proof of anything.
FIRST_DISAGREEMENT = f"""
import json
from {PACKAGE} import kinds, runner
from {PACKAGE}.__main__ import OWN

found = ""
for name, wrong in runner.run(runner.load(OWN), kinds.KINDS):
    if wrong and wrong[0].where != "the core raised":
        found = f"{{name}} {{wrong[0].where}}"
        break
print(json.dumps({{"from": runner.__file__, "found": found}}))
"""


class Copy:
    """The core and the runner in an import root of their own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        collection = root / "ansible_collections" / "edgeworks" / "lb_estate"
        self.core = collection / "plugins" / "module_utils" / "_core"
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CORE, self.core, ignore=without)
        shutil.copytree(ROOT / "tests" / "conformance", collection / "tests" / "conformance", ignore=without)
        (collection / "tests" / "lab").mkdir()
        shutil.copy(ROOT / "tests" / "lab" / "__init__.py", collection / "tests" / "lab")

    @contextmanager
    def mutated(self, mutation: Mutation) -> Iterator[None]:
        file = self.core / mutation.file
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(text, encoding="utf-8")

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        # No byte code is kept: two mutations of one file within a second would look alike to it.
        environment = {**os.environ, "PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=self.root, env=environment, check=False, capture_output=True, text=True, timeout=300
        )

    def first_disagreement(self) -> str:
        ran = self.python("-c", FIRST_DISAGREEMENT)
        assert ran.returncode == 0, ran.stderr
        answer = json.loads(ran.stdout)
        assert Path(answer["from"]).is_relative_to(self.root), "this ran on the working tree, not on the copy"
        return str(answer["found"])


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("mutated"))


def test_there_are_enough_and_each_is_another_mistake() -> None:
    assert len(MUTATIONS) >= 30
    for what in ("why", "change"):
        told = Counter(one.why if what == "why" else (one.file, one.old, one.new) for one in MUTATIONS)
        assert [one for one, times in told.items() if times > 1] == []


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[one.why for one in MUTATIONS])
def test_the_table_speaks_of_the_source_as_it_is(mutation: Mutation) -> None:
    source = (CORE / mutation.file).read_text(encoding="utf-8")
    assert source.count(mutation.old) == 1, "the source has changed: mend this row of mutations.py, or take it out"
    assert ast.dump(ast.parse(source.replace(mutation.old, mutation.new))) != ast.dump(ast.parse(source))


def test_the_copy_without_a_mutation_agrees(copy: Copy) -> None:
    assert copy.first_disagreement() == ""


@pytest.mark.parametrize("seed", [SEED], ids=[f"seed {SEED}"])
def test_a_sample_of_the_mutations_is_noticed(copy: Copy, seed: int) -> None:
    unnoticed = []
    for mutation in random.Random(seed).sample(MUTATIONS, SAMPLE):
        with copy.mutated(mutation):
            if not copy.first_disagreement():
                unnoticed.append(mutation.why)
    assert unnoticed == []


@pytest.mark.long
@pytest.mark.parametrize("mutation", MUTATIONS, ids=[one.why for one in MUTATIONS])
def test_every_mutation_makes_conformance_fail(copy: Copy, mutation: Mutation) -> None:
    """The whole program this time, as `make conformance` runs it."""
    with copy.mutated(mutation):
        assert copy.first_disagreement() != ""
        ran = copy.python("-m", PACKAGE)
    assert ran.returncode == 1, ran.stdout[-2000:]
    passed, failed = (int(part.split()[0]) for part in ran.stdout.splitlines()[-1].split(", "))
    assert failed > 0
    assert passed + failed == 265
