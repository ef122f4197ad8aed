"""A probe that learns its mix: it finds the layer that knows, and what is fixed stays fixed."""

import numpy as np
import pytest

from course.what_the_layers_know.mixed_probe import FORBIDDEN, POINTS, LabelledLayers, mixed_probe
from elmo_mini.models.elmo import scalar_mix
from elmo_mini.probing.tasks import Occurrence

RANDOM = np.random.default_rng(0)
WORDS = [Occurrence(("x",), 0, "ab"[i % 2]) for i in range(60)]


def layers(knowing: int, scale: float = 1.0) -> np.ndarray:
    """Two layers of noise, of which one says the label in its first number."""
    found = RANDOM.standard_normal((len(WORDS), 2, 6)).astype(np.float32)
    found[:, knowing, 0] = [4 if o.label == "a" else -4 for o in WORDS]
    found[:, 1] *= scale
    return found


@pytest.mark.parametrize("knowing", [0, 1])
def test_it_finds_the_layer_that_knows(knowing: int) -> None:
    data = LabelledLayers.of(WORDS, layers(knowing))
    found = mixed_probe(data.take(slice(0, 40)), data.take(slice(40, None)), scalar_mix)
    assert found.correct.all()
    assert found.weights.argmax() == knowing
    assert found.weights.sum() == pytest.approx(1)
    assert len(found.curve) == POINTS
    assert found.gamma != 1


def test_what_is_fixed_stays_fixed() -> None:
    data = LabelledLayers.of(WORDS, layers(0))
    found = mixed_probe(data, data, scalar_mix, w=(0, np.log(3)), gamma=0.5, steps=12)
    assert found.weights == pytest.approx([0.25, 0.75])
    assert found.gamma == 0.5


def test_one_scale_takes_the_size_out() -> None:
    large = layers(0, scale=50.0)
    told = LabelledLayers.of(WORDS, large, one_scale=True).layers
    assert [float(h.std()) for h in told] == pytest.approx([1, 1])
    assert float(LabelledLayers.of(WORDS, large).layers[1].std()) > 40


def test_a_label_is_possible_in_its_own_group_only() -> None:
    spoken = [Occurrence(("x",), 0, "bank.river", "bank"), Occurrence(("y",), 0, "bat.club", "bat")]
    allowed = LabelledLayers.of(spoken, np.zeros((2, 1, 1), np.float32)).allowed
    assert allowed.tolist() == [[0, FORBIDDEN], [FORBIDDEN, 0]]
