"""Notebooks as they really come back: strange, and their answers are right."""

import ast
from collections.abc import Callable

from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from autograde.marking.rehearsal.hand_in import HandIn, copy_of

Change = Callable[[HandIn], None]
STRANGE: dict[str, Change] = {}
MINE = "assert mine_two == 2\n"
SET_MINE = "mine_two = 2"


def _strange(change: Change) -> Change:
    STRANGE[change.__name__] = change
    return change


@_strange
def as_it_should_be(made: HandIn) -> None:
    """Nothing is changed."""


@_strange
def saved_by_colab(made: HandIn) -> None:
    made.notebook.nbformat_minor = 0
    made.notebook.metadata["colab"] = {"provenance": []}
    for cell in made.cells:
        del cell["id"]
        cell.metadata["id"] = "x7"


@_strange
def saved_by_vs_code(made: HandIn) -> None:
    for number, cell in enumerate(made.cells):
        cell["id"] = f"{number:08x}"


@_strange
def saved_by_an_old_jupyter(made: HandIn) -> None:
    cells = []
    for cell in made.cells:
        old = {"cell_type": cell.cell_type, "metadata": cell.metadata}
        old["input" if cell.cell_type == "code" else "source"] = cell.source.splitlines(True)
        cells.append(old)
    made.notebook.clear()
    made.notebook.update({"nbformat": 3, "nbformat_minor": 0, "metadata": {}})
    made.notebook["worksheets"] = [{"cells": cells}]


@_strange
def another_kernel(made: HandIn) -> None:
    made.notebook.metadata.kernelspec = {"name": "conda-env-mine-py", "display_name": "Mine"}


@_strange
def cells_inserted(made: HandIn) -> None:
    for position in range(len(made.cells), 0, -1):
        made.cells.insert(position, new_code_cell(f"mine_{position} = {position}"))
        made.cells.insert(position, new_markdown_cell(f"note to self {position}"))


@_strange
def given_cells_moved(made: HandIn) -> None:
    made.cells.append(made.cells.pop(made.given()))


@_strange
def an_answer_moved_up(made: HandIn) -> None:
    made.cells.insert(0, made.cells.pop(made.place(made.exercises[-1])))


@_strange
def a_check_moved(made: HandIn) -> None:
    made.cells.insert(0, made.cells.pop(made.check(made.exercises[0])))


@_strange
def an_answer_split_between_statements(made: HandIn) -> None:
    here = made.place(made.exercises[-1])
    cell = made.cells[here]
    made.cells.insert(here, copy_of(cell, source=SET_MINE, id="abc"))
    cell.source = MINE + cell.source


@_strange
def an_answer_split_inside_a_function(made: HandIn) -> None:
    here = made.place(made.long_answer())
    cell = made.cells[here]
    function = ast.parse(cell.source).body[-1]
    lines = cell.source.splitlines()
    at = function.body[-1].lineno - 1 if isinstance(function, ast.FunctionDef) else len(lines)
    cell.source = "\n".join(lines[:at])
    made.cells.insert(here + 1, copy_of(cell, source="\n".join(lines[at:]), id="half"))


@_strange
def a_check_merged_into_the_answer(made: HandIn) -> None:
    check = made.cells.pop(made.check(made.exercises[0]))
    made.cell(made.exercises[0]).source += "\n" + check.source


@_strange
def statement_hints_and_discussion_merged(made: HandIn) -> None:
    if made.essays:
        essay = made.cells.pop(here := made.place(made.essays[0]))
        made.cells[here - 1].source += "\n\n" + essay.source


@_strange
def a_check_duplicated(made: HandIn) -> None:
    here = made.check(made.exercises[0])
    made.cells.insert(here + 1, copy_of(made.cells[here], id="again"))


@_strange
def an_answer_duplicated_and_improved(made: HandIn) -> None:
    name = made.exercises[0]
    here = made.place(name)
    made.cells.insert(here + 1, copy_of(made.cells[here], id="again"))
    made.cells[here].source = f"def {name}(*given):\n    return 0"


@_strange
def a_check_deleted(made: HandIn) -> None:
    del made.cells[made.check(made.exercises[0])]


@_strange
def a_given_cell_deleted(made: HandIn) -> None:
    del made.cells[made.given()]


@_strange
def an_answer_changed_to_markdown(made: HandIn) -> None:
    here = made.place(made.exercises[0])
    made.cells[here] = copy_of(made.cells[here], cell_type="markdown")


