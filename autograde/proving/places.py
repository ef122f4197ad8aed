"""Slips in a place: another axis, a bound or an index that is one off."""

import ast
from collections.abc import Iterator

from autograde.proving.sources import Place

AXIS_KEYWORDS = {"dim", "axis"}
AXIS_METHODS = frozenset(
    (
        *("sum", "mean", "max", "min", "prod", "any", "all", "cumsum", "argmax", "argmin"),
        *("softmax", "log_softmax", "logsumexp", "cat", "stack", "concatenate", "split"),
        *("unsqueeze", "squeeze", "expand_dims", "transpose", "gather", "narrow", "index_add_"),
    )
)


def axis(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """The call with another axis."""
    if not isinstance(node, ast.Call):
        return
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    for place, argument in enumerate(node.args):
        if name in AXIS_METHODS and (number := _whole(argument)) is not None:
            for other in sorted({0, 1, -1} - {number}):
                arguments = [*node.args]
                arguments[place] = ast.Constant(other)
                yield ast.Call(node.func, arguments, node.keywords)
    for place, keyword in enumerate(node.keywords):
        if keyword.arg in AXIS_KEYWORDS and (number := _whole(keyword.value)) is not None:
            for other in sorted({0, 1, -1} - {number}):
                keywords = [*node.keywords]
                keywords[place] = ast.keyword(keyword.arg, ast.Constant(other))
                yield ast.Call(node.func, node.args, keywords)


def _whole(node: ast.AST) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _whole(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def off_by_one(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """A number, a bound or an index that is one too large or too small, or a bound left out."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        number = node.value
        assert isinstance(number, int | float)
        yield from (ast.Constant(number + 1), ast.Constant(number - 1))
    elif isinstance(node, ast.Slice):
        if node.lower is not None:
            yield ast.Slice(None, node.upper, node.step)
            yield ast.Slice(_moved(node.lower, 1), node.upper, node.step)
            yield ast.Slice(_moved(node.lower, -1), node.upper, node.step)
        if node.upper is not None:
            yield ast.Slice(node.lower, None, node.step)
            yield ast.Slice(node.lower, _moved(node.upper, 1), node.step)
            yield ast.Slice(node.lower, _moved(node.upper, -1), node.step)
        if node.step is not None:
            yield ast.Slice(node.lower, node.upper, None)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name | ast.BinOp):
        for step in (1, -1):
            yield ast.Subscript(node.value, _moved(node.slice, step), node.ctx)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range":
        for place, bound in enumerate(node.args):
            for step in (1, -1):
                arguments = [*node.args]
                arguments[place] = _moved(bound, step)
                yield ast.Call(node.func, arguments, [])


def _moved(node: ast.expr, step: int) -> ast.expr:
    number = _whole(node)
    if number is not None:
        return ast.Constant(number + step)
    return ast.BinOp(node, ast.Add() if step > 0 else ast.Sub(), ast.Constant(1))
