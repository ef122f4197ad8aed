"""``python -m course.both_sides_at_once.experiments NAME``: left, right, and both (lesson 12).

``blanks`` fills blanks from the left, from the right, from the product of the two, and from both
at once. ``leak`` measures the class of lesson 07 whose directions meet, by its depth: its loss,
and what its states are worth to a tagger.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, get_args

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from course.baselines.kneser_ney import KneserNey
from course.bilm_from_scratch.word_bilm import WordBiLM, trained
from course.both_sides_at_once.directional_block import Side, block_for
from course.command import Prepared, Result, run_experiments
from course.results.intervals import interval
from course.texts.small_text import SmallText, small_text
from elmo_mini.models.masked_lm import (
    IGNORED,
    MASK,
    SPECIALS,
    UNKNOWN,
    MaskedLM,
    MaskedLMOptions,
    corrupt,
)
from elmo_mini.probing.classifiers import linear, majority
from elmo_mini.probing.probing_tasks import Occurrence, parts_of_speech
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.masked_lm_training import Batch, train_masked_lm
from elmo_mini.transformer.sentence_pairs import pack, padded

Floats = NDArray[np.float32]
STEPS, ROWS, WORDS, CHOSEN = 3_000, 32, 1_000, 0.3
SENTENCES, HELD_OUT = 6_400, 400
BLANKS = 3
BESIDE: dict[Side, int] = {"left": 1, "right": -1}
"""How far ahead the word is that a reader of one side is asked for."""
PSEUDO = 20.0
LOOKS = 6
EXPONENTS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

Blanked = tuple[Tensor, Tensor, Tensor, Tensor]
"""Rows with one blank each (B, T), the mask, the positions (B,) and the words (B,)."""
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


def all_asked(text: SmallText, vocabulary: Vocabulary, seed: int, side: Side) -> Iterator[Batch]:
    """Training sentences without end, asked at every position for the word ahead, as in ELMo."""
    for sentences in text.batches(ROWS, seed):
        ids, mask, segments = rows_of(sentences, vocabulary)
        ahead = ids.roll(-BESIDE[side], 1)
        targets = ahead.where(ahead >= len(SPECIALS), IGNORED)
        yield ids, targets, mask, segments


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
    positions = torch.multinomial(known.double(), 1, generator=torch.Generator().manual_seed(0))
    words = ids.gather(1, positions).squeeze(1)
    blanked = ids.scatter(1, positions, SPECIALS.index(MASK))
    return blanked, mask, positions.squeeze(1), words


def bets(model: MaskedLM, ids: Tensor, mask: Tensor, positions: Tensor) -> Tensor:
    """Log chances (B, V) of the ordinary words at one place of each row."""
    with torch.no_grad():
        states = model(ids, mask)[torch.arange(len(ids)), positions]
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
    text: SmallText, vocabulary: Vocabulary, ids: Tensor, positions: Tensor
) -> dict[str, Tensor]:
    """What counts of the training sentences bet at one place of each row, log chances (B, V).

    Pairs are the two neighbours' bets multiplied. Triples are all those that hold the blank, up to
    two words away on each side, smoothed after Kneser and Ney.
    """
    row = torch.arange(len(ids))
    single, following = pair_counts(text, vocabulary)
    pairs = following[ids[row, positions - 1]] + following[:, ids[row, positions + 1]].T
    numbers, mask, _ = rows_of(text.train, vocabulary)
    counts = KneserNey(numbers[mask].tolist(), len(vocabulary))
    blanks = zip(ids.tolist(), positions.tolist(), strict=True)
    triples = np.stack([counts.blank_scores(words, at) for words, at in blanks])
    return {
        "counts of words": normalised(single.expand(len(ids), -1)),
        "counts of pairs, both sides": normalised(pairs),
        "counts of triples, both sides": normalised(torch.from_numpy(triples)),
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
    """Blanks of held-out sentences, filled by counts, from one side, the product, and both at once.

    What has a setting takes the one that is best on the text's middle part: the batch after which
    a network stops, the exponents of a product, the weight of a mixture. All are judged on its last
    part.
    """
    texts = [small_text(SENTENCES, HELD_OUT, WORDS, part=part) for part in ("dev", "test")]
    vocabulary = masked_vocabulary(texts[0], WORDS)
    rows = [one_blank_each(text.held_out, vocabulary, BLANKS) for text in texts]
    words = [of[3] for of in rows]
    single, _ = pair_counts(texts[0], vocabulary)
    found: dict[str, list[list[Tensor]]] = {}  # by name and seed: the bets on dev and on test
    counts = [counting_bets(texts[0], vocabulary, ids, at) for ids, _, at, _ in rows]
    for name in counts[0]:
        found[name] = [[of[name] for of in counts]]
    for seed in seeds:
        for side in get_args(Side):
            found.setdefault(side, []).append(_network(side, seed, texts[0], vocabulary, rows))
        for side in BESIDE:
            read = _network(side, seed, texts[0], vocabulary, rows, every_word=True)
            found.setdefault(f"{side} language model", []).append(read)
    pairs, triples = (found[f"counts of {what}, both sides"][0] for what in ("pairs", "triples"))
    found["counts"] = [_mixture(pairs, triples, words)]
    for number in range(len(seeds)):
        left, right, both = (found[side][number] for side in get_args(Side))
        again = found["both"][(number + 1) % len(seeds)]
        made = {"product, asked at blanks": _product(left, right, single, words)}
        made["two of both"] = _product(both, again, single, words)
        ahead, behind = (found[f"{side} language model"][number] for side in BESIDE)
        made["product of language models"] = _product(ahead, behind, single, words)
        beside = {name: _mixture(of, found["counts"][0], words) for name, of in made.items()}
        beside["both"] = _mixture(both, found["counts"][0], words)
        made |= {f"{name} and counts": of for name, of in beside.items()}
        for name, bets in made.items():
            found.setdefault(name, []).append(bets)
    nats = {name: [_cost(bets[1], words[1]) for bets in of] for name, of in found.items()}
    sentence = np.arange(len(words[1])) // BLANKS

    def less(first: str, second: str) -> dict[str, Any]:
        one, other = nats[first] * len(seeds), nats[second] * len(seeds)
        gains = [a - b for a, b in zip(one[: len(seeds)], other, strict=False)]
        over = over_groups(torch.stack(gains), sentence)
        return over | {"values": [float(gain.mean()) for gain in gains]}

    title = (
        "nats of a blank in held-out sentences of Brown, by counts, from each side and from both"
    )
    return title, {
        "interval": "95 %, bootstrap over sentences and seeds",
        "trained_on": len(texts[0].train),
        "sentences": len(texts[1].held_out),
        "blanks": len(words[1]),
        "steps": STEPS,
        "nats": {
            name: over_groups(torch.stack(of), sentence) | {"values": [float(x.mean()) for x in of]}
            for name, of in nats.items()
        },
        "differences": {f"{a} less {b}": less(a, b) for a, b in DIFFERENCES},
    }


DIFFERENCES = (
    ("left", "both"),
    ("right", "both"),
    ("counts", "both"),
    ("product, asked at blanks", "both"),
    ("product, asked at blanks", "two of both"),
    ("counts", "both and counts"),
    ("both", "both and counts"),
    ("both", "product of language models"),
    ("two of both", "product of language models"),
    ("both and counts", "product of language models and counts"),
    ("two of both and counts", "product of language models and counts"),
)


def _network(
    side: Side,
    seed: int,
    text: SmallText,
    vocabulary: Vocabulary,
    rows: Sequence[Blanked],
    every_word: bool = False,
) -> list[Tensor]:
    """The bets on dev and on test of a network that stops where it is best on dev.

    Parameters
    ----------
    every_word : asked at every position for the word ahead; at blanks if not
    """
    torch.manual_seed(seed)
    model = MaskedLM(MaskedLMOptions(len(vocabulary), SIZE, 4, 1, LONGEST), block_for(side))
    best: list[Tensor] = []

    def look(step: int) -> None:
        if step % (STEPS // LOOKS):
            return
        back = BESIDE[side] if every_word else 0
        seen = [bets(model, ids, mask, at - back).double() for ids, mask, at, _ in rows]
        words = rows[0][3]
        if not best or _cost(seen[0], words).mean() < _cost(best[0], words).mean():
            best[:] = seen

    if every_word:
        steps = all_asked(text, vocabulary, seed, side)
    else:
        steps = batches(text, vocabulary, seed, CHOSEN)
    train_masked_lm(model, steps, STEPS, learning_rate=3e-3, after_step=look)
    return best


def _cost(logs: Tensor, words: Tensor) -> Tensor:
    return -logs[torch.arange(len(logs)), words]


def _product(
    one: Sequence[Tensor], other: Sequence[Tensor], single: Tensor, words: Sequence[Tensor]
) -> list[Tensor]:
    """one^a other^b / p(w)^c, normalised, with the exponents that are best on dev."""

    def made(exponents: tuple[float, ...], part: int) -> Tensor:
        a, b, c = exponents
        return normalised(a * one[part] + b * other[part] - c * single)

    tried = product(EXPONENTS, EXPONENTS, (0.0, 0.5, 1.0))
    best = min(tried, key=lambda exponents: float(_cost(made(exponents, 0), words[0]).mean()))
    return [made(best, 0), made(best, 1)]


def _mixture(
    one: Sequence[Tensor], other: Sequence[Tensor], words: Sequence[Tensor]
) -> list[Tensor]:
    """The chances of both, added up with the weight that is best on dev."""

    def made(weight: float, part: int) -> Tensor:
        parts = torch.stack([one[part] + np.log(weight), other[part] + np.log(1 - weight)])
        return parts.logsumexp(0)

    best = min(np.arange(0.05, 1.0, 0.05), key=lambda w: float(_cost(made(w, 0), words[0]).mean()))
    return [made(best, 0), made(best, 1)]


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
