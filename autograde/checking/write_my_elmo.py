"""`write_my_elmo()`: the learner's own parts become a package that runs without the course."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Collection
from datetime import datetime
from pathlib import Path

import numpy as np

from autograde.checking import catalogue
from autograde.checking.mine import own_part
from autograde.checking.safe_state import safe_state
from autograde.checking.time_limit import interruptible
from autograde.desk import own_package
from autograde.desk.part_imports import MAY_NEED, foreign_imports, imports_of
from autograde.desk.part_text import part_text
from autograde.desk.place import PACKAGE, being_graded, find_desk
from elmo_mini.bilm.model import BiLM
from elmo_mini.checkpoints.official import save_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.elmo.embedder import ElmoEmbedder

PARTS = ("character_ids", "CharCNN", "BiLM", "ScalarMix", "without_boundaries", "embed")
THE_COURSES = ("elmo_mini", "autograde")
SENTENCES = [
    sentence.split()
    for sentence in (
        "The bank raised its rates again .",
        "They sat on the bank of the river and played .",
        "Naïve ?",
        "打针",
    )
]
ROUNDING = 1e-4
SECONDS = 300.0  # by the clock: a process that hangs, or a slow disk that torch is read from
SHOWN = ("She plays the cello .", "The plays were long .")
COMMAND = " ".join(["-m", PACKAGE, *(f'"{sentence}"' for sentence in SHOWN)])
TRIAL = f"""
import json, runpy, sys
sys.modules.update(dict.fromkeys({THE_COURSES}))
sys.path.insert(0, "")
sys.stdout.reconfigure(encoding="utf-8")
import numpy as np
from {PACKAGE} import embed, every_layer
sentences = json.loads(sys.argv[2])
vectors = [*embed(sentences), *every_layer(sentences)]
np.savez(sys.argv[1], *[np.asarray(rows, dtype="float32") for rows in vectors])
sys.argv[1:] = {SHOWN}
runpy.run_module("{PACKAGE}", run_name="__main__")
"""


@interruptible()
@safe_state()
def write_my_elmo() -> None:
    """Write your parts, with the course's weights, as a package of your own, and try it.

    The package is the folder ``my_elmo`` at your desk. It needs torch, numpy and h5py alone. Where
    a part of yours is missing or no longer right, the course's stands in, in ``my_elmo/course/``,
    and a sentence says so. Nothing that you wrote is overwritten. Where there is no desk, as in a
    solved notebook, the course's parts are put together and tried in a folder that is gone then.
    """
    if being_graded():
        print(f"Nothing is written: nbgrader runs this notebook, and {PACKAGE} is a learner's own.")
        return
    if desk := find_desk():
        own: list[str] = []
        for name in PARTS:
            if _is_own(name, own, desk):
                own.append(name)
        if _written(desk, own, f"{desk.name}/{PACKAGE}"):
            print(f"Try it in a terminal, in {desk}:\n{sys.executable} {COMMAND}")
        return
    print(
        "There is no desk here, the folder that `make lab` makes for a learner. So the package is "
        "made of the course's parts, in a folder that is gone afterwards."
    )
    with tempfile.TemporaryDirectory() as made:
        if _written(Path(made), [], PACKAGE):
            files = sorted(path.relative_to(made).as_posix() for path in Path(made).rglob("*.*"))
            print("Its files:", ", ".join(name for name in files if name.startswith(PACKAGE)))


def _written(desk: Path, own: Collection[str], folder: str) -> bool:
    """Write the package and try it; whether it could be written."""
    bilm = load_pretrained()
    stand_ins = {name: _course_text(name, own, desk) for name in PARTS if name not in own}
    try:
        files = own_package.code(stand_ins, own) | _weights(bilm)
        beside = own_package.write(desk, files, datetime.now())
    except OSError as error:
        print(f"{folder} cannot be written ({error.strerror or error}).")
        return False
    if beside:
        print(f"What you had edited there has another name now: {', '.join(beside)}.")
    print(f"Written: {folder}, {len(own)} of {len(PARTS)} parts yours.")
    print(_tried(desk, bilm))
    return True


def _is_own(name: str, own: Collection[str], desk: Path) -> bool:
    """Whether the learner's part goes into the package; a sentence says so, or why not.

    ``own`` has those of the parts before it that do.
    """
    part, sentence = own_part(catalogue.find(name), desk)
    good = part is not None
    if good:
        foreign = foreign_imports(desk / PACKAGE, name)
        before = PARTS[: PARTS.index(name)]
        used = [other for other in imports_of(desk / PACKAGE, name) if other in before]
        lost = [other for other in used if other not in own]
        if foreign:
            sentence = _not_alone(name, *next(iter(foreign.items())))
        elif lost:
            sentence = f"Your `{name}` uses your `{lost[0]}`, so the course's is used here, too."
        good = not foreign and not lost
    print(sentence)
    return good


def _not_alone(name: str, module: str, inside: str) -> str:
    which = f"Your `{name}`" if inside == name else f"Your `{name}` uses your `{inside}`, which"
    stands_in = next((e for e, place in catalogue.places().items() if place == module), "")
    if stands_in:
        why = f"was kept with the course's `{stands_in}`"
        way_out = _taken_up(stands_in, inside if inside in catalogue.places() else name)
    else:
        package = module.partition(".")[0]
        may = f"{', '.join(MAY_NEED[:-1])} and {MAY_NEED[-1]}"
        why = f"imports {package}, and this package may import {may} alone"
        way_out = f"Write `{inside}` without {package} and check it again."
    return f"{which} {why}, so the course's `{name}` is used. {way_out}"


def _taken_up(part: str, user: str) -> str:
    """What to do so that a kept part uses the learner's own part in the place of the course's."""
    first, then = (catalogue.find(name).lesson[:2] for name in (part, user))
    return (
        f"Pass `{part}` in lesson {first}. Then run lesson {then} again, from its top to the check "
        f"of `{user}`: on the way it takes your `{part}`."
    )


def _course_text(name: str, own: Collection[str], desk: Path) -> str:
    """The course's source of a part; where it uses another part, it uses the package's."""
    beside = {
        catalogue.find(other).reference: (own_package.home(other, other in own), other)
        for other in PARTS
        if other != name
    }
    reference = catalogue.find(name).reference
    text = part_text(name, reference, desk, written_out=THE_COURSES, instead=beside)
    return f"# {name}, as the course has it.\n\n{text}"


def _weights(bilm: BiLM) -> dict[str, bytes]:
    """The model as a pair of official files."""
    with tempfile.TemporaryDirectory() as folder:
        options, weights = Path(folder, "options.json"), Path(folder, "weights.hdf5")
        save_bilm(bilm, options, weights)
        return {path.name: path.read_bytes() for path in (options, weights)}


def _tried(desk: Path, bilm: BiLM) -> str:
    """Run the package in a process of its own and hold its vectors to the course's."""
    layers = ElmoEmbedder(module=bilm).embed_batch(SENTENCES)
    course = [*(of_one.mean(0) for of_one in layers), *layers]
    where = f"a fresh Python that finds neither {' nor '.join(THE_COURSES)}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "vectors.npz")
        arguments = [sys.executable, "-B", "-c", TRIAL, str(file), json.dumps(SENTENCES)]
        try:
            done = subprocess.run(
                arguments, cwd=desk, capture_output=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"It did not end within {SECONDS:g} seconds in {where}."
        if done.returncode or not file.exists():
            last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            return f"It does not run in {where}: {' '.join(last) or 'it ended without a word'}"
        with np.load(file) as found:
            vectors = [found[name] for name in found.files]
    if [v.shape for v in vectors] != [v.shape for v in course]:
        return f"It runs in {where}, and its vectors have other shapes than the course's."
    largest = max(float(np.abs(v - c).max()) for v, c in zip(vectors, course, strict=True))
    verdict = "Tried" if largest < ROUNDING else "Its vectors are not the course's: tried"
    words = sum(map(len, SENTENCES))
    return (
        f"{verdict} in {where}, on {words} words: the largest difference from the course's "
        f"`ElmoEmbedder` is {largest:.0e}.\n\n"
        f"$ python {COMMAND}\n{done.stdout.decode(errors='replace')}"
    )
