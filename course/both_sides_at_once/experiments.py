"""``python -m course.both_sides_at_once.experiments NAME``: left, right, and both (lesson 12).

``blanks`` fills blanks from the left, from the right, from the product of the two, and from both
at once. ``leak`` measures the class of lesson 07 whose directions meet, by its depth: its loss,
and what its states are worth to a tagger.
"""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, get_args

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from course.bilm_from_scratch.word_bilm import WordBiLM, trained
from course.both_sides_at_once.directional_block import Side, sided
from course.command import Prepared, Result, run_experiments
from course.results.intervals import interval
from course.texts.small_text import SmallText, small_text
from elmo_mini.probing.classifiers import linear, majority
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.probing.tasks import Occurrence, parts_of_speech
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.corruption import MASK, SPECIALS, UNKNOWN, corrupt
from elmo_mini.transformer.masked_lm import NOT_ASKED, MaskedLM, MaskedLMOptions
from elmo_mini.transformer.sentence_pairs import pack, padded
from elmo_mini.transformer.training import Batch, train_masked_lm

Floats = NDArray[np.float32]
STEPS, ROWS, WORDS, CHOSEN = 3_000, 32, 1_000, 0.3
SENTENCES, HELD_OUT = 6_400, 400
BLANKS = 3
PSEUDO = 20.0
DEPTHS, BATCHES, SIZE, LONGEST = (1, 2, 3), 192, 64, 32
TAGGED = 1_500


class Leaking(nn.Module):
    """`nn.LSTM(bidirectional=True)` asked for the next and the previous word, as in lesson 07."""

    def __init__(self, words: int, size: int, layers: int) -> None:
        super().__init__()
        self.table = nn.Embedding(words + 1, size)
        self.bias = nn.Parameter(torch.zeros(words))
        self.lstm = nn.LSTM(size, size, layers, bidirectional=True, batch_first=True)

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """(B, T) to [x ; x] and the top states (B, T, 2 H), and the mask (B, T)."""
        x = self.table(ids)
        return [torch.cat([x, x], -1), self.lstm(x)[0]], ids > 0


def masked_vocabulary(text: SmallText, words: int) -> Vocabulary:
    """The text's commonest words in lower case, behind the special ones."""
    lower = (map(str.lower, sentence) for sentence in text.train)
    return Vocabulary.from_sentences(
        lower, max_size=words + len(SPECIALS), specials=SPECIALS, unknown=UNKNOWN
    )


def rows_of(
    sentences: Sequence[Sequence[str]], vocabulary: Vocabulary
) -> tuple[Tensor, Tensor, Tensor]:
    """Sentences between ``[CLS]`` and ``[SEP]``: ids, mask and segments, (B, T) each."""
    return padded([pack(vocabulary.encode(map(str.lower, s)), longest=LONGEST) for s in sentences])


def batches(
    text: SmallText, vocabulary: Vocabulary, seed: int, chosen: float = 0.15
) -> Iterator[Batch]:
    """Corrupted training sentences without end; `chosen` is the share that is asked for."""
    chance = torch.Generator().manual_seed(seed)
    for sentences in text.batches(ROWS, seed):
        ids, mask, segments = rows_of(sentences, vocabulary)
        yield *corrupt(ids, len(vocabulary), chance, chosen=chosen), mask, segments


