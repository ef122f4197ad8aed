"""Slips inside an expression: each gives what a place may hold instead."""

import ast
from collections.abc import Callable, Iterator

from autograde.proving.places import axis, off_by_one
from autograde.proving.sources import Place

TURNED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Pow: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SWAPPED = {
    name: other
    for pair in (
        ("max", "min"),
        ("amax", "amin"),
        ("maximum", "minimum"),
        ("argmax", "argmin"),
        ("any", "all"),
        ("zeros", "ones"),
        ("zeros_like", "ones_like"),
        ("append", "extend"),
        ("cat", "stack"),
        ("softmax", "log_softmax"),
        ("sigmoid", "logsigmoid"),
        ("log", "exp"),
        ("set", "list"),
        ("startswith", "endswith"),
    )
    for name, other in (pair, pair[::-1])
} | {"logsumexp": "sum", "sqrt": "square"}
SWAPPED_METHODS = SWAPPED | {"sum": "mean", "mean": "sum", "count": "index"}


def turned(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """Plus for minus, `<` for `<=`, *and* for *or*."""
    if isinstance(node, ast.BinOp) and type(node.op) in TURNED:
        yield ast.BinOp(node.left, TURNED[type(node.op)](), node.right)  # type: ignore[arg-type]
        if isinstance(node.op, ast.Div):
            yield ast.BinOp(node.left, ast.FloorDiv(), node.right)
        if isinstance(node.op, ast.MatMult):
            yield ast.BinOp(node.left, ast.Mult(), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(TURNED[type(node.op)](), node.values)  # type: ignore[arg-type]
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in TURNED:
        yield ast.Compare(node.left, [TURNED[type(node.ops[0])](), *node.ops[1:]], node.comparators)  # type: ignore[list-item]


def dropped_term(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """One side of a sum, a product, a condition."""
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.BoolOp):
        for place in range(len(node.values)):
            rest = node.values[:place] + node.values[place + 1 :]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def sign(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """A minus, a `not` or a `~` that is forgotten."""
    if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield node.operand


def negated(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """A choice turned round, or made once for all."""
    if isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.comprehension) and node.ifs:
        for place in range(len(node.ifs)):
            rest = node.ifs[:place] + node.ifs[place + 1 :]
            yield ast.comprehension(node.target, node.iter, rest, node.is_async)


def another_name(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """The sum for the mean, the smallest for the largest."""
    if isinstance(node, ast.Attribute) and node.attr in SWAPPED_METHODS:
        yield ast.Attribute(node.value, SWAPPED_METHODS[node.attr], node.ctx)
    elif isinstance(node, ast.Name) and node.id in SWAPPED:
        yield ast.Name(SWAPPED[node.id], node.ctx)


def dropped_call(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """What is called with, without the call: no log, no copy, no mask, no transpose."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
            yield node.func.value
        else:
            yield from (part for part in node.args[:3] if not isinstance(part, ast.Starred))
    elif (isinstance(node, ast.Attribute) and node.attr in ("T", "mT")) or (
        isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
    ):
        yield node.value


def _is_module(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "torch", "F", "functional", "math")


def dropped_keyword(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """A call without one of its named arguments, or without its last one."""
    if isinstance(node, ast.Call):
        for place, keyword in enumerate(node.keywords):
            if keyword.arg not in ("dtype", "strict"):
                rest = node.keywords[:place] + node.keywords[place + 1 :]
                yield ast.Call(node.func, node.args, rest)
        if len(node.args) > 1:
            yield ast.Call(node.func, node.args[:-1], node.keywords)


def swapped(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """Two arguments, or the two sides of a difference, a quotient or a product of matrices."""
    if isinstance(node, ast.Call) and len(node.args) > 1:
        yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
    elif isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Mult):
        yield ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.Tuple) and len(node.elts) > 1 and isinstance(node.ctx, ast.Load):
        yield ast.Tuple([node.elts[1], node.elts[0], *node.elts[2:]], node.ctx)


def part_left_out(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """A tuple or list without one of its parts."""
    if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        for place in range(len(node.elts)):
            yield type(node)(node.elts[:place] + node.elts[place + 1 :], node.ctx)


def another_variable(node: ast.AST, place: Place) -> Iterator[ast.AST]:
    """A name of this function for another one that holds the same kind of thing."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        kinds = place.kinds.get(node.id, set())
        for name, others in place.kinds.items():
            if name != node.id and kinds & others:
                yield ast.Name(name, node.ctx)


def fixed(node: ast.AST, place: Place) -> Iterator[ast.AST]:
    """A number in place of an argument, where it enters an operation or a call."""
    parameters = [argument.arg for argument in place.tree.args.args]
    if isinstance(node, ast.BinOp):
        for left, right in ((ast.Constant(1), node.right), (node.left, ast.Constant(1))):
            if getattr(node.left if right is node.right else node.right, "id", "") in parameters:
                yield ast.BinOp(left, node.op, right)
    elif isinstance(node, ast.Call):
        for index, argument in enumerate(node.args):
            if getattr(argument, "id", "") in parameters:
                others = [*node.args[:index], ast.Constant(1), *node.args[index + 1 :]]
                yield ast.Call(node.func, others, node.keywords)


def letters(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """A text with one sign less."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 4:
        for place in range(len(node.value)):
            yield ast.Constant(node.value[:place] + node.value[place + 1 :])


EXPRESSIONS: dict[str, Callable[[ast.AST, Place], Iterator[ast.AST]]] = {
    "another axis": axis,
    "turned operator": turned,
    "dropped term": dropped_term,
    "dropped sign": sign,
    "off by one": off_by_one,
    "turned or dropped condition": negated,
    "another function": another_name,
    "dropped call": dropped_call,
    "dropped argument": dropped_keyword,
    "swapped": swapped,
    "part left out": part_left_out,
    "another variable": another_variable,
    "fixed argument": fixed,
    "another text": letters,
}
