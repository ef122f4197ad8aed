"""A learner's parts become a package that runs without the course, and none of them is lost."""

import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch

from autograde.checking import catalogue, write_my_elmo
from autograde.checking.check import check
from autograde.checking.write_my_elmo import COMMAND, PARTS, SENTENCES, THE_COURSES
from autograde.desk.part_imports import foreign_imports
from autograde.desk.part_text import part_text
from elmo_mini.bilm.model import BiLM
from elmo_mini.bilm.options import BiLMOptions
from elmo_mini.elmo.embedder import ElmoEmbedder
from tests.autograde.learners_desk import answers, at_a_desk, written
from tests.elmo_mini import published_model

LESSONS = sorted((Path(__file__).parents[3] / "solutions").glob("0[678]_*/*.py"))
USED = {*PARTS, "convolve", "highway", "lstm_step", "reverse_each", "scalar_mix"}
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
    r"Tried in a fresh Python that finds neither elmo_mini nor autograde, on 21 words: the largest "
    r"difference from the course's `ElmoEmbedder` is \de-(\d\d)\."
)


class Written(NamedTuple):
    desk: Path
    said: str


def write() -> str:
    with redirect_stdout(io.StringIO()) as said:
        write_my_elmo.write_my_elmo()
    return said.getvalue()


def small_bilm() -> BiLM:
    sizes = BiLMOptions(
        projection_dim=4, dim=6, filters=((1, 3), (2, 4)), character_dim=3, n_highway=1
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return BiLM(sizes).requires_grad_(False).eval()


def run_alone(code: str, desk: Path, *arguments: str) -> str:
    """What a process prints that has nothing of the course."""
    closed = f"import sys; sys.modules.update(dict.fromkeys({THE_COURSES})); sys.path.insert(0, '')"
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"{closed}\n{code}", *arguments],
        cwd=desk,
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
    with pytest.MonkeyPatch.context() as patch, at_a_desk(folder, patch) as desk:
        with redirect_stdout(io.StringIO()):
            for lesson in LESSONS:
                for name, answer in answers(lesson, folder):
                    if name in USED:
                        check(name, answer)
        yield Written(desk, write())


@pytest.fixture(scope="module")
def otherwise(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learner's folder with another right answer to each exercise."""
    folder = tmp_path_factory.mktemp("otherwise")
    with pytest.MonkeyPatch.context() as patch, at_a_desk(folder, patch) as desk:
        for name in PARTS:
            right = catalogue.find(name).right_answers[OTHERS[name]]
            text = part_text("answer", right, desk, written_out=THE_COURSES)
            if name == "BiLM":  # it builds on the course's class of that name
                text = re.sub(r"\bBiLM\b", "TwoStacks", text)
            answer = written(f"{text}\n\n{name} = answer\n", name, folder / f"{name}_cell.py", {})
            with redirect_stdout(io.StringIO()):
                assert check(name, answer).report.note.startswith("Kept for later lessons")
    return desk


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> BiLM:
    """A small model in the place of the course's checkpoint."""
    bilm = small_bilm()
    monkeypatch.setattr(write_my_elmo, "load_pretrained", lambda: bilm)
    return bilm


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_my_elmo, "_tried", lambda desk, bilm: "Not tried.")


@pytest.fixture
def own_desk(desk: Path, otherwise: Path, small: BiLM) -> Path:
    """A copy of the folder with the other right answers."""
    shutil.copytree(otherwise, desk, dirs_exist_ok=True)
    return desk


