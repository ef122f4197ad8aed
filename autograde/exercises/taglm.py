"""Lesson 04: spans and their score, a CRF by hand, and where TagLM joins its vectors."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    as_tensors,
    call,
    call_with_tensors,
    plain,
)
from elmo_mini.tagging import constrained_crf, crf, spans, taglm

LESSON = "04_taglm"

Labels = Sequence[str]
Corpus = Sequence[Labels]
Found = list[tuple[int, int, str]]


# --- labels to spans ---------------------------------------------------------------------------


def _drawn_labels(rng: np.random.Generator, length: int, kinds: Sequence[str]) -> list[str]:
    """A legal BIO sequence with spans of one to three words, some of them side by side."""
    labels: list[str] = []
    while len(labels) < length:
        if rng.random() < 0.35:
            labels.append("O")
        else:
            kind = kinds[int(rng.integers(len(kinds)))]
            labels += [f"B-{kind}"] + [f"I-{kind}"] * int(rng.integers(3))
    labels = labels[:length]
    return labels


def _labels(*texts: str) -> Any:
    return lambda rng: {"labels": list(texts)}


def _spans(
    labels: Labels,
    *,
    orphans: bool = True,
    kinds: bool = True,
    neighbours: bool = True,
    last: bool = True,
    shift: int = 0,
    outside: bool = False,
    whole_label: bool = False,
) -> Found:
    """The spans with one thing done otherwise: the wrong answers are built from this."""
    found: Found = []
    start, kind = 0, ""
    for place, label in enumerate([*labels, *(["O"] if last else [])]):
        mark, _, its_kind = label.partition("-")
        same = mark == "I" and kind != "" and (its_kind == kind or not kinds)
        same = same or (not neighbours and mark == "B" and its_kind == kind)
        if same:
            continue
        if kind:
            found.append((start, place + shift, f"B-{kind}" if whole_label else kind))
        opens = mark == "B" or (mark == "I" and orphans)
        start, kind = place, its_kind if opens else ""
        if outside and mark == "O" and place < len(labels):
            found.append((place, place + 1 + shift, "O"))
    return found


def _spans_as_kind_first(labels: Labels) -> list[tuple[str, int, int]]:
    return [(kind, start, end) for start, end, kind in _spans(labels)]


def _spans_with_negative_places(labels: Labels) -> Found:
    """Closes a span only where the next label is read, so the last one lacks its end."""
    return [(s, e if e < len(labels) else len(labels) - 1, k) for s, e, k in _spans(labels)]


def _spans_by_cuts(labels: Labels) -> list[tuple[Any, ...]]:
    cuts = [
        place
        for place in range(len(labels) + 1)
        if place in (0, len(labels))
        or not labels[place].startswith("I-")
        or labels[place - 1][2:] != labels[place][2:]
    ]
    pieces = itertools.pairwise(sorted(set(cuts)))
    return [(a, b, labels[a][2:]) for a, b in pieces if a < b and labels[a] != "O"]


def _spans_by_looking_ahead(labels: Labels) -> Any:
    place = 0
    while place < len(labels):
        kind, end = labels[place][2:], place + 1
        while kind and end < len(labels) and labels[end] == f"I-{kind}":
            end += 1
        if kind:
            yield place, end, kind
        place = end


def _run_spans(answer: Answer, inputs: Inputs) -> Plain:
    """The spans in their order, each a tuple, so that sets of them can be built later."""
    kinds: list[type] = []

    def watched(*arguments: Any) -> Any:
        result = answer(*arguments)
        kinds.append(type(result))
        return result

    found = call(watched, inputs)
    if kinds and issubclass(kinds[0], set | frozenset):
        raise AnswerRefused("Your answer is a set, which has no order. Return a list of spans.")
    if isinstance(found, list) and any(isinstance(span, list) for span in found):
        raise AnswerRefused(
            "Each of your spans is a list. Write it as a tuple, `(start, end, kind)`, with round "
            "brackets: exercise 2 puts spans into a set, and lists cannot go there."
        )
    return found


SPANS_OF = Exercise(
    id="spans_of",
    title="From labels to spans",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=12,
    reference=spans.spans_of,
    run=_run_spans,
    cases=(
        Case("one span of two words", _labels("O", "B-NP", "I-NP", "O")),
        Case(
            "a drawn sentence",
            lambda rng: {"labels": [*_drawn_labels(rng, 14, ("NP", "VP")), "O"]},
            weight=2,
        ),
        Case("two spans side by side", _labels("B-NP", "I-NP", "B-NP", "O", "B-VP", "O")),
        Case("a span at the end", _labels("O", "B-VP", "B-NP", "I-NP")),
        Case("I after O, and I of another kind", _labels("O", "I-NP", "I-VP", "I-VP", "O")),
        Case("a kind with a hyphen", _labels("B-NON-GPE", "I-NON-GPE", "B-GPE"), edge=True),
        Case("no words, and no spans", _labels(), edge=True),
        Case("O only", _labels("O", "O"), edge=True),
    ),
    mistakes=(
        Mistake(
            "I after O counts as nothing",
            lambda labels: _spans(labels, orphans=False),
            "An I that continues nothing is thrown away. A tagger may write it, and the official "
            "program lets it open a span. Do the same.",
            hint=2,
        ),
        Mistake(
            "the kind is not compared",
            lambda labels: _spans(labels, kinds=False),
            "After B-NP your span goes on through I-VP. An I of another kind opens a new span.",
            hint=2,
        ),
        Mistake(
            "neighbours melt together",
            lambda labels: _spans(labels, neighbours=False),
            "Two spans of one kind that stand side by side become one. B always opens a new "
            "span: that is what it is for.",
            hint=1,
        ),
        Mistake(
            "the last span is lost",
            lambda labels: _spans(labels, last=False),
            "A span that ends with the sentence is missing. Nothing after it closes it, so close "
            "it after the loop.",
            hint=3,
        ),
        Mistake(
            "the end is the last word",
            lambda labels: _spans(labels, shift=-1),
            "Your `end` is the place of the last word. It should be one further, as in a slice: "
            "`words[start:end]`.",
            hint=3,
        ),
        Mistake(
            "the last span ends one too early",
            _spans_with_negative_places,
            "Only the span at the end of the sentence is wrong: its end is `len(labels)`, not the "
            "last place.",
            hint=3,
        ),
        Mistake(
            "O is a kind",
            lambda labels: _spans(labels, outside=True),
            "You list the words outside as spans of the kind O. Leave them out.",
            hint=1,
        ),
        Mistake(
            "the kind still has its letter",
            lambda labels: _spans(labels, whole_label=True),
            "The kind is NP, not B-NP. Cut the first two characters off.",
            hint=3,
        ),
        Mistake(
            "only what follows the last hyphen",
            lambda labels: [(a, b, kind.split("-")[-1]) for a, b, kind in _spans(labels)],
            "A kind may hold a hyphen, as NON-GPE does. Cut off the letter and the first hyphen.",
            hint=3,
        ),
        Mistake(
            "a set",
            lambda labels: set(_spans(labels)),
            "The right spans, and no order. The task asks for a list in the order of the sentence.",
        ),
        Mistake(
            "lists for tuples",
            lambda labels: [list(span) for span in _spans(labels)],
            "The right spans as lists with square brackets. Write each as a tuple, "
            "`(start, end, kind)`.",
        ),
        Mistake(
            "the kind comes first",
            _spans_as_kind_first,
            "The right spans in another order of parts. Write each as `(start, end, kind)`.",
            hint=1,
        ),
    ),
    right_answers={
        "cut where a span begins": _spans_by_cuts,
        "a generator that looks ahead": _spans_by_looking_ahead,
    },
)


# --- precision, recall, F1 ---------------------------------------------------------------------


def span_f1(gold: Corpus, predicted: Corpus) -> tuple[float, float, float]:
    """Precision, recall and F1 of whole spans, over all sentences together."""
    scores = spans.span_scores(gold, predicted)
    return scores.precision, scores.recall, scores.f1


def _two_corpora(lengths: Sequence[int], *, changed: float) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        gold = [_drawn_labels(rng, length, ("PER", "LOC")) for length in lengths]
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
    return {(n, *span) for n, labels in enumerate(corpus) for span in _spans(labels)}


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


SPAN_F1 = Exercise(
    id="span_f1",
    title="Precision, recall and F1 of spans",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=span_f1,
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
    ),
    right_answers={
        "sets with sentence numbers": _f1_of_sets,
        "counting, and F1 from the counts": _f1_by_counting,
    },
)


# --- scores of a path --------------------------------------------------------------------------


def _lattice(
    lengths: Sequence[int],
    labels: int,
    *,
    scale: float = 1.0,
    path: bool = False,
    restless: bool = False,
    forbidden: bool = False,
) -> Any:
    """Random scores for sentences of these lengths; padding holds scores that must not count.

    With ``restless`` a label seldom follows itself, so that a walk through padding goes astray.
    With ``forbidden`` nothing may go to the last label, as the rules of BIOES have it for I.
    """

    def make(rng: np.random.Generator) -> Inputs:
        rows, longest = len(lengths), max(lengths)
        mask = np.arange(longest) < np.array(lengths)[:, None]
        emissions = scale * 2 * rng.standard_normal((rows, longest, labels))
        emissions[~mask] = 5.0 + rng.standard_normal((int((~mask).sum()), labels))
        inputs: Inputs = {"emissions": emissions}
        if path:
            inputs["labels"] = rng.integers(labels, size=(rows, longest))
        transitions = 2 * rng.standard_normal((labels, labels))
        if forbidden:
            transitions[:, -1] = constrained_crf.FORBIDDEN
        return inputs | {
            "mask": mask,
            "transitions": transitions - 4 * restless * np.eye(labels),
            "start": 2 * rng.standard_normal(labels),
            "end": 2 * rng.standard_normal(labels),
        }

    return make


def _score(
    emissions: Tensor,
    labels: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    *,
    start_weight: float = 1.0,
    end_weight: float = 1.0,
    transition_weight: float = 1.0,
    padding: bool = False,
    last_column: bool = False,
    round_the_corner: bool = False,
    mean: bool = False,
) -> Tensor:
    """The score of each path by loops, with one thing done otherwise."""
    scores = []
    for row in range(len(emissions)):
        length = emissions.shape[1] if padding else int(mask[row].sum())
        path = labels[row].tolist()
        total = start_weight * start[path[0]]
        for place in range(length):
            part = emissions[row, place, path[place]]
            if place or round_the_corner:
                part = part + transition_weight * transitions[path[place - 1], path[place]]
            total = total + (part / length if mean else part)
        total = total + end_weight * end[path[-1 if last_column else length - 1]]
        scores.append(total)
    return torch.stack(scores)


def _score_by_gather(
    emissions: Tensor, labels: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    own = emissions.gather(2, labels[:, :, None]).squeeze(2) * mask
    steps = transitions[labels[:, :-1], labels[:, 1:]] * mask[:, 1:]
    last = labels.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
    return own.sum(1) + steps.sum(1) + start[labels[:, 0]] + end[last]


def _score_with_move_into_padding(
    emissions: Tensor, labels: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    moves = transitions[labels[:, :-1], labels[:, 1:]]
    right = _score_by_gather(emissions, labels, mask, transitions, start, end)
    return right + (moves * (mask[:, :-1] & ~mask[:, 1:])).sum(1)


def _score_of_chances(
    emissions: Tensor, labels: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    return _score_by_gather(emissions.softmax(-1), labels, mask, transitions, start, end)


def _run_with_gradient(answer: Answer, inputs: Inputs) -> Plain:
    """The scores and their gradient for the emissions: the network learns through both."""
    tensors = [as_tensors(value) for value in inputs.values()]
    emissions = tensors[0].requires_grad_()
    result = answer(*tensors)
    if result is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    if not isinstance(result, Tensor):
        raise AnswerRefused(
            f"Your answer is a {type(result).__name__}. Return one tensor of shape (B,); "
            "`torch.stack` makes one of a list of tensors."
        )
    for (name, before), after in zip(inputs.items(), tensors, strict=True):
        if not np.array_equal(after.detach().numpy(), before):
            raise AnswerRefused(
                f"Your answer changed its argument `{name}`. Work on a copy: whoever called the "
                "function still needs the original."
            )
    gradient = None
    if result.requires_grad:
        (gradient,) = torch.autograd.grad(result.sum(), emissions, allow_unused=True)
    return {"scores": plain(result), "their gradient for the emissions": plain(gradient)}


def _cut_off(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The answer with its numbers copied into a fresh tensor, as `.item()` in a loop does."""
    return lambda *tensors: torch.tensor([x.item() for x in answer(*tensors)], dtype=torch.float64)


