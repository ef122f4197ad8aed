"""Translators with a planted fault each, for lesson 04 to be diagnosed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course.starting_from_a_language_model.bench import StartsBench, starts_bench
from elmo_mini.recurrent.decoding import (
    State,
    Stepped,
    decode_step,
    pair_loss,
    say,
    stepped_losses,
    stepped_perplexity,
    swapped,
)
from elmo_mini.recurrent.fine_tuning import tune_and_watch
from elmo_mini.recurrent.language_model import LSTMLanguageModel, stream_perplexity
from elmo_mini.recurrent.seq2seq import Pair, Seq2Seq, start_decoder, start_encoder

FAULTS = (  # as the lesson numbers them
    "at each step it reads the very word that it must say",
    "in training, each telegram stands beside the sentence of another",
    "attention looks at the padding, too",
    "nothing was copied from the language models",
    "the decoder's states are not handed on from step to step",
    "the pairs of the test stand among those of training",
)
GIVEN_AWAY, STRANGERS, PADDING, FRESH, FORGETFUL, LEAK = FAULTS
RUNS = {"A": STRANGERS, "B": FORGETFUL, "C": GIVEN_AWAY}
RATE, EPOCHS, BATCH = 7e-3, 6, 32


def broken_translators(seed: int) -> tuple[str, dict[str, Any]]:
    """What is seen of a sound translator and of each broken one, one run each."""
    bench = starts_bench()
    models = bench.language_model(), bench.telegram_model()
    seen = {
        name: _seen(bench, models, fault, seed) for name, fault in {"sound": "", **RUNS}.items()
    }
    return "Translators with a fault each", {
        "pairs": len(bench.pairs),
        "test pairs": len(bench.asked),
        "training": {"passes": EPOCHS, "batch": BATCH, "learning_rate": RATE},
        "runs": seen,
    }


def peeking(
    model: Seq2Seq, words: Tensor, state: State, first: Tensor, top: Tensor, mask: Tensor
) -> Stepped:
    """A step that looks at everything, padding included."""
    return decode_step(model, words, state, first, top, torch.ones_like(mask))


def forgetful(
    model: Seq2Seq, words: Tensor, state: State, first: Tensor, top: Tensor, mask: Tensor
) -> Stepped:
    """A step that begins anew at each word."""
    return decode_step(model, words, None, first, top, mask)


def _seen(
    bench: StartsBench,
    models: tuple[LSTMLanguageModel, LSTMLanguageModel],
    fault: str,
    seed: int,
) -> dict[str, Any]:
    torch.manual_seed(seed)
    words = len(bench.vocabulary)
    model = Seq2Seq(words, words, bench.size)
    if fault != FRESH:
        start_decoder(model, models[0])
        start_encoder(model, models[1])
    step = {PADDING: peeking, FORGETFUL: forgetful}.get(fault, decode_step)
    ahead = fault == GIVEN_AWAY
    pairs = list(bench.pairs)
    if fault == STRANGERS:
        pairs = swapped(pairs)
    if fault == LEAK:
        pairs = [*pairs[: -len(bench.asked)], *bench.asked]
    losses, _ = tune_and_watch(
        model,
        bench.pair_batches(pairs, EPOCHS, BATCH, seed),
        lambda batch: pair_loss(model, step, batch, read_ahead=ahead),
        RATE,
        lambda: None,
        len(pairs),
    )
    with torch.no_grad():
        by_place = stepped_losses(model, step, bench.asked, read_ahead=ahead)
    watched = LSTMLanguageModel(words, bench.size, bench.size)
    watched.embedding, watched.lstm = model.target_embedding, model.decoder_first
    watched.softmax = model.softmax

    def asked(pairs: Sequence[Pair], batch_size: int = 100) -> float:
        return stepped_perplexity(model, step, pairs, batch_size=batch_size, read_ahead=ahead)

    return {
        "loss of the first batch": losses[0],
        "loss of the last 20 batches": float(np.mean(losses[-20:])),
        "perplexity": asked(bench.asked),
        "perplexity, other sentences": asked(bench.asked_too),
        "perplexity, one by one": asked(bench.asked, 1),
        "perplexity, another's telegram": asked(swapped(bench.asked)),
        "nats by place": by_place[:, :5].mean(0).tolist(),
        "perplexity of the language model inside": stream_perplexity(watched, bench.held_out_third),
        "says": [
            [
                " ".join(bench.vocabulary.decode(ids))
                for ids in (source, target, say(model, step, source)[0])
            ]
            for source, target in bench.asked[:3]
        ],
    }
