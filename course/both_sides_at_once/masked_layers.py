"""``python -m course.both_sides_at_once.masked_layers NAME``: probes of a masked LM and a biLM.

Both have read the same texts. The questions and probes are those of
`course.what_the_layers_know.experiments` (lesson 09), on the same words in the same run. Beside
them stand what needs no reading: networks that have read nothing, layer 0, which sees no context,
and the word's form with its three neighbours on each side, as one random vector for each word at
each distance.

The masked model reads whole words in lower case, the biLM letters. ``pos_known`` asks for parts of
speech at those words alone that the masked model knows and that have no capital.

One trained network is one throw of the dice. ``--starts`` names a folder with others, which
``pretrain-masked`` and ``pretrain`` make from other seeds: ``masked_2/model.safetensors`` and
``bilm_2/model.safetensors``, then 3, and so on. Each start has untrained networks, random vectors
and examples to learn from of its own; all are asked about the same words. The intervals draw starts
and sentences anew.
"""

import re
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from course.baselines.naive_bayes import naive_bayes
from course.baselines.untrained import untrained_like
from course.both_sides_at_once.states import occurrence_states
from course.command import Prepared, Result, run_experiments
from course.scalar_mix_and_elmo.neighbour_features import RandomVectors, words_around
from course.what_the_layers_know.experiments import differences
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT, load_pretrained, read_record
from elmo_mini.checkpoints.safetensors_file import read_checkpoint
from elmo_mini.embedding.stream import Floats
from elmo_mini.errors import ConfigurationError
from elmo_mini.extras import brought_by
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.models.masked_lm import SPECIALS, MaskedLM
from elmo_mini.probing.probe import occurrence_vectors, probe_rows
from elmo_mini.probing.probing_tasks import Occurrence, Task, load_task
from elmo_mini.probing.report import ProbeReport, Score, bootstrap_interval, sentence_numbers
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import seeded
from elmo_mini.transformer.files import LARGER_CHECKPOINT, load_masked_lm

with brought_by("experiments"):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

AROUND, SIZE = 3, 64
PROBES: dict[str, dict[str, Any]] = {
    "senseval": {},
    "pos": {"kind": "linear", "c": 0.01},
    "pos_known": {"kind": "linear", "c": 0.01},
    "senses": {},
}
KINDS = ("masked", "bilm")
DRAWS, ALPHA, PENALTIES = 4, (0.03, 0.1, 0.3, 1.0), (0.0001, 0.001, 0.01, 0.1)
SHARES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
RIVALS = ("naive Bayes", "masked", "biLM", "naive Bayes and masked", "naive Bayes and biLM")
LEARNT, TAGGED = 250, 1_500
"""To learn from: examples of each of senseval's words, and words with their part of speech."""


Bets = tuple[NDArray[Any], NDArray[np.float64]]
"""The classes, and their log probabilities (N, classes)."""


@dataclass(frozen=True)
class Start:
    """A masked model and a biLM, each trained from start weights of its own."""

    number: int
    masked: MaskedLM
    vocabulary: Vocabulary
    bilm: FastBiLM


def neighbours(occurrences: Sequence[Occurrence], seed: int = 0) -> Floats:
    """Random vectors of the word and of its neighbours, (N, 7 x 64)."""
    rows = words_around(occurrences, AROUND, RandomVectors(SIZE, seed))
    return rows.reshape(len(rows), -1).astype(np.float32)


def compare(name: str, starts: Sequence[Start]) -> tuple[str, Result]:
    """Every layer of both models, trained and not, and the neighbours, on one task of `PROBES`."""
    reports = [_report(name, start) for start in starts]
    report = _together(reports)
    top, of_bilm = starts[0].masked.options.layers, starts[0].bilm.num_layers - 1
    gains = _gains(
        report,
        *((f"masked, layer {k}", f"biLM, layer {of_bilm}") for k in range(1, top + 1)),
        *((f"masked, layer {k}", f"masked, untrained, layer {k}") for k in range(top + 1)),
        *((f"biLM, layer {k}", f"biLM, untrained, layer {k}") for k in range(of_bilm + 1)),
        *((f"masked, layer {k}", "masked, layer 0") for k in range(1, top + 1)),
        ("biLM, layer 0", f"masked, layer {top}"),
        *((f"{who}, layer {k}", "neighbours") for who, k in (("masked", top), ("biLM", of_bilm))),
    )
    return report.title, report.as_dict() | {"differences": gains}


def _report(name: str, start: Start) -> ProbeReport:
    task = _task(name, start.number)
    if name == "pos_known":
        task = _known(task, start.vocabulary)
    everything = (*task.train, *task.test)
    with seeded(start.number, torch.device("cpu")):
        fresh = MaskedLM(start.masked.options)
    layers = range(start.bilm.num_layers)
    rows = {"neighbours": neighbours(everything, start.number)}
    for who, model in {"masked": start.masked, "masked, untrained": fresh}.items():
        states = occurrence_states(model, start.vocabulary, everything)
        rows |= {f"{who}, layer {k}": states[:, k] for k in range(states.shape[1])}
    untrained = untrained_like(start.bilm, start.number)
    for who, reader in {"biLM": start.bilm, "biLM, untrained": untrained}.items():
        vectors = occurrence_vectors(reader, everything, layers, progress=False)
        rows |= {f"{who}, layer {k}": vectors[:, k] for k in layers}
    return probe_rows(task, rows, **PROBES[name])


