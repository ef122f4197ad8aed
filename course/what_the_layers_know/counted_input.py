"""``python -m course.what_the_layers_know.counted_input chunks``: the tagger of lesson 09's
section 5 with counted vectors of the checkpoint's text at its input, in place of the layers.

The clues have read fifty sentences, the layers four million words more. Vectors that are counted
in these words, without a network, say how much of the lead comes from the text alone.
"""

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from course.baselines.counted_vectors import CountedVectors
from course.baselines.word_clues import ClueScores, ClueTable
from course.command import Prepared, Result, run_experiments
from course.results.span_f1 import f1_share
from course.texts.small_tasks import labelled_sentences
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding.stream import embed_stream
from elmo_mini.tagging.constrained_crf import LinearChainCRF
from elmo_mini.tagging.elmo_tagger import LearnedMix, with_elmo
from elmo_mini.tagging.spans import span_scores, to_bio
from elmo_mini.tasks.joint_fine_tuning import tune_and_watch
from elmo_mini.training.pretraining.sources import course_text

Counts = NDArray[np.int64]
Layers = list[Tensor]
POOL, KNOWN, TEST, PASSES, BATCH = 150, 50, 200, 8, 10
CLUES, COUNTED, ZERO, INPUT = "clues and CRF alone", "counted vectors", "layer 0", "input"
RATES = {CLUES: 0.02, COUNTED: 0.04, ZERO: 0.04, INPUT: 0.02}
LEADS = ((COUNTED, CLUES), (ZERO, CLUES), (ZERO, COUNTED), (INPUT, CLUES), (INPUT, COUNTED))


class InputTagger(nn.Module):
    """Clues, an LSTM that reads both ways, and a mix of the layers at its input."""

    def __init__(self, clues: int, labels: int, width: int) -> None:
        super().__init__()
        self.mix = LearnedMix(3)
        self.clues = nn.EmbeddingBag(clues, 32, mode="mean", padding_idx=0)
        nn.init.normal_(self.clues.weight, std=0.3)
        self.lstm = nn.LSTM(32 + width, 48, batch_first=True, bidirectional=True)
        self.dense, self.drop = nn.Linear(96, labels), nn.Dropout(0.4)

    def forward(self, ids: Tensor, mask: Tensor, layers: Sequence[Tensor]) -> Tensor:
        """Ids of clues (B, T, 18) and layers of (B, T, width) to emissions (B, T, K)."""

        def mixed(some: Sequence[Tensor]) -> Tensor:
            dropped: Tensor = self.drop(self.mix(some))
            return dropped

        def rnn(x: Tensor) -> Tensor:
            packed = pack_padded_sequence(x, mask.sum(1), True, enforce_sorted=False)
            read: Tensor = self.drop(pad_packed_sequence(self.lstm(packed)[0], True)[0])
            return read

        if self.training:  # now and then a clue is unknown, as in the test
            ids = ids * (torch.rand(ids.shape) > 0.2)
        x = self.drop(self.clues(ids.flatten(0, 1)).unflatten(0, mask.shape))
        emissions: Tensor = self.dense(with_elmo(x, layers, mixed, mixed, rnn, "input"))
        return emissions


def chunks(seeds: Sequence[int]) -> tuple[str, Result]:
    """Chunks from fifty labelled sentences; the interval is over draws and test sentences."""
    what, pool, test = labelled_sentences(POOL, TEST)
    counted = CountedVectors(course_text())
    bilm = load_pretrained()
    parts = {"pool": [s.words for s in pool], "test": [s.words for s in test]}
    layers = {
        part: [
            torch.from_numpy(e.every_layer()).transpose(0, 1)
            for e in embed_stream(bilm, words, progress=False)
        ]
        for part, words in parts.items()
    }
    size = float(torch.cat([h[:, 0] for h in layers["pool"]]).std())  # of a number of layer 0
    ways: dict[str, dict[str, Layers]] = {
        CLUES: layers,
        COUNTED: {
            part: [_three(np.tile(size * counted(row), 2)) for row in words]
            for part, words in parts.items()
        },
        ZERO: {part: [h[:, :1].expand(-1, 3, -1) for h in rows] for part, rows in layers.items()},
        INPUT: layers,
    }
    found: dict[str, Any] = {}
    for way, vectors in ways.items():
        found[way] = np.array([_tagged(pool, test, way, vectors, seed - 1) for seed in seeds])
        print(way, f1_share(found[way])["mean"], flush=True)
    unknown = [word.lower() not in counted.rows for row in parts["test"] for word in row]
    return f"{what} from {KNOWN} sentences: layers at the input, and counted vectors there", {
        "counted": "PPMI and SVD of the checkpoint's text, "
        f"{counted.table.shape[1]} numbers, twice",
        "test words without a counted vector": float(np.mean(unknown)),
        "f1": {way: f1_share(counts) for way, counts in found.items()},
        "leads": {
            f"{one} less {other}": f1_share(found[one], found[other]) for one, other in LEADS
        },
        "interval": "95 %, bootstrap over draws and test sentences",
    }


def _three(vectors: NDArray[np.float32]) -> Tensor:
    """(T, 3, D): a vector of each word in place of three layers."""
    return torch.from_numpy(vectors)[:, None].expand(-1, 3, -1)


def _tagged(pool: Any, test: Any, way: str, layers: dict[str, Layers], seed: int) -> Counts:
    """(N, 3) of each test sentence: its spans that are right, predicted, and there."""
    rows = np.random.default_rng(seed).permutation(POOL)[:KNOWN].tolist()
    torch.manual_seed(seed)
    labels = sorted({label for row in rows for label in pool[row].labels})
    table, crf = ClueTable([pool[row].words for row in rows]), LinearChainCRF(labels)
    width = layers["test"][0].shape[-1]
    model: nn.Module = (
        ClueScores(len(table), len(labels))
        if way == CLUES
        else InputTagger(len(table), len(labels), width)
    )
    both = nn.ModuleList([model, crf])

    def emissions(sentences: Any, vectors: Layers) -> tuple[Tensor, Tensor]:
        ids, mask = table.of([s.words for s in sentences])
        return model(ids, mask, pad_sequence(vectors, batch_first=True).unbind(2)), mask

    def loss(some: list[int]) -> Tensor:
        scores, mask = emissions([pool[r] for r in some], [layers["pool"][r] for r in some])
        gold = [torch.tensor([labels.index(label) for label in pool[r].labels]) for r in some]
        return crf.loss(scores, pad_sequence(gold, batch_first=True), mask)

    by_length = sorted(rows, key=lambda row: len(pool[row].words))  # little padding
    parts = [by_length[first : first + BATCH] for first in range(0, KNOWN, BATCH)]
    batches = [parts[i] for _ in range(PASSES) for i in torch.randperm(len(parts)).tolist()]
    tune_and_watch(both, batches, loss, RATES[way], lambda: None, len(batches))
    both.eval()
    with torch.no_grad():
        paths = crf.decode(*emissions(test, layers["test"]))
    said = [to_bio([labels[k] for k in path]) for path in paths]
    pairs = zip(test, said, strict=True)
    return np.array([span_scores([to_bio(s.labels)], [row]) for s, row in pairs])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    return run_experiments(
        "what_the_layers_know.counted_input",
        "counted_input_",
        __doc__,
        {"chunks": chunks},
        _prepare,
        argv,
        seeds=3,
    )


def _prepare(args: Namespace) -> Prepared:
    return (args.seeds,), {}


if __name__ == "__main__":
    raise SystemExit(main())