@_strange
def a_check_changed_to_markdown(made: HandIn) -> None:
    here = made.check(made.exercises[0])
    made.cells[here] = copy_of(made.cells[here], cell_type="markdown")


@_strange
def a_discussion_changed_to_code(made: HandIn) -> None:
    if made.essays:
        here = made.place(made.essays[0])
        made.cells[here] = copy_of(made.cells[here], cell_type="code", outputs=[])


@_strange
def metadata_gone_from_one_cell(made: HandIn) -> None:
    made.cell(made.exercises[-1]).metadata = {}


@_strange
def all_metadata_gone(made: HandIn) -> None:
    for cell in made.cells:
        cell.metadata = {}
        del cell["id"]


@_strange
def a_check_edited(made: HandIn) -> None:
    made.cells[made.check(made.exercises[0])].source = "4.0"


@_strange
def grade_ids_exchanged(made: HandIn) -> None:
    one, two = made.cell(made.exercises[0]), made.cell(made.exercises[-1])
    one.metadata, two.metadata = two.metadata, one.metadata
    one["id"], two["id"] = two["id"], one["id"]


@_strange
def twenty_megabytes_of_outputs(made: HandIn) -> None:
    text = "x" * 20 * 2**20
    made.cells[made.given()].outputs = [new_output("stream", name="stdout", text=text)]


@_strange
def widget_state(made: HandIn) -> None:
    state: dict[str, object] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}
    made.notebook.metadata["widgets"] = state


@_strange
def answer_in_another_cell(made: HandIn) -> None:
    here = made.place(made.exercises[0])
    made.cells.insert(here + 1, new_code_cell(made.cells[here].source))
    made.cells[here].source = made.stubs[made.exercises[0]]


@_strange
def two_answers_in_the_first_ones_cell(made: HandIn) -> None:
    for second in made.exercises[1:2]:
        first = made.cell(made.exercises[0])
        first.source += f"\n\n\n{made.cells.pop(made.place(second)).source}"


@_strange
def two_answers_in_a_cell_of_their_own(made: HandIn) -> None:
    gone = [made.cells.pop(made.place(name)) for name in made.exercises[:2]]
    both = new_code_cell("\n\n\n".join(cell.source for cell in gone))
    made.cells.insert(made.check(made.exercises[0]), both)


@_strange
def answer_below_the_check(made: HandIn) -> None:
    name = made.exercises[0]
    made.cells.insert(made.check(name) + 1, new_code_cell(made.cell(name).source))
    made.cell(name).source = made.stubs[name]


@_strange
def a_given_cell_used_for_an_own_constant(made: HandIn) -> None:
    made.cells[made.given()].source += f"\n{SET_MINE}"
    made.cell(made.exercises[0]).source = MINE + made.cell(made.exercises[0]).source


@_strange
def only_answers_handed_in(made: HandIn) -> None:
    keep = {*made.exercises, *made.essays}
    made.notebook.cells = [
        cell for cell in made.cells if cell.metadata.get("nbgrader", {}).get("grade_id") in keep
    ]


@_strange
def an_essay_in_a_cell_of_its_own(made: HandIn) -> None:
    if made.essays:
        here = made.place(made.essays[0])
        made.cells.insert(here + 1, new_markdown_cell(made.cells[here].source))
        made.cells[here].source = made.stubs[made.essays[0]]


@_strange
def a_self_study_copy_with_offers_of_model_answers(made: HandIn) -> None:
    name = made.exercises[0]
    offer = f"# Model answer: run this cell after a pass\nmodel_answer({name!r})"
    made.cells.insert(made.check(name) + 1, new_code_cell(offer))


@_strange
def magics_shell_commands_and_questions(made: HandIn) -> None:
    lines = "!pip install nothing-at-all", "%matplotlib inline", "name = input('Who are you? ')"
    made.cells.insert(0, new_code_cell("\n".join(lines)))


@_strange
def an_own_cell_that_fails(made: HandIn) -> None:
    made.cells.insert(made.given() + 1, new_code_cell("1 / 0"))


@_strange
def an_own_cell_that_never_ends(made: HandIn) -> None:
    made.cells.insert(made.given() + 1, new_code_cell("while True:\n    pass"))


@_strange
def an_own_cell_that_ends_python(made: HandIn) -> None:
    made.cells.insert(made.given() + 1, new_code_cell("import os\nos._exit(1)"))
