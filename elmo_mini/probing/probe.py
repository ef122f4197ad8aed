"""Probing of a layer: a simple classifier on its frozen vectors, beside baselines without a biLM.

NAACL ELMo paper, section 5.3. A probe is kept simple on purpose, so that what it finds was in
the vectors. Beside the layers stand the baselines that any claim about context must beat: the
most frequent label, the most frequent label of the word's form, and static vectors.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from elmo_mini.embedding.cache import cached_vectors
from elmo_mini.embedding.stream import Floats, embed_stream
from elmo_mini.errors import PathLike
from elmo_mini.extras import brought_by
from elmo_mini.fast.bilm import FastBiLM, stateless_bilm
from elmo_mini.probing.classifiers import centroid, knn, linear, majority
from elmo_mini.probing.probing_tasks import Occurrence, Task
from elmo_mini.probing.report import ProbeReport, Score, bootstrap_interval, sentence_numbers
from elmo_mini.settings import above_0, whole_number

Kind = Literal["knn", "centroid", "linear"]
Labels = NDArray[np.str_]


class StaticVectors(Protocol):
    """One vector per word: a `Word2Vec` of this package, gensim's KeyedVectors, a dictionary."""

    def __contains__(self, word: Any, /) -> bool: ...

    def __getitem__(self, word: Any, /) -> Any: ...


def probe(
    bilm: FastBiLM,
    task: Task,
    *,
    kind: Kind = "knn",
    layers: Sequence[int] | None = None,
    neighbours: int = 5,
    c: float = 1.0,
    train_size: int | None = None,
    draws: int = 5,
    seed: int = 0,
    static: StaticVectors | None = None,
    cache: PathLike | None = None,
    progress: bool = True,
) -> ProbeReport:
    """Train a probe on each layer and test it.

    Parameters
    ----------
    kind : "knn" asks the nearest examples (cosine); "centroid" the nearest mean of a label's
        examples, as in the paper's table 5; "linear" is logistic regression on standardised
        numbers, as in table 6
    layers : which layers, all by default; 0 is the token layer, which sees no context
    neighbours : for k-NN
    c : scikit-learn's C, for the linear probe
    train_size : examples to learn from in each group, drawn anew for each of `draws` seeds
        (`seed`, `seed` + 1 ...); all of them by default, and then there is one draw
    static : vectors of words without context, for two more baselines: the word's own vector,
        and the mean over the sentence
    cache : folder where vectors are kept, so that the next probe of this text is quick

    Returns
    -------
    A report with a row per baseline and layer. The intervals come from a bootstrap over test
    sentences and draws.
    """
    _check(bilm, task, layers)
    _check_settings(kind, neighbours, c, train_size, draws, seed)
    chosen = list(range(bilm.num_layers)) if layers is None else list(layers)
    everything = (*task.train, *task.test)
    rows = dict(_static_rows(static, everything)) if static is not None else {}
    vectors = occurrence_vectors(bilm, everything, chosen, cache=cache, progress=progress)
    rows |= {f"layer {layer}": vectors[:, place] for place, layer in enumerate(chosen)}
    return probe_rows(
        task,
        rows,
        kind=kind,
        neighbours=neighbours,
        c=c,
        train_size=train_size,
        draws=draws,
        seed=seed,
    )


def probe_rows(
    task: Task,
    rows_of: Mapping[str, Floats],
    *,
    kind: Kind = "knn",
    neighbours: int = 5,
    c: float = 1.0,
    train_size: int | None = None,
    draws: int = 5,
    seed: int = 0,
) -> ProbeReport:
    """As `probe`, of vectors that are there already, from whatever model.

    Parameters
    ----------
    rows_of : for each row of the report, the vectors of the task's occurrences, those to learn
        from and then those that are asked about, (train + test, any size)

    Raises
    ------
    ValueError
        If a setting is out of its range, or rows are too few or not finite.
    """
    _check_settings(kind, neighbours, c, train_size, draws, seed)
    if train_size is None:
        draws = 1
    everything = (*task.train, *task.test)
    for name, rows in rows_of.items():
        if len(rows) != len(everything):
            raise ValueError(f"{name} has {len(rows)} rows for {len(everything)} occurrences")
        if not np.isfinite(rows).all():
            raise ValueError(f"{name} holds numbers that are not finite, so nothing is near them")
    labels: Labels = np.array([str(o.label) for o in everything])
    groups: Labels = np.array([o.group for o in everything])
    tests = np.arange(len(task.train), len(everything))
    trains = [
        _draw(groups[: len(task.train)], train_size, np.random.default_rng(seed + draw))
        for draw in range(draws)
    ]
    classifiers: dict[Kind, Callable[[Floats, Sequence[str], Floats], list[str]]] = {
        "knn": partial(knn, neighbours=neighbours),
        "centroid": centroid,
        "linear": partial(linear, c=c),
    }
    sentences = sentence_numbers(task.test)

    def score(name: str, answer: Callable[[NDArray[np.int64]], Labels]) -> Score:
        correct = np.stack([answer(train) == labels[tests] for train in trains])
        accuracy, low, high = bootstrap_interval(correct.astype(float), sentences)
        names = sorted(set(groups[tests].tolist()) - {""})
        by_group = {g: float(correct[:, groups[tests] == g].mean()) for g in names}
        return Score(name, accuracy, low, high, by_group, correct)

    def by(classify: Callable[..., list[str]], rows: Any) -> Callable[[NDArray[np.int64]], Labels]:
        def answer(train: NDArray[np.int64]) -> Labels:
            found = np.empty(len(tests), dtype=labels.dtype)
            for group in np.unique(groups[tests]):
                test = tests[groups[tests] == group]
                fitted = train[groups[train] == group]
                predicted = classify(rows[fitted], labels[fitted].tolist(), rows[test])
                found[test - len(task.train)] = predicted
            return found

        return answer

    forms: Labels = np.array([o.form.lower() for o in everything])
    scores = [
        score("majority", by(majority, np.full_like(forms, ""))),
        score("majority of the form", by(majority, forms)),
    ]
    scores += [score(name, by(classifiers[kind], rows)) for name, rows in rows_of.items()]
    settings: dict[str, Any] = {
        "probe": {"knn": f"{neighbours}-NN", "linear": f"linear, C={c:g}"}.get(kind, kind),
        "train": len(trains[0]),
        "test": len(tests),
        "draws": draws,
        "seed": seed,
    }
    return ProbeReport(task.name, task.title, kind, settings, tuple(scores), sentences)


