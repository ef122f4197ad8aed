"""What lesson 08 says of the new_mix holds with the corpora and without them."""

from pathlib import Path

import nltk.data
import numpy as np
import pytest
import torch

from course.scalar_mix_and_elmo.mix_gradient import mix_gradient
from course.scalar_mix_and_elmo.mixing import (
    KnownMix,
    MixingTask,
    batch,
    compare,
    five_ways,
    mixing_task,
    share_of,
    shares_over_steps,
)
from course.scalar_mix_and_elmo.train_mix import train_mix
from elmo_mini import corpora
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.models.elmo import ScalarMix


@pytest.mark.parametrize("with_corpora", [pytest.param(True, marks=pytest.mark.slow), False])
def test_the_claims_of_the_lesson(
    with_corpora: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not with_corpora:
        monkeypatch.setenv("NLTK_DATA", str(tmp_path))
        monkeypatch.setattr(nltk.data, "path", [])
    task = mixing_task(load_pretrained())
    if with_corpora and "names" in task.title:
        pytest.skip("treebank is not here")
    runs = compare(task, five_ways(ScalarMix), train_mix, draws=1)
    learned, normed = runs["learned"], runs["learned,\nlayer norm"]
    gain = share_of(learned, runs["average"])
    assert gain["low"] < 0.005  # "no better than the plain average"
    assert abs(gain["mean"]) < 0.015
    assert share_of(runs["layer 0\nalone"], runs["average"])["high"] < 0
    lines, bands = shares_over_steps({"": learned, ", norm": normed})
    loud, quiet = lines["layer 2"][-1], lines["layer 2, norm"][-1]
    assert loud > lines["layer 1"][-1] + 10  # "takes the lead"
    assert quiet < loud - 5
    assert quiet < lines["layer 1, norm"][-1] + 8  # "gone, or nearly"
    assert all(
        (low <= line).all() and (line <= high).all()
        for line, (low, high) in zip(lines.values(), bands.values(), strict=True)
    )
    other = {"swapped": {"new_mix": ScalarMix, "task": task.swapped(1, 2)}}
    swapped = compare(task, other, train_mix, draws=1)["swapped"][0].shares[-1]
    assert swapped[1] > swapped[2] + 0.02  # "the lead goes with the loudness"
    pulled = compare(task, {"λ": {"new_mix": ScalarMix, "decay": 1.0}}, train_mix, draws=1)["λ"]
    assert np.abs(pulled[0].shares[-1] - 1 / 3).max() < 0.02  # "is the plain average"


def test_a_known_mix_is_found_with_gamma_and_not_without() -> None:
    layers = np.random.default_rng(0).standard_normal((3, 40, 6)) * [[[1.0]], [[1.0]], [[2.0]]]
    known = KnownMix.of(layers, (0.1, 0.7, 0.2), gamma=2)
    shares, gamma = known.learned(mix_gradient, steps=2000)
    assert np.allclose(shares, (0.1, 0.7, 0.2), atol=0.01)
    assert gamma == pytest.approx(2, abs=0.02)
    held, one = known.learned(mix_gradient, hold_gamma=True)
    assert one == 1
    assert np.abs(held - (0.1, 0.7, 0.2)).max() > 0.05


def test_a_batch_is_padded_and_masked() -> None:
    rows = [(torch.ones(3, n, 4), torch.arange(n)) for n in (2, 5)]
    layers, mask, labels = batch(rows)
    assert [tuple(layer.shape) for layer in layers] == [(2, 5, 4)] * 3
    assert mask.sum(1).tolist() == [2, 5]
    assert labels.tolist() == [[0, 1, 0, 0, 0], [0, 1, 2, 3, 4]]
    assert not layers[0][~mask].any()


def test_the_task_has_whole_sentences() -> None:
    try:
        corpora.load("treebank")
    except corpora.CorpusMissing:
        pytest.skip("treebank is not here")
    task = mixing_task(load_pretrained(), sentences=6, asked=4)
    for part in (task.train, task.test):
        assert part
        assert all(layers.shape[:2] == (3, len(labels)) for layers, labels in part)


def test_two_layers_swap_their_volumes() -> None:
    random = torch.Generator().manual_seed(0)
    loud = torch.tensor([1.0, 2.0, 5.0])[:, None, None]
    labels = torch.zeros(9, dtype=torch.long)
    part = [(loud * torch.randn(3, 9, 4, generator=random), labels) for _ in range(4)]
    task = MixingTask("made up", 2, part, part)
    before, after = (torch.cat([x for x, _ in t.test], 1) for t in (task, task.swapped(1, 2)))
    volumes, swapped = before.std((1, 2)), after.std((1, 2))
    assert torch.allclose(swapped, volumes[[0, 2, 1]])
    assert torch.allclose(before[0], after[0])
