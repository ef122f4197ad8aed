"""Questions about the code of one cell, where IPython's magics are allowed."""

import ast
import io
import tokenize

from IPython.core.inputtransformer2 import TransformerManager
from nbformat.v4 import new_code_cell
from nbgrader.preprocessors import ClearSolutions

SHOWN_BY_VALUE = ("calibration", "check", "environment", "model_answer", "outcome", "predict")


def syntax_error(source: str) -> tuple[int, str] | None:
    """Line (from 1) and text of the syntax error in a cell's code; magics are allowed."""
    code = TransformerManager().transform_cell(source)
    try:
        compile(code, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return getattr(error, "lineno", None) or 1, getattr(error, "msg", None) or str(error)
    return None


def cleared(source: str) -> str:
    """The source of an answer cell as the student gets it, by nbgrader's own preprocessor."""
    cell = new_code_cell(source, metadata={"nbgrader": {"solution": True, "grade": False}})
    cell, _ = ClearSolutions().preprocess_cell(cell, {"language": "python"}, 0)
    return str(cell.source)


def tree(source: str) -> ast.Module:
    """The syntax tree of a cell that parses."""
    return ast.parse(TransformerManager().transform_cell(source))


def checked_id(node: ast.AST) -> str | None:
    """The id in a call ``check("id", ...)``; None for any other node."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    if node.func.id != "check" or not node.args or not isinstance(node.args[0], ast.Constant):
        return None
    return str(node.args[0].value)


def imports_check(source: str) -> bool:
    """Whether a cell has ``from autograde import check``, alone or with other names."""
    return any(
        node.module == "autograde" and any(name.name == "check" for name in node.names)
        for node in ast.walk(tree(source))
        if isinstance(node, ast.ImportFrom)
    )


def values_not_shown(source: str) -> list[tuple[int, str]]:
    """Line and function of calls whose value should be seen, and is not: they do not end the cell.

    A notebook shows the value of a cell's last line and no other.
    """
    body = tree(source).body
    return [
        (node.lineno, node.value.func.id)
        for node in ast.walk(ast.Module(body, []))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id in SHOWN_BY_VALUE
        and node is not body[-1]
    ]


def taken_apart(source: str) -> list[tuple[int, str]]:
    """Line and name of values that a cell puts in the place of the one it takes entries from.

    ``table = {"new": table["old"]}`` runs once: the second time there is no entry ``old``.
    """
    found, made = [], set[str]()
    for node in tree(source).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        read = {
            part.value.id
            for part in ast.walk(node)
            if isinstance(part, ast.Subscript)
            and isinstance(part.ctx, ast.Load)
            and isinstance(part.value, ast.Name)
            and isinstance(part.slice, ast.Constant)
            and isinstance(part.slice.value, str)
        }
        found += [(node.lineno, name) for name in sorted((names & read) - made)]
        made |= names
    return found


def ends_with_semicolon(source: str) -> bool:
    """Whether the last token is a semicolon, which hides the cell's value in IPython."""
    layout = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    code = TransformerManager().transform_cell(source)
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type not in layout
    ]
    return bool(tokens) and tokens[-1].string == ";"
