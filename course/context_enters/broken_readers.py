"""Three runs of an LSTM language model with one planted fault each, and their symptoms."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call
from torch.nn import functional

from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.progress import progress_bar
from elmo_mini.tasks.language_model_use import stream_perplexity
from elmo_mini.text.running_text import UNKNOWN, next_word_windows, stream_rows
from elmo_mini.text.vocabulary import Vocabulary

SHUFFLED, UNSHIFTED, ENDLESS = "shuffled", "not shifted", "not detached"
RUNS = {"sound": "", "A": SHUFFLED, "B": UNSHIFTED, "C": ENDLESS}
ROWS, WIDTH, WINDOWS, READINGS, SIZE = 20, 10, 30, 6, 32


@dataclass(frozen=True)
class Symptoms:
    """What can be seen of a run without its code.

    Attributes
    ----------
    training : the mean loss of each reading of its text, nats a word
    held_out : perplexity on other text, measured as it should be
    handed_on : the length of the state h that windows begin with, the first of a reading left out
    nodes : operations that `backward` walks through, for each window of a reading
    seams : the last words read before a window and the first ones in it, three times
    repeats : the mean chance that it gives, on other text, to the word that it has just read
    """

    training: list[float]
    held_out: float
    handed_on: float
    nodes: list[int]
    seams: list[str]
    repeats: float


def print_beside(seen: Mapping[str, Symptoms]) -> None:
    """Print the symptoms of the runs side by side."""
    rows = {
        "held-out perplexity": [f"{run.held_out:,.0f}" for run in seen.values()],
        **{
            f"operations, {name} window": [str(run.nodes[at]) for run in seen.values()]
            for name, at in (("first", 0), ("second", 1), ("last", -1))
        },
        "length of h as a window begins": [f"{run.handed_on:.1f}" for run in seen.values()],
        "chance of the word just read": [f"{run.repeats:.1%}" for run in seen.values()],
    }
    for name, values in {"": list(seen), **rows}.items():
        print(f"{name:>30}" + "".join(f"{value:>8}" for value in values))


def look_at_all(stream: Tensor, held_out: Tensor, vocabulary: Vocabulary) -> dict[str, Symptoms]:
    """The symptoms of the sound run and of A, B and C, on the beginning of running text (N,)."""
    rows = stream_rows(stream[: ROWS * (WINDOWS * WIDTH + 1)], ROWS)
    windows = next_word_windows(rows, WIDTH)
    return {
        name: symptoms(fault, windows, held_out, vocabulary)
        for name, fault in progress_bar(list(RUNS.items()), "training")
    }


def symptoms(
    fault: str, windows: list[tuple[Tensor, Tensor]], held_out: Tensor, vocabulary: Vocabulary
) -> Symptoms:
    """Train the run with this fault, and look at it."""
    torch.manual_seed(0)
    model = LSTMLanguageModel(len(vocabulary), SIZE, SIZE)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    random = np.random.default_rng(0)
    training, lengths = [], []
    for _ in range(READINGS):
        losses, nodes, read, state = [], [], [], None
        for inputs, targets in _ordered(windows, fault, random):
            read.append(inputs)
            if state is not None:
                lengths.append(float(state[0].detach().norm(dim=-1).mean()))
            # The weights are copied for each window, so that a step does not spoil an old graph.
            copied = {name: weight.clone() for name, weight in model.named_parameters()}
            logits, last = functional_call(model, copied, (inputs, state))
            state = last if fault == ENDLESS else (last[0].detach(), last[1].detach())
            expected = inputs if fault == UNSHIFTED else targets
            loss = functional.cross_entropy(logits.flatten(0, 1), expected.flatten())
            nodes.append(_nodes(loss))
            _step(model, optimizer, loss, keep=fault == ENDLESS)
            losses.append(loss.item())
        training.append(float(np.mean(losses)))
    return Symptoms(
        training,
        stream_perplexity(model, held_out),
        float(np.mean(lengths)),
        nodes,
        list(islice(_seams(read, vocabulary), 3)),
        _repeats(model, held_out),
    )


def _ordered(
    windows: list[tuple[Tensor, Tensor]], fault: str, random: np.random.Generator
) -> Iterator[tuple[Tensor, Tensor]]:
    order = random.permutation(len(windows)) if fault == SHUFFLED else range(len(windows))
    return (windows[number] for number in order)


def _step(
    model: LSTMLanguageModel, optimizer: torch.optim.Optimizer, loss: Tensor, *, keep: bool
) -> None:
    """A step as in any run; `keep` is what its author needed to keep it from stopping."""
    optimizer.zero_grad()
    loss.backward(retain_graph=keep)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def _nodes(loss: Tensor) -> int:
    """How many operations lie between a loss and everything that it came from."""
    seen, left = set(), [loss.grad_fn]
    while left:
        node = left.pop()
        if node is not None and node not in seen:
            seen.add(node)
            left += [before for before, _ in node.next_functions]
    return len(seen)


def _seams(read: list[Tensor], vocabulary: Vocabulary) -> Iterator[str]:
    """Four words before and four behind the edges of windows, where all eight are known."""
    for before, after in pairwise(read):
        for ids in torch.cat([before[:, -4:], after[:, :4]], 1).tolist():
            if vocabulary.id(UNKNOWN) not in ids:
                words = vocabulary.decode(ids)
                yield " ".join([*words[:4], "|", *words[4:]])


@torch.no_grad()
def _repeats(model: LSTMLanguageModel, held_out: Tensor) -> float:
    ids = stream_rows(held_out, 8)[:, :200]
    chances = model(ids)[0].softmax(-1)
    return float(chances.gather(-1, ids[..., None]).mean())
