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
from autograde.workspace import own_package
from autograde.workspace.part_imports import MAY_NEED, foreign_imports, needed, parts_in
from autograde.workspace.part_text import part_text
from autograde.workspace.place import ELMO_PARTS, PACKAGE, THE_COURSES, being_graded, find_workspace
from autograde.workspace.sorting import sort_parts
from elmo_mini.checkpoints.official import save_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.fast.bilm import FastBiLM

PARTS = ("character_ids", "CharCNN", "BiLM", "ScalarMix", "without_boundaries", "embed")
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
from {PACKAGE} import ELMo
elmo, sentences = ELMo(), json.loads(sys.argv[2])
vectors = [*elmo.embed(sentences), *elmo.every_layer(sentences)]
np.savez(sys.argv[1], *[np.asarray(rows, dtype="float32") for rows in vectors])
sys.argv[1:] = {SHOWN}
runpy.run_module("{PACKAGE}", run_name="__main__")
"""


@interruptible()
@safe_state()
def write_my_elmo() -> None:
    """Write your parts, with the course's weights, as a package of your own, and try it.

    The package is the folder ``my_elmo`` of your workspace. It needs torch, numpy and h5py alone.
    Where a part of yours is missing or no longer right, the course's stands in, in
    ``my_elmo/course/``, and a sentence says so. Nothing that you wrote is overwritten: what does
    not belong to an ELMo moves to ``my_parts``. Where there is no workspace, as in a solved
    notebook, the course's parts are put together and tried in a folder that is gone then.
    """
    if being_graded():
        print(f"Nothing is written: nbgrader runs this notebook, and {PACKAGE} is a learner's own.")
        return
    if workspace := find_workspace():
        try:
            ours = own_package.files_of_ours()
            moved = sort_parts(workspace, catalogue.places(), ours, datetime.now())
        except OSError as error:
            print(f"{workspace.name}/{PACKAGE} cannot be put in order ({error.strerror or error}).")
            return
        if moved:
            print(moved)
        if _written(workspace, *_whose(workspace), f"{workspace.name}/{PACKAGE}"):
            print(f"Try it in a terminal, in {workspace}:\n{sys.executable} {COMMAND}")
        return
    print(
        "There is no folder of yours here: `make lab` makes one and keeps your parts there. So the "
        "package is made of the course's parts, in a folder that is gone afterwards."
    )
    with tempfile.TemporaryDirectory() as made:
        if _written(Path(made), [], [*PARTS], PACKAGE):
            files = sorted(path.relative_to(made).as_posix() for path in Path(made).rglob("*.*"))
            print("Its files:", ", ".join(name for name in files if name.startswith(PACKAGE)))


def _whose(workspace: Path) -> tuple[list[str], list[str]]:
    """The parts that the package needs: the learner's, and those for which the course's stand in.

    A sentence is printed on each of the six, and on another one where it is the course's.
    """
    own: list[str] = []
    course: list[str] = []
    sentences = {}
    for name in ELMO_PARTS:
        part, sentences[name] = own_part(catalogue.find(name), workspace, course)
        foreign = {m: p for m, p in foreign_imports(workspace, name).items() if p not in course}
        if part is not None and foreign:
            sentences[name] = _not_alone(name, *next(iter(foreign.items())))
        (course if part is None or foreign else own).append(name)
    files = [(file, text) for name in own for file, text in needed(workspace, name).items()]
    used = {part for file, text in files if file not in course for part in parts_in(text)}
    stand_ins = [name for name in course if name in PARTS or name in used]
    print(*(s for n, s in sentences.items() if n in PARTS or n in stand_ins), sep="\n")
    return own, stand_ins


def _written(workspace: Path, own: Collection[str], course: Collection[str], folder: str) -> bool:
    """Write the package and try it; whether it could be written."""
    bilm = load_pretrained()
    try:
        stand_ins = {name: _course_text(name, workspace) for name in course}
        files = own_package.code(stand_ins, own) | _weights(bilm)
        beside = own_package.write(workspace, files, datetime.now())
    except OSError as error:
        print(f"{folder} cannot be written ({error.strerror or error}).")
        return False
    if beside:
        print(f"What you had edited there has another name now: {', '.join(beside)}.")
    inside = [name for name in course if name not in PARTS]
    also = f" Inside them the course's: {', '.join(inside)}." if inside else ""
    print(f"Written: {folder}, {len({*own} & {*PARTS})} of {len(PARTS)} parts yours.{also}")
    print(_tried(workspace, bilm))
    return True


def _not_alone(name: str, module: str, inside: str) -> str:
    which = f"Your `{name}`" if inside == name else f"Your `{name}` uses your `{inside}`, which"
    stands_in = next((e for e, place in catalogue.places().items() if place == module), "")
    if stands_in:
        lesson = catalogue.find(name).lesson[:2]
        why = f"was kept with the course's `{stands_in}` by an earlier release"
        way_out = f"Run lesson {lesson} again, from its top to the check of `{name}`."
    else:
        package = module.partition(".")[0]
        may = f"{', '.join(MAY_NEED[:-1])} and {MAY_NEED[-1]}"
        why = f"imports {package}, and this package may import {may} alone"
        way_out = f"Write `{inside}` without {package} and check it again."
    return f"{which} {why}, so the course's `{name}` is used. {way_out}"


def _course_text(name: str, workspace: Path) -> str:
    """The course's source of a part; where it uses another part, it uses the package's."""
    beside = {
        catalogue.find(other).reference: (f"{PACKAGE}.{other}", other)
        for other in PARTS
        if other != name
    }
    reference = catalogue.find(name).reference
    text = part_text(name, reference, workspace, THE_COURSES, beside, kept_in=())
    return f"# {name}, as the course has it.\n\n{text}"


def _weights(bilm: FastBiLM) -> dict[str, bytes]:
    """The model as a pair of official files."""
    with tempfile.TemporaryDirectory() as folder:
        options, weights = Path(folder, "options.json"), Path(folder, "weights.hdf5")
        save_bilm(bilm, options, weights)
        return {path.name: path.read_bytes() for path in (options, weights)}


def _tried(workspace: Path, bilm: FastBiLM) -> str:
    """Run the package in a process of its own and hold its vectors to the course's."""
    layers = ElmoEmbedder(module=bilm).embed_batch(SENTENCES)
    course = [*(of_one.mean(0) for of_one in layers), *layers]
    where = f"a fresh Python that finds none of {', '.join(THE_COURSES)}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "vectors.npz")
        arguments = [sys.executable, "-B", "-c", TRIAL, str(file), json.dumps(SENTENCES)]
        try:
            done = subprocess.run(
                arguments, cwd=workspace, capture_output=True, timeout=SECONDS, check=False
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
