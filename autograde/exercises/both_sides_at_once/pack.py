"""Exercise `pack`: two sentences as one row of tokens."""

from collections.abc import Sequence

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.both_sides_at_once import LESSON

Ids = Sequence[int]
Row = tuple[list[int], list[int]]


def pack(first: Ids, second: Ids, longest: int) -> Row:
    """Word numbers, and to which sentence each belongs."""
    first, second = list(first), list(second)
    while len(first) + len(second) + (3 if second else 2) > longest:
        (first if len(first) > len(second) else second).pop()
    ids = [2, *first, 3]
    segments = [0] * len(ids)
    if second:
        ids = ids + second + [3]
        segments = segments + [1] * (len(second) + 1)
    return ids, segments


def _by_slices(first: Ids, second: Ids, longest: int) -> Row:
    while len(first) + len(second) > longest - (3 if second else 2):
        if len(first) > len(second):
            first = first[:-1]
        else:
            second = second[:-1]
    parts = [[2, *first, 3], [*second, 3] if second else []]
    segments = [number for number, part in enumerate(parts) for _ in part]
    return parts[0] + parts[1], segments


@Case.drawn
def _sentences(rng: Random, first: int, second: int, longest: int) -> Inputs:
    words = (rng.permutation(90) + 10).tolist()
    return {"first": words[:first], "second": words[first : first + second], "longest": longest}


