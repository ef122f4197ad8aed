"""The builder names every incomplete thing of a lesson: file, line, what is wrong."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from autograde.building.lesson_rules import refusals
from autograde.building.lesson_source import UnreadableSource, read_lesson

LESSON = "07_small"
COMPLETE = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] slide="slide"
# # Small

# %% tags=["road"]
# %matplotlib inline
from autograde import check

# %% [markdown] exercise="double"
# ### Double it

# %% exercise="double"
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %% check="double"
check("double", double)

# %% [markdown] hints="double"
# nudge: twice.
#
# idea: `2 * x`.
#
# outline: return it.

# %% [markdown] instructor=true
# Two minutes.

# %% [markdown]
# Why? ![a road](road.png)

# %% [markdown] discussion="why" points=2
# One point for a cause.

# %% [markdown] model_answer="why"
# Because.
"""


def _exercise(**changes: object) -> SimpleNamespace:
    frame = {"lesson": LESSON, "points": 2, "difficulty": 1, "importance": 2, "minutes": 3}
    return SimpleNamespace(**{**frame, **changes})


def _messages(folder: Path, source: str, exercise: SimpleNamespace | None = None) -> list[str]:
    path = folder / "solutions" / LESSON / "small.py"
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")

    def find(name: str) -> SimpleNamespace:
        return {"double": exercise or _exercise()}[name]

    return [str(refusal) for refusal in refusals(read_lesson(path), find)]


def _line(source: str, text: str) -> int:
    return source[: source.index(text)].count("\n") + 1


def test_a_complete_lesson_is_not_refused(tmp_path: Path) -> None:
    assert _messages(tmp_path, COMPLETE) == []


ANSWER = COMPLETE[COMPLETE.index('# %% exercise="double"') : COMPLETE.index("# %% check=")]
CHECK = '# %% check="double"\ncheck("double", double)\n'
HINTS = COMPLETE[
    COMPLETE.index('# %% [markdown] hints="double"') : COMPLETE.index("# %% [markdown] inst")
]
STATEMENT = '# %% [markdown] exercise="double"\n# ### Double it\n'

# (what to replace, by what, the line that is named, what the refusal must say)
BREACHES = {
    "exercise without id": (
        '# %% exercise="double"',
        '# %% exercise=""',
        '# %% exercise=""',
        "exercise without id",
    ),
    "unknown exercise": (
        COMPLETE,
        COMPLETE.replace('"double"', '"treble"'),
        '# %% exercise="treble"',
        "unknown exercise 'treble'",
    ),
    "check naming an unknown exercise": (
        "from autograde import check",
        'from autograde import check\ncheck("treble", print)',
        'check("treble"',
        "check names the unknown exercise 'treble'",
    ),
    "check cell ends in something else": (
        'check("double", double)',
        'check("double", double)\nprint()',
        '# %% check="double"',
        'must end with check("double", ...)',
    ),
    "check cell checks another exercise": (
        'check("double", double)',
        'check("why", double)',
        '# %% check="double"',
        'must end with check("double", ...)',
    ),
    "check cell keeps its result": (
        'check("double", double)',
        'score = check("double", double)',
        '# %% check="double"',
        'must end with check("double", ...)',
    ),
    "check cell hides its result": (
        'check("double", double)',
        'check("double", double);  # quiet',
        '# %% check="double"',
        "must not end with a semicolon",
    ),
    "exercise without check": (CHECK, "", '# %% exercise="double"', "has no check"),
    "check without exercise": (ANSWER, "", '# %% check="double"', "has no answer cell"),
    "check before its answer": (
        ANSWER + CHECK,
        CHECK + "\n" + ANSWER,
        '# %% check="double"',
        "stands before its answer",
    ),
    "exercise without statement": (
        STATEMENT,
        "",
        '# %% exercise="double"',
        "has no statement",
    ),
    "statement after the answer": (
        STATEMENT + "\n" + ANSWER,
        ANSWER + STATEMENT + "\n",
        '# %% exercise="double"',
        "stands before its statement",
    ),
    "exercise without hints": (HINTS, "", '# %% exercise="double"', "has no hints"),
    "a hint is missing": (
        "# idea: `2 * x`.\n",
        "#\n",
        '# %% [markdown] hints="double"',
        "lack idea",
    ),
    "an empty hint": ("# nudge: twice.", "# nudge:", "# %% [markdown] hints", "lack nudge"),
    "an id twice": (
        ANSWER,
        ANSWER + ANSWER,
        None,
        "the id 'double' is taken",
    ),
    "a discussion with the id of an exercise": (
        'discussion="why"',
        'discussion="double"',
        "# %% [markdown] discussion",
        "the id 'double' is taken",
    ),
    "solution without marks": (
        "    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
        "    return 2 * x",
        '# %% exercise="double"',
        "has no ### BEGIN SOLUTION",
    ),
    "solution without end": (
        "    ### END SOLUTION\n",
        "",
        "    ### BEGIN SOLUTION",
        "do not stand in pairs",
    ),
    "solution in an ordinary cell": (
        "from autograde import check",
        "### BEGIN SOLUTION\nfrom autograde import check\n### END SOLUTION",
        "### BEGIN SOLUTION",
        "outside an answer cell",
    ),
    "the student's cell does not parse": (
        "    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
        "    return (\n    ### BEGIN SOLUTION\n    2 * x\n    ### END SOLUTION\n    )",
        '# %% exercise="double"',
        "the student's version of 'double' does not parse",
    ),
    "the source does not parse": (
        "    return 2 * x",
        "    return 2 *",
        "    return 2 *",
        "does not parse",
    ),
    "return outside a function": (
        "from autograde import check",
        "return 1",
        "return 1",
        "'return' outside function",
    ),
    "picture without alt text": ("![a road]", "![ ]", "# %% [markdown]\n# Why", "without alt text"),
    "html picture without alt text": (
        "![a road](road.png)",
        '<img src="road.png">',
        "# %% [markdown]\n# Why",
        "an <img> without alt text",
    ),
    "unknown key": (
        '# %% [markdown] slide="slide"',
        '# %% [markdown] slyde="slide"',
        "# %% [markdown] slyde",
        "unknown header key 'slyde'",
    ),
    "unknown slide type": (
        'slide="slide"',
        'slide="slid"',
        "# %% [markdown] slide",
        "unknown slide type 'slid'",
    ),
    "header without quotes": (
        'check="double"',
        "check=double",
        "# %% check=double",
        "cannot be read",
    ),
    "two roles": (
        'hints="double"',
        'hints="double" exercise="double"',
        "# %% [markdown] hints",
        "cannot be exercise and hints at once",
    ),
    "check on prose": (
        '# %% [markdown] hints="double"',
        '# %% hints="double"',
        "# %% hints",
        "belongs on a markdown cell",
    ),
    "discussion without points": (
        'discussion="why" points=2',
        'discussion="why"',
        "# %% [markdown] discussion",
        "has no points",
    ),
    "discussion without model answer": (
        '# %% [markdown] model_answer="why"\n# Because.\n',
        "",
        "# %% [markdown] discussion",
        "has no model answer",
    ),
    "model answer of nothing": (
        'model_answer="why"',
        'model_answer="how"',
        '# %% [markdown] model_answer="how"',
        "belongs to no exercise and no discussion",
    ),
    "an outcome that nobody sees": (
        "from autograde import check",
        'from autograde import check, outcome\n\noutcome("share", 1.0)\nprint("seen")',
        'outcome("share"',
        "what outcome(...) returns is not shown",
    ),
    "an outcome in a loop": (
        "from autograde import check",
        'from autograde import check, outcome\n\nfor share in (1.0,):\n    outcome("s", share)',
        "    outcome(",
        "what outcome(...) returns is not shown",
    ),
    "a cell that runs once": (
        "from autograde import check",
        'from autograde import check\n\nby = {"old": 1}\n\n# %%\nby = {"new": by["old"]}',
        'by = {"new"',
        "puts another value in the place of 'by'",
    ),
    "discussion without question": (
        "# %% [markdown]\n# Why? ![a road](road.png)\n",
        "# %%\n1\n",
        "# %% [markdown] discussion",
        "has no question",
    ),
    "points on an exercise": (
        '# %% exercise="double"',
        '# %% exercise="double" points=3',
        '# %% exercise="double" points=3',
        "points= belongs on discussions",
    ),
}


