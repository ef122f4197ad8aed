"""A learner's parts become a package that runs without the course, and none of them is lost."""

import io
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch

from autograde.checking import catalogue, write_my_elmo
from autograde.checking.check import check
from autograde.checking.kept_part import loaded
from autograde.checking.mine import mine
from autograde.checking.write_my_elmo import COMMAND, PARTS, SENTENCES
from autograde.workspace import parts, results
from autograde.workspace.part_imports import foreign
from autograde.workspace.part_text import part_text
from autograde.workspace.place import ELMO_PARTS, THE_COURSES
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from tests.autograde.learners_workspace import answers, at_a_workspace, written
from tests.elmo_mini import published_model

LESSONS = sorted((Path(__file__).parents[3] / "solutions").glob("0[678]_*/*.py"))
OTHERS = {
    "character_ids": "byte after byte",
    "CharCNN": "PyTorch's own layers",
    "BiLM": "one sentence after the other",
    "ScalarMix": "einsum and sums over a mask",
    "without_boundaries": "row by row",
    "embed": "one sentence at a time",
}
SHOWN = [
    "",
    f"$ python {COMMAND}",
    "1. She plays the cello .",
    "2. The plays were long .",
    "How alike are the vectors of one word in two places? A static table says 1.00.",
]
CELLO_AND_LONG = [line.split()[1:] for line in SHOWN[2:4]]
AS_A_COMMAND = "import runpy; runpy.run_module('my_elmo', run_name='__main__')"
ALIKE = re.compile(r" +(\S+)  in 1 and 2: (-?\d\.\d\d)")
TRIED = re.compile(
    r"Tried in a fresh Python that finds none of elmo_mini, course, autograde, on 21 words: the "
    r"largest difference from the course's `ElmoEmbedder` is \de-(\d\d)\."
)


# Each starts a Python of its own, which takes seconds; four of these tests run every time.
a_fresh_python = pytest.mark.by_reach(
    "my_elmo",
    seconds=4,
    also=[
        *("solutions/0[678]_*/*.py", "autograde/workspace/my_elmo/*.py"),
        *(f"autograde/exercises/*/{name}.py" for name in ELMO_PARTS),
    ],
)


class Written(NamedTuple):
    workspace: Path
    said: str


def write() -> str:
    with redirect_stdout(io.StringIO()) as said:
        write_my_elmo.write_my_elmo()
    return said.getvalue()


def small_bilm() -> FastBiLM:
    sizes = BiLMOptions(
        projection_dim=4, dim=6, filters=((1, 3), (2, 4)), character_dim=3, n_highway=1
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return FastBiLM(sizes).requires_grad_(False).eval()


def run_alone(code: str, workspace: Path, *arguments: str) -> str:
    """What a process prints that has nothing of the course."""
    closed = f"import sys; sys.modules.update(dict.fromkeys({THE_COURSES})); sys.path.insert(0, '')"
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"{closed}\n{code}", *arguments],
        cwd=workspace,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """The lessons' own answers, kept one after the other, and the course's checkpoint."""
    folder = tmp_path_factory.mktemp("solved")
    with pytest.MonkeyPatch.context() as patch, at_a_workspace(folder, patch) as workspace:
        with redirect_stdout(io.StringIO()):
            for lesson in LESSONS:
                for name, answer in answers(lesson, folder):
                    if name in ELMO_PARTS:
                        check(name, answer)
        yield Written(workspace, write())


@pytest.fixture(scope="module")
def otherwise(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learner's folder with another right answer to each exercise."""
    folder = tmp_path_factory.mktemp("otherwise")
    with pytest.MonkeyPatch.context() as patch, at_a_workspace(folder, patch) as workspace:
        for name in PARTS:
            right = catalogue.find(name).right_answers[OTHERS[name]]
            text = part_text("answer", right, workspace, written_out=THE_COURSES)
            if name == "BiLM":  # it builds on the course's class of that name
                text = re.sub(r"\bBiLM\b", "TwoStacks", text)
            answer = written(f"{text}\n\n{name} = answer\n", name, folder / f"{name}_cell.py", {})
            with redirect_stdout(io.StringIO()):
                assert check(name, answer).report.note.startswith("Kept for later lessons")
    return workspace


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> FastBiLM:
    """A small model in the place of the course's checkpoint."""
    bilm = small_bilm()
    monkeypatch.setattr(write_my_elmo, "load_pretrained", lambda: bilm)
    return bilm


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_my_elmo, "_tried", lambda workspace, bilm: "Not tried.")


