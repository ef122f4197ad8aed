import numpy as np
import pytest
import torch

from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.tasks.decoding import decode_step, greedy_decode
from elmo_mini.tasks.language_model_use import train_language_model
from elmo_mini.tasks.seq2seq import (
    Seq2Seq,
    attend,
    attend_to_layers,
    joint_loss,
    pair_loss,
    seq2seq_perplexity,
    softmax_input,
    start_decoder,
    start_encoder,
    train_seq2seq,
    translate,
)
from elmo_mini.text.batches import pad
from elmo_mini.training.steps import TrainingOptions
from tests.elmo_mini.devices import DevicesNamed, computes_on_meta

Pairs = list[tuple[list[int], list[int]]]


def model_of(**options: bool) -> Seq2Seq:
    torch.manual_seed(2)
    return Seq2Seq(9, 11, 6, **options)


def language_models() -> tuple[LSTMLanguageModel, LSTMLanguageModel]:
    torch.manual_seed(3)
    return LSTMLanguageModel(9, 6, 6), LSTMLanguageModel(11, 6, 6)


def drawn(count: int, seed: int = 0) -> Pairs:
    """The target is the source with 2 in front of each word: ids 3 to 8."""
    rng = np.random.default_rng(seed)
    sources = [rng.integers(3, 9, rng.integers(1, 4)).tolist() for _ in range(count)]
    return [(s, [token for word in s for token in (2, word)]) for s in sources]


def test_attention_sums_to_one_and_leaves_padding_out() -> None:
    queries, keys = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    mask = torch.tensor([[True] * 5, [True, True, False, False, False]])
    weights = attend(queries, keys, mask)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3))
    assert (weights[1, :, 2:] == 0).all()
    for b, t in np.ndindex(2, 3):
        real = int(mask[b].sum())
        scores = np.exp([float(queries[b, t] @ keys[b, s]) for s in range(real)])
        np.testing.assert_allclose(weights[b, t, :real], scores / scores.sum(), rtol=1e-5)


def test_both_layers_are_read_with_the_same_weights() -> None:
    weights = torch.tensor([[[0.25, 0.75]]])
    first, top = torch.tensor([[[4.0], [8.0]]]), torch.tensor([[[1.0], [0.0]]])
    assert attend_to_layers(weights, first, top).tolist() == [[[7.0, 0.25]]]


def test_residual_and_joint_loss() -> None:
    first, upper = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    assert softmax_input(first, upper).tolist() == [11, 22]
    assert softmax_input(first, upper, residual=False).tolist() == [10, 20]
    losses = [torch.tensor(value, requires_grad=True) for value in (6.0, 2.0, 1.0)]
    loss = joint_loss(losses[0], losses[1], losses[2])
    assert loss.item() == 3
    loss.backward()
    assert [float(part.grad) for part in losses if part.grad is not None] == pytest.approx(
        [1 / 3] * 3
    )


@pytest.mark.parametrize("options", [{}, {"residual": False}, {"both_layers": False}])
def test_no_score_knows_a_later_word_or_padding(options: dict[str, bool]) -> None:
    model = model_of(**options)
    source, mask = pad([[3, 4, 5], [6]], device="cpu")
    inputs = torch.randint(11, (2, 5))
    before = model(source, mask, inputs)
    assert before.shape == (2, 5, 11)
    inputs[:, 3] = (inputs[:, 3] + 1) % 11
    source[1, 1:] = 7
    after = model(source, mask, inputs)
    torch.testing.assert_close(before[:, :3], after[:, :3])
    assert not torch.isclose(before[:, 3:], after[:, 3:]).all(-1).any()
    source[0, 0] = 8
    assert not torch.isclose(after[0], model(source, mask, inputs)[0]).all(-1).any()


def test_starting_copies_both_language_models() -> None:
    model, (source, target) = model_of(), language_models()
    top = [value.clone() for value in model.encoder_top.state_dict().values()]
    start_encoder(model, source)
    start_decoder(model, target)
    ids = torch.randint(9, (2, 4))
    torch.testing.assert_close(model.source_lm(ids), source(ids)[0])
    torch.testing.assert_close(model.target_lm(ids), target(ids)[0])
    for before, after in zip(top, model.encoder_top.state_dict().values(), strict=True):
        assert torch.equal(before, after), "the upper layer stays as drawn"
    start = target.softmax.weight.clone()
    train_seq2seq(model, drawn(20))
    assert torch.equal(target.softmax.weight, start)
    assert not torch.equal(model.softmax.weight, start)


def test_a_decoder_can_start_without_its_softmax() -> None:
    model, (_, target) = model_of(), language_models()
    softmax = model.softmax.weight.clone()
    start_decoder(model, target, softmax=False)
    assert torch.equal(model.softmax.weight, softmax)
    assert torch.equal(model.target_embedding.weight, target.embedding.weight)


