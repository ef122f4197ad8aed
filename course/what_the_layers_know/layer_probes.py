"""Two probing tasks of lesson 09, layer by layer: word senses, and labels of every word.

Beside the layers stand readers that a sceptic would try first: the form alone, its spelling, and
random vectors of the words around it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.baselines.untrained import untrained_like
from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.results.intervals import lead
from course.scalar_mix_and_elmo.neighbour_features import RandomVectors, TokenLayer, words_around
from course.texts.small_tasks import labelled_words
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.extras import brought_by
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.probing.classifiers import majority
from elmo_mini.probing.probe import occurrence_vectors
from elmo_mini.probing.probing_tasks import Occurrence, Task, course_senses
from elmo_mini.probing.report import share_right
from elmo_mini.word_vectors.table import unit

Floats = NDArray[np.float32]
Right = NDArray[np.bool_]
Probe = Callable[[Floats, list[str], Floats], Sequence[str]]
Judge = Callable[[Floats], Right]
Found = Mapping[str, NDArray[Any]]
"""Who is right, (M,), by the name of the reader."""

STARTS = (0, 1)
AROUND = 3
SIZE = 512


def trained_and_not() -> dict[str, FastBiLM]:
    """The course's biLM, and networks of its sizes that have read nothing."""
    trained = load_pretrained()
    others = {f"untrained {seed}": untrained_like(trained, seed) for seed in STARTS}
    return {"trained": trained, **others}


def of_neighbours(occurrences: Sequence[Occurrence]) -> Floats:
    """(N, SIZE): the random vectors of the words around, added up; the word itself counts most."""
    vectors = RandomVectors(SIZE)
    vectors.of(word.lower() for o in occurrences for word in o.words)
    rows = words_around(occurrences, AROUND, vectors)
    rows = rows.astype(np.float32)
    return np.asarray(rows.sum(1) + rows[:, AROUND])


def of_neighbours_letters(occurrences: Sequence[Occurrence], bilm: FastBiLM) -> Floats:
    """(N, 7 H): the token layer's vectors of the words around and of the word, in their order."""
    rows = words_around(occurrences, AROUND, TokenLayer(bilm))
    return rows.reshape(len(rows), -1).astype(np.float32)


def of_three_words(occurrences: Sequence[Occurrence], bilm: FastBiLM) -> Floats:
    """(N, 3 H): the token layer's vectors of the word before, the word, and the word after."""
    rows = words_around(occurrences, 1, TokenLayer(bilm), lower=False)
    return rows.reshape(len(rows), -1).astype(np.float32)


def of_forms(forms: Sequence[str]) -> Floats:
    """(N, SIZE): the random vector of each spelling."""
    return RandomVectors(SIZE).of(forms).astype(np.float32)


def spelling(word: str) -> dict[str, Any]:
    """What can be seen of a word's letters: beginnings, endings, capitals, digits, hyphens."""
    lower = word.lower()
    seen = {f"begins {n}": lower[:n] for n in (1, 2, 3)}
    seen |= {f"ends {n}": lower[-n:] for n in (1, 2, 3, 4)}
    marks = {"capital": word[:1].isupper(), "capitals": word.isupper(), "hyphen": "-" in word}
    return {**seen, **marks, "digit": any(map(str.isdigit, word)), "length": min(len(word), 8) / 8}


