"""Pooling without padding, long texts in chunks, other words, and the task's own text."""

import copy
import math

import pytest
import torch

from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.awd_lstm import AWDLSTM, States
from elmo_mini.models.ulmfit import concat_pool
from elmo_mini.text.running_text import word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.ulmfit.long_texts import read_in_chunks, read_padded_in_chunks
from elmo_mini.ulmfit.merged_vocabulary import restore_rows, task_vocabulary, with_words, words_of
from elmo_mini.ulmfit.task_text import TextLoss, say, text_perplexity, text_windows

SENTENCES = [line.split() for line in ["a dog barks .", "a cat sleeps .", "the dog sleeps ."]]


def small(words: int, seed: int = 0) -> AWDLSTM:
    torch.manual_seed(seed)
    return AWDLSTM(AWDLSTMOptions(vocabulary_size=words, dim=6, hidden_dim=8).scaled(0.1)).eval()


def test_padding_changes_nothing() -> None:
    states = torch.randn(2, 5, 3) - 4
    mask = torch.tensor([[True] * 2 + [False] * 3, [True] * 5])
    expected = concat_pool(states, mask)
    for anything in (0.0, 1e9, -torch.inf):
        other = states.masked_fill(~mask[..., None], anything)
        assert torch.equal(concat_pool(other, mask), expected)
    text = states[0, :2]
    alone = torch.cat([text[-1], text.amax(0), text.mean(0)])
    torch.testing.assert_close(expected[0], alone)


def test_a_text_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="no state to pool"):
        concat_pool(torch.zeros(1, 2, 3), torch.zeros(1, 2, dtype=torch.bool))


def test_chunks_give_the_states_of_reading_at_once() -> None:
    model, ids = small(20), torch.randint(20, (2, 11))
    with torch.no_grad():
        whole = model.encode(ids)[0]
        for chunk in (1, 4, 11, 30):
            chunks = read_in_chunks(model.encode, ids, chunk, 1)
            torch.testing.assert_close(chunks, whole)
            assert not chunks.requires_grad


def test_gradients_reach_the_last_chunks_alone() -> None:
    model, ids = small(20), torch.arange(12)[None]
    read_in_chunks(model.encode, ids, 4, 2).sum().backward()
    assert model.embedding.weight.grad is not None
    reached = model.embedding.weight.grad.abs().sum(1)[:12] > 0
    assert reached.tolist() == [False] * 4 + [True] * 8


