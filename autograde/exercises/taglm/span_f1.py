"""Exercise `span_f1`: precision, recall and F1 of spans."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograde.checking.exercise import (
    Case,
    Exercise,
    Inputs,
    Mistake,
)
from autograde.exercises.taglm import LESSON
from autograde.exercises.taglm.spans_of import drawn_labels, varied_spans
from elmo_mini.tagging import spans

Labels = Sequence[str]


Corpus = Sequence[Labels]


Found = list[tuple[int, int, str]]


def span_f1(gold: Corpus, predicted: Corpus) -> tuple[float, float, float]:
    """Precision, recall and F1 of whole spans, over all sentences together."""
    scores = spans.span_scores(gold, predicted)
    return scores.precision, scores.recall, scores.f1


def _two_corpora(lengths: Sequence[int], *, changed: float) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        gold = [drawn_labels(rng, length, ("PER", "LOC")) for length in lengths]
        gold[0][:4] = ["B-PER", "I-PER", "O", "B-LOC"]
        predicted = [list(sentence) for sentence in gold]
        for sentence in predicted:
            for place, label in enumerate(sentence):
                if rng.random() < changed:
                    kind = "LOC" if label.endswith("PER") else "PER"
                    sentence[place] = ("O", f"B-{kind}", f"I-{kind}")[int(rng.integers(3))]
        predicted[0][:4] = ["B-PER", "O", "B-LOC", "B-PER"]
        predicted[1] = ["O"] * len(predicted[1])
        return {"gold": gold, "predicted": predicted}

    return make


def _corpora(gold: Corpus, predicted: Corpus) -> Any:
    return lambda rng: {"gold": [list(s) for s in gold], "predicted": [list(s) for s in predicted]}


def _numbered(corpus: Corpus) -> set[tuple[int, int, int, str]]:
    return {(n, *span) for n, labels in enumerate(corpus) for span in varied_spans(labels)}


def _scores(correct: float, predicted: float, gold: float) -> tuple[float, float, float]:
    precision = correct / predicted if predicted else 0.0
    recall = correct / gold if gold else 0.0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def _f1_without_guard(gold: Corpus, predicted: Corpus) -> tuple[float, float, float]:
    right, want, came = _numbered(gold), _numbered(predicted), 0.0
    came = len(right & want)
    precision, recall = came / len(want), came / len(right)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _f1_of_words(gold: Corpus, predicted: Corpus) -> tuple[float, float, float]:
    pairs = [(g, p) for a, b in zip(gold, predicted, strict=True) for g, p in zip(a, b)]  # noqa: B905
    correct = sum(g == p != "O" for g, p in pairs)
    return _scores(correct, sum(p != "O" for _, p in pairs), sum(g != "O" for g, _ in pairs))


def _f1_by_sentence(gold: Corpus, predicted: Corpus) -> tuple[float, ...]:
    scores = [_f1_of_sets([a], [b]) for a, b in zip(gold, predicted, strict=True)]
    return tuple(float(x) for x in np.mean(scores, axis=0))


def _f1_of_sets(
    gold: Corpus, predicted: Corpus, cut: Callable[[Any], Any] = lambda span: span
) -> tuple[float, float, float]:
    want, came = ({cut(s) for s in _numbered(c)} for c in (gold, predicted))
    return _scores(len(want & came), len(came), len(want))


def _f1_with_plain_mean(gold: Corpus, predicted: Corpus) -> tuple[float, float, float]:
    precision, recall, _ = _f1_of_sets(gold, predicted)
    return precision, recall, (precision + recall) / 2


def _f1_swapped(gold: Corpus, predicted: Corpus) -> tuple[float, float, float]:
    return _f1_of_sets(predicted, gold)


def _accuracy(gold: Corpus, predicted: Corpus) -> tuple[float, float, float]:
    same = [g == p for a, b in zip(gold, predicted, strict=True) for g, p in zip(a, b)]  # noqa: B905
    return (float(np.mean(same)),) * 3


def _f1_by_counting(gold: Corpus, predicted: Corpus) -> list[float]:
    correct = here = there = 0
    for want, came in zip(gold, predicted, strict=True):
        true, found = spans.spans_of(want), spans.spans_of(came)
        correct += sum(span in true for span in found)
        here, there = here + len(found), there + len(true)
    f1 = 2 * correct / (here + there) if here + there else 0.0
    return [correct / here if here else 0.0, correct / there if there else 0.0, f1]


def _f1_by_kind(gold: Corpus, predicted: Corpus) -> tuple[float, ...]:
    want, came = _numbered(gold), _numbered(predicted)
    kinds = sorted({span[3] for span in want | came})
    scores = [(0.0, 0.0, 0.0)] if not kinds else []
    for kind in kinds:
        a, b = ({span for span in spans if span[3] == kind} for spans in (want, came))
        scores.append(_scores(len(a & b), len(b), len(a)))
    return tuple(float(x) for x in np.mean(scores, axis=0))


def _jaccard(gold: Corpus, predicted: Corpus) -> tuple[float, float, float]:
    precision, recall, _ = _f1_of_sets(gold, predicted)
    want, came = _numbered(gold), _numbered(predicted)
    return precision, recall, len(want & came) / len(want | came) if want | came else 0.0


def _counts(gold: Corpus, predicted: Corpus) -> tuple[int, int, int]:
    """How many spans are right, predicted and true."""
    found = [
        (set(varied_spans(a)), set(varied_spans(b))) for a, b in zip(gold, predicted, strict=True)
    ]
    return (
        sum(len(true & mine) for true, mine in found),
        sum(len(mine) for _, mine in found),
        sum(len(true) for true, _ in found),
    )


def _on_the_way(inputs: Inputs) -> dict[str, int]:
    correct, predicted, true = _counts(**inputs)
    return {
        "the number of right spans": correct,
        "twice the number of right spans": 2 * correct,
        "the number of predicted spans": predicted,
        "the number of true spans": true,
        "the number of right and true spans": correct + true,
        "the number of right and predicted spans": correct + predicted,
    }


def _of_counts(
    gold: Corpus, predicted: Corpus, change: Callable[[int, int, int], tuple[int, int, int]]
) -> tuple[float, float, float]:
    return _scores(*change(*_counts(gold, predicted)))


def _f1_of_mean_scores(gold: Corpus, predicted: Corpus) -> tuple[float, float, float]:
    """F1 of the mean precision and the mean recall of a sentence."""
    precision, recall, _ = _f1_by_sentence(gold, predicted)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def _one_for_nothing(
    gold: Corpus,
    predicted: Corpus,
    *,
    precision: bool = True,
    recall: bool = True,
    plain_mean: bool = False,
) -> tuple[float, float, float]:
    """1 where there is nothing to divide by."""
    correct, mine, true = _counts(gold, predicted)
    p = correct / mine if mine else float(precision)
    r = correct / true if true else float(recall)
    if plain_mean:
        return p, r, (p + r) / 2
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


NOTHING = "Where there is nothing to divide by you return 1. The task asks for 0 there."


def _last_sentence(gold: Corpus, predicted: Corpus, *which: int) -> tuple[float, float, float]:
    """Some of the three counts are those of the last sentence."""
    everywhere, at_the_end = _counts(gold, predicted), _counts(gold[-1:], predicted[-1:])
    return _scores(*[at_the_end[i] if i in which else everywhere[i] for i in range(3)])


LAST_SENTENCE = (
    "One of your counts is that of the last sentence alone: `=` in the loop forgets what was "
    "counted before. Add with `+=`."
)


EXERCISE = Exercise(
    id="span_f1",
    title="Precision, recall and F1 of spans",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=span_f1,
    on_the_way=_on_the_way,
    cases=(
        Case(
            "one sentence",
            _corpora(
                [["B-PER", "I-PER", "O", "B-LOC", "O"]], [["B-PER", "I-PER", "B-PER", "O", "B-LOC"]]
            ),
        ),
        Case("six sentences", _two_corpora((8, 5, 9, 7, 6, 10), changed=0.25), weight=2),
        Case(
            "the same places in two sentences",
            _corpora([["B-PER", "O"], ["O", "B-LOC"]], [["O", "O"], ["B-PER", "B-LOC"]]),
        ),
        Case(
            "a sentence that begins with I",
            _corpora([["B-PER"], ["B-PER", "O"]], [["B-PER"], ["I-PER", "O"]]),
        ),
        Case("all right", _corpora([["B-PER", "O"], ["B-LOC"]], [["B-PER", "O"], ["B-LOC"]])),
        Case("nothing predicted", _corpora([["B-PER", "O"]], [["O", "O"]]), edge=True),
        Case("nothing right", _corpora([["B-PER", "O"]], [["B-LOC", "O"]]), edge=True),
        Case("nothing to find", _corpora([["O", "O"]], [["O", "B-PER"]]), edge=True),
        Case(
            "nothing to find, and nothing found",
            _corpora([["O", "O"]], [["O", "O"]]),
            edge=True,
            asks="Here no span is true and none is predicted. All three numbers are 0.0.",
        ),
    ),
    mistakes=(
        Mistake(
            "words are counted",
            _f1_of_words,
            "You compare labels word by word. Compare whole spans: one wrong word makes the span "
            "wrong.",
            hint=1,
        ),
        Mistake(
            "token accuracy",
            _accuracy,
            "This is the share of words with the right label. Words outside, which are easy, "
            "carry it. Count spans.",
            hint=1,
        ),
        Mistake(
            "the mean over sentences",
            _f1_by_sentence,
            "You average one score for each sentence. Add up the counts of all sentences first, "
            "then divide once.",
            hint=2,
        ),
        Mistake(
            "spans of different sentences are mixed up",
            lambda gold, predicted: _f1_of_sets(gold, predicted, lambda span: span[1:]),
            "A span in one sentence is taken as right because another sentence has the same "
            "places. Put the number of the sentence into the span.",
            hint=3,
        ),
        Mistake(
            "all sentences joined into one",
            lambda gold, predicted: _f1_of_sets(
                [list(itertools.chain(*gold))], [list(itertools.chain(*predicted))]
            ),
            "You join the sentences before you look for spans. An I at the beginning of a sentence "
            "then continues a span of the sentence before. Read each sentence on its own.",
            hint=2,
        ),
        Mistake(
            "the kind does not count",
            lambda gold, predicted: _f1_of_sets(gold, predicted, lambda span: span[:3]),
            "A place labelled as a person counts as right. Start, end *and* kind must agree.",
            hint=1,
        ),
        Mistake(
            "the start is enough",
            lambda gold, predicted: _f1_of_sets(
                gold, predicted, lambda span: (span[0], span[1], span[3])
            ),
            "Spans that begin together and end apart count as right. Compare the end too.",
            hint=1,
        ),
        Mistake(
            "the plain mean of the two",
            _f1_with_plain_mean,
            "Your third number is the ordinary mean. F1 is the harmonic mean, 2PR / (P + R): it "
            "stays near the smaller of the two.",
            hint=3,
        ),
        Mistake(
            "precision and recall are swapped",
            _f1_swapped,
            "Precision divides by what was *predicted*, recall by what is *there*. Yours are "
            "the other way round.",
            hint=2,
        ),
        Mistake(
            "division by zero",
            _f1_without_guard,
            "Right as long as something is predicted and something is right. Where there is "
            "nothing to divide by, the score is 0.",
            hint=3,
        ),
        Mistake(
            "the counts themselves",
            lambda gold, predicted: tuple(spans.span_scores(gold, predicted)),
            "These are the three counts. Divide them: right over predicted, right over there, and "
            "F1 from the two.",
            hint=2,
        ),
        Mistake(
            "percent",
            lambda gold, predicted: tuple(100 * x for x in _f1_of_sets(gold, predicted)),
            "The right numbers times 100. Return them from 0 to 1.",
        ),
        Mistake(
            "the mean over the kinds",
            _f1_by_kind,
            "You score each kind on its own and average. Add up the counts of all kinds "
            "first, then divide once: a rare kind then weighs as much as it has spans.",
            hint=2,
        ),
        Mistake(
            "only the first sentence",
            lambda gold, predicted: _f1_of_sets(gold[:1], predicted[:1]),
            "Only the first sentence counts. Walk over all pairs of sentences: `zip(gold, "
            "predicted)`.",
            hint=2,
        ),
        Mistake(
            "only F1",
            lambda gold, predicted: _f1_of_sets(gold, predicted)[2],
            "You return F1 alone. Return three numbers: precision, recall, F1.",
            hint=3,
        ),
        Mistake(
            "right over both",
            _jaccard,
            "Your third number is right spans over all different spans. F1 is 2PR / (P + R).",
            hint=3,
        ),
        Mistake(
            "only the last sentence",
            lambda gold, predicted: _last_sentence(gold, predicted, 0, 1, 2),
            "You score the last sentence alone: `=` in the loop forgets what was counted before. "
            "Add with `+=`.",
            hint=2,
        ),
        Mistake(
            "only the last sentence's right spans",
            lambda gold, predicted: _last_sentence(gold, predicted, 0),
            LAST_SENTENCE,
            hint=2,
        ),
        Mistake(
            "only the last sentence's predicted spans",
            lambda gold, predicted: _last_sentence(gold, predicted, 1),
            LAST_SENTENCE,
            hint=2,
        ),
        Mistake(
            "only the last sentence's true spans",
            lambda gold, predicted: _last_sentence(gold, predicted, 2),
            LAST_SENTENCE,
            hint=2,
        ),
        Mistake(
            "the counts begin at 1",
            lambda gold, predicted: _of_counts(
                gold, predicted, lambda right, mine, true: (right + 1, mine + 1, true + 1)
            ),
            "Each of your three counts is 1 too large. They begin at 0.",
            hint=2,
        ),
        Mistake(
            "the predicted spans twice",
            lambda gold, predicted: _of_counts(
                gold, predicted, lambda right, mine, true: (right, mine, mine)
            ),
            "You divide by the number of predicted spans twice. Recall divides by the number of "
            "*true* spans.",
            hint=1,
        ),
        Mistake(
            "F1 of the mean over sentences",
            _f1_of_mean_scores,
            "Your precision and recall are means of one score for each sentence. Add up the counts "
            "of all sentences first, then divide once.",
            hint=2,
        ),
        Mistake("1 for nothing", _one_for_nothing, NOTHING, hint=3),
        Mistake(
            "1 for nothing predicted",
            lambda gold, predicted: _one_for_nothing(gold, predicted, recall=False),
            NOTHING,
            hint=3,
        ),
        Mistake(
            "1 for nothing to find",
            lambda gold, predicted: _one_for_nothing(gold, predicted, precision=False),
            NOTHING,
            hint=3,
        ),
        Mistake(
            "the plain mean of the two, and 1 for nothing",
            lambda gold, predicted: _one_for_nothing(gold, predicted, plain_mean=True),
            "Your third number is the ordinary mean; F1 is the harmonic mean, 2PR / (P + R). And "
            "where there is nothing to divide by, the number is 0, not 1.",
            hint=3,
        ),
    ),
    right_answers={
        "sets with sentence numbers": _f1_of_sets,
        "counting, and F1 from the counts": _f1_by_counting,
    },
)
