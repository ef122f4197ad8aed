"""What is typed is looked up in every layer, or told in a sentence why it cannot be."""

from collections.abc import Sequence

import numpy as np
import pytest

from course.scalar_mix_and_elmo.word_explorer import CannotLook, WordExplorer, marked, word_explorer

SENTENCES = [
    ["the", "bank", "of", "the", "river"],
    ["a", "bank", "lends", "money"],
    ["Bank", "on", "me"],
    ["the", "bench", "of", "the", "park"],
]


def embed(sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """Layer 0 knows the word's length; layer 1 whether there is a river or bench, or money."""
    found = []
    for words in sentences:
        wet = [float({"river", "bench"} & {*words} != set()), float("money" in words)]
        rows = [[[len(word), 1.0] for word in words], [[*wet] for _ in words]]
        found.append(np.array(rows) + 1e-3)
    return found


@pytest.fixture
def explorer() -> WordExplorer:
    return word_explorer(embed, SENTENCES, start="our *bank* by the river .", topn=2)


def test_the_nearest_stand_first_in_each_layer(explorer: WordExplorer) -> None:
    alike, in_context = explorer.shown
    assert alike == [
        "1.00 the [bank] of the river",
        "1.00 a [bank] lends money",
        "and 1 more, as near as the last",
    ]
    assert in_context[0] == "1.00 the [bank] of the river"
    assert in_context[1].endswith("[Bank] on me")


def test_every_word_can_be_compared(explorer: WordExplorer) -> None:
    _, in_context = explorer.nearest("our *bank* by the river .", any_word=True)
    assert len(in_context) == 3
    assert in_context[-1] == "and 8 more, as near as the last"
    assert explorer.nearest("a *pond* by the river .", any_word=True)[1][0].startswith("1.00 ")


def test_the_sentence_itself_is_left_out(explorer: WordExplorer) -> None:
    (first, *_), _ = explorer.nearest("the *bank* of the river")
    assert first == "1.00 a [bank] lends money"


BAD = {
    "": "Type a sentence with stars around one word",
    "  ": "Type a sentence with stars around one word",
    "no word is marked": "Put two stars around one word",
    "*two* words *are*": "Put two stars around one word",
    "the *river bank* here": "Mark one word: 'river bank' stands between your stars.",
    "the ** here": "Mark one word: nothing stands between your stars.",
    "a *pond* here": "“pond” stands in none of the 4 sentences.",
}


@pytest.mark.parametrize(("typed", "says"), BAD.items())
def test_what_cannot_be_looked_up_is_a_sentence(
    typed: str, says: str, explorer: WordExplorer
) -> None:
    field, _, shown = explorer.widget().children
    field.value = typed
    assert says in shown.value.replace("&#x27;", "'")
    field.value = "a *bank* ."
    assert "<li>1.00 the [bank] of the river</li>" in shown.value


def test_a_typed_tag_is_shown_and_not_run(explorer: WordExplorer) -> None:
    field, box, shown = explorer.widget().children
    field.value = "<b> *bank*"
    assert "&lt;b&gt; *bank*" in shown.value
    box.value = True
    assert "as near as the last" in shown.value


def test_without_a_front_end_the_first_example_stands_there(explorer: WordExplorer) -> None:
    bundle = explorer._repr_mimebundle_()
    for shown in (bundle["text/html"], bundle["text/plain"]):
        assert "Nearest to: our *bank* by the river ." in shown
        assert "layer 0, no context" in shown
        assert "layer 1" in shown


def test_words_and_stars_are_told_apart() -> None:
    assert marked("It's a *bank*, too.") == (["It", "'s", "a", "bank", ",", "too", "."], 3)


def test_vectors_that_do_not_fit_and_a_bad_example_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        word_explorer(embed, SENTENCES, embed(SENTENCES)[::-1])
    with pytest.raises(CannotLook):
        word_explorer(embed, SENTENCES, start="no mark")
