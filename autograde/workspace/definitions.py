"""The source of a function or class that was written in a notebook, or in a script.

A notebook's kernel keeps the text of each cell where Python's `linecache` finds it. The code of a
function leads there, and so does that of a class's methods; `inspect` finds no class of a notebook
before Python 3.13. Where nothing leads there (a cell that begins with ``%%time``, a class without
methods), the cells that ran are searched, the latest first.
"""

import ast
import inspect
import linecache
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from autograde.workspace.literals import CannotBeWritten

Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
MADE_INSIDE = "was made inside another function and holds values of that call"


@dataclass(frozen=True)
class Definition:
    """The ``text`` that defines ``name``; the names in it mean what ``namespace`` says.

    It stands in ``cell``, the text of a cell or a file.
    """

    name: str
    text: str
    namespace: dict[str, Any]
    cell: str


def definition_of(name: str, value: Any) -> Definition:
    """The definition of a function or class, also where a decorator has wrapped it.

    Parameters
    ----------
    name : what it is called where it is used; a lambda has no other name.

    Raises
    ------
    CannotBeWritten
        If its source cannot be found, or is not enough to make it again.
    """
    if isinstance(value, type):
        return _class(value)
    inner = inspect.unwrap(value)
    if not isinstance(inner, FunctionType):
        raise CannotBeWritten(f"is an object of type {type(value).__name__}")
    if inner.__name__ == "<lambda>":
        return _lambda(name, inner)
    if inner.__closure__ and inner.__code__.co_freevars != ("__class__",):  # a method's `super()`
        return _decorated(name, inner)
    code = inner.__code__

    def is_it(node: Defined, text: str) -> bool:
        return node.name == code.co_name and _first_line(node) == code.co_firstlineno

    def does_it(node: Defined, text: str) -> bool:
        lines = [c.co_firstlineno for c in _codes(text) if _same_code(c, code)]
        return node.name == code.co_name and _first_line(node) in lines

    return _found(_file_of(code), is_it, does_it, inner.__globals__)


def _decorated(name: str, inner: FunctionType) -> Definition:
    """What a decorator has put in the place of a function, under that function's name."""

    def is_it(node: Defined) -> bool:
        return node.name == name and node.col_offset == 0 and bool(node.decorator_list)

    for text in texts(inner.__globals__):
        for node in reversed(_defined(text)):
            if is_it(node):
                return Definition(name, _lines(text, node), inner.__globals__, text)
    raise CannotBeWritten(MADE_INSIDE)


def _class(value: type) -> Definition:
    if "<locals>" in value.__qualname__:
        raise CannotBeWritten("is a class that was made inside a function")
    methods = [method for method in map(_function, vars(value).values()) if method is not None]
    written = [method for method in methods if _file_of(method.__code__)]
    module = sys.modules.get(value.__module__)
    namespace = written[0].__globals__ if written else vars(module) if module else {}

    def is_it(node: Defined, text: str) -> bool:
        lines = range(_first_line(node), (node.end_lineno or 0) + 1)
        return node.name == value.__name__ and written[0].__code__.co_firstlineno in lines

    def called_so(node: Defined, text: str) -> bool:
        return isinstance(node, ast.ClassDef) and node.name == value.__name__

    text = _file_of(written[0].__code__) if written else ""
    return _found(text, is_it, called_so, namespace)


def _function(member: Any) -> FunctionType | None:
    """The function behind a method, of whatever kind."""
    if isinstance(member, property):
        member = member.fget
    member = getattr(member, "__func__", member)
    return member if isinstance(member, FunctionType) else None


def _lambda(name: str, value: FunctionType) -> Definition:
    if value.__closure__:
        raise CannotBeWritten(MADE_INSIDE)
    code = value.__code__
    text = _file_of(code)
    lambdas = {
        str(ast.get_source_segment(text, node))
        for node in ast.walk(_tree(text))
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    }
    if len(lambdas) > 1:
        lambdas = {s for s in lambdas if any(_same_code(c, code) for c in _codes(f"({s})"))}
    if len(lambdas) != 1:
        raise CannotBeWritten("is a lambda whose source cannot be found; write it with `def`")
    source = lambdas.pop()
    bracketed = f"({source})" if "\n" in source else source
    return Definition(name, f"{name} = {bracketed}", value.__globals__, text)


def _found(
    text: str,
    is_it: Callable[[Defined, str], bool],
    does_it: Callable[[Defined, str], bool],
    namespace: dict[str, Any],
) -> Definition:
    for candidates, fits in [((text,), is_it), (texts(namespace), does_it)]:
        for candidate in candidates:
            for node in reversed(_defined(candidate)):
                if fits(node, candidate):
                    return Definition(node.name, _lines(candidate, node), namespace, candidate)
    raise CannotBeWritten("has no source that could be found")


def _file_of(code: CodeType) -> str:
    """The text of the cell or file in which a function was written; "" where there is none."""
    return "".join(linecache.getlines(code.co_filename))


def texts(namespace: Mapping[str, Any]) -> Iterator[str]:
    """The notebook's cells, the latest first, without their magics; then the script."""
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    for raw in reversed(shell.history_manager.input_hist_raw) if shell is not None else ():
        code = raw.partition("\n")[2] if raw.startswith("%%") else raw
        with suppress(SyntaxError):
            yield shell.transform_cell(code)
    if namespace.get("__file__"):
        yield "".join(linecache.getlines(namespace["__file__"]))


def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])


def _defined(text: str) -> list[Defined]:
    return [node for node in ast.walk(_tree(text)) if isinstance(node, Defined)]


def _first_line(node: Defined) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _lines(text: str, node: Defined) -> str:
    """The whole lines of a definition, with its decorators, as they were typed."""
    lines = text.split("\n")[_first_line(node) - 1 : node.end_lineno]
    source = "\n".join(line.rstrip("\r") for line in lines)
    return textwrap.dedent(source) if node.col_offset else source


def _codes(text: str) -> Iterator[CodeType]:
    """The code of every function in a text."""
    with suppress(SyntaxError, ValueError):
        found = [compile(text, "<part>", "exec", dont_inherit=True)]
        while found:
            inner = [c for c in found.pop().co_consts if isinstance(c, CodeType)]
            yield from inner
            found += inner


def _same_code(left: CodeType, right: CodeType) -> bool:
    return _essence(left) == _essence(right)


def _essence(code: CodeType) -> tuple[Any, ...]:
    plain = [c for c in code.co_consts if not isinstance(c, CodeType)]
    return code.co_name, code.co_code, code.co_names, code.co_varnames, repr(plain)
