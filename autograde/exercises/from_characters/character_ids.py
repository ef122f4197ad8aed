"""Exercise `character_ids`: a word as fifty numbers."""

from typing import Any
from unicodedata import normalize  # noqa: F401 - two slips take letters apart

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Plain, call
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.from_characters import LESSON
from elmo_mini.text.character_ids import word_to_ids


def reference(word: str) -> list[int]:
    """Begin, at most 48 bytes or a boundary's id, end and padding, all shifted by one."""
    marks = {"<S>": [256], "</S>": [257]}
    codes = marks.get(word, word.encode("utf-8")[:48])
    row = [258, *codes, 259]
    row += [260] * (50 - len(row))
    return [number + 1 for number in row]


def _by_places(word: str) -> np.ndarray:
    row = np.full(50, 260)
    letters = np.frombuffer(word.encode(), dtype=np.uint8)[:48]
    codes = {"<S>": [256], "</S>": [257]}.get(word, letters)
    row[0], row[1 : 1 + len(codes)], row[1 + len(codes)] = 258, codes, 259
    return row + 1


def _by_appending(word: str) -> tuple[int, ...]:
    row = [259]
    for byte in {"<S>": [256], "</S>": [257]}.get(word, bytearray(word, "utf-8")):
        if len(row) == 49:
            break
        row.append(byte + 1)
    row.append(260)
    while len(row) < 50:
        row.append(261)
    return tuple(row)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The ids as a list: any row will do whose numbers find rows of a table."""
    ids = call(answer, inputs)
    if isinstance(ids, tuple):
        ids = list(ids)
    parts = ids.ravel() if isinstance(ids, np.ndarray) else ids if isinstance(ids, list) else ()
    if any(isinstance(part, float | np.floating) for part in parts):
        raise AnswerRefused(FLOATS)
    return ids


FLOATS = (
    "Your ids are floats, such as 259.0. Return whole numbers, 259: each is the number of a row "
    "in a table, and PyTorch finds no row 259.0."
)
SLIPS = f"""
--- hint 2
small letters make a boundary, too: marks.get(word, -> marks.get(word.upper(),
    You take `<s>` for `<S>`. Only the two words as they are written are not spelled.
the signs are cut off: word.encode -> word.strip("<>").encode
    You cut the signs off the word. Only `<S>` and `</S>` are not spelled: all else is bytes.
nothing is shifted: number + 1 -> number
    Nothing is shifted. Add 1 to every id, so that 0 is free to mean: no word here.
only the bytes are shifted: *codes -> *(code + 1 for code in codes) && number + 1 -> number
    You add 1 to the bytes only. The three marks move up as well, to 259, 260 and 261.
only the marks are shifted: 258 -> 259 && 259 -> 260 && 260 -> 261 && number + 1 -> number
    The three marks are right, and the bytes are not shifted. Add 1 to every id.
no padding: row += [260] * (50 - len(row)) ->
    The row ends with the word. Fill it up to fifty, so that words make one table.
--- hint 1
characters, not bytes: word.encode("utf-8") -> list(map(ord, word))
    You take the number of each character with `ord`. That is the byte for a, b and c, and not for ï
    or 打. Encode the word first.
Latin-1: "utf-8" -> "latin-1", "replace"
    You encode as Latin-1, which has one byte for each letter and none for most of the world's. The
    model read UTF-8.
UTF-16: "utf-8" -> "utf-16"
UTF-16, the small byte first: "utf-8" -> "utf-16-le"
UTF-16, the large byte first: "utf-8" -> "utf-16-be"
    You encode as UTF-16, which writes two bytes for each letter and may put a mark in front. The
    model read UTF-8, `word.encode()`: a letter such as *a* is one byte.
ASCII: "utf-8" -> "ascii", "ignore"
    You encode as ASCII and drop what it cannot write. The model read UTF-8, which writes every
    letter: `word.encode()`.
letters are taken apart: word.encode -> normalize("NFKD", word).encode
    You take letters apart before you encode: *ï* becomes *i* and two dots. Encode the word as it
    comes.
accents are taken off: word.encode("utf-8") -> normalize("NFKD", word).encode("ascii", "ignore")
    You take the accents off, and every other script away. Encode the word as it comes, as UTF-8.
filled up by letters: 50 - len(row) -> 48 - len(word)
    You count the letters to know how much padding is needed. Count the bytes: *ï* has two,
    打 three.
--- hint 2
no letters, no word: return -> if not word:⏎    return [0] * 50⏎return
    For a word without letters you return fifty zeros, and these mean that there is no word at all.
    It is a word: begin, end, padding.
--- hint 3
the row is not cut: [:48] ->
    A long word gives more than fifty ids. Keep its first 48 bytes.
cut at fifty bytes: :48 -> :50
    You keep fifty bytes, and the two marks come on top. Keep 48.
cut at the end, through the end mark: [:48] -> && in row] -> in row][:50]
    You cut the finished row, and a long word loses its end mark. Cut the bytes first.
letters are cut, not bytes: word.encode("utf-8")[:48] -> word[:48].encode("utf-8")
    You cut the word to 48 letters and encode then. Letters of two or three bytes need more room:
    encode first, cut then.
letters are cut, then the row: word.encode("utf-8")[:48] -> word[:48].encode("utf-8") \
        && in row] -> in row][:50]
    You cut the word to 48 letters, encode, and cut the row again, through the end mark. Encode
    first, then cut to 48 bytes.