@pytest.mark.parametrize("words", [3, 4, 7, 9, 13])
def test_a_text_teaches_the_same_whatever_stands_beside_it(words: int) -> None:
    model = small(40)
    text, longer = torch.arange(words), torch.arange(20, 40)
    together = torch.stack([torch.cat([text, torch.full((20 - words,), 39)]), longer])
    found = []
    for ids, lengths in ((text[None], [words]), (together, [words, 20])):
        model.zero_grad()
        states = read_padded_in_chunks(model.encode, ids, torch.tensor(lengths), 4, 2)
        states[0, :words].square().sum().backward()
        gradients = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
        found.append((states[0, :words], gradients))
    (alone, own), (beside, same) = found
    torch.testing.assert_close(beside, alone)
    torch.testing.assert_close(same, own)
    begins = max(0, 4 * (-(-words // 4) - 2))
    reached = same["embedding.weight"].abs().sum(1) > 0
    assert reached.tolist() == [begins <= place < words for place in range(40)]


def test_beside_a_short_text_the_start_of_a_long_one_stays_without_gradients() -> None:
    model, ids = small(40), torch.stack([torch.arange(20), torch.arange(20, 40)])
    reads: list[bool] = []

    def read(piece: torch.Tensor, state: States | None) -> tuple[torch.Tensor, States]:
        reads.append(torch.is_grad_enabled())
        return model.encode(piece, state)

    read_padded_in_chunks(read, ids, torch.tensor([3, 20]), 4, 1).square().sum().backward()
    assert model.embedding.weight.grad is not None
    reached = model.embedding.weight.grad.abs().sum(1) > 0
    assert reached.nonzero().flatten().tolist() == [*range(4), *range(36, 40)]
    assert reads == [True, False, False, False, True]  # what no text learns from is not kept


def test_a_chunk_of_no_word_is_refused() -> None:
    for chunk, keep, said in ((0, 1, "chunk is 0"), (4, -1, "keep is -1")):
        with pytest.raises(ConfigurationError, match=said):
            read_padded_in_chunks(
                small(4).encode, torch.zeros(1, 3).long(), torch.tensor([3]), chunk, keep
            )


def test_known_words_keep_their_rows_and_new_ones_get_the_mean() -> None:
    known = word_vocabulary(SENTENCES)
    model = small(len(known))
    wanted, own = task_vocabulary([["a", "wolf", "barks"]] * 2, known)
    other = with_words(model, known, wanted)
    assert wanted.words[:own] == ["<unk>", "</s>", "a", "barks", "wolf"]
    assert set(wanted.words) == {*known.words, "wolf"}
    rows = other.embedding.weight
    assert torch.equal(rows[wanted.id("a")], model.embedding.weight[known.id("a")])
    torch.testing.assert_close(rows[wanted.id("wolf")], model.embedding.weight.mean(0))
    assert other.decoder.weight is other.embedding.weight
    assert model.options.vocabulary_size == len(known)
    ids, same = known.encode(SENTENCES[0]), wanted.encode(SENTENCES[0])
    with torch.no_grad():
        torch.testing.assert_close(
            other.encode(torch.tensor([same]))[0], model.encode(torch.tensor([ids]))[0]
        )


def test_a_task_whose_words_are_all_rare_is_refused() -> None:
    known = word_vocabulary(SENTENCES)
    with pytest.raises(ValueError, match="occurs min_count=9 times"):
        task_vocabulary(SENTENCES, known, min_count=9)


def test_words_outside_the_task_count_as_unknown() -> None:
    known = word_vocabulary(SENTENCES)
    model = small(len(known))
    windows = text_windows(SENTENCES, known, rows=1, bptt=4)
    with torch.no_grad():
        few, every = TextLoss(model, 3), TextLoss(model)
        assert float(few(windows[0])) < float(every(windows[0]))
    assert 1 < text_perplexity(model, windows, 3) < text_perplexity(model, windows)


def test_a_backward_model_reads_the_text_from_its_end() -> None:
    known = word_vocabulary(SENTENCES)
    (ahead, _), (behind, _) = (
        text_windows(SENTENCES, known, direction, rows=1, bptt=50)[0]
        for direction in ("forward", "backward")
    )
    assert behind[0, 1:].tolist() == ahead[0, 1:].flip(0).tolist()


def test_a_model_says_the_same_for_the_same_seed_and_stays_among_its_words() -> None:
    known = word_vocabulary(SENTENCES)
    model = small(len(known))
    said = say(model, known, among=4, seed=3, words=9)
    assert said == say(model, known, among=4, seed=3, words=9)
    assert set(said) <= set(known.words[2:4])
    assert say(model, known, start=["the"], seed=3)[0] == "the"


def test_a_model_of_some_words_learns_what_the_whole_one_would() -> None:
    known = word_vocabulary(SENTENCES)
    texts = [["a", "dog", "sleeps", "."]] * 2
    some = words_of(texts, known)
    assert "cat" in known
    assert "cat" not in some
    whole = small(len(known))
    part = with_words(whole, known, some)
    after = []
    for model, words in ((copy.deepcopy(whole), known), (part, some)):
        optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
        ids = torch.tensor([words.encode(text) for text in texts])
        for _ in range(3):
            optimiser.zero_grad()
            model.encode(ids)[0].square().sum().backward()
            optimiser.step()
        after.append(model)
    back = restore_rows(after[1], some, whole, known)
    expected = dict(after[0].named_parameters())
    for name, parameter in back.named_parameters():
        torch.testing.assert_close(parameter, expected[name])
    assert not torch.equal(back.embedding.weight, whole.embedding.weight)


def test_words_that_are_not_the_models_are_refused() -> None:
    known, more = word_vocabulary(SENTENCES), word_vocabulary([*SENTENCES, ["zebra"]])
    model = small(len(known))
    for wrong in (
        lambda: say(model, more),
        lambda: with_words(model, more, known),
        lambda: restore_rows(model, more, model, known),
    ):
        with pytest.raises(ValueError, match="the reader has rows for"):
            wrong()
    with pytest.raises(TypeError, match="is the string 'cat'"):
        words_of(["cat"], known)


def test_without_a_known_word_every_row_is_the_mean() -> None:
    known = word_vocabulary(SENTENCES)
    model = small(len(known))
    rows = with_words(model, known, Vocabulary(["wolf", "bear"])).embedding.weight
    torch.testing.assert_close(rows, model.embedding.weight.mean(0).expand(2, -1))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("among", 1), ("words", -1), ("seed", -1), ("temperature", 1e-40), ("temperature", math.nan)],
)
def test_a_setting_of_saying_is_named(name: str, wrong: float) -> None:
    known = word_vocabulary(SENTENCES)
    with pytest.raises(ValueError, match=f"{name} is {wrong}"):
        say(small(len(known)), known, **{name: wrong})  # type: ignore[arg-type]