SLIPS = """
--- hint 3
no mark before the first: [2, *first, 3] -> [*first, 3]
    The `[CLS]`, 2, is missing: a row begins with it.
no mark between: [2, *first, 3] -> [2, *first]
    The `[SEP]`, 3, between the two sentences is missing.
no mark at the end: second + [3] -> second && (len(second) + 1) -> len(second)
    The `[SEP]`, 3, at the end of the second sentence is missing.
a mark of the second kind before the second: ids + second + [3] -> ids + [2] + second \
        && (len(second) + 1) -> (len(second) + 1)
    You put `[CLS]` before the second sentence. It stands once, at the beginning of the row, and
    each sentence ends with `[SEP]`.
a mark of the first kind before both: ids + second + [3] -> ids + [2, *second, 3] \
        && (len(second) + 1) -> (len(second) + 2)
room for a mark of the first kind before both: ids + second + [3] -> ids + [2, *second, 3] \
        && (len(second) + 1) -> (len(second) + 2) && 3 if second else 2 -> 4 if second else 2
    You put `[CLS]` before the second sentence, too. It stands once, at the beginning of the row.
the marks are swapped: [2, *first, 3] -> [3, *first, 2]
    You have swapped the marks. `[CLS]` is 2 and stands at the beginning, `[SEP]` is 3 and ends a
    sentence.
the second sentence comes first: [2, *first, 3] -> [2, *second, 3] && ids + second -> ids + first
    The second sentence stands before the first.
the segments begin at 1: [0] * len(ids) -> [1] * len(ids) && [1] * -> [2] *
    Your segments are 1 and 2. They are 0 and 1: a table of two rows is looked up with them.
the segments are swapped: [0] * len(ids) -> [1] * len(ids) && [1] * -> [0] *
    Your segments are swapped: the first sentence has 0.
all in one segment: [1] * -> [0] *
    All is in segment 0. The second sentence and the `[SEP]` that ends it have 1.
the mark between belongs to the second: [0] * len(ids) -> [0] * (len(ids) - 1) \
        && (len(second) + 1) -> (len(second) + 2)
    The `[SEP]` between the two belongs to the first sentence, which it ends: segment 0.
the last mark in the first segment: [1] * (len(second) + 1) -> [1] * len(second) + [0]
    The last `[SEP]` has segment 1: it ends the second sentence.
one segment too few: (len(second) + 1) -> len(second)
    There is one segment too few. The last `[SEP]` has one as well.
the marks are counted once: \
        first, second = list(first), list(second) \
        -> marks = 3 if second else 2 ⏎first, second = list(first), list(second) \
        && + (3 if second else 2) > -> + marks >
    You count the marks once, before you cut. When the second sentence has lost its last word, its
    `[SEP]` goes, too, and there is room for one word more.
--- hint 1
a mark after nothing: [0] * len(ids) if second: -> [0] * len(ids) ⏎if True:
    Where there is no second sentence there is no second `[SEP]`.
a mark after a second that was cut away: \
        first, second = list(first), list(second) \
        -> had = bool(second) ⏎first, second = list(first), list(second) \
        && (3 if second else 2) > longest -> (3 if had else 2) > longest \
        && [0] * len(ids) if second: -> [0] * len(ids) ⏎if had:
    You ask for the second sentence before you cut. When it has lost its last word, its `[SEP]`
    goes, too.
room for three marks, always: 3 if second else 2 -> 3
    A sentence alone has two marks, and yours makes room for three: it loses one word too many.
room for two marks, always: 3 if second else 2 -> 2
    A pair has three marks, and yours makes room for two: the row is one number too long.
--- hint 3
the marks take no room: len(first) + len(second) + (3 if second else 2) \
        -> len(first) + len(second)
    The marks count, too: the whole row has at most `longest` numbers.
never cut: len(first) + len(second) + (3 if second else 2) > longest -> False
    Your row may be longer than `longest`. Take words away until it fits.
one word too many is lost: (3 if second else 2) > longest -> (3 if second else 2) >= longest
    Your rows are one number shorter than they may be.
--- hint 2
words are lost at the front: .pop() -> .pop(0)
    You take words from the front of a sentence. Its last words go.
the end of the row is cut: return ids, segments -> return ids[:longest], segments[:longest] \
        && len(first) + len(second) + (3 if second else 2) > longest -> False
    You cut the end of the row off, and the last `[SEP]` with it. Cut the sentences, then put the
    marks.
the end of the row is cut, and a mark put back: \
        return ids, segments -> return (ids if len(ids) <= longest else ids[: longest - 1] + [3]), \
        segments[:longest] && len(first) + len(second) + (3 if second else 2) > longest -> False
    You cut the end of the row off and put a `[SEP]` there, so only the second sentence gives way.
    The longer one of the two loses its last word, one at a time.
half of the room for each: while len(first) + len(second) + (3 if second else 2) > longest: \
        (first if len(first) > len(second) else second).pop() \
        -> room = longest - (3 if second else 2) \
        ⏎if len(first) + len(second) > room: \
        first, second = first[: room // 2], second[: room - room // 2]
half of the room for each, the larger for the first: \
        while len(first) + len(second) + (3 if second else 2) > longest: \
        (first if len(first) > len(second) else second).pop() \
        -> room = longest - (3 if second else 2) \
        ⏎if len(first) + len(second) > room: \
        first, second = first[: room - room // 2], second[: room // 2]
half of the room for each, one left over: \
        while len(first) + len(second) + (3 if second else 2) > longest: \
        (first if len(first) > len(second) else second).pop() \
        -> room = longest - (3 if second else 2) \
        ⏎first, second = first[: room // 2], second[: room // 2]
half of the room for each that are too long, one left over: \
        while len(first) + len(second) + (3 if second else 2) > longest: \
        (first if len(first) > len(second) else second).pop() \
        -> room = longest - (3 if second else 2) \
        ⏎if len(first) + len(second) > room: \
        first, second = first[: room // 2], second[: room // 2]
    You give each sentence one half of the room, even where the other needs less. Only the longer
    one loses words, one at a time.
the second alone is cut: \
        while len(first) + len(second) + (3 if second else 2) > longest: \
        (first if len(first) > len(second) else second).pop() \
        -> second = second[: max(0, longest - len(first) - 3)]
    You cut the second sentence alone, so the first may fill the row, or more than that. The longer
    one of the two loses its last word.
--- hint 3
filled up: return ids, segments -> return ids + [0] * (longest - len(ids)), \
        segments + [0] * (longest - len(segments))
    You fill the row up to `longest`. It ends with its last `[SEP]`: `longest` is only what it may
    not exceed.
the shorter one is cut: len(first) > len(second) -> 0 < len(first) < len(second)
    You cut the shorter sentence. The longer one gives way.
the first is cut where both are as long: len(first) > len(second) -> len(first) >= len(second)
    Where both are as long, the second one loses a word. You take it from the first.
the longer one is chosen once: \
        while len(first) -> longer = first if len(first) > len(second) else second \
        ⏎while longer and len(first) \
        && (first if len(first) > len(second) else second).pop() -> longer.pop()
    You ask once which sentence is longer, and cut that one alone. Ask anew before each word.
only the second is cut: (first if len(first) > len(second) else second) \
        -> (second if second else first)
    You cut the second sentence alone. The longer one gives way, whichever it is.
only the first is cut: (first if len(first) > len(second) else second) \
        -> (first if first else second)
    You cut the first sentence alone. The longer one gives way, whichever it is.
the second row alone: ids + second + [3] -> second + [3]
    You begin the row anew with the second sentence, and the first one is lost. Add to the row.
the segments of the second alone: segments + [1] * -> [1] *
    You begin the segments anew with the second sentence. Add to those of the first.
the second loses its words, and the first stays: ids + second + [3] -> ids + [3]
    The words of the second sentence are missing.
the last mark is missing, its segment is there: ids + second + [3] -> ids + second
    The `[SEP]` at the end of the second sentence is missing.
two segments too few: [1] * (len(second) + 1) -> [1] * (len(second) - 1)
one segment for the second: [1] * (len(second) + 1) -> [1]
no segments for the second: segments + [1] * (len(second) + 1) -> segments
    There are too few segments. Each word of the second sentence has one, and so has the last
    `[SEP]`.
a second where there is none: [0] * len(ids) if second: -> [0] * len(ids) ⏎if not second:
    You add the second sentence where there is none, and leave it out where there is one.
the marks are counted the wrong way round: 3 if second else 2 -> 2 if second else 3
    A pair has three marks and a sentence alone has two. You count them the other way round.
the second is counted twice: len(first) + len(second) + ( -> len(second) + len(second) + (
the first is counted twice: len(first) + len(second) + ( -> len(first) + len(first) + (
    You count one sentence twice and the other not at all.
the longer one is kept: (first if len(first) > len(second) else second) \
        -> (second if len(first) > len(second) else first)
    You cut the shorter sentence. The longer one gives way.
the sentences are exchanged: list(first), list(second) -> list(second), list(first)
    You exchange the two sentences.
--- no hint
words are counted once each: list(first), list(second) -> list(set(first)), list(second)
    A set forgets the order of the words. Take a list.
the segments alone: return ids, segments -> return segments
    Return both: the numbers and the segments.
the numbers alone: return ids, segments -> return ids
    Return both: the numbers and the segments.
the two are swapped: return ids, segments -> return segments, ids
    The two stand the other way round: first the numbers, then the segments.
"""

