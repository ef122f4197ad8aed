"""Exercise `span_f1`: precision, recall and F1 of spans."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.taglm import LESSON
from autograde.exercises.taglm.spans_of import drawn_labels
from elmo_mini.tagging.spans import span_scores, spans_of

Corpus = Sequence[Sequence[str]]
Scores = tuple[float, ...]


def span_f1(gold: Corpus, predicted: Corpus) -> Scores:
    """Precision, recall and F1 of whole spans, over all sentences together."""
    scores = span_scores(gold, predicted)
    return scores.precision, scores.recall, scores.f1


@Case.drawn
def _two_corpora(rng: Random, lengths: Sequence[int], *, changed: float) -> Inputs:
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


def _corpora(gold: str, predicted: str) -> Any:
    """Sentences that are written one behind the other, with a bar between them."""
    both = {"gold": gold, "predicted": predicted}
    return lambda rng: {name: [s.split() for s in text.split("|")] for name, text in both.items()}


def _by_sentence(gold: Corpus, predicted: Corpus) -> Scores:
    correct = found = there = 0
    for true, said in zip(gold, predicted, strict=True):
        true_spans, my_spans = set(spans_of(true)), set(spans_of(said))
        correct += len(true_spans & my_spans)
        found += len(my_spans)
        there += len(true_spans)
    precision = correct / found if found else 0.0
    recall = correct / there if there else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return precision, recall, f1


def _by_sets(gold: Corpus, predicted: Corpus) -> Scores:
    want = {(n, *span) for n, labels in enumerate(gold) for span in spans_of(labels)}
    came = {(n, *span) for n, labels in enumerate(predicted) for span in spans_of(labels)}
    correct = len(want & came)
    if not correct:
        return 0.0, 0.0, 0.0
    precision, recall = correct / len(came), correct / len(want)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _by_counting(gold: Corpus, predicted: Corpus) -> list[float]:
    correct = here = there = 0
    for want, came in zip(gold, predicted, strict=True):
        true, found = spans_of(want), spans_of(came)
        correct += sum(span in true for span in found)
        here, there = here + len(found), there + len(true)
    f1 = 2 * correct / (here + there) if here + there else 0.0
    return [correct / here if here else 0.0, correct / there if there else 0.0, f1]


def _by_lists(gold: Corpus, predicted: Corpus) -> Scores:
    want = [(n, *span) for n, labels in enumerate(gold) for span in spans_of(labels)]
    came = [(n, *span) for n, labels in enumerate(predicted) for span in spans_of(labels)]
    correct = (Counter(want) & Counter(came)).total()
    precision = correct / len(came) if came else 0.0
    recall = correct / len(want) if want else 0.0
    f1 = 2 * precision * recall / (precision + recall) if correct else 0.0
    return precision, recall, f1


def _overlapping(some: Any, others: Any) -> Any:
    return [a for a in some if any(a[2] == b[2] and a[0] < b[1] and b[0] < a[1] for b in others)]


def _mean(scores: Sequence[Scores]) -> Scores:
    return tuple(float(x) for x in np.mean(scores or [(0.0, 0.0, 0.0)], axis=0))


def _mean_over_sentences(gold: Corpus, predicted: Corpus) -> Scores:
    return _mean([_by_sets([a], [b]) for a, b in zip(gold, predicted, strict=True)])


def _mean_over_kinds(gold: Corpus, predicted: Corpus) -> Scores:
    def only(kind: str, corpus: Corpus) -> Corpus:
        return [[x if x[2:] == kind else "O" for x in labels] for labels in corpus]

    kinds = sorted({span.kind for labels in [*gold, *predicted] for span in spans_of(labels)})
    return _mean([_by_sets(only(kind, gold), only(kind, predicted)) for kind in kinds])


def _on_the_way(inputs: Inputs) -> dict[str, int]:
    correct, predicted, true = span_scores(**inputs)
    return {
        "the number of right spans": correct,
        "twice the number of right spans": 2 * correct,
        "the number of predicted spans": predicted,
        "the number of true spans": true,
        "the number of right and true spans": correct + true,
        "the number of right and predicted spans": correct + predicted,
    }


SLIPS = """
--- hint 1
words are counted: set(spans_of(true)), set(spans_of(said)) \
        -> {(i, x) for i, x in enumerate(true) if x != "O"}, {(i, x) for i, x in enumerate(said) \
        if x != "O"}
    You compare labels word by word. Compare whole spans: one wrong word makes the span wrong.
