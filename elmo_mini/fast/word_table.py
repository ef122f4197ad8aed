"""The token layer of a model over whole words: one row of a table for each word it knows.

bilm-tf trains such models where its options have no ``char_cnn``; many models of Chinese are of
this kind. A word is found by its letters, so sentences come in as character ids here, too. Any
word that is not in the vocabulary has the vector of ``<UNK>``.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from elmo_mini.errors import ElmoFileError
from elmo_mini.text.character_ids import BEGIN_SENTENCE, END_SENTENCE, END_WORD, MAX_CHARACTERS
from elmo_mini.text.sentences import BOS_TOKEN, EOS_TOKEN, check_word, check_words

UNKNOWN = "<UNK>"
_SPECIAL = {BOS_TOKEN: BEGIN_SENTENCE, EOS_TOKEN: END_SENTENCE}


class WordTable(nn.Module):
    """Words as character ids to vectors: (N, characters) to (N, projection_dim)."""

    def __init__(self, n_words: int, projection_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_words, projection_dim)
        self.words: list[str] = []
        self._rows: dict[bytes | int, int] = {}

    def set_words(self, words: Sequence[str]) -> None:
        """Say which word each row belongs to; of equal words the last row counts, as in bilm-tf.

        Raises
        ------
        ElmoFileError
            If there are more or fewer words than rows, or a special word is not among them.
        ValueError
            If a word holds half a character.
        """
        check_words("the vocabulary", words)
        if len(words) != len(self.embedding.weight):
            raise ElmoFileError(
                f"the vocabulary has {len(words):,} words, but the model's table has "
                f"{len(self.embedding.weight):,} rows; both must come from one model"
            )
        check_special_words(words)
        for word in words:
            check_word(word)
        self.words = list(words)
        self._rows = {_SPECIAL.get(word) or word.encode(): row for row, word in enumerate(words)}

    def weights(self) -> Iterator[Tensor]:
        """Every tensor that `forward` reads."""
        yield self.embedding.weight

    def forward(self, ids: Tensor) -> Tensor:
        """The rows of words that are given by their letters."""
        if not self._rows:
            raise ElmoFileError("this model reads whole words and was given no vocabulary")
        unknown = self._rows[UNKNOWN.encode()]
        rows = [
            self._rows.get(_spelling(row), unknown)
            for row in ids.reshape(-1, ids.shape[-1]).tolist()
        ]
        device = self.embedding.weight.device
        vectors: Tensor = self.embedding(torch.tensor(rows, dtype=torch.long, device=device))
        return vectors.view(*ids.shape[:-1], -1)


def check_special_words(words: Sequence[str]) -> None:
    """Refuse a vocabulary without the three words that every model of bilm-tf has."""
    missing = [word for word in (BOS_TOKEN, EOS_TOKEN, UNKNOWN) if word not in words]
    if missing:
        raise ElmoFileError(
            f"the vocabulary lacks {' and '.join(missing)}; each is a line of it, in the order in "
            "which the model was trained"
        )


def characters_for(words: Sequence[str]) -> int:
    """Ids of a word by which each of `words` can be told from every longer one."""
    longest = max((len(word.encode("utf-8", "ignore")) for word in words), default=0)
    return max(MAX_CHARACTERS, longest + 3)  # its begin, its end and one byte more


def _spelling(ids: list[int]) -> bytes | int:
    """The bytes of a word, or the one id of a sentence boundary."""
    letters = ids[1 : ids.index(END_WORD)] if END_WORD in ids else ids[1:]
    if len(letters) == 1 and letters[0] in (BEGIN_SENTENCE, END_SENTENCE):
        return letters[0]
    return bytes(letter - 1 for letter in letters if 0 < letter <= 256)