@dataclass
class ProbingData:
    """Labelled occurrences of a probing task, their layers, and which labels a probe predicts.

    Attributes
    ----------
    task : with a training and a test set
    models : by name; the trained one is called ``trained``
    """

    task: Task
    models: Mapping[str, FastBiLM]
    _layers: dict[str, Floats] = field(default_factory=dict, init=False)

    @cached_property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """The training set, then the test set."""
        return (*self.task.train, *self.task.test)

    @property
    def n_train(self) -> int:
        """The size of the training set."""
        return len(self.task.train)

    @cached_property
    def forms(self) -> list[str]:
        """The spelling of each."""
        return [o.form for o in self.occurrences]

    @cached_property
    def labels(self) -> list[str]:
        """The label of each."""
        return [o.label for o in self.occurrences]

    def layers(self, model: str = "trained") -> Floats:
        """(N, L + 1, 2H)."""
        if model not in self._layers:
            found = occurrence_vectors(
                self.models[model], self.occurrences, [0, 1, 2], progress=False
            )
            self._layers[model] = found
        return self._layers[model]

    def right(self, probe: Probe, vectors: Floats, labels: Sequence[str] | None = None) -> Right:
        """(M,) whether the probe finds the label of each test occurrence."""
        labels = self.labels if labels is None else list(labels)
        found = probe(vectors[: self.n_train], labels[: self.n_train], vectors[self.n_train :])
        return np.asarray(found) == np.asarray(labels[self.n_train :])

    def right_by_word(self, probe: Probe, vectors: Floats) -> Right:
        """The same, among the occurrences of the same word alone."""
        groups, labels = np.array([o.group for o in self.occurrences]), np.array(self.labels)
        right = np.zeros(len(groups), bool)
        for word in set(groups):
            rows = np.flatnonzero(groups == word)
            train, test = rows[rows < self.n_train], rows[rows >= self.n_train]
            found = probe(vectors[train], labels[train].tolist(), vectors[test])
            right[test] = np.asarray(found) == labels[test]
        return right[self.n_train :]

    def commonest(self, groups: Sequence[str], labels: Sequence[str] | None = None) -> Right:
        """(M,) whether the commonest label of the same group, in the training set, is right."""
        labels = self.labels if labels is None else list(labels)
        found = majority(groups[: self.n_train], labels[: self.n_train], groups[self.n_train :])
        return np.asarray(found) == np.asarray(labels[self.n_train :])

    def ladder(self, right: Callable[[Floats], NDArray[Any]]) -> dict[str, NDArray[np.float64]]:
        """Who is right with each layer, untrained (the mean of the starts) and trained: (M,).

        Parameters
        ----------
        right : from the vectors (N, 2H) of one layer; any other number for each will do
        """
        found: dict[str, NDArray[np.float64]] = {}
        for kind, names in (("untrained", untrained(self.models)), ("trained", ["trained"])):
            for layer in range(3):
                each = [right(self.layers(name)[:, layer]) for name in names]
                found[f"{kind}\nlayer {layer}"] = np.mean(each, axis=0)
        return found

    def met(self) -> Right:
        """(M,) whether the spelling of a test occurrence is in the training set."""
        return np.isin(self.forms[self.n_train :], self.forms[: self.n_train])

    def show_nearest(self, word: str, number: int = 0) -> None:
        """Print a test sentence of a word, and the nearest training sentence at each layer."""
        rows = [i for i, o in enumerate(self.occurrences) if o.group == word]
        train = [i for i in rows if i < self.n_train]
        (row,) = [i for i in rows if i >= self.n_train][number : number + 1]
        print(" ".join(self.occurrences[row].words), f"   [{self.labels[row]}]")
        vectors = self.layers()
        for layer in range(vectors.shape[1]):
            near = unit(vectors[train, layer]) @ unit(vectors[[row], layer])[0]
            best = train[int(near.argmax())]
            print(
                f"  layer {layer}:",
                " ".join(self.occurrences[best].words),
                f"   [{self.labels[best]}]",
            )

    def share(self, right: NDArray[Any], among: Right | None = None) -> dict[str, float]:
        """``mean``, ``low`` and ``high`` over the test occurrences, sentences drawn whole.

        Parameters
        ----------
        right : (M,) right answers, or differences between two readers
        among : (M,) the test occurrences that count; all of them by default
        """
        some = np.flatnonzero(np.ones(len(right), bool) if among is None else among)
        return share_right(np.asarray(right, float)[some], [self.task.test[i] for i in some])

    def draw(
        self, groups: Mapping[str, Found], among: Mapping[str, Right] | None = None, **how: Any
    ) -> Picture:
        """Bars of who is right, in percent, with intervals.

        Parameters
        ----------
        groups : the same readers in each; a group gives every reader one bar
        among : the test occurrences that count, by the name of the group; all of them by default
        how : passed on: title, level
        """
        readers = list(next(iter(groups.values())))
        rows = {
            name: [self.share(found[reader], (among or {}).get(name)) for reader in readers]
            for name, found in groups.items()
        }
        return interval_bars(readers, rows, ylabel="right, percent", **how)

    def lead(self, found: Found, one: str, other: str) -> dict[str, float]:
        """One reader minus another, word by word: ``mean``, ``low`` and ``high``."""
        by = {" ".join(name.split()): right * 1.0 for name, right in found.items()}
        return self.share(by[one] - by[other])

    def compare(self, found: Found, *pairs: tuple[str, str]) -> None:
        """Print how far one reader is ahead of another, for each pair of names."""
        print(f"{self.task.title}; in points, with the 95 % interval:")
        for one, other in pairs:
            print(f"  {one} minus {other}:", lead(self.lead(found, one, other)))

    def print_shares(self, what: str, found: Found) -> None:
        """Print what each reader reaches, in points, with its interval."""
        print(f"{what}, in points, with the 95 % interval:")
        for name, right in found.items():
            share = self.share(right)
            mean, low, high = (100 * share[end] for end in ("mean", "low", "high"))
            print(f"  {' '.join(name.split())}: {mean:.1f} ({low:.1f} to {high:.1f})")

    def compare_draws(
        self, what: str, leads: NDArray[Any], groups: Mapping[str, NDArray[Any]]
    ) -> None:
        """Print a lead that was measured with several draws, for some of the test occurrences.

        Parameters
        ----------
        leads : (draws, M)
        groups : (M,) which test occurrences count, by the name of the group
        """
        print(f"{what}, mean over the draws, in points (and draw by draw):")
        for name, among in groups.items():
            each = ", ".join(f"{100 * row[among].mean():+.1f}" for row in leads)
            print(f"  {name}: {lead(self.share(leads.mean(0), among))} ({each})")