token accuracy: \
        set(spans_of(true)), set(spans_of(said)) -> set(enumerate(true)), set(enumerate(said))
    This is the share of words with the right label. Words outside, which are easy, carry it. Count
    spans.
the counts themselves: return precision, recall, f1 -> return correct, found, there
    These are the three counts. Divide them: right over predicted, right over there, and F1 from the
    two.
--- hint 2
all sentences joined into one: \
        zip(gold, predicted, strict=True) -> [(sum(gold, []), sum(predicted, []))]
    You join the sentences before you look for spans. An I at the beginning of a sentence then
    continues a span of the sentence before. Read each sentence on its own.
sentences without true spans are left out: correct += -> if not true_spans: continue⏎correct +=
    You leave out sentences without true spans. What is predicted there is wrong, and counts in the
    precision.
sentences without predicted spans are left out: correct += -> if not my_spans: continue⏎correct +=
    You leave out sentences without predicted spans. What is true there was missed, and counts in
    the recall.
sentences without true or without predicted spans are left out: correct += \
        -> if not true_spans or not my_spans: continue⏎correct +=
    You leave out sentences where one of the two has no spans. What is predicted or missed there is
    wrong, and counts.
an overlap is enough: len(true_spans & my_spans) -> len(_overlapping(my_spans, true_spans))
    Spans that overlap count as right. Start, end *and* kind must agree.
spans are compared in their order: len(true_spans & my_spans) \
        -> sum(a == b for a, b in zip(spans_of(true), spans_of(said)))
    You compare the first span with the first, the second with the second. One that is missed or
    invented shifts all behind it: ask which stand in both lists.
precision and recall are swapped: return precision, recall -> return recall, precision
    Precision divides by what was *predicted*, recall by what is *there*. Yours are the other way
    round.
only the first sentence: \
        zip(gold, predicted, strict=True) -> zip(gold[:1], predicted[:1], strict=True)
    Only the first sentence counts. Walk over all pairs of sentences: `zip(gold, predicted)`.
only the last sentence: correct += -> correct = && found += -> found = && there += -> there =
    You score the last sentence alone: `=` in the loop forgets what was counted before. Add with
    `+=`.
only the last sentence's right spans: correct += -> correct =
only the last sentence's predicted spans: found += -> found =
only the last sentence's true spans: there += -> there =
    One of your counts is that of the last sentence alone: `=` in the loop forgets what was counted
    before. Add with `+=`.
F1 of the mean over sentences: precision = correct / found if found else 0.0 \
        -> precision = _mean_over_sentences(gold, predicted)[0] \
        && recall = correct / there if there else 0.0 \
        -> recall = _mean_over_sentences(gold, predicted)[1]
    Your precision and recall are means of one score for each sentence. Add up the counts of all
    sentences first, then divide once.
the predicted spans twice: correct / there if there -> correct / found if found
    You divide by the number of predicted spans twice. Recall divides by the number of *true* spans.
the true spans twice: correct / found if found -> correct / there if there
    You divide by the number of true spans twice. Precision divides by the number of *predicted*
    spans.
--- hint 3
the plain mean of the two: 2 * precision * recall / (precision + recall) -> (precision + recall) / 2
    Your third number is the ordinary mean. F1 is the harmonic mean, 2PR / (P + R): it stays near
    the smaller of the two.
division by zero: if found else 0.0 -> && if there else 0.0 -> && if precision + recall else 0.0 ->
division by zero in F1: if precision + recall else 0.0 ->
    Right as long as something is predicted and something is right. Where there is nothing to divide
    by, the score is 0.
right over both: \
        2 * precision * recall / (precision + recall) -> correct / (found + there - correct)
    Your third number is right spans over all different spans. F1 is 2PR / (P + R).
1 for nothing: found else 0.0 -> found else 1.0 && there else 0.0 -> there else 1.0
1 for nothing predicted: found else 0.0 -> found else 1.0
1 for nothing to find: there else 0.0 -> there else 1.0
    Where there is nothing to divide by you return 1. The task asks for 0 there.
the plain mean of the two, and 1 for nothing: found else 0.0 -> found else 1.0 \
        && there else 0.0 -> there else 1.0 \
        && 2 * precision * recall / (precision + recall) -> (precision + recall) / 2
    Your third number is the ordinary mean; F1 is the harmonic mean, 2PR / (P + R). And where there
    is nothing to divide by, the number is 0, not 1.