def test_the_lessons_answers_are_a_package_with_the_courses_vectors(solved: Written) -> None:
    lines = solved.said.splitlines()
    for name, line in zip(PARTS, lines, strict=False):
        assert line.startswith(f"`{name}` is yours, kept on ")
    assert lines[6] == "Written: work/my_elmo, 6 of 6 parts yours."
    exponent = TRIED.fullmatch(lines[7])
    assert exponent is not None
    assert int(exponent[1]) >= 5
    assert not (solved.desk / "my_elmo/course").exists()
    assert lines[8:13] == SHOWN
    found = [match.groups() for line in lines[13:14] if (match := ALIKE.fullmatch(line))]
    one, other = (layers.mean(0) for layers in ElmoEmbedder().embed_batch(CELLO_AND_LONG))
    assert found == [("plays", f"{cosine(one[1], other[1]):.2f}")]  # and nothing of the full stop
    assert float(found[0][1]) < 0.8
    assert lines[14:] == [
        "",
        f"Try it in a terminal, in {solved.desk}:",
        f'{sys.executable} -m my_elmo "She plays the cello ." "The plays were long ."',
    ]


def test_of_one_sentence_the_package_shows_numbers(solved: Written) -> None:
    shape, *words = run_alone(AS_A_COMMAND, solved.desk, "Dogs bark .").splitlines()
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


def test_the_command_says_what_it_needs_and_what_it_makes_of_words(
    own_desk: Path, untried: None
) -> None:
    write()
    said = run_alone(TYPE_ALL, own_desk, json.dumps(TYPED)).split("-----\n")
    one, glued, unquoted, twice, asked, *nothing = [answer.splitlines() for answer in said[:-1]]
    assert one[0] == "1 word, 8 numbers each"
    assert glued[:2] == [HINT, "2 words, 8 numbers each"]
    assert unquoted[:4] == [QUOTES, "1. Dogs", "2. bark", "3. ..."]
    assert unquoted[4:] == ["No word stands in two places. Give sentences that share one."]
    assert [line.partition(":")[0].split(maxsplit=1) for line in twice[3:]] == [
        ["we", "in 1 (word 1) and 1 (word 4)"],
        ["go", "in 1 and 2"],
    ]
    assert asked[0] == "usage: python -m my_elmo [-h] [sentence ...]"
    assert asked[-1] == "ended with 0"
    for answer in nothing:
        assert answer[1:] == [
            'python -m my_elmo: error: give a sentence in quotes: python -m my_elmo "Dogs bark ."',
            "ended with 2",
        ]


def test_before_the_mix_the_package_has_the_courses_layers(solved: Written) -> None:
    code = (
        "import json\n"
        "import numpy as np\n"
        "from my_elmo import every_layer\n"
        "np.savez(sys.argv[1], *every_layer(json.loads(sys.argv[2])))\n"
    )
    file = solved.desk / "layers.npz"
    run_alone(code, solved.desk, str(file), json.dumps([*SENTENCES, []]))
    with np.load(file) as found:
        layers = [found[name] for name in found.files]
    course = ElmoEmbedder().embed_batch([*SENTENCES, []])
    assert [of_one.shape for of_one in layers] == [of_one.shape for of_one in course]
    for of_one, expected in zip(layers, course, strict=True):
        np.testing.assert_allclose(of_one, expected, atol=1e-5)


@published_model.needs_model
def test_with_the_published_files_it_gives_their_vectors(solved: Written, tmp_path: Path) -> None:
    shutil.copytree(solved.desk, tmp_path, dirs_exist_ok=True)
    shutil.copy(published_model.OPTIONS, tmp_path / "my_elmo/options.json")
    (tmp_path / "my_elmo/weights.hdf5").unlink()
    shutil.copy(published_model.WEIGHTS, tmp_path / "my_elmo/weights.hdf5")
    code = (
        "import json, torch\n"
        "import numpy as np\n"
        "from my_elmo import BiLM, CharCNN, embed, embed_with, weights\n"
        "class TopLayer(torch.nn.Module):\n"
        "    def __init__(self, n_layers, do_layer_norm=False):\n"
        "        super().__init__()\n"
        "    def forward(self, layers, mask):\n"
        "        return layers[-1]\n"
        "sentences = json.loads(sys.argv[2])\n"
        "with torch.no_grad():\n"
        "    top = embed_with(sentences, weights(), CharCNN, BiLM, TopLayer)\n"
        "np.savez(sys.argv[1], top[0], *embed(sentences))\n"
    )
    batch = published_model.batches()[0]  # before it, nothing was read
    run_alone(code, tmp_path, str(tmp_path / "vectors.npz"), json.dumps(batch))
    with np.load(tmp_path / "vectors.npz") as found:
        top, *mixed = (found[name] for name in found.files)
    np.testing.assert_allclose(top, published_model.expected_top_layer()[0], atol=1e-5)
    course = ElmoEmbedder(published_model.OPTIONS, published_model.WEIGHTS).embed_batch(batch)
    for vectors, layers in zip(mixed, course, strict=True):
        np.testing.assert_allclose(vectors, layers.mean(0), atol=1e-5)


