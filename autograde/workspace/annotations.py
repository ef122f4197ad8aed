"""Type annotations in a piece of source: what they name, and the source without some of them."""

import ast
from collections.abc import Collection, Iterator


class Unquoted(ast.NodeTransformer):
    """Annotations that are written as strings become what stands in the strings."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = _unquoted(node.annotation)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = _unquoted(node.returns)
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = _unquoted(node.returns)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = _unquoted(node.annotation) or node.annotation
        return self.generic_visit(node)


class _Strings(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str):
            try:
                return ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError):
                return node
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if ast.unparse(node.value).rpartition(".")[2] in ("Annotated", "Literal"):
            return node  # its strings are no names
        self.generic_visit(node)
        return node


def _unquoted(annotation: ast.expr | None) -> ast.expr | None:
    return None if annotation is None else _Strings().visit(annotation)


def without_annotations(text: str, names: Collection[str]) -> str:
    """The source without the annotations that name these; a variable's becomes ``object``."""
    if not names:
        return text
    source = text.encode()
    for start, end, new in sorted(_cuts(source, names), reverse=True):
        source = source[:start] + new + source[end:]
    return source.decode()


def _cuts(source: bytes, names: Collection[str]) -> Iterator[tuple[int, int, bytes]]:
    lines = source.split(b"\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]

    def begin(node: ast.expr | ast.arg) -> int:
        return starts[node.lineno - 1] + node.col_offset

    def end(node: ast.expr | ast.arg) -> int:
        return starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg) and _names(node.annotation) & {*names}:
            yield begin(node) + len(node.arg.encode()), end(node), b""
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.returns is not None and _names(node.returns) & {*names}:
                arrow = source.rindex(b"->", 0, begin(node.returns))
                yield len(source[:arrow].rstrip()), source.index(b":", end(node.returns)), b""
        elif isinstance(node, ast.AnnAssign) and _names(node.annotation) & {*names}:
            yield begin(node.annotation), end(node.annotation), b"object"


def _names(annotation: ast.expr | None) -> set[str]:
    if annotation is None:
        return set()
    whole = ast.parse(ast.unparse(annotation), mode="eval").body  # a copy, to be changed
    found = _unquoted(whole)
    return {node.id for node in ast.walk(found) if isinstance(node, ast.Name)} if found else set()
