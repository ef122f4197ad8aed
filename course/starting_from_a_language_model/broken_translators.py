"""Translators with one planted fault each, and their symptoms, for lesson 04."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course.starting_from_a_language_model.transfer_setup import TransferSetup, transfer_setup
from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.tasks.decoding import (
    State,
    Stepped,
    decode_step,
    greedy_decode,
    pair_loss,
    stepped_losses,
    stepped_perplexity,
    swapped,
)
from elmo_mini.tasks.joint_fine_tuning import tune_and_watch
from elmo_mini.tasks.language_model_use import stream_perplexity
from elmo_mini.tasks.seq2seq import Pair, Seq2Seq, start_decoder, start_encoder

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
    setup = transfer_setup()
    models = setup.language_model(), setup.telegram_model()
    seen = {
        name: _seen(setup, models, fault, seed) for name, fault in {"sound": "", **RUNS}.items()
    }
    return "Translators with a fault each", {
        "pairs": len(setup.pairs),
        "test pairs": len(setup.dev_pairs),
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
    setup: TransferSetup,
    models: tuple[LSTMLanguageModel, LSTMLanguageModel],
    fault: str,
    seed: int,
) -> dict[str, Any]:
    torch.manual_seed(seed)
    words = len(setup.vocabulary)
    model = Seq2Seq(words, words, setup.size)
    if fault != FRESH:
        start_decoder(model, models[0])
        start_encoder(model, models[1])
    step = {PADDING: peeking, FORGETFUL: forgetful}.get(fault, decode_step)
    ahead = fault == GIVEN_AWAY
    pairs = list(setup.pairs)
    if fault == STRANGERS:
        pairs = swapped(pairs)
    if fault == LEAK:
        pairs = [*pairs[: -len(setup.dev_pairs)], *setup.dev_pairs]
    losses, _ = tune_and_watch(
        model,
        setup.pair_batches(pairs, EPOCHS, BATCH, seed),
        lambda batch: pair_loss(model, step, batch, read_ahead=ahead),
        RATE,
        lambda: None,
        len(pairs),
    )
    with torch.no_grad():
        by_position = stepped_losses(model, step, setup.dev_pairs, read_ahead=ahead)
    watched = LSTMLanguageModel(words, setup.size, setup.size)
    watched.embedding, watched.lstm = model.target_embedding, model.decoder_first
    watched.softmax = model.softmax

    def perplexity(pairs: Sequence[Pair], batch_size: int = 100) -> float:
        return stepped_perplexity(model, step, pairs, batch_size=batch_size, read_ahead=ahead)

    return {
        "loss of the first batch": losses[0],
        "loss of the last 20 batches": float(np.mean(losses[-20:])),
        "perplexity": perplexity(setup.dev_pairs),
        "perplexity, other sentences": perplexity(setup.test_pairs),
        "perplexity, one by one": perplexity(setup.dev_pairs, 1),
        "perplexity, another's telegram": perplexity(swapped(setup.dev_pairs)),
        "nats by place": by_position[:, :5].mean(0).tolist(),
        "perplexity of the language model inside": stream_perplexity(watched, setup.held_out_third),
        "says": [
            [
                " ".join(setup.vocabulary.decode(ids))
                for ids in (source, target, greedy_decode(model, step, source)[0])
            ]
            for source, target in setup.dev_pairs[:3]
        ],
    }
