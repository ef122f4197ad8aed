"""Exercise `choose`: cross-validate every method, and ask the test once."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.a_hundred_labels import LESSON
from course.a_hundred_labels.protocol import Step, choose, learn_and_answer

_NAMES = [f"method {number}" for number in range(1, 101)]
_FALLING = [f"method {number}" for number in range(99, 9, -1)]
"""No name comes before an earlier one in the alphabet."""


def _method(
    tables: Sequence[Sequence[int]],
    own: Sequence[int],
    enough: int,
    twins: Sequence[int],
    note: Any,
) -> list[Step]:
    """It knows by heart much of what it has learnt, and says of other texts what a table says.

    Copies of a text are known by heart like the text. Where it has learnt too little, or labels of
    other texts, or where its first step has learnt a text that its second has not, it says what
    another table says.
    """
    said, little, wrong, heart = tables

    def look(texts: Any, labels: Sequence[int]) -> Callable[[Any], Any]:
        seen = {text[0] for text in texts}
        return lambda test: [[text[0], text[0] in seen] for text in test]

    def learn(texts: Any, labels: Sequence[int]) -> Callable[[Any], list[int]]:
        rows = [int(text[0][1:]) for text in texts]
        learnt = dict(zip(rows, labels, strict=False))
        mixed_up = any(row >= len(own) or own[row] != label for row, label in learnt.items())

        def answer(test: Any) -> list[int]:
            answers = []
            for text in test:
                row = int(text[0][1:])
                if text[0].startswith("t"):
                    note()
                train = len(own) if text[0].startswith("t") else enough
                table = wrong if mixed_up else little if len(rows) < train else said
                by_heart = learnt.get(row, learnt.get(twins[row])) if heart[row] else None
                if text[1] and row not in learnt:
                    answers.append(1 - wrong[row])
                else:
                    answers.append(table[row] if by_heart is None else by_heart)
            return answers

        return answer

    return [look, learn]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """How many methods were asked about the test, which was chosen, and the share reported."""
    asked_of: set[str] = set()
    labels, truth = inputs["labels"].tolist(), inputs["truth"].tolist()
    enough = len(labels) - int(np.unique(inputs["folds"], return_counts=True)[1].max())
    twins = [*inputs["copy of"].tolist(), *[-1] * len(truth)]
    names = _FALLING if inputs.get("names fall") else _NAMES
    methods = {
        name: _method(tables, labels, enough, twins, partial(asked_of.add, name))
        for name, tables in zip(names, inputs["answers"].tolist(), strict=False)
    }
    whole = {name: list(steps) for name, steps in methods.items()}
    given: dict[str, Any] = {
        "train": [[f"k{row}"] for row in range(len(labels))],
        "labels": labels,
        "folds": inputs["folds"].tolist(),
        "test": [[f"t{row + len(labels)}"] for row in range(len(truth))],
        "truth": truth,
    }
    before = {name: plain(part) for name, part in given.items()}
    handed = dict(methods)
    said = plain(answer(handed, *given.values()))
    refuse_changed(before, given)
    if list(handed) != list(methods) or methods != whole:
        raise AnswerRefused("Your answer changed `methods`. Leave it whole: it is needed again.")
    if not isinstance(said, list | tuple) or len(said) != 2 or not isinstance(said[0], str):
        raise AnswerRefused("Return a pair: the name of the method, and its share of the test.")
    if said[0] not in methods:
        raise AnswerRefused(f"There is no method {said[0]!r}. They are the keys of `methods`.")
    share = said[1]
    if isinstance(share, np.ndarray) and share.ndim == 0:
        share = share.item()
    if isinstance(share, bool) or not isinstance(share, int | float):
        raise AnswerRefused("The second part of the pair is a number, the share of the test.")
    asked_about = len(asked_of)
    return {"methods asked about": asked_about, "chosen": said[0], "share": float(share)}


@Case.drawn
def _bench(
    rng: Random,
    methods: int,
    train: int,
    test: int,
    folds: Sequence[int],
    good: Sequence[float] = (),
    tie: bool = False,
    last: bool = False,
    fall: bool = False,
) -> Inputs:
    """Tables of answers: coin flips, but for some methods that are right more often.

    The first of them is the best on the known texts, and another on the test.
    """
    truth = rng.integers(0, 2, train + test)
    answers = rng.integers(0, 2, (methods, 4, train + test))
    for row, share in enumerate(good):
        answers[row, 0] = np.where(rng.random(train + test) < share, truth, 1 - truth)
    answers = answers[rng.permutation(methods)]
    hits = (answers[:, 0, :train] == truth[:train]).sum(1)
    if last:  # the best is the last of them
        answers = np.roll(answers, -1 - int(hits.argmax()), axis=0)
        hits = (answers[:, 0, :train] == truth[:train]).sum(1)
    other = (int(hits.argmax()) + 1) % methods  # whoever looks at the test finds this one
    answers[other, 0, train:] = np.where(rng.random(test) < 0.9, truth[train:], 0)
    if tie:
        answers[other, 0, :train] = answers[hits.argmax(), 0, :train]
    fold = np.resize(np.asarray(folds), train)
    return {
        "answers": answers,
        "labels": truth[:train],
        "folds": fold[rng.permutation(train)],
        "truth": truth[train:],
        "copy of": np.full(train, -1),
        "names fall": fall,
    }


def _copies(rng: Random) -> Inputs:
    """Every known text stands there twice, in one fold; three of four methods learn by heart."""
    pairs, test = 14, 20
    train = 2 * pairs
    truth = np.concatenate([np.repeat(rng.integers(0, 2, pairs), 2), rng.integers(0, 2, test)])
    answers = rng.integers(0, 2, (4, 4, train + test))
    answers[:, 3] = 1
    good = int(rng.integers(4))
    answers[good, 0] = np.where(rng.random(train + test) < 0.8, truth, 1 - truth)
    answers[good, 3] = 0
    return {
        "answers": answers,
        "labels": truth[:train],
        "folds": np.repeat(rng.permutation(np.resize([0, 1, 2], pairs)), 2),
        "truth": truth[train:],
        "copy of": np.arange(train) ^ 1,
    }


def _unequal(rng: Random) -> Inputs:
    """One method is right more often, the other has the better mean of the folds."""
    train, test = 10, 12
    truth = rng.integers(0, 2, train + test)
    wrong = np.array([[1, 8, 9, 12, 13], [0, 1, 2, 3, 14]])
    answers = np.broadcast_to(truth, (2, 4, train + test)).copy()
    for method, rows in enumerate(wrong):
        answers[method][:, rows] = 1 - truth[rows]
    answers[:, 3] = 0
    return {
        "answers": answers,
        "labels": truth[:train],
        "folds": np.repeat([0, 1], [8, 2]),
        "truth": truth[train:],
        "copy of": np.full(train, -1),
    }


def _with_arrays(
    methods: Mapping[str, Sequence[Step]],
    train: Any,
    labels: Sequence[int],
    folds: Sequence[int],
    test: Any,
    truth: Sequence[int],
) -> tuple[str, float]:
    fold, scores = np.array(folds), {}
    for name, steps in methods.items():
        answers = np.empty(len(train), dtype=int)
        for part in np.unique(fold):
            rest = np.flatnonzero(fold != part).tolist()
            held = np.flatnonzero(fold == part).tolist()
            answers[held] = learn_and_answer(
                steps, [train[i] for i in rest], [labels[i] for i in rest], [train[i] for i in held]
            )
        scores[name] = (answers == np.array(labels)).mean()
    names = list(scores)
    best = names[int(np.argmax([scores[name] for name in names]))]
    said = learn_and_answer(methods[best], train, labels, test)
    return best, float((np.array(said) == np.array(truth)).mean())


def _right(
    methods: Mapping[str, Sequence[Step]],
    train: Any,
    labels: Sequence[int],
    folds: Sequence[int],
    test: Any,
    truth: Sequence[int],
) -> tuple[str, float]:
    scores = {}
    for name, steps in methods.items():
        hits = 0
        for fold in set(folds):
            rest = [i for i in range(len(train)) if folds[i] != fold]
            held = [i for i in range(len(train)) if folds[i] == fold]
            texts, own = [train[i] for i in rest], [labels[i] for i in rest]
            said = learn_and_answer(steps, texts, own, [train[i] for i in held])
            hits += sum(a == labels[i] for a, i in zip(said, held, strict=True))
        scores[name] = hits
    best = max(scores, key=scores.get)  # type: ignore[arg-type]
    final = learn_and_answer(methods[best], train, labels, test)
    return best, sum(a == b for a, b in zip(final, truth, strict=True)) / len(truth)


SLIPS = """
--- hint 1
chosen by the test: best = max(scores, key=scores.get) -> scores = {n: \
        sum(a == b for a, b in zip(learn_and_answer(s, train, labels, test), truth)) \
        for n, s in methods.items()} ⏎best = max(scores, key=scores.get)
    You choose by the test. With many methods the luckiest looks good there, whatever it knows: the
    number that you report is then a best of many, and too high. Choose by the folds of the known
    texts.
