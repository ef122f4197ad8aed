"""Pairs, the text of a run, and a run that stops and goes on."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
import torch

from autograde.exercises.both_sides_at_once import pack as packing
from elmo_mini.__main__ import main
from elmo_mini.checkpoints.safetensors_file import read_checkpoint
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.fine_tuning import CausalLM
from elmo_mini.models.masked_lm import MaskedLM, MaskedLMOptions
from elmo_mini.training.pretraining.sources import from_file
from elmo_mini.transformer.files import load_masked_lm
from elmo_mini.transformer.masked_lm_training import train_masked_lm
from elmo_mini.transformer.pretraining import (
    NO_PAIR,
    MaskedPretraining,
    NumberedText,
    epoch_rows,
    validation_loss,
)
from elmo_mini.transformer.pretraining_card import model_card
from elmo_mini.transformer.pretraining_text import read_sources
from elmo_mini.transformer.sentence_pairs import pack, sentence_pairs
from tests.elmo_mini.devices import computes_on_meta


def text_of(sentences: int = 60) -> NumberedText:
    rng = np.random.default_rng(0)
    lengths = rng.integers(3, 9, sentences)
    words = rng.integers(5, 30, int(lengths.sum())).astype(np.int32)
    goes_on = np.arange(sentences) % 7 < 6
    return NumberedText(words, np.cumsum([0, *lengths]), goes_on)


@pytest.mark.parametrize("first", range(1, 8))
@pytest.mark.parametrize("second", range(8))
def test_a_row_is_what_popping_words_gives(first: int, second: int) -> None:
    sentences = list(range(10, 10 + first)), list(range(30, 30 + second))
    for longest in (3, 4, 5, 9, 10, 20):
        assert pack(*sentences, longest) == packing.EXERCISE.reference(*sentences, longest)


def test_half_of_the_pairs_are_false() -> None:
    documents = [[[100 * d + s] for s in range(20)] for d in range(20)]
    pairs = sentence_pairs(documents, random.Random(0))
    assert len(pairs) == 20 * 19
    assert 0.4 < np.mean([pair.follows for pair in pairs]) < 0.6
    for pair in pairs:
        assert (pair.second[0] == pair.first[0] + 1) == bool(pair.follows)
        assert pair.first != pair.second
    with pytest.raises(ValueError, match="third sentence"):
        sentence_pairs([[[5], [6]]], random.Random(0))


def test_an_epoch_has_pairs_only_where_the_text_goes_on() -> None:
    text = text_of()
    rows = epoch_rows(text, 12, random.Random(1))
    assert all(len(ids) == len(segments) <= 12 for ids, segments, _ in rows)
    assert {follows for *_, follows in rows} == {0, 1, NO_PAIR}
    for ids, segments, follows in rows:
        assert ids.count(3) == (1 if follows == NO_PAIR else 2)
        assert segments[-1] == (0 if follows == NO_PAIR else 1)


def test_a_run_that_was_stopped_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    def fresh() -> MaskedPretraining:
        options = MaskedLMOptions(30, 8, 2, 1, 16)
        return MaskedPretraining(options, text_of(), steps=12, batch_size=8, warm_up=2)

    whole = fresh()
    losses = [whole.train_step() for _ in range(12)]
    half = fresh()
    for _ in range(7):
        half.train_step()
    half.save(tmp_path / "c.safetensors")
    rest = fresh()
    rest.resume(tmp_path / "c.safetensors")
    assert rest.step == 7
    again = [rest.train_step() for _ in range(5)]
    torch.testing.assert_close(torch.tensor(again), torch.tensor(losses[7:]))
    found = validation_loss(rest.model, epoch_rows(text_of(), 16, random.Random(0)), 30)
    assert found["nats"] > 0
    assert 0 <= found["pairs"] <= 1
    other = MaskedPretraining(MaskedLMOptions(30, 16, 2, 1, 16), text_of(), 12, batch_size=8)
    with pytest.raises(ConfigurationError, match="another run: dim is 8 there and 16 here"):
        other.resume(tmp_path / "c.safetensors")


def test_model_and_batch_are_where_the_run_computes() -> None:
    options = MaskedLMOptions(30, 8, 2, 1, 16)
    elsewhere = MaskedPretraining(options, text_of(), 12, batch_size=8, device="meta")
    assert {p.device.type for p in elsewhere.model.parameters()} == {"meta"}
    computes_on_meta(elsewhere.train_step)


def test_the_command_makes_a_model_stops_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["the", "dog", "cat", "barks", "sleeps", "here", "now", "."]
    rng = random.Random(0)
    lines = [" ".join(rng.choices(words, k=6)) for _ in range(5_200)]
    (tmp_path / "t.txt").write_text("\n".join(lines), encoding="utf-8")
    folder = tmp_path / "run"
    common = ["pretrain-masked", "--text", str(tmp_path / "t.txt"), "--output", str(folder)]
    common += ["--dim", "8", "--heads", "2", "--layers", "1", "--longest", "16"]
    assert main([*common, "--steps", "3", "--minutes", "0"]) == 0
    assert not (folder / "model.safetensors").exists()
    assert main([*common, "--steps", "3", "--learning-rate", "0.01"]) == 2
    said = capsys.readouterr().err
    assert "learning_rate is 0.001 there and 0.01 here. Use the same settings" in said
    assert "another output folder" in said
    assert main([*common, "--steps", "3"]) == 0
    model, vocabulary = load_masked_lm(folder / "model.safetensors")
    assert model.options.words == len(vocabulary) == 13
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "3 steps of 32 pairs" in card
    assert "minutes of one core on CPU, " in card
    assert json.loads((folder / "history.json").read_text(encoding="utf-8"))[-1]["step"] == 3
    record = read_checkpoint(folder / "model.safetensors")[1]
    record |= {"words": 13, "validation": {"nats": 1e4, "pairs": 0.5}}  # it has diverged
    assert "10000.000 nats for each hidden word (perplexity inf)" in model_card(record)


@pytest.mark.parametrize("sentences", [120, 2_000, 6_000])
def test_of_a_text_of_any_size_something_is_held_out(tmp_path: Path, sentences: int) -> None:
    path = tmp_path / "own.txt"
    path.write_text("\n".join(f"w{n} meets w{n + 1} ." for n in range(sentences)))
    text, held, _ = read_sources([from_file(path)], frozenset(), 500)
    assert len(text) + len(held) == sentences
    assert 0.007 < len(held) / sentences < 0.025
    assert held.goes_on.any()


def test_a_text_too_small_to_validate_on_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("\n".join(f"w{n} meets w{n + 1} ." for n in range(90)))
    with pytest.raises(ValueError, match="90 sentences, and none of them is left to hold out"):
        read_sources([from_file(path)], frozenset(), 500)
    path.write_text("The same again .\n" * 500)
    with pytest.raises(ValueError, match="none of them is left to learn from"):
        read_sources([from_file(path)], frozenset(), 500)


def test_a_validation_has_a_figure_even_where_chance_hides_no_word() -> None:
    model = MaskedLM(MaskedLMOptions(20, 8, 2, 1, 16))
    rows = [(*pack([10], longest=16), 0)]
    for seed in range(20):
        assert validation_loss(model, rows, 20, seed=seed)["nats"] > 1


def test_a_batch_in_which_chance_hid_no_word_is_passed_over() -> None:
    torch.manual_seed(0)
    model = MaskedLM(MaskedLMOptions(9, 4, 2, 1))
    ids, nothing, word = torch.tensor([[2, 7, 3]]), [[-1, -1, -1]], [[-1, 7, -1]]
    batches = [
        (ids, torch.tensor(targets), ids > 0, None) for targets in (word, nothing, nothing, word)
    ]
    assert len(train_masked_lm(model, batches, 2)) == 2


def test_a_mask_of_ones_and_zeros_is_read_as_true_and_false() -> None:
    torch.manual_seed(0)
    model = MaskedLM(MaskedLMOptions(9, 4, 2, 1)).eval()
    causal = CausalLM(9, 4, 2, 1).eval()
    ids, mask = torch.tensor([[2, 7, 3, 0]]), torch.tensor([[1, 1, 1, 0]])
    with torch.no_grad():
        for reader in (model, causal):
            torch.testing.assert_close(reader(ids, mask)[0, :3], reader(ids, mask > 0)[0, :3])


def test_a_vocabulary_of_special_words_alone_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["pretrain-masked", "--vocabulary", "5"])
    assert "at least 6" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *((name, 0) for name in ("steps", "batch_size", "warm_up", "fall", "chosen")),
        *((name, -1) for name in ("seed", "learning_rate")),
        *((name, float("nan")) for name in ("learning_rate", "fall", "chosen")),
    ],
)
def test_a_setting_out_of_its_range_is_named(name: str, wrong: float) -> None:
    with pytest.raises(ConfigurationError, match=f"{name} is {wrong!r}"):
        MaskedPretraining(
            MaskedLMOptions(30, 8, 2, 1, 16),
            text_of(),
            **{"steps": 12, name: wrong},  # type: ignore[arg-type]
        )
