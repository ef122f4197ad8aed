"""Exercise `decode_step`: one word of a translation."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, returned
from autograde.checking.differentiable import lengths_of, slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention.filled import weighted_sum
from autograde.exercises.starting_from_a_language_model import LESSON
from elmo_mini.tasks.decoding import decode_step, encoded
from elmo_mini.tasks.seq2seq import Seq2Seq, attend

SIZES = (9, 11, 4)  # source words, target words, size
THREE_THINGS = (
    "Return three things, one after the other: the scores (B, V), the new state, and the attention "
    "weights (B, S)."
)
NO_TIME = (
    "An LSTM of your decoder is given {shape}, without an axis for time, and silently reads it as "
    "ONE sentence of so many words. There is one word for each sentence: (B, 1, H), by "
    "`unsqueeze(1)`."
)


@Case.drawn
def _telegrams(rng: Random, lengths: Sequence[int], steps: int, scale: float = 1.0) -> Inputs:
    return {
        "sources": [rng.integers(2, SIZES[0], n).tolist() for n in lengths],
        "words": rng.integers(0, SIZES[1], (steps, len(lengths))),
        "scale": scale,
        "seed": int(rng.integers(1_000_000)),
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """Scores and weights of some steps in turn, each given the state that the last one returned."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(inputs["seed"])
        model = Seq2Seq(*SIZES)
        for part in model.parameters():
            nn.init.normal_(part, std=0.6 * inputs["scale"])
    for lstm in (model.decoder_first, model.decoder_top):
        lstm.register_forward_pre_hook(_refuse_words_without_steps)
    with torch.no_grad():
        first, top, mask = encoded(model, inputs["sources"])
    state, found, scores = None, {}, torch.zeros(())
    layers = {"first": first.requires_grad_(), "top": top.requires_grad_()}
    for number, words in enumerate(inputs["words"], start=1):
        came = returned(
            answer(model, torch.from_numpy(words), state, first.clone(), top.clone(), mask.clone())
        )
        if not isinstance(came, tuple | list) or len(came) != 3:
            raise AnswerRefused(THREE_THINGS)
        scores, state, weights = came
        if not isinstance(scores, Tensor) or not isinstance(weights, Tensor):
            raise AnswerRefused(THREE_THINGS)
        if state is None:
            raise AnswerRefused("Your step returns no state for the next one: it is None.")
        found[f"scores of step {number}"] = plain(scores)
        found[f"attention weights of step {number}"] = plain(weights)
    decoder = nn.ModuleDict(
        {
            name: getattr(model, name)
            for name in ("target_embedding", "decoder_first", "decoder_top", "combine", "softmax")
        }
    )
    reached = slopes(weighted_sum(scores), layers | dict(decoder.named_parameters()))
    words = reached["target_embedding.weight"]
    return found | {
        "the gradient reaches": sorted(
            name for name, slope in reached.items() if slope is not None
        ),
        "words that learn from the last step": (
            [] if words is None else words.abs().sum(1).nonzero().flatten().tolist()
        ),
        "the gradient that comes back": lengths_of(reached),
    }


def _refuse_words_without_steps(lstm: nn.Module, args: tuple[Any, ...]) -> None:
    if args and isinstance(args[0], Tensor) and args[0].ndim == 2:
        raise AnswerRefused(NO_TIME.format(shape=tuple(args[0].shape)))


def _with_a_dict(
    model: Seq2Seq, words: Tensor, state: Any, first: Tensor, top: Tensor, mask: Tensor
) -> Any:
    state = state or {"first": None, "top": None}
    vectors = model.target_embedding(words)[:, None]
    lower, one = model.decoder_first(vectors, state["first"])
    upper, two = model.decoder_top(lower, state["top"])
    weights = attend(upper, top, mask)
    looks = torch.einsum("bts,bsh->bth", weights, torch.cat([first, top], -1))
    joint = model.combine(torch.cat([looks, upper], -1)).tanh()
    return model.softmax(joint + lower).squeeze(1), {"first": one, "top": two}, weights.squeeze(1)


