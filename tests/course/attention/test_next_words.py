"""The model of the next word as lesson 13 trains it, with the corpora and without."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from course.attention import next_words
from course.results.stored import stored_result
from course.texts.small_text import SmallText, small_text
from elmo_mini import corpora
from elmo_mini.models.attention import Block
from elmo_mini.models.fine_tuning import CausalLM, causal_block, continue_text

BATCHES = 180  # of the lesson's 480


def trained(text: SmallText, block: Callable[[int, int], nn.Module]) -> list[float]:
    """Held-out perplexity on the way through `BATCHES` batches at the lesson's rate."""
    torch.manual_seed(0)
    model = CausalLM(len(text.vocabulary), 64, 4, 2, 24, block)
    watch = next_words.Watch(model, text, BATCHES)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for done, batch in enumerate(next_words.batches(text, BATCHES), 1):
        optimizer.zero_grad()
        model.loss(*batch).backward()
        optimizer.step()
        watch(done)
    assert len(watch.perplexity) == next_words.POINTS
    return watch.perplexity


@pytest.mark.by_reach("trained again on next words", seconds=10)
@pytest.mark.parametrize(
    "here", [pytest.param("as found", marks=pytest.mark.slow), "without corpora"]
)
def test_who_looks_ahead_beats_the_pairs_and_who_does_not_is_behind_at_first(
    here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if here == "without corpora":
        monkeypatch.setattr(corpora, "course_text", lambda prefer: corpora.lee())
    text = small_text(train=6_400, held_out=200, words=1_000)
    pairs = text.ngram(text.held_out, 2)
    assert trained(text, Block)[-1] < pairs < trained(text, causal_block)[-1]


@pytest.mark.by_reach("trained again", seconds=5)
def test_few_sentences_are_learnt_by_heart_before_the_counts_are_reached() -> None:
    text = small_text(train=100, held_out=50, words=300)
    found = trained(text, causal_block)
    assert text.ngram(text.held_out, 2) < min(found) < found[-1]


def test_counts_of_pairs_are_ahead_on_little_text_and_behind_on_more() -> None:
    numbers = stored_result("attention_language_model").numbers
    blocks, counts = numbers["perplexity"]["blocks that look back"], numbers["counts"]
    assert blocks["1600"]["mean"] > counts["1600"]["pairs"]
    assert blocks["6400"]["high"] < counts["6400"]["pairs"]


def test_what_is_written_begins_as_asked_and_holds_no_unknown_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = small_text(train=50, held_out=5, words=20)

    class Even(nn.Module):
        """All words are as likely."""

        def forward(self, ids: Tensor) -> Tensor:
            """(1, T) to (1, T, V)."""
            return torch.zeros(*ids.shape, len(text.vocabulary))

    torch.manual_seed(0)
    for _ in range(20):
        next_words.write(continue_text, Even(), text.vocabulary, "the", 1.5)
    said = capsys.readouterr().out
    assert all("temperature 1.5: the" in line for line in said.splitlines() if "temper" in line)
    assert "<unk>" not in said