@pytest.mark.parametrize("breach", BREACHES)
def test_each_breach_is_named_with_its_line(breach: str, tmp_path: Path) -> None:
    old, new, marked, says = BREACHES[breach]
    assert old in COMPLETE
    source = COMPLETE.replace(old, new, 1)
    messages = _messages(tmp_path, source)
    naming = [message for message in messages if says in message]
    assert naming, messages
    if marked is not None:
        file = tmp_path / "solutions" / LESSON / "small.py"
        place = f"{file}:{_line(source, marked)}: "
        assert any(message.startswith(place) for message in naming), naming


@pytest.mark.parametrize("field", ["points", "difficulty", "importance", "minutes"])
def test_an_exercise_must_be_framed(field: str, tmp_path: Path) -> None:
    messages = _messages(tmp_path, COMPLETE, _exercise(**{field: None}))
    assert any(f"has no {field}" in message for message in messages)


def test_an_exercise_of_another_lesson_is_refused(tmp_path: Path) -> None:
    messages = _messages(tmp_path, COMPLETE, _exercise(lesson="01_word2vec"))
    assert any("belongs to lesson '01_word2vec'" in message for message in messages)


def test_all_breaches_are_told_at_once_in_the_order_of_lines(tmp_path: Path) -> None:
    source = COMPLETE.replace('slide="slide"', 'slide="slid"').replace("# nudge: twice.", "# no")
    source = source.replace(" points=2", "").replace("![a road]", "![]")
    messages = _messages(tmp_path, source)
    assert len(messages) == 4
    lines = [int(message.rpartition("small.py:")[2].partition(":")[0]) for message in messages]
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import torch\n\n# %%\n1\n", "text before the first cell"),
        ('# %%\ntext = """\n# %% no cell\n"""\n', "lines that begin with `# %%`"),
        (
            "# ---\n# jupyter:\n#   kernelspec:\n#     name: python3\n# ---\n\n# %%\n1\n",
            "no lesson in percent format",
        ),
    ],
)
def test_a_file_that_cannot_be_cut_into_cells(source: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "small.py"
    path.write_text(source)
    with pytest.raises(UnreadableSource, match=says):
        read_lesson(path)
