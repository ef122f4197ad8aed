"""``python -m course.what_the_layers_know.counted_input chunks``: the tagger of lesson 09's
section 5 with counted vectors of the checkpoint's text at its input, in place of the layers.

The clues have read fifty sentences, the layers four million words more. Vectors that are counted
in these words, without a network, say how much of the lead comes from the text alone.
"""

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
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
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.tasks.joint_fine_tuning import tune_and_watch
from elmo_mini.training.pretraining.sources import course_text

Counts = NDArray[np.int64]
Layers = list[Tensor]
Model = Callable[[int, int], nn.Module]
"""Of how many clues and labels; it takes ids, their mask and layers, as `InputTagger` does."""
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
        COUNTED: {part: in_place_of(counted, words, size) for part, words in parts.items()},
        ZERO: {part: [h[:, :1].expand(-1, 3, -1) for h in rows] for part, rows in layers.items()},
        INPUT: layers,
    }
    width = layers["test"][0].shape[-1]
    found: dict[str, Any] = {}
    for way, vectors in ways.items():
        model: Model = ClueScores if way == CLUES else partial(InputTagger, width=width)
        draws = []
        for seed in seeds:
            rows = np.random.default_rng(seed - 1).permutation(POOL)[:KNOWN].tolist()
            known = {row: (pool[row], vectors["pool"][row]) for row in rows}
            asked = list(zip(test, vectors["test"], strict=True))
            draws.append(tagged(model, known, asked, RATES[way], PASSES, seed - 1))
        found[way] = np.array(draws)
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


def in_place_of(counted: CountedVectors, sentences: Sequence[Sequence[str]], size: float) -> Layers:
    """(T, 3, D) of each sentence: its counted vectors, twice, in place of each of three layers."""
    rows = (torch.from_numpy(np.tile(size * counted(words), 2)) for words in sentences)
    return [row[:, None].expand(-1, 3, -1) for row in rows]


def tagged(
    model_of: Model,
    known: Mapping[int, tuple[TaggedSentence, Tensor]],
    asked: Sequence[tuple[TaggedSentence, Tensor]],
    rate: float,
    passes: int,
    seed: int,
) -> Counts:
    """(N, 3) of each sentence that is asked: its spans that are right, predicted, and there.

    Parameters
    ----------
    model_of : gives the emissions; a CRF stands on it
    known, asked : sentences with their layers (T, 3, D); those to learn from by number
    """
    torch.manual_seed(seed)
    labels = sorted({label for sentence, _ in known.values() for label in sentence.labels})
    table = ClueTable([sentence.words for sentence, _ in known.values()])
    crf, model = LinearChainCRF(labels), model_of(len(table), len(labels))
    both = nn.ModuleList([model, crf])

    def emissions(some: Sequence[tuple[TaggedSentence, Tensor]]) -> tuple[Tensor, Tensor]:
        ids, mask = table.of([sentence.words for sentence, _ in some])
        layers = pad_sequence([vectors for _, vectors in some], batch_first=True)
        return model(ids, mask, layers.unbind(2)), mask

    def loss(rows: list[int]) -> Tensor:
        some = [known[row] for row in rows]
        scores, mask = emissions(some)
        gold = [torch.tensor([labels.index(label) for label in s.labels]) for s, _ in some]
        return crf.loss(scores, pad_sequence(gold, batch_first=True), mask)

    by_length = sorted(known, key=lambda row: len(known[row][0].words))  # little padding
    parts = [by_length[first : first + BATCH] for first in range(0, len(by_length), BATCH)]
    batches = [parts[i] for _ in range(passes) for i in torch.randperm(len(parts)).tolist()]
    tune_and_watch(both, batches, loss, rate, lambda: None, len(batches))
    both.eval()
    with torch.no_grad():
        paths = crf.decode(*emissions(asked))
    said = [to_bio([labels[k] for k in path]) for path in paths]
    pairs = zip(asked, said, strict=True)
    return np.array([span_scores([to_bio(s.labels)], [row]) for (s, _), row in pairs])


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
