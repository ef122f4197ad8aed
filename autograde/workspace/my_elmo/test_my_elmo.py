"""A tiny model, read by the package and once more by loops in NumPy.

python my_elmo/test_my_elmo.py, or pytest my_elmo
"""

import json
import sys
import tempfile
from functools import cache
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from my_elmo import ELMo

SENTENCES = [["Dogs", "bark", "at", "naïve", "cats"], ["打针", "?"], ["x" * 60]]
LETTER, FILTERS, HIDDEN, CELLS, LAYERS = 4, ((1, 3), (2, 5)), 3, 6, 2
CELL = "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell/{}"
OPTIONS = {
    "lstm": {
        "cell_clip": 3,
        "proj_clip": 3,
        "use_skip_connections": True,
        "projection_dim": HIDDEN,
        "dim": CELLS,
        "n_layers": LAYERS,
    },
    "char_cnn": {
        "activation": "relu",
        "max_characters_per_token": 50,
        "embedding": {"dim": LETTER},
        "filters": FILTERS,
        "n_highway": 1,
        "n_characters": 262,
    },
}


def drawn_weights() -> dict[str, np.ndarray]:
    """The weights of a tiny model, under their official names."""
    rng = np.random.default_rng(0)
    wide = sum(number for _, number in FILTERS)
    shapes: dict[str, tuple[int, ...]] = {"char_embed": (261, LETTER)}
    for i, (width, number) in enumerate(FILTERS):
        shapes |= {f"CNN/W_cnn_{i}": (1, width, LETTER, number), f"CNN/b_cnn_{i}": (number,)}
    for part in ("transform", "carry"):
        shapes |= {f"CNN_high_0/W_{part}": (wide, wide), f"CNN_high_0/b_{part}": (wide,)}
    shapes |= {"CNN_proj/W_proj": (wide, HIDDEN), "CNN_proj/b_proj": (HIDDEN,)}
    for direction in (0, 1):
        for layer in range(LAYERS):
            for name, shape in (
                ("W_0", (2 * HIDDEN, 4 * CELLS)),
                ("B", (4 * CELLS,)),
                ("W_P_0", (CELLS, HIDDEN)),
            ):
                shapes[CELL.format(direction, layer, name)] = shape
    return {n: (0.7 * rng.standard_normal(s)).astype("float32") for n, s in shapes.items()}


@cache
def tiny() -> ELMo:
    """The model, loaded from a pair of files."""
    with tempfile.TemporaryDirectory() as folder:
        options, weights = Path(folder, "o.json"), Path(folder, "w.hdf5")
        options.write_text(json.dumps(OPTIONS), encoding="utf-8")
        with h5py.File(weights, "w") as file:
            for name, numbers in drawn_weights().items():
                file[name] = numbers
        return ELMo(options, weights)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def spelled(word: str) -> np.ndarray:
    """The vector of a word, or of a boundary, from its letters."""
    w = drawn_weights()
    inner = {"<S>": [256], "</S>": [257]}.get(word, [*word.encode()[:48]])
    codes = [258, *inner, 259]
    letters = np.stack([w["char_embed"][code] for code in codes + [260] * (50 - len(codes))])
    found = []
    for i, (width, number) in enumerate(FILTERS):
        stencil, bias = w[f"CNN/W_cnn_{i}"][0], w[f"CNN/b_cnn_{i}"]
        for f in range(number):
            places = range(50 - width + 1)
            found.append(
                max((letters[t : t + width] * stencil[..., f]).sum() + bias[f] for t in places)
            )
    x = np.maximum(found, 0)
    gate = sigmoid(x @ w["CNN_high_0/W_carry"] + w["CNN_high_0/b_carry"])
    new = np.maximum(x @ w["CNN_high_0/W_transform"] + w["CNN_high_0/b_transform"], 0)
    x = gate * new + (1 - gate) * x
    return x @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"]


def read(vectors: list[np.ndarray], direction: int) -> list[list[np.ndarray]]:
    """The states of each layer in one direction, word after word."""
    w = drawn_weights()
    layers: list[list[np.ndarray]] = []
    for layer in range(LAYERS):
        kernel, bias, projection = (
            w[CELL.format(direction, layer, name)] for name in ("W_0", "B", "W_P_0")
        )
        h, c, states = np.zeros(HIDDEN), np.zeros(CELLS), []
        for x in vectors:
            i, g, f, o = np.split(np.concatenate([x, h]) @ kernel + bias, 4)
            c = np.clip(sigmoid(f + 1) * c + sigmoid(i) * np.tanh(g), -3, 3)
            h = np.clip((sigmoid(o) * np.tanh(c)) @ projection, -3, 3)
            states.append(h)
        vectors = (
            [state + x for state, x in zip(states, vectors, strict=True)] if layers else states
        )
        layers.append(vectors)
    return layers


def slowly(words: list[str]) -> np.ndarray:
    """All layers of one sentence, (L + 1, words, 2 H)."""
    tokens = [spelled(token) for token in ("<S>", *words, "</S>")]
    ahead = [tokens, *read(tokens, 0)]
    behind = [tokens, *(layer[::-1] for layer in read(tokens[::-1], 1))]
    return np.concatenate([ahead, behind], -1)[:, 1:-1]


def test_the_layers_are_those_of_the_loops() -> None:
    for words, layers in zip(SENTENCES, tiny().every_layer(SENTENCES), strict=True):
        assert tuple(layers.shape) == (LAYERS + 1, len(words), 2 * HIDDEN)
        np.testing.assert_allclose(layers, slowly(words), atol=1e-4)


def test_a_vector_is_the_average_of_the_layers() -> None:
    for words, vectors in zip(SENTENCES, tiny().embed(SENTENCES), strict=True):
        assert tuple(vectors.shape) == (len(words), 2 * HIDDEN)
        np.testing.assert_allclose(vectors, slowly(words).mean(0), atol=1e-4)


def test_a_sentence_has_the_same_vectors_alone_and_in_any_call() -> None:
    together = tiny().embed(SENTENCES)
    for words, vectors in zip(SENTENCES, together, strict=True):
        for _ in range(2):
            (alone,) = tiny().embed([words])
            np.testing.assert_allclose(alone, vectors, atol=1e-4)


def test_each_direction_sees_one_side_only() -> None:
    one, other = tiny().every_layer([["Dogs", "bark", "loudly"], ["Dogs", "bark", "often"]])
    apart = np.abs(np.asarray(one) - np.asarray(other))
    ahead, behind = apart[..., :HIDDEN], apart[..., HIDDEN:]
    assert ahead[:, :2].max() < 1e-4  # who reads from the left has not come to the third word
    assert behind[1:, :2].max() > 5e-3  # who reads from the right has
    assert apart[0, :2].max() < 1e-4  # a word's letters know nothing of its neighbours
    assert apart[0, 2].max() > 1e-2


if __name__ == "__main__":
    for name, test in [*globals().items()]:
        if name.startswith("test_"):
            test()
            print("passed:", name.removeprefix("test_").replace("_", " "))