def _together(reports: Sequence[ProbeReport]) -> ProbeReport:
    """The reports of all starts as one, with a row of answers for each start."""
    first = reports[0]
    scores = []
    for score in first.scores:
        rows = [report[score.name] for report in reports]
        correct = np.concatenate([row.correct for row in rows])
        accuracy, low, high = bootstrap_interval(correct.astype(float), first.sentences)
        words = {g: float(np.mean([row.by_group[g] for row in rows])) for g in score.by_group}
        scores.append(Score(score.name, accuracy, low, high, words, correct))
    settings = {k: v for k, v in first.settings.items() if k not in ("draws", "seed")}
    settings["starts"] = len(reports)
    title = f"masked model and biLM: {first.title}"
    return replace(first, title=title, settings=settings, scores=tuple(scores))


def _gains(report: ProbeReport, *pairs: tuple[str, str]) -> Result:
    """Each first row less its second: mean, interval over starts and sentences, and each start's.

    ``values`` has one number for each start, for `course.results.intervals.lead_twice`.
    """
    found = differences(report, *pairs)
    for (first, second), gain in zip(pairs, found.values(), strict=True):
        of_starts = report[first].correct.mean(1) - report[second].correct.mean(1)
        gain["values"] = of_starts.tolist()
    return found


def _task(name: str, start: int) -> Task:
    """The task's words to ask about, and examples to learn from that this start has drawn."""
    task = load_task("pos" if name.startswith("pos") else name)
    if name == "senses":
        return task
    order = np.random.default_rng(start).permutation
    if name.startswith("pos"):
        numbers = sentence_numbers(task.train)
        place = order(numbers.max() + 1)[numbers]  # of each word's sentence in the drawn order
        train = [task.train[row] for row in np.argsort(place, kind="stable")][:TAGGED]
    else:
        shuffled = [task.train[row] for row in order(len(task.train))]
        words = dict.fromkeys(o.group for o in task.train)
        train = [o for w in words for o in [x for x in shuffled if x.group == w][:LEARNT]]
    return replace(task, train=tuple(train))


def _known(task: Task, vocabulary: Vocabulary) -> Task:
    """What is asked at words in lower case that are in the vocabulary."""

    def keep(occurrences: Sequence[Occurrence]) -> tuple[Occurrence, ...]:
        numbers = vocabulary.encode(o.form for o in occurrences)
        return tuple(
            o
            for o, number in zip(occurrences, numbers, strict=True)
            if number >= len(SPECIALS) and o.form == o.form.lower()
        )

    title = f"{task.title}, known words in lower case"
    return replace(task, title=title, train=keep(task.train), test=keep(task.test))


def rivals(starts: Sequence[Start]) -> tuple[str, Result]:
    """Naive Bayes on the words of the sentence beside readers of the states, alone and together.

    Each word's reader learns from `LEARNT` examples, in each draw from others. A fifth of them
    chooses: the smoothing of naive Bayes, the penalty of the logistic regression on the states, and
    how much of its log probabilities is added to those of naive Bayes.
    """
    start, right = starts[0], dict[str, list[NDArray[np.bool_]]]()
    task = load_task("senseval")
    shuffled = [task.train[row] for row in np.random.default_rng(0).permutation(len(task.train))]
    groups = dict.fromkeys(o.group for o in task.train)
    by_word = {w: [o for o in shuffled if o.group == w][: DRAWS * LEARNT] for w in groups}
    everything = (*(o for w in groups for o in by_word[w]), *task.test)
    count = len(everything) - len(task.test)
    words = np.array([o.group for o in everything])
    labels = np.array([o.label for o in everything])
    read = {
        "masked": occurrence_states(start.masked, start.vocabulary, everything)[:, -1],
        "biLM": occurrence_vectors(start.bilm, everything, [2], progress=False)[:, 0],
    }
    for draw in range(DRAWS):
        said = {name: np.zeros(len(task.test), bool) for name in RIVALS}
        for word in dict.fromkeys(words.tolist()):
            known = np.flatnonzero(words[:count] == word)[draw::DRAWS]
            asked = count + np.flatnonzero(words[count:] == word)
            fifth = len(known) // 5
            parts = [(known[fifth:], known[:fifth]), (known, asked)]
            counted = _best(
                [[_counted(everything, labels, *part, alpha) for part in parts] for alpha in ALPHA],
                labels[parts[0][1]],
            )
            bets = {"naive Bayes": counted}
            for name, states in read.items():
                bets[name] = _best(
                    [[_linear(states, labels, *part, c) for part in parts] for c in PENALTIES],
                    labels[parts[0][1]],
                )
                both = [
                    [(classes, one + share * other) for (classes, one), (_, other) in zipped]
                    for share in SHARES
                    if (zipped := list(zip(counted, bets[name], strict=True)))
                ]
                bets[f"naive Bayes and {name}"] = _best(both, labels[parts[0][1]])
            for name, (_, (classes, logs)) in bets.items():
                said[name][asked - count] = classes[logs.argmax(1)] == labels[asked]
        for name, row in said.items():
            right.setdefault(name, []).append(row)
    numbers = sentence_numbers(task.test)

    def point(rows: Sequence[NDArray[Any]]) -> Result:
        mean, low, high = bootstrap_interval(np.stack(rows).astype(float), numbers)
        values = [float(row.mean()) for row in rows]
        return {"mean": mean, "low": low, "high": high, "values": values}

    return (
        "senses of four words: naive Bayes on the sentence, linear readers of states, and both",
        {
            "learnt": LEARNT,
            "draws": DRAWS,
            "right": {name: point(rows) for name, rows in right.items()},
            "differences": {
                f"{a} less {b}": point(
                    [x * 1.0 - y for x, y in zip(right[a], right[b], strict=True)]
                )
                for a, b in (
                    ("masked", "naive Bayes"),
                    ("biLM", "naive Bayes"),
                    ("masked", "biLM"),
                    ("naive Bayes and masked", "naive Bayes"),
                    ("naive Bayes and biLM", "naive Bayes"),
                )
            },
        },
    )