def test_a_start_of_another_size_changes_nothing() -> None:
    model = model_of()
    before = {key: value.clone() for key, value in model.state_dict().items()}
    with pytest.raises(ValueError, match=r"encoder has LSTM of weight_ih_l0 \(24, 6\)"):
        start_encoder(model, LSTMLanguageModel(9, 6, 7))
    with pytest.raises(ValueError, match=r"decoder has Embedding of weight \(11, 6\)"):
        start_decoder(model, LSTMLanguageModel(9, 6, 6))
    assert all(torch.equal(before[key], value) for key, value in model.state_dict().items())


def test_with_the_residual_the_softmax_reads_what_the_language_model_gave_it() -> None:
    """With an upper part of zeros, the model says what its target language model says."""
    model, (_, target) = model_of(), language_models()
    start_decoder(model, target)
    torch.nn.init.zeros_(model.combine.weight)
    torch.nn.init.zeros_(model.combine.bias)
    inputs = torch.randint(11, (1, 4))
    source, mask = pad([[3, 4]], device="cpu")
    torch.testing.assert_close(model(source, mask, inputs), target(inputs)[0])


def test_the_loss_of_a_pair_by_hand() -> None:
    model = model_of()
    pairs: Pairs = [([3, 4], [5, 6]), ([7], [8])]
    loss, tokens = pair_loss(model, pairs)
    nats = 0.0
    for source, target in pairs:
        scores = (
            model(
                torch.tensor([source]),
                torch.ones(1, len(source), dtype=torch.bool),
                torch.tensor([[1, *target]]),
            )
            .detach()[0]
            .log_softmax(-1)
        )
        nats -= sum(float(scores[place, word]) for place, word in enumerate([*target, 1]))
    assert tokens == 5
    assert loss.item() == pytest.approx(nats / 5, rel=1e-5)
    for batch_size in (1, 2):
        found = seq2seq_perplexity(model, pairs, batch_size=batch_size)
        assert found == pytest.approx(np.exp(nats / 5), rel=1e-5)


def test_it_learns_to_copy_through_attention() -> None:
    torch.manual_seed(0)
    model = Seq2Seq(9, 9, 32)
    train_seq2seq(model, drawn(600), TrainingOptions(epochs=12, learning_rate=1e-2))
    new = drawn(60, seed=1)
    assert seq2seq_perplexity(model, new) < 1.3
    said = translate(model, [source for source, _ in new])
    assert np.mean([s == target for s, (_, target) in zip(said, new, strict=True)]) > 0.8


def test_translation_stops() -> None:
    model = model_of()
    torch.nn.init.zeros_(model.softmax.weight)
    model.softmax.bias.data[:] = torch.arange(11) == 4
    assert translate(model, [[3], [4, 5]], longest=3) == [[4, 4, 4], [4, 4, 4]]
    model.softmax.bias.data[1] = 9
    assert translate(model, [[3], [4, 5]]) == [[], []]


def test_the_joint_loss_keeps_the_language_model() -> None:
    # The pairs say "2 x", the text says 9 10 9 10: without the text the target LM forgets it.
    text = torch.tensor([9, 10]).repeat(300)
    target = language_models()[1]
    options = TrainingOptions(epochs=3, batch_size=2, learning_rate=2e-2)
    train_language_model(target, text, options, bptt=10)
    kept = {}
    for joint in (False, True):
        model = model_of()
        start_decoder(model, target)
        losses = train_seq2seq(
            model,
            drawn(100),
            TrainingOptions(epochs=6, learning_rate=2e-2),
            source_text=text - 2 if joint else None,
            target_text=text if joint else None,
        )
        assert losses[-1] < losses[0]
        scores = model.target_lm(torch.tensor([[9, 10]])).detach().softmax(-1)[0]
        kept[joint] = float(scores[0, 10] * scores[1, 9])
    assert kept[True] > 2 * kept[False]


def test_the_joint_loss_needs_both_texts() -> None:
    with pytest.raises(ValueError, match="both texts"):
        train_seq2seq(model_of(), drawn(4), source_text=torch.arange(9))


def test_it_runs_where_its_parameters_are() -> None:
    source, mask, inputs = torch.ones(2, 3).long(), torch.ones(2, 3).bool(), torch.ones(2, 4).long()
    on_meta = model_of().to("meta")
    scores = on_meta(*(x.to("meta") for x in (source, mask, inputs)))
    assert (scores.device.type, scores.shape) == ("meta", (2, 4, 11))
    model, text = model_of().double(), torch.arange(30) % 9
    with DevicesNamed():
        train_seq2seq(model, drawn(20), source_text=text, target_text=text, bptt=2)
        seq2seq_perplexity(model, drawn(4))
        translate(model, [[3], [4, 5]])
    assert model.softmax.weight.dtype == torch.float64
    computes_on_meta(lambda: train_seq2seq(on_meta, drawn(4)))
    computes_on_meta(lambda: translate(on_meta, [[3]]))


def test_a_source_without_a_word_is_named() -> None:
    model = Seq2Seq(9, 9, 4)
    for use in (
        lambda: seq2seq_perplexity(model, [([2], [3]), ([], [3])]),
        lambda: translate(model, [[2], []]),
        lambda: greedy_decode(model, decode_step, []),
    ):
        with pytest.raises(ValueError, match="a source has no word"):
            use()
