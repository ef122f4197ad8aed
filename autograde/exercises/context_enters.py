"""Lesson 03: a language model, its states in context, and models that start from it."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    as_tensors,
    call_with_tensors,
    plain,
)
from elmo_mini.recurrent import classifier, context2vec, language_model, seq2seq
from elmo_mini.recurrent.classifier import LSTMClassifier
from elmo_mini.recurrent.language_model import LSTMLanguageModel

LESSON = "03_context_enters"


# --- a stream in rows --------------------------------------------------------------------------


def _stream(words: int, rows: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {"stream": 10 + rng.permutation(words).astype(np.int64), "rows": rows}

    return make


def _row_length(stream: Tensor, rows: int) -> int:
    return len(stream) // rows


def _rows_dealt(stream: Tensor, rows: int) -> Tensor:
    length = _row_length(stream, rows)
    return stream[: rows * length].view(length, rows).T


def _rows_short(stream: Tensor, rows: int) -> Tensor:
    length = (len(stream) - 1) // rows
    return stream[: rows * length].view(rows, length)


def _rows_padded(stream: Tensor, rows: int) -> Tensor:
    length = math.ceil(len(stream) / rows)
    return functional.pad(stream, (0, rows * length - len(stream))).view(rows, length)


def _run_rows(answer: Answer, inputs: Inputs) -> Plain:
    """The rows; their ids must stay whole numbers, or no embedding takes them later."""
    try:
        rows = call_with_tensors(answer, inputs)
    except RuntimeError as error:
        if "is invalid for input of size" not in str(error):
            raise
        raise AnswerRefused(
            "The ids do not fill your table: some are left over. Cut the text to a length that "
            "the rows fill exactly, then shape it."
        ) from error
    if isinstance(rows, np.ndarray) and rows.dtype.kind not in "iu":
        raise AnswerRefused(
            f"Your ids are {rows.dtype} now. Ids stay whole numbers, as in `stream`: the model "
            "looks them up in a table."
        )
    return rows


STREAM_ROWS = Exercise(
    id="stream_rows",
    title="A long text in parallel rows",
    lesson=LESSON,
    points=2,
    difficulty=1,
    importance=4,
    minutes=5,
    reference=language_model.stream_rows,
    run=_run_rows,
    cases=(
        Case("12 words in 3 rows", _stream(12, 3)),
        Case("51 words in 4 rows", _stream(51, 4), weight=2),
        Case("7 words in 1 row", _stream(7, 1), edge=True),
        Case("6 words in 3 rows", _stream(6, 3), edge=True),
    ),
    mistakes=(
        Mistake(
            "dealt out like cards",
            _rows_dealt,
            "You deal the words out like cards: neighbours in the text land in different rows. "
            "Each row is one stretch of the text, read from left to right.",
            hint=1,
        ),
        Mistake(
            "time first",
            lambda s, rows: language_model.stream_rows(s, rows).T,
            "Your table lies on its side: (words, rows). Here it is (rows, words).",
            hint=2,
        ),
        Mistake(
            "rows words in each row",
            lambda s, rows: s[: len(s) // rows * rows].view(-1, rows),
            "`rows` says how many rows there are, not how long they are.",
            hint=2,
        ),
        Mistake(
            "the remainder is filled up",
            _rows_padded,
            "You fill the last row up with an id that the text does not hold. Drop what "
            "is left at the end of the text.",
            hint=2,
        ),
        Mistake(
            "the remainder is cut from the front",
            lambda s, rows: s[len(s) - rows * _row_length(s, rows) :].view(rows, -1),
            "You drop the first words of the text. Drop the last ones.",
            hint=3,
        ),
        Mistake(
            "every row starts one word later",
            lambda s, rows: s.unfold(0, _row_length(s, rows), 1)[:rows],
            "Your rows overlap: each starts one word after the row above. Each row goes on where "
            "the row above ends.",
            hint=1,
        ),
        Mistake(
            "one word is kept for the targets",
            _rows_short,
            "You keep the last word back for the targets. The next exercise takes care of those: "
            "here the length is `len(stream) // rows`.",
            hint=3,
        ),
        Mistake(
            "every row is the start of the text",
            lambda s, rows: s[: _row_length(s, rows)].repeat(rows, 1),
            "All your rows hold the beginning of the text. Row 1 goes on where row 0 ends.",
            hint=1,
        ),
        Mistake(
            "nothing is cut off",
            lambda s, rows: s.view(rows, -1),
            "What is left over at the end of the text is still there, and the table has no place "
            "for it. Take `stream[: rows * length]` first.",
            hint=2,
        ),
        Mistake(
            "ids that are no whole numbers",
            lambda s, rows: language_model.stream_rows(s, rows).float(),
            "Your ids have become decimal numbers, perhaps by `torch.Tensor(...)` or `/`. Cut and "
            "shape `stream` itself: its ids stay what they are.",
            hint=3,
        ),
    ),
    right_answers={
        "stacked slices": lambda s, rows: torch.stack(
            [s[r * (len(s) // rows) : (r + 1) * (len(s) // rows)] for r in range(rows)]
        ),
        "narrow and reshape": lambda s, rows: s.narrow(0, 0, len(s) - len(s) % rows).reshape(
            rows, -1
        ),
    },
)


# --- windows, and the shift --------------------------------------------------------------------

Windows = list[tuple[Tensor, Tensor]]


def _table_of_ids(rows: int, length: int, width: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        drawn = 10 + rng.permutation(rows * length).reshape(rows, length).astype(np.int64)
        return {"rows": drawn, "width": width}

    return make


def _cut(inputs: Tensor, targets: Tensor, width: int) -> Windows:
    return list(zip(inputs.split(width, 1), targets.split(width, 1), strict=True))


def _windows_shifted_inside(rows: Tensor, width: int) -> Windows:
    return [(w[:, :-1], w[:, 1:]) for w in rows.split(width, 1) if w.shape[1] > 1]


def _windows_rolled_inside(rows: Tensor, width: int) -> Windows:
    return [(w, w.roll(-1, 1)) for w in rows.split(width, 1)]


def _windows_sliding(rows: Tensor, width: int) -> Windows:
    ends = range(rows.shape[1] - width)
    return [(rows[:, s : s + width], rows[:, s + 1 : s + width + 1]) for s in ends]


def _windows_full_only(rows: Tensor, width: int) -> Windows:
    return [w for w in _cut(rows[:, :-1], rows[:, 1:], width) if w[0].shape[1] == width]


def _windows_across_the_edge(rows: Tensor, width: int) -> Windows:
    targets = rows.flatten().roll(-1).view_as(rows)
    return _cut(rows, targets, width)


def _windows_by_range(rows: Tensor, width: int) -> Windows:
    last = rows.shape[1] - 1
    ends = [(start, min(start + width, last)) for start in range(0, last, width)]
    return [(rows[:, start:end], rows[:, start + 1 : end + 1]) for start, end in ends]


def _windows_too_far(rows: Tensor, width: int) -> Windows:
    starts = range(0, rows.shape[1], width)
    return [(rows[:, s : s + width], rows[:, s + 1 : s + width + 1]) for s in starts]


def _windows_in_two_lists(rows: Tensor, width: int) -> Any:
    return rows[:, :-1].split(width, 1), rows[:, 1:].split(width, 1)


def _run_windows(answer: Answer, inputs: Inputs) -> Plain:
    """A list, which a lesson can walk through twice, of pairs."""

    def listed(rows: Tensor, width: int) -> Any:
        windows = answer(rows, width)
        if windows is not None and not isinstance(windows, list | tuple):
            raise AnswerRefused(
                "Your answer is not a list. A `zip` or a generator can be walked through only "
                "once, and the lesson needs the windows again: put `list(...)` round it."
            )
        return windows

    windows = call_with_tensors(listed, inputs)
    if windows is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    assert isinstance(windows, list | tuple)
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in windows):
        raise AnswerRefused(
            "Return one list of pairs: `[(inputs, targets), (inputs, targets), ...]`, a pair for "
            "each window."
        )
    return {"number of windows": len(windows), "windows": list(windows)}


INPUTS_AGAIN = (
    "Your targets are the inputs: the model would be asked for the word that it has just "
    "read. The target is the *next* word."
)


NEXT_WORD_WINDOWS = Exercise(
    id="next_word_windows",
    title="What is read, and what is to be said",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=language_model.next_word_windows,
    run=_run_windows,
    cases=(
        Case("2 rows of 8, width 3", _table_of_ids(2, 8, 3)),
        Case("3 rows of 18, width 5", _table_of_ids(3, 18, 5), weight=2),
        Case("a window as wide as the row", _table_of_ids(2, 6, 6), edge=True),
        Case("width 1", _table_of_ids(2, 4, 1), edge=True),
    ),
    mistakes=(
        Mistake(
            "the target is not shifted",
            lambda rows, width: _cut(rows[:, :-1], rows[:, :-1], width),
            INPUTS_AGAIN,
            hint=1,
        ),
        Mistake(
            "the word before is the target",
            lambda rows, width: _cut(rows[:, 1:], rows[:, :-1], width),
            "You ask for the word *before* the one that was read: inputs and targets have changed "
            "places. Leave the row's last word out of the inputs, its first out of the targets.",
            hint=1,
        ),
        Mistake(
            "the targets are the inputs, to the end of the row",
            lambda rows, width: _cut(rows, rows, width),
            INPUTS_AGAIN,
            hint=1,
        ),
        Mistake(
            "no list",
            lambda rows, width: iter(_windows_by_range(rows, width)),
            "Your windows come one by one and are gone after the first walk through them. Put "
            "`list(...)` round the `zip`, or collect them in a list.",
            hint=3,
        ),
        Mistake(
            "two lists",
            _windows_in_two_lists,
            "You return a list of inputs and a list of targets. Pair them up, window by window: "
            "`list(zip(..., ...))`.",
            hint=3,
        ),
        Mistake(
            "the last inputs have no target",
            _windows_too_far,
            "The row's last word stands among your inputs, and no word comes after it: inputs and "
            "targets of the last window differ in length. Leave it out of the inputs.",
            hint=2,
        ),
        Mistake(
            "shifted inside each window, whatever is left",
            lambda rows, width: [(w[:, :-1], w[:, 1:]) for w in rows.split(width, 1)],
            "You cut first and shift inside each window, so the first word of a window is never "
            "predicted. Shift the whole rows first, then cut both.",
            hint=2,
        ),
        Mistake(
            "shifted inside each window",
            _windows_shifted_inside,
            "You shift inside each window, so the first word of a window is never predicted. "
            "Shift the whole rows first, then cut both.",
            hint=2,
        ),
        Mistake(
            "rolled inside each window",
            _windows_rolled_inside,
            "`roll` brings the window's first word round to its end: the last place is asked for "
            "a word from the past. Take the next word of the row.",
            hint=2,
        ),
        Mistake(
            "the row's last word is asked for its first",
            lambda rows, width: _cut(rows, rows.roll(-1, 1), width),
            "`roll` brings the row's first word round to its end. After the row's last word there "
            "is nothing to predict: leave it out of the inputs.",
            hint=2,
        ),
        Mistake(
            "the last target comes from the next row",
            _windows_across_the_edge,
            "The last place of a row is asked for the first word of the row below, and the very "
            "last for the first of all. A row ends with its last word as a target.",
            hint=2,
        ),
        Mistake(
            "windows that slide by one word",
            _windows_sliding,
            "Your windows overlap: a word is predicted many times. The next window starts where "
            "this one ends.",
            hint=3,
        ),
        Mistake(
            "the short window at the end is dropped",
            _windows_full_only,
            "The last, shorter window is missing: its words would never be learnt. Keep it.",
            hint=3,
        ),
        Mistake(
            "two places ahead",
            lambda rows, width: _cut(rows[:, :-2], rows[:, 2:], width),
            "Your targets are two places ahead. One is enough: `rows[:, 1:]`.",
            hint=3,
        ),
    ),
    right_answers={
        "split the shifted rows": lambda rows, width: tuple(
            zip(rows[:, :-1].split(width, 1), rows[:, 1:].split(width, 1), strict=True)
        ),
        "a loop with range": _windows_by_range,
    },
)


# --- the loss, with a mask ---------------------------------------------------------------------


def _padded_logits(
    lengths: Sequence[int], words: int = 6, *, scale: float = 1.5, in_front: bool = False
) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        longest = max(max(lengths), 1)
        mask = np.arange(longest) < np.array(lengths)[:, None]
        if in_front:
            mask = mask[:, ::-1].copy()
        targets = rng.integers(1, words, size=mask.shape)
        targets[0, 0] = 0  # the unknown word is a word like any other
        return {
            "logits": scale * rng.standard_normal((*mask.shape, words)),
            "targets": np.where(mask, targets, 0),
            "mask": mask,
        }

    return make


def _token_losses(logits: Tensor, targets: Tensor, axis: int = -1) -> Tensor:
    logs = logits.log_softmax(axis)
    return -logs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)


def _loss_naive(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    exponents = logits.exp()
    p = exponents / exponents.sum(-1, keepdim=True)
    return -p.gather(-1, targets.unsqueeze(-1)).squeeze(-1).log()[mask].mean()


def _loss_reshaped(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    batch, steps, words = logits.shape
    losses = functional.cross_entropy(
        logits.reshape(batch, words, steps), targets, reduction="none"
    )
    return losses[mask].mean()


def _loss_by_sentence(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    losses = (_token_losses(logits, targets) * mask).sum(1) / mask.sum(1).clamp(min=1)
    return losses.mean()


def _loss_by_loop(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    losses = [
        torch.logsumexp(logits[b, t], 0) - logits[b, t, int(targets[b, t])]
        for b, t in mask.nonzero().tolist()
    ]
    return torch.stack(losses).mean()


def _loss_ignoring(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    marked = targets.masked_fill(~mask, -100)
    return functional.cross_entropy(logits.flatten(0, 1), marked.flatten())


def _run_masked_loss(answer: Answer, inputs: Inputs) -> Plain:
    """The loss and its gradient: a loss that cannot be followed back teaches nothing."""
    logits, targets, mask = (as_tensors(value) for value in inputs.values())
    logits.requires_grad_()
    try:
        loss = answer(logits, targets, mask)
    except RuntimeError as error:
        if "Expected target size" not in str(error):
            raise
        raise AnswerRefused(
            "`cross_entropy` looks for the words on axis 1, and here they stand on axis 2. Choose "
            "the real places first, `logits[mask]`, or move the axis: `logits.transpose(1, 2)`."
        ) from error
    for name, now in (("logits", logits), ("targets", targets), ("mask", mask)):
        if not np.array_equal(now.detach().numpy(), inputs[name]):
            raise AnswerRefused(
                f"Your answer changed its argument `{name}`. Work on a copy: whoever called the "
                "function still needs the original."
            )
    if loss is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    if not isinstance(loss, Tensor):
        raise AnswerRefused(
            f"Your loss is a {type(loss).__name__}. Return the tensor itself, without `.item()` "
            "or `float()`: autograd must be able to follow it back."
        )
    gradient = None
    if loss.ndim == 0:
        if loss.requires_grad:
            gradient = torch.autograd.grad(loss, logits, allow_unused=True)[0]
        if gradient is None:
            raise AnswerRefused(
                "Autograd cannot follow your loss back to the logits: somewhere it was detached, "
                "or a new tensor was made from its number. Return the tensor that PyTorch computed."
            )
    return {"loss": plain(loss), "its gradient for the logits": plain(gradient)}


def _loss_of_first_places(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    real = torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True)
    return functional.cross_entropy(logits[real], targets[real])


def _loss_marking_targets(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    targets[~mask] = -100
    return functional.cross_entropy(logits.transpose(1, 2), targets)


WORDS_DROPPED = "You keep the padding and drop the words. `mask` is True at real words."


MASKED_CROSS_ENTROPY = Exercise(
    id="masked_cross_entropy",
    title="The loss of real words",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=15,
    reference=language_model.masked_cross_entropy,
    run=_run_masked_loss,
    cases=(
        Case("two sentences of four words", _padded_logits((4, 4))),
        Case("sentences of 7, 2 and 4 words", _padded_logits((7, 2, 4)), weight=2),
        Case("a row of padding only", _padded_logits((3, 0)), edge=True),
        Case("padding in front", _padded_logits((2, 5), in_front=True), edge=True),
        Case("logits of a thousand", _padded_logits((3, 2), scale=1000.0), edge=True),
    ),
    mistakes=(
        Mistake(
            "padding is counted",
            lambda x, y, m: _token_losses(x, y).mean(),
            "Your mean runs over the padding too. Nobody said anything there: leave those places "
            "out with the mask.",
            hint=1,
        ),
        Mistake(
            "divided by all places",
            lambda x, y, m: (_token_losses(x, y) * m).mean(),
            "The padding adds nothing to your sum, and still you divide by its places. Divide by "
            "the number of real words, `mask.sum()`.",
            hint=2,
        ),
        Mistake(
            "the mask is turned round",
            lambda x, y, m: functional.cross_entropy(x[~m], y[~m]),
            WORDS_DROPPED,
            hint=2,
        ),
        Mistake(
            "the mask is turned round, by hand",
            lambda x, y, m: (_token_losses(x, y) * ~m).sum() / (~m).sum(),
            WORDS_DROPPED,
            hint=2,
        ),
        Mistake(
            "the padding's logits are set to 0",
            lambda x, y, m: _token_losses(x * m[..., None], y).mean(),
            "You set the logits of the padding to 0, and the places still count: equal scores "
            "for all words are a bet too. Leave those places out of the mean.",
            hint=2,
        ),
        Mistake(
            "the first places of each row",
            _loss_of_first_places,
            "You count the real words and take that many places from the start of each row. "
            "Padding may stand in front. The mask itself says where: `logits[mask]`.",
            hint=2,
        ),
        Mistake(
            "the targets are marked in place",
            _loss_marking_targets,
            "You write into `targets` itself, and whoever called still needs it. Make a marked "
            "copy, `targets.masked_fill(~mask, -100)`, or choose with the mask.",
            hint=2,
        ),
        Mistake(
            "the sign",
            lambda x, y, m: -functional.cross_entropy(x[m], y[m]),
            "The sign is the wrong way round: training would make the right words *less* likely. "
            "`cross_entropy` has the minus in it; log-probabilities need one.",
            hint=3,
        ),
        Mistake(
            "words on the wrong axis",
            lambda x, y, m: functional.cross_entropy(x, y, reduction="none")[m].mean(),
            "PyTorch's `cross_entropy` wants the words on axis 1, (B, V, T), or one place in each "
            "row, (N, V). `logits[mask]` and `targets[mask]` have the second form.",
            hint=2,
        ),
        Mistake(
            "cut off from autograd",
            lambda x, y, m: torch.tensor(_token_losses(x, y)[m].mean().item(), requires_grad=True),
            "The number is right, and it can teach nothing: `.detach()`, `.data` and "
            "`torch.tensor(...)` cut the loss off from the logits. Return the mean itself.",
            hint=3,
        ),
        Mistake(
            "the sum",
            lambda x, y, m: _token_losses(x, y)[m].sum(),
            "You add up. A mean lets short and long batches be compared.",
            hint=2,
        ),
        Mistake(
            "the mean of the sentences' means",
            _loss_by_sentence,
            "You average within each sentence first, so a word of a short sentence weighs more. "
            "Every real word counts the same.",
            hint=2,
        ),
        Mistake(
            "the logarithm is missing",
            lambda x, y, m: -x.softmax(-1).gather(-1, y.unsqueeze(-1)).squeeze(-1)[m].mean(),
            "You average minus the probability. The loss is minus its logarithm: take "
            "`log_softmax`.",
            hint=3,
        ),
        Mistake(
            "the softmax is missing",
            lambda x, y, m: -x.gather(-1, y.unsqueeze(-1)).squeeze(-1)[m].mean(),
            "Logits are scores, not log-probabilities. `log_softmax` over the words comes first.",
            hint=3,
        ),
        Mistake(
            "the softmax twice",
            lambda x, y, m: _token_losses(x.softmax(-1), y)[m].mean(),
            "`cross_entropy` and `log_softmax` take the softmax themselves. Give them the logits.",
            hint=3,
        ),
        Mistake(
            "a softmax over time",
            lambda x, y, m: _token_losses(x, y, axis=1)[m].mean(),
            "Your softmax runs over the places of the sentence. At each place the *words* "
            "compete: take the last axis.",
            hint=3,
        ),
        Mistake(
            "reshape in place of transpose",
            _loss_reshaped,
            "`reshape` to (B, V, T) keeps the order of the numbers and mixes words with places. "
            "Move the axis with `transpose(1, 2)`, or flatten to (B·T, V).",
            hint=3,
        ),
        Mistake(
            "the id 0 is ignored",
            lambda x, y, m: functional.cross_entropy(x.flatten(0, 1), y.flatten(), ignore_index=0),
            "`ignore_index=0` also drops every real word whose id is 0, here the unknown word. "
            "The mask knows which places are padding.",
            hint=2,
        ),
        Mistake(
            "exp of a thousand",
            _loss_naive,
            "The formula is right, and breaks on large logits: exp of a thousand is infinite. "
            "`log_softmax` does the same safely.",
            hint=3,
        ),
        Mistake(
            "a float",
            lambda x, y, m: float(_token_losses(x, y)[m].mean().detach()),
            "Return the tensor itself, without `.item()` or `float()`: autograd must be able to "
            "follow it back.",
            hint=3,
        ),
    ),
    right_answers={
        "places marked for PyTorch to ignore": _loss_ignoring,
        "a loop with logsumexp": _loss_by_loop,
        "sum over mask.sum()": lambda x, y, m: (
            (functional.cross_entropy(x.transpose(1, 2), y, reduction="none") * m).sum() / m.sum()
        ),
    },
)


# --- perplexity --------------------------------------------------------------------------------


def _batches(rng: np.random.Generator) -> Inputs:
    order = rng.permutation(4)  # the short batches go badly: here weighing matters
    losses = np.array([6.0, 5.0, 4.0, 3.0]) + rng.uniform(-0.4, 0.4, 4)
    return {
        "losses": [float(x) for x in losses[order]],
        "tokens": [int(n) for n in np.array([30, 60, 200, 410])[order]],
    }


def _weighted(losses: Sequence[float], tokens: Sequence[int]) -> float:
    return float(np.average(losses, weights=tokens))


PERPLEXITY = Exercise(
    id="perplexity",
    title="How many words it hesitates between",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=5,
    reference=language_model.perplexity,
    cases=(
        Case("one batch", lambda rng: {"losses": [float(rng.uniform(2, 5))], "tokens": [120]}),
        Case("four batches of different size", _batches, weight=2),
        Case(
            "a fair die, in a short and a long batch",
            lambda rng: {"losses": [math.log(6.0), math.log(6.0)], "tokens": [3, 300]},
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "batches weigh the same",
            lambda losses, tokens: math.exp(sum(losses) / len(losses)),
            "A batch of 30 words weighs as much as one of 410 in your mean. Weigh each loss with "
            "its number of tokens.",
            hint=2,
        ),
        Mistake(
            "the mean of the perplexities",
            lambda losses, tokens: float(np.mean(np.exp(losses))),
            "You take exp of each loss and average afterwards: one bad batch rules the mean. "
            "Average the losses, then take exp once.",
            hint=2,
        ),
        Mistake(
            "the weighted mean of the perplexities",
            lambda losses, tokens: float(np.average(np.exp(losses), weights=tokens)),
            "The weights are right, the order is not: average the losses first, take exp of the "
            "average.",
            hint=2,
        ),
        Mistake(
            "2 to the power of nats",
            lambda losses, tokens: 2 ** _weighted(losses, tokens),
            "2 to the power belongs to losses in bits. These are nats: take exp.",
            hint=1,
        ),
        Mistake(
            "the exp is missing",
            lambda losses, tokens: _weighted(losses, tokens),
            "This is the loss in nats a token. Perplexity is exp of it.",
            hint=1,
        ),
        Mistake(
            "exp of minus the loss",
            lambda losses, tokens: math.exp(-_weighted(losses, tokens)),
            "This is a probability, the typical one of a right word. The loss has its minus sign "
            "already: exp of the loss itself.",
            hint=1,
        ),
        Mistake(
            "exp of the sum",
            lambda losses, tokens: math.exp(sum(losses)),
            "You add the losses of all batches up. Perplexity speaks of one word: take their "
            "mean, weighed with the tokens.",
            hint=2,
        ),
        Mistake(
            "divided by the tokens without weighting",
            lambda losses, tokens: math.exp(sum(losses) / sum(tokens)),
            "Each loss is already a mean over its tokens. Multiply it with its tokens before you "
            "divide by all of them.",
            hint=3,
        ),
    ),
    right_answers={
        "numpy": lambda losses, tokens: np.exp(
            np.dot(losses, tokens) / np.sum(tokens),
        ),
        "a tensor": lambda losses, tokens: torch.exp(
            (torch.tensor(losses) * torch.tensor(tokens)).sum() / sum(tokens)
        ),
    },
)


# --- the states around a target ----------------------------------------------------------------


def _counted_states(rng: np.random.Generator) -> Inputs:
    """State i of either side is i, as a shape (1, 6, 1): the answer can be read off."""
    numbers = np.arange(6.0).reshape(1, 6, 1)
    return {"left": numbers, "right": 100 + numbers}


def _states(rows: int, words: int, hidden: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        shape = (rows, words + 2, hidden)
        return {"left": rng.standard_normal(shape), "right": rng.standard_normal(shape)}

    return make


NO_TENSOR = (
    "Your answer leaves PyTorch. The network goes on from here and learns through your function: "
    "stay with `torch`, without NumPy."
)


def _run_differentiably(answer: Answer, inputs: Inputs) -> Plain:
    """As `call_with_tensors`, for an answer that a network is trained through."""

    def followed(*arguments: Any) -> Any:
        for value in arguments:
            if value.is_floating_point():
                value.requires_grad_()
        try:
            result = answer(*arguments)
        except RuntimeError as error:
            if "Can't call numpy()" not in str(error):
                raise
            raise AnswerRefused(NO_TENSOR) from error
        if result is None:
            raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
        if not isinstance(result, Tensor):
            raise AnswerRefused(NO_TENSOR)
        if not result.requires_grad:
            raise AnswerRefused(
                "Autograd cannot follow your answer back to what came in, so nothing below it "
                "would ever learn. Leave out `.detach()`, `.data` and `torch.no_grad()`."
            )
        return result

    return call_with_tensors(followed, inputs)


def _beside(left: Tensor, right: Tensor, before: int, after: int) -> Tensor:
    """Every target's left state `before` places back, right state `after` places ahead."""
    steps = left.shape[1] - 2
    return torch.cat(
        [left[:, 1 - before : 1 - before + steps], right[:, 1 + after : 1 + after + steps]], -1
    )