SLIPS_OF_SLICES = """
--- hint 3
the second sentence alone: parts[0] + parts[1] -> parts[1]
    The first sentence is lost. Join both parts.
the first sentence alone: parts[0] + parts[1] -> parts[0]
    The second sentence is lost. Join both parts.
as many segments as sentences: for _ in part] -> for _ in parts]
    Each sentence has as many segments as there are sentences. Each number of the row has one.
"""

EXERCISE = Exercise(
    id="pack",
    title="Two sentences in one row",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=10,
    reference=pack,
    codes=True,
    cases=(
        Case("two sentences that fit", _sentences(4, 3, 20)),
        Case("the first is too long", _sentences(9, 3, 12), weight=2),
        Case("the second is too long", _sentences(3, 9, 12)),
        Case("both are too long", _sentences(9, 9, 14), weight=2),
        Case("both are too long, by an odd number", _sentences(8, 7, 13)),
        Case("a row that just fits", _sentences(4, 5, 12)),
        Case(
            "one sentence alone",
            _sentences(6, 0, 20),
            edge=True,
            asks="The second sentence is empty: the row ends with the first `[SEP]`.",
        ),
        Case("one sentence alone, too long", _sentences(9, 0, 8), edge=True),
        Case(
            "room for one word",
            _sentences(1, 1, 3),
            edge=True,
            asks="The second sentence loses its only word, and with it its `[SEP]`.",
        ),
    ),
    mistakes=(*slips(pack, SLIPS), *slips(_by_slices, SLIPS_OF_SLICES)),
    right_answers={"slices": _by_slices},
)