def test_other_right_answers_are_a_package_too(own_desk: Path) -> None:
    said = write()
    assert "6 of 6 parts yours." in said
    assert TRIED.search(said)


def test_where_nothing_is_yours_the_course_stands_in(desk: Path, small: BiLM) -> None:
    said = write().splitlines()
    assert said[:6] == [f"`{n}` is the course's: you have not passed it yet." for n in PARTS]
    assert said[6] == "Written: work/my_elmo, 0 of 6 parts yours."
    assert TRIED.fullmatch(said[7])
    assert "All its parts are the course's, in course/." in (
        desk / "my_elmo/__init__.py"
    ).read_text("utf-8")
    for name in PARTS:
        assert foreign_imports(desk / "my_elmo/course", name) == {}


def test_for_what_is_missing_damaged_or_wrong_the_course_stands_in(
    own_desk: Path, untried: None
) -> None:
    package = own_desk / "my_elmo"
    (package / "without_boundaries.py").unlink()
    damaged = {
        "CharCNN": "class CharCNN(:\n",
        "BiLM": "class BiLM:\n    pass\n",
        "ScalarMix": (package / "ScalarMix.py").read_text("utf-8") + "\n\nimport scipy\n",
    }
    for name, text in damaged.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    kept = {path: path.read_bytes() for path in package.glob("[!_]*.py")}
    said = write()
    assert "`character_ids` is yours, kept on " in said
    assert "Your `CharCNN` in work/my_elmo/CharCNN.py cannot be loaded (SyntaxError" in said
    assert "Your `BiLM` in work/my_elmo/BiLM.py no longer passes (" in said
    assert (
        "Your `ScalarMix` imports scipy, and this package may import torch, numpy and h5py alone, "
        "so the course's `ScalarMix` is used. Write `ScalarMix` without scipy and check it again.\n"
    ) in said
    assert "`without_boundaries` is the course's: work/my_elmo/without_boundaries.py is not" in said
    assert "2 of 6 parts yours." in said
    assert {path: path.read_bytes() for path in kept} == kept
    face = (package / "__init__.py").read_text("utf-8")
    assert "Yours: character_ids, embed.\nThe course's, in course/: CharCNN, BiLM," in face
    assert "from my_elmo.course.BiLM import BiLM\n" in face
    assert "from my_elmo.embed import embed as embed_with\n" in face


def test_the_courses_embed_uses_the_parts_that_are_yours(own_desk: Path, untried: None) -> None:
    (own_desk / "my_elmo/embed.py").unlink()
    (own_desk / "my_elmo/without_boundaries.py").unlink()
    write()
    text = (own_desk / "my_elmo/course/embed.py").read_text("utf-8")
    assert "from my_elmo.character_ids import character_ids\n" in text
    assert "from my_elmo.course.without_boundaries import without_boundaries\n" in text


def test_a_part_that_uses_one_that_is_wrong_gives_way_with_it(
    own_desk: Path, untried: None
) -> None:
    """It passes by itself: none of its cases has an empty word."""
    ids, embed = (catalogue.find(name).reference for name in ("character_ids", "embed"))
    mine = {ids: ("my_elmo.character_ids", "character_ids")}
    text = part_text("embed", embed, own_desk, written_out=THE_COURSES, instead=mine)
    (own_desk / "my_elmo/embed.py").write_text(text, encoding="utf-8")
    assert "`embed` is yours, as you edited it." in write()
    with (own_desk / "my_elmo/character_ids.py").open("a", encoding="utf-8") as file:
        file.write("\n\nright = character_ids\n\n\ndef character_ids(word):\n")
        file.write("    return right(word) if word else [1] * 50\n")
    said = write()
    assert "Your `character_ids` in work/my_elmo/character_ids.py no longer passes" in said
    assert "Your `embed` uses your `character_ids`, so the course's is used here, too.\n" in said
    assert "4 of 6 parts yours." in said


