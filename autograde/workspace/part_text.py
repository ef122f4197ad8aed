"""The text of a kept part: an answer's source, and what it uses of the notebook.

What a function uses is followed by name: imports, constants, own functions and classes, parts that
are kept already. The file that comes out runs without the notebook.
"""

import __future__

import ast
import builtins
import functools
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from autograde.workspace.annotations import without_annotations
from autograde.workspace.constants import constant, is_alias
from autograde.workspace.definitions import Definition, definition_of
from autograde.workspace.imports import import_of
from autograde.workspace.literals import CannotBeWritten, literal
from autograde.workspace.names import modules_in, names_in
from autograde.workspace.place import KEPT_IN

FUTURE = "from __future__ import annotations"
NOTHING = Definition("", "", {}, "")


def part_text(
    name: str,
    answer: Any,
    workspace: Path,
    written_out: Collection[str] = (),
    instead: Mapping[Any, tuple[str, str]] = MappingProxyType({}),
    kept_in: Iterable[str] = KEPT_IN,
) -> str:
    """Plain Python that defines ``name`` as this answer, and all it needs.

    Parameters
    ----------
    written_out : installed packages whose functions and classes are written out, not imported
    instead : functions and classes, each with the module and the name to import in its place
    kept_in : the packages of kept parts that may be imported from

    Raises
    ------
    CannotBeWritten
        If the answer, or something that it uses, cannot be written as source; it names the thing.
    """
    part = _Part(name, workspace, written_out, instead, kept_in)
    part.follow(name, answer)
    return part.text()


