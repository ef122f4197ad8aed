"""Exercise `BiLM`: two stacks of LSTMs over the same words."""

import copy
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed
from autograde.checking.differentiable import slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.given_weights import when_trained
from autograde.checking.slips import slips
from autograde.exercises.bilm_from_scratch import LESSON
from autograde.exercises.bilm_from_scratch.again import refuse_memory
from autograde.exercises.bilm_from_scratch.drawn_bilm import (
    CELL,
    CHARACTERS,
    OTHERS,
    Letters,
    weights_of,
)
from autograde.exercises.bilm_from_scratch.lstm_step import lstm_step
from elmo_mini.models.elmo import BiLM, Weights, reverse_each

Layers = tuple[list[Tensor], Tensor]
NO_SUCH_NAME = (
    "Your constructor asks for {}, and `weights` has no such name. There may be one layer or "
    "three, and more names: count those that begin with `RNN_0/` and end with `/B`."
)
WORDS_FIRST = (
    "`read` gives its states with the words on the first axis, (T, B, H). `x` is (B, T, H), and so "
    "are the states: `torch.stack(states, 1)`."
)


@Case.drawn
def _sentences(
    rng: Random, lengths: Sequence[int], layers: int = 2, clip: float = 3.0, trained: bool = False
) -> Inputs:
    shape = (len(lengths), max(lengths), CHARACTERS)
    there = np.arange(max(lengths)) < np.array(lengths)[:, None]
    ids = rng.integers(1, 262, shape) * there[..., None]
    sizes = {"layers": layers, "H": 2, "C": 3, "seed": int(rng.integers(1_000_000))}
    return {"model": sizes, "clip": clip, "ids": ids, "trained": trained}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The layers at words, the mask, and how much there is to learn."""
    sizes = inputs["model"]
    generator = torch.Generator().manual_seed(sizes["seed"])
    weights = weights_of(sizes["layers"], sizes["H"], sizes["C"], generator)
    letters = Letters(sizes["H"], generator)
    names = [*weights]
    try:
        model = answer(copy.deepcopy(letters), weights, inputs["clip"])
    except KeyError as error:
        if "RNN_" not in str(error):
            raise
        raise AnswerRefused(NO_SUCH_NAME.format(error)) from error
    if not isinstance(model, nn.Module):
        raise AnswerRefused(
            "`BiLM(char_cnn, weights, clip)` should give a module of PyTorch. Keep the first line, "
            "`class BiLM(nn.Module):`."
        )
    if [*weights] != names:
        raise AnswerRefused(
            "Your constructor changes the dict `weights`. Read it with `weights[name]`, and leave "
            "it as it is."
        )
    ids = torch.from_numpy(inputs["ids"].copy())
    try:
        came = model(ids)
    except (ValueError, RuntimeError, IndexError) as error:
        if _reads_words_first(model, sizes["H"]):
            raise AnswerRefused(WORDS_FIRST) from error
        raise
    refuse_changed(inputs, {"ids": ids})
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
    refuse_memory(model, ids, layers)
    there = torch.from_numpy((inputs["ids"] > 0).any(-1))
    if isinstance(mask, Tensor) and mask.shape == there.shape and mask.dtype != torch.bool:
        raise AnswerRefused(
            "Your mask holds numbers. What comes after chooses with it and needs True and False: "
            "`(ids > 0).any(-1)`, without `.long()`, `.int()` or `.float()`."
        )
    kept = [x * there[..., None] if x.shape[:2] == there.shape else x for x in layers]
    total = sum((x * (1 + torch.arange(x.numel()).view_as(x))).sum() for x in kept)
    learnt = [p for p in model.parameters() if p.requires_grad]
    numbers = sum(p.numel() for p in learnt)
    copied = numbers == sum(w.numel() for w in (*weights.values(), *letters.parameters()))
    named = {str(number): parameter for number, parameter in enumerate(learnt)}
    found = slopes(total, named) if isinstance(total, Tensor) else {}
    shown = {
        "layers": [plain(x) for x in kept],
        "mask": plain(mask),
        "numbers that learn": numbers - len(OTHERS) * copied,  # they may be copied along
        "size of the gradient": sum(float((g**2).sum()) for g in found.values() if g is not None),
    }
    if inputs["trained"]:
        shown["the given weights, when yours are trained"] = when_trained(
            model,
            lambda: plain(answer(copy.deepcopy(letters), weights, inputs["clip"])(ids)[0]),
        )
    return shown


def _reads_words_first(model: Any, hidden: int) -> bool:
    """Whether the first layer gives (T, B, H)."""
    with suppress(Exception):
        (states,) = model.read(torch.zeros(2, 3, hidden), model.stacks[0][:1])
        return tuple(states.shape) == (3, 2, hidden)
    return False


class _BiLM(nn.Module):
    """As the lesson writes it."""

    def __init__(self, char_cnn: nn.Module, weights: Weights, clip: float = 3.0) -> None:
        super().__init__()
        self.char_cnn, self.clip = char_cnn, clip
        depth = sum(name.endswith("/B") for name in weights) // 2
        self.stacks: Any = nn.ModuleList(
            nn.ModuleList(
                nn.ParameterDict(
                    {
                        kind: weights[f"{CELL.format(direction, layer)}/{kind}"].clone()
                        for kind in ("W_0", "B", "W_P_0")
                    }
                )
                for layer in range(depth)
            )
            for direction in (0, 1)
        )

    def read(self, x: Tensor, stack: Any) -> list[Tensor]:
        outputs: list[Tensor] = []
        for layer in stack:
            cells, hidden = layer["W_P_0"].shape
            h, c = x.new_zeros(len(x), hidden), x.new_zeros(len(x), cells)
            states = []
            for x_t in x.unbind(1):
                h, c = lstm_step(x_t, h, c, **layer, clip=self.clip)
                states.append(h)
            out = torch.stack(states, dim=1)
            x = out + x if outputs else out
            outputs.append(x)
        return outputs

    def forward(self, ids: Tensor) -> Layers:
        mask = (ids > 0).any(-1)
        lengths = mask.sum(1)
        x = self.char_cnn(ids.flatten(0, 1)).unflatten(0, ids.shape[:2])
        ahead = self.read(x, self.stacks[0])
        behind = self.read(reverse_each(x, lengths), self.stacks[1])
        behind = [reverse_each(h, lengths) for h in behind]
        halves = zip([x, *ahead], [x, *behind], strict=True)
        return [torch.cat(two, -1) for two in halves], mask


class _OneSentenceAtATime(_BiLM):
    """Without padding: every sentence is read alone, in its own length."""

    def forward(self, ids: Tensor) -> Layers:
        mask, rows = (ids > 0).any(-1), []
        for sentence, length in zip(ids, mask.sum(1).tolist(), strict=True):
            layers, _ = super().forward(sentence[None, :length])
            rows.append([nn.functional.pad(x, (0, 0, 0, len(sentence) - length)) for x in layers])
        return [torch.cat(layer) for layer in zip(*rows, strict=True)], mask


class _Meeting(_BiLM):
    """From the second layer on, each direction reads the sum of both."""

    def forward(self, ids: Tensor) -> Layers:
        layers, mask = super().forward(ids)
        lengths = mask.sum(1)
        for depth, (left, right) in enumerate(zip(*self.stacks, strict=True)):
            ahead, behind = layers[depth].chunk(2, -1)
            (read,) = self.read(ahead + behind, [left])
            (back,) = self.read(reverse_each(ahead + behind, lengths), [right])
            if depth:
                back = reverse_each(back, lengths) + behind
                layers[depth + 1] = torch.cat([read + ahead, back], -1)
        return layers, mask


SLIPS = """
--- hint 1
the backward states stay reversed: [reverse_each(h, lengths) for h in behind] -> behind
    The backward states come out in the order of reading. Turn them back with `reverse_each`, so
    that position t belongs to word t.
