# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs vector files through the pure core and tells where the two disagree."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

Vector = dict[str, Any]
_NOT_VECTORS = 'not a vector file (JSON with a list "vectors"):'


@dataclass(frozen=True)
class Mismatch:
    """One place where the core's answer is not what the vector expects."""

    where: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.where}\n      expected {_text(self.expected)}\n      got      {_text(self.got)}"


Kind = Callable[[Vector], Sequence[Mismatch]]


def compare(expected: Mapping[str, Any], got: Mapping[str, Any], where: str = "") -> list[Mismatch]:
    """Every key that is expected must be there and equal; a key the answer lacks counts as absent."""
    missing = object()
    return [
        Mismatch(f"{where}{key}", value, "<absent>" if got.get(key, missing) is missing else got[key])
        for key, value in expected.items()
        if got.get(key, missing) != value
    ]


def load(path: Path) -> list[Vector]:
    """The vectors of one file; ValueError with a sentence when it is not one."""
    try:
        vectors = json.loads(path.read_text(encoding="utf-8"))["vectors"]
    except FileNotFoundError:
        raise ValueError(
            f"{path}: no such file. Name a vector file, or leave FILES out for the copy in tests/conformance."
        ) from None
    except OSError as problem:
        raise ValueError(f"{path}: cannot be read: {problem.strerror}. Name a vector file.") from None
    except (ValueError, KeyError, TypeError) as problem:
        raise ValueError(f"{path}: {_NOT_VECTORS} {problem!r}") from None
    if not isinstance(vectors, list) or not all(isinstance(vector, dict) and "id" in vector for vector in vectors):
        raise ValueError(f"{path}: {_NOT_VECTORS} every vector is an object with an id")
    return vectors


def run(vectors: Sequence[Vector], kinds: Mapping[str, Kind]) -> Iterator[tuple[str, list[Mismatch]]]:
    """(id, mismatches) of each vector; an unknown kind and a crash are failures like any other."""
    for vector in vectors:
        kind = kinds.get(vector.get("kind", ""))
        if kind is None:
            yield vector["id"], [Mismatch("kind", "one that is implemented", vector.get("kind"))]
            continue
        try:
            yield vector["id"], list(kind(vector))
        except Exception as crash:
            yield vector["id"], [Mismatch("the core raised", "an answer", repr(crash))]


def report(paths: Sequence[Path], kinds: Mapping[str, Kind], out: TextIO) -> int:
    """Prints the failing ids and the closing line; the exit code. Optional vectors are told apart, and not counted."""
    passed = failed = 0
    aside: list[str] = []
    loaded = [(path, load(path)) for path in paths]  # a bad file is told before the work on the good ones
    for path, vectors in loaded:
        optional = {vector["id"] for vector in vectors if vector.get("optional")}
        for name, mismatches in run(vectors, kinds):
            if name in optional:
                aside.append("" if not mismatches else name)
            elif not mismatches:
                passed += 1
            else:
                failed += 1
                out.write(f"FAILED {name} ({path.name})\n")
                out.writelines(f"    {mismatch}\n" for mismatch in mismatches)
    if aside:
        differ = [name for name in aside if name]
        out.write(
            f"optional, not counted: {len(aside) - len(differ)} agree, {len(differ)} differ: {', '.join(differ)}\n"
        )
    out.write(f"{passed} passed, {failed} failed\n")
    return 1 if failed or not passed else 0


def _text(value: Any) -> str:
    return value if value == "<absent>" else json.dumps(value, sort_keys=True, default=repr)