@pytest.fixture
def own_workspace(workspace: Path, otherwise: Path, small: FastBiLM) -> Path:
    """A copy of the folder with the other right answers."""
    shutil.copytree(otherwise, workspace, dirs_exist_ok=True)
    return workspace


def test_the_lessons_answers_are_a_package_with_the_courses_vectors(solved: Written) -> None:
    lines = solved.said.splitlines()
    for name, line in zip(PARTS, lines, strict=False):
        assert line.startswith(f"`{name}` is yours, kept on ")
    assert lines[6] == "Written: work/my_elmo, 6 of 6 parts yours."
    exponent = TRIED.fullmatch(lines[7])
    assert exponent is not None
    assert int(exponent[1]) >= 5
    assert not (solved.workspace / "my_elmo/course").exists()
    assert lines[8:13] == SHOWN
    found = [match.groups() for line in lines[13:14] if (match := ALIKE.fullmatch(line))]
    one, other = (layers.mean(0) for layers in ElmoEmbedder().embed_batch(CELLO_AND_LONG))
    assert found == [("plays", f"{cosine(one[1], other[1]):.2f}")]  # and nothing of the full stop
    assert float(found[0][1]) < 0.8
    assert lines[14:] == [
        "",
        f"Try it in a terminal, in {solved.workspace}:",
        f'{sys.executable} -m my_elmo "She plays the cello ." "The plays were long ."',
    ]


@a_fresh_python
def test_of_one_sentence_the_package_shows_numbers(solved: Written) -> None:
    shape, *words = run_alone(AS_A_COMMAND, solved.workspace, "Dogs bark .").splitlines()
    assert shape == "3 words, 512 numbers each"
    assert [line.split()[0] for line in words] == ["Dogs", "bark", "."]
    (vectors,) = ElmoEmbedder().embed_batch([["Dogs", "bark", "."]])
    shown = [[float(number) for number in line.split()[1:-1]] for line in words]
    np.testing.assert_allclose(shown, vectors.mean(0)[:, :6], atol=6e-4)


HINT = '"bark." is read as one word; "bark ." would be two.'
QUOTES = "Each word is a sentence here. To make them one sentence, put quotes round it."


TYPED = [
    ["Ah"],
    ["Dogs bark."],
    ["Dogs", "bark", "..."],
    ["we go and we stay", "We go"],
    ["--help"],
    [],
    ["", " "],
    ["--weights", "w.hdf5", "Dogs"],
    ["--weights", "w.hdf5", "--options", __file__, "Dogs"],
]
TYPE_ALL = f"""
import json, runpy
for typed in json.loads(sys.argv[1]):
    sys.argv[1:], sys.stderr = typed, sys.stdout
    try:
        {AS_A_COMMAND.partition("; ")[2]}
    except SystemExit as end:
        print("ended with", end.code)
    print("-----")
"""


