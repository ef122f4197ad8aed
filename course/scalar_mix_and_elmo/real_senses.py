"""``python -m course.scalar_mix_and_elmo.real_senses NAME``: word senses in real text.

``brown``: neighbours of *play* and *bank* in Brown, with the paper's own two queries of table 4.
``examples``: senses of *hard*, *interest*, *line* and *serve* (senseval) from ten to a thousand
examples a word: the course's biLM, the same network before training, layer 0 of the words around,
random vectors of them, naive Bayes, and naive Bayes beside the biLM or beside layer 0.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.baselines.naive_bayes import naive_bayes
from course.baselines.untrained import untrained_like
from course.command import Result, run_experiments
from course.scalar_mix_and_elmo.brown_senses import brown_senses, noun_or_verb
from course.scalar_mix_and_elmo.neighbour_features import RandomVectors, TokenLayer, words_around
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.extras import brought_by
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.probing.classifiers import knn, majority
from elmo_mini.probing.neighbours import in_brackets, same_label_share
from elmo_mini.probing.probe import occurrence_vectors
from elmo_mini.probing.probing_tasks import Occurrence, senseval
from elmo_mini.probing.report import bootstrap_interval, share_right

with brought_by("experiments"):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

Floats = NDArray[np.floating[Any]]
QUERIES = {  # sentence and place in Brown; the first two are those of the paper's table 4
    "play": (("made", "a", "spectacular", "play"), ("do", "a", "Broadway", "play")),
    "bank": (("the", "edge", "of", "the", "bank"), ("That", "bank", "handles")),
}
NEAREST, SHOWN, UNTRAINED = 5, 3, 4
SIZES, ASKED, POOL, DRAWS = (10, 30, 100, 300, 1_000), 200, 1_000, 3
BOTH, UNREAD = "naive Bayes with layer 2", "naive Bayes with layer 0 around"
AROUND, RANDOM_SIZE, TABLES, SMOOTHING, LINEAR_C = 3, 256, 5, 0.1, 0.01


def random_around(occurrences: Sequence[Occurrence], seed: int) -> Floats:
    """(N, 256): random vectors of the form and of the three words on either side, added up."""
    return words_around(occurrences, AROUND, RandomVectors(RANDOM_SIZE, seed)).sum(1)


def clues(o: Occurrence) -> list[str]:
    """What naive Bayes looks at: the words of the sentence, and those beside the word by place."""
    words = [word.lower() for word in o.words]

    def at(offset: int) -> str:
        place = o.position + offset
        return words[place] if 0 <= place < len(words) else "-"

    others = [word for place, word in enumerate(words) if place != o.position]
    near = [f"{offset}:{at(offset)}" for offset in (-2, -1, 0, 1, 2)]
    pairs = f"-2-1:{at(-2)} {at(-1)}", f"-1+1:{at(-1)} {at(1)}", f"+1+2:{at(1)} {at(2)}"
    return [*others, *near, *pairs]


def linear_probe(known: Floats, labels: Sequence[str], asked: Floats) -> Floats:
    """The log probability of each sense by logistic regression, (asked, S), like naive Bayes."""
    if len(set(labels)) == 1:
        return np.zeros((len(asked), 1))
    model = make_pipeline(StandardScaler(), LogisticRegression(C=LINEAR_C, max_iter=1_000))
    return np.asarray(model.fit(known, labels).predict_log_proba(asked))


def examples(bilm: FastBiLM) -> tuple[str, Result]:
    """Accuracy by the number of examples, averaged over four words; three draws of examples."""
    task = senseval()
    random = np.random.default_rng(0)

    def some(rows: Sequence[Occurrence], most: int) -> list[Occurrence]:
        by_word: dict[str, list[Occurrence]] = {}
        for o in rows:
            by_word.setdefault(o.group, []).append(o)
        return [
            own[row]
            for own in by_word.values()
            for row in random.permutation(len(own))[: min(most, len(own))]
        ]

    pool, asked = some(task.train, POOL), some(task.test, ASKED)
    everything = (*pool, *asked)
    networks = {"layer 2": bilm} | {
        f"untrained, seed {seed}": untrained_like(bilm, seed) for seed in range(2)
    }
    rows: dict[str, Floats] = {
        name: occurrence_vectors(network, everything, [2])[:, 0]
        for name, network in networks.items()
    } | {f"random, seed {seed}": random_around(everything, seed) for seed in range(TABLES)}
    around = words_around(everything, AROUND, TokenLayer(bilm))
    probed = {f"{name}, linear": vectors for name, vectors in rows.items() if name in networks}
    probed["layer 0 around, linear"] = around.reshape(len(around), -1)
    words = np.array([o.group for o in everything])
    found: dict[str, list[list[NDArray[np.bool_]]]] = {}
    for size in SIZES:
        right: dict[str, list[NDArray[np.bool_]]] = {}
        for draw in range(DRAWS if size < POOL else 1):
            drawn = np.random.default_rng(draw)
            known = {
                word: drawn.permutation(np.flatnonzero(words[: len(pool)] == word))[:size]
                for word in np.unique(words)
            }
            for name, answer in _answers(rows, probed, pool, asked, known).items():
                right.setdefault(name, []).append(answer)
        for name, draws in right.items():
            found.setdefault(name, []).append(draws)
    for name, part, count in (
        ("layer 2, untrained", "untrained, seed {}", 2),
        ("layer 2, untrained, linear", "untrained, seed {}, linear", 2),
        ("random vectors around", "random, seed {}", TABLES),
    ):
        seeds = [found.pop(part.format(seed)) for seed in range(count)]
        found[name] = [[*chain.from_iterable(draws)] for draws in zip(*seeds, strict=True)]
    numbers = np.arange(len(asked))
    accuracy = {name: [_interval(d, numbers) for d in draws] for name, draws in found.items()}
    ahead = {
        reader: {
            other: [
                _interval(_draw_by_draw(ours, theirs), numbers)
                for ours, theirs in zip(found[reader], found[other], strict=True)
            ]
            for other in found
            if other != reader
        }
        for reader in ("layer 2", "layer 2, linear", BOTH)
    }
    result = {
        "examples of a word": list(SIZES),
        "asked": len(asked),
        "draws": DRAWS,
        "accuracy": accuracy,
        "ahead of": ahead,
    }
    return "senses of hard, interest, line and serve (senseval) by the number of examples", result


def _answers(
    rows: dict[str, Floats],
    probed: dict[str, Floats],
    pool: Sequence[Occurrence],
    asked: Sequence[Occurrence],
    known: dict[str, NDArray[np.int64]],
) -> dict[str, NDArray[np.bool_]]:
    """Which of the asked each reader has right."""
    others = ("naive Bayes", BOTH, UNREAD, "majority")
    right = {name: np.zeros(len(asked), bool) for name in (*rows, *probed, *others)}
    groups = np.array([o.group for o in asked])
    for word, of_word in known.items():
        places = np.flatnonzero(groups == word)
        labels = [pool[int(row)].label for row in of_word]
        wanted = np.array([asked[int(place)].label for place in places])
        for name, vectors in rows.items():
            said = knn(vectors[of_word], labels, vectors[len(pool) + places], NEAREST)
            right[name][places] = np.array(said) == wanted
        given = [pool[int(row)] for row in of_word]
        unseen = [clues(asked[int(place)]) for place in places]
        senses, counted = naive_bayes(map(clues, given), labels, unseen, SMOOTHING)
        likely = {"naive Bayes": counted} | {
            name: linear_probe(vectors[of_word], labels, vectors[len(pool) + places])
            for name, vectors in probed.items()
        }
        likely[BOTH] = counted + likely["layer 2, linear"]
        likely[UNREAD] = counted + likely["layer 0 around, linear"]
        for name, log_probabilities in likely.items():
            right[name][places] = senses[log_probabilities.argmax(1)] == wanted
        common = majority([""] * len(labels), labels, [""] * len(wanted))
        right["majority"][places] = np.array(common) == wanted
    return right


def _draw_by_draw(ours: Sequence[Any], theirs: Sequence[Any]) -> Floats:
    """(draws, asked) right less right on the same examples; theirs is a mean over its seeds."""
    first = np.array(ours, float)
    return first - np.reshape(theirs, (-1, *first.shape)).mean(0)


def _interval(
    draws: Sequence[NDArray[Any]] | Floats, sentences: NDArray[np.int64]
) -> dict[str, float]:
    mean, low, high = bootstrap_interval(np.array(draws, float), sentences)
    return {"mean": round(mean, 4), "low": round(low, 4), "high": round(high, 4)}


def brown(bilm: FastBiLM) -> tuple[str, Result]:
    """Of the five nearest occurrences in Brown, the share with the same label; some to see."""
    questions = {
        "bank: money or river": brown_senses("bank"),
        "play: noun or verb": noun_or_verb("play"),
        "the noun play: drama or game": brown_senses("play"),
    }
    networks = [untrained_like(bilm, seed) for seed in range(UNTRAINED)]
    letters = TokenLayer(bilm)
    shares: Result = {}
    for name, occurrences in questions.items():
        labels = [o.label for o in occurrences]
        alike = {
            label: (labels.count(label) - 1) / (len(labels) - 1) for label in dict.fromkeys(labels)
        }
        chance = float(np.mean([alike[label] for label in labels]))

        def share(vectors: Floats, labels: list[str] = labels) -> Floats:
            return same_label_share(vectors, labels, NEAREST)

        own = occurrence_vectors(bilm, occurrences, [0, 1, 2], progress=False)
        of = {"layer 0": share(own[:, 0])}
        of["layer 2, untrained"] = np.mean(
            [
                share(occurrence_vectors(network, occurrences, [2], progress=False)[:, 0])
                for network in networks
            ],
            0,
        )
        of["random vectors around"] = np.mean(
            [share(random_around(occurrences, seed)) for seed in range(TABLES)], 0
        )
        around = words_around(occurrences, AROUND, letters)
        of["layer 0 around, in order"] = share(around.reshape(len(around), -1))
        of["layer 0, word before"] = share(around[:, AROUND - 1])  # none begins a sentence
        of |= {f"layer {k}": share(own[:, k]) for k in (1, 2)}
        shares[name] = {
            "occurrences": {label: labels.count(label) for label in alike},
            "chance": round(chance, 4),
            "share": {
                reader: share_right(row.astype(float), occurrences) for reader, row in of.items()
            },
            "layer 2 ahead of": {
                reader: share_right((of["layer 2"] - row).astype(float), occurrences)
                for reader, row in of.items()
                if reader != "layer 2"
            },
        }
    every = noun_or_verb("play") + brown_senses("bank")
    vectors = {
        "layer 2": occurrence_vectors(bilm, every, [2], progress=False)[:, 0],
        "layer 2, untrained": occurrence_vectors(networks[0], every, [2], progress=False)[:, 0],
    }
    shown = [
        {
            "query": _as_text(every[row]),
            **{name: _nearest(of, every, row) for name, of in vectors.items()},
        }
        for word, phrases in QUERIES.items()
        for row in (_the_one_with(every, word, phrase) for phrase in phrases)
    ]
    numbers = {"untrained networks": UNTRAINED, "questions": shares, "shown": shown}
    return "neighbours of play and bank in the Brown corpus", numbers


def _the_one_with(every: Sequence[Occurrence], word: str, phrase: tuple[str, ...]) -> int:
    """The row of the occurrence that ends, or has, this phrase around it."""
    shift = phrase.index(word)
    return next(
        row
        for row, o in enumerate(every)
        if o.words[max(0, o.position - shift) : o.position - shift + len(phrase)] == phrase
    )


def _nearest(vectors: Floats, every: Sequence[Occurrence], row: int) -> list[str]:
    """The nearest other occurrences of the same word."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    order = np.argsort(-(unit @ unit[row]))
    same = [r for r in order if every[r].group == every[row].group]
    return [_as_text(every[r]) for r in same if every[r].words != every[row].words][:SHOWN]


def _as_text(o: Occurrence) -> str:
    return in_brackets(o.words, o.position, 7)


EXPERIMENTS = {"brown": brown, "examples": examples}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named measurements and store each."""
    return run_experiments(
        "scalar_mix_and_elmo.real_senses",
        "real_senses_",
        __doc__,
        EXPERIMENTS,
        lambda args: ((load_pretrained(args.bilm),), {}),
        argv,
        bilm="--model",
        all_by_default=True,
        store_others=False,
    )


if __name__ == "__main__":
    raise SystemExit(main())