the test decides between the two best: best = max(scores, key=scores.get) \
        -> two = sorted(scores, key=scores.get)[-2:] ⏎best = max(two, key=lambda n: sum(a == b \
        for a, b in zip(learn_and_answer(methods[n], train, labels, test), truth)))
    You ask two methods about the test, and let it decide. That is choosing by the test. The folds
    alone decide; the test is asked once, about the chosen one.
the test decides among equals: best = max(scores, key=scores.get) \
        -> equals = [n for n in scores if scores[n] == max(scores.values())] \
        ⏎best = max(equals, key=lambda n: sum(a == b for a, b in \
        zip(learn_and_answer(methods[n], train, labels, test), truth)))
    Of equally good methods you take the one that the test likes best. Take the first: the test is
    asked once, about the chosen one.
the best share of the test is reported: \
        return best, sum(a == b for a, b in zip(final, truth, strict=True)) \
        -> return best, max(sum(a == b for a, b in zip(learn_and_answer(s, train, labels, test), \
        truth, strict=True)) for s in methods.values())
    You report the best share that any method has. Report that of the chosen one.
all are asked about the test: best = max(scores, key=scores.get) \
        -> every_one = [learn_and_answer(s, train, labels, test) for s in methods.values()] \
        ⏎best = max(scores, key=scores.get)
    Your choice is right, but every method was asked about the test. Ask the chosen one alone: what
    you have seen, you cannot forget.
