"""Exercise `BiLM`: two stacks of LSTMs over the same words."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.differentiable import slopes
from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    plain,
)
from autograde.exercises.bilm_from_scratch import LESSON
from elmo_mini.bilm.plain import LSTM, BiLM, reverse_each

CHARACTERS = 6
CELL = "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell/{}"


class _Letters(nn.Module):
    """In place of the character CNN: takes words as rows of letters, (N, letters), and no batch."""

    def __init__(self, hidden: int, generator: torch.Generator) -> None:
        super().__init__()
        letters = torch.randn(262, hidden, generator=generator, dtype=torch.float64)
        self.letters = nn.Parameter(letters)

    def forward(self, ids: Tensor) -> Tensor:
        """(N, letters) to (N, H); a row of zeros has a vector, too, as in the real one."""
        if ids.ndim != 2:
            raise AnswerRefused(
                f"`self.char_cnn` was given a tensor of shape {tuple(ids.shape)}. It takes a list "
                "of words, (N, letters): `ids.flatten(0, 1)`, and `.unflatten(0, ids.shape[:2])` "
                "on what comes."
            )
        return self.letters[ids].mean(1)


def _weights(layers: int, hidden: int, cells: int, generator: torch.Generator) -> dict[str, Tensor]:
    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    shapes = {"W_0": (2 * hidden, 4 * cells), "B": (4 * cells,), "W_P_0": (cells, hidden)}
    return {
        CELL.format(direction, layer, name): normal(*shape)
        for direction in (0, 1)
        for layer in range(layers)
        for name, shape in shapes.items()
    }


def _sentences(lengths: Sequence[int], layers: int = 2, clip: float = 3.0) -> Any:
    """Which model, with which words: the numbers of a model are drawn from its `seed`."""

    def make(rng: np.random.Generator) -> Inputs:
        shape = (len(lengths), max(lengths), CHARACTERS)
        there = np.arange(max(lengths)) < np.array(lengths)[:, None]
        ids = rng.integers(1, 262, shape) * there[..., None]
        sizes = {"layers": layers, "H": 2, "C": 3, "seed": int(rng.integers(1_000_000))}
        return {"model": sizes, "clip": clip, "ids": ids}

    return make


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The layers at words, the mask, and how much there is to learn."""
    sizes = inputs["model"]
    generator = torch.Generator().manual_seed(sizes["seed"])
    weights = _weights(sizes["layers"], sizes["H"], sizes["C"], generator)
    letters = _Letters(sizes["H"], generator)
    model = answer(letters, weights, inputs["clip"])
    if not isinstance(model, nn.Module):
        raise AnswerRefused(
            "`BiLM(char_cnn, weights, clip)` should give a module of PyTorch. Keep the first line, "
            "`class BiLM(nn.Module):`."
        )
    ids = torch.from_numpy(inputs["ids"].copy())
    try:
        came = model(ids)
    except (ValueError, RuntimeError, IndexError) as error:
        if _reads_words_first(model, sizes["H"]):
            raise AnswerRefused(WORDS_FIRST) from error
        raise
    if not torch.equal(ids, torch.from_numpy(inputs["ids"])):
        raise AnswerRefused("Your model changed its argument `ids`. Work on a copy.")
    only_layers = isinstance(came, list) and all(isinstance(x, Tensor) for x in came)
    if not isinstance(came, tuple | list) or len(came) != 2 or only_layers:
        raise AnswerRefused(
            "Return two things: the list of L + 1 layers, and the mask: `return layers, mask`."
        )
    layers, mask = came
    if isinstance(layers, Tensor):
        layers = list(layers)
    if not isinstance(layers, tuple | list) or not all(isinstance(x, Tensor) for x in layers):
        raise AnswerRefused("The first thing to return is a list of tensors, one for each layer.")
    there = torch.from_numpy((inputs["ids"] > 0).any(-1))
    if isinstance(mask, Tensor) and mask.shape == there.shape and mask.dtype != torch.bool:
        raise AnswerRefused(
            "Your mask holds numbers. What comes after chooses with it and needs True and False: "
            "`(ids > 0).any(-1)`, without `.long()`, `.int()` or `.float()`."
        )
    kept = [x * there[..., None] if x.shape[:2] == there.shape else x for x in layers]
    total = sum((x * (1 + torch.arange(x.numel()).view_as(x))).sum() for x in kept)
    learnt = [p for p in model.parameters() if p.requires_grad]
    named = {str(i): parameter for i, parameter in enumerate(learnt)}
    found = slopes(total, named) if isinstance(total, Tensor) else {}
    return {
        "layers": [plain(x) for x in kept],
        "mask": plain(mask),
        "numbers that learn": sum(p.numel() for p in learnt),
        "size of the gradient": sum(float((g**2).sum()) for g in found.values() if g is not None),
    }


