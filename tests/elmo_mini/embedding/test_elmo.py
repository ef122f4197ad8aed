"""`Elmo` as AllenNLP's tests hold it: behaviours 4 to 9, 18 to 20, 59 to 62."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding.elmo import Elmo, as_black_box, batch_to_ids
from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM
from tests.elmo_mini import numpy_elmo, official_files

SENTENCES = [
    ["The", "sentence", "."],
    ["ELMo", "helps", "disambiguate", "ELMo", "from", "Elmo", "."],
]


@pytest.fixture
def files(tmp_path: Path) -> official_files.Files:
    return official_files.random_model(tmp_path)


def elmo(files: official_files.Files, count: int = 2, **settings: Any) -> Elmo:
    return Elmo(files.options_file, files.weight_file, count, **{"dropout": 0.0} | settings)


def test_two_representations(files: official_files.Files) -> None:  # 4
    output = elmo(files)(batch_to_ids(SENTENCES))
    assert [tuple(r.shape) for r in output["elmo_representations"]] == [(2, 7, 12)] * 2
    assert output["mask"].dtype == torch.bool
    assert output["mask"].tolist() == [[True] * 3 + [False] * 4, [True] * 7]


def test_keep_sentence_boundaries(files: official_files.Files) -> None:  # 5
    output = elmo(files, keep_sentence_boundaries=True)(batch_to_ids(SENTENCES))
    assert [tuple(r.shape) for r in output["elmo_representations"]] == [(2, 9, 12)] * 2
    assert output["mask"].sum(1).tolist() == [5, 9]


def test_further_dimensions_equal_separate_runs(files: official_files.Files) -> None:  # 6
    model = elmo(files)
    ids = torch.randint(1, 262, (3, 4, 5, 50), generator=torch.Generator().manual_seed(0))
    together = model(ids)
    assert together["mask"].shape == (3, 4, 5)
    for k in range(4):
        apart = model(ids[:, k])
        for whole, part in zip(
            together["elmo_representations"], apart["elmo_representations"], strict=True
        ):
            torch.testing.assert_close(whole[:, k], part, rtol=0, atol=1e-6)


def test_from_a_module(files: official_files.Files) -> None:  # 7
    bilm = load_bilm(*files[:2])
    model = Elmo(None, None, 1, dropout=0, module=bilm)
    ids = batch_to_ids(SENTENCES)
    expected = elmo(files, 1)(ids)["elmo_representations"][0]
    assert torch.equal(model(ids)["elmo_representations"][0], expected)


def test_further_dimensions_with_a_vocabulary(files: official_files.Files) -> None:  # 8
    vocabulary = ["@@PADDING@@", "@@UNKNOWN@@", "The", "sentence", "."]
    model = elmo(files, vocab_to_cache=vocabulary)
    ids, words = batch_to_ids(SENTENCES[:1]), torch.tensor([[2, 3, 4]])
    single = model(ids, words)["elmo_representations"][0]
    torch.testing.assert_close(single, model(ids)["elmo_representations"][0], rtol=0, atol=1e-6)
    copies = model(ids.expand(2, 3, 1, 3, 50), words.expand(2, 3, 1, 3))
    assert copies["mask"].shape == (2, 3, 1, 3)
    for copy in copies["elmo_representations"][0].flatten(0, 1):
        torch.testing.assert_close(copy, single, rtol=0, atol=1e-6)


@pytest.mark.parametrize("requires_grad", [True, False])
def test_who_gets_a_gradient(files: official_files.Files, requires_grad: bool) -> None:  # 9
    model = elmo(files, 1, requires_grad=requires_grad)
    ids = torch.randint(0, 262, (3, 4, 50), generator=torch.Generator().manual_seed(1))
    model(ids)["elmo_representations"][0].sum().backward()
    for name, parameter in model.bilm.named_parameters():
        assert (parameter.grad is not None) == requires_grad, name
    assert all(p.grad is not None for p in model.scalar_mixes.parameters())


def test_equation_one_against_numpy(files: official_files.Files) -> None:  # 61
    weights = [0.3, -0.2, 1.1]
    model = elmo(files, 1, scalar_mix_parameters=weights).double()
    model.scalar_mixes[0].gamma.data[:] = 0.7
    output = model(batch_to_ids(SENTENCES))
    for row, sentence in enumerate(SENTENCES):
        layers, _ = numpy_elmo.sentence_layers(sentence, files.weights, files.options)
        expected = numpy_elmo.mix(layers, weights, 0.7)[1:-1]
        # the mix weights are float32 numbers; the rest is exact
        ours = output["elmo_representations"][0][row].detach().numpy()
        np.testing.assert_allclose(ours[: len(sentence)], expected, rtol=0, atol=1e-7)
        assert (ours[len(sentence) :] == 0).all()


def test_layer_norm_counts_the_boundaries(files: official_files.Files) -> None:  # 60
    model = elmo(files, 1, do_layer_norm=True).double()
    ours = model(batch_to_ids(SENTENCES))["elmo_representations"][0].detach().numpy()
    stacked = np.zeros((3, 2, 9, 12))
    kept = np.zeros((2, 9), dtype=bool)
    for row, sentence in enumerate(SENTENCES):
        layers, _ = numpy_elmo.sentence_layers(sentence, files.weights, files.options)
        stacked[:, row, : layers.shape[1]] = layers
        kept[row, : layers.shape[1]] = True
    expected = numpy_elmo.mix(stacked, [0.0, 0.0, 0.0], 1.0, kept)
    for row, sentence in enumerate(SENTENCES):
        n = len(sentence)
        np.testing.assert_allclose(ours[row, :n], expected[row, 1 : n + 1], rtol=0, atol=1e-12)
        assert (ours[row, n:] == 0).all()


def test_given_mix_parameters_freeze_weights_and_gamma(files: official_files.Files) -> None:  # 62
    free, fixed = elmo(files), elmo(files, scalar_mix_parameters=[0.0, 0.0, 9.0])
    assert sum(p.requires_grad for p in free.parameters()) == 2 * 4
    assert not any(p.requires_grad for p in fixed.parameters())


def test_dropout_acts_in_training_only(files: official_files.Files) -> None:
    model = elmo(files, dropout=0.5)
    ids = batch_to_ids([["word"] * 40])
    first, second = model.train()(ids)["elmo_representations"]
    share = (first == 0).float().mean().item()
    assert 0.35 < share < 0.65
    assert not torch.equal(first == 0, second == 0)  # drawn for each representation
    still = model.eval()(ids)["elmo_representations"][0]
    assert (still != 0).all()
    kept = first != 0
    torch.testing.assert_close(first[kept], 2 * still[kept])


def test_stateful_on_request_only(files: official_files.Files) -> None:
    ids = batch_to_ids(SENTENCES)
    steady, moving = elmo(files, 1), elmo(files, 1, stateful=True)
    first = steady(ids)["elmo_representations"][0]
    assert torch.equal(steady(ids)["elmo_representations"][0], first)
    assert torch.equal(moving(ids)["elmo_representations"][0], first)
    assert not torch.allclose(moving(ids)["elmo_representations"][0], first, atol=1e-4)
    moving.reset_states()
    assert torch.equal(moving(ids)["elmo_representations"][0], first)


def test_an_empty_sentence_beside_others(files: official_files.Files) -> None:
    output = elmo(files, 1)(batch_to_ids([["a", "b"], []]))
    assert output["mask"].sum(1).tolist() == [2, 0]
    assert (output["elmo_representations"][0][1] == 0).all()


def test_output_dim_and_a_projection_on_top(files: official_files.Files) -> None:  # 20
    model = elmo(files, 1)
    assert model.get_output_dim() == 12
    project = torch.nn.Linear(model.get_output_dim(), 20)
    ids = batch_to_ids([["a", "b"]])
    assert project(model(ids)["elmo_representations"][0]).shape == (1, 2, 20)
    four = model(ids.view(1, 1, 2, 50))["elmo_representations"][0]
    assert project(four).shape == (1, 1, 2, 20)


def test_a_tagger_learns_saves_and_loads(files: official_files.Files, tmp_path: Path) -> None:
    """Behaviours 18 and 19."""
    torch.manual_seed(6)

    def tagger() -> torch.nn.ModuleDict:
        return torch.nn.ModuleDict({"elmo": elmo(files, 1), "tags": torch.nn.Linear(12, 3)})

    def scores(model: torch.nn.ModuleDict, ids: torch.Tensor) -> torch.Tensor:
        return model["tags"](model["elmo"](ids)["elmo_representations"][0])

    model = tagger()
    ids = batch_to_ids(SENTENCES)
    gold = torch.tensor([[0, 1, 2, -1, -1, -1, -1], [0, 1, 1, 0, 2, 0, 2]])
    optimiser = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 0.05)
    losses = []
    for _ in range(60):
        loss = torch.nn.functional.cross_entropy(
            scores(model, ids).flatten(0, 1), gold.flatten(), ignore_index=-1
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
    torch.save(model.state_dict(), tmp_path / "tagger.pt")
    again = tagger()
    again.load_state_dict(torch.load(tmp_path / "tagger.pt", weights_only=True))
    with torch.no_grad():
        assert torch.equal(scores(again, ids), scores(model, ids))
        assert scores(again, ids).softmax(-1).shape == (2, 7, 3)


def test_clear_errors(files: official_files.Files) -> None:
    bilm: FastBiLM = load_bilm(*files[:2])
    with pytest.raises(ConfigurationError, match="not both"):
        Elmo(files.options_file, files.weight_file, 1, module=bilm)
    with pytest.raises(ConfigurationError, match="or a module"):
        Elmo(files.options_file, None, 1)
    with pytest.raises(ConfigurationError, match="at least 1"):
        elmo(files, 0)
    with pytest.raises(ConfigurationError, match="1 initial weights"):
        elmo(files, scalar_mix_parameters=[1.0])


@pytest.mark.parametrize("trained", [True, False])
def test_words_of_a_vocabulary_are_read_with_the_present_weights(
    files: official_files.Files, trained: bool
) -> None:
    model = elmo(files, 1, vocab_to_cache=["", "The", "sentence"], requires_grad=trained)
    ids, words = batch_to_ids([["The", "sentence"], ["The"]]), torch.tensor([[1, 2], [1, 0]])
    nothing = torch.zeros_like(ids)

    def outputs() -> tuple[torch.Tensor, torch.Tensor]:
        pair = model(nothing, words), model(ids)
        return pair[0]["elmo_representations"][0], pair[1]["elmo_representations"][0]

    before, _ = outputs()
    state = model.state_dict()
    for name in state:
        if "token_encoder" in name:
            state[name] = state[name] * 1.5
    model.load_state_dict(state)
    by_word, by_letter = outputs()
    torch.testing.assert_close(by_word, by_letter, rtol=0, atol=1e-6)
    assert float((before - by_word).detach().abs().max()) > 1e-3
    if trained:
        by_word.sum().backward()
        by_word_grads = [p.grad.clone() for p in model.bilm.token_encoder.parameters()]
        model.zero_grad()
        by_letter.sum().backward()
        for mine, theirs in zip(by_word_grads, model.bilm.token_encoder.parameters(), strict=True):
            torch.testing.assert_close(mine, theirs.grad)
    with torch.no_grad():
        for parameter in model.bilm.token_encoder.parameters():
            parameter.mul_(0.5)
        by_word, by_letter = outputs()
    torch.testing.assert_close(by_word, by_letter, rtol=0, atol=1e-6)


def test_ids_may_be_arrays_and_lists(files: official_files.Files) -> None:
    model = elmo(files, 1, vocab_to_cache=["", "The", "sentence", "."]).eval()
    ids, words = batch_to_ids(SENTENCES[:1]), torch.tensor([[1, 2, 3]])
    wanted = model(ids, words)["elmo_representations"][0]
    small = ids.numpy().astype(np.uint16), words.numpy().astype(np.int32)
    for given in ((ids.numpy(), words.numpy()), (ids.tolist(), words.tolist()), small):
        assert torch.equal(model(*given)["elmo_representations"][0], wanted)
        assert torch.equal(model.bilm(*given)["mask"], model.bilm(ids)["mask"])
    with pytest.raises(TypeError, match="the ids are words; make them"):
        model(SENTENCES[:1])
    with pytest.raises(TypeError, match="no array of whole numbers"):
        model([[[1] * 50], [[1] * 50] * 2])
    with pytest.raises(ValueError, match="must be whole numbers"):
        model(ids.numpy() * 1.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_output_representations": 1.5}, "is 1.5; it must be a whole number"),
        ({"num_output_representations": "1"}, "is '1'; it must be a whole number"),
        ({"dropout": float("nan")}, "dropout is nan"),
        ({"scalar_mix_parameters": [0.0, float("nan"), 0.0]}, "they must be finite"),
    ],
)
def test_an_odd_setting_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Elmo(
            None, None, **{"num_output_representations": 1, "module": load_pretrained()} | settings
        )


def test_a_string_is_no_vocabulary() -> None:
    with pytest.raises(TypeError, match="not a list of words"):
        Elmo(None, None, 1, module=load_pretrained(), vocab_to_cache="abc")


def test_ids_of_every_whole_type_give_the_same_vectors() -> None:
    elmo = Elmo(None, None, 1, module=load_pretrained(), dropout=0.0, vocab_to_cache=["", "a"])
    ids = batch_to_ids([["a", "a"]])
    wanted = elmo(ids)["elmo_representations"][0]
    for kind in (torch.int16, torch.int32, torch.uint16, torch.uint32, torch.uint64):
        given = elmo.eval()(ids.to(kind))["elmo_representations"][0]
        torch.testing.assert_close(given, wanted)
    rows = torch.tensor([[1, 1]], dtype=torch.uint8)
    torch.testing.assert_close(elmo(ids, rows)["elmo_representations"][0], wanted)
    with pytest.raises(ValueError, match="both must be of the same sentences"):
        elmo(ids, rows[:, :1])
    # The begin of a word, 259, would be 3 there: other vectors, and nobody would know.
    for small in (ids.to(torch.uint8), ids.to(torch.int8), ids.numpy().astype(np.uint8)):
        with pytest.raises(ValueError, match=r"int8, in which 261 is another number"):
            elmo(small)
    for kind, odd in (("sparse", ids.to_sparse()), ("nested", torch.nested.nested_tensor([ids]))):
        with pytest.raises(ValueError, match=f"the ids are a {kind} tensor"):
            elmo(odd)
    with pytest.raises(ValueError, match="meta device, which holds no numbers"):
        elmo(ids.to("meta"))


def test_a_black_box_reads_without_dropout_and_leaves_the_mode(files: official_files.Files) -> None:
    model = elmo(files, 1, dropout=0.5).train()
    read = as_black_box(model)
    first, again = read(SENTENCES), read(SENTENCES)
    assert [vectors.shape for vectors in first] == [(3, 12), (7, 12)]
    expected = model.eval()(batch_to_ids(SENTENCES))["elmo_representations"][0]
    for row, (one, two) in enumerate(zip(first, again, strict=True)):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, expected[row, : len(one)].detach())
    model.train()
    read(SENTENCES)
    assert model.training
