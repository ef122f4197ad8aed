"""Files of earlier releases are read under the parameters' present names."""

from pathlib import Path

import torch

from elmo_mini.checkpoints.safetensors_file import RENAMED, read_checkpoint, write_checkpoint
from elmo_mini.transformer.files import LARGER_CHECKPOINT, load_masked_lm


def test_old_names_are_read_as_the_present_ones_with_and_without_a_prefix(tmp_path: Path) -> None:
    one = torch.ones(1)
    old = {"place.weight": one, "model.place.weight": 2 * one, "replace.weight": 3 * one}
    write_checkpoint(tmp_path / "old.safetensors", old, {})
    tensors, _ = read_checkpoint(tmp_path / "old.safetensors")
    assert {name: float(tensor) for name, tensor in tensors.items()} == {
        "position_embedding.weight": 1,
        "model.position_embedding.weight": 2,
        "replace.weight": 3,
    }


def test_the_courses_masked_model_has_its_positions() -> None:
    tensors, _ = read_checkpoint(LARGER_CHECKPOINT)
    model, _ = load_masked_lm()
    assert not set(RENAMED) & tensors.keys()
    torch.testing.assert_close(
        model.position_embedding.weight, tensors["position_embedding.weight"].float()
    )
