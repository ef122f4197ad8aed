"""States of words in their sentences, from a masked language model."""

import torch

from course.both_sides_at_once.states import occurrence_states
from elmo_mini.probing.tasks import Occurrence
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.corruption import SPECIALS, UNKNOWN
from elmo_mini.transformer.masked_lm import MaskedLM, MaskedLMOptions

WORDS = Vocabulary([*SPECIALS, *"abcdefgh"], unknown=UNKNOWN)


def test_states_are_those_of_the_model_whatever_stands_beside() -> None:
    torch.manual_seed(0)
    model = MaskedLM(MaskedLMOptions(len(WORDS), 8, 2, 2, 8)).eval()
    asked = [Occurrence(("A", "b", "c"), 1, ""), Occurrence(("d", "e"), 0, "")]
    found = occurrence_states(model, WORDS, asked)
    ids = torch.tensor([[2, *WORDS.encode(["a", "b", "c"]), 3]])
    with torch.no_grad():
        layers = torch.stack(model.layers(ids, ids > 0))  # (3, 1, T, D)
    torch.testing.assert_close(torch.tensor(found[0]), layers[:, 0, 2], atol=1e-5, rtol=1e-4)
    assert found.shape == (2, 3, 8)


def test_of_a_long_text_the_middle_is_read() -> None:
    torch.manual_seed(0)
    model = MaskedLM(MaskedLMOptions(len(WORDS), 8, 2, 1, 8)).eval()  # six words and two marks
    words = tuple("abcdefgh")
    at = [occurrence_states(model, WORDS, [Occurrence(words, p, "")])[0] for p in (0, 7)]
    cut = [
        occurrence_states(model, WORDS, [Occurrence(part, p, "")])[0]
        for part, p in ((words[:6], 0), (words[2:], 5))
    ]
    for long, short in zip(at, cut, strict=True):
        torch.testing.assert_close(torch.tensor(long), torch.tensor(short))
