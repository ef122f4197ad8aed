"""Exercise `read_in_chunks`: a long text, its state carried and its gradients cut."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain, plain
from autograde.checking.differentiable import slopes, tensor_of
from autograde.checking.exercise import Case, Exercise, Random
from autograde.checking.slips import slips
from autograde.exercises.ulmfit import LESSON
from elmo_mini.ulmfit.long_texts import read_in_chunks

Read = Callable[[Tensor, Any], tuple[Tensor, Any]]
WORDS, SIZE = 9, 3


@Case.drawn
def _texts(
    rng: Random, batch: int, words: int, chunk: int, keep: int, learning: bool = True
) -> Inputs:
    return {
        "ids": rng.integers(0, WORDS, (batch, words)),
        "chunk": chunk,
        "keep": keep,
        "seed": int(rng.integers(1 << 30)),
        "learning": learning,
    }


class Reader(nn.Module):
    """Two layers of a plain recurrent network, and the vectors of all words they were given."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        draw = torch.Generator().manual_seed(seed)
        self.table = torch.randn(WORDS, SIZE, generator=draw)
        self.weights = torch.randn(2, 2 * SIZE, SIZE, generator=draw)
        self.given: list[Tensor] = []
        self.noting = 0  # reads that note what gradients need

    def forward(self, ids: Tensor, state: Any) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
        """Ids (B, t) and the state before them to states (B, t, H) and the state after."""
        if not isinstance(ids, Tensor) or ids.dim() != 2 or not ids.numel():
            raise AnswerRefused(
                "`read` is given whole words of all texts: ids (B, t), t at least 1."
            )
        zeros = torch.zeros(len(ids), SIZE)
        if state is None:
            state = [(zeros, zeros), (zeros, zeros)]
        if not _is_a_state(state):
            raise AnswerRefused(
                "`read` is given a state that it did not give: a list with a pair (h, c) of "
                "tensors for each layer, or None at the start."
            )
        piece = nn.Parameter(self.table[ids])
        x: Tensor = piece
        self.register_parameter(f"piece {len(self.given)}", piece)
        self.given.append(x)
        self.noting += torch.is_grad_enabled()
        after = []
        for weight, (h, c) in zip(self.weights, state, strict=True):
            outputs = []
            for x_t in x.unbind(1):
                c = 0.7 * c + torch.tanh(torch.cat([x_t, h], -1) @ weight)
                h = torch.tanh(c)
                outputs.append(h)
            x = torch.stack(outputs, 1)
            after.append((h, c))
        return x, after


def _is_a_state(state: Any) -> bool:
    return (
        isinstance(state, list | tuple)
        and len(state) == 2
        and all(
            isinstance(pair, list | tuple)
            and len(pair) == 2
            and all(isinstance(part, Tensor) for part in pair)
            for pair in state
        )
    )


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The states, and how much the words of the text move their sum."""
    reader = Reader(inputs["seed"])
    ids = torch.from_numpy(inputs["ids"])
    with torch.set_grad_enabled(inputs["learning"]):
        states = tensor_of(lambda: answer(reader, ids, inputs["chunk"], inputs["keep"]))
    said: dict[str, Plain] = {
        "states": plain(states),
        "words that are read at once": [given.shape[1] for given in reader.given],
    }
    if not inputs["learning"]:
        return {**said, "reads that note gradients": reader.noting}
    weight = torch.linspace(1, 2, states.numel()).view_as(states)
    leaves = {f"piece {number}": given for number, given in enumerate(reader.given)}
    found = slopes((states * weight).sum(), leaves)
    moves = [
        np.zeros(given.shape[1]) if slope is None else slope.abs().sum((0, 2)).numpy()
        for given, slope in zip(reader.given, found.values(), strict=True)
    ]
    return {**said, "gradient at each place": np.concatenate(moves)}


def _chunks(read: Read, ids: Tensor, chunk: int, keep: int) -> Tensor:
    pieces = ids.split(chunk, 1)
    state, outputs = None, []
    for number, piece in enumerate(pieces):
        learns = number >= len(pieces) - keep
        with torch.set_grad_enabled(torch.is_grad_enabled() and learns):
            states, state = read(piece, state)
        state = [(h.detach(), c.detach()) for h, c in state]
        outputs.append(states)
    return torch.cat(outputs, 1)


def _by_place(read: Read, ids: Tensor, chunk: int, keep: int) -> Tensor:
    state: Any = None
    starts = list(range(0, ids.shape[1], chunk))
    found = []
    for start in starts:
        states, state = read(ids[:, start : start + chunk], state)
        state = [tuple(part.detach() for part in pair) for pair in state]
        found.append(states if start + keep * chunk >= ids.shape[1] else states.detach())
    return torch.hstack(found)


def _in_two_parts(read: Read, ids: Tensor, chunk: int, keep: int) -> Tensor:
    places = [*range(0, ids.shape[1], chunk)]
    border = max(0, len(places) - keep)
    early, late = places[:border], places[border:]
    state: Any = None
    found = []
    with torch.no_grad():
        for start in early:
            states, state = read(ids[:, start : start + chunk], state)
            found.append(states)
    for start in late:
        states, state = read(ids[:, start : start + chunk], state)
        state = [(h.detach(), c.detach()) for h, c in state]
        found.append(states)
    return torch.cat(found, dim=1)


SLIPS = """
--- hint 1
each chunk starts afresh: read(piece, state) -> read(piece, None)
    Each of your chunks starts from nothing. The state after a chunk goes into the next one.