def _counted(
    everything: Sequence[Occurrence],
    labels: NDArray[Any],
    known: NDArray[Any],
    asked: NDArray[Any],
    alpha: float,
) -> Bets:
    seen, unseen = ([_clues(everything[row]) for row in rows] for rows in (known, asked))
    return naive_bayes(seen, labels[known], unseen, smoothing=alpha)


def _clues(occurrence: Occurrence) -> list[str]:
    """Each word of the sentence, and three neighbours a side with their distances, once."""
    words, at = [word.lower() for word in occurrence.words], occurrence.position
    near = range(max(0, at - AROUND), min(len(words), at + AROUND + 1))
    return [*{*words, *(f"{row - at} {words[row]}" for row in near)}]


def _linear(
    states: Floats, labels: NDArray[Any], known: NDArray[Any], asked: NDArray[Any], c: float
) -> Bets:
    reader = make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=1_000))
    reader.fit(states[known], labels[known])
    return reader.classes_, reader.predict_log_proba(states[asked])


def _best(tried: Sequence[Sequence[Bets]], truth: NDArray[Any]) -> Sequence[Bets]:
    """Of all settings that with which the first part's answers are right most often."""

    def right(bets: Sequence[Bets]) -> float:
        classes, logs = bets[0]
        return float((classes[logs.argmax(1)] == truth).mean())

    return max(tried, key=right)


EXPERIMENTS: dict[str, Callable[..., tuple[str, Result]]] = {
    **{name: partial(compare, name) for name in PROBES},
    "rivals": rivals,
}


def _files(folder: Path | None) -> dict[int, tuple[Path, Path]]:
    """The file of the masked model and that of the biLM, by the number of the start."""
    files = {1: (LARGER_CHECKPOINT, COURSE_CHECKPOINT)}
    if folder is None:
        return files
    for number in count(2):
        pair = tuple(folder / f"{kind}_{number}" / "model.safetensors" for kind in KINDS)
        if not any(file.is_file() for file in pair):
            break
        for file in pair:
            if not file.is_file():
                raise ConfigurationError(f"there is no {file}; each start needs both models")
        files[number] = pair[0], pair[1]
    if len(files) == 1:
        raise ConfigurationError(
            f"there is no {folder / 'masked_2' / 'model.safetensors'}; "
            "python -m elmo_mini pretrain-masked --seed 2 makes one"
        )
    return files


def _card(record: Result) -> Result:
    """How a model was trained, and what it reached."""
    return {
        "validation": record["validation"],
        "torch": record["torch"],
        "pretrained_with": re.sub(r"--output \S+", "--output FOLDER", record["command"]),
    }


def _prepare(args: Namespace) -> Prepared:
    torch.set_num_threads(1)
    starts, cards = [], []
    for number, (masked, bilm) in _files(args.folder).items():
        starts.append(Start(number, *load_masked_lm(masked), load_pretrained(bilm)))
        _, record = read_checkpoint(masked)
        cards.append({"start": number, "masked": _card(record), "biLM": _card(read_record(bilm))})
    return (starts,), {
        "interval": "95 %, bootstrap over starts and sentences",
        "models": cards,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Compare on the named tasks, or on all, and store each."""
    return run_experiments(
        "both_sides_at_once.masked_layers",
        "masked_layers_",
        __doc__,
        EXPERIMENTS,
        _prepare,
        argv,
        folder=("--starts", "with more trained starts of both models"),
        all_by_default=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