WORDS_FIRST = (
    "`read` gives its states with the words on the first axis, (T, B, H). `x` is (B, T, H), and so "
    "are the states: `torch.stack(states, 1)`."
)


def _reads_words_first(model: Any, hidden: int) -> bool:
    """Whether the first layer gives (T, B, H)."""
    with suppress(Exception):
        x = torch.zeros(2, 3, hidden, dtype=torch.float64)
        (states,) = model.read(x, model.stacks[0][:1])
        return tuple(states.shape) == (3, 2, hidden)
    return False


class _Variant(nn.Module):
    """The biLM by loops, with one thing done otherwise."""

    def __init__(
        self,
        char_cnn: nn.Module,
        weights: dict[str, Tensor],
        clip: float = 3.0,
        *,
        residual: str = "from the second layer on",
        turned: str = "each",
        turned_back: bool = True,
        back: str = "",
        directions: tuple[int, int] = (0, 1),
        mixed: bool = False,
        doubled: bool = True,
        token_layer: bool = True,
        backward_first: bool = False,
        carries_on: bool = False,
        halves: str = "beside",
        clips: bool = True,
        copied: bool = False,
        words_again: bool = False,
        forgets: str = "",
        stacked: str = "",
        shorter: int = 0,
        late: bool = False,
    ) -> None:
        super().__init__()
        self.char_cnn = char_cnn
        n_layers = sum(name.startswith("RNN_0") and name.endswith("W_0") for name in weights)
        width = clip if clips else 3.0
        self.stacks = nn.ModuleList(
            nn.ModuleList(
                LSTM(weights, CELL.format(direction, layer, "").rstrip("/"), width)
                for layer in range(n_layers)
            )
            for direction in (0, 1)
        )
        self.residual, self.turned, self.turned_back = residual, turned, turned_back
        self.back = back
        self.directions, self.mixed, self.doubled = directions, mixed, doubled
        self.token_layer, self.backward_first = token_layer, backward_first
        self.carries_on, self.halves, self.copied = carries_on, halves, copied
        self.words_again, self.forgets, self.stacked = words_again, forgets, stacked
        self.shorter, self.late = shorter, late

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """(B, T, letters) to the layers and the mask."""
        mask = (ids > 0).any(-1)
        lengths = mask.sum(1) - self.shorter
        x = self.char_cnn(ids.flatten(0, 1)).unflatten(0, ids.shape[:2])

        def turned(y: Tensor, how: str) -> Tensor:
            if how == "each":
                return reverse_each(y, lengths)
            return y.flip(1) if how == "whole" else y

        def turn(y: Tensor) -> Tensor:
            return turned(y, self.turned)

        def back(y: Tensor) -> Tensor:
            return turned(y, self.back or self.turned) if self.turned_back else y

        ahead, behind = [x], [turn(x)]
        stacks: list[Any] = [self.stacks[direction] for direction in self.directions]
        starts: list[Any] = [None, None]
        for depth in range(len(stacks[0])):
            inputs = [ahead[0], behind[0]] if self.words_again else [ahead[-1], behind[-1]]
            if self.mixed and depth:
                inputs = [ahead[-1] + back(behind[-1]), turn(ahead[-1]) + behind[-1]]
            for side, (layers, stack) in enumerate(zip((ahead, behind), stacks, strict=True)):
                inside = bool(depth) and "inside the loop" in self.residual
                h, starts[side] = self._walk(stack[depth], inputs[side], starts[side], inside)
                layers.append(self._added(h, layers, depth))
        behind = [behind[0], *(back(h) for h in (ahead if self.copied else behind)[1:])]
        if self.residual == "in what is shown only":
            ahead, behind = (self._summed(layers) for layers in (ahead, behind))
        if self.residual == "with the bare states":
            ahead, behind = (self._with_below(layers) for layers in (ahead, behind))
        if self.residual == "in what is handed on only":
            ahead, behind = (self._bare(layers) for layers in (ahead, behind))
        first = torch.cat([x, x], -1) if self.doubled else x
        pairs = zip(ahead[1:], behind[1:], strict=True)
        joined = [self._joined(*(pair[::-1] if self.backward_first else pair)) for pair in pairs]
        return [first, *joined] if self.token_layer else joined, mask

    def _walk(self, lstm: Any, x: Tensor, start: Any, inside: bool) -> tuple[Tensor, Any]:
        cells, hidden = lstm.W_P_0.shape
        h, c = x.new_zeros(len(x), hidden), x.new_zeros(len(x), cells)
        if self.carries_on and start is not None:
            h, c = start
        states = []
        for t in range(x.shape[1]):
            new_h, new_c = lstm.step(x[:, t], h, c)
            if inside:
                new_h = new_h + x[:, t]
            states.append(h if self.late else new_h)
            h = h if "h" in self.forgets else new_h
            c = c if "c" in self.forgets else new_c
        if self.stacked == "reshaped":
            return torch.cat(states).view(len(x), len(states), hidden), (h, c)
        if self.stacked == "the last":
            return torch.stack(states[-1:] * len(states), 1), (h, c)
        return torch.stack(states, 1), (h, c)

    def _added(self, h: Tensor, layers: list[Tensor], depth: int) -> Tensor:
        if self.residual == "around every layer":
            return h + layers[-1]
        if self.residual == "around the first layer only":
            return h if depth else h + layers[-1]
        if self.residual == "subtracted" and depth:
            return h - layers[-1]
        if self.residual == "from the words" and depth:
            return h + layers[0]
        added = "from the second layer on", "inside the loop and after", "in what is handed on only"
        if self.residual in added and depth:
            return h + layers[-1]
        return h

    @staticmethod
    def _summed(layers: list[Tensor]) -> list[Tensor]:
        out = layers[:2]
        for h in layers[2:]:
            out.append(h + out[-1])
        return out

    @staticmethod
    def _with_below(layers: list[Tensor]) -> list[Tensor]:
        above = zip(layers[2:], layers[1:], strict=False)
        return [*layers[:2], *(layer + below for layer, below in above)]

    @staticmethod
    def _bare(layers: list[Tensor]) -> list[Tensor]:
        above = zip(layers[2:], layers[1:], strict=False)
        return [*layers[:2], *(layer - below for layer, below in above)]

    def _joined(self, ahead: Tensor, behind: Tensor) -> Tensor:
        if self.halves == "beside":
            return torch.cat([ahead, behind], -1)
        return ahead + behind