@a_fresh_python
def test_the_command_says_what_it_needs_and_what_it_makes_of_words(
    own_workspace: Path, untried: None
) -> None:
    write()
    said = run_alone(TYPE_ALL, own_workspace, json.dumps(TYPED)).split("-----\n")
    one, glued, unquoted, twice, asked, *nothing = [answer.splitlines() for answer in said[:-1]]
    assert one[0] == "1 word, 8 numbers each"
    assert glued[:2] == [HINT, "2 words, 8 numbers each"]
    assert unquoted[:4] == [QUOTES, "1. Dogs", "2. bark", "3. ..."]
    assert unquoted[4:] == ["No word stands in two places. Give sentences that share one."]
    assert [line.partition(":")[0].split(maxsplit=1) for line in twice[3:]] == [
        ["we", "in 1 (word 1) and 1 (word 4)"],
        ["go", "in 1 and 2"],
    ]
    assert asked[0].startswith("usage: python -m my_elmo [-h] [--options OPTIONS]")
    assert asked[-1] == "ended with 0"
    errors = [error for *_, error, end in nothing if end == "ended with 2"]
    no_sentence = 'give a sentence in quotes: python -m my_elmo "Dogs bark ."'
    assert [error.removeprefix("python -m my_elmo: error: ") for error in errors] == [
        no_sentence,
        no_sentence,
        "a model is two files: give --options and --weights, or neither",
        f"{Path(__file__)} holds no options of an ELMo",
    ]


@a_fresh_python
def test_before_the_mix_the_package_has_the_courses_layers(solved: Written) -> None:
    code = (
        "import json\n"
        "import numpy as np\n"
        "from my_elmo import ELMo\n"
        "np.savez(sys.argv[1], *ELMo().every_layer(json.loads(sys.argv[2])))\n"
    )
    file = solved.workspace / "layers.npz"
    run_alone(code, solved.workspace, str(file), json.dumps([*SENTENCES, []]))
    with np.load(file) as found:
        layers = [found[name] for name in found.files]
    course = ElmoEmbedder().embed_batch([*SENTENCES, []])
    assert [of_one.shape for of_one in layers] == [of_one.shape for of_one in course]
    for of_one, expected in zip(layers, course, strict=True):
        np.testing.assert_allclose(of_one, expected, atol=1e-5)


@a_fresh_python
@published_model.needs_model
def test_published_files_are_given_by_path(solved: Written, tmp_path: Path) -> None:
    code = (
        "import json\n"
        "import numpy as np\n"
        "from my_elmo import ELMo\n"
        "elmo, sentences = ELMo(*sys.argv[3:]), json.loads(sys.argv[2])\n"
        "np.savez(sys.argv[1], elmo.every_layer(sentences)[0][-1], *elmo.embed(sentences))\n"
    )
    batch = published_model.batches()[0]  # before it, nothing was read
    file = tmp_path / "vectors.npz"
    model = (str(published_model.OPTIONS), str(published_model.WEIGHTS))
    run_alone(code, solved.workspace, str(file), json.dumps(batch), *model)
    with np.load(file) as found:
        top, *mixed = (found[name] for name in found.files)
    np.testing.assert_allclose(top, published_model.expected_top_layer()[0], atol=1e-5)
    course = ElmoEmbedder(published_model.OPTIONS, published_model.WEIGHTS).embed_batch(batch)
    for vectors, layers in zip(mixed, course, strict=True):
        np.testing.assert_allclose(vectors, layers.mean(0), atol=1e-5)
    options, weights = model
    typed = json.dumps([["--options", options, "--weights", weights, "Dogs bark ."]])
    assert "3 words, 32 numbers each" in run_alone(TYPE_ALL, solved.workspace, typed)


@a_fresh_python
def test_the_model_is_built_once(solved: Written) -> None:
    code = (
        "from my_elmo import ELMo, elmo\n"
        "made = []\n"
        "class Counted(elmo.BiLM):\n"
        "    def __init__(self, *given):\n"
        "        made.append(1)\n"
        "        super().__init__(*given)\n"
        "elmo.BiLM = Counted\n"
        "mine = ELMo()\n"
        "first, again = (mine.embed([['Dogs', 'bark', '.']])[0] for _ in range(2))\n"
        "print(len(made), (first == again).all().item(), len(mine.every_layer([['Dogs']])))\n"
    )
    assert run_alone(code, solved.workspace) == "1 True 1\n"