everything is read at once: ids.split(chunk, 1) -> [ids]
    You read the whole text at once, so its gradients need memory for all of it. `ids.split(chunk,
    1)` cuts the positions.
so many pieces in place of so many words: ids.split(chunk, 1) -> ids.chunk(chunk, 1)
    You make `chunk` pieces. Each piece has `chunk` words: `ids.split(chunk, 1)`.
pieces of even length: ids.split(chunk, 1) -> ids.chunk(-(-ids.shape[1] // chunk), 1)
    `ids.chunk(n)` makes n pieces that are about equally long. Each piece but the last has `chunk`
    words: `ids.split(chunk, 1)`.
whole chunks alone: ids.split(chunk, 1) \
        -> [ids[:, i * chunk : (i + 1) * chunk] for i in range(ids.shape[1] // chunk)]
    The rest of the text is left out. The last chunk may be shorter: go on to the end, with
    `range(0, T, chunk)`.
rows in place of places: ids.split(chunk, 1) -> ids.split(chunk)
    You cut the rows of the batch, which are whole texts. `ids.split(chunk, 1)` cuts the positions.
the states are cut off: outputs.append(states) -> outputs.append(states.detach())
    You detach the states, so nothing is learnt from any chunk. Only what passes from chunk to chunk
    is detached, and the chunks before the last `keep` are read without gradients.
the kept chunks alone: outputs.append(states) -> outputs.extend([states] if learns else [])
    The states of the early chunks are missing. All states are kept for pooling; only the gradients
    of the early ones are not.
the last chunk alone: torch.cat(outputs, 1) -> states
    You return the last chunk alone. Put all of them side by side: `torch.cat(outputs, 1)`.
the early chunks are not read: states, state = read(piece, state) \
        -> states, state = read(piece, state if learns else None)
    Your early chunks do not pass their state on. Every chunk starts where the one before it ended.
--- hint 2
the state keeps its way back: [(h.detach(), c.detach()) for h, c in state] -> state
    Gradients flow from chunk to chunk through your state, so memory grows with the text. Cut it:
    `.detach()` on h and c of each layer.
only h is cut: (h.detach(), c.detach()) -> (h.detach(), c)
    You cut h. Gradients still pass from chunk to chunk through c.
only c is cut: (h.detach(), c.detach()) -> (h, c.detach())
    You cut c. Gradients still pass from chunk to chunk through h.
only the top layer is cut: [(h.detach(), c.detach()) for h, c in state] \
        -> [*state[:-1], tuple(part.detach() for part in state[-1])]
only the lowest layer is cut: [(h.detach(), c.detach()) for h, c in state] \
        -> [tuple(part.detach() for part in state[0]), *state[1:]]
    You cut the state of one layer. Gradients still pass through the others': cut the pair of each.
h and c in each other's place: (h.detach(), c.detach()) -> (c.detach(), h.detach())
    You hand c on as h, and h as c. A state is a list of pairs (h, c).
c is lost: (h.detach(), c.detach()) -> (h.detach(), torch.zeros_like(c))
h is lost: (h.detach(), c.detach()) -> (torch.zeros_like(h), c.detach())
    You hand on half of the state. Each layer's pair is h and c, both as they came.
only the lowest layer hands its state on: [(h.detach(), c.detach()) for h, c in state] \
        -> [tuple(part.detach() if not layer else torch.zeros_like(part) for part in pair) \
        for layer, pair in enumerate(state)]
    Only one layer's state reaches the next chunk. Every layer has a pair (h, c) to hand on.
--- hint 3
gradients in every chunk: number >= len(pieces) - keep -> number >= 0
    All of your chunks take part in gradients. Only the last `keep` do.
gradients in the first chunks: number >= len(pieces) - keep -> number < keep
    You keep the gradients of the *first* chunks. The last `keep` take part.
gradients everywhere but at the end: number >= len(pieces) - keep -> number < len(pieces) - keep
    Your last chunks take no part in gradients. Turn the question round.
one chunk less: number >= len(pieces) - keep -> number > len(pieces) - keep
    One chunk too few takes part in gradients: the last `keep` do, numbers `len(pieces) - keep` and
    higher.
one chunk more: number >= len(pieces) - keep -> number >= len(pieces) - keep - 1
    One chunk too many takes part in gradients: only the last `keep` do.
keep 0 keeps all: number >= len(pieces) - keep -> number in range(len(pieces))[-keep:]
    `[-keep:]` is everything where `keep` is 0, and `[:-keep]` nothing. Count from the start:
    `len(pieces) - keep`.
switched on at one chunk: number >= len(pieces) - keep -> number >= len(pieces) - keep >= 0 \
        && torch.is_grad_enabled() and learns -> learns
    You switch gradients on at one chunk, number `len(pieces) - keep`. With few chunks there is
    none, and under `torch.no_grad()` none is wanted. Ask for each chunk, and only switch off.
always the last alone: number >= len(pieces) - keep -> number == len(pieces) - 1
    Your last chunk alone takes part in gradients. How many do, `keep` says.
the last words in place of the last chunks: number >= len(pieces) - keep \
        -> number * chunk >= ids.shape[1] - keep
what holds the last words: number >= len(pieces) - keep \
        -> (number + 1) * chunk > ids.shape[1] - keep
    You count `keep` in words. It counts chunks.
gradients are switched on: torch.is_grad_enabled() and learns -> learns
    Whoever calls you under `torch.no_grad()` wants no gradients, and you switch them on again. Only
    switch them off.
"""

EXERCISE = Exercise(
    id="read_in_chunks",
    title="A text of a thousand tokens",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=15,
    reference=read_in_chunks,
    run=_run,
    cases=(
        Case("a text that fits into one chunk", _texts(2, 4, 6, 1)),
        Case("three chunks, gradients in the last", _texts(2, 9, 3, 1), weight=2),
        Case("four chunks, the last of one word, gradients in two", _texts(1, 10, 3, 2), weight=2),
        Case("four chunks, gradients in three", _texts(1, 8, 2, 3)),
        Case("more chunks with gradients than there are", _texts(2, 6, 2, 5), edge=True),
        Case("nine words in chunks of four", _texts(5, 9, 4, 1), edge=True),
        Case(
            "no chunk with gradients",
            _texts(2, 6, 2, 0),
            edge=True,
            asks="`keep` is 0: the last 0 chunks take part in gradients, so none does.",
        ),
        Case(
            "read for its answer only, under `torch.no_grad()`",
            _texts(1, 6, 2, 2, learning=False),
            edge=True,
            asks="The caller has switched gradients off, and off they stay.",
        ),
    ),
    mistakes=slips(_chunks, SLIPS),
    right_answers={
        "split": _chunks,
        "by place": _by_place,
        "early and late": _in_two_parts,
    },
)
