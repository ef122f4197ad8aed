"""Two questions to the layers, as lesson 09 asks them: senses of a word, and labels of every word.

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
from elmo_mini.probing.report import share_right
from elmo_mini.probing.tasks import Occurrence, Task, course_senses
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
class Asked:
    """Labelled occurrences, what stands for each of them, and who was right.

    Attributes
    ----------
    task : its train part is known, its test part is asked
    models : by name; the trained one is called ``trained``
    """

    task: Task
    models: Mapping[str, FastBiLM]
    _layers: dict[str, Floats] = field(default_factory=dict, init=False)

    @cached_property
    def every(self) -> tuple[Occurrence, ...]:
        """Known ones, then asked ones."""
        return (*self.task.train, *self.task.test)

    @property
    def known(self) -> int:
        """How many are known."""
        return len(self.task.train)

    @cached_property
    def forms(self) -> list[str]:
        """The spelling of each."""
        return [o.form for o in self.every]

    @cached_property
    def labels(self) -> list[str]:
        """The label of each."""
        return [o.label for o in self.every]

    def layers(self, model: str = "trained") -> Floats:
        """(N, L + 1, 2H)."""
        if model not in self._layers:
            found = occurrence_vectors(self.models[model], self.every, [0, 1, 2], progress=False)
            self._layers[model] = found
        return self._layers[model]

    def right(self, probe: Probe, vectors: Floats, labels: Sequence[str] | None = None) -> Right:
        """(M,) whether the probe finds the label of each asked occurrence."""
        labels = self.labels if labels is None else list(labels)
        found = probe(vectors[: self.known], labels[: self.known], vectors[self.known :])
        return np.asarray(found) == np.asarray(labels[self.known :])

    def right_by_word(self, probe: Probe, vectors: Floats) -> Right:
        """The same, among the occurrences of the same word alone."""
        groups, labels = np.array([o.group for o in self.every]), np.array(self.labels)
        right = np.zeros(len(groups), bool)
        for word in set(groups):
            rows = np.flatnonzero(groups == word)
            known, asked = rows[rows < self.known], rows[rows >= self.known]
            found = probe(vectors[known], labels[known].tolist(), vectors[asked])
            right[asked] = np.asarray(found) == labels[asked]
        return right[self.known :]

    def commonest(self, groups: Sequence[str], labels: Sequence[str] | None = None) -> Right:
        """(M,) whether the commonest label of the same group, among the known, is right."""
        labels = self.labels if labels is None else list(labels)
        found = majority(groups[: self.known], labels[: self.known], groups[self.known :])
        return np.asarray(found) == np.asarray(labels[self.known :])

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
        """(M,) whether the spelling of an asked one is among the known."""
        return np.isin(self.forms[self.known :], self.forms[: self.known])

    def show_nearest(self, word: str, asked: int = 0) -> None:
        """Print an asked sentence of a word, and the nearest known one at each layer."""
        rows = [i for i, o in enumerate(self.every) if o.group == word]
        known = [i for i in rows if i < self.known]
        (row,) = [i for i in rows if i >= self.known][asked : asked + 1]
        print(" ".join(self.every[row].words), f"   [{self.labels[row]}]")
        vectors = self.layers()
        for layer in range(vectors.shape[1]):
            near = unit(vectors[known, layer]) @ unit(vectors[[row], layer])[0]
            best = known[int(near.argmax())]
            print(
                f"  layer {layer}:", " ".join(self.every[best].words), f"   [{self.labels[best]}]"
            )

    def share(self, right: NDArray[Any], among: Right | None = None) -> dict[str, float]:
        """``mean``, ``low`` and ``high`` over the asked occurrences, sentences drawn whole.

        Parameters
        ----------
        right : (M,) right answers, or differences between two readers
        among : (M,) the asked ones that count; all of them by default
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
        among : the asked ones that count, by the name of the group; all of them by default
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
        """Print a lead that was measured with several draws, for some of the asked ones.

        Parameters
        ----------
        leads : (draws, M)
        groups : (M,) which of the asked ones count, by the name of the group
        """
        print(f"{what}, mean over the draws, in points (and draw by draw):")
        for name, among in groups.items():
            each = ", ".join(f"{100 * row[among].mean():+.1f}" for row in leads)
            print(f"  {name}: {lead(self.share(leads.mean(0), among))} ({each})")


def sense_controls(asked: Asked, right: Judge) -> dict[str, Right]:
    """Readers of senses without LSTMs: the commonest, and what the words around tell.

    Random vectors of these words are added up. The trained token layer's vectors of them stand side
    by side, in the order of the words.
    """
    return {
        "commonest\nsense": asked.commonest([o.group for o in asked.every]),
        "random vectors\nof words around": right(of_neighbours(asked.every)),
        "layer 0 of words\naround, in order": right(
            of_neighbours_letters(asked.every, asked.models["trained"])
        ),
    }


def word_controls(asked: Asked, right: Judge) -> dict[str, Right]:
    """Readers of labels without LSTMs: the commonest, spelling alone, a random vector a word.

    The last has the trained token layer's vectors of three words: the one before, the word itself,
    the one after.
    """
    return {
        "commonest\nlabel": asked.commonest(asked.forms),
        "spelling\nalone": spelling_right(asked),
        "random\nnumbers": right(of_forms(asked.forms)),
        "layer 0 of\nthree words": right(of_three_words(asked.every, asked.models["trained"])),
    }


def spelling_right(asked: Asked) -> Right:
    """(M,) whether logistic regression on spelling alone finds the label."""
    with brought_by("experiments"):
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

    model = make_pipeline(DictVectorizer(), LogisticRegression(max_iter=300))

    def probe(known: Any, labels: list[str], asked: Any) -> Sequence[str]:
        found: Sequence[str] = model.fit(known.tolist(), labels).predict(asked.tolist())
        return found

    return asked.right(probe, np.array([spelling(form) for form in asked.forms]))


def leads_with_other_words(asked: Asked, probe: Probe) -> list[float]:
    """Layer 1 minus layer 2 on the asked words, for several sets of words to learn from.

    The sets follow one another in the corpus; the first is the task's own. Without the corpora
    there is one.
    """
    size, layers = asked.known, asked.layers()[asked.known :]
    labels = np.array(asked.labels[asked.known :])
    pool = labelled_words(5 * size, len(labels)).train
    vectors = occurrence_vectors(asked.models["trained"], pool, [1, 2], progress=False)
    leads = []
    for start in range(0, len(pool) - size + 1, size):
        known = slice(start, start + size)
        names = [o.label for o in pool[known]]
        one, two = (
            np.mean(np.asarray(probe(vectors[known, j], names, layers[:, j + 1])) == labels)
            for j in (0, 1)
        )
        leads.append(float(one - two))
    return leads


def senses(models: Mapping[str, FastBiLM]) -> Asked:
    """Which sense has the word? The course's sentences for 28 words."""
    return Asked(course_senses(), models)


def words(models: Mapping[str, FastBiLM]) -> Asked:
    """Which label has each word? 2,000 known, 2,000 asked."""
    return Asked(labelled_words(2000, 2000), models)


def untrained(models: Mapping[str, FastBiLM]) -> list[str]:
    """The names of those that have read nothing."""
    return [name for name in models if name != "trained"]
