"""A translator word by word is the translator that reads its whole target at once."""

import math

import pytest
import torch

from elmo_mini.errors import ConfigurationError
from elmo_mini.tasks.decoding import (
    decode_step,
    encoded,
    greedy_decode,
    pair_loss,
    stepped_losses,
    stepped_perplexity,
    swapped,
)
from elmo_mini.tasks.seq2seq import Seq2Seq, seq2seq_perplexity, translate

PAIRS = [([3, 4, 5], [6, 3, 7, 4, 8]), ([5], [5, 6]), ([4, 8], [2, 4, 8])]


@pytest.fixture
def model() -> Seq2Seq:
    torch.manual_seed(1)
    made = Seq2Seq(9, 11, 6)
    for part in made.parameters():
        torch.nn.init.normal_(part, std=0.7)
    return made.eval()


@pytest.mark.parametrize("without", ["residual", "both_layers"])
def test_steps_are_of_a_whole_translator(without: str) -> None:
    lesser = Seq2Seq(9, 11, 6, **{without: False})
    with pytest.raises(ValueError, match="use translate and seq2seq_perplexity"):
        greedy_decode(lesser, decode_step, [3])
    assert len(translate(lesser, [[3]])) == 1


def test_step_by_step_is_all_at_once(model: Seq2Seq) -> None:
    found = stepped_perplexity(model, decode_step, PAIRS)
    assert found == pytest.approx(seq2seq_perplexity(model, PAIRS), rel=1e-5)
    assert found == pytest.approx(stepped_perplexity(model, decode_step, PAIRS, batch_size=1))
    losses = stepped_losses(model, decode_step, PAIRS)
    assert losses.shape == (3, 6)
    assert (losses[1, 3:] == 0).all()
    mean = losses.sum() / 13
    assert mean.item() == pytest.approx(math.log(found), rel=1e-5)
    assert pair_loss(model, decode_step, PAIRS).item() == pytest.approx(mean.item())


def test_greedy_decoding_and_its_attention_weights(model: Seq2Seq) -> None:
    for source, _ in PAIRS:
        predicted, weights = greedy_decode(model, decode_step, source, longest=7)
        assert predicted == translate(model, [source], longest=7)[0]
        assert weights.shape == (min(len(predicted) + 1, 7), len(source))
        torch.testing.assert_close(weights.sum(-1), torch.ones(len(weights)))
    with pytest.raises(ConfigurationError, match="longest is 0"):
        greedy_decode(model, decode_step, PAIRS[0][0], longest=0)


def test_padding_gets_no_attention(model: Seq2Seq) -> None:
    layers = encoded(model, [source for source, _ in PAIRS])
    _, _, weights = decode_step(model, torch.tensor([1, 1, 1]), None, *layers)
    assert (weights[~layers[2]] == 0).all()


def test_a_decoder_that_reads_ahead_is_a_fault_to_be_shown(model: Seq2Seq) -> None:
    honest, ahead = (
        stepped_losses(model, decode_step, PAIRS, read_ahead=peeks) for peeks in (False, True)
    )
    assert not torch.allclose(honest, ahead)


def test_swapped_pairs_keep_their_targets() -> None:
    assert swapped(PAIRS) == [
        ([4, 8], PAIRS[0][1]),
        ([3, 4, 5], PAIRS[1][1]),
        ([5], PAIRS[2][1]),
    ]