scored on what was learnt: [train[i] for i in held]) -> texts) \
        && zip(said, held, strict=True) -> zip(said, rest, strict=True)
    You score a method on the texts that it has learnt. Whoever learns by heart is right about
    them: score it on the fold that was held back.
the sides of a fold are exchanged: if folds[i] != fold] -> if fold == folds[i]] \
        && held = [i for i in range(len(train)) if folds[i] == fold] \
        -> held = [i for i in range(len(train)) if fold != folds[i]]
    You learn from one fold and score on all others. It is the other way round.
the first step learns from all folds: hits = 0 \
        -> hits = 0 ⏎whole = steps[0](train, labels)(train) \
        && [train[i] for i in rest] -> [whole[i] for i in rest] \
        && learn_and_answer(steps, texts, own, [train[i] for i in held]) \
        -> learn_and_answer(steps[1:], texts, own, [whole[i] for i in held])
    Your first step has learnt from all folds, and so from the texts that are held back. Every step
    learns inside the folds: give `learn_and_answer` all the steps.
--- hint 2
every text a fold of its own: scores = {} -> scores, folds = {}, list(range(len(train)))
folds by turns: scores = {} -> scores, folds = {}, [i % 5 for i in range(len(train))]
    You make folds of your own. Take those that are given: copies of a text may stand in one fold,
    so that no method has learnt a text by its copy.
labels of all beside texts of some: [labels[i] for i in rest] -> labels
    Texts and labels have come apart: a method learns the texts of the other folds, so give it the
    labels of the same rows.
answers beside the first labels: a == labels[i] for a, i in zip(said, held, strict=True) \
        -> a == b for a, b in zip(said, labels)
    You compare the answers with the first labels of all. They belong to the rows that were held
    back.
one fold only: for fold in set(folds): -> for fold in [min(folds)]:
    You score on one fold. Every known text has its turn.
the last fold is left out: for fold in set(folds): -> for fold in sorted(set(folds))[:-1]:
    Your last fold is never held back. `set(folds)` has them all.
folds as if they counted from 0: for fold in set(folds): -> for fold in range(len(set(folds))):
    You number the folds from 0. They may have any numbers: `set(folds)` has them all.
folds as if they counted from 1: for fold in set(folds): -> for fold in range(1, max(folds) + 1):
    You number the folds from 1, so a fold 0 is never held back. `set(folds)` has them all.
the mean of the folds: hits += sum(a == labels[i] for a, i in zip(said, held, strict=True)) \
        -> hits += sum(a == labels[i] for a, i in zip(said, held, strict=True)) / len(held)
    Folds may differ in size. Count how many of all known texts are right, not the mean over folds.
hits of the last fold: hits += sum -> hits = sum
    You keep the hits of the last fold. Add them up.