def sense_controls(data: ProbingData, right: Judge) -> dict[str, Right]:
    """Readers of senses without LSTMs: the commonest, and what the words around tell.

    Random vectors of these words are added up. The trained token layer's vectors of them stand side
    by side, in the order of the words.
    """
    return {
        "commonest\nsense": data.commonest([o.group for o in data.occurrences]),
        "random vectors\nof words around": right(of_neighbours(data.occurrences)),
        "layer 0 of words\naround, in order": right(
            of_neighbours_letters(data.occurrences, data.models["trained"])
        ),
    }


def word_controls(data: ProbingData, right: Judge) -> dict[str, Right]:
    """Readers of labels without LSTMs: the commonest, spelling alone, a random vector a word.

    The last has the trained token layer's vectors of three words: the one before, the word itself,
    the one after.
    """
    return {
        "commonest\nlabel": data.commonest(data.forms),
        "spelling\nalone": spelling_right(data),
        "random\nnumbers": right(of_forms(data.forms)),
        "layer 0 of\nthree words": right(of_three_words(data.occurrences, data.models["trained"])),
    }


def spelling_right(data: ProbingData) -> Right:
    """(M,) whether logistic regression on spelling alone finds the label."""
    with brought_by("experiments"):
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

    model = make_pipeline(DictVectorizer(), LogisticRegression(max_iter=300))

    def probe(train: Any, labels: list[str], test: Any) -> Sequence[str]:
        found: Sequence[str] = model.fit(train.tolist(), labels).predict(test.tolist())
        return found

    return data.right(probe, np.array([spelling(form) for form in data.forms]))


def leads_with_other_words(data: ProbingData, probe: Probe) -> list[float]:
    """Layer 1 minus layer 2 on the test words, for several sets of words to learn from.

    The sets follow one another in the corpus; the first is the task's own. Without the corpora
    there is one.
    """
    size, layers = data.n_train, data.layers()[data.n_train :]
    labels = np.array(data.labels[data.n_train :])
    pool = labelled_words(5 * size, len(labels)).train
    vectors = occurrence_vectors(data.models["trained"], pool, [1, 2], progress=False)
    leads = []
    for start in range(0, len(pool) - size + 1, size):
        train = slice(start, start + size)
        names = [o.label for o in pool[train]]
        one, two = (
            np.mean(np.asarray(probe(vectors[train, j], names, layers[:, j + 1])) == labels)
            for j in (0, 1)
        )
        leads.append(float(one - two))
    return leads


def senses(models: Mapping[str, FastBiLM]) -> ProbingData:
    """Which sense has the word? The course's sentences for 28 words."""
    return ProbingData(course_senses(), models)


def words(models: Mapping[str, FastBiLM]) -> ProbingData:
    """Which label has each word? 2,000 words to train on, 2,000 to test on."""
    return ProbingData(labelled_words(2000, 2000), models)


def untrained(models: Mapping[str, FastBiLM]) -> list[str]:
    """The names of those that have read nothing."""
    return [name for name in models if name != "trained"]