--- hint 2
each state is the one before its word: \
        h, c = lstm_step -> states.append(h) ⏎h, c = lstm_step && states.append(h) -> pass
    The state of each position is the one from before its word. Take the step first, then keep its
    h.
every sentence is one shorter: lengths = mask.sum(1) -> lengths = mask.sum(1) - 1
    You reverse all of a sentence but its last token. The whole sentence is reversed, its end
    included: `reverse_each(x, lengths)`.
the words on the first axis: torch.stack(states, dim=1) -> torch.stack(states)
    `read` gives its states with the words on the first axis, (T, B, H). `x` is (B, T, H), and so
    are the states: `torch.stack(states, 1)`.
reversed whole, and back each: self.read(reverse_each(x, lengths) -> self.read(x.flip(1)
    You turn the whole row with `flip(1)` on the way in and each sentence by itself on the way back.
    Use `reverse_each` both times, so that no padding is read first.
reversed each, and back whole: [reverse_each(h, lengths) -> [h.flip(1)
    You turn each sentence by itself on the way in and the whole row with `flip(1)` on the way back,
    so the states of a short sentence stand at its padding. Use `reverse_each` both times.
the padding is read first: self.read(reverse_each(x, lengths) -> self.read(x.flip(1) \
        && [reverse_each(h, lengths) -> [h.flip(1)
    `flip(1)` turns the whole row, so the backward reader of a short sentence reads padding first.
    Reverse each sentence within its own length: `reverse_each`.
the backward reader reads forwards: self.read(reverse_each(x, lengths) -> self.read(x \
        && [reverse_each(h, lengths) -> [h
the backward reader reads forwards, and is turned back: \
        self.read(reverse_each(x, lengths) -> self.read(x
    Your second stack reads from left to right as well. Give it `reverse_each(x, lengths)`.
the states are reshaped: torch.stack(states, dim=1) -> torch.cat(states).view(x.shape)
    `reshape` and `view` keep the numbers in their order and mix up sentences and positions. You
    have a list of T states, (B, H) each: `torch.stack(states, 1)`.
the last state everywhere: stack(states, -> stack([h] * len(states),
    Each position has the state of the last word. Collect the state after each word, and stack them
    along axis 1.
weights that no optimiser finds: self.stacks: Any = nn.ModuleList( -> self.stacks: Any = list(
    No optimiser can train your weights: they are frozen (`requires_grad=False`, a buffer), or they
    stand in a plain list or dict, and `model.parameters()` looks into modules alone. Take
    `nn.ModuleList`, and `nn.ParameterDict` or `nn.ParameterList`.
no gradient from word to word: states.append(h) -> states.append(h)⏎h, c = h.detach(), c.detach()
the state h is cut off from word to word: states.append(h) -> states.append(h)⏎h = h.detach()
    The numbers are right, and no gradient goes back from a word to the words before. Leave out
    `.detach()` between the steps.
the letters learn nothing: .unflatten(0, ids.shape[:2]) -> .unflatten(0, ids.shape[:2]).detach()
    The numbers are right, and no gradient reaches the network of the letters. Leave out `.detach()`
    and `torch.no_grad()` round `self.char_cnn`.
{state} is not carried on: h, c = lstm_step -> {came} = lstm_step \
        && states.append(h) -> states.append({kept}) | state came kept = c h,_ h, h new,c new
    Each word starts again with the first `{state}`, all zeros. What `lstm_step` returns for one
    word goes into the next one: `h, c = lstm_step(x_t, h, c, ...)`.
neither state is carried on: \
        h, c = lstm_step -> new, _ = lstm_step && states.append(h) -> states.append(new)
    Each word starts again with the first `h` and `c`, all zeros. What `lstm_step` returns for one
    word goes into the next one: `h, c = lstm_step(x_t, h, c, ...)`.
the clip is always 3: clip=self.clip -> clip=3.0
    `clip` is given to the constructor, and you clip at 3. Use `self.clip`.
--- hint 3
the residual is added inside the loop: out + x if outputs else out -> out \
        && states.append(h) -> h = h + x_t if outputs else h ⏎states.append(h)
the residual is added inside the loop and after: \
        states.append(h) -> h = h + x_t if outputs else h ⏎states.append(h)
    You add x to h inside the loop over the words, so the next step reads the sum as its h. Let the
    steps run first, stack their states, and add x once, after the loop.
one stack for both directions: self.stacks[1] -> self.stacks[0]
    Both directions read with the weights of the forward stack. The backward one has its own.
the backward stack for both directions: self.stacks[0] -> self.stacks[1]
    Both directions read with the weights of the backward stack. The forward one has its own.
the stacks are swapped: self.stacks[0] -> self.stacks[1] && self.stacks[1] -> self.stacks[0]
    The weights of RNN_0 read forwards, those of RNN_1 backwards. Yours are swapped.
the backward half comes first: [x, *ahead], [x, *behind] -> [x, *behind], [x, *ahead]
    In each layer the forward states come first, then the backward ones.
the two halves are added: [torch.cat(two, -1) for two in halves] \
        -> [torch.cat([x, x], -1), *(a + b for a, b in zip(ahead, behind))]
the two halves are added, those of the words as well: torch.cat(two, -1) -> sum(two)
    You add the two directions. Put them side by side: `torch.cat([ahead, behind], -1)`.
the two directions stand behind each other: torch.cat(two, -1) -> torch.cat(two, 1)
    You join the two directions along the words, so each sentence is there twice. Put the vectors
    side by side: `torch.cat([ahead, behind], -1)`.
the forward states in both halves: for h in behind] -> for h in ahead]
    Your second half is made from the forward states, reversed. Reverse the states of the backward
    stack.
the token layer stands there once: [x, *ahead], [x, *behind] -> ahead, behind \
        && [torch.cat(two, -1) for two in halves] -> [x, *(torch.cat(two, -1) for two in halves)]
    Your token layer has H numbers. It is put beside itself, [x ; x], so that every layer has 2 H.
the token layer is reversed: [x, *behind] -> [reverse_each(x, lengths), *behind]
    In your token layer the second half is reversed. It is [x ; x], each word beside itself: turn x
    only for the backward reader.
no token layer: [x, *ahead], [x, *behind] -> ahead, behind
    The token layer [x ; x] is missing. L layers of LSTMs give L + 1 tensors.
the top layer alone: for two in halves] -> for two in halves][-1:]
    Only the top layer is there. Return all L + 1.
from the top down: for two in halves] -> for two in halves][::-1]
    Your list begins with the top layer. The token layer comes first.
both stacks from the forward weights: CELL.format(direction, layer) -> CELL.format(0, layer)
    Both of your stacks are filled from `RNN_0`. The backward reader's weights are those of `RNN_1`.
the first layer's weights in all layers: CELL.format(direction, layer) -> CELL.format(direction, 0)
    All your layers are filled from `Cell0`. Layer j of a stack is `Cell` j.
a layer is missing: range(depth) -> range(depth - 1)
    Your stacks have a layer too few. There are as many as the names say: count them.
the weights are not copied: .clone() ->
    Your parameters share their numbers with the dict that was given, so training would change
    `weights`, too. Copy each tensor: `weights[name].clone()`.
the residual is missing: out + x if outputs else out -> out
    Nothing is added to your second layer. From the second layer on, a layer's output is its states
    plus what went in: `x = h + x`.
a residual around the first layer, too: out + x if outputs else out -> out + x
    You add the word vectors to the first layer, too. The residual begins with the second layer.
a residual from the third layer on: out + x if outputs else out \
        -> out + x if len(outputs) > 1 else out
    Your residual begins one layer too late. From the second layer on, what went in is added.
the backward reader reads forward states: self.read(reverse_each(x, lengths) \
        -> self.read(reverse_each(ahead[0], lengths)
    Your backward stack reads the states of the forward one, and these have read the words before.
    It reads the words: `reverse_each(x, lengths)`.
a residual around the first layer only: out + x if outputs else out -> out if outputs else out + x
    You add what went in to the first layer and to no other. It is the other way round: the first
    layer has no residual, all others have.
the residual is subtracted: out + x if -> out - x if
    You subtract what went into a layer from its states. Add it: `x = h + x`.
the states are added to themselves: out + x if -> out + out if
    You add a layer's states to themselves. What is added is what went into the layer.
the states are never used: x = out + x if outputs else out -> pass
    You read the words and never use the states: each of your layers is the word vectors again.
the residual comes from the words: outputs: list[Tensor] = [] -> outputs, words = [], x \
        && out + x if -> out + words if
    You add the word vectors to the second layer. What is added is what went into that layer: the
    output of the layer below.
the residual comes from the first layer: out + x if -> out + outputs[0] if
    You add the first layer's output everywhere. What is added is what went into that layer: the
    output of the layer below.
a residual in the second layer alone: out + x if outputs else out \
        -> out + x if len(outputs) == 1 else out
    You add what went in to the second layer alone. All layers from the second on have it.
each layer begins with ones: h, c = x.new_zeros(len(x), hidden) -> h, c = x.new_ones(len(x), hidden)
    Your h begins with ones. Before the first word h and c are 0.
nothing is learnt from the layer above: outputs.append(x) -> outputs.append(x)⏎x = x.detach()
    The numbers are right, and no gradient goes from a layer to the one below. Leave out
    `.detach()`.
the residual does not go on upwards: x = out + x if outputs else out -> x = out \
        && outputs.append(x) -> outputs.append(x + outputs[-1] if outputs else x)
    You show h + x as the layer and hand on h alone. The next layer reads the sum.
the bare states are handed on: \
        x = out + x if outputs else out -> shown, x = out + x if outputs else out, out \
        && outputs.append(x) -> outputs.append(shown)
    You show the sum and hand on the bare states, so the third layer neither reads nor adds what the
    second one showed. Both are the sum: `x = states + x`, then keep `x`.
the residual is handed on and not shown: outputs.append(x) -> outputs.append(out)
    You hand on h + x to the next layer and show h alone. The layer is the sum: append what you hand
    on.
every layer reads the words: x = out + x -> y = out + x && outputs.append(x) -> outputs.append(y)
every layer reads the words and adds nothing: x = out + x if outputs else out -> y = out \
        && outputs.append(x) -> outputs.append(y)
    Your second layer reads the word vectors again, and not the layer below. Hand on what a layer
    gives: at the end of the round, x is its output.
a layer starts from the state of the layer below: \
        h, c = x.new_zeros -> if not outputs: h, c = x.new_zeros
    Each layer starts with h and c at 0. Yours goes on with the last state of the layer below: set
    them to 0 inside the loop over the layers.
--- no hint
cut off from autograd: torch.cat(two, -1) -> torch.cat(two, -1).detach()
    The numbers are right, and nothing learns: no gradient comes through `.detach()` or
    `torch.no_grad()`. Leave them out.
the lengths in place of the mask: in halves], mask -> in halves], lengths
    You return the lengths. Return the mask, (B, T): True where there is a token.
the mask of letters: in halves], mask -> in halves], ids > 0
    Your mask says of each letter whether it is there. A token is there if any of its letters is:
    `.any(-1)`.
the mask is negated: in halves], mask -> in halves], ~mask
    Your mask is True at padding. It is True where there is a token.
"""

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
        Case(
            "training leaves the given weights alone",
            _sentences((2,), layers=1, trained=True),
            edge=True,
            asks="Training moves your copies. The dict that was given keeps its numbers.",
        ),
        Case("a clip that binds", _sentences((4, 3), clip=0.3)),
        Case("a sentence of one token", _sentences((1, 3)), edge=True),
    ),
    mistakes=(
        *slips(_BiLM, SLIPS),
        Mistake(
            "the directions meet between the layers",
            _Meeting,
            "Your second layer reads both directions of the first one. Then every state has seen "
            "the word that it must bet on. The two stacks never meet before the end.",
            hint=3,
        ),
    ),
    right_answers={
        "loops over layers and words": _BiLM,
        "one sentence after the other": _OneSentenceAtATime,
    },
)
