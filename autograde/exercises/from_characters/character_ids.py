"""Exercise `character_ids`: a word as fifty numbers."""

import unicodedata
from typing import Any

import numpy as np

from autograde.checking.exercise import Case, Exercise, Inputs, Mistake
from autograde.exercises.from_characters import LESSON
from elmo_mini.characters.ids import word_to_ids

BEGIN, END, PAD = 258, 259, 260  # before the shift by one
SIZE, ROOM = 50, 48


def reference(word: str) -> tuple[int, ...]:
    """The row of `elmo_mini`, without its extras."""
    return word_to_ids(word)


def varied_ids(
    word: str,
    *,
    content: list[int] | None = None,
    room: int | None = ROOM,
    begin: tuple[int, ...] = (BEGIN,),
    end: tuple[int, ...] = (END,),
    pad: int = PAD,
    shift: int = 1,
) -> list[int]:
    """The ids with one thing done otherwise: the wrong answers are built from this."""
    codes = list(word.encode("utf-8")) if content is None else content
    row = [*begin, *codes[:room], *end]
    return [code + shift for code in row + [pad] * (SIZE - len(row))]


def _by_places(word: str) -> np.ndarray:
    row = np.full(SIZE, PAD)
    codes = np.frombuffer(word.encode(), dtype=np.uint8)[:ROOM]
    row[0], row[1 : 1 + len(codes)], row[1 + len(codes)] = BEGIN, codes, END
    return row + 1


def _by_appending(word: str) -> list[int]:
    row = [259]
    for byte in bytearray(word, "utf-8"):
        if len(row) == 49:
            break
        row.append(byte + 1)
    row.append(260)
    while len(row) < SIZE:
        row.append(261)
    return row


def _end_last(word: str) -> list[int]:
    row = varied_ids(word, end=())
    return [*row[:-1], END + 1]


def _pad_left(word: str) -> list[int]:
    row = [code for code in varied_ids(word) if code != PAD + 1]
    return [PAD + 1] * (SIZE - len(row)) + row


def _bytes_alone_shifted(word: str) -> list[int]:
    codes = [byte + 1 for byte in word.encode()]
    return varied_ids(word, content=codes, shift=0)


def _marks_alone_shifted(word: str) -> list[int]:
    codes = [byte - 1 for byte in word.encode()]
    return varied_ids(word, content=codes)


def _marks_again(word: str, *, begin: int = 0, end: int = 0, pad: int = 0) -> list[int]:
    return varied_ids(word, begin=(BEGIN + begin,), end=(END + end,), pad=PAD + pad)


MARKS_AGAIN = (
    "Your bytes are right. {} gets another: begin with 258, 259 and 260, or leave the marks out of "
    "the addition."
)


def _letters_first(word: str) -> list[int]:
    return varied_ids(word, content=list(word[:ROOM].encode()), room=None)


def _letters_first_cut_again(word: str) -> list[int]:
    return _letters_first(word)[:SIZE]


def _whole_letters(word: str) -> list[int]:
    whole = word.encode()[:ROOM].decode("utf-8", "ignore")
    return varied_ids(whole)


def _filled_by_letters(word: str) -> list[int]:
    row = varied_ids(word, pad=-1)
    row = [code for code in row if code]
    return row + [PAD + 1] * (SIZE - 2 - len(word[:ROOM]))


def _unaccented(word: str) -> list[int]:
    return list(unicodedata.normalize("NFKD", word).encode("ascii", "ignore"))


UTF_16 = (
    "You encode as UTF-16, which writes two bytes for each letter and may put a mark in front. "
    "The model read UTF-8, `word.encode()`: a letter such as *a* is one byte."
)


def _text(word: str) -> Any:
    return lambda rng: {"word": word}


def _drawn(rng: np.random.Generator) -> Inputs:
    letters = [chr(97 + int(code)) for code in rng.integers(26, size=int(rng.integers(5, 12)))]
    return {"word": "".join(letters).capitalize()}