CUT_OFF = (
    "The numbers are right, and autograd cannot follow them back: `.item()`, `float()`, "
    "`.detach()` and `torch.tensor(...)` cut the thread. Keep tensors all "
    "the way; `torch.stack` joins them."
)
TABLE_TURNED = (
    "You read the table of transitions the wrong way round. `transitions[j, k]` is for "
    "label k right *after* label j."
)


PATH_SCORE = Exercise(
    id="path_score",
    title="The score of a path",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=10,
    reference=crf.path_score,
    run=_run_with_gradient,
    cases=(
        Case("one sentence of three words", _lattice((3,), 2, path=True)),
        Case("three sentences, no padding", _lattice((4, 4, 4), 3, path=True), weight=2),
        Case(
            "sentences of different lengths", _lattice((5, 2, 3, 4, 1, 2), 4, path=True), weight=2
        ),
        Case("a sentence of one word", _lattice((1, 4), 3, path=True), edge=True),
    ),
    mistakes=(
        Mistake(
            "no transitions",
            lambda *a: _score(*a, transition_weight=0.0),
            "Your score adds up what each word says on its own. The transitions between "
            "neighbouring labels are missing: they are what makes this a CRF.",
            hint=1,
        ),
        Mistake(
            "transitions transposed",
            lambda e, y, m, t, s, z: _score(e, y, m, t.T, s, z),
            TABLE_TURNED,
            hint=2,
        ),
        Mistake(
            "padding is scored",
            lambda *a: _score(*a, padding=True),
            "Words that are only padding add to your score. Stop at the end of each sentence: the "
            "mask says where.",
            hint=3,
        ),
        Mistake(
            "a move into the padding",
            _score_with_move_into_padding,
            "The move from the last word into the padding counts. A move counts only if the word "
            "it goes *to* is there: `mask[:, 1:]`, not `mask[:, :-1]`.",
            hint=3,
        ),
        Mistake(
            "the end score of the last column",
            lambda *a: _score(*a, last_column=True),
            "The score for ending is taken at the last column, which is padding for short "
            "sentences. Take it at the last real word of each sentence.",
            hint=3,
        ),
        Mistake(
            "the start is missing",
            lambda *a: _score(*a, start_weight=0.0),
            "The score for beginning with the first label, `start`, is missing.",
            hint=1,
        ),
        Mistake(
            "the end is missing",
            lambda *a: _score(*a, end_weight=0.0),
            "The score for ending with the last label, `end`, is missing.",
            hint=1,
        ),
        Mistake(
            "a transition before the first word",
            lambda *a: _score(*a, round_the_corner=True),
            "The first word gets a transition too: place -1 is the last one in Python. There are "
            "only T - 1 transitions; the first word has `start`.",
            hint=1,
        ),
        Mistake(
            "the mean over the words",
            lambda *a: _score(*a, mean=True),
            "You divide by the length. The score of a path is a sum.",
            hint=1,
        ),
        Mistake(
            "softmax first",
            _score_of_chances,
            "You turn the emissions into probabilities first. Add up the raw scores: the path as a "
            "whole is normalised later, once.",
        ),
        Mistake("cut off from autograd", _cut_off(_score_by_gather), CUT_OFF, hint=2),
        Mistake(
            "one number for the batch",
            lambda *a: _score(*a).sum(),
            "You add up the sentences. Return one score for each of them, shape (B,).",
            hint=3,
        ),
        Mistake(
            "the sign is turned",
            lambda *a: -_score(*a),
            "The right number with a minus. This is the score itself; the loss comes later.",
        ),
    ),
    right_answers={"loops": _score, "gather": _score_by_gather},
)


