"""Record what AllenNLP's own `Elmo` gives for the course's small official pair.

    pip download allennlp==2.10.1 --no-deps
    python -m benchmarks.allennlp_vectors allennlp-2.10.1-py3-none-any.whl

Row k of a batch is text k: the first sentences are read, then the second ones, and so on, by one
module that is never reset, as AllenNLP's users run it. Ids, model, states and mix are AllenNLP's.
"""

import datetime
import hashlib
import json
import platform
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import h5py
import numpy as np
import torch

from benchmarks.allennlp_elmo import AllenNLP
from course.bilm_from_scratch.allennlp_record import FOLDER

TEXTS = (
    (
        "The old dog slept by the door .",
        "A bell rang twice in the narrow street below .",
        "He lifted his head and listened .",
        "Then he slept again .",
    ),
    (
        "My brother plays the cello .",
        "His teacher says that he plays too fast .",
        "On Sunday he played for us in a café near the river .",
        "Nobody spoke .",
    ),
    ("The rain has stopped .",) * 4,
)


def record(wheel: Path, folder: Path = FOLDER) -> None:
    """Write `allennlp.hdf5` and `record.json` beside the model in `folder`."""
    vectors = recorded(wheel, folder)
    with h5py.File(folder / "allennlp.hdf5", "w") as file:
        for text, sentences in enumerate(vectors):
            for number, numbers in enumerate(sentences):
                file.create_dataset(f"{text}/{number}", data=numbers)
    about = {
        "title": "vectors of AllenNLP's own Elmo, run from its wheel: the average of three layers",
        "command": f"python -m benchmarks.allennlp_vectors {wheel.name}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": {
            "allennlp": wheel.name.split("-")[1],
            "python": platform.python_version(),
            **{package: version(package) for package in ("torch", "numpy", "h5py")},
        },
        "sha256 of the wheel": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "sha256 of the weights": hashlib.sha256((folder / "weights.hdf5").read_bytes()).hexdigest(),
        "texts": [[sentence.split() for sentence in text] for text in TEXTS],
    }
    text = json.dumps(about, indent=1, ensure_ascii=False)
    (folder / "record.json").write_text(f"{text}\n", encoding="utf-8")


def recorded(wheel: Path, folder: Path = FOLDER) -> list[list[np.ndarray]]:
    """Of each text, the vectors of each sentence's words, (words, 2H)."""
    keeps_its_folder = AllenNLP(wheel)
    module = import_module("allennlp.modules.elmo")
    spell = (
        import_module("allennlp.data.token_indexers.elmo_indexer")
        .ELMoCharacterMapper()
        .convert_word_to_char_ids
    )
    torch.set_num_threads(1)
    files = (str(folder / "options.json"), str(folder / "weights.hdf5"))
    elmo = module.Elmo(*files, num_output_representations=1, dropout=0.0).eval()
    found: list[list[np.ndarray]] = [[] for _ in TEXTS]
    for batch in zip(*TEXTS, strict=True):
        words = [sentence.split() for sentence in batch]
        ids = torch.zeros(len(words), max(map(len, words)), 50, dtype=torch.long)
        for row, sentence in zip(ids, words, strict=True):
            row[: len(sentence)] = torch.tensor([spell(word) for word in sentence])
        with torch.no_grad():
            (mixed,) = elmo(ids)["elmo_representations"]
        for text, sentence, vectors in zip(found, words, mixed, strict=True):
            text.append(vectors[: len(sentence)].numpy())
    del keeps_its_folder
    return found


if __name__ == "__main__":
    record(Path(sys.argv[1]))
