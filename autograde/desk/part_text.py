"""The text of a kept part: an answer's source, and what it uses of the notebook.

What a function uses is followed by name: imports, constants, own functions and classes, parts that
are kept already. The file that comes out runs without the notebook.
"""

import builtins
import functools
import sys
from collections.abc import Collection, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from autograde.desk.definitions import Definition, definition_of
from autograde.desk.imports import import_of
from autograde.desk.literals import CannotBeWritten, literal
from autograde.desk.names import modules_in, names_in
from autograde.desk.place import PACKAGE

FUTURE = "from __future__ import annotations"


def part_text(
    name: str,
    answer: Any,
    desk: Path,
    written_out: Collection[str] = (),
    instead: Mapping[Any, tuple[str, str]] = MappingProxyType({}),
) -> str:
    """Plain Python that defines ``name`` as this answer, and all it needs.

    Parameters
    ----------
    written_out : installed packages whose functions and classes are written out, not imported
    instead : functions and classes, each with the module and the name to import in its place

    Raises
    ------
    CannotBeWritten
        If the answer, or something that it uses, cannot be written as source; it names the thing.
    """
    part = _Part(name, desk, written_out, instead)
    part.follow(name, answer)
    return part.text()


class _Part:
    def __init__(
        self,
        name: str,
        desk: Path,
        written_out: Collection[str],
        instead: Mapping[Any, tuple[str, str]],
    ) -> None:
        self.name = name
        self.desk = desk
        self.written_out = written_out
        self.instead = instead
        self.values: dict[str, Any] = {}
        self.imports: dict[str, str] = {}
        self.constants: dict[str, str] = {}
        self.definitions: dict[str, str] = {}
        self.needed_at_once: dict[str, tuple[str, ...]] = {}
        self.future = False

    def follow(self, name: str, value: Any) -> None:
        """Take in a value and everything that it needs."""
        if name in self.values:
            if self.values[name] is not value:
                raise CannotBeWritten("means two things here; give one another name", name)
            return
        self.values[name] = value
        try:
            self._take(name, value)
        except CannotBeWritten as reason:
            raise reason if reason.name else CannotBeWritten(str(reason), name) from None

    def _take(self, name: str, value: Any) -> None:
        if isinstance(value, functools.partial):
            self._take_partial(name, value)
        elif statement := self._import_of(name, value):
            self.imports[name] = statement
        elif callable(value):
            definition = definition_of(name, value)
            if self._is_kept(definition):
                own = definition.name
                under = f" as {name}" if own != name else ""
                self.imports[name] = f"from {PACKAGE}.{own} import {own}{under}"
            else:
                self._take_definition(name, value, definition)
        else:
            self.constants[name] = f"{name} = {literal(value)}"

    def _import_of(self, name: str, value: Any) -> str:
        if callable(value) and value in self.instead:
            module, attribute = self.instead[value]
            return f"from {module} import {attribute}" + f" as {name}" * (name != attribute)
        statement = import_of(name, value, self.desk)
        package = statement.split(" ")[1].partition(".")[0] if statement else ""
        return "" if package in self.written_out and callable(value) else statement

    def _take_definition(self, name: str, value: Any, definition: Definition) -> None:
        text, own = definition.text, definition.name
        if own != name:
            self._call_also(own, value)
            text = f"{text}\n\n\n{name} = {own}"
        names = names_in(definition.text)
        for used in (*names.at_once, *names.later):
            if used not in (name, own):
                self._take_global(used, definition)
        for used in names.in_annotations:
            if used not in definition.namespace and not hasattr(builtins, used):
                self.future = True  # so it was in the notebook, too
            before = self._state()
            try:
                self._take_global(used, definition)
            except CannotBeWritten:
                self._go_back_to(before)
                self.future = True  # annotations are then never looked up
        self.definitions[name] = text
        self.needed_at_once[name] = tuple(set(names.at_once) - {name, own})

    def _call_also(self, own: str, value: Any) -> None:
        """A function has a second name, its own: nothing else may have it."""
        if self.values.setdefault(own, value) is not value:
            raise CannotBeWritten("means two things here; give one another name", own)

    def _take_global(self, name: str, definition: Definition) -> None:
        if name not in definition.namespace:
            return  # a builtin, or a name that nothing has
        value = definition.namespace[name]
        if getattr(value, "__wrapped__", None) is getattr(builtins, name, value):
            return  # the notebook's own `open`
        if name == "get_ipython":
            raise CannotBeWritten("is a command of the notebook, a line with % or !", name)
        if isinstance(value, ModuleType) and value.__name__ == name:
            inner = modules_in(definition.text, name)
            for dotted in sorted(filter(sys.modules.__contains__, inner)):
                self.imports[dotted] = f"import {dotted}"
        self.follow(name, value)

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

    def _is_kept(self, definition: Definition) -> bool:
        """Whether the definition stands in a part of its own name."""
        if definition.name == self.name:
            return False
        try:
            kept = (self.desk / PACKAGE / f"{definition.name}.py").read_text(encoding="utf-8")
        except (OSError, ValueError):
            return False
        return f"\n{definition.text}\n" in kept

    def _state(self) -> list[dict[str, Any]]:
        return [dict(found) for found in self._found()]

    def _go_back_to(self, state: list[dict[str, Any]]) -> None:
        for found, before in zip(self._found(), state, strict=True):
            found.clear()
            found.update(before)

    def _found(self) -> tuple[dict[str, Any], ...]:
        known = (self.values, self.imports, self.constants, self.definitions)
        return (*known, self.needed_at_once)

    def text(self) -> str:
        """The whole, each thing after those that it needs to be defined."""
        statements = set(self.imports.values())
        plain = [s for s in statements if " as " not in s]
        whole = [s for s in statements if not any(p.startswith(f"{s}.") for p in plain)]
        above = [
            FUTURE if self.future else "",
            "\n".join(sorted(whole, key=lambda line: (line.startswith("from"), line))),
            "\n".join(self.constants.values()),
        ]
        needs = {
            name: [used for used in self.needed_at_once[name] if used in self.definitions]
            for name in self.definitions
        }
        try:
            order = [self.definitions[name] for name in TopologicalSorter(needs).static_order()]
        except CycleError:
            raise CannotBeWritten("needs itself before it is there", self.name) from None
        head = "\n\n".join(filter(None, above))
        return "\n\n\n".join(filter(None, [head, *order])) + "\n"
