"""The task of facts and questions, and its readers."""

import pytest
import torch

from course.attention import recall
from elmo_mini.models.attention import one_head


def drawn(texts: int, distance: int, seed: int = 0) -> recall.Texts:
    return recall.recall_texts(texts, distance, torch.Generator().manual_seed(seed))


def test_the_question_names_a_fact_and_its_value_is_the_answer() -> None:
    ids, answers = drawn(200, 5)
    assert ids.shape == (200, recall.FACTS + 5 + 1)
    for text, answer in zip(ids, answers.tolist(), strict=True):
        *before, question = recall.in_words(text)
        facts = dict(word.split("=") for word in before if "=" in word)
        assert len(facts) == recall.FACTS
        assert before.count("·") == 5
        assert facts[question.rstrip("?")] == str(answer)


def test_all_values_are_asked_for() -> None:
    assert set(drawn(500, 0)[1].tolist()) == set(range(recall.VALUES))


def test_the_readers_are_of_like_size_and_give_a_score_for_each_value() -> None:
    ids, _ = drawn(3, 2)
    sizes = []
    readers = (recall.AttentionRecaller, recall.RecurrentRecaller, recall.PooledRecaller)
    for reader in (*(make() for make in readers), recall.SumRecaller()):
        assert reader(ids).shape == (3, recall.VALUES)
        sizes.append(sum(part.numel() for part in reader.parameters()))
    assert max(sizes) < 1.4 * min(sizes)


def test_counts_of_question_and_word_need_a_sixth_of_the_texts() -> None:
    counts, (ids, answers) = recall.CountingRecaller(), recall.some_texts(1_000, 16)
    right = {}
    for batch in range(300):
        counts.read(*recall.some_texts(64, 16, seed=100_000 + batch))
        right[batch + 1] = float((counts(ids).argmax(-1) == answers).double().mean())
    assert right[10] < 0.8
    assert right[50] > 0.9
    assert right[300] == 1


def test_an_open_gate_is_the_forget_gate() -> None:
    torch.manual_seed(0)
    shut = recall.RecurrentRecaller()
    torch.manual_seed(0)
    opened = recall.RecurrentRecaller(open_gate=3.0)
    moved = opened.lstm.bias_ih_l0 - shut.lstm.bias_ih_l0
    assert moved.unflatten(0, (4, -1)).mean(1).tolist() == [0, 3, 0, 0]


def test_attention_learns_what_is_near_and_a_seed_repeats_it() -> None:
    accuracy = []
    for _ in range(2):
        torch.manual_seed(1)
        reader = recall.AttentionRecaller()
        losses = recall.train_to_recall(reader, 0, 60, seed=1)
        accuracy.append(recall.recall_accuracy(reader, 0, texts=300))
    assert losses[-1] < losses[0]
    assert accuracy[0] == accuracy[1] > 2 / recall.VALUES


@pytest.mark.by_reach("trained again on recall", seconds=7)
def test_what_section_1_of_the_lesson_shows() -> None:
    right = {}
    for name, make in {
        "LSTM": recall.RecurrentRecaller,
        "attention": recall.AttentionRecaller,
    }.items():
        torch.manual_seed(0)
        reader = make()
        recall.train_to_recall(reader, 16, 300)
        right[name] = recall.recall_accuracy(reader, 16)
    assert right["LSTM"] < 0.2
    assert right["attention"] > 0.75


def test_badges_and_notes_written_as_in_section_2_answer_every_question() -> None:
    keys, values = torch.zeros(2, recall.TOKENS, 8)
    fact = torch.arange(64)
    keys[fact, fact // 8] = 8.0
    keys[-8:] = 8.0 * torch.eye(8)
    values[fact, fact % 8] = 1.0
    ids, answers = recall.some_texts(200, 64)
    before, question = ids[:, :-1], ids[:, -1:]
    allowed = torch.ones(1, 1, before.shape[1], dtype=torch.bool)
    for loud, share in ((1.0, 0.95), (1 / 8, 0.05)):
        fits = keys * loud
        said, attention_weights = one_head(fits[question], fits[before], values[before], allowed)
        assert (said[:, 0].argmax(-1) == answers).all() or loud < 1
        assert (float(attention_weights.amax(-1).mean()) > share) == (loud == 1)
