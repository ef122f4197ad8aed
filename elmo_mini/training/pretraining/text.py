"""The text of a pretraining run: sentences packed, a part held out, a vocabulary counted."""

import numpy as np

from elmo_mini.errors import ConfigurationError
from elmo_mini.text.character_ids import BOS_TOKEN, EOS_TOKEN
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.pretraining.streams import EOS, PackedText

UNKNOWN = "<UNK>"
BLOCK = 50


def hold_out(text: PackedText, share: float = 0.02) -> tuple[PackedText, PackedText]:
    """Training and validation text: of all blocks of 50 sentences, an even share is held out.

    Blocks keep the neighbourhood of a sentence on one side, and come from all over the text. A
    sentence of the validation part that also stands elsewhere is taken out of training.

    Raises
    ------
    ConfigurationError
        If `share` is not above 0 and up to 0.5, or the text has too few sentences.
    """
    if not 0 < share <= 0.5:
        raise ConfigurationError(f"the validation share is {share}; it must be above 0, up to 0.5")
    block = min(BLOCK, max(1, int(len(text) * share)))
    blocks = np.arange(len(text)) // block
    due = np.round(np.arange(len(text) // block + 2) * share, 9)  # 0.29 * 100 is below 29
    held = (np.diff(np.floor(due)) > 0)[blocks]
    if not held.any() or held.all():
        raise ConfigurationError(
            f"{len(text)} sentences are too few to hold out a share of {share}; use more text"
        )
    keys = [
        text.tokens[start:end].tobytes()
        for start, end in zip(text.starts[:-1], text.starts[1:], strict=True)
    ]
    validation_keys = {keys[n] for n in np.flatnonzero(held)}
    kept = np.array(
        [
            not is_held and key not in validation_keys
            for is_held, key in zip(held, keys, strict=True)
        ]
    )
    if not kept.any():
        raise ConfigurationError("every sentence also stands in the validation part")
    return _take(text, kept), _take(text, held)


def count_vocabulary(text: PackedText, max_size: int) -> Vocabulary:
    """The softmax's words: both boundaries, the unknown word, then words by falling count."""
    return Vocabulary.from_sentences(
        (
            [text.types[i] for i in text.tokens[a:b]]
            for a, b in zip(text.starts[:-1], text.starts[1:], strict=True)
        ),
        max_size=max_size,
        specials=(BOS_TOKEN, EOS_TOKEN, UNKNOWN),
        unknown=UNKNOWN,
    )


def unknown_share(text: PackedText, vocabulary: Vocabulary) -> float:
    """Which share of the words is outside the vocabulary."""
    known = np.array([word in vocabulary for word in text.types])
    known[: EOS + 1] = True
    return float(1 - known[text.tokens].mean())


def _take(text: PackedText, chosen: np.ndarray) -> PackedText:
    lengths = np.diff(text.starts)
    starts = np.concatenate([[0], np.cumsum(lengths[chosen])])
    return PackedText(text.types, text.tokens[np.repeat(chosen, lengths)], starts)