def modules_of(distributions: set[str]) -> list[str]:
    """The modules of these packages, and of all that they require."""
    ahead, found = [*distributions], set[str]()
    while ahead:
        name = re.sub(r"[-_.]+", "-", ahead.pop()).lower()
        with suppress(PackageNotFoundError):
            lines = requires(name) if name not in found else None
            found.add(name)
            ahead += [
                re.split(r"[^\w.-]", line)[0] for line in lines or () if "extra ==" not in line
            ]
    of = packages_distributions().items()
    return [m for m, names in of if found & {re.sub(r"[-_.]+", "-", n).lower() for n in names}]


ALONE = """
import importlib.machinery as machinery, json, runpy, sys
known = {*sys.stdlib_module_names, "my_elmo", "__main__", *json.loads(sys.argv[1])}
class Alone:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in known or name.startswith("_sysconfigdata"):
            return machinery.PathFinder.find_spec(name, path, target)
sys.meta_path[:] = [machinery.BuiltinImporter, machinery.FrozenImporter, Alone]
sys.path.insert(0, "")
for gone in ("scipy", "elmo_mini", "pytest"):
    try:
        __import__(gone)
    except ModuleNotFoundError:
        continue
    sys.exit(f"{gone} can be imported")
runpy.run_path("my_elmo/test_my_elmo.py", run_name="__main__")
from my_elmo import ELMo
print(*ELMo().embed([["Dogs", "bark", "."]])[0].shape)
"""