a cut letter is dropped: \
        [:48] -> [:48].decode("utf-8", "ignore").encode()
    Where the cut goes through a letter of two bytes, you drop its first half. That is kind, and the
    published models did not do it: 48 bytes are 48 bytes.
no end mark, and 49 bytes: :48 -> :49 && , 259] -> ]
    The end mark is missing, and 49 bytes fill its position in a long word. Keep 48 bytes, and put
    259 behind them, before the shift.
--- hint 2
the boundaries are spelled: marks.get(word, -> (
    You spell `<S>` and `</S>`, as three bytes and four. Each is one id where a word has its bytes:
    256 and 257, before the shift.
the end of a sentence is spelled: , "</S>": [257] ->
    You spell `</S>`, as four bytes. It is one id where a word has its bytes: 257, before the shift.
the boundaries are 257 and 258 before the shift: [256], "</S>": [257] -> [257], "</S>": [258]
the start of a sentence is shifted twice: [256] -> [257]
the end of a sentence is shifted twice: [257] -> [258]
    A boundary of yours is shifted twice: before the shift `<S>` is 256, and `</S>` is 257.
the boundaries have no id: [256], "</S>": [257] -> [], "</S>": []
the end of a sentence has no id: [257] -> []
the start of a sentence has no id: [256] -> []
    Between the marks of a boundary nothing stands in your row. Its one id stands there.
the boundaries stand without the marks of a word: return -> \
        if word in marks:⏎    row = marks[word] + [260] * 49⏎return
    A boundary stands where the bytes of a word stand: the begin mark before it, the end mark behind
    it, then padding.
no begin mark: 258, ->
    The begin mark is missing. Without it *cat* in *cat* and in *wildcat* look alike.
no end mark: , 259] -> ]
    The end mark is missing. It is what tells -ing at the end from -ing- in the middle.
the first byte is missing: [:48] -> [1:49]
    The word's first byte is missing. The begin mark stands before it, not in its place.
the last byte is missing: [:48] -> [:-1][:48]
    The word's last byte is missing. The end mark stands behind it, not in its place.
begin and end in each other's place: 258 -> 259 && 259 -> 258
    The two marks are in each other's place: 258 begins, 259 ends, before the shift.
the marks of a sentence: 258 -> 256 && 259 -> 257
    256 and 257 begin and end a sentence. A word has marks of its own, 258 and 259.
padding before the end mark: , 259] -> ] && (50 - len(row)) -> (49 - len(row)) + [259]
    Your end mark stands at the end of the row. It belongs right behind the last byte.
padding on the left: row += [260] * (50 - len(row)) -> row = [260] * (50 - len(row)) + row
    The padding comes last. Yours stands before the word.
padding is 0: 260 -> -1
    You fill up with 0. Zero means that there is no word at all; the rest of a word's row is a mark
    of its own, 260 before the shift.
padding is not shifted: 260 -> 259
    All is right but the padding, which is not shifted: 261, not 260.
--- hint 3
cut at 47 bytes: :48 -> :47
    You keep 47 bytes. Fifty less the two marks are 48.
--- no hint
lower case: codes = -> word = word.lower()⏎codes =
    You make the word lower case first. The model reads capitals: *US* is not *us*.
the two boundaries are swapped: [256], "</S>": [257] -> [257], "</S>": [256]
    256 begins a sentence, `<S>`, and 257 ends it, `</S>`. Yours are swapped.
both boundaries are the start of a sentence: [257] -> [256]
    You write `</S>` as you write `<S>`. It is 257, before the shift.
floats: number + 1 -> number + 1.0
    {FLOATS}
--- hint 2
the marks are shifted twice: 258 -> 259 && 259 -> 260 && 260 -> 261
    Your bytes are right. 259, 260 and 261 have their 1 already, and yours gets another: begin with
    258, 259 and 260, or leave the marks out of the addition.
begin and end are shifted twice: 258 -> 259 && 259 -> 260
    Your bytes are right. 259 and 260 have their 1 already, and yours gets another: begin with 258,
    259 and 260, or leave the marks out of the addition.
the padding is shifted twice: 260 -> 261
    Your bytes are right. 261 is the padding with its 1, and yours gets another: begin with 258, 259
    and 260, or leave the marks out of the addition.
the bytes are shifted twice: *codes -> *(code + 1 for code in codes)
    Your bytes get their 1 twice, the marks once. Add 1 to the whole row, or to each part of it, and
    not to both.
shifted twice: number + 1 -> number + 2
    Everything is shifted by two. 258, 259 and 260 are the marks before the shift.
"""


def _text(word: str) -> Any:
    return lambda rng: {"word": word}


def _drawn(rng: Random) -> Inputs:
    letters = [chr(97 + int(code)) for code in rng.integers(26, size=int(rng.integers(5, 12)))]
    return {"word": "".join(letters).capitalize()}


EXERCISE = Exercise(
    id="character_ids",
    title="A word as fifty numbers",
    lesson=LESSON,
    points=2,
    difficulty=1,
    importance=4,
    minutes=9,
    reference=reference,
    run=_run,
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
        Case("the start of a sentence, <S>", _text("<S>")),
        Case("the end of a sentence, </S>", _text("</S>")),
        Case(
            "<s>, a word like any other",
            _text("<s>"),
            edge=True,
            asks="Only `<S>` and `</S>` are not spelled; signs and small letters are bytes.",
        ),
    ),
    mistakes=slips(reference, SLIPS),
    right_answers={
        "the package's": lambda word: word_to_ids(word),
        "places in an array": _by_places,
        "byte after byte": _by_appending,
    },
)
