"""The softmax that is kept with the course's biLM."""

from pathlib import Path

import pytest
import torch

from course.bilm_from_scratch.course_softmax import perplexity, read
from course.bilm_from_scratch.quantised_softmax import course_softmax, most_frequent, save_softmax
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.checkpoints.safetensors_file import CheckpointDamaged


def test_eight_bits_keep_a_row_to_a_part_in_254(tmp_path: Path) -> None:
    weight, bias = torch.randn(5, 4) * torch.logspace(-3, 3, 5)[:, None], torch.randn(5)
    weight[2] = 0.0
    save_softmax(tmp_path / "softmax.safetensors", weight, bias, {"words": 1})
    kept = course_softmax(tmp_path / "softmax.safetensors")
    largest = weight.abs().amax(1, keepdim=True)
    assert ((kept.weight - weight).abs() <= largest / 253 + 1e-9).all()
    assert torch.allclose(kept.bias, bias, atol=1e-2)
    assert kept.vocabulary.words == most_frequent(5).words


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "softmax.safetensors").write_bytes(b"no tensors")
    with pytest.raises(CheckpointDamaged):
        course_softmax(tmp_path / "softmax.safetensors")


def test_the_courses_softmax_fits_its_states() -> None:
    kept = course_softmax()
    sentence = ["The", "old", "man", "did", "not", "say", "a", "word", "."]
    states, asked = read(load_pretrained(), [sentence], kept.vocabulary)
    assert len(states) == len(asked) == 2 * (len(sentence) + 1)
    assert perplexity(kept.weight, kept.bias, (states, asked)) < 100
    other = asked.roll(1)
    assert perplexity(kept.weight, kept.bias, (states, other)) > 1000
