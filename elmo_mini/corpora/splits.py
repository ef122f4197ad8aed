"""Train, dev and test: drawn the same way everywhere, with nothing of test left in train.

The draw is a systematic sample. Passages are put in the order of (label, digest), where the
digest is SHA-256 of a seed and the document's name (or the sentence, where there are no
documents); every tenth goes to test, every tenth to dev. So each label gives its share, and
neither the machine nor the order of the files matters. Sentences are compared without regard to
capitals when those of test are taken out of train.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Self

from elmo_mini.corpora.passages import Passage, Sentence

Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = ("train", "dev", "test")
SEED = "before-bert 3"
"""With 1 and 2, dev or test of gutenberg would be a play or a few hundred lines of verse."""
FOLDS = 10
TEST_FOLD, DEV_FOLD = 9, 4


@dataclass(frozen=True)
class Division:
    """Which passage belongs to which part, and which sentences the earlier parts must not show."""

    parts: list[str]
    held_out: dict[str, frozenset[tuple[str, ...]]]

    @classmethod
    def of(
        cls, passages: Callable[[], Iterable[Passage]], name: str, *, unique: bool = False
    ) -> Self:
        """Divide a corpus; with `unique` a passage that repeats an earlier one is in no part.

        Raises
        ------
        ValueError
            If there are fewer than ten passages to draw from.
        """
        keys, official = [], []
        for passage in passages():
            keys.append((passage.label, passage.fine_label, _digest(passage)))
            official.append(passage.part)
        seen: set[tuple[str, str, bytes]] = set()
        parts, drawn = ["test" if part == "test" else "" for part in official], []
        for index in sorted(range(len(keys)), key=lambda index: (keys[index], index)):
            if not parts[index] and not (unique and keys[index] in seen):
                drawn.append(index)
                seen.add(keys[index])
        if len(drawn) < FOLDS:
            raise ValueError(
                f"{name} is too small to split: it has {len(drawn)} passages to draw from, "
                f"and a split needs {FOLDS}"
            )
        own_test = "test" not in official
        for rank, index in enumerate(drawn):
            fold = rank % FOLDS
            parts[index] = (
                "test" if own_test and fold == TEST_FOLD else "dev" if fold == DEV_FOLD else "train"
            )
        words: dict[str, set[tuple[str, ...]]] = {"test": set(), "dev": set()}
        for passage, part in zip(passages(), parts, strict=True):
            if part in words:
                words[part].update(_key(sentence) for sentence in passage.sentences)
        held_out = {"dev": words["test"], "train": words["test"] | words["dev"]}
        return cls(parts, {part: frozenset(seen) for part, seen in held_out.items()})

    def check(self, part: str) -> None:
        """Raise ValueError unless `part` is one of the three."""
        if part not in PARTS:
            raise ValueError(f"there is no part {part!r}: choose one of {', '.join(PARTS)}")

    def take(self, passages: Iterable[Passage], part: str) -> Iterator[Passage]:
        """The passages of one part, without the sentences that a later part holds."""
        forbidden = self.held_out.get(part, frozenset())
        for passage, its_part in zip(passages, self.parts, strict=True):
            if its_part != part:
                continue
            kept = tuple(s for s in passage.sentences if _key(s) not in forbidden)
            if len(kept) == len(passage.sentences):
                yield passage
            elif kept:
                yield replace(passage, sentences=kept)


def _key(sentence: Sentence) -> tuple[str, ...]:
    """Two sentences are the same when their words are, whatever the capitals."""
    return tuple(map(str.lower, sentence.words))


def _digest(passage: Passage) -> bytes:
    text = passage.name or "\n".join(" ".join(s.words) for s in passage.sentences)
    return hashlib.sha256(f"{SEED}\n{text}".encode()).digest()