class _WordsFirst(_Variant):
    """As the notebook's class, and the states are stacked on axis 0."""

    def read(self, x: Tensor, stack: Any) -> list[Tensor]:
        """The states of each layer, words first."""
        layers: list[Tensor] = []
        for lstm in stack:
            states = self._walk(lstm, x, None, False)[0].transpose(0, 1)
            x = states + x if layers else states
            layers.append(x)
        return layers

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """(B, T, letters) to the layers and the mask."""
        mask = (ids > 0).any(-1)
        x = self.char_cnn(ids.flatten(0, 1)).unflatten(0, ids.shape[:2])
        ahead, behind = (self.read(x, stack) for stack in self.stacks)
        behind = [reverse_each(h, mask.sum(1)) for h in behind]
        return [torch.cat(pair, -1) for pair in zip(ahead, behind, strict=True)], mask


def _variant(**otherwise: Any) -> Answer:
    return lambda char_cnn, weights, clip: _Variant(char_cnn, weights, clip, **otherwise)


class _Changed(nn.Module):
    """A right model whose result is changed at the end."""

    def __init__(self, change: Any, char_cnn: nn.Module, weights: Any, clip: float) -> None:
        super().__init__()
        self.right, self.change = BiLM(char_cnn, weights, clip), change

    def forward(self, ids: Tensor) -> Any:
        """What `change` makes of the layers and the mask."""
        return self.change(*self.right(ids))


def _changed(change: Any) -> Answer:
    return lambda char_cnn, weights, clip: _Changed(change, char_cnn, weights, clip)


