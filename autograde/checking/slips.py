"""Named mistakes written as edits of a right answer.

A slip is a small change of right code, and is written as one. A line names it and says what is
written in place of what; the sentence that helps stands indented below::

    --- hint 2
    the forget gate without its 1: f + 1 -> f
        The 1 in the forget gate is missing: `torch.sigmoid(f + 1)`.
    the 1 is in the input gate: f + 1 -> f && sigmoid(i) -> sigmoid(i + 1)
        You add the 1 to the input gate. It belongs to the forget gate.

Lines without a sentence of their own share the next one. ``&&`` joins the edits of one slip, and
``every X -> Y`` changes X wherever it stands; any other left side stands exactly once. A line that
ends in ``| tiny = 1e-6, 1e-8`` makes one slip for each value, which takes the place of ``{tiny}``
in its name, its edits and its sentence; ``| gate x = input i, output o`` sets two words at once.
``⏎`` begins a new line of code, as far in as the one where the edit begins. ``--- hint 2`` is the
hint that the slips below it belong to, ``--- no hint`` ends that. Spaces and line breaks in code do
not count, nor do docstrings and comments, in which nothing is looked for. (Behind ``⏎`` they do.)
An edit that calls the answer by its own name calls the edited one: call another right answer.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

from autograde.checking.exercise import Answer, Mistake
from autograde.workspace.definitions import Definition, definition_of

SLIP = "<slip>"
Span = tuple[int, int, str]
_VALUES = re.compile(r" \| (?P<names>[a-z_]+(?: [a-z_]+)*) = (?P<values>.+)$")
_STATEMENT_ENDS = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
_TOKEN = re.compile(r"\w+|\S")


class NotASlip(ValueError):
    """A line that is no slip of this answer; the text quotes it and says why."""


@dataclass(frozen=True)
class Edit:
    """``old`` code and the ``new`` in its place, wherever it stands if ``every``."""

    old: str
    new: str
    every: bool = False


@dataclass(frozen=True, eq=False)
class Source:
    """The text of a right answer, with what it calls that slips change, too.

    Attributes
    ----------
    answer : the function or class that is made anew; its slips are made from its text.
    calls : functions and classes that it calls, whose texts are edited along with its own.
    """

    answer: Answer
    calls: tuple[Answer, ...] = ()

    @cached_property
    def text(self) -> str:
        """The code that edits are looked for in."""
        return "\n".join(_code_alone(_definition(part).text) for part in (*self.calls, self.answer))

    def spans(self, edits: tuple[Edit, ...]) -> list[Span]:
        """Where the edits stand in the text, and what takes their place.

        Raises
        ------
        NotASlip
            If an old side does not stand there exactly once.
        """
        found: list[Span] = []
        for edit in edits:
            places = [match.span() for match in _pattern(edit.old).finditer(self.text)]
            if not places or (len(places) > 1 and not edit.every):
                raise NotASlip(f"`{edit.old}` stands {len(places)} times in the right answer")
            found += [(*place, self._set_in(edit.new, place[0])) for place in places]
        return found

    def _set_in(self, new: str, start: int) -> str:
        line = self.text[self.text.rfind("\n", 0, start) + 1 :]
        return new.replace("⏎", "\n" + line[: len(line) - len(line.lstrip())])

    @property
    def name(self) -> str:
        """What the answer is called in its text."""
        return _definition(self.answer).name

    def edited_text(self, spans: list[Span]) -> str:
        """The text with other code in these places.

        Raises
        ------
        NotASlip
            If two places meet.
        """
        spans = sorted(spans)
        if any(left[1] > right[0] for left, right in pairwise(spans)):
            raise NotASlip("two edits change the same place")
        text = self.text
        for start, end, new in reversed(spans):
            text = text[:start] + new + text[end:]
        return text

    def edited(self, spans: list[Span]) -> Answer:
        """The answer with other code in these places, made anew.

        Raises
        ------
        NotASlip
            If two places meet, and if what results is no Python.
        """
        text = self.edited_text(spans)
        names: dict[str, Any] = {}
        for part in (*self.calls, self.answer):
            names = _definition(part).namespace | names
        try:
            exec(compile(text, SLIP, "exec"), names)
        except SyntaxError as error:
            raise NotASlip(f"what results is no Python: {error.msg}: {error.text}") from None
        answer: Answer = names[self.name]
        return answer


class Slip(Mistake):
    """A named mistake that is an edit of a right answer, made when it is asked for."""

    def __init__(
        self, name: str, says: str, hint: int | None, source: Source, edits: tuple[Edit, ...]
    ) -> None:
        for attribute, value in {
            "name": name,
            "says": says,
            "hint": hint,
            "source": source,
            "edits": edits,
        }.items():
            object.__setattr__(self, attribute, value)

    source: Source
    edits: tuple[Edit, ...]

    @cached_property
    def _spans(self) -> list[Span]:
        return self.source.spans(self.edits)

    @property
    def text(self) -> str:
        """The code of the wrong answer, and of what it calls that is changed."""
        return self.source.edited_text(self._spans)

    @cached_property
    def answer(self) -> Answer:
        """The wrong answer, as a function or class.

        Raises
        ------
        NotASlip
            If the edits do not fit the right answer.
        """
        try:
            return self.source.edited(self._spans)
        except NotASlip as error:
            raise NotASlip(f'the slip "{self.name}": {error}') from None

    def beside(self, other: "Slip") -> Answer | None:
        """The answer that makes both slips; None where they change the same place."""
        if self.source is not other.source:
            return None
        try:
            return self.source.edited([*self._spans, *other._spans])
        except NotASlip:
            return None


def slips(answer: Answer, text: str, *calls: Answer) -> tuple[Slip, ...]:
    """The slips that a text writes as edits of a right answer and of what it ``calls``.

    Raises
    ------
    NotASlip
        For a line that cannot be read, a slip without a sentence, and a name that stands twice.
    """
    source = Source(answer, calls)
    found: list[Slip] = []
    waiting: list[tuple[str, tuple[Edit, ...], dict[str, str]]] = []
    said: list[str] = []
    hint: int | None = None

    def end_of_group() -> None:
        nonlocal waiting, said
        if bool(waiting) != bool(said):
            what = f"the slip {waiting[-1][0]!r}" if waiting else f"the sentence {said[0]!r}"
            raise NotASlip(f"{what} has no {'sentence' if waiting else 'slip'}")
        for name, edits, words in waiting:
            found.append(Slip(name, _filled(" ".join(said), words), hint, source, edits))
        waiting, said = [], []

    for line in filter(str.strip, text.splitlines()):
        if line.startswith(" "):
            said.append(line.strip())
            continue
        if said:
            end_of_group()
        if line.startswith("---"):
            end_of_group()
            hint = _hint(line)
        else:
            waiting += _read(line)
    end_of_group()
    names = [slip.name for slip in found]
    if len(set(names)) < len(names):
        raise NotASlip(f"two slips are called {max(names, key=names.count)!r}")
    return tuple(found)


def _hint(line: str) -> int | None:
    match = re.fullmatch(r"--- (?:hint ([123])|no hint)", line)
    if not match:
        raise NotASlip(f"{line!r} should be `--- hint 1`, 2 or 3, or `--- no hint`")
    return int(match[1]) if match[1] else None


def _read(line: str) -> Iterator[tuple[str, tuple[Edit, ...], dict[str, str]]]:
    """The slips of one line: their names, edits and the words that were set in."""
    values = _VALUES.search(line)
    name, colon, edits = (line[: values.start()] if values else line).partition(": ")
    if not (name and colon and " ->" in edits):
        raise NotASlip(f"{line!r} should read `what was slipped: old code -> new code`")
    for words in _words(values, line):
        yield (
            _filled(name, words),
            tuple(_edit(_filled(edit, words)) for edit in edits.split(" && ")),
            words,
        )


def _words(values: re.Match[str] | None, line: str) -> Iterator[dict[str, str]]:
    if values is None:
        yield {}
        return
    names = values["names"].split()
    for value in values["values"].split(", "):
        words = value.split()
        if len(words) != len(names):
            raise NotASlip(f"{line!r} sets {len(names)} words, and {value!r} are {len(words)}")
        yield dict(zip(names, words, strict=True))


def _filled(text: str, words: dict[str, str]) -> str:
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text


def _edit(text: str) -> Edit:
    old, arrow, new = text.strip().partition(" ->")
    every = old.startswith("every ")
    if not arrow or not old or " ->" in new:
        raise NotASlip(f"`{text}` should read `old code -> new code`")
    return Edit(old.removeprefix("every ").strip(), new.strip(), every)


def _pattern(code: str) -> re.Pattern[str]:
    """Where this code stands, however it is spaced and broken into lines."""
    tokens = _TOKEN.findall(code)
    pieces = [re.escape(tokens[0])]
    for before, token in pairwise(tokens):
        comma = ",?" if token in ")]}" and before != "," else ""
        between = r"\s+" if before[-1].isidentifier() and token[0].isidentifier() else r"\s*"
        pieces.append(f"{comma}{between}{re.escape(token)}")
    start = r"(?<!\w)" if re.match(r"\w", tokens[0]) else ""
    end = r"(?!\w)" if re.match(r"\w", tokens[-1][-1]) else ""
    return re.compile(start + "".join(pieces) + end)


@cache
def _definition(part: Answer) -> Definition:
    return definition_of(getattr(part, "__name__", ""), part)


def _code_alone(text: str) -> str:
    """The text without comments, and with `pass` for each docstring."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    code = [token for token in tokens if token.type not in (tokenize.COMMENT, tokenize.NL)]
    gone = [(token, "") for token in tokens if token.type == tokenize.COMMENT]
    for before, token, after in zip(code, code[1:], code[2:], strict=False):
        alone = before.type in _STATEMENT_ENDS and after.type == tokenize.NEWLINE
        if token.type == tokenize.STRING and alone:
            gone.append((token, "pass"))
    lines = text.splitlines(keepends=True)
    for token, new in sorted(gone, key=lambda part: part[0].start, reverse=True):
        (line, column), (last, end) = token.start, token.end
        before_it = lines[line - 1][:column] if new else lines[line - 1][:column].rstrip()
        kept = before_it + new + lines[last - 1][end:]
        lines[line - 1 : last] = [kept] if kept.strip() else []
    return "".join(lines)