EXERCISE = Exercise(
    id="character_ids",
    title="A word as fifty numbers",
    lesson=LESSON,
    points=2,
    difficulty=1,
    importance=4,
    minutes=8,
    reference=reference,
    codes=True,
    cases=(
        Case("cat", _text("cat")),
        Case("a drawn word with a capital", _drawn),
        Case("naïve: one letter of two bytes", _text("naïve")),
        Case("打针: three bytes each", _text("打针"), edge=True),
        Case("a word of 60 letters", _text("taumata" * 8 + "kura"), edge=True),
        Case("a word of 48 letters", _text("abcdefgh" * 6), edge=True),
        Case("30 letters of two bytes each", _text("é" * 29 + "è"), edge=True),
        Case("a cut through a letter", _text("x" + "ä" * 30), edge=True),
        Case("no letter at all", _text(""), edge=True),
    ),
    mistakes=(
        Mistake(
            "nothing is shifted",
            lambda word: varied_ids(word, shift=0),
            "Nothing is shifted. Add 1 to every id, so that 0 is free to mean: no word here.",
            hint=2,
        ),
        Mistake(
            "only the bytes are shifted",
            _bytes_alone_shifted,
            "You add 1 to the bytes only. The three marks move up as well, to 259, 260 and 261.",
            hint=2,
        ),
        Mistake(
            "only the marks are shifted",
            _marks_alone_shifted,
            "The three marks are right, and the bytes are not shifted. Add 1 to every id.",
            hint=2,
        ),
        Mistake(
            "characters, not bytes",
            lambda word: varied_ids(word, content=list(map(ord, word))),
            "You take the number of each character with `ord`. That is the byte for a, b and c, "
            "and not for ï or 打. Encode the word first.",
            hint=1,
        ),
        Mistake(
            "Latin-1",
            lambda word: varied_ids(word, content=list(word.encode("latin-1", "replace"))),
            "You encode as Latin-1, which has one byte for each letter and none for most of the "
            "world's. The model read UTF-8.",
            hint=1,
        ),
        *(
            Mistake(
                name,
                lambda word, code=code: varied_ids(word, content=list(word.encode(code))),
                UTF_16,
                hint=1,
            )
            for name, code in (
                ("UTF-16", "utf-16"),
                ("UTF-16, the small byte first", "utf-16-le"),
                ("UTF-16, the large byte first", "utf-16-be"),
            )
        ),
        Mistake(
            "ASCII",
            lambda word: varied_ids(word, content=list(word.encode("ascii", "ignore"))),
            "You encode as ASCII and drop what it cannot write. The model read UTF-8, which writes "
            "every letter: `word.encode()`.",
            hint=1,
        ),
        Mistake(
            "letters are taken apart",
            lambda word: varied_ids(unicodedata.normalize("NFKD", word)),
            "You take letters apart before you encode: *ï* becomes *i* and two dots. Encode the "
            "word as it comes.",
            hint=1,
        ),
        Mistake(
            "accents are taken off",
            lambda word: varied_ids(word, content=_unaccented(word)),
            "You take the accents off, and every other script away. Encode the word as it comes, "
            "as UTF-8.",
            hint=1,
        ),
        Mistake(
            "characters, not bytes, and lower case",
            lambda word: varied_ids(word, content=list(map(ord, word.lower()))),
            "Two things. You take the number of each character with `ord`: encode the word "
            "instead. And you make it lower case first: the model reads capitals.",
            hint=1,
        ),
        Mistake(
            "characters, not bytes, and nothing is shifted",
            lambda word: varied_ids(word, content=list(map(ord, word)), shift=0),
            "Two things. You take the number of each character with `ord`: encode the word "
            "instead. And nothing is shifted: add 1 to every id.",
            hint=1,
        ),
        Mistake(
            "lower case, and the finished row is cut",
            lambda word: varied_ids(word.lower(), room=None)[:SIZE],
            "Two things. You make the word lower case first: the model reads capitals. And you cut "
            "the finished row, so a long word loses its end mark: cut the bytes first.",
            hint=3,
        ),
        Mistake(
            "no end mark, and padding is 0",
            lambda word: varied_ids(word, end=(), pad=-1),
            "Two things. The end mark is missing, 259 before the shift. And you fill up with 0, "
            "which means that there is no word at all: the padding is 260 before the shift.",
            hint=2,
        ),
        Mistake(
            "cut at 47 bytes, and padding is not shifted",
            lambda word: varied_ids(word, room=ROOM - 1, pad=PAD - 1),
            "Two things. The padding is not shifted: 261, not 260. And you keep 47 bytes: fifty "
            "less the two marks are 48.",
            hint=2,
        ),
        Mistake(
            "no letters, no word",
            lambda word: varied_ids(word) if word else [0] * SIZE,
            "For a word without letters you return fifty zeros, and these mean that there is no "
            "word at all. It is a word: begin, end, padding.",
            hint=2,
        ),
        Mistake(
            "no end mark, and 49 bytes",
            lambda word: varied_ids(word, end=(), room=ROOM + 1),
            "The end mark is missing, and 49 bytes fill its place in a long word. Keep 48 bytes, "
            "and put 259 behind them, before the shift.",
            hint=2,
        ),
        Mistake(
            "the row is not cut",
            lambda word: varied_ids(word, room=None),
            "A long word gives more than fifty ids. Keep its first 48 bytes.",
            hint=3,
        ),
        Mistake(
            "cut at fifty bytes",
            lambda word: varied_ids(word, room=SIZE),
            "You keep fifty bytes, and the two marks come on top. Keep 48.",
            hint=3,
        ),
        Mistake(
            "cut at the end, through the end mark",
            lambda word: varied_ids(word, room=None)[:SIZE],
            "You cut the finished row, and a long word loses its end mark. Cut the bytes first.",
            hint=3,
        ),
        Mistake(
            "letters are cut, not bytes",
            _letters_first,
            "You cut the word to 48 letters and encode then. Letters of two or three bytes need "
            "more room: encode first, cut then.",
            hint=3,
        ),
        Mistake(
            "letters are cut, then the row",
            _letters_first_cut_again,
            "You cut the word to 48 letters, encode, and cut the row again, through the end mark. "
            "Encode first, then cut to 48 bytes.",
            hint=3,
        ),
        Mistake(
            "a cut letter is dropped",
            _whole_letters,
            "Where the cut goes through a letter of two bytes, you drop its first half. That is "
            "kind, and the published models did not do it: 48 bytes are 48 bytes.",
            hint=3,
        ),
        Mistake(
            "no begin mark",
            lambda word: varied_ids(word, begin=()),
            "The begin mark is missing. Without it *cat* in *cat* and in *wildcat* look alike.",
            hint=2,
        ),
        Mistake(
            "no end mark",
            lambda word: varied_ids(word, end=()),
            "The end mark is missing. It is what tells -ing at the end from -ing- in the middle.",
            hint=2,
        ),
        Mistake(
            "the first byte is missing",
            lambda word: varied_ids(word, content=list(word.encode()[1:])),
            "The word's first byte is missing. The begin mark stands before it, not in its place.",
            hint=2,
        ),
        Mistake(
            "the last byte is missing",
            lambda word: varied_ids(word, content=list(word.encode()[:-1])),
            "The word's last byte is missing. The end mark stands behind it, not in its place.",
            hint=2,
        ),
        Mistake(
            "begin and end in each other's place",
            lambda word: varied_ids(word, begin=(END,), end=(BEGIN,)),
            "The two marks are in each other's place: 258 begins, 259 ends, before the shift.",
            hint=2,
        ),
        Mistake(
            "the marks of a sentence",
            lambda word: varied_ids(word, begin=(256,), end=(257,)),
            "256 and 257 begin and end a sentence. A word has marks of its own, 258 and 259.",
            hint=2,
        ),
        Mistake(
            "padding before the end mark",
            _end_last,
            "Your end mark stands at the end of the row. It belongs right behind the last byte.",
            hint=2,
        ),
        Mistake(
            "padding on the left",
            _pad_left,
            "The padding comes last. Yours stands before the word.",
            hint=2,
        ),
        Mistake(
            "padding is 0",
            lambda word: varied_ids(word, pad=-1),
            "You fill up with 0. Zero means that there is no word at all; the rest of a word's row "
            "is a mark of its own, 260 before the shift.",
            hint=2,
        ),
        Mistake(
            "padding is not shifted",
            lambda word: varied_ids(word, pad=PAD - 1),
            "All is right but the padding, which is not shifted: 261, not 260.",
            hint=2,
        ),
        Mistake(
            "filled up by letters",
            _filled_by_letters,
            "You count the letters to know how much padding is needed. Count the bytes: *ï* has "
            "two, 打 three.",
            hint=2,
        ),
        Mistake(
            "cut at 47 bytes",
            lambda word: varied_ids(word, room=ROOM - 1),
            "You keep 47 bytes. Fifty less the two marks are 48.",
            hint=3,
        ),
        Mistake(
            "no padding",
            lambda word: [code for code in varied_ids(word) if code != PAD + 1],
            "The row ends with the word. Fill it up to fifty, so that words make one table.",
            hint=3,
        ),
        Mistake(
            "lower case",
            lambda word: varied_ids(word.lower()),
            "You make the word lower case first. The model reads capitals: *US* is not *us*.",
        ),
        Mistake(
            "the marks are shifted twice",
            lambda word: _marks_again(word, begin=1, end=1, pad=1),
            MARKS_AGAIN.format("259, 260 and 261 have their 1 already, and yours"),
            hint=2,
        ),
        Mistake(
            "the bytes are shifted twice",
            lambda word: varied_ids(word, content=[byte + 1 for byte in word.encode()]),
            "Your bytes get their 1 twice, the marks once. Add 1 to the whole row, or to each part "
            "of it, and not to both.",
            hint=2,
        ),
        Mistake(
            "begin and end are shifted twice",
            lambda word: _marks_again(word, begin=1, end=1),
            MARKS_AGAIN.format("259 and 260 have their 1 already, and yours"),
            hint=2,
        ),
        Mistake(
            "the padding is shifted twice",
            lambda word: _marks_again(word, pad=1),
            MARKS_AGAIN.format("261 is the padding with its 1, and yours"),
            hint=2,
        ),
        Mistake(
            "shifted twice",
            lambda word: varied_ids(word, shift=2),
            "Everything is shifted by two. 258, 259 and 260 are the marks before the shift.",
            hint=2,
        ),
    ),
    right_answers={"places in an array": _by_places, "byte after byte": _by_appending},
)