def occurrence_vectors(
    bilm: FastBiLM,
    occurrences: Sequence[Occurrence],
    layers: Sequence[int],
    *,
    cache: PathLike | None = None,
    progress: bool = True,
) -> Floats:
    """(occurrences, len(layers), 2H); every sentence is embedded once, and not kept.

    Raises ValueError for a stateful model, and for an occurrence without such a position.
    """
    bilm = stateless_bilm(bilm)
    for number, occurrence in enumerate(occurrences):
        if not 0 <= occurrence.position < len(occurrence.words):
            raise ValueError(
                f"occurrence {number} has no position {occurrence.position}: its sentence has "
                f"{len(occurrence.words)} words"
            )
    wanted: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, occurrence in enumerate(occurrences):
        wanted[tuple(occurrence.words)].append(row)
    found = np.empty((len(occurrences), len(layers), bilm.get_output_dim()), dtype=np.float32)
    sentences = list(wanted)
    arrays: Iterator[Floats]
    if cache is None:
        arrays = (e.every_layer() for e in embed_stream(bilm, sentences, progress=progress))
    else:
        arrays = iter(cached_vectors(bilm, sentences, cache, progress=progress))
    for rows, array in zip(wanted.values(), arrays, strict=True):
        for row in rows:
            found[row] = array[list(layers), occurrences[row].position]
    return found


def _check(bilm: FastBiLM, task: Task, layers: Sequence[int] | None) -> None:
    with brought_by("experiments"):  # now, and not when all vectors are made
        import sklearn  # noqa: F401
    stateless_bilm(bilm)
    if not isinstance(task, Task):
        raise TypeError(f"a task is needed, and this is {task!r:.40}; load_task gives one by name")
    for layer in layers or ():
        if not isinstance(layer, int | np.integer) or not 0 <= layer < bilm.num_layers:
            raise ValueError(
                f"there is no layer {layer}: this model has 0 (tokens) to {bilm.num_layers - 1}"
            )


def _check_settings(
    kind: str, neighbours: int, c: float, train_size: int | None, draws: int, seed: int
) -> None:
    if kind not in get_args(Kind):
        raise ValueError(f"there is no probe {kind!r}; choose {', '.join(get_args(Kind))}")
    for name, value in (("neighbours", neighbours), ("train_size", train_size), ("draws", draws)):
        if value is not None:
            whole_number(name, value)
    whole_number("seed", seed, 0)
    above_0("c", c)


def _draw(groups: Labels, size: int | None, random: np.random.Generator) -> NDArray[np.int64]:
    """Rows of at most `size` examples of each group."""
    rows = []
    for group in np.unique(groups):
        of_group = np.flatnonzero(groups == group)
        if size is not None and size < len(of_group):
            of_group = np.sort(random.choice(of_group, size, replace=False))
        rows.append(of_group)
    return np.concatenate(rows)


def _static_rows(
    static: StaticVectors, everything: Sequence[Occurrence]
) -> Iterator[tuple[str, Floats]]:
    words = (w for o in everything for word in o.words for w in (word, word.lower()))
    one = next((w for w in words if w in static), None)
    if one is None:
        raise ValueError("the static vectors know no word of this task")
    size = np.size(static[one])

    def vector(word: str) -> Floats:
        known = next((w for w in (word, word.lower()) if w in static), None)
        if known is None:
            return np.zeros(size, np.float32)
        try:
            numbers = np.asarray(static[known], dtype=np.float32)
        except (TypeError, ValueError):
            numbers = np.empty(0, np.float32)
        if numbers.shape != (size,) or not np.isfinite(numbers).all():
            raise ValueError(
                f"the static vector of {known!r} is no row of {size} finite numbers, as that of "
                f"{one!r} is; give all words vectors of one length"
            )
        return numbers

    def mean(words: tuple[str, ...]) -> Floats:
        known = [w for w in words if w in static or w.lower() in static]
        return np.mean([vector(w) for w in known or words], 0)

    means = {words: mean(words) for words in {o.words for o in everything}}
    yield "static vector", np.stack([vector(o.form) for o in everything])
    yield "mean of static vectors", np.stack([means[o.words] for o in everything])