def test_with_torch_numpy_and_h5py_alone_its_own_test_passes(solved: Written) -> None:
    known = json.dumps(modules_of({"torch", "numpy", "h5py"}))
    command = [sys.executable, "-B", "-c", ALONE, known]
    done = subprocess.run(
        command, cwd=solved.workspace, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *passed, last = done.stdout.splitlines()
    assert last == "3 512"
    assert len(passed) == 4
    assert all(line.startswith("passed: ") for line in passed)


SLIPS = {
    "lstm_step": ("c = torch.sigmoid(f + 1) * c", "c = torch.sigmoid(f) * c"),
    "embed": ("[259, byte + 1, 260]", "[259, byte + 2, 260]"),
    "BiLM": ("x = states + x if outputs else states", "x = states"),
}


@a_fresh_python
@pytest.mark.parametrize(("name", "slip"), SLIPS.items(), ids=SLIPS.keys())
def test_its_own_test_sees_a_slip(
    name: str, slip: tuple[str, str], solved: Written, tmp_path: Path
) -> None:
    for file in (solved.workspace / "my_elmo").glob("*.py"):
        (tmp_path / "my_elmo").mkdir(exist_ok=True)
        shutil.copy(file, tmp_path / "my_elmo")
    part = tmp_path / f"my_elmo/{name}.py"
    right = part.read_text("utf-8")
    assert slip[0] in right
    part.write_text(right.replace(*slip), encoding="utf-8")
    command = [sys.executable, "-B", "my_elmo/test_my_elmo.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Error" in done.stderr


def faults(package: Path) -> str:
    """What ruff's pyflakes rules find: undefined names, unused imports and variables, and more."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F"]
    done = subprocess.run([*command, "."], cwd=package, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_package_can_be_shown(solved: Written) -> None:
    package = solved.workspace / "my_elmo"
    assert faults(package) == ""
    written = {path.stem for path in package.glob("*.py")}
    assert written - {*ELMO_PARTS} == {
        "__init__",
        "__main__",
        "elmo",
        "one_layer",
        "test_my_elmo",
        "weights",
    }
    embed = (package / "embed.py").read_text("utf-8")
    assert 'for word in ("<S>", *words, "</S>")' in embed
    readme = (package / "README.md").read_text("utf-8")
    assert f"Mine, all of them: {', '.join(ELMO_PARTS)}." in readme
    assert f"Python {platform.python_version()}, torch " in readme


@pytest.mark.parametrize("name", ELMO_PARTS)
def test_a_part_of_the_course_is_plain_code_under_its_own_name(name: str, tmp_path: Path) -> None:
    text = write_my_elmo._course_text(name, tmp_path)
    assert foreign(text) == []
    assert re.search(rf"^(def|class) {name}\b", text, re.MULTILINE)
    assert not re.search(r"^\w+ = \w*[a-z]\w*$", text, re.MULTILINE)  # embed = reference
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    assert faults(tmp_path) == ""


def test_other_right_answers_are_a_package_too(own_workspace: Path) -> None:
    said = write()
    assert "6 of 6 parts yours." in said
    assert TRIED.search(said)


def test_where_nothing_is_yours_the_course_stands_in(workspace: Path, small: FastBiLM) -> None:
    said = write().splitlines()
    assert said[:6] == [f"`{n}` is the course's: you have not passed it yet." for n in PARTS]
    assert said[6] == "Written: work/my_elmo, 0 of 6 parts yours."
    assert TRIED.fullmatch(said[7])
    readme = (workspace / "my_elmo/README.md").read_text("utf-8")
    assert "All its parts are the course's, in `course/`." in readme
    assert faults(workspace / "my_elmo") == ""


def test_for_what_is_missing_damaged_or_wrong_the_course_stands_in(
    own_workspace: Path, untried: None
) -> None:
    package = own_workspace / "my_elmo"
    (package / "without_boundaries.py").unlink()
    damaged = {
        "CharCNN": "class CharCNN(:\n",
        "BiLM": "class BiLM:\n    pass\n",
        "ScalarMix": (package / "ScalarMix.py").read_text("utf-8") + "\n\nimport scipy\n",
    }
    for name, text in damaged.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    said = write()
    assert "`character_ids` is yours, kept on " in said
    assert "Your `CharCNN` in work/my_elmo/CharCNN.py cannot be loaded (SyntaxError" in said
    assert "Your `BiLM` in work/my_elmo/BiLM.py no longer passes (" in said
    assert (
        "Moved to work/my_parts: ScalarMix.py. It imports more than torch, numpy and h5py, and "
        "my_elmo runs with these alone.\n"
    ) in said
    assert (
        "Your `ScalarMix` imports scipy, and this package may import torch, numpy and h5py alone, "
        "so the course's `ScalarMix` is used. Write `ScalarMix` without scipy and check it again.\n"
    ) in said
    assert "`without_boundaries` is the course's: work/my_elmo/without_boundaries.py is not" in said
    assert "2 of 6 parts yours.\n" in said
    for name, text in damaged.items():
        assert parts.read(parts.file_of(own_workspace, name)) == text
    assert "Mine: character_ids, embed.\n" in (package / "README.md").read_text("utf-8")
    mended = damaged["ScalarMix"].replace("import scipy", "")
    (own_workspace / "my_parts/ScalarMix.py").write_text(mended, encoding="utf-8")
    assert "`ScalarMix` is yours, as you edited it." in write()
    assert (package / "ScalarMix.py").read_text("utf-8") == mended


@a_fresh_python
def test_the_courses_embed_uses_the_parts_that_are_yours(
    own_workspace: Path, small: FastBiLM
) -> None:
    (own_workspace / "my_elmo/embed.py").unlink()
    (own_workspace / "my_elmo/without_boundaries.py").unlink()
    assert TRIED.search(write())
    text = (own_workspace / "my_elmo/course/embed.py").read_text("utf-8")
    assert "from my_elmo.character_ids import character_ids\n" in text
    assert "from my_elmo.without_boundaries import without_boundaries\n" in text
    found = {path.stem for path in (own_workspace / "my_elmo/course").glob("*.py")}
    assert found == {"embed", "without_boundaries"}


EMBED = """
START = [259, 257, 260] + 47 * [261]
END = [259, 258, 260] + 47 * [261]


def embed(sentences, weights, CharCNN, BiLM, ScalarMix):
    found = []
    for words in sentences:
        ids = torch.tensor([[START, *map(list, map(character_ids, words)), END]])
        layers, mask = BiLM(CharCNN(weights), weights)(ids)
        vectors = ScalarMix(len(layers))(layers, mask)
        found.append(without_boundaries(vectors, mask)[0][0].detach())
    return found
"""


def checked_with(names: dict[str, object], folder: Path) -> str:
    """What is said of an `embed` in whose notebook these names stand."""
    answer = written(EMBED, "embed", folder / "embed_cell.py", {"torch": torch, **names})
    with redirect_stdout(io.StringIO()):
        return check("embed", answer).report.note


@a_fresh_python
def test_an_answer_that_was_checked_with_the_courses_part_is_yours(
    own_workspace: Path, otherwise: Path, small: FastBiLM, tmp_path: Path
) -> None:
    ids, cut = (
        own_workspace / "my_elmo/character_ids.py",
        own_workspace / "my_elmo/without_boundaries.py",
    )
    right = ids.read_text("utf-8")
    ids.unlink()
    cut.unlink()
    with redirect_stdout(io.StringIO()):
        taken = {name: mine(name) for name in ("character_ids", "without_boundaries")}
    assert checked_with(taken, tmp_path).startswith("Kept for later lessons: `work/my_elmo/embed")
    text = (own_workspace / "my_elmo/embed.py").read_text("utf-8")
    assert foreign(text) == []
    assert "from my_elmo.character_ids import character_ids\n" in text
    with redirect_stdout(io.StringIO()) as said:
        assert mine("embed").__module__ == "my_elmo.embed"
    assert said.getvalue().startswith("`embed` is yours, kept on ")
    said_now = write()
    assert "4 of 6 parts yours.\n" in said_now
    assert TRIED.search(said_now)
    assert faults(own_workspace / "my_elmo") == ""
    ids.write_text(right, encoding="utf-8")
    with redirect_stdout(io.StringIO()):
        embed = mine("embed")
    assert embed.__globals__["character_ids"].__module__ == "my_elmo.character_ids"
    said_now = write()
    assert "5 of 6 parts yours.\n" in said_now
    assert TRIED.search(said_now)
    found = {path.stem for path in (own_workspace / "my_elmo/course").glob("*.py")}
    assert found == {"without_boundaries"}


@a_fresh_python
def test_a_part_stays_yours_where_one_that_it_uses_is_wrong(
    own_workspace: Path, small: FastBiLM
) -> None:
    embed, ids = own_workspace / "my_elmo/embed.py", own_workspace / "my_elmo/character_ids.py"
    head = "import torch\nfrom my_elmo.character_ids import character_ids\n"
    head += "from my_elmo.without_boundaries import without_boundaries\n"
    embed.write_text(head + EMBED, encoding="utf-8")
    with ids.open("a", encoding="utf-8") as file:
        file.write("\n\ndef character_ids(word):\n    return [1] * 50\n")
    said = write()
    assert "Your `character_ids` in work/my_elmo/character_ids.py no longer passes" in said
    assert "`embed` is yours, as you edited it." in said
    assert "5 of 6 parts yours.\n" in said
    assert TRIED.search(said)


@a_fresh_python
def test_a_part_inside_another_one_may_be_the_courses(
    solved: Written, workspace: Path, small: FastBiLM
) -> None:
    shutil.copytree(solved.workspace, workspace, dirs_exist_ok=True)
    (workspace / "my_elmo/highway.py").unlink()
    said = write()
    assert "`highway` is the course's: work/my_elmo/highway.py is not there.\n" in said
    assert "6 of 6 parts yours. Inside them the course's: highway.\n" in said
    assert TRIED.search(said)
    readme = (workspace / "my_elmo/README.md").read_text("utf-8")
    assert "The course's, in `course/`: highway.\n" in readme


STALE = "from autograde.exercises.from_characters.character_ids import reference as character_ids\n"


def test_what_an_earlier_release_left_is_put_in_order_and_still_found(
    own_workspace: Path, untried: None, tmp_path: Path
) -> None:
    package, others = own_workspace / "my_elmo", own_workspace / "my_parts"
    cut = "from my_elmo.without_boundaries import without_boundaries\n"
    stale = f"import torch\n{STALE}{cut}{EMBED}"
    spans = "def spans_of(tags):\n    return []\n"
    f1 = "from my_elmo.spans_of import spans_of\n\n\ndef span_f1(gold, found):\n    return 0.0\n"
    found = {
        "embed": stale,
        "spans_of": spans,
        "span_f1": f1,
        "embed (before 2026-05-03 12.00.00)": f"{stale}# mine\n",
        "perplexity (before 2026-05-03 12.00.00)": "x = 1\n",
        "demo": "import matplotlib\n",
        "course_demo": "from elmo_mini import Elmo\n",
    }
    for name, text in found.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    others.mkdir()
    (others / "spans_of.py").write_text("# newer\n", encoding="utf-8")
    results.add(own_workspace, "span_f1", 3, 3, parts.digest(f1))
    said = write()
    assert said.splitlines()[:2] == [
        "Moved to work/my_parts: perplexity (before 2026-05-03 12.00.00).py, span_f1.py, "
        "spans_of.py. Answers to other exercises are kept there now.",
        "Moved to work/my_parts: course_demo.py, embed.py, embed (before 2026-05-03 12.00.00).py. "
        "They import more than torch, numpy and h5py, and my_elmo runs with these alone.",
    ]
    assert (
        "Your `embed` was kept with the course's `character_ids` by an earlier release, so the "
        "course's `embed` is used. Run lesson 08 again, from its top to the check of `embed`.\n"
    ) in said
    assert "5 of 6 parts yours.\n" in said
    written_now = [path.read_text("utf-8") for path in package.rglob("*.py")]
    assert not [text for text in written_now if re.search(r"\b(autograde|elmo_mini)\b", text)]
    (aside,) = others.glob("spans_of (before *).py")
    moved = {path.stem: path.read_text("utf-8") for path in others.glob("*.py")}
    assert moved[aside.stem] == spans
    assert moved["spans_of"] == "# newer\n"
    assert moved["span_f1"] == f1.replace("my_elmo", "my_parts")
    assert parts.digest(moved["span_f1"]) == parts.digest(f1)  # so it does not count as edited
    assert moved["embed"] == stale
    assert moved["embed (before 2026-05-03 12.00.00)"] == f"{stale}# mine\n"
    assert (package / "demo.py").read_text("utf-8") == "import matplotlib\n"
    with redirect_stdout(io.StringIO()) as out:
        assert mine("embed").__module__ == "my_parts.embed"
    assert out.getvalue() == "`embed` is yours, as you edited it.\n"
    taken = {name: catalogue.find(name).reference for name in ("character_ids",)}
    with redirect_stdout(io.StringIO()):
        taken["without_boundaries"] = mine("without_boundaries")
    assert checked_with(taken, tmp_path).startswith("Kept for later lessons: `work/my_elmo/embed")
    assert len([*others.glob("embed (before *).py")]) == 2  # its origin was not known
    said = write()
    assert "6 of 6 parts yours.\n" in said
    assert "Moved" not in said


@a_fresh_python
def test_before_it_is_put_in_order_an_old_part_is_found_too(workspace: Path) -> None:
    (workspace / "my_elmo").mkdir()
    text = (
        "def relative_frequency(tokens, word):\n"
        "    return tokens.count(word) / len(tokens) if tokens else 0.0\n"
    )
    old = workspace / "my_elmo/relative_frequency.py"
    old.write_text(text, encoding="utf-8")
    assert loaded(catalogue.find("relative_frequency"), workspace)(["a", "b"], "a") == 0.5
    results.add(workspace, "relative_frequency", 1, 1, parts.digest(text))
    answer = written(
        text.replace("tokens.count(word)", "sum(t == word for t in tokens)"),
        "relative_frequency",
        workspace / "cell.py",
        {},
    )
    with redirect_stdout(io.StringIO()):
        note = check("relative_frequency", answer).report.note
    assert note == "Kept for later lessons: `work/my_parts/relative_frequency.py`."
    assert not old.exists()


def test_a_part_that_was_kept_with_the_courses_part_is_told_how_to_mend_it(
    own_workspace: Path, untried: None
) -> None:
    text = (own_workspace / "my_elmo/character_ids.py").read_text("utf-8")
    theirs = "from autograde.exercises.from_characters.character_ids import reference as theirs"
    (own_workspace / "my_elmo/shared.py").write_text(f"{theirs}\n", encoding="utf-8")
    (own_workspace / "my_elmo/character_ids.py").write_text(
        f"from my_elmo.shared import theirs\n\n\n{text}", encoding="utf-8"
    )
    said = write()
    assert "Moved to work/my_parts: character_ids.py, shared.py. They import more than " in said
    assert (
        "Your `character_ids` uses your `shared`, which was kept with the course's "
        "`character_ids` by an earlier release, so the course's `character_ids` is used. Run "
        "lesson 06 again, from its top to the check of `character_ids`.\n"
    ) in said


def test_what_a_learner_has_put_there_is_kept_beside(own_workspace: Path, untried: None) -> None:
    write()
    (own_workspace / "my_elmo/__main__.py").write_text("print('mine')\n", encoding="utf-8")
    said = write()
    (beside,) = (own_workspace / "my_elmo").glob("__main__ (before *).py")
    assert f"What you had edited there has another name now: {beside.name}.\n" in said
    assert beside.read_text("utf-8") == "print('mine')\n"
    assert "another name" not in write()


@pytest.mark.parametrize("nbgrader", ["validate", "autograde"])
def test_under_nbgrader_nothing_is_written(
    nbgrader: str, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", nbgrader)
    assert write() == (
        "Nothing is written: nbgrader runs this notebook, and my_elmo is a learner's own.\n"
    )
    assert not (workspace / "my_elmo").exists()


@a_fresh_python
def test_without_a_workspace_the_courses_parts_are_tried_and_nothing_stays(
    tmp_path: Path, small: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first, written, tried, *rest = write().splitlines()
    assert first == (
        "There is no folder of yours here: `make lab` makes one and keeps your parts there. So the "
        "package is made of the course's parts, in a folder that is gone afterwards."
    )
    assert written == "Written: my_elmo, 0 of 6 parts yours."
    assert TRIED.fullmatch(tried)
    assert rest[:5] == SHOWN
    assert [match[1] for line in rest[5:6] if (match := ALIKE.fullmatch(line))] == ["plays"]
    _, files = rest[6:]
    assert files.startswith("Its files: my_elmo/README.md, my_elmo/__init__.py, ")
    assert "my_elmo/README.md, " in files
    assert "my_elmo/course/CharCNN.py, " in files
    assert "my_elmo/weights.hdf5" in files
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_said(workspace: Path, small: FastBiLM) -> None:
    (workspace / "my_elmo").write_text("")
    *_, last = write().splitlines()
    assert last.startswith("work/my_elmo cannot be written (")


TRIALS = {
    "Its vectors are not the course's: tried in": lambda course: [v + 1 for v in course],
    "the course's: tried in a fresh": lambda course: [*course[:-1], course[-1] + 1],
    "and its vectors have other shapes than": lambda course: course[:-1],
    "finds none of elmo_mini, course, autograde: ImportError: no h5py": "ImportError: no h5py",
    "none of elmo_mini, course, autograde: it ended without a word": "",
    "It did not end within 300 seconds in a fresh Python": subprocess.TimeoutExpired("python", 300),
}


@pytest.mark.parametrize(("says", "trial"), TRIALS.items(), ids=TRIALS.keys())
def test_a_trial_that_goes_wrong_is_told(
    says: str, trial: object, workspace: Path, small: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(arguments: list[str], **how: object) -> subprocess.CompletedProcess[bytes]:
        if isinstance(trial, Exception):
            raise trial
        if isinstance(trial, str):
            return subprocess.CompletedProcess(arguments, 1, stderr=trial.encode())
        layers = ElmoEmbedder(module=small).embed_batch(SENTENCES)
        course = [*(v.mean(0) for v in layers), *layers]
        np.savez(arguments[-2], *trial(course))  # type: ignore[operator]
        return subprocess.CompletedProcess(arguments, 0, stdout=b"")

    monkeypatch.setattr(subprocess, "run", run)
    assert says in write_my_elmo._tried(workspace, small)
