"""Which of two merged words stood at a place: a reader of the words around it, judged."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.static_limits.pseudo_words import PseudoWord
from elmo_mini.probing.report import bootstrap_interval

Floats = NDArray[np.float64]
Around = Callable[[Sequence[str], int, Mapping[str, int], Floats, int], Floats]
Fit = Callable[[Floats, Floats, float, int, float], tuple[Floats, float]]
FOLDS, RATE, STEPS, DECAY, LENGTH = 5, 0.5, 100, 0.01, 3.0


def read_all(
    text: Sequence[Sequence[str]],
    words: Sequence[PseudoWord],
    ids: Mapping[str, int],
    vectors: Floats,
    reach: int,
    around: Around,
    fit: Fit,
) -> Floats:
    """(P,) for each pseudo-word, the share of its places that are read right.

    A reader is fitted to four fifths of the places, and asked about the others, five times. The
    features are shifted to the mean 0, and brought to one mean length, so that no table of vectors
    is at an advantage by its scale.
    """
    shares = []
    for word in words:
        features = np.stack(
            [np.asarray(around(text[n], at, ids, vectors, reach)) for n, at, _ in word.labels]
        )
        answers = np.array([stood == word.first for *_, stood in word.labels], float)
        shares.append(_held_out(features, answers, fit))
    return np.array(shares)


def _held_out(features: Floats, answers: Floats, fit: Fit) -> float:
    centred = features - features.mean(0)
    scaled = LENGTH * centred / np.sqrt((centred**2).sum(1).mean())
    order = np.random.default_rng(0).permutation(len(answers))
    right = 0
    for fold in range(FOLDS):
        asked, shown = order[fold::FOLDS], np.delete(order, np.s_[fold::FOLDS])
        weights, bias = fit(scaled[shown], answers[shown], RATE, STEPS, DECAY)
        said = scaled[asked] @ np.asarray(weights) + float(bias) > 0
        right += int((said == answers[asked]).sum())
    return right / len(answers)


def mixtures(stored: Mapping[str, Any], plain: Mapping[str, Any]) -> str:
    """What is stored of each way of training, to be printed.

    Parameters
    ----------
    stored, plain : what ``static_pseudo_words`` and ``static_plain_skip_gram`` hold
    """
    loops = {f"plain loop, passes: {passes}": of for passes, of in plain["passes"].items()}
    lines = []
    for kind, of in ({"skip-gram": stored} | loops | {"GloVe": stored["GloVe"]}).items():
        said = of["summary"]
        own, other = (
            said[f"cosine with {whose}"]["mean"] for whose in ("its mixture", "another pair's")
        )
        lines.append(f"{kind}: cosine with its mixture {own:.2f}, with another pair's {other:.2f}")
        for key in ("position", "position, vectors of length 1"):
            found = said[f"correlation of share and {key}"]
            lines.append(
                f"   share and {key}: correlation {found['mean']:.2f} "
                f"({found['low']:.2f} to {found['high']:.2f} over {len(found['values'])} seeds)"
            )
    return "\n".join(lines)


def over_words(shares: Floats) -> dict[str, Any]:
    """Mean of (P,), with a 95 % bootstrap interval over the pseudo-words."""
    mean, low, high = bootstrap_interval(shares[None], np.arange(len(shares)))
    return {"mean": mean, "low": low, "high": high}
