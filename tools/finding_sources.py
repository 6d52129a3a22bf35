# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python files as syntax trees: which functions they have, and what a name may stand for at some place in them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Source:
    """One file: its functions and methods, without those inside them, and what it imports from its neighbours."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.classes = [node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)]
        self.functions = [node for node in self.tree.body if isinstance(node, Function)]
        self.methods = [node for owner in self.classes for node in owner.body if isinstance(node, Function)]
        self.imports = {name: place for node in ast.walk(self.tree) for name, place in _imported(path, node)}

    def calls(self) -> Iterator[tuple[ast.Call, Function | None]]:
        """Every call, with the function it stands in."""
        inside: dict[ast.AST, Function] = {}
        for function in (*self.functions, *self.methods):
            inside |= dict.fromkeys(ast.walk(function), function)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield node, inside.get(node)

    def values(self) -> Iterator[ast.Name | ast.Attribute]:
        """Every name that is not called where it stands."""
        called = {id(call.func) for call, _function in self.calls()}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called:
                yield node


def _imported(path: Path, node: ast.AST) -> Iterator[tuple[str, tuple[Path, str]]]:
    """Name here → file and name there, '' for the file itself. Only neighbours: imports inside are relative."""
    if not isinstance(node, ast.ImportFrom) or not node.level:
        return
    place = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
    for alias in node.names:
        module = place / f"{alias.name}.py"
        inside = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        yield alias.asname or alias.name, (module, "") if module.is_file() else (inside, alias.name)


@dataclass(frozen=True)
class Scope:
    """Where an expression stands. `given`: what a caller passed, with the scope that it stands in; None: no caller."""

    source: Source
    function: Function | None = None
    given: Mapping[str, tuple[ast.expr, Scope]] | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """As a caller counts them."""
        if self.function is None:
            return ()
        arguments = self.function.args
        everyone = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        return tuple(one.arg for one in everyone if one.arg not in ("self", "cls"))

    def called(self, call: ast.Call, caller: Scope) -> Scope:
        """The same with what a call passes. What it leaves out has its default, which stands in the file."""
        here = Scope(self.source)
        left_out = {name: (value, here) for name, value in self._defaults()}
        passed = {name: (value, caller) for name, value in passed_by(call, self.parameters).items()}
        return Scope(self.source, self.function, left_out | passed)

    def _defaults(self) -> Iterator[tuple[str, ast.expr]]:
        if self.function is None:
            return
        arguments = self.function.args
        in_order = [*arguments.posonlyargs, *arguments.args]
        for one, value in zip(reversed(in_order), reversed(arguments.defaults), strict=False):
            yield one.arg, value
        for one, by_name in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if by_name is not None:
                yield one.arg, by_name

    def assigned(self, name: str) -> list[ast.expr]:
        """What the name may stand for: here, else in the file."""
        inside = list(ast.walk(self.function)) if self.function else []
        here = [*_assigned(name, inside), *self._looped(name, inside)]
        return here or _assigned(name, self.source.tree.body)

    def _looped(self, name: str, inside: Sequence[ast.AST]) -> list[ast.expr]:
        """A loop over a table that is written down: the name's column."""
        loops = [node for node in inside if isinstance(node, (ast.For, ast.comprehension))]
        rows = [(loop.target, row) for loop in loops for row in self._rows(loop.iter, inside)]
        return [one for target, row in rows for one in _unpacked(name, target, row)]

    def _rows(self, table: ast.expr, inside: Sequence[ast.AST]) -> list[ast.expr]:
        tables = [table]
        if isinstance(table, ast.Name):
            tables = _assigned(table.id, inside) or _assigned(table.id, self.source.tree.body) or [table]
        return [row for one in tables for row in (one.elts if isinstance(one, (ast.Tuple, ast.List)) else [one])]


def passed_by(call: ast.Call, parameters: Sequence[str]) -> dict[str, ast.expr]:
    """Parameter → what the call gives it, as far as that can be seen."""
    seen = [] if any(isinstance(one, ast.Starred) for one in call.args) else call.args
    return dict(zip(parameters, seen, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}


def _assigned(name: str, nodes: Iterable[ast.AST]) -> list[ast.expr]:
    found: list[ast.expr] = []
    for node in nodes:
        if isinstance(node, ast.Assign):
            found += [one for target in node.targets for one in _unpacked(name, target, node.value)]
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            found += _unpacked(name, node.target, node.value)
    return found


def _unpacked(name: str, target: ast.expr, value: ast.expr) -> list[ast.expr]:
    """The part of the value that goes to the name; the whole where that cannot be told."""
    if isinstance(target, ast.Name):
        return [value] if target.id == name else []
    if not isinstance(target, ast.Tuple):
        return []
    if isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        return [one for inner, part in pairs for one in _unpacked(name, inner, part)]
    return [value for inner in target.elts for _one in _unpacked(name, inner, value)]
