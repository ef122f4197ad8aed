"""The biLM as a slow and obvious numpy program in float64, straight from the file's arrays.

It shares no line with the package: words, sentences, positions and gates are plain loops. A
sentence is computed on its own, so padding and sorting cannot matter here.
"""

from typing import Any

import numpy as np

Weights = dict[str, np.ndarray]
Row = list[tuple[list[np.ndarray], list[np.ndarray]]]  # per direction: h and c of every layer


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def character_ids(word: str, width: int = 50) -> list[int]:
    special = {"<S>": 256, "</S>": 257}
    content = [special[word]] if word in special else list(word.encode("utf-8"))[: width - 2]
    ids = [258, *content, 259]
    while len(ids) < width:
        ids.append(260)
    return ids


def token_vector(word: str, weights: Weights, options: dict[str, Any]) -> np.ndarray:
    cnn = options["char_cnn"]
    ids = character_ids(word, cnn["max_characters_per_token"])
    letters = np.array([weights["char_embed"][i] for i in ids], dtype=np.float64)
    pooled = []
    for k, (width, count) in enumerate(cnn["filters"]):
        kernel = weights[f"CNN/W_cnn_{k}"][0].astype(np.float64)
        bias = weights[f"CNN/b_cnn_{k}"].astype(np.float64)
        best = np.full(count, -np.inf)
        for start in range(len(ids) - width + 1):
            value = bias.copy()
            for offset in range(width):
                value += letters[start + offset] @ kernel[offset]
            activated = np.maximum(value, 0) if cnn["activation"] == "relu" else np.tanh(value)
            best = np.maximum(best, activated)
        pooled.append(best)
    x = np.concatenate(pooled)
    for k in range(cnn.get("n_highway") or 0):
        part = {
            name: weights[f"CNN_high_{k}/{name}"].astype(np.float64)
            for name in ("W_transform", "b_transform", "W_carry", "b_carry")
        }
        gate = sigmoid(x @ part["W_carry"] + part["b_carry"])
        x = gate * np.maximum(x @ part["W_transform"] + part["b_transform"], 0) + (1 - gate) * x
    if "CNN_proj/W_proj" in weights:
        x = x @ weights["CNN_proj/W_proj"].astype(np.float64) + weights["CNN_proj/b_proj"]
    return x


def lstm(
    inputs: list[np.ndarray],
    h: np.ndarray,
    c: np.ndarray,
    cell: Weights,
    options: dict[str, Any],
    clipped: list[int],
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    kernel, bias = cell["W_0"].astype(np.float64), cell["B"].astype(np.float64)
    outputs = []
    for x in inputs:
        i, g, f, o = np.split(np.concatenate([x, h]) @ kernel + bias, 4)
        c = sigmoid(f + 1.0) * c + sigmoid(i) * np.tanh(g)
        if options["cell_clip"]:
            clipped[0] += int((np.abs(c) > options["cell_clip"]).sum())
            c = np.minimum(np.maximum(c, -options["cell_clip"]), options["cell_clip"])
        h = sigmoid(o) * np.tanh(c)
        if "W_P_0" in cell:
            h = h @ cell["W_P_0"].astype(np.float64)
            if options["proj_clip"]:
                clipped[1] += int((np.abs(h) > options["proj_clip"]).sum())
                h = np.minimum(np.maximum(h, -options["proj_clip"]), options["proj_clip"])
        outputs.append(h)
    return outputs, h, c


def zero_state(options: dict[str, Any]) -> Row:
    sizes = options["lstm"]
    layers = range(sizes["n_layers"])
    return [
        (
            [np.zeros(sizes["projection_dim"]) for _ in layers],
            [np.zeros(sizes["dim"]) for _ in layers],
        )
        for _ in range(2)
    ]


def sentence_layers(
    words: list[str],
    weights: Weights,
    options: dict[str, Any],
    state: Row | None = None,
    clipped: list[int] | None = None,
) -> tuple[np.ndarray, Row]:
    """(layers + 1, words + 2, 2 * projection_dim) with boundaries, and the state at the end.

    `clipped` counts the cells and the outputs that a clip has changed.
    """
    state = state or zero_state(options)
    clipped = clipped if clipped is not None else [0, 0]
    tokens = [token_vector(word, weights, options) for word in ["<S>", *words, "</S>"]]
    halves: list[list[list[np.ndarray]]] = []
    final: Row = []
    for direction in range(2):
        current = list(tokens) if direction == 0 else list(reversed(tokens))
        layers = [current]
        hs, cs = [], []
        for layer in range(options["lstm"]["n_layers"]):
            prefix = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell/"
            cell = {k[len(prefix) :]: v for k, v in weights.items() if k.startswith(prefix)}
            h, c = state[direction][0][layer], state[direction][1][layer]
            out, h, c = lstm(current, h, c, cell, options["lstm"], clipped)
            hs.append(h)
            cs.append(c)
            if layer > 0 and options["lstm"]["use_skip_connections"]:
                out = [a + b for a, b in zip(out, current, strict=True)]
            layers.append(out)
            current = out
        final.append((hs, cs))
        halves.append(layers if direction == 0 else [list(reversed(x)) for x in layers])
    return np.array(
        [
            [np.concatenate([f, b]) for f, b in zip(forward, backward, strict=True)]
            for forward, backward in zip(*halves, strict=True)
        ]
    ), final


def mix(
    layers: np.ndarray, weights: list[float], gamma: float, kept: np.ndarray | None = None
) -> np.ndarray:
    """Equation (1) over (layers, ..., H); with `kept` (...), each layer is normalised first."""
    exponentials = [np.exp(w) for w in weights]
    total = np.zeros(layers.shape[1:])
    for exponential, layer in zip(exponentials, layers, strict=True):
        if kept is not None:
            numbers = layer[kept]
            layer = (layer - numbers.mean()) / np.sqrt(numbers.var() + 1e-13)
        total = total + exponential / sum(exponentials) * layer
    return gamma * total