def _state_by_hand(
    model: Seq2Seq, words: Tensor, state: Any, first: Tensor, top: Tensor, mask: Tensor
) -> Any:
    if state is None:
        zeros = torch.zeros(1, len(words), first.shape[-1])
        state = [(zeros, zeros), (zeros, zeros)]
    lower, one = model.decoder_first(model.target_embedding(words[:, None]), state[0])
    upper, two = model.decoder_top(lower, state[1])
    fit = (top * upper).sum(-1).masked_fill(~mask, -torch.inf)
    weights = fit.softmax(-1)
    looks = [(weights[..., None] * layer).sum(1, keepdim=True) for layer in (first, top)]
    joint = torch.tanh(model.combine(torch.cat([*looks, upper], -1)))
    return model.softmax(lower + joint)[:, 0], [one, two], weights


SLIPS = """
--- hint 1
the state is not used: state or (None, None) -> (None, None)
    Every step begins anew: `state` is never used, so the decoder knows one word only. Give each
    LSTM what it returned one step before.
the first layer begins anew: words).unsqueeze(1), below) -> words).unsqueeze(1))
    Your first layer begins anew at each step. Give it the state that it returned one step before.
the top layer begins anew: model.decoder_top(lower, above) -> model.decoder_top(lower)
    Your top layer begins anew at each step. Give it the state that it returned one step before.
the states are swapped: (below, above), weights[:, 0] -> (above, below), weights[:, 0]
    The two LSTMs exchange their states from step to step. Hand each its own.
one state for both: model.decoder_top(lower, above) -> model.decoder_top(lower, below) \
        && (below, above), weights[:, 0] -> (above, above), weights[:, 0]
    Your LSTMs go on from one state, each from what the other has left. Hand each its own.
the top layer goes on from the first one's state: model.decoder_top(lower, above) \
        -> model.decoder_top(lower, below)
    Your top LSTM goes on from the state of the first. Each goes on from its own.
the state is cut off: (below, above), weights[:, 0] \
        -> tuple(tuple(part.detach() for part in one) for one in (below, above)), weights[:, 0]
    The numbers are right, and your state is cut off from autograd: no word learns from the steps
    after its own. Return the state as the LSTMs gave it.
--- hint 2
the axis of time is forgotten: model.target_embedding(words).unsqueeze(1) \
        -> model.target_embedding(words)
    There is one word for each sentence: (B, 1, H), by `unsqueeze(1)`. Without an axis for time the
    LSTM silently reads (B, H) as ONE sentence of B words.
a step too many in the shape: scores[:, 0], (below, above), weights[:, 0] \
        -> scores, (below, above), weights
    Your results have an axis of length 1, the one step. Take it out: (B, V) and (B, S).
the scores keep their step: scores[:, 0], -> scores,
    Your scores are (B, 1, V). There is one step: return (B, V).
the weights keep their step: weights[:, 0] -> weights
    Your attention weights are (B, 1, S). There is one step: return (B, S).
the first sentence alone: scores[:, 0] -> scores[0]
    You return the first sentence's scores alone. The one step is on axis 1: `scores[:, 0]`.
--- hint 3
no tanh: torch.tanh(model.combine(heard)) -> model.combine(heard)
    The tanh around `combine` is missing.
a ReLU: torch.tanh(model.combine(heard)) -> torch.relu(model.combine(heard))
    You put a ReLU around `combine`. It is a tanh.
the residual is missing: model.softmax(lower + torch.tanh(model.combine(heard))) \
        -> model.softmax(torch.tanh(model.combine(heard)))
    The first layer's output does not reach the softmax. It goes around the new layers and is added
    to what they give: without it, a random layer stands between what was pretrained.
the new layers are subtracted: lower + torch.tanh -> lower - torch.tanh
    You subtract what the new layers give. It is added.
the residual alone: model.softmax(lower + torch.tanh(model.combine(heard))) -> model.softmax(lower)
    Your softmax reads the first layer alone: that is the language model, which has no source. Add
    what the new layers give.
the residual around the tanh: lower + torch.tanh(model.combine(heard)) \
        -> torch.tanh(lower + model.combine(heard))
    The first layer's output is added before the tanh. It goes straight to the softmax: add it after
    the tanh.
the residual of the top layer: model.softmax(lower + -> model.softmax(upper +
    You add the top layer's output. What goes around the new layers is the output of the first one,
    which was pretrained.
the residual of the word: model.softmax(lower + \
        -> model.softmax(model.target_embedding(words).unsqueeze(1) +
    You add the word's vector. What goes around the new layers is the output of the first LSTM.
the question of the first layer: attend(upper, top, mask) -> attend(lower, top, mask)
    The first layer asks. The question is the output of the decoder's top layer.
the question of the word itself: attend(upper, top, mask) \
        -> attend(model.target_embedding(words).unsqueeze(1), top, mask)
    The word's vector asks. The question is the output of the decoder's top layer.
the layers are read in the other order: weights @ first, weights @ top \
        -> weights @ top, weights @ first
    What was read of the two layers stands in the wrong order. First layer, top layer, then the
    decoder's own.
only the top layer is read: weights @ first, weights @ top -> weights @ top, weights @ top
    You read the encoder's top layer twice and its first one never.
only the first layer is read: weights @ first, weights @ top -> weights @ first, weights @ first
    You read the encoder's first layer twice and its top one never.
the decoder's own comes first: weights @ first, weights @ top, upper \
        -> upper, weights @ first, weights @ top
    The decoder's own output stands in front. What was read comes first, then the decoder's own.
the first layer is combined: weights @ top, upper] -> weights @ top, lower]
    `combine` reads the output of your first layer. It reads the top layer's; the first one goes
    around it.
no attention: weights @ first, weights @ top -> 0 * first[:, :1], 0 * top[:, :1]
    Nothing of the source is read. Multiply the attention weights with each layer:
    `weights @ first`.
the mean of the source: weights @ first, weights @ top \
        -> first.mean(1, keepdim=True), top.mean(1, keepdim=True)
    You take the mean over the source. The attention weights say how much each word counts.
the top layer reads the word: model.decoder_top(lower, above) \
        -> model.decoder_top(model.target_embedding(words).unsqueeze(1), above)
    Your top layer reads the word itself. It reads what the first layer gives.
--- no hint
the keys of the first layer: attend(upper, top, mask) -> attend(upper, first, mask)
    You hold the question against the encoder's first layer. The keys are its top layer; the
    attention weights then read both.
padding is looked at: attend(upper, top, mask) -> attend(upper, top, torch.ones_like(mask))
    You look at the padding, too. Hand the mask on to `attend`.
chances in place of scores: scores[:, 0], (below -> scores[:, 0].softmax(-1), (below
    You return probabilities. Return the scores: the loss takes the softmax itself.
the likeliest word: scores[:, 0], (below -> scores[:, 0].argmax(-1), (below
    You return the likeliest word. Return the scores of all words: (B, V).
the weights and the state are swapped: (below, above), weights[:, 0] \
        -> weights[:, 0], (below, above)
    State and attention weights stand in each other's place. Scores, state, attention weights.
the encoder's layers are cut off: weights = -> first, top = first.detach(), top.detach()⏎weights =
    You detach the encoder's layers, so the encoder never learns.
{part} is cut off where it is read: weights @ {part} -> weights @ {part}.detach() \
        | part = first, top
    You detach `{part}` where it is read, so the encoder learns less than it should.
the keys are cut off: attend(upper, top, mask) -> attend(upper, top.detach(), mask)
    You detach the keys, so the encoder does not learn where to be looked at.
the question is cut off: attend(upper, top, mask) -> attend(upper.detach(), top, mask)
    You detach the question, so the decoder does not learn where to look.
the attention weights are cut off: weights = attend(upper, top, mask) \
        -> weights = attend(upper, top, mask).detach()
    You detach the attention weights, so nobody learns where to look.
the top layer's input is cut off: model.decoder_top(lower, above) \
        -> model.decoder_top(lower.detach(), above)
    You detach what the top layer reads, so the first layer learns from the way around alone.
the way around is cut off: model.softmax(lower + -> model.softmax(lower.detach() +
    You detach the first layer's output where it goes around the new layers.
cut off from autograd: scores[:, 0], (below -> scores[:, 0].detach(), (below
    No gradient comes through your scores, so nothing would be learnt.
"""

EXERCISE = Exercise(
    id="decode_step",
    title="One word of a translation",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=13,
    reference=decode_step,
    run=_run,
    rtol=1e-4,
    atol=1e-5,
    cases=(
        Case("one telegram, the first word", _telegrams((3,), 1)),
        Case("one telegram, three words in turn", _telegrams((4,), 3), weight=2),
        Case("three telegrams with padding, two words", _telegrams((5, 2, 3), 2), weight=2),
        Case("large weights", _telegrams((4, 2), 2, scale=3.0)),
    ),
    mistakes=slips(decode_step, SLIPS),
    right_answers={"a dict of states": _with_a_dict, "attention by hand": _state_by_hand},
)