def _with_turned_tokens(layers: list[Tensor], mask: Tensor) -> list[Tensor]:
    x, _ = layers[0].chunk(2, -1)
    return [torch.cat([x, reverse_each(x, mask.sum(1))], -1), *layers[1:]]


class _OneSentenceAtATime(BiLM):
    """Without padding: every sentence is read alone, in its own length."""

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """(B, T, letters) to the layers and the mask."""
        mask = (ids > 0).any(-1)
        rows = []
        for sentence, length in zip(ids, mask.sum(1).tolist(), strict=True):
            x = self.char_cnn(sentence[:length])[None]
            sides = [
                self._climb(x, self.forward_lstms),
                [h.flip(1) for h in self._climb(x.flip(1), self.backward_lstms)],
            ]
            layers = [torch.cat(pair, -1) for pair in zip(*sides, strict=True)]
            rest = ids.shape[1] - length
            rows.append(
                [nn.functional.pad(h, (0, 0, 0, rest)) for h in [torch.cat([x, x], -1), *layers]]
            )
        return [torch.cat(layer) for layer in zip(*rows, strict=True)], mask

    def _climb(self, x: Tensor, lstms: Iterable[nn.Module]) -> list[Tensor]:
        layers: list[Tensor] = []
        for depth, lstm in enumerate(lstms):
            x = lstm(x) + (x if depth else 0)
            layers.append(x)
        return layers