def _beside_by_loop(left: Tensor, right: Tensor) -> Tensor:
    return torch.stack(
        [torch.cat([left[:, t - 1], right[:, t + 1]], -1) for t in range(1, left.shape[1] - 1)], 1
    )


AROUND_TARGET = Exercise(
    id="around_target",
    title="Everything but the word itself",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=10,
    reference=context2vec.around_target,
    run=_run_differentiably,
    cases=(
        Case("states that are numbered", _counted_states),
        Case("2 sentences of 5 words, 3 numbers in a state", _states(2, 5, 3), weight=2),
        Case("a sentence of one word", _states(1, 1, 2), edge=True),
    ),
    mistakes=(
        Mistake(
            "the target is in both states",
            lambda left, right: _beside(left, right, 0, 0),
            "Both of your states have already read the target: predicting it is child's play. "
            "Take the left state one place *before* it and the right state one place *after*.",
            hint=1,
        ),
        Mistake(
            "the target is in the left state",
            lambda left, right: _beside(left, right, 0, 1),
            "Your left state has already read the target. Take the state of the place before it.",
            hint=1,
        ),
        Mistake(
            "the target is in the right state",
            lambda left, right: _beside(left, right, 1, 0),
            "Your right state has already read the target: it comes from the other end. Take the "
            "state of the place after it.",
            hint=1,
        ),
        Mistake(
            "the states have walked past the target",
            lambda left, right: _beside(left, right, -1, -1),
            "You go one place in the wrong direction: your left state has read the target and the "
            "word after it. Left: t − 1. Right: t + 1.",
            hint=2,
        ),
        Mistake(
            "right before left",
            lambda left, right: torch.cat([right[:, 2:], left[:, :-2]], -1),
            "The right states come first in your answer. Left, then right.",
            hint=2,
        ),
        Mistake(
            "one after the other",
            lambda left, right: torch.cat([left[:, :-2], right[:, 2:]], 1),
            "You joined them along the sentence, so it is twice as long. Join them along the last "
            "axis: each place gets a longer vector.",
            hint=3,
        ),
        Mistake(
            "the sum",
            lambda left, right: left[:, :-2] + right[:, 2:],
            "You add the two states. Side by side nothing is lost: `torch.cat(..., dim=-1)`.",
            hint=3,
        ),
        Mistake(
            "the right states once more turned round",
            lambda left, right: torch.cat([left[:, :-2], right.flip(1)[:, 2:]], -1),
            "`right` is in reading order already. Do not turn it round again.",
            hint=2,
        ),
        Mistake(
            "two neighbours on the left",
            lambda left, right: torch.cat([left[:, :-2], left[:, 2:]], -1),
            "Both halves come from `left`. The second half belongs to the right-to-left reader.",
            hint=2,
        ),
        Mistake(
            "one place too many",
            lambda left, right: torch.cat([left[:, :-1], right[:, 1:]], -1),
            "You cut one place off each side, so T + 1 are left: left and right state then stand "
            "beside a gap *between* two words. Round a word lie two steps: `[:, :-2]`, `[:, 2:]`.",
            hint=3,
        ),
        Mistake(
            "an array",
            lambda left, right: np.concatenate(
                [left.detach().numpy()[:, :-2], right.detach().numpy()[:, 2:]], -1
            ),
            "The numbers are right, but a NumPy array cannot be learnt through. "
            "`torch.cat([...], dim=-1)` does the same with tensors.",
            hint=3,
        ),
        Mistake(
            "detached",
            lambda left, right: context2vec.around_target(left, right).detach(),
            "The numbers are right, and the two LSTMs would never learn: no gradient comes "
            "through `.detach()`. Leave it out.",
            hint=3,
        ),
    ),
    right_answers={
        "a loop over places": _beside_by_loop,
        "narrow": lambda left, right: torch.cat(
            [left.narrow(1, 0, left.shape[1] - 2), right.narrow(1, 2, left.shape[1] - 2)], dim=2
        ),
    },
)


