"""Type a sentence, mark a word: where does a word stand that is near to it, layer by layer?

Where no widget can be shown (a web page, a printed notebook), the first example stands in its
place. Everything is text, so that it can be read aloud.
"""

import html
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from course.figures.widget_view import widget_view
from elmo_mini.extras import brought_by
from elmo_mini.probing.neighbours import in_brackets
from elmo_mini.text.tokenizer import tokenize

Embed = Callable[[Sequence[Sequence[str]]], Sequence[np.ndarray]]

EXAMPLE = "They sat on the *bank* of the river ."
ALIKE = 1e-5  # of two cosines: occurrences that no context tells apart
WORDS_SHOWN = 6  # on either side of an occurrence


class CannotLook(ValueError):
    """What was typed cannot be looked up; its text says why, and what to type."""


def word_explorer(
    embed: Embed,
    sentences: Sequence[Sequence[str]],
    vectors: Sequence[np.ndarray] | None = None,
    *,
    start: str = EXAMPLE,
    topn: int = 4,
) -> "WordExplorer":
    """A field to type a sentence in, and the nearest occurrences of its marked word by layer.

    Parameters
    ----------
    embed : sentences, lists of words, to the (n_layers, words, D) array of each, such as
        ``ElmoEmbedder().embed_batch``
    sentences : where to look
    vectors : of these sentences, if they are there already
    start : the first example, with stars around its word
    topn : how many occurrences to show for each layer

    Raises
    ------
    ValueError
        The vectors do not fit the sentences.
    CannotLook
        The first example marks no word that the sentences have.
    """
    words = [list(sentence) for sentence in sentences]
    found = [np.asarray(rows) for rows in (embed(words) if vectors is None else vectors)]
    if [rows.shape[1] for rows in found] != [len(sentence) for sentence in words]:
        raise ValueError("the vectors do not fit the sentences: each word needs one in each layer")
    return WordExplorer(embed, words, found, start, topn)


class WordExplorer:
    """See `word_explorer`."""

    def __init__(
        self,
        embed: Embed,
        sentences: Sequence[list[str]],
        vectors: Sequence[np.ndarray],
        start: str,
        topn: int,
    ) -> None:
        self.embed, self.sentences, self.vectors = embed, sentences, vectors
        self.start, self.topn = start, topn
        self.shown = self.nearest(start)

    def nearest(self, typed: str, any_word: bool = False) -> list[list[str]]:
        """For each layer, lines with the similarity and the occurrence in its sentence.

        Parameters
        ----------
        typed : a sentence with stars around one word
        any_word : compare with every word of the sentences, not only with the same one

        Raises
        ------
        CannotLook
            No word is marked, or more than one, or no sentence has it.
        """
        words, position = marked(typed)
        word = words[position].lower()
        places = [
            (number, place)
            for number, sentence in enumerate(self.sentences)
            if sentence != words
            for place, other in enumerate(sentence)
            if any_word or other.lower() == word
        ]
        if not places:
            raise CannotLook(
                f"“{words[position]}” stands in none of the {len(self.sentences)} sentences. Tick "
                "“every word”, or mark another one."
            )
        (layers,) = self.embed([words])
        query = np.asarray(layers)[:, position]  # (n_layers, D)
        there = np.stack([self.vectors[number][:, place] for number, place in places])
        lengths = np.linalg.norm(there, axis=-1) * np.linalg.norm(query, axis=-1)
        cosines = np.einsum("nld,ld->ln", there, query) / np.maximum(lengths.T, 1e-12)
        return [self._lines(row, places) for row in cosines]

    def _lines(self, cosines: np.ndarray, places: Sequence[tuple[int, int]]) -> list[str]:
        order = np.argsort(-cosines, kind="stable")
        lines = []
        for index in order[: self.topn]:
            number, place = places[index]
            occurrence = in_brackets(self.sentences[number], place, WORDS_SHOWN)
            lines.append(f"{cosines[index]:.2f} {occurrence}")
        last = cosines[order[: self.topn][-1]]
        more = int((cosines >= last - ALIKE).sum()) - len(lines)
        if more:
            lines.append(f"and {more} more, as near as the last")
        return lines

    def __repr__(self) -> str:
        return _text(self.start, self.shown)

    def widget(self) -> Any:
        """A field for the sentence, a box to tick, and what was found. Enter looks up."""
        with brought_by("course"):
            import ipywidgets as widgets

        field = widgets.Text(
            value=self.start,
            description="sentence",
            continuous_update=False,
            layout=widgets.Layout(width="90%"),
        )
        box = widgets.Checkbox(value=False, description="compare with every word", indent=False)
        shown = widgets.HTML(value=_html(self.start, self.shown))

        def look(_: Any) -> None:
            try:
                shown.value = _html(field.value, self.nearest(field.value, box.value))
            except CannotLook as reason:
                shown.value = f'<p role="status">{html.escape(str(reason))}</p>'

        field.observe(look, "value")
        box.observe(look, "value")
        return widgets.VBox([field, box, shown])

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle = widget_view(self.widget(), **options)
        return bundle | {"text/html": _html(self.start, self.shown), "text/plain": repr(self)}


def marked(typed: str) -> tuple[list[str], int]:
    """The words of a sentence with stars around one of them, and that word's position.

    Raises
    ------
    CannotLook
        The sentence is empty, or not one word stands between two stars.
    """
    if not typed.strip():
        raise CannotLook(f"Type a sentence with stars around one word, such as: {EXAMPLE}")
    pieces = typed.split("*")
    if len(pieces) != 3:
        raise CannotLook(f"Put two stars around one word, such as: {EXAMPLE}")
    before, inner, after = map(tokenize, pieces)
    if len(inner) != 1:
        what = "nothing stands" if not inner else f"{' '.join(inner)!r} stands"
        raise CannotLook(f"Mark one word: {what} between your stars.")
    return [*before, *inner, *after], len(before)


def _title(layer: int) -> str:
    return f"layer {layer}, no context" if layer == 0 else f"layer {layer}"


def _text(typed: str, found: Sequence[Sequence[str]]) -> str:
    parts = [f"Nearest to: {typed}"]
    for layer, lines in enumerate(found):
        parts += ["", _title(layer), *(f"  {line}" for line in lines)]
    return "\n".join(parts)


def _html(typed: str, found: Sequence[Sequence[str]]) -> str:
    parts = [f"<div>Nearest to: {html.escape(typed)}</div>"]
    for layer, lines in enumerate(found):
        items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
        parts.append(f"<div><strong>{_title(layer)}</strong></div><ul>{items}</ul>")
    return "".join(parts)
