"""What is mutated: the reference and the other right answers, with the course functions they call.

A part is one function with its syntax tree; of an answer that is a class, each method is one. An
answer is made anew with one part replaced; what stands between the two is made anew as well, each
in its own copy of its module's names.
"""

import ast
import inspect
import sys
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import CodeType, FrameType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

from autograde.checking.catalogue import catalogue
from autograde.checking.exercise import Answer, Exercise
from autograde.workspace.definitions import definition_of

Tree = ast.FunctionDef | ast.Lambda
Part = FunctionType | type


@dataclass(frozen=True)
class Place:
    """A function whose tree is changed, and what kinds of things its names hold."""

    tree: Tree
    kinds: Mapping[str, set[str]]


COURSE = ("elmo_mini", "course", "autograde.exercises")
GIVEN = ("bucket", "fnv1a", "split_label", "co_training")
"""What the lessons hand out, and what keeps its answers: a mutant of it would not be asked."""
MUTANT = "<mutant>"


def answers(exercise: Exercise) -> dict[str, list[Part]]:
    """The right answers that can be mutated, by name: each with its parts, itself the first.

    Left out are answers that enclose values, and those made for the mistakes, too, with switches
    of their own: what a switch turns off cannot be wrong.
    """
    references = {inspect.unwrap(known.reference) for known in catalogue().values()}
    named = {"the reference": exercise.reference, **exercise.right_answers}
    found = {}
    for name, answer in named.items():
        part = inspect.unwrap(answer)
        if isinstance(part, Part) and not getattr(part, "__closure__", None):
            own = answer is not exercise.reference
            made_of = _parts(part, references, COURSE[2 * own :])
            if not own or not any(map(_has_switches, made_of)):
                found[name] = made_of
    return found


def _has_switches(part: Part) -> bool:
    return isinstance(part, FunctionType) and bool(part.__defaults__ or part.__kwdefaults__)


def _methods(part: Part) -> list[FunctionType]:
    """The functions that stand in a class; a function has none."""
    inside = vars(part).values() if isinstance(part, type) else ()
    return [value for value in inside if isinstance(value, FunctionType)]


def _parts(answer: Part, references: Collection[Any], rooms: tuple[str, ...]) -> list[Part]:
    """The answer and what it calls of the course's code, each once.

    Another exercise's reference is not followed, nor what the lesson gives, nor a guard.
    """
    found: list[Part] = []
    waiting = [answer]
    while waiting:
        part = waiting.pop(0)
        if part in found:
            continue
        found.append(part)
        waiting += _methods(part)
        waiting += [
            called
            for called in _calls(part).values()
            if called.__module__.startswith(rooms)
            and called not in references
            and called.__name__ not in GIVEN
            and not called.__name__.startswith(("_check", "check_"))
        ]
    return found


@cache
def tree_of(function: FunctionType) -> Tree:
    """The definition of a function, or the lambda, without its docstring."""
    definition = _definition(function)
    if isinstance(definition, ast.Assign):  # a lambda under the name that it was asked for by
        assert isinstance(definition.value, ast.Lambda)
        return definition.value
    assert isinstance(definition, ast.FunctionDef)
    if ast.get_docstring(definition) is not None:
        definition.body = definition.body[1:] or [ast.Pass()]
    return definition


def _definition(part: Part) -> ast.stmt:
    return ast.parse(definition_of("part", part).text).body[0]


@cache
def _calls(part: Part) -> dict[str, FunctionType]:
    """The course functions that a part names, `name` or `module.name`, without itself."""
    named = {dotted: _value(_globals(part), dotted) for dotted in _names(_whole(part))}
    functions = {
        dotted: inspect.unwrap(value) for dotted, value in named.items() if callable(value)
    }
    return {
        dotted: value
        for dotted, value in functions.items()
        if isinstance(value, FunctionType)
        and value is not part
        and (value.__module__ or "").startswith(COURSE)
    }


def _whole(part: Part) -> Tree | ast.ClassDef:
    """A function's tree, or a class with all its methods."""
    if isinstance(part, FunctionType):
        return tree_of(part)
    definition = _definition(part)
    assert isinstance(definition, ast.ClassDef)
    return definition


def _globals(part: Part) -> dict[str, Any]:
    return vars(sys.modules[part.__module__])


def _names(tree: ast.AST) -> Iterator[str]:
    """The names, `name` or `module.name`, that a function or the methods of a class ask for."""
    if isinstance(tree, ast.ClassDef):
        for line in ast.iter_child_nodes(tree):
            yield from _names(line)
        return
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) if name not in own:
                yield name
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name not in own:
                yield f"{name}.{attribute}"


def _value(names: dict[str, Any], dotted: str) -> Any:
    first, _, attribute = dotted.partition(".")
    value = names.get(first)
    if not attribute:
        return value
    return getattr(value, attribute, None) if isinstance(value, ModuleType) else None


def place_of(exercise: Exercise, answer: Answer, part: FunctionType) -> Place:
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


def with_part(answer: Part, part: FunctionType, tree: Tree) -> Answer:
    """The answer, made anew, in which ``tree`` stands for one of its functions."""
    names = dict(_globals(answer))
    if answer is part:
        return _made(tree, names)
    whole = _whole(answer)
    if part in _methods(answer):
        return _made(_with_method(whole, tree), names)
    for dotted, called in _calls(answer).items():
        if part in _parts(called, (), COURSE):
            first, _, attribute = dotted.partition(".")
            new = with_part(called, part, tree)
            if attribute:
                new = SimpleNamespace(**(vars(names[first]) | {attribute: new}))  # type: ignore[assignment]
            names[first] = new
    return _made(whole, names)


def _with_method(whole: Tree | ast.ClassDef, tree: Tree) -> ast.ClassDef:
    """A class's tree with ``tree`` for the method of its name."""
    assert isinstance(whole, ast.ClassDef)
    name = getattr(tree, "name", "")
    lines = [tree if getattr(line, "name", "") == name else line for line in whole.body]
    fields = dict(ast.iter_fields(whole)) | {"body": lines}
    return ast.fix_missing_locations(ast.ClassDef(**fields))


def _made(tree: Tree | ast.ClassDef, names: dict[str, Any]) -> Answer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python finds `1[0]` odd, and it is
        if isinstance(tree, ast.Lambda):
            names["<lambda>"] = eval(compile(ast.Expression(tree), MUTANT, "eval"), names)
        else:
            exec(compile(ast.Module([tree], []), MUTANT, "exec"), names)
    made: Answer = names[getattr(tree, "name", "<lambda>")]
    return made