ADDED = "You add the two directions. Put them side by side: `torch.cat([ahead, behind], -1)`."
BEFORE_ITS_WORD = (
    "The state of each place is the one from before its word. Take the step first, then keep its h."
)
EXERCISE = Exercise(
    id="BiLM",
    title="Two readers who never meet",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=18,
    reference=BiLM,
    run=_run,
    cases=(
        Case("one layer, one sentence", _sentences((3,), layers=1)),
        Case("two layers, one sentence", _sentences((4,)), weight=2),
        Case("sentences of 5, 2 and 4 tokens", _sentences((5, 2, 4)), weight=2),
        Case("three layers", _sentences((3, 4), layers=3)),
        Case("a clip that binds", _sentences((4, 3), clip=0.3)),
        Case("a sentence of one token", _sentences((1, 3)), edge=True),
    ),
    mistakes=(
        Mistake(
            "the residual is missing",
            _variant(residual="none"),
            "Nothing is added to your second layer. From the second layer on, a layer's output "
            "is its states plus what went in: `x = h + x`.",
            hint=2,
        ),
        Mistake(
            "the residual is missing, and one stack for both directions",
            _variant(residual="none", directions=(0, 0)),
            "Two things. Nothing is added to your second layer: from there on a layer's output is "
            "its states plus what went in. And both directions read with the weights of the "
            "forward stack: the backward one has its own.",
            hint=2,
        ),
        Mistake(
            "each state is the one before its word",
            _variant(late=True),
            BEFORE_ITS_WORD,
            hint=2,
        ),
        Mistake(
            "each state is the one before its word, and the residual is missing",
            _variant(late=True, residual="none"),
            f"Two things. {BEFORE_ITS_WORD} And nothing is added to your second layer: from there "
            "on a layer's output is its states plus what went in.",
            hint=2,
        ),
        Mistake(
            "a residual around every layer, and the backward states stay reversed",
            _variant(residual="around every layer", turned_back=False),
            "Two things. You add the word vectors to the first layer, too: the residual begins "
            "with the second. And the backward states stay in the order of reading: turn them "
            "back with `reverse_each`.",
            hint=2,
        ),
        Mistake(
            "every sentence is one shorter",
            _variant(shorter=1),
            "You reverse all of a sentence but its last token. The whole sentence is reversed, its "
            "end included: `reverse_each(x, lengths)`.",
            hint=2,
        ),
        Mistake("the words on the first axis", _WordsFirst, WORDS_FIRST, hint=2),
        Mistake(
            "a residual around the first layer, too",
            _variant(residual="around every layer"),
            "You add the word vectors to the first layer, too. The residual begins with the "
            "second layer.",
            hint=2,
        ),
        Mistake(
            "a residual around the first layer only",
            _variant(residual="around the first layer only"),
            "You add what went in to the first layer and to no other. It is the other way round: "
            "the first layer has no residual, all others have.",
            hint=2,
        ),
        Mistake(
            "the residual is subtracted",
            _variant(residual="subtracted"),
            "You subtract what went into a layer from its states. Add it: `x = h + x`.",
            hint=2,
        ),
        Mistake(
            "the residual comes from the words",
            _variant(residual="from the words"),
            "You add the word vectors to the second layer. What is added is what went into that "
            "layer: the output of the layer below.",
            hint=2,
        ),
        Mistake(
            "the residual does not go on upwards",
            _variant(residual="in what is shown only"),
            "You show h + x as the layer and hand on h alone. The next layer reads the sum.",
            hint=2,
        ),
        Mistake(
            "the bare states are handed on",
            _variant(residual="with the bare states"),
            "You show the sum and hand on the bare states, so the third layer neither reads nor "
            "adds what the second one showed. Both are the sum: `x = states + x`, then keep `x`.",
            hint=2,
        ),
        *(
            Mistake(
                f"{what} carried on",
                _variant(forgets=forgets),
                f"Each word starts again with {starts}. What `lstm_step` returns for one word goes "
                "into the next one: `h, c = lstm_step(x_t, h, c, ...)`.",
                hint=1,
            )
            for what, forgets, starts in (
                ("c is not", "c", "the first `c`, all zeros"),
                ("h is not", "h", "the first `h`, all zeros"),
                ("neither state is", "hc", "the first `h` and `c`, all zeros"),
            )
        ),
        Mistake(
            "the residual is handed on and not shown",
            _variant(residual="in what is handed on only"),
            "You hand on h + x to the next layer and show h alone. The layer is the sum: append "
            "what you hand on.",
            hint=2,
        ),
        *(
            Mistake(
                f"the residual is added {where}",
                _variant(residual=where),
                "You add x to h inside the loop over the words, so the next step reads the sum as "
                "its h. Let the steps run first, stack their states, and add x once, after the "
                "loop.",
                hint=3,
            )
            for where in ("inside the loop", "inside the loop and after")
        ),
        *(
            Mistake(
                f"every layer reads the words{after}",
                _variant(words_again=True, residual=residual),
                "Your second layer reads the word vectors again, and not the layer below. Hand on "
                "what a layer gives: at the end of the round, x is its output.",
                hint=2,
            )
            for after, residual in (
                ("", "from the words"),
                (" and adds nothing", "none"),
            )
        ),
        Mistake(
            "reversed whole, and back each",
            _variant(turned="whole", back="each"),
            "You turn the whole row with `flip(1)` on the way in and each sentence by itself on "
            "the way back. Use `reverse_each` both times, so that no padding is read first.",
            hint=2,
        ),
        Mistake(
            "reversed each, and back whole",
            _variant(back="whole"),
            "You turn each sentence by itself on the way in and the whole row with `flip(1)` on "
            "the way back, so the states of a short sentence stand at its padding. Use "
            "`reverse_each` both times.",
            hint=2,
        ),
        Mistake(
            "the padding is read first",
            _variant(turned="whole"),
            "`flip(1)` turns the whole row, so the backward reader of a short sentence reads "
            "padding first. Reverse each sentence within its own length: `reverse_each`.",
            hint=2,
        ),
        Mistake(
            "the backward states stay reversed",
            _variant(turned_back=False),
            "The backward states come out in the order of reading. Turn them back with "
            "`reverse_each`, so that place t belongs to word t.",
            hint=3,
        ),
        Mistake(
            "the backward reader reads forwards",
            _variant(turned="not"),
            "Your second stack reads from left to right as well. Give it "
            "`reverse_each(x, lengths)`.",
            hint=2,
        ),
        Mistake(
            "the directions meet between the layers",
            _variant(mixed=True),
            "Your second layer reads both directions of the first one. Then every state has seen "
            "the word that it must bet on. The two stacks never meet before the end.",
            hint=2,
        ),
        Mistake(
            "one stack for both directions",
            _variant(directions=(0, 0)),
            "Both directions read with the weights of the forward stack. The backward one has its "
            "own.",
            hint=3,
        ),
        Mistake(
            "the stacks are swapped",
            _variant(directions=(1, 0)),
            "The weights of RNN_0 read forwards, those of RNN_1 backwards. Yours are swapped.",
            hint=3,
        ),
        Mistake(
            "the backward half comes first",
            _variant(backward_first=True),
            "In each layer the forward states come first, then the backward ones.",
            hint=3,
        ),
        Mistake(
            "the two halves are added",
            _variant(halves="added"),
            ADDED,
            hint=3,
        ),
        Mistake(
            "the two halves are added, those of the words as well",
            _changed(lambda layers, mask: ([sum(x.chunk(2, -1)) for x in layers], mask)),
            ADDED,
            hint=3,
        ),
        Mistake(
            "the two directions stand behind each other",
            _changed(lambda layers, mask: ([torch.cat(x.chunk(2, -1), 1) for x in layers], mask)),
            "You join the two directions along the words, so each sentence is there twice. Put "
            "the vectors side by side: `torch.cat([ahead, behind], -1)`.",
            hint=3,
        ),
        Mistake(
            "the forward states in both halves",
            _variant(copied=True),
            "Your second half is made from the forward states, reversed. Reverse the states "
            "of the backward stack.",
            hint=3,
        ),
        Mistake(
            "the token layer stands there once",
            _variant(doubled=False),
            "Your token layer has H numbers. It is put beside itself, [x ; x], so that every "
            "layer has 2 H.",
            hint=3,
        ),
        Mistake(
            "the token layer is reversed",
            _changed(lambda layers, mask: (_with_turned_tokens(layers, mask), mask)),
            "In your token layer the second half is reversed. It is [x ; x], each word beside "
            "itself: turn x only for the backward reader.",
            hint=3,
        ),
        Mistake(
            "no token layer",
            _variant(token_layer=False),
            "The token layer [x ; x] is missing. L layers of LSTMs give L + 1 tensors.",
            hint=3,
        ),
        Mistake(
            "a layer starts from the state of the layer below",
            _variant(carries_on=True),
            "Each layer starts with h and c at 0. Yours goes on with the last state of the layer "
            "below: set them to 0 inside the loop over the layers.",
            hint=2,
        ),
        Mistake(
            "the states are reshaped",
            _variant(stacked="reshaped"),
            "`reshape` and `view` keep the numbers in their order and mix up sentences and "
            "places. You have a list of T states, (B, H) each: `torch.stack(states, 1)`.",
            hint=2,
        ),
        Mistake(
            "the last state everywhere",
            _variant(stacked="the last"),
            "Each place has the state of the last word. Collect the state after each word, "
            "and stack them along axis 1.",
            hint=2,
        ),
        Mistake(
            "the clip is always 3",
            _variant(clips=False),
            "`clip` is given to the constructor, and you clip at 3. Use `self.clip`.",
            hint=1,
        ),
        Mistake(
            "the top layer alone",
            _changed(lambda layers, mask: (layers[-1:], mask)),
            "Only the top layer is there. Return all L + 1.",
            hint=3,
        ),
        Mistake(
            "from the top down",
            _changed(lambda layers, mask: (layers[::-1], mask)),
            "Your list begins with the top layer. The token layer comes first.",
            hint=3,
        ),
        Mistake(
            "the lengths in place of the mask",
            _changed(lambda layers, mask: (layers, mask.sum(1))),
            "You return the lengths. Return the mask, (B, T): True where there is a token.",
            hint=1,
        ),
        Mistake(
            "the mask of letters",
            _changed(lambda layers, mask: (layers, mask[..., None].expand(-1, -1, CHARACTERS))),
            "Your mask says of each letter whether it is there. A token is there if any of its "
            "letters is: `.any(-1)`.",
            hint=1,
        ),
        Mistake(
            "the mask is negated",
            _changed(lambda layers, mask: (layers, ~mask)),
            "Your mask is True at padding. It is True where there is a token.",
            hint=1,
        ),
        Mistake(
            "cut off from autograd",
            _changed(lambda layers, mask: ([layer.detach() for layer in layers], mask)),
            "The numbers are right, and nothing learns: no gradient comes through `.detach()` or "
            "`torch.no_grad()`. Leave them out.",
        ),
    ),
    right_answers={
        "loops over layers and words": _variant(),
        "one sentence after the other": _OneSentenceAtATime,
    },
    rtol=1e-6,
    atol=1e-9,
)