class _Part:
    def __init__(
        self,
        name: str,
        workspace: Path,
        written_out: Collection[str],
        instead: Mapping[Any, tuple[str, str]],
        kept_in: Iterable[str],
    ) -> None:
        self.name = name
        self.workspace = workspace
        self.written_out = written_out
        self.instead = instead
        self.kept_in = kept_in
        self.values: dict[str, Any] = {}
        self.imports: dict[str, str] = {}
        self.constants: dict[str, str] = {}
        self.definitions: dict[str, str] = {}
        self.needed_at_once: dict[str, tuple[str, ...]] = {}
        self.own_names: dict[str, str] = {}
        self.annotated: set[str] = set()
        self.future = False

    def follow(self, name: str, value: Any, user: Definition = NOTHING) -> None:
        """Take in a value that a definition uses, and everything that it needs."""
        if name in self.values:
            if self.values[name] is not value:
                raise CannotBeWritten("means two things here; give one another name", name)
            return
        self.values[name] = value
        try:
            self._take(name, value, user)
        except CannotBeWritten as reason:
            raise reason if reason.name else CannotBeWritten(str(reason), name) from None

    def _take(self, name: str, value: Any, user: Definition) -> None:
        if isinstance(value, functools.partial):
            self._take_partial(name, value)
        elif statement := self._import_of(name, value):
            self.imports[name] = statement
        elif callable(value) and not is_alias(value):
            definition = definition_of(name, value)
            if package := self._keeper_of(definition):
                own = definition.name
                under = f" as {name}" if own != name else ""
                self.imports[name] = f"from {package}.{own} import {own}{under}"
            else:
                self._take_definition(name, value, definition)
        else:
            self._take_constant(name, value, user)

    def _take_constant(self, name: str, value: Any, user: Definition) -> None:
        statement = constant(name, value, user.namespace, user.cell)
        before = self._state()
        try:
            for used in names_in(statement).at_once:
                self._take_global(used, replace(user, text=statement))
        except CannotBeWritten:
            if is_alias(value):
                raise
            self._go_back_to(before)
            statement = f"{name} = {literal(value)}"
        self.constants[name] = statement

    def _import_of(self, name: str, value: Any) -> str:
        if callable(value) and value in self.instead:
            module, attribute = self.instead[value]
            return f"from {module} import {attribute}" + f" as {name}" * (name != attribute)
        statement = import_of(name, value, self.workspace)
        package = statement.split(" ")[1].partition(".")[0] if statement else ""
        return "" if package in self.written_out and callable(value) else statement

    def _take_definition(self, name: str, value: Any, definition: Definition) -> None:
        own = definition.name
        if own != name:
            self._call_also(own, value)
            self.own_names[name] = own
        names = names_in(definition.text)
        for used in (*names.at_once, *names.later):
            if used not in (name, own):
                self._take_global(used, definition)
        nowhere = []
        for used in names.in_annotations:
            before = self._state()
            try:
                if used not in definition.namespace and not hasattr(builtins, used):
                    raise CannotBeWritten("means nothing")
                if used not in (name, own):
                    self._take_global(used, definition)
            except CannotBeWritten:
                self._go_back_to(before)
                nowhere.append(used)
        self.annotated.update(names.in_annotations)
        self.future |= definition.namespace.get("annotations") is __future__.annotations
        self.definitions[name] = without_annotations(definition.text, nowhere)
        self.needed_at_once[name] = tuple(set(names.at_once) - {name, own})

    def _call_also(self, own: str, value: Any) -> None:
        """A function has a second name, its own: nothing else may have it."""
        if self.values.setdefault(own, value) is not value:
            raise CannotBeWritten("means two things here; give one another name", own)

    def _take_global(self, name: str, user: Definition) -> None:
        if name not in user.namespace:
            return  # a builtin, or a name that nothing has
        value = user.namespace[name]
        if getattr(value, "__wrapped__", None) is getattr(builtins, name, value):
            return  # the notebook's own `open`
        if name == "get_ipython":
            raise CannotBeWritten("is a command of the notebook, a line with % or !", name)
        if isinstance(value, ModuleType) and value.__name__ == name:
            inner = modules_in(user.text, name)
            for dotted in sorted(filter(sys.modules.__contains__, inner)):
                self.imports[dotted] = f"import {dotted}"
        self.follow(name, value, user)

    def _take_partial(self, name: str, value: functools.partial[Any]) -> None:
        inner = getattr(value.func, "__name__", "")
        if not inner.isidentifier():
            raise CannotBeWritten("is a partial of something without a name")
        words = [literal(argument) for argument in value.args]
        words += [f"{key}={literal(argument)}" for key, argument in value.keywords.items()]
        self.follow("functools", functools)
        self.follow(inner, value.func)
        self.definitions[name] = f"{name} = functools.partial({', '.join([inner, *words])})"
        self.needed_at_once[name] = (inner,)

    def _keeper_of(self, definition: Definition) -> str:
        """The package in which the definition stands as a part of its own name; "" if in none."""
        for package in self.kept_in if definition.name != self.name else ():
            file = self.workspace / package / f"{definition.name}.py"
            try:
                if f"\n{definition.text}\n" in file.read_text(encoding="utf-8"):
                    return package
            except (OSError, ValueError):
                continue
        return ""

    def _state(self) -> list[dict[str, Any]]:
        return [dict(found) for found in self._found()]

    def _go_back_to(self, state: list[dict[str, Any]]) -> None:
        for found, before in zip(self._found(), state, strict=True):
            found.clear()
            found.update(before)

    def _found(self) -> tuple[dict[str, Any], ...]:
        known = (self.values, self.imports, self.constants, self.definitions)
        return (*known, self.needed_at_once, self.own_names)

    def text(self) -> str:
        """The whole, each thing after those that it needs to be defined."""
        statements = set(self.imports.values())
        plain = [s for s in statements if " as " not in s]
        whole = [s for s in statements if not any(p.startswith(f"{s}.") for p in plain)]
        defined = {*self.definitions, *self.own_names.values()}
        above = [
            FUTURE if self.future or self.annotated & defined else "",
            "\n".join(sorted(whole, key=lambda line: (line.startswith("from"), line))),
            "\n".join(self.constants.values()),
        ]
        needs = {
            name: [used for used in self.needed_at_once[name] if used in self.definitions]
            for name in self.definitions
        }
        try:
            order = [self._by_its_name(name) for name in TopologicalSorter(needs).static_order()]
        except CycleError:
            raise CannotBeWritten("needs itself before it is there", self.name) from None
        head = "\n\n".join(filter(None, above))
        return "\n\n\n".join(filter(None, [head, *order])) + "\n"

    def _by_its_name(self, name: str) -> str:
        """A definition under the name that it is used by; a second name where it needs both."""
        text = self.definitions[name]
        if (own := self.own_names.get(name, name)) == name:
            return text
        elsewhere = [*self.definitions.values(), *self.constants.values()]
        if any(_mentions(other, own) for other in elsewhere):
            return f"{text}\n\n\n{name} = {own}"
        return re.sub(rf"\b(def|class)(\s+){own}\b", rf"\1\2{name}", text, count=1)


def _mentions(text: str, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(ast.parse(text)))