def clean_batches(
    text: SmallText, vocabulary: Vocabulary, steps: Iterable[int], seed: int = 0
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Training sentences with nothing hidden, as ids, mask and segments; one batch a step."""
    for sentences, _ in zip(text.batches(ROWS, seed), steps, strict=False):
        yield rows_of(sentences, vocabulary)


def next_words(ids: Tensor, share: float = 1.0) -> tuple[Tensor, Tensor]:
    """What a forward reader reads and is asked: nothing is hidden, each place asks for its next.

    Parameters
    ----------
    ids : (B, T)
    share : how many of the ordinary words are asked for

    Returns
    -------
    ids themselves, and the word after each place, -1 where none is asked for
    """
    asked = torch.full_like(ids, NOT_ASKED)
    asked[:, :-1] = ids[:, 1:]
    left_out = (asked < len(SPECIALS)) | (torch.rand(ids.shape) >= share)
    return ids, asked.masked_fill(left_out, NOT_ASKED)


def news() -> SmallText:
    """Short sentences of the news on which small masked models learn."""
    return small_text(2_000, 300, WORDS, ("lee",), longest=24)


def one_blank_each(
    sentences: Sequence[Sequence[str]], vocabulary: Vocabulary, times: int = 1
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Rows with one blank each, at a known word; the mask, the places (B,) and the words (B,).

    Parameters
    ----------
    times : how many rows each sentence has, one after another, with a blank drawn for each
    """
    ids, mask, _ = rows_of(sentences, vocabulary)
    known = ids >= len(SPECIALS)
    ids, mask, known = (
        part[known.any(1)].repeat_interleave(times, 0) for part in (ids, mask, known)
    )
    places = torch.multinomial(known.double(), 1, generator=torch.Generator().manual_seed(0))
    words = ids.gather(1, places).squeeze(1)
    blanked = ids.scatter(1, places, SPECIALS.index(MASK))
    return blanked, mask, places.squeeze(1), words


def bets(model: MaskedLM, ids: Tensor, mask: Tensor, places: Tensor) -> Tensor:
    """Log chances (B, V) of the ordinary words at one place of each row."""
    with torch.no_grad():
        states = model(ids, mask)[torch.arange(len(ids)), places]
        scores = model.scores(states)
        scores[:, : len(SPECIALS)] = -torch.inf
        return scores.log_softmax(-1)


def pair_counts(text: SmallText, vocabulary: Vocabulary) -> tuple[Tensor, Tensor]:
    """Log p(w) (V,) of ordinary words, and log p(next | word) (V, V), smoothed with p(w)."""
    ids, mask, _ = rows_of(text.train, vocabulary)
    size = len(vocabulary)
    single = torch.bincount(ids[mask], minlength=size).double() + 1
    single[: len(SPECIALS)] += 1
    chance = single / single.sum()
    there = mask[:, 1:]
    pairs = torch.bincount((ids[:, :-1] * size + ids[:, 1:])[there], minlength=size * size)
    table = pairs.view(size, size).double() + PSEUDO * chance
    return chance.log(), (table / table.sum(1, keepdim=True)).log()


def counting_bets(
    text: SmallText, vocabulary: Vocabulary, ids: Tensor, places: Tensor
) -> dict[str, Tensor]:
    """What counts of the training sentences bet at one place of each row, log chances (B, V)."""
    row = torch.arange(len(ids))
    single, following = pair_counts(text, vocabulary)
    pairs = following[ids[row, places - 1]] + following[:, ids[row, places + 1]].T
    return {
        "counts of words": normalised(single.expand(len(ids), -1)),
        "counts of pairs, both sides": normalised(pairs),
    }


def over_groups(values: ArrayLike, groups: NDArray[np.int64]) -> dict[str, float]:
    """Mean of (N,) or of (draws, N), and its 95 % interval; whole groups are drawn anew.

    Parameters
    ----------
    groups : (N,) numbers from 0 on, such as those of the sentences that N blanks stand in
    """
    mean, low, high = bootstrap_interval(np.atleast_2d(np.asarray(values, float)), groups)
    return {"mean": mean, "low": low, "high": high}


def normalised(logs: Tensor) -> Tensor:
    """Log chances of the ordinary words alone, (B, V)."""
    logs = logs.clone()
    logs[:, : len(SPECIALS)] = -torch.inf
    return logs.log_softmax(-1)


def blanks(seeds: Sequence[int]) -> tuple[str, Result]:
    """Blanks of held-out sentences, filled from one side, the product, and both at once.

    They are of the text's last part, on which nothing was chosen.
    """
    text = small_text(SENTENCES, HELD_OUT, WORDS, part="test")
    vocabulary = masked_vocabulary(text, WORDS)
    ids, mask, places, words = one_blank_each(text.held_out, vocabulary, BLANKS)
    sentence = np.arange(len(ids)) // BLANKS
    row = torch.arange(len(ids))
    single, _ = pair_counts(text, vocabulary)
    counts = counting_bets(text, vocabulary, ids, places)
    found = {name: [bet] for name, bet in counts.items()}
    for seed in seeds:
        logs: dict[str, Tensor] = {}
        for side in get_args(Side):
            torch.manual_seed(seed)
            model = MaskedLM(MaskedLMOptions(len(vocabulary), SIZE, 4, 1, LONGEST), sided(side))
            steps = batches(text, vocabulary, seed, CHOSEN)
            train_masked_lm(model, steps, STEPS, learning_rate=3e-3)
            logs[side] = bets(model, ids, mask, places).double()
        logs["product"] = normalised(logs["left"] + logs["right"] - single)
        for name, bet in logs.items():
            found.setdefault(name, []).append(bet)
    nats = {name: [-bet[row, words] for bet in bets] for name, bets in found.items()}
    right = {name: [bet.argmax(1) == words for bet in bets] for name, bets in found.items()}
    gains = {
        name: [p - b for p, b in zip(nats[name] * len(seeds), nats["both"], strict=False)]
        for name in nats
        if name != "both"
    }
    title = "nats of a blank in held-out sentences of Brown, from the left, the right and both"
    return title, {
        "trained_on": len(text.train),
        "sentences": len(text.held_out),
        "blanks": len(ids),
        "steps": STEPS,
        "nats": {name: interval([float(x.mean()) for x in some]) for name, some in nats.items()},
        "right": {
            name: interval([float(x.double().mean()) for x in some]) for name, some in right.items()
        },
        "less_both": {
            name: {
                "over_seeds": interval([float(gain.mean()) for gain in some]),
                "over_sentences_and_seeds": over_groups(torch.stack(some), sentence),
            }
            for name, some in gains.items()
        },
        "both_twice_as_sure_as_product": interval(
            [float((g > np.log(2)).double().mean()) for g in gains["product"]]
        ),
        "product_twice_as_sure_as_both": interval(
            [float((g < -np.log(2)).double().mean()) for g in gains["product"]]
        ),
    }


def leak(seeds: Sequence[int]) -> tuple[str, Result]:
    """Held-out loss by depth, and parts of speech from frozen top states by a linear probe."""
    text = small_text(6_400, 200, 1_000)
    vocabulary = masked_vocabulary(text, 1_000)
    task = parts_of_speech("brown", TAGGED, TAGGED)
    labels = [o.label for o in task.train]
    truth = np.array([o.label for o in task.test])
    forms = [[o.form.lower() for o in part] for part in (task.train, task.test)]
    baseline = float((np.array(majority(forms[0], labels, forms[1])) == truth).mean())
    losses: dict[str, list[float]] = {}
    right: dict[str, list[float]] = {"majority of the form": [baseline]}

    def note(name: str, states: Callable[[Sequence[Occurrence]], Floats]) -> None:
        answers = linear(states(task.train), labels, states(task.test), 0.01)
        right.setdefault(name, []).append(float((np.array(answers) == truth).mean()))

    for seed in seeds:
        models: dict[str, Any] = {}
        for depth in DEPTHS:
            torch.manual_seed(seed)
            models[f"meet, {depth} layer" + "s" * (depth > 1)] = Leaking(1_000, SIZE, depth)
        torch.manual_seed(seed)
        models["never meet"] = WordBiLM(1_000, SIZE)
        note("untrained", _states(models["meet, 2 layers"], text, 1))
        for name, model in models.items():
            read = map(text.words, text.batches(16, seed))
            held = text.words(text.held_out)
            end = trained(model, read, held, BATCHES, progress=False)[-1]
            losses.setdefault(name, []).append(float(end.mean()))
            note(name, _states(model, text, -1))
        note("words alone", _states(models["never meet"], text, 0))
        torch.manual_seed(seed)
        masked = MaskedLM(MaskedLMOptions(len(vocabulary), 2 * SIZE, 4, 2, LONGEST))
        train_masked_lm(masked, batches(text, vocabulary, seed), BATCHES // 2, learning_rate=2e-3)
        note("masked", _masked_states(masked, vocabulary))
    return "the class whose directions meet: held-out nats a word, and tags from its states", {
        "batches": BATCHES,
        "nats": {name: interval(values) for name, values in losses.items()},
        "tags": {name: interval(values) for name, values in right.items()},
        "tagged_words": TAGGED,
    }


def _states(model: Any, text: SmallText, layer: int) -> Callable[[Sequence[Occurrence]], Floats]:
    def read(words: tuple[str, ...]) -> Floats:
        with torch.no_grad():
            layers, _ = model(text.words([list(words)])[0])
        found: Floats = layers[layer][0, 1:-1].numpy()
        return found

    return lambda occurrences: _at_places(occurrences, read)


def _masked_states(
    model: MaskedLM, vocabulary: Vocabulary
) -> Callable[[Sequence[Occurrence]], Floats]:
    def read(words: tuple[str, ...]) -> Floats:
        parts = [words[start : start + LONGEST - 2] for start in range(0, len(words), LONGEST - 2)]
        with torch.no_grad():
            states = [model(*rows_of([part], vocabulary)[:2])[0, 1:-1] for part in parts]
        found: Floats = torch.cat(states).numpy()
        return found

    return lambda occurrences: _at_places(occurrences, read)


def _at_places(
    occurrences: Sequence[Occurrence], read: Callable[[tuple[str, ...]], Floats]
) -> Floats:
    kept: dict[tuple[str, ...], Floats] = {}
    for words in dict.fromkeys(o.words for o in occurrences):
        kept[words] = read(words)
    return np.stack([kept[o.words][o.position] for o in occurrences])


EXPERIMENTS: dict[str, Callable[..., tuple[str, Result]]] = {"blanks": blanks, "leak": leak}


def _prepare(args: Namespace) -> Prepared:
    return (args.seeds,), {}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and store."""
    return run_experiments(
        "both_sides_at_once.experiments",
        "both_sides_",
        __doc__,
        EXPERIMENTS,
        _prepare,
        argv,
        seeds=5,
    )


if __name__ == "__main__":
    raise SystemExit(main())