def test_a_part_that_was_kept_with_the_courses_part_is_told_how_to_mend_it(
    own_desk: Path, untried: None
) -> None:
    text = (own_desk / "my_elmo/character_ids.py").read_text("utf-8")
    theirs = "from autograde.exercises.from_characters.character_ids import reference as theirs"
    (own_desk / "my_elmo/shared.py").write_text(f"{theirs}\n", encoding="utf-8")
    (own_desk / "my_elmo/character_ids.py").write_text(
        f"from my_elmo.shared import theirs\n\n\n{text}", encoding="utf-8"
    )
    assert (
        "Your `character_ids` uses your `shared`, which was kept with the course's "
        "`character_ids`, so the course's `character_ids` is used. Pass `character_ids` in lesson "
        "06. Then run lesson 06 again, from its top to the check of `character_ids`: on the way "
        "it takes your `character_ids`.\n"
    ) in write()


def test_what_a_learner_has_put_there_is_kept_beside(own_desk: Path, untried: None) -> None:
    write()
    (own_desk / "my_elmo/__main__.py").write_text("print('mine')\n", encoding="utf-8")
    said = write()
    (beside,) = (own_desk / "my_elmo").glob("__main__ (before *).py")
    assert f"What you had edited there has another name now: {beside.name}.\n" in said
    assert beside.read_text("utf-8") == "print('mine')\n"
    assert "another name" not in write()


@pytest.mark.parametrize("nbgrader", ["validate", "autograde"])
def test_under_nbgrader_nothing_is_written(
    nbgrader: str, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", nbgrader)
    assert write() == (
        "Nothing is written: nbgrader runs this notebook, and my_elmo is a learner's own.\n"
    )
    assert not (desk / "my_elmo").exists()


def test_without_a_desk_the_courses_parts_are_tried_and_nothing_stays(
    tmp_path: Path, small: BiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first, written, tried, *rest = write().splitlines()
    assert first == (
        "There is no desk here, the folder that `make lab` makes for a learner. So the package is "
        "made of the course's parts, in a folder that is gone afterwards."
    )
    assert written == "Written: my_elmo, 0 of 6 parts yours."
    assert TRIED.fullmatch(tried)
    assert rest[:5] == SHOWN
    assert [match[1] for line in rest[5:6] if (match := ALIKE.fullmatch(line))] == ["plays"]
    _, files = rest[6:]
    assert files.startswith("Its files: my_elmo/__init__.py, my_elmo/__main__.py, ")
    assert "my_elmo/course/CharCNN.py, " in files
    assert "my_elmo/weights.hdf5" in files
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_said(desk: Path, small: BiLM) -> None:
    (desk / "my_elmo").write_text("")
    *_, last = write().splitlines()
    assert last.startswith("work/my_elmo cannot be written (")


TRIALS = {
    "Its vectors are not the course's: tried in": lambda course: [v + 1 for v in course],
    "the course's: tried in a fresh": lambda course: [*course[:-1], course[-1] + 1],
    "and its vectors have other shapes than": lambda course: course[:-1],
    "finds neither elmo_mini nor autograde: ImportError: no h5py": "ImportError: no h5py",
    "neither elmo_mini nor autograde: it ended without a word": "",
    "It did not end within 300 seconds in a fresh Python": subprocess.TimeoutExpired("python", 300),
}


@pytest.mark.parametrize(("says", "trial"), TRIALS.items(), ids=TRIALS.keys())
def test_a_trial_that_goes_wrong_is_told(
    says: str, trial: object, desk: Path, small: BiLM, monkeypatch: pytest.MonkeyPatch
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
    assert says in write_my_elmo._tried(desk, small)
