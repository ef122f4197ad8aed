"""What is mutated: the reference and the other right answers, with the course functions they call.

A part is one function with its syntax tree. An answer is made anew with one part replaced; the
functions between the two are made anew as well, each in its own copy of its module's names.
"""

import ast
import inspect
import sys
import textwrap
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import CodeType, FrameType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

from autograde.checking.catalogue import catalogue
from autograde.checking.exercise import Answer, Exercise

Tree = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True)
class Place:
    """A function whose tree is changed, and what kinds of things its names hold."""

    tree: Tree
    kinds: Mapping[str, set[str]]


COURSE = ("elmo_mini", "autograde.exercises")
GIVEN = ("bucket", "fnv1a", "split_label")  # what the lessons hand out
MUTANT = "<mutant>"


def answers(exercise: Exercise) -> dict[str, list[FunctionType]]:
    """The right answers that can be mutated, by name: each with its parts, itself the first.

    Left out are answers that enclose values, and those made for the mistakes, too, with switches
    of their own: what a switch turns off cannot be wrong.
    """
    references = {inspect.unwrap(known.reference) for known in catalogue().values()}
    named = {"the reference": exercise.reference, **exercise.right_answers}
    found = {}
    for name, answer in named.items():
        function = inspect.unwrap(answer)
        if isinstance(function, FunctionType) and not function.__closure__:
            own = answer is not exercise.reference
            made_of = _parts(function, references, COURSE[own:])
            if not own or not any(map(_has_switches, made_of)):
                found[name] = made_of
    return found


def _has_switches(function: FunctionType) -> bool:
    return bool(function.__defaults__ or function.__kwdefaults__)


def _parts(
    answer: FunctionType, references: Collection[Any], rooms: tuple[str, ...]
) -> list[FunctionType]:
    """The answer and what it calls of the course's code, each once.

    Another exercise's reference is not followed, nor what the lesson gives, nor a guard.
    """
    found: list[FunctionType] = []
    waiting = [answer]
    while waiting:
        function = waiting.pop(0)
        if function in found:
            continue
        found.append(function)
        waiting += [
            called
            for called in _calls(function).values()
            if called.__module__.startswith(rooms)
            and called not in references
            and called.__name__ not in GIVEN
            and not called.__name__.startswith("_check")
        ]
    return found


@cache
def tree_of(function: FunctionType) -> Tree:
    """The definition of a function, or the lambda, without its docstring."""
    if function.__name__ == "<lambda>":
        return _lambda(function)
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    if ast.get_docstring(definition) is not None:
        definition.body = definition.body[1:] or [ast.Pass()]
    return definition


def _lambda(function: FunctionType) -> ast.Lambda:
    """The lambda of this code; of several that begin on its line, the first that reaches as far."""
    code = function.__code__
    module = inspect.getmodule(function)
    on_the_line = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(module or function)))
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]
    last = max((line, column) for _, line, _, column in code.co_positions() if line and column)
    return next(
        node for node in on_the_line if (node.body.end_lineno, node.body.end_col_offset) >= last
    )


@cache
def _calls(function: FunctionType) -> dict[str, FunctionType]:
    """The course functions that a function names, `name` or `module.name`, without itself."""
    named = {dotted: _value(function.__globals__, dotted) for dotted in _names(tree_of(function))}
    functions = {
        dotted: inspect.unwrap(value) for dotted, value in named.items() if callable(value)
    }
    return {
        dotted: value
        for dotted, value in functions.items()
        if isinstance(value, FunctionType)
        and value is not function
        and (value.__module__ or "").startswith(COURSE)
    }


def _names(tree: Tree) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"


def _value(names: dict[str, Any], dotted: str) -> Any:
    first, _, attribute = dotted.partition(".")
    value = names.get(first)
    if not attribute:
        return value
    return getattr(value, attribute, None) if isinstance(value, ModuleType) else None


def place_of(exercise: Exercise, answer: FunctionType, part: FunctionType) -> Place:
    """A part with the kinds of its names: their types and axes while the first case runs."""
    codes, waiting = set(), [part.__code__]
    while waiting:  # a comprehension has code of its own
        codes.add(code := waiting.pop())
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    kinds: defaultdict[str, set[str]] = defaultdict(set)

    def watch(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code not in codes:
            return None
        for name, value in frame.f_locals.items():
            kinds[name].add(f"{type(value).__name__} {getattr(value, 'ndim', '')}")
        return watch

    inputs = exercise.inputs(0, seed=0)
    before = sys.gettrace()
    sys.settrace(watch)
    try:
        exercise.run(answer, inputs)
    finally:
        sys.settrace(before)
    return Place(tree_of(part), kinds)


def with_part(answer: FunctionType, part: FunctionType, tree: Tree) -> Answer:
    """The answer, made anew, in which ``tree`` stands for one of its parts."""
    names = dict(answer.__globals__)
    if answer is not part:
        for dotted, called in _calls(answer).items():
            if part in _parts(called, (), COURSE):
                first, _, attribute = dotted.partition(".")
                new = with_part(called, part, tree)
                if attribute:
                    new = SimpleNamespace(**(vars(names[first]) | {attribute: new}))  # type: ignore[assignment]
                names[first] = new
        tree = tree_of(answer)
    return _made(tree, names)


def _made(tree: Tree, names: dict[str, Any]) -> Answer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python finds `1[0]` odd, and it is
        if isinstance(tree, ast.Lambda):
            names["<lambda>"] = eval(compile(ast.Expression(tree), MUTANT, "eval"), names)
        else:
            exec(compile(ast.Module([tree], []), MUTANT, "exec"), names)
    made: Answer = names[getattr(tree, "name", "<lambda>")]
    return made
