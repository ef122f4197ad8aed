"""Slips in a statement, or in what a function returns."""

import ast
from collections.abc import Callable, Iterator

from autograde.proving.sources import Place


def dropped_statement(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """Nothing where a line stood."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.If | ast.Continue | ast.Break):
        yield ast.Pass()


def condition(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """An `if` or `while` turned round, or an `if` that always holds."""
    if isinstance(node, ast.If):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        yield ast.If(ast.Constant(True), node.body, node.orelse)
        if node.orelse:
            yield ast.If(ast.Constant(False), node.body, node.orelse)
    elif isinstance(node, ast.While):
        yield ast.If(node.test, node.body, node.orelse)


def loop(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """A loop without its first or last round, or that goes on where it should stop."""
    if isinstance(node, ast.For):
        for lower, upper in ((1, None), (None, -1)):
            bounds = ast.Slice(
                ast.Constant(lower) if lower else None, ast.Constant(upper) if upper else None
            )
            rounds = ast.Subscript(
                ast.Call(ast.Name("list", ast.Load()), [node.iter], []), bounds, ast.Load()
            )
            yield ast.For(node.target, rounds, node.body, node.orelse)
        yield ast.For(node.target, node.iter, [*node.body, ast.Break()], node.orelse)
    elif isinstance(node, ast.Continue):
        yield ast.Break()
    elif isinstance(node, ast.Break):
        yield ast.Continue()


def assigned_anew(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """`=` for `+=`, minus for plus."""
    if isinstance(node, ast.AugAssign):
        yield ast.Assign([node.target], node.value)
        if isinstance(node.op, ast.Add | ast.Sub):
            turned = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield ast.AugAssign(node.target, turned, node.value)


def moved_into_the_loop(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """What stands before or behind a loop, inside it."""
    if isinstance(node, ast.FunctionDef | ast.For):
        for place, line in enumerate(node.body):
            if isinstance(line, ast.For):
                before, after = node.body[:place], node.body[place + 1 :]
                if before and isinstance(before[-1], ast.Assign | ast.AnnAssign):
                    inside = ast.For(line.target, line.iter, [before[-1], *line.body], line.orelse)
                    yield _with_body(node, [*before[:-1], inside, *after])
                if after:
                    inside = ast.For(line.target, line.iter, [*line.body, after[0]], line.orelse)
                    yield _with_body(node, [*before, inside, *after[1:]])


def _with_body(node: ast.FunctionDef | ast.For, body: list[ast.stmt]) -> ast.AST:
    fields = dict(ast.iter_fields(node)) | {"body": body}
    return type(node)(**fields)


def returned(node: ast.AST, _: Place) -> Iterator[ast.AST]:
    """The result lost, negated, cut to its first part, added up or averaged."""
    if isinstance(node, ast.Return) and node.value is not None:
        yield ast.Expr(node.value)
        yield from (ast.Return(value) for value in _results(node.value))
    elif isinstance(node, ast.Lambda):
        yield from (ast.Lambda(node.args, value) for value in _results(node.body))


def _results(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.Tuple | ast.List | ast.ListComp | ast.Constant):
        return
    yield ast.UnaryOp(ast.USub(), value)
    yield ast.BinOp(ast.Constant(1), ast.Sub(), value)
    yield ast.Subscript(value, ast.Constant(0), ast.Load())
    yield ast.Subscript(value, ast.Slice(None, ast.Constant(1)), ast.Load())
    for name in ("sum", "mean"):
        yield ast.Call(ast.Attribute(value, name, ast.Load()), [], [])


STATEMENTS: dict[str, Callable[[ast.AST, Place], Iterator[ast.AST]]] = {
    "dropped line": dropped_statement,
    "turned condition": condition,
    "another loop": loop,
    "another assignment": assigned_anew,
    "moved into the loop": moved_into_the_loop,
    "another result": returned,
}
