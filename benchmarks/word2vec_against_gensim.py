"""Speed and quality of our word2vec against gensim's with one worker, on the same text.

    python -m benchmarks.word2vec_against_gensim [--seeds 5] [--store]

For every seed all ways train one after another, in turning order, so that a busy moment of the
machine hits them alike; ratios are formed inside a seed. Speed counts the words of the raw text
times the epochs, over the time of `train` alone (vocabulary excluded, encoding included), by wall
clock and by processor time of the process. One sentence in 25 is held out of training.

Quality, for both:
- loss: of the held-out sentences, with the same windows and noise words for all (lower is better);
- probe: accuracy of a logistic regression from vector to the word's commonest part of speech
  (noun, verb, adjective, adverb), words with 20 occurrences, 5-fold cross-validation (Brown only);
- wordsim353, simlex999: Spearman correlation with people's judgements (files in gensim);
- overlap: how many of the 10 nearest neighbours of a word are those of gensim with another seed
  (words with 50 occurrences); gensim's own row is the ceiling.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse  # noqa: E402
import cProfile  # noqa: E402
import ctypes  # noqa: E402
import gc  # noqa: E402
import pstats  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections import Counter, defaultdict  # noqa: E402
from dataclasses import dataclass, field  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import gensim  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from gensim.test.utils import datapath  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from scipy import stats  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

from course.results.intervals import interval  # noqa: E402
from course.results.stored import FOLDER, write_result  # noqa: E402
from elmo_mini import corpora  # noqa: E402
from elmo_mini.models.skip_gram import keep_probability, noise_distribution  # noqa: E402
from elmo_mini.text.vocabulary import Vocabulary  # noqa: E402
from elmo_mini.word_vectors.table import unit  # noqa: E402
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec  # noqa: E402

OPTIONS: dict[str, Any] = {
    "vector_size": 100,
    "window": 5,
    "negative": 5,
    "epochs": 5,
    "min_count": 5,
    "sample": 1e-3,
    "workers": 1,
}
WAYS: dict[str, dict[str, dict[str, Any]]] = {
    "skip-gram": {"gensim": {}, "ours": {}, "ours, 128 noise words": {"shared_negatives": 128}},
    "CBOW": {"gensim": {}, "ours": {}},
}
HELD_OUT = 25
CLASSES = {"NN": "noun", "VB": "verb", "JJ": "adjective", "RB": "adverb"}

Vectors = NDArray[np.float32]
Sentences = list[list[str]]


def train(way: str, sg: int, seed: int, sentences: Sentences, **more: Any) -> tuple[Any, Any, Any]:
    """A trained model, and the seconds of its `train` by the clock and by the processor."""
    options = OPTIONS | more | {"sg": sg, "seed": seed}
    model: Any = gensim.models.Word2Vec(**options) if way == "gensim" else Word2Vec(**options)
    model.build_vocab(sentences)
    arguments: dict[str, Any] = {}
    if way == "gensim":
        arguments = {"total_examples": model.corpus_count, "epochs": options["epochs"]}
    clock, processor = time.perf_counter(), time.process_time()
    model.train(sentences, **arguments)
    return model, time.perf_counter() - clock, time.process_time() - processor


def tables(model: Any, vocabulary: Vocabulary) -> tuple[Vectors, Vectors]:
    """Input and output vectors in the order of `vocabulary`, whichever library made them."""
    if isinstance(model, Word2Vec):
        assert model.vocabulary == vocabulary
        return model.vectors, model.output_vectors
    rows = [model.wv.key_to_index[word] for word in vocabulary.words]
    assert len(rows) == len(model.wv)
    return model.wv.vectors[rows], model.syn1neg[rows]


@dataclass
class Yardsticks:
    """The quality measures, prepared once so that every model meets the same questions."""

    vocabulary: Vocabulary
    held_out: Sentences
    tagged: list[list[tuple[str, str]]]
    judgements: dict[str, list[tuple[int, int, float]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(0)
        counts = self.vocabulary.counts
        keep = keep_probability(self.vocabulary.frequencies, OPTIONS["sample"])
        self.targets: list[int] = []
        self.contexts: list[list[int]] = []
        for sentence in self.held_out:
            ids = [i for i in self.vocabulary.encode(sentence) if rng.random() < keep[i]]
            for place, target in enumerate(ids):
                reach = int(rng.integers(1, OPTIONS["window"] + 1))
                near = ids[max(0, place - reach) : place] + ids[place + 1 : place + reach + 1]
                if near:
                    self.targets.append(target)
                    self.contexts.append(near)
        size = (len(self.targets), OPTIONS["negative"])
        self.noise = rng.choice(len(counts), size, p=noise_distribution(counts))
        self.queries = np.flatnonzero(counts >= 50)
        for name, file in (("wordsim353", "wordsim353.tsv"), ("simlex999", "simlex999.txt")):
            lines = Path(datapath(file)).read_text(encoding="utf-8").splitlines()
            rows = [line.split("\t") for line in lines if not line.startswith("#")]
            self.judgements[name] = [
                (self.vocabulary.id(a), self.vocabulary.id(b), float(score))
                for a, b, score, *_ in rows
                if a in self.vocabulary and b in self.vocabulary
            ]
        tags: dict[str, Counter[str]] = defaultdict(Counter)
        for tagged_sentence in self.tagged:
            for word, tag in tagged_sentence:
                tags[word][CLASSES.get(tag[:2], "")] += 1
        commonest = {word: seen.most_common(1)[0][0] for word, seen in tags.items()}
        self.probed = [
            i
            for i, word in enumerate(self.vocabulary.words)
            if counts[i] >= 20 and commonest.get(word)
        ]
        self.labels = [commonest[self.vocabulary.words[i]] for i in self.probed]

    def loss(self, inputs: Vectors, outputs: Vectors, sg: int) -> float:
        """Mean held-out loss of a pair (skip-gram) or of a centre word (CBOW)."""
        if sg:
            lengths = [len(near) for near in self.contexts]
            hidden = inputs[np.concatenate(self.contexts)]
            targets = np.repeat(self.targets, lengths)
            noise = np.repeat(self.noise, lengths, axis=0)
        else:
            hidden = np.stack([inputs[near].mean(0) for near in self.contexts])
            targets, noise = np.array(self.targets), self.noise
        total = 0.0
        for begin in range(0, len(targets), 10_000):
            part = slice(begin, begin + 10_000)
            positive = np.einsum("nd,nd->n", hidden[part], outputs[targets[part]])
            negative = np.einsum("nd,nkd->nk", hidden[part], outputs[noise[part]])
            total += np.logaddexp(0, -positive).sum() + np.logaddexp(0, negative).sum()
        return float(total / len(targets))

    def neighbours(self, inputs: Vectors) -> NDArray[np.int64]:
        """(Q, 10) nearest words of every query."""
        units = unit(inputs)
        cosines = units[self.queries] @ units.T
        cosines[np.arange(len(self.queries)), self.queries] = -2
        return np.argpartition(-cosines, 10, axis=1)[:, :10]

    def measure(self, inputs: Vectors, outputs: Vectors, sg: int) -> dict[str, float]:
        """All measures that need one model only."""
        found = {"loss": self.loss(inputs, outputs, sg)}
        if self.probed:
            probe = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
            scores = cross_val_score(probe, unit(inputs[self.probed]), self.labels, cv=5)
            found["probe"] = float(scores.mean())
        units = unit(inputs)
        for name, rows in self.judgements.items():
            cosines = [float(units[a] @ units[b]) for a, b, _ in rows]
            found[name] = float(stats.spearmanr(cosines, [score for *_, score in rows]).statistic)
        return found


def overlap(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    """Mean share of common neighbours."""
    same = [len(set(x) & set(y)) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    return float(np.mean(same)) / a.shape[1]


def compare(sg: int, seeds: int, sentences: Sentences, yardsticks: Yardsticks) -> dict[str, Any]:
    """Train every way with every seed; per way, each figure summarised over the seeds."""
    architecture = "skip-gram" if sg else "CBOW"
    ways = WAYS[architecture]
    words = sum(map(len, sentences)) * OPTIONS["epochs"]
    figures: dict[str, dict[str, list[float]]] = {way: defaultdict(list) for way in ways}
    neighbours: dict[str, list[NDArray[np.int64]]] = {way: [] for way in ways}
    for seed in range(1, seeds + 1):
        names = list(ways)
        turn = seed % len(names)
        for way in names[turn:] + names[:turn]:
            model, clock, processor = train(way, sg, seed, sentences, **ways[way])
            inputs, outputs = tables(model, yardsticks.vocabulary)
            row = figures[way]
            row["words per second, clock"].append(words / clock)
            row["words per second, processor"].append(words / processor)
            for name, value in yardsticks.measure(inputs, outputs, sg).items():
                row[name].append(value)
            neighbours[way].append(yardsticks.neighbours(inputs))
            print(f"{architecture} seed {seed} {way:22} {clock:6.1f} s", flush=True)
    for way in ways:
        for clock_name in ("clock", "processor"):
            name = f"words per second, {clock_name}"
            pairs = zip(figures[way][name], figures["gensim"][name], strict=True)
            figures[way][f"times as fast, {clock_name}"] = [ours / theirs for ours, theirs in pairs]
        for seed in range(seeds):
            others = [n for s, n in enumerate(neighbours["gensim"]) if s != seed]
            figures[way]["overlap"] += [
                float(np.mean([overlap(neighbours[way][seed], other) for other in others]))
            ] * bool(others)
    return {
        way: {name: interval(values) for name, values in rows.items() if values}
        for way, rows in figures.items()
    }


def profile(sg: int, sentences: Sentences) -> dict[str, float]:
    """Share of each kind of work in our training, in percent of processor time."""
    model = Word2Vec(**OPTIONS | {"sg": sg})
    model.build_vocab(sentences)
    profiler = cProfile.Profile(time.process_time)
    profiler.runcall(model.train, sentences)
    kinds = {
        "_products": "matrix products",
        "index_select": "reading rows of the tables",
        "index_add_": "adding to rows of the tables",
        "sigmoid_": "logistic function",
        "draw_noise": "drawing noise words",
        "draw_windows": "discarding words, drawing windows",
        "_encode": "words to ids",
        "encode": "words to ids",
        "<listcomp": "words to ids",
        "c_einsum": "dot products of rows",
        "multinomial": "drawing noise words",
        "shuffle": "drawing noise words",
    }
    spent: Counter[str] = Counter()
    rows: dict[Any, Any] = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    for (_, _, name), (_, _, seconds, _, _) in rows.items():
        kind = next((k for part, k in kinds.items() if part in re.split(r"[ '.>]", name)), None)
        spent[kind or "everything else (weights, masks, overhead)"] += seconds
    total = spent.total()
    return {kind: round(100 * seconds / total, 1) for kind, seconds in spent.most_common()}


def memory(way: str, sg: int, sentences: Sentences) -> float:
    """MB by which one epoch of training raises this process at its peak (glibc only)."""

    def status(name: str) -> float:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(name)) / 1024

    train(way, sg, 1, sentences[:100], min_count=1, epochs=1)  # libraries load their parts
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # or training would fill pages left from loading
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # forget the peak so far
    before = status("VmRSS")
    train(way, sg, 1, sentences, epochs=1)
    return status("VmHWM") - before


def memory_apart(way: str, sg: int) -> float:
    """`memory` in a process of its own."""
    command = [sys.executable, "-m", __spec__.name, "--memory-of", way, str(sg)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return round(float(output.splitlines()[-1]), 1)


def report(architecture: str, result: dict[str, Any]) -> None:
    """Print one architecture as a table; ± is half the 95 % interval."""
    ways = list(result["ways"])
    print(f"\n{architecture}\n{'':30}" + "".join(f"{way:>24}" for way in ways))
    for name in result["ways"]["gensim"]:
        cells = []
        for way in ways:
            if name not in result["ways"][way]:
                cells.append("")
                continue
            figure = result["ways"][way][name]
            half = figure["high"] - figure["mean"]
            digits = 0 if name.startswith("words per") else 3
            cells.append(f"{figure['mean']:,.{digits}f} ± {half:,.{digits}f}")
        print(f"{name:30}" + "".join(f"{cell:>24}" for cell in cells))
    peaks = result["peak memory growth, MB"]
    print(f"{'peak memory growth, MB':30}" + "".join(f"{peaks.get(way, ''):>24}" for way in ways))
    print("where our time goes (profiled):")
    for kind, share in result["profile, percent"].items():
        print(f"  {share:5.1f} %  {kind}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--architectures", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--store", action="store_true", help="replace the course's stored result")
    parser.add_argument("--results", type=Path, default=FOLDER, help="where --store stores")
    parser.add_argument("--memory-of", nargs=2, metavar=("WAY", "SG"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    corpus = corpora.course_text()
    everything = list(corpus.sentences())
    sentences = [s for i, s in enumerate(everything) if i % HELD_OUT]
    if arguments.memory_of:
        way, sg = arguments.memory_of
        print(memory(way, int(sg), sentences))
        return
    load_before = os.getloadavg()[0]
    yardsticks = Yardsticks(
        Vocabulary.from_sentences(sentences, min_count=OPTIONS["min_count"]),
        everything[::HELD_OUT],
        list(corpus.tagged_sentences()) if "tags" in corpus.holds else [],
    )
    words = sum(map(len, sentences))
    print(f"{words:,} words in {len(sentences):,} sentences, {len(yardsticks.vocabulary):,} kept")
    results: dict[str, Any] = {}
    for architecture in arguments.architectures:
        sg = int(architecture == "skip-gram")
        results[architecture] = {
            "ways": compare(sg, arguments.seeds, sentences, yardsticks),
            "peak memory growth, MB": {way: memory_apart(way, sg) for way in ("gensim", "ours")},
            "profile, percent": profile(sg, sentences),
        }
        report(architecture, results[architecture])
    if arguments.store:
        path = write_result(
            "word2vec_against_gensim",
            f"word2vec on {corpus.name.capitalize()}: the course's trainer against gensim's with "
            "one worker",
            {
                "corpus": corpus.name,
                "words": words,
                "words_in_the_vocabulary": len(yardsticks.vocabulary),
                "probed_words": Counter(yardsticks.labels),
                "word_pairs_judged": {name: len(v) for name, v in yardsticks.judgements.items()},
                "options": OPTIONS,
                "seeds": list(range(1, arguments.seeds + 1)),
                "interval": "95 %, Student's t over the seeds",
                "load_average_before_and_after": [load_before, os.getloadavg()[0]],
                "results": results,
            },
            command=f"python -m benchmarks.word2vec_against_gensim --seeds {arguments.seeds}"
            + ("" if set(results) == set(WAYS) else f" --architectures {' '.join(results)}")
            + " --store",
            folder=arguments.results,
        )
        print(f"stored in {path}")


if __name__ == "__main__":
    main()