hits of all methods: scores = {} -> scores, hits = {}, 0 && hits = 0 ->
    You go on counting from one method to the next. Begin each at 0.
the worst: max(scores, key=scores.get) -> min(scores, key=scores.get)
    You choose the method with the fewest hits.
--- hint 3
of equals, the first name: max(scores, key=scores.get) -> max(sorted(scores), key=scores.get)
of equals, the last name: max(scores, key=scores.get) \
        -> max(sorted(scores, reverse=True), key=scores.get)
    Of equally good methods you choose by the alphabet. Take the first of `methods`.
the last of equals: max(scores, key=scores.get) -> max(reversed(scores), key=scores.get)
    Of equally good methods you take the last. Take the first, as `max` does.
the share in cross-validation is reported: \
        sum(a == b for a, b in zip(final, truth, strict=True)) / len(truth) \
        -> scores[best] / len(train)
    You report the share in cross-validation. It was chosen for being high; report the test's.
the test is never asked: final = learn_and_answer(methods[best], train, labels, test) \
        -> final = truth \
        && sum(a == b for a, b in zip(final, truth, strict=True)) / len(truth) \
        -> scores[best] / len(train)
    You report the share in cross-validation, and never ask the test. That share was chosen for
    being high. Let the chosen method learn from all known texts, and report its share of `test`.
hits, not a share: / len(truth) ->
    You report a number of hits. Divide by the number of test texts.
the final method has learnt a part: final = learn_and_answer(methods[best], train, labels, test) \
        -> final = learn_and_answer(methods[best], texts, own, test)
    For the test, your method has learnt from the last folds only. Once it is chosen, it learns from
    all known texts.
the final method learns the test: final = learn_and_answer(methods[best], train, labels, test) \
        -> final = learn_and_answer(methods[best], train + test, labels + list(truth), test)
    Your final method has learnt the texts of the test, with their labels. It learns from the known
    texts alone.
the final method learns its own answers: \
        final = learn_and_answer(methods[best], train, labels, test) \
        -> final = learn_and_answer(methods[best], train, labels, test) \
        ⏎final = learn_and_answer(methods[best], train + test, labels + final, test)
    Your final method learns again, from its own answers for the test. It learns once, from the
    known texts alone.
its first step has seen the test: final = learn_and_answer(methods[best], train, labels, test) \
        -> first = methods[best][0](train + test, labels) \
        ⏎final = learn_and_answer(methods[best][1:], first(train), labels, first(test))
    The first step of your final method has learnt from the texts of the test, too. Each step learns
    from the known texts alone.
the last method answers: final = learn_and_answer(methods[best], -> final = learn_and_answer(steps,
    You ask the last method about the test, not the chosen one.
in percent: / len(truth) -> / len(truth) * 100
    You report percent. A share is between 0 and 1.
"""

EXERCISE = Exercise(
    id="choose",
    title="Choose without looking",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=24,
    reference=choose,
    run=_run,
    cases=(
        Case("two methods, two folds", _bench(2, 20, 20, (0, 1), (0.8, 0.6))),
        Case("five methods", _bench(5, 40, 40, (0, 1, 2, 3), (0.75, 0.65)), weight=2),
        Case("forty methods that know nothing", _bench(40, 30, 30, (0, 1, 2)), weight=2),
        Case("a large fold and a small one", _unequal),
        Case("copies of a text stand in one fold", _copies),
        Case(
            "folds of different sizes",
            _bench(8, 33, 20, (0, 0, 0, 1, 0, 2), (0.7,) * 5),
            weight=2,
        ),
        Case(
            "folds numbered 11, 17 and 42",
            _bench(6, 30, 20, (11, 17, 42), (0.7, 0.7), last=True),
            edge=True,
        ),
        Case("two are equally good", _bench(6, 24, 20, (0, 1, 2), (0.75,), True), edge=True),
        Case("every text a fold of its own", _bench(6, 14, 12, range(14), (0.8,)), edge=True),
        Case(
            "sixty methods, folds of different sizes",
            _bench(60, 42, 20, (0, 0, 0, 1, 2, 3), (0.6,) * 60),
            edge=True,
        ),
        Case(
            "two are equally good, and names fall",
            _bench(4, 18, 12, (0, 1), (0.75,), True, fall=True),
            edge=True,
        ),
    ),
    mistakes=slips(_right, SLIPS),
    right_answers={"counted": _right, "with arrays": _with_arrays},
)
