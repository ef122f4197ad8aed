"""Sentences written for this course in which an ambiguous word is labelled with its sense.

English: 28 words (*bank*, *play*, *mine*, ...) with two or three senses, 13 sentences a sense.
Within some words the senses differ in part of speech (*park*, *light*), within others they do not
(*bat*, *palm*), so that syntax and meaning can be told apart. The other words of a sentence give
the sense away to a reader but hardly to a word counter: no content word recurs in more than three
sentences of a sense. Eight sentences of each sense are for training, the rest for testing.

One vector per spelling cannot do better on these than to name each spelling's commonest sense.
What a vector per word *in its sentence* does is the question that ELMo asks (Peters et al., 2018,
§5.3).
"""

import json
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal, get_args

from elmo_mini.plain_text import NotPlainText, lines_of

Split = Literal["train", "test"]

_TEXTS = ("word", "sense", "gloss", "pos", "split")
_OPTIONAL_TEXTS = ("text", "pinyin", "translation")


class SensesDamaged(ValueError):
    """A file of labelled sentences that does not keep its format; names the file and the line."""


@dataclass(frozen=True)
class SenseSentence:
    """One tokenised sentence and the sense that `word` has in it."""

    word: str
    """The ambiguous word in its base form, "bank"."""
    sense: str
    """The sense's name, "bank.river"; it starts with the word."""
    gloss: str
    """The sense in a few English words."""
    tokens: tuple[str, ...]
    """The sentence, tokenised as `text.tokenizer` does (in Chinese, segmented by hand)."""
    position: int
    """Index into `tokens`, from zero, of the one labelled token; it may be inflected."""
    pos: str
    """Universal part of speech of that token: NOUN, PROPN, PRON, VERB or ADJ."""
    split: Split
    """"train" or "test", fixed."""
    text: str | None = None
    """The sentence as written, where it cannot be had by joining tokens with spaces (Chinese)."""
    pinyin: str | None = None
    """How the target is read (Chinese)."""
    translation: str | None = None
    """An English translation (Chinese)."""

    @property
    def target(self) -> str:
        """The labelled token as it stands in the sentence."""
        return self.tokens[self.position]


def sense_sentences(language: str = "english") -> list[SenseSentence]:
    """The labelled sentences of `language`, "english" or "chinese", in the order of the file.

    Sentences of one sense stand together, as do the senses of one word.

    Raises
    ------
    ValueError
        If the course has no sentences in that language.
    SensesDamaged
        If the file is not whole.
    """
    data = files("elmo_mini") / "data"
    source = data / f"senses_{language}.jsonl"
    if not source.is_file():
        prefix, suffix = "senses_", ".jsonl"
        names = [entry.name for entry in data.iterdir()] if data.is_dir() else []
        have = sorted(name[len(prefix) : -len(suffix)] for name in names if name.startswith(prefix))
        raise ValueError(
            f"no labelled sentences in {language!r}; there are: {', '.join(have) or 'none'}"
            " (if that list is too short, install elmo_mini again)"
        )
    return read_sense_sentences(source)


def read_sense_sentences(source: Traversable) -> list[SenseSentence]:
    """Read a file with one JSON object a line, its keys being the fields of `SenseSentence`.

    Parameters
    ----------
    source : a `pathlib.Path` or a package resource

    Raises
    ------
    SensesDamaged
        If a line is not such an object, a sentence comes twice, or a sense lacks a split.
    """
    try:
        lines = list(lines_of(source))
    except NotPlainText as error:
        raise SensesDamaged(str(error)) from error
    sentences: list[SenseSentence] = []
    seen: dict[tuple[str, tuple[str, ...]], int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            sentence = _parse(line)
        except ValueError as error:
            raise _damaged(source, f"line {number}: {error}") from error
        first = seen.setdefault((sentence.word, sentence.tokens), number)
        if first != number:
            raise _damaged(source, f"line {number} repeats the sentence of line {first}")
        sentences.append(sentence)
    if not sentences:
        raise _damaged(source, "it is empty")
    found = {(sentence.sense, sentence.split) for sentence in sentences}
    for sense, _ in sorted(found):
        for split in get_args(Split):
            if (sense, split) not in found:
                raise _damaged(source, f"sense {sense!r} has no {split} sentence")
    return sentences


def _parse(line: str) -> SenseSentence:
    """One line as a `SenseSentence`; `ValueError` says what is wrong with it."""
    record = json.loads(line)
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    known = {*_TEXTS, *_OPTIONAL_TEXTS, "tokens", "position"}
    missing, foreign = known - {*_OPTIONAL_TEXTS} - record.keys(), record.keys() - known
    if missing or foreign:
        raise ValueError(f"missing keys {sorted(missing)}, unknown keys {sorted(foreign)}")
    for key in (*_TEXTS, *_OPTIONAL_TEXTS):
        if key in record and not (isinstance(record[key], str) and record[key]):
            raise ValueError(f"{key!r} must be text, not {record[key]!r}")
    tokens, position = record["tokens"], record["position"]
    if not isinstance(tokens, list) or not all(isinstance(t, str) and t for t in tokens):
        raise ValueError("'tokens' must be a list of non-empty texts")
    if type(position) is not int or not 0 <= position < len(tokens):
        raise ValueError(f"'position' {position!r} is no index into {len(tokens)} tokens")
    if record["split"] not in get_args(Split):
        raise ValueError(f"'split' must be train or test, not {record['split']!r}")
    return SenseSentence(**{**record, "tokens": tuple(tokens)})


def _damaged(source: Traversable, what: str) -> SensesDamaged:
    return SensesDamaged(
        f"{source} is damaged: {what}. If it came with elmo_mini, install it again"
        " or restore the file with git."
    )