F1 is not doubled: 2 * precision * recall -> precision * recall
    Your third number is half of F1. F1 is 2PR / (P + R).
F1 is the product: 2 * precision * recall / (precision + recall) -> precision * recall
    Your third number is the product of the two. F1 is 2PR / (P + R).
--- no hint
percent: return precision, recall, f1 -> return 100 * precision, 100 * recall, 100 * f1
    The right numbers times 100. Return them from 0 to 1.
the counts begin at 1: = 0 -> = 1
    Each of your three counts is 1 too large. They begin at 0.
only F1: return precision, recall, f1 -> return f1
    You return F1 alone. Return three numbers: precision, recall, F1.
"""

SLIPS_OF_SETS = """
--- hint 1
the kind does not count: every (n, *span) -> (n, *span[:2])
    A place labelled as a person counts as right. Start, end *and* kind must agree.
the start is enough: every (n, *span) -> (n, span[0], span[2])
    Spans that begin together and end apart count as right. Compare the end too.
the end is enough: every (n, *span) -> (n, span[1], span[2])
    Spans that end together and begin apart count as right. Compare the start too.
--- hint 2
spans of different sentences are mixed up: every (n, *span) -> span
    A span in one sentence is taken as right because another sentence has the same places. Put the
    number of the sentence into the span.
"""

SLIPS_OF_LISTS = """
--- hint 2
spans of different sentences are mixed up, counted: every (n, *span) -> span
spans of different sentences are mixed up, predicted ones looked for: every (n, *span) -> span \
        && (Counter(want) & Counter(came)).total() -> sum(span in want for span in came)
spans of different sentences are mixed up, true ones looked for: every (n, *span) -> span \
        && (Counter(want) & Counter(came)).total() -> sum(span in came for span in want)
    A span in one sentence is taken as right because another sentence has the same places. Put the
    number of the sentence into the span.
"""

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
        Case("one sentence", _corpora("B-PER I-PER O B-LOC O", "B-PER I-PER B-PER O B-LOC")),
        Case("six sentences", _two_corpora((8, 5, 9, 7, 6, 10), changed=0.25), weight=2),
        Case(
            "the same places in several sentences",
            _corpora(
                "B-PER O|B-PER O|O B-LOC|O O|B-ORG O", "O B-LOC|O B-LOC|B-PER O|O B-LOC|B-ORG O"
            ),
        ),
        Case(
            "spans that are invented, missed, or cut short",
            _corpora(
                "B-PER O|O O|B-LOC O|O B-PER|B-LOC I-LOC",
                "B-PER O|B-LOC I-LOC|O O|B-LOC B-PER|B-LOC O",
            ),
        ),
        Case("a sentence that begins with I", _corpora("B-PER|B-PER O", "B-PER|I-PER O")),
        Case("all right", _corpora("B-PER O|B-LOC", "B-PER O|B-LOC")),
        Case("nothing predicted", _corpora("B-PER O", "O O"), edge=True),
        Case("nothing right", _corpora("B-PER O", "B-LOC O"), edge=True),
        Case("nothing to find", _corpora("O O", "O B-PER"), edge=True),
        Case(
            "nothing to find, and nothing found",
            _corpora("O O", "O O"),
            edge=True,
            asks="Here no span is true and none is predicted. All three numbers are 0.0.",
        ),
    ),
    mistakes=(
        *slips(_by_sentence, SLIPS),
        *slips(_by_sets, SLIPS_OF_SETS),
        *slips(_by_lists, SLIPS_OF_LISTS),
        Mistake(
            "the mean over sentences",
            _mean_over_sentences,
            "You average one score for each sentence. Add up the counts of all sentences "
            "first, then divide once.",
            hint=2,
        ),
        Mistake(
            "the mean over the kinds",
            _mean_over_kinds,
            "You score each kind on its own and average. Add up the counts of all kinds "
            "first, then divide once: a rare kind then weighs as much as it has spans.",
            hint=2,
        ),
    ),
    right_answers={
        "sentence by sentence": _by_sentence,
        "sets with sentence numbers": _by_sets,
        "counting, and F1 from the counts": _by_counting,
        "counters": _by_lists,
    },
)
