# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which codes the plugins use, and as what: read from their syntax trees, without importing them.

A code is a string where it is made, or it is put together of strings on the way: handed through small functions, taken
from a table, chosen by a condition. All of that is followed. What cannot be followed is a complaint, so no code is
overlooked.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from finding_sources import Function, Scope, Source, passed_by

#: What carries a code → the first parameters of its constructor.
CARRIERS = {"Finding": ("code", "severity"), "FailureCause": ("code",), "Refusal": ("code",)}
#: Carriers without a severity → what their code is used as.
USED_AS = {"FailureCause": "cause", "Refusal": "error"}
#: Expressions that are codes but no strings → what they can be.
TOLD: Mapping[str, Sequence[str]] = {"decision.verdict.value": ("invalid", "blocked")}
TABLE = "TOLD in tools/finding_codes.py"


@dataclass(frozen=True)
class Use:
    code: str
    used_as: str  # info, warning, error, or cause: of a wait that failed
    where: str


class Untold(Exception):
    """It cannot be told which strings an expression may be."""


class Awaiting(Exception):
    """An expression depends on a parameter; the callers tell."""


class Scan:
    """All uses below a folder, and complaints on what could not be followed."""

    def __init__(self, folder: Path, told: Mapping[str, Sequence[str]]) -> None:
        self.uses: list[Use] = []
        self.complaints: list[str] = []
        self._told = told
        self._needed: set[str] = set()
        self._root = folder.parent
        self._sources = {path: Source(path) for path in sorted(folder.rglob("*.py"))}
        # Functions that make a code of their parameters → the calls inside them that do.
        self._through: dict[Function, list[ast.Call]] = defaultdict(list)
        while self._look():
            pass
        self.complaints += [*self._passed_on(), *self._not_needed()]

    def _look(self) -> bool:
        """One look at everything; True where it found functions that hand codes through: then another is needed."""
        self.uses, self.complaints, again = [], [], False
        for source in self._sources.values():
            for node, value in _class_codes(source):
                self._count(node, Scope(source), self._of_class(value, Scope(source)))
            for call, function in source.calls():
                scope = Scope(source, function)
                if not self._count(call, scope, self._made(call, scope)) and function is not None:
                    again |= call not in self._through[function]
                    self._through[function] += [] if call in self._through[function] else [call]
        return again

    def _count(self, node: ast.expr | ast.stmt, scope: Scope, made: Iterable[tuple[str, str]]) -> bool:
        """False where only callers can tell what is made."""
        where = self._where(scope.source, node)
        try:
            self.uses += [Use(code, used_as, where) for code, used_as in made]
        except Untold as problem:
            remedy = f"write it as a string, or explain it in {TABLE}"
            self.complaints.append(f"{where}: cannot tell which code {problem} is; {remedy}")
        except Awaiting:
            return False
        return True

    def _where(self, source: Source, node: ast.expr | ast.stmt) -> str:
        return f"{source.path.relative_to(self._root)}:{node.lineno}"

    def _passed_on(self) -> Iterator[str]:
        """What a function is given where it is not called by name cannot be seen."""
        for source in self._sources.values():
            for node in source.values():
                if any(scope.function in self._through for scope in self._called(node, source)):
                    what = f"{ast.unparse(node)} makes codes of its parameters"
                    yield f"{self._where(source, node)}: {what}; call it instead of passing it on"

    def _not_needed(self) -> Iterator[str]:
        for text in sorted(set(self._told) - self._needed):
            yield f"{TABLE}: {text!r} is no code anywhere; take it out"

    def _of_class(self, value: ast.expr, scope: Scope) -> Iterator[tuple[str, str]]:
        yield from product(self._strings(value, scope), ["error"])

    def _made(self, call: ast.Call, scope: Scope) -> Iterator[tuple[str, str]]:
        """Codes and what they are used as; of a function that hands codes through, with what this call gives it."""
        carrier = _carrier(call.func, scope.source)
        if carrier:
            passed = passed_by(call, CARRIERS[carrier])
            parts = [passed[name] for name in CARRIERS[carrier] if name in passed]
            if len(parts) < len(CARRIERS[carrier]):
                raise Untold(f"the one in {ast.unparse(call)}")
            codes, *severities = (self._strings(part, scope) for part in parts)
            yield from product(codes, *(severities or [[USED_AS[carrier]]]))
            return
        for there in self._called(call.func, scope.source):
            for inner in self._through.get(there.function, ()) if there.function else ():
                yield from self._made(inner, there.called(call, scope))

    def _called(self, func: ast.expr, source: Source) -> list[Scope]:
        """The functions of ours that a call may mean: one by its name, or every method of that name."""
        match func:
            case ast.Name(id=name):
                return self._found(source.path, name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in source.imports:
                return self._found(source.imports[owner][0], name)
            case ast.Attribute(attr=name):
                sources = self._sources.values()
                return [Scope(one, method) for one in sources for method in one.methods if method.name == name]
        return []

    def _found(self, path: Path, name: str) -> list[Scope]:
        source = self._sources.get(path)
        if source is None:
            return []
        if name in source.imports:
            return self._found(*source.imports[name])
        return [Scope(source, function) for function in source.functions if function.name == name]

    def _strings(self, expression: ast.expr, scope: Scope) -> list[str]:
        """Everything it may be."""
        match expression:
            case ast.Constant(value=str() as text):
                return [text]
            case ast.Attribute(value=ast.Name(id="Severity"), attr=name):
                return [name.lower()]
            case ast.Attribute(attr="code"):
                return []  # handed on: it was counted where it was made
            case ast.IfExp(body=one, orelse=other):
                return self._each((one, other), scope)
            case ast.JoinedStr(values=parts):
                return ["".join(chosen) for chosen in product(*(self._strings(part, scope) for part in parts))]
            case ast.FormattedValue(value=inner):
                return self._strings(inner, scope)
            case ast.Subscript(value=ast.Name(id=name)):
                tables = [one for one in scope.assigned(name) if isinstance(one, ast.Dict)]
                values = [value for table in tables for value in table.values]
                return self._each(values, scope) if values else self._explained(expression)
            case ast.Name(id=name) if scope.given and name in scope.given:
                return self._strings(*scope.given[name])
            case ast.Name(id=name) if name in scope.parameters and scope.given is None:
                raise Awaiting
            case ast.Name(id=name):
                values = scope.assigned(name)
                return self._each(values, scope) if values else self._explained(expression)
        return self._explained(expression)

    def _each(self, expressions: Iterable[ast.expr], scope: Scope) -> list[str]:
        return [text for one in expressions for text in self._strings(one, scope)]

    def _explained(self, expression: ast.expr) -> list[str]:
        text = ast.unparse(expression)
        if text not in self._told:
            raise Untold(text)
        self._needed.add(text)
        return list(self._told[text])


def _class_codes(source: Source) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """Errors have their code in the class."""
    for node in (one for owner in source.classes for one in owner.body):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == "code" for target in targets):
                yield node, node.value


def _carrier(func: ast.expr, source: Source) -> str:
    """Its own name, also where it was imported as another; '' for anything else that is called."""
    name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    own = source.imports[name][1] if name in source.imports else name
    return own if own in CARRIERS else ""