# --- the sequence autoencoder ------------------------------------------------------------------

Steps = tuple[list[int], list[int], list[bool]]


def _to_be_rewritten(words: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {"sentence": [int(i) for i in 10 + rng.permutation(40)[:words]], "boundary": 1}

    return make


def _what_counts(inputs: Inputs, outputs: Plain) -> Plain:
    """Targets only where they count: what stands elsewhere is nobody's business."""
    if not isinstance(outputs, list | tuple) or len(outputs) != 3:
        raise AnswerRefused(THREE_LISTS)
    read, said, counted = (np.asarray(part).tolist() for part in outputs)
    if not all(isinstance(part, list) for part in (read, said, counted)):
        raise AnswerRefused(THREE_LISTS)
    if not len(read) == len(said) == len(counted):
        raise AnswerRefused(
            f"Your lists have {len(read)}, {len(said)} and {len(counted)} entries. Each step has "
            "one input, one target and one answer to whether it counts: equal lengths."
        )
    if any(answer not in (0, 1) for answer in counted):
        raise AnswerRefused(THREE_LISTS)
    return {
        "what is read": _in_a_row(read),
        "which steps count": " ".join("yes" if c else "no" for c in counted),
        "what is to be said, from the boundary on": _in_a_row(said[len(inputs["sentence"]) :]),
    }


THREE_LISTS = (
    "Return three lists, one after the other: what is read, what is to be said, and True or False "
    "for each step."
)


def _in_a_row(ids: Sequence[Any]) -> str:
    return " ".join(f"{i:g}" if isinstance(i, int | float) else str(i) for i in ids)


def _autoencoded(
    ids: list[int],
    end: int,
    *,
    told: list[int] | None = None,
    say: list[int] | None = None,
    silent: int | None = None,
) -> Steps:
    """Steps with one thing done otherwise: what is fed while writing, what is said, from when."""
    read = [*ids, end, *(ids if told is None else told)]
    quiet = len(ids) if silent is None else silent
    said = [end] * len(ids) + ([*ids, end] if say is None else say)
    return read, said, [False] * quiet + [True] * (len(read) - quiet)


def _autoencoder_without_end(ids: list[int], end: int) -> Steps:
    n = len(ids)
    return [*ids, *ids], [end] * n + ids, [False] * n + [True] * n


def _autoencoder_and_language_model(ids: list[int], end: int) -> Steps:
    read = [*ids, end, *ids]
    return read, [*read[1:], end], [True] * len(read)


def _autoencoder_by_shifting(ids: list[int], end: int) -> tuple[Any, Any, Any]:
    whole = np.array([*ids, end, *ids, end])
    steps = np.arange(len(whole) - 1)
    return whole[:-1], whole[1:], steps >= len(ids)


AUTOENCODER_STEPS = Exercise(
    id="autoencoder_steps",
    title="Read it, then say it again",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=3,
    minutes=10,
    reference=classifier.autoencoder_steps,
    view=_what_counts,
    cases=(
        Case("three words", _to_be_rewritten(3)),
        Case("eight words", _to_be_rewritten(8), weight=2),
        Case("one word", _to_be_rewritten(1), edge=True),
        Case("no word", _to_be_rewritten(0), edge=True),
    ),
    mistakes=(
        Mistake(
            "said backwards",
            lambda ids, end: _autoencoded(ids, end, say=[*ids[::-1], end]),
            "You let it say the sentence backwards, and feed it forwards. Dai and Le's model says "
            "the sentence as it was read.",
            hint=1,
        ),
        Mistake(
            "it repeats what it is told",
            lambda ids, end: _autoencoded(ids, end, say=[end, *ids], silent=len(ids) + bool(ids)),
            "While writing, the target is the very word that is fed in: it copies and need not "
            "remember. The target is the *next* word of the sentence; at the boundary it is the "
            "first.",
            hint=1,
        ),
        Mistake(
            "the targets are not shifted",
            lambda ids, end: _autoencoded(ids, end, say=[end, *ids]),
            "Your targets are what is fed in at the same step: the boundary at the boundary, then "
            "each word at itself. The target is the *next* one: the first word at the boundary.",
            hint=1,
        ),
        Mistake(
            "recited in reverse",
            lambda ids, end: _autoencoded(ids, end, told=ids[::-1], say=[*ids[::-1], end]),
            "Your model recites from the last word to the first. Here it says the sentence in the "
            "order in which it was read.",
            hint=2,
        ),
        Mistake(
            "the boundary in front",
            lambda ids, end: ([end, *ids, *ids], *_autoencoded(ids, end)[1:]),
            "The boundary stands before the reading in your answer. It belongs between the two "
            "halves: it tells the model to stop reading and to begin.",
            hint=2,
        ),
        Mistake(
            "True and False are exchanged",
            lambda ids, end: (
                *_autoencoded(ids, end)[:2],
                [True] * len(ids) + [False] * (len(ids) + 1),
            ),
            "True and False are the wrong way round: the reading counts and the reciting does "
            "not. A step counts when something is to be said.",
            hint=3,
        ),
        Mistake(
            "a list of triples",
            lambda ids, end: list(zip(*_autoencoded(ids, end), strict=True)),
            "You return one triple for each step. Three lists are wanted, each with an entry for "
            "every step: `return inputs, targets, counted`.",
            hint=3,
        ),
        Mistake(
            "the reading counts as well",
            _autoencoder_and_language_model,
            "All steps count in your answer. While it reads, nothing is asked: the first n steps "
            "do not count.",
            hint=2,
        ),
        Mistake(
            "no boundary",
            _autoencoder_without_end,
            "Nothing tells the model that reading ends and writing begins, nor when to stop. The "
            "boundary stands between the two halves, and it is the last target.",
            hint=1,
        ),
        Mistake(
            "the end is never said",
            lambda ids, end: (
                [*ids, end, *ids[:-1]],
                [end] * len(ids) + (ids or [end]),
                [False] * len(ids) + [True] * max(1, len(ids)),
            ),
            "Your model never learns to stop: after the last word it must say the boundary. There "
            "are 2n + 1 steps.",
            hint=3,
        ),
        Mistake(
            "the first word is not asked for",
            lambda ids, end: _autoencoded(ids, end, silent=len(ids) + 1),
            "The step that reads the boundary counts: there the first word is asked for. Only n "
            "steps do not count.",
            hint=3,
        ),
        Mistake(
            "it must guess without hearing",
            lambda ids, end: _autoencoded(ids, end, told=[end] * len(ids)),
            "While writing, you feed the boundary all the time. Feed the sentence once more: each "
            "step is told the word that it should have said before.",
            hint=2,
        ),
    ),
    right_answers={
        "one list, shifted": _autoencoder_by_shifting,
        "zeros where nothing counts": lambda ids, end: (
            [*ids, end, *ids],
            [*[0] * len(ids), *ids, end],
            [i >= len(ids) for i in range(2 * len(ids) + 1)],
        ),
    },
)


# --- starting from a language model ------------------------------------------------------------


def _sizes(words: int, classes: int, embedding: int, hidden: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "words": words,
            "classes": classes,
            "embedding": embedding,
            "hidden": hidden,
            "seed": int(rng.integers(1 << 30)),
        }

    return make


def _whose(now: nn.Module, before: dict[str, Tensor], teacher: dict[str, Tensor]) -> str:
    """Where the weights of one part come from, in words."""
    weights = dict(now.named_parameters())

    def same(other: dict[str, Tensor]) -> bool:
        return set(other) == set(weights) and all(
            weights[name].shape == value.shape and torch.equal(weights[name].detach(), value)
            for name, value in other.items()
        )

    if same(teacher):
        return "the language model's"
    return "as it was" if same(before) else "something else"


def _weights(module: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in module.named_parameters()}


def _run_start(answer: Answer, inputs: Inputs) -> Plain:
    """Start a classifier, then train it by one step: whose weights are where, and who moved?"""
    words, classes, embedding, hidden, seed = inputs.values()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LSTMLanguageModel(words, embedding, hidden)
        classifier = LSTMClassifier(words, classes, embedding, hidden)
        ids = torch.randint(words, (3, 4))
    parts = ("embedding", "lstm", "output")
    before = {part: _weights(getattr(classifier, part)) for part in parts}
    taught = {part: _weights(getattr(model, part)) for part in ("embedding", "lstm")}
    learnt = _weights(model)
    answer(classifier, model)
    found: dict[str, Plain] = {
        f"the classifier's {part}": _whose(
            getattr(classifier, part), before[part], taught.get(part, {})
        )
        for part in parts
    }
    untouched = _same_weights(model, learnt)
    loss = classifier(ids, torch.tensor([4, 2, 3])).square().sum()
    loss.backward()
    moving = [value for value in classifier.parameters() if value.requires_grad]
    with torch.no_grad():
        for value in moving:
            value.sub_(0.1)
    found["the language model"] = "as it was" if untouched else "changed"
    found["the language model can learn"] = (
        "yes" if all(value.requires_grad for value in model.parameters()) else "no"
    )
    found["the language model after a training step of the classifier"] = (
        "as it was" if not untouched or _same_weights(model, learnt) else "moved with it"
    )
    found["parts of the classifier that can learn"] = sorted(
        part
        for part in parts
        if all(value.requires_grad for value in getattr(classifier, part).parameters())
    )
    return found


def _same_weights(module: nn.Module, weights: dict[str, Tensor]) -> bool:
    now = dict(module.named_parameters())
    return all(torch.equal(now[name].detach(), value) for name, value in weights.items())


def _copy(target: nn.Module, source: nn.Module, keep: Callable[[str], bool] = bool) -> None:
    with torch.no_grad():
        for name, value in target.named_parameters():
            if keep(name):
                value.copy_(source.get_parameter(name))


def _start_by_sharing(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    classifier.embedding, classifier.lstm = model.embedding, model.lstm


def _start_the_wrong_way(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    _copy(model.embedding, classifier.embedding)
    _copy(model.lstm, classifier.lstm)


def _start_frozen(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    _start_both(classifier, model)
    for part in (classifier.embedding, classifier.lstm):
        part.requires_grad_(False)


def _start_both(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    _copy(classifier.embedding, model.embedding)
    _copy(classifier.lstm, model.lstm)


def _start_without_recurrence(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    _copy(classifier.embedding, model.embedding)
    _copy(classifier.lstm, model.lstm, lambda name: "_ih_" in name)


def _start_with_softmax_rows(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    _start_both(classifier, model)
    with torch.no_grad():
        for name, value in classifier.output.named_parameters():
            value.copy_(model.softmax.get_parameter(name)[: len(value)])


def _start_and_freeze_the_teacher(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    _start_both(classifier, model)
    model.requires_grad_(False)


def _start_in_place(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    classifier.embedding.weight.copy_(model.embedding.weight)
    classifier.lstm.get_parameter("weight_ih_l0").copy_(model.lstm.get_parameter("weight_ih_l0"))


def _start_by_names(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    theirs = model.state_dict()
    ours = classifier.state_dict()
    ours.update({name: value for name, value in theirs.items() if name in ours})
    classifier.load_state_dict(ours)


def _start_from_new_parameters(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    classifier.embedding = nn.Embedding.from_pretrained(
        model.embedding.weight.detach().clone(), freeze=False
    )
    classifier.lstm.load_state_dict(model.lstm.state_dict())


START_FROM = Exercise(
    id="start_from",
    title="Move in with the furniture",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=classifier.start_from,
    run=_run_start,
    cases=(
        Case("9 words, 2 classes", _sizes(9, 2, 4, 5), weight=2),
        Case("30 words, 6 classes", _sizes(30, 6, 8, 8)),
    ),
    mistakes=(
        Mistake(
            "only the embedding",
            lambda c, m: _copy(c.embedding, m.embedding),
            "Only the word vectors move in: that is what people did with word2vec. The LSTM, which "
            "has learnt to read, comes along as well.",
            hint=1,
        ),
        Mistake(
            "only the LSTM",
            lambda c, m: _copy(c.lstm, m.lstm),
            "The LSTM is the language model's, but it meets word vectors that it has never seen. "
            "Copy the embedding too.",
            hint=1,
        ),
        Mistake(
            "one model for both",
            _start_by_sharing,
            "Classifier and language model now *share* their parts: training the one changes the "
            "other. Copy the numbers, do not hand over the object.",
            hint=2,
        ),
        Mistake(
            "the wrong way round",
            _start_the_wrong_way,
            "You overwrite the language model with the classifier's random numbers. Copy from the "
            "language model into the classifier.",
            hint=1,
        ),
        Mistake(
            "frozen",
            _start_frozen,
            "The copied parts can no longer learn. Dai and Le go on training *all* weights; "
            "freezing is what TagLM and ELMo will do.",
            hint=3,
        ),
        Mistake(
            "half an LSTM",
            _start_without_recurrence,
            "Of the LSTM you copy the weights on its input, and not those on its own state "
            "(`weight_hh_l0`, `bias_hh_l0`): its memory is still random.",
            hint=3,
        ),
        Mistake(
            "the output layer has changed",
            _start_with_softmax_rows,
            "Embedding and LSTM are right, and the output layer has changed too. The language "
            "model has nothing for it, classes are not words: leave it as it was.",
            hint=1,
        ),
        Mistake(
            "nothing has moved in",
            lambda c, m: None,
            "The classifier is what it was. If you wrote `classifier = …`, or gave a part a name "
            "of your own, only the name inside your function changed. Write into the parts that "
            "the classifier has.",
            hint=2,
        ),
        Mistake(
            "the language model is frozen",
            _start_and_freeze_the_teacher,
            "You freeze the language model for good. A copy needs no such lock: whoever owns the "
            "model may go on training it.",
            hint=2,
        ),
        Mistake(
            "autograd watches",
            _start_in_place,
            "PyTorch refuses to overwrite a weight that autograd watches. Copy under "
            "`with torch.no_grad():`, or use `load_state_dict`.",
            hint=3,
        ),
    ),
    right_answers={
        "names that both have": _start_by_names,
        "a new embedding": _start_from_new_parameters,
        "load_state_dict, not strict": lambda c, m: c.load_state_dict(m.state_dict(), strict=False),
        "parameter by parameter": _start_both,
    },
)


# --- attention ---------------------------------------------------------------------------------


def _questions(
    lengths: Sequence[int], asked: int, hidden: int, *, scale: float = 1.0, tempting: bool = False
) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        mask = np.arange(max(lengths)) < np.array(lengths)[:, None]
        queries = rng.standard_normal((len(lengths), asked, hidden))
        keys = rng.standard_normal((*mask.shape, hidden))
        if tempting:  # padding that fits the first query better than any word
            best = 4 * queries[:, 0] / np.linalg.norm(queries[:, 0], axis=-1, keepdims=True)
            keys = np.where(mask[..., None], keys, best[:, None])
        return {
            "queries": (scale * queries).astype(np.float32),
            "keys": keys.astype(np.float32),
            "mask": mask,
        }

    return make


def _scores(queries: Tensor, keys: Tensor) -> Tensor:
    return queries @ keys.transpose(1, 2)


def _attend(
    queries: Tensor, keys: Tensor, mask: Tensor, *, fill: float = -math.inf, axis: int = -1
) -> Tensor:
    return _scores(queries, keys).masked_fill(~mask[:, None], fill).softmax(axis)


def _attend_naively(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    exponents = _scores(queries, keys).exp() * mask[:, None]
    return exponents / exponents.sum(-1, keepdim=True)


def _attend_and_renormalise(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    shares = _scores(queries, keys).softmax(-1) * mask[:, None]
    return shares / shares.sum(-1, keepdim=True)


def _attend_by_loop(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    weights = torch.zeros(*queries.shape[:2], keys.shape[1])
    for b, t in np.ndindex(*queries.shape[:2]):
        real = mask[b]
        weights[b, t, real] = (keys[b, real] @ queries[b, t]).softmax(0)
    return weights


PADDING_ALONE = (
    "You look at the padding alone. `mask` is True at real words, and `masked_fill` fills "
    "where it is given True: give it `~mask`."
)
OVER_QUERIES = (
    "Your softmax runs over the queries. Each query shares its attention out over the "
    "*source words*, the last axis."
)


ATTEND = Exercise(
    id="attend",
    title="Where to look",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=seq2seq.attend,
    run=_run_differentiably,
    rtol=1e-3,
    atol=1e-5,
    cases=(
        Case("one sentence, one query", _questions((4,), 1, 3)),
        Case("sentences of 6, 3 and 5 words", _questions((6, 3, 5), 4, 3), weight=2),
        Case("one word only", _questions((1, 3), 2, 3), edge=True),
        Case(
            "scores of hundreds, the largest at padding",
            _questions((4, 2), 2, 3, scale=300.0, tempting=True),
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "padding gets its share",
            lambda q, k, m: _scores(q, k).softmax(-1),
            "Your weights fall on the padding too: it is not there, so it must not be looked at. "
            "Use the mask before the softmax.",
            hint=1,
        ),
        Mistake(
            "masked after the softmax",
            lambda q, k, m: _scores(q, k).softmax(-1) * m[:, None],
            "The padding gets 0, and what is left no longer adds up to 1. Mask the scores, before "
            "the softmax.",
            hint=2,
        ),
        Mistake(
            "shared out again after the mask",
            _attend_and_renormalise,
            "You take the softmax, set the padding to 0 and divide by what is left. Where the "
            "padding had the whole share, that is 0/0. Mask the scores, before the softmax.",
            hint=2,
        ),
        Mistake(
            "scores of padding set to 0",
            lambda q, k, m: (_scores(q, k) * m[:, None]).softmax(-1),
            "The padding has the score 0 in your answer, or nearly 0. That is an ordinary score: "
            "exp(0) is 1. Padding needs minus infinity, or a score as low as -1e9.",
            hint=2,
        ),
        Mistake(
            "the mask is turned round",
            lambda q, k, m: _attend(q, k, ~m),
            PADDING_ALONE,
            hint=2,
        ),
        Mistake(
            "the mask is turned round, with -1e9",
            lambda q, k, m: _attend(q, k, ~m, fill=-1e9),
            PADDING_ALONE,
            hint=2,
        ),
        Mistake(
            "a softmax over the queries",
            lambda q, k, m: _attend(q, k, m, axis=1),
            OVER_QUERIES,
            hint=3,
        ),
        Mistake(
            "a softmax over the queries, with -1e9",
            lambda q, k, m: _attend(q, k, m, fill=-1e9, axis=1),
            OVER_QUERIES,
            hint=3,
        ),
        Mistake(
            "a softmax over the queries, without the mask",
            lambda q, k, m: _scores(q, k).softmax(1),
            "Your softmax runs over the queries, and nothing is masked. Each query shares its "
            "attention out over the *source words*, the last axis, and padding gets 0.",
            hint=3,
        ),
        Mistake(
            "the mask lacks an axis",
            lambda q, k, m: _scores(q, k).masked_fill(~m, -math.inf).softmax(-1),
            "Scores are (B, T, S) and the mask is (B, S), so PyTorch lays sentences upon queries. "
            "Give the mask an axis in the middle: `mask.unsqueeze(1)` is (B, 1, S).",
            hint=2,
        ),
        Mistake(
            "what was read",
            lambda q, k, m: _attend(q, k, m) @ k,
            "You have looked already: this is the mixture of the keys, (B, T, H). Return the "
            "shares themselves, (B, T, S).",
            hint=1,
        ),
        Mistake(
            "no softmax",
            lambda q, k, m: _scores(q, k).masked_fill(~m[:, None], 0.0),
            "These are the scores. A softmax over the source words makes shares of them.",
            hint=1,
        ),
        Mistake(
            "divided by the root of H",
            lambda q, k, m: _attend(q / q.shape[-1] ** 0.5, k, m),
            "You divide by √H, as the Transformer does. This older attention takes the bare dot "
            "product.",
            hint=2,
        ),
        Mistake(
            "a sigmoid for each word",
            lambda q, k, m: _scores(q, k).sigmoid() * m[:, None],
            "A sigmoid judges each word by itself, so the shares do not add up to 1. Take the "
            "softmax.",
            hint=1,
        ),
        Mistake(
            "exp of a thousand",
            _attend_naively,
            "The formula is right, and breaks on large scores: exp of a few hundred is infinite. "
            "`softmax` does the same safely.",
            hint=3,
        ),
        Mistake(
            "an array",
            lambda q, k, m: seq2seq.attend(q, k, m).detach().numpy(),
            "The numbers are right, but a NumPy array cannot be learnt through. Stay with tensors.",
            hint=3,
        ),
        Mistake(
            "detached",
            lambda q, k, m: seq2seq.attend(q, k, m).detach(),
            "The numbers are right, and the model would never learn where to look: no gradient "
            "comes through `.detach()`. Leave it out.",
            hint=3,
        ),
    ),
    right_answers={
        "minus infinity": _attend,
        "one query at a time": _attend_by_loop,
        "einsum, and a very low score": lambda q, k, m: torch.softmax(
            torch.einsum("bth,bsh->bts", q, k) + torch.where(m, 0.0, -1e30)[:, None], dim=-1
        ),
    },
)


EXERCISES = [
    STREAM_ROWS,
    NEXT_WORD_WINDOWS,
    MASKED_CROSS_ENTROPY,
    PERPLEXITY,
    AROUND_TARGET,
    AUTOENCODER_STEPS,
    START_FROM,
    ATTEND,
]