# --- the sum over all paths --------------------------------------------------------------------


def _forward(
    emissions: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    *,
    axis: int = 1,
    best: bool = False,
    use_mask: str = "stand still",
    last: str = "logsumexp",
    first_emission: bool = True,
    arriving: bool = False,
) -> Tensor:
    """The forward algorithm over the batch, with one thing done otherwise."""
    alpha = start + (emissions[:, 0] if first_emission else 0.0) + 0 * emissions[:, 0]  # (B, K)
    for t in range(1, emissions.shape[1]):
        pairs = (alpha[:, None] if arriving else alpha[:, :, None]) + transitions  # (B, from, to)
        into = pairs.amax(axis) if best else pairs.logsumexp(axis)
        new = into + emissions[:, t]
        here = mask[:, t, None]
        if use_mask == "stand still":
            alpha = torch.where(here, new, alpha)
        else:
            alpha = new * here if use_mask == "multiply" else new
    alpha = alpha + end
    if last == "sum":
        return alpha.sum(-1)
    return alpha.amax(-1) if best else alpha.logsumexp(-1)


def _partition_by_exp(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    alpha = (start + emissions[:, 0]).exp()
    for t in range(1, emissions.shape[1]):
        new = (alpha @ transitions.exp()) * emissions[:, t].exp()
        alpha = torch.where(mask[:, t, None], new, alpha)
    return (alpha * end.exp()).sum(-1).log()


def _partition_with_shifted_alpha(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    """exp and log with the largest alpha taken out; the transitions are left as they are."""
    alpha = start + emissions[:, 0]
    for t in range(1, emissions.shape[1]):
        top = alpha.amax(1, keepdim=True)
        new = ((alpha - top).exp() @ transitions.exp()).log() + top + emissions[:, t]
        alpha = torch.where(mask[:, t, None], new, alpha)
    return torch.logsumexp(alpha + end, 1)


def _partition_place_by_place(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    return (emissions.logsumexp(-1) * mask).sum(1)


def _partition_by_enumeration(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    logs = []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        scores = []
        for path in itertools.product(range(len(start)), repeat=length):
            total = start[path[0]] + end[path[-1]]
            total = total + sum(row[place, label] for place, label in enumerate(path))
            scores.append(total + sum(transitions[a, b] for a, b in itertools.pairwise(path)))
        logs.append(torch.logsumexp(torch.stack(scores), 0))
    return torch.stack(logs)


def _partition_sentence_by_sentence(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    logs = []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        alpha = start + row[0]
        for scores in row[1:length]:
            alpha = torch.stack(
                [torch.logsumexp(alpha + transitions[:, k], 0) for k in range(len(start))]
            )
            alpha = alpha + scores
        logs.append(torch.logsumexp(alpha + end, 0))
    return torch.stack(logs)


LOG_PARTITION = Exercise(
    id="log_partition",
    title="The sum over all paths, in log space",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=20,
    reference=crf.log_partition,
    run=_run_with_gradient,
    cases=(
        Case("one sentence of three words", _lattice((3,), 2)),
        Case("three sentences, no padding", _lattice((4, 4, 4), 3), weight=2),
        Case("sentences of different lengths", _lattice((5, 2, 3), 3), weight=2),
        Case("a sentence of one word", _lattice((1, 4), 3), edge=True),
        Case("scores of a thousand", _lattice((4, 3), 3, scale=1000.0), edge=True),
        Case("a forbidden label", _lattice((4, 2), 3, forbidden=True), edge=True),
    ),
    mistakes=(
        Mistake(
            "summed over the wrong axis",
            lambda *a: _forward(*a, axis=2),
            "The sum runs over the label you go *to*. For each new label, sum over the labels "
            "you may come *from*: with shape (B, from, to) that is axis 1.",
            hint=3,
        ),
        Mistake(
            "transitions transposed",
            lambda e, m, t, s, z: _forward(e, m, t.T, s, z),
            TABLE_TURNED,
            hint=2,
        ),
        Mistake(
            "alpha stands on the axis of the new label",
            lambda *a: _forward(*a, arriving=True),
            "`alpha` belongs to the label you come *from*, and you add it along the label you go "
            "to. `alpha.unsqueeze(2)` stands beside the rows of `transitions`.",
            hint=2,
        ),
        Mistake(
            "the best path, not all",
            lambda *a: _forward(*a, best=True),
            "This is the score of the best path. For the sum over all paths put logsumexp where "
            "you have max.",
            hint=2,
        ),
        Mistake(
            "exp and log by hand",
            _partition_by_exp,
            "The sum is right for small scores, and overflows for large ones: exp(1000) is "
            "infinite. Stay in log space with `torch.logsumexp`.",
            hint=2,
        ),
        Mistake(
            "exp of the transitions",
            _partition_with_shifted_alpha,
            "The sum is right, and its gradient is no number where a transition is forbidden: "
            "exp(-10000) is 0, and the log of 0 has no slope. Add the transitions *inside* "
            "`torch.logsumexp`.",
            hint=2,
        ),
        Mistake(
            "padding is read",
            lambda *a: _forward(*a, use_mask="no"),
            "You go on through the padding. Where the mask is False, keep the alpha you had: "
            "`torch.where(mask[:, t, None], new, alpha)`.",
            hint=3,
        ),
        Mistake(
            "padding sets alpha to zero",
            lambda *a: _forward(*a, use_mask="multiply"),
            "Multiplying by the mask sets the logs of finished sentences to 0, and 0 is a score "
            "like any other. Keep the old alpha with `torch.where`.",
            hint=3,
        ),
        Mistake(
            "each place on its own",
            _partition_place_by_place,
            "You sum over the labels of each place apart, as a softmax for each word does. The "
            "transitions tie the places together, and they are missing.",
            hint=1,
        ),
        Mistake(
            "the start is missing",
            lambda e, m, t, s, z: _forward(e, m, t, 0 * s, z),
            "The score for beginning with a label, `start`, is missing in the first alpha.",
            hint=3,
        ),
        Mistake(
            "the end is missing",
            lambda e, m, t, s, z: _forward(e, m, t, s, 0 * z),
            "The score for ending with a label, `end`, is missing before the last sum.",
            hint=3,
        ),
        Mistake(
            "the first emission is missing",
            lambda *a: _forward(*a, first_emission=False),
            "The first word has no say: the first alpha is `start + emissions[:, 0]`.",
            hint=3,
        ),
        Mistake(
            "a plain sum at the end",
            lambda *a: _forward(*a, last="sum"),
            "The last step adds up logarithms. It must add up what they are logarithms of: "
            "logsumexp once more.",
            hint=3,
        ),
        Mistake("cut off from autograd", _cut_off(_forward), CUT_OFF, hint=2),
        Mistake(
            "Z, not its logarithm",
            lambda *a: _forward(*a).exp(),
            "This is Z. For long sentences it is too large for a number: return log Z.",
            hint=2,
        ),
        Mistake(
            "one number for the batch",
            lambda *a: _forward(*a).mean(),
            "You average over the sentences. Return one number for each of them, shape (B,).",
            hint=3,
        ),
    ),
    right_answers={
        "enumeration": _partition_by_enumeration,
        "sentence by sentence": _partition_sentence_by_sentence,
        "over the whole batch": _forward,
    },
)


# --- the best path -----------------------------------------------------------------------------

Best = tuple[list[list[int]], Tensor]


def _best(
    emissions: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    *,
    axis: int = 0,
    arriving: bool = False,
    greedy: str = "",
    lengths: str = "real",
    backwards: bool = False,
    lost_first: bool = False,
    doors_forwards: bool = False,
    own_score: str = "",
) -> Best:
    """Viterbi sentence by sentence, with one thing done otherwise."""
    paths, scores = [], []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        places = len(row) if lengths != "real" else length
        best, backs = start + row[0], []
        for t in range(1, places):
            top, back = ((best if arriving else best[:, None]) + transitions).max(axis)
            best = top + row[t]
            backs.append(back)
        score, last = (best + end).max(0)
        path = [int(last)]
        for back in backs if doors_forwards else reversed(backs):
            path.append(int(back[path[-1]]))
        path = path[1:] if lost_first else path
        path = path if backwards else path[::-1]
        if greedy:
            path = _greedy(row[:length], transitions, start, greedy)
        if own_score:
            score = row[torch.arange(length), path].sum()
        if own_score == "path":
            moves = [transitions[a, b] for a, b in itertools.pairwise(path)]
            score = score + start[path[0]] + end[path[-1]] + sum(moves)
        paths.append(path[:length] if lengths != "padded" else path)
        scores.append(score)
    return paths, torch.stack(scores)


def _greedy(row: Tensor, transitions: Tensor, start: Tensor, way: str) -> list[int]:
    if way == "places":
        return [int(k) for k in row.argmax(-1)]
    path = [int((start + row[0]).argmax())]
    for scores in row[1:]:
        path.append(int((transitions[path[-1]] + scores).argmax()))
    return path


def _best_with_end_at_last_column(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    """The scores stand still under padding, but the walk back takes pointers of padding too."""
    best = start + emissions[:, 0]
    backs = []
    for t in range(1, emissions.shape[1]):
        top, back = (best[:, :, None] + transitions).max(1)
        best = torch.where(mask[:, t, None], top + emissions[:, t], best)
        backs.append(back)
    scores, last = (best + end).max(1)
    paths = []
    for row, length in enumerate(mask.sum(1).tolist()):
        path = [int(last[row])]
        for back in reversed(backs):
            path.append(int(back[row, path[-1]]))
        paths.append(path[::-1][:length])
    return paths, scores


def _best_by_enumeration(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    paths, scores = [], []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        found = []
        for path in itertools.product(range(len(start)), repeat=length):
            total = start[path[0]] + end[path[-1]]
            total = total + sum(row[place, label] for place, label in enumerate(path))
            total = total + sum(transitions[a, b] for a, b in itertools.pairwise(path))
            found.append((float(total), list(path)))
        score, best_path = max(found)
        paths.append(best_path)
        scores.append(score)
    return paths, torch.tensor(scores)


def _best_in_one_batch(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    best = start + emissions[:, 0]
    stay = torch.arange(len(start)).expand_as(best)
    backs = []
    for t in range(1, emissions.shape[1]):
        top, back = (best[:, :, None] + transitions).max(1)
        here = mask[:, t, None]
        best = torch.where(here, top + emissions[:, t], best)
        backs.append(torch.where(here, back, stay))
    scores, last = (best + end).max(1)
    path = [last]
    for back in reversed(backs):
        path.append(back.gather(1, path[-1][:, None]).squeeze(1))
    whole = torch.stack(path[::-1], 1).tolist()
    lengths = mask.sum(1).tolist()
    return [labels[:length] for labels, length in zip(whole, lengths, strict=True)], scores


def _filled_up(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Best:
    paths, scores = _best(emissions, mask, transitions, start, end)
    longest = mask.shape[1]
    return [path + [0] * (longest - len(path)) for path in paths], scores


def _run_viterbi(answer: Answer, inputs: Inputs) -> Plain:
    """The paths and the scores, refused where their types are not those of the task."""

    def typed(*arguments: Any) -> Any:
        outputs = answer(*arguments)
        if not isinstance(outputs, list | tuple) or len(outputs) != 2:
            raise AnswerRefused("Return two things: the list of paths, and the scores.")
        paths, scores = outputs
        if isinstance(paths, Tensor) and isinstance(scores, list | tuple):
            raise AnswerRefused("The scores come first in your answer. Return paths, then scores.")
        if not isinstance(paths, list | tuple):
            raise AnswerRefused(
                f"Your paths are a {type(paths).__name__}. Sentences differ in length, so return a "
                "list with one list of label numbers for each sentence."
            )
        for path in paths:
            if not isinstance(path, list | tuple):
                raise AnswerRefused(
                    f"A path of yours is a {type(path).__name__}. Make it a list of label numbers; "
                    "`.tolist()` does it."
                )
            odd = [k for k in path if not isinstance(k, int | np.integer)]
            if odd:
                raise AnswerRefused(
                    f"A path of yours holds a {type(odd[0]).__name__}. Make each label a whole "
                    "number with `int(...)`."
                )
        if not isinstance(scores, Tensor):
            raise AnswerRefused(
                f"Your scores are a {type(scores).__name__}. Return a tensor of shape (B,); "
                "`torch.stack` makes one of a list of tensors."
            )
        return {"paths": [list(path) for path in paths], "scores": scores}

    return call_with_tensors(typed, inputs)


OWN_FAVOURITES = (
    "Each word takes its own favourite. A label may be the favourite and have no good "
    "neighbours: look at whole paths."
)
SETTLED_EARLY = (
    "You settle each label before you have seen the next words. Keep the best path into "
    "*every* label, and decide at the end."
)


VITERBI = Exercise(
    id="viterbi",
    title="The best path",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=20,
    reference=crf.viterbi,
    run=_run_viterbi,
    cases=(
        Case("one sentence of four words", _lattice((4,), 3)),
        Case("four sentences, no padding", _lattice((5, 5, 5, 5), 3), weight=2),
        Case(
            "sentences of different lengths",
            _lattice((6, 2, 3, 5, 4, 3, 2, 3, 2), 3, restless=True),
            weight=2,
        ),
        Case("a sentence of one word", _lattice((1, 4), 3), edge=True),
    ),
    mistakes=(
        Mistake(
            "each place on its own",
            lambda *a: _best(*a, greedy="places"),
            OWN_FAVOURITES,
            hint=1,
        ),
        Mistake(
            "each place on its own, with the sum of its emissions",
            lambda *a: _best(*a, greedy="places", own_score="emissions"),
            OWN_FAVOURITES,
            hint=1,
        ),
        Mistake(
            "each place on its own, with the score of its path",
            lambda *a: _best(*a, greedy="places", own_score="path"),
            OWN_FAVOURITES,
            hint=1,
        ),
        Mistake(
            "greedy from left to right",
            lambda *a: _best(*a, greedy="left"),
            SETTLED_EARLY,
            hint=1,
        ),
        Mistake(
            "greedy from left to right, with the score of its path",
            lambda *a: _best(*a, greedy="left", own_score="path"),
            SETTLED_EARLY,
            hint=1,
        ),
        Mistake(
            "the doors are read forwards",
            lambda *a: _best(*a, doors_forwards=True),
            "You read the doors from the first to the last. The walk back begins at the last word: "
            "take the doors in reverse.",
            hint=3,
        ),
        Mistake(
            "the doors are read forwards, and the path is not turned",
            lambda *a: _best(*a, doors_forwards=True, backwards=True),
            "You read the doors from the first to the last. The walk back begins at the last word: "
            "take the doors in reverse, then turn the path round.",
            hint=3,
        ),
        Mistake(
            "the scores come first",
            lambda *a: _best(*a)[::-1],
            "Your two results are swapped: return the paths first, then their scores.",
        ),
        Mistake(
            "the walk back goes through the padding",
            _best_with_end_at_last_column,
            "The scores are right, and the walk back begins at the last column, in the padding. "
            "Begin at the last real word of each sentence.",
            hint=3,
        ),
        Mistake(
            "padding is read",
            lambda *a: _best(*a, lengths="cut"),
            "The search runs on through the padding before you cut the paths. It must end at the "
            "last real word of each sentence.",
            hint=3,
        ),
        Mistake(
            "paths with padding",
            lambda *a: _best(*a, lengths="padded"),
            "Your paths have a label for every column. Give one label for each real word.",
            hint=3,
        ),
        Mistake(
            "the path is backwards",
            lambda *a: _best(*a, backwards=True),
            "The right labels from the last word to the first. Turn each path round.",
            hint=3,
        ),
        Mistake(
            "the pointers of the wrong axis",
            lambda *a: _best(*a, axis=1),
            "The maximum runs over the label you go *to*. For each new label, choose the best "
            "label to come *from*.",
            hint=2,
        ),
        Mistake(
            "the scores stand on the axis of the new label",
            lambda *a: _best(*a, arriving=True),
            "Your scores so far belong to the label you come *from*, and you add them along the "
            "label you go to. For one sentence, `best.unsqueeze(1)` stands beside the rows.",
            hint=2,
        ),
        Mistake(
            "transitions transposed",
            lambda e, m, t, s, z: _best(e, m, t.T, s, z),
            TABLE_TURNED,
            hint=2,
        ),
        Mistake(
            "the end is missing",
            lambda e, m, t, s, z: _best(e, m, t, s, 0 * z),
            "The score for ending with a label, `end`, is missing where you choose the last label.",
            hint=3,
        ),
        Mistake(
            "the start is missing",
            lambda e, m, t, s, z: _best(e, m, t, 0 * s, z),
            "The score for beginning with a label, `start`, is missing at the first word.",
            hint=3,
        ),
        Mistake(
            "the last word has no label",
            lambda *a: _best(*a, lost_first=True),
            "Your paths are one label short: the label that you found first, that of the last "
            "word, belongs to the path.",
            hint=3,
        ),
        Mistake(
            "paths filled up with zeros",
            _filled_up,
            "Short paths are filled up with label 0, which is a label like any other. Give each "
            "sentence a list of its own length.",
            hint=3,
        ),
    ),
    right_answers={
        "sentence by sentence": _best,
        "in one batch": _best_in_one_batch,
        "enumeration": _best_by_enumeration,
    },
)


# --- which label may follow which --------------------------------------------------------------


def may_follow(before: str, after: str) -> bool:
    """Whether BIOES lets ``after`` stand right behind ``before``; see `label_rules`."""
    return constrained_crf.may_follow(before, after)


def _kinds(*kinds: str) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        labels = ["O"] + [f"{mark}-{kind}" for kind in kinds for mark in "BIES"]
        return {"labels": [labels[int(i)] for i in rng.permutation(len(labels))]}

    return make


def _every_pair(answer: Answer, inputs: Inputs) -> Plain:
    """What the answer says of every pair, under its name, so that a difference names the pair."""
    lines: dict[str, str] = {}
    for before in [constrained_crf.START, *inputs["labels"]]:
        for after in [*inputs["labels"], constrained_crf.END]:
            if (before, after) == (constrained_crf.START, constrained_crf.END):
                continue  # an empty sentence: the task does not say
            said = plain(answer(before, after))
            if said is None:
                raise AnswerRefused(
                    f"For {before} then {after} your function returned None. Return True or False."
                )
            if isinstance(said, np.ndarray) and said.ndim == 0:
                said = said.item()
            if not isinstance(said, bool | int):
                raise AnswerRefused(
                    f"For {before} then {after} your function returned {said!r}. Return True or "
                    "False."
                )
            lines[f"{before} then {after}"] = "may" if said else "must not"
    return lines


def _rule(
    before: str,
    after: str,
    *,
    kinds: bool = True,
    side_by_side: bool = True,
    opens: str = "OBS",
    open_after: str = "BI",
    free_start: bool = False,
    free_end: bool = False,
) -> bool:
    """The rule with one thing done otherwise."""
    if before == constrained_crf.START:
        return free_start or after[:1] in opens or after == constrained_crf.END
    if after == constrained_crf.END:
        return free_end or before[:1] not in open_after
    if before[:1] in open_after:
        return after[:1] in "IE" and (not kinds or before[2:] == after[2:])
    if not side_by_side and before[:1] in "ES" and after[:1] in "BS":
        return False
    return after[:1] in opens


def _bio_rule(before: str, after: str) -> bool:
    if after[:1] in "IE":
        return before[:1] in "BI" and before[2:] == after[2:]
    return True


def _rule_by_table(before: str, after: str) -> bool:
    inside = {"<": False, "O": False, "E": False, "S": False, "B": True, "I": True}[before[0]]
    goes_on = after[0] in "IE"
    return inside == goes_on and (not inside or before.split("-")[1] == after.split("-")[1])


MAY_FOLLOW = Exercise(
    id="may_follow",
    title="Which label may follow which",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=3,
    minutes=10,
    reference=may_follow,
    run=_every_pair,
    cases=(
        Case("one kind", _kinds("NP")),
        Case("two kinds", _kinds("PER", "LOC"), weight=2),
        Case("kinds that begin with E, I and S", _kinds("EVENT", "ITEM", "SITE"), edge=True),
    ),
    mistakes=(
        Mistake(
            "the rules of BIO",
            _bio_rule,
            "These are the rules of BIO, where a span may stop anywhere. In BIOES a span that "
            "was opened with B must be closed with E.",
            hint=1,
        ),
        Mistake(
            "the rules of BIO, where E is nothing special",
            lambda before, after: (
                not after.startswith("I-") or (before[:1] in "BI" and before[2:] == after[2:])
            ),
            "These are the rules of BIO: only I needs an open span. In BIOES so does E, and a span "
            "that was opened with B must be closed with E.",
            hint=1,
        ),
        Mistake(
            "E may come from anywhere",
            lambda before, after: _rule(before, after, opens="OBSE"),
            "You let E stand where no span is open. E closes what B opened; a span of a single "
            "word is S.",
            hint=2,
        ),
        Mistake(
            "the kinds must always be equal",
            lambda before, after: _rule(before, after) and before[2:] == after[2:],
            "You compare the kinds at every pair. They must agree only inside a span: after O or E "
            "a span of any kind may begin.",
            hint=3,
        ),
        Mistake(
            "the kind is not compared",
            lambda before, after: _rule(before, after, kinds=False),
            "B-PER may not be followed by I-LOC: inside a span the kind stays the same.",
            hint=2,
        ),
        Mistake(
            "I may come from anywhere",
            lambda before, after: _rule(before, after, opens="OBSIE"),
            "You let I or E stand where no span is open. They only continue what B opened.",
            hint=2,
        ),
        Mistake(
            "no two spans side by side",
            lambda before, after: _rule(before, after, side_by_side=False),
            "Two spans may touch: after E or S a new span may begin at once.",
            hint=2,
        ),
        Mistake(
            "S leaves a span open",
            lambda before, after: _rule(before, after, open_after="BIS"),
            "S is a whole span of one word. After it nothing is open.",
            hint=1,
        ),
        Mistake(
            "E leaves a span open",
            lambda before, after: _rule(before, after, open_after="BIE"),
            "E closes the span. After it nothing is open.",
            hint=1,
        ),
        Mistake(
            "anything may begin a sentence",
            lambda before, after: _rule(before, after, free_start=True),
            "At `<start>` nothing is open, so a sentence cannot begin with I or E.",
            hint=3,
        ),
        Mistake(
            "anything may end a sentence",
            lambda before, after: _rule(before, after, free_end=True),
            "At `<end>` nothing may be open, so B and I cannot be the last label.",
            hint=3,
        ),
        Mistake(
            "everything may follow everything",
            lambda before, after: True,
            "Your answer is always True. Which labels can only stand where a span is open?",
            hint=1,
        ),
        Mistake(
            "the answer is turned round",
            lambda before, after: not _rule(before, after),
            "Your rule is right and its answer is turned round: True means that it may follow.",
        ),
    ),
    right_answers={"open before, open after": _rule, "a table": _rule_by_table},
)


# --- where the LM vectors join -----------------------------------------------------------------


class _Layer:
    """A recurrent layer that takes vectors of any width: wrong answers run, and differ."""

    def __init__(self, seed: int, width: int) -> None:
        self.seed, self.width = seed, width

    def __call__(self, vectors: Tensor) -> Tensor:
        generator = torch.Generator().manual_seed(self.seed)
        weight = torch.randn(64, self.width, generator=generator, dtype=torch.float64)
        carried = vectors.cumsum(1) / 2  # so that the order of time matters
        return torch.tanh(carried @ weight[: vectors.shape[-1]])


def _vectors(batch: int, words: int, width: int, position: str) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "words": rng.standard_normal((batch, words, width)),
            "lm": rng.standard_normal((batch, words, width)),
            "first": int(rng.integers(1, 10**6)),
            "second": int(rng.integers(1, 10**6)),
            "position": position,
        }

    return make


def _run_with_layers(answer: Answer, inputs: Inputs) -> Plain:
    """What comes out, and its gradient for the words: floor 1 and the word vectors learn by it."""
    width = inputs["words"].shape[-1]
    words, lm = (torch.from_numpy(inputs[name].copy()) for name in ("words", "lm"))
    words.requires_grad_()
    first, second = (_Layer(inputs[name], width) for name in ("first", "second"))
    result = answer(words, lm, first, second, inputs["position"])
    if isinstance(result, tuple):
        raise AnswerRefused(
            "Your answer is a tuple. `first` and `second` give one tensor each; return one tensor."
        )
    if result is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    if not isinstance(result, Tensor):
        raise AnswerRefused(f"Your answer is a {type(result).__name__}. Return one tensor.")
    if not torch.equal(words, torch.from_numpy(inputs["words"])):
        raise AnswerRefused("Your answer changed `words`. Build new tensors with `torch.cat`.")
    gradient = None
    if result.requires_grad:
        (gradient,) = torch.autograd.grad(result.sum(), words, allow_unused=True)
    return {"vectors": plain(result), "their gradient for the word vectors": plain(gradient)}


Layer = Callable[[Tensor], Tensor]


def _joined(
    words: Tensor,
    lm: Tensor,
    first: Layer,
    second: Layer,
    position: str,
    *,
    join: Callable[[Tensor, Tensor], Tensor] = lambda a, b: torch.cat([a, b], -1),
) -> Tensor:
    if position == "input":
        words = join(words, lm)
    states = first(words)
    if position == "after_first":
        states = join(states, lm)
    states = second(states)
    return join(states, lm) if position == "after_second" else states


def _joined_everywhere(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str
) -> Tensor:
    states = second(torch.cat([first(torch.cat([words, lm], -1)), lm], -1))
    return torch.cat([states, lm], -1) if position == "after_second" else states


def _joined_in_words(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str) -> Any:
    if position == "none":
        return second(first(words))
    if position == "input":
        return second(first(torch.cat((words, lm), dim=2)))
    if position == "after_first":
        return second(torch.cat((first(words), lm), dim=2))
    return torch.cat((second(first(words)), lm), dim=2)


SWAPPED = {"input": "after_second", "after_first": "after_first"}
SWAPPED |= {"after_second": "input", "none": "none"}

WITH_LM = Exercise(
    id="with_lm",
    title="Where the language model joins",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=taglm.with_lm,
    run=_run_with_layers,
    cases=(
        Case("after the first floor, as in the paper", _vectors(1, 3, 4, "after_first"), weight=2),
        Case("at the input", _vectors(2, 4, 3, "input")),
        Case("after the second floor", _vectors(2, 3, 4, "after_second")),
        Case("not at all", _vectors(2, 3, 4, "none")),
        Case("one sentence of one word", _vectors(1, 1, 2, "after_first"), edge=True),
    ),
    mistakes=(
        Mistake(
            "always after the first floor",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, "after_first"),
            "The LM vectors always join after the first floor. `position` says where.",
            hint=1,
        ),
        Mistake(
            "input and after_second are swapped",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, SWAPPED[p]),
            'Two places are swapped. "input" means below the first floor, "after_second" above the '
            "second.",
            hint=3,
        ),
        Mistake(
            "the first floor is cut off from autograd",
            lambda w, lm, a, b, p: _joined(w, lm, lambda x: a(x).detach(), b, p),
            "The vectors are right, and autograd cannot follow them back through the first floor, "
            "which then never learns. Only the language model is frozen: leave out `.detach()` and "
            "`torch.no_grad()` here.",
        ),
        Mistake(
            "always at the input",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, "input"),
            "The LM vectors join the words at the input, as many summaries tell it. TagLM joins "
            "them to what the first floor gives. `position` says where.",
            hint=1,
        ),
        Mistake(
            "added, not joined",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, p, join=lambda x, y: x + y),
            "You add the two vectors. That needs equal widths, and loses which number came from "
            "where. Put them side by side with `torch.cat`.",
            hint=2,
        ),
        Mistake(
            "joined along the words",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, p, join=lambda x, y: torch.cat([x, y], 1)),
            "You put the LM vectors behind the sentence, as more words. Join along the last axis: "
            "each word's vector grows.",
            hint=2,
        ),
        Mistake(
            "the LM vectors come first",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, p, join=lambda x, y: torch.cat([y, x], -1)),
            "A model would learn as well from this order. The task asks for the other one, so that "
            "answers can be compared: the LM vectors last, as in equation 3.",
            hint=3,
        ),
        Mistake(
            "the first floor twice",
            lambda w, lm, a, b, p: _joined(w, lm, a, a, p),
            "Both times you call `first`. The upper floor is `second`, with weights of its own.",
            hint=3,
        ),
        Mistake(
            "the second floor is left out",
            lambda w, lm, a, b, p: _joined(w, lm, a, lambda x: x, p),
            "The vectors never go through `second`.",
            hint=1,
        ),
        Mistake(
            "at every place at once",
            _joined_everywhere,
            "You join the LM vectors at several places. One is asked for each time.",
            hint=1,
        ),
        Mistake(
            "the LM vectors never join",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, "none"),
            "`lm` is never used. Join it at the place that `position` names.",
            hint=1,
        ),
    ),
    right_answers={"one case after the other": _joined_in_words, "one place to join": _joined},
)


EXERCISES = [SPANS_OF, SPAN_F1, PATH_SCORE, LOG_PARTITION, VITERBI, MAY_FOLLOW, WITH_LM]
