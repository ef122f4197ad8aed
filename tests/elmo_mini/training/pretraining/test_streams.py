import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elmo_mini.training.pretraining.streams import BOS, EOS, PackedText, TextStreams

SENTENCES = [["the", "cat", "sat"], ["no"], ["the", "dog", "the", "cat", "saw"]]


def words(text: PackedText, ids: np.ndarray) -> list[str]:
    return [text.types[i] for i in ids.ravel()]


def test_words_are_numbered_after_the_boundaries_and_empty_sentences_are_left_out() -> None:
    text = PackedText.of([["b", "a"], [], ["b"]])
    assert text.types == ["<S>", "</S>", "b", "a"]
    assert text.tokens.tolist() == [2, 3, 2]
    assert text.starts.tolist() == [0, 2, 3]
    assert len(text) == 2
    assert text.steps == 5


def test_one_row_reads_and_predicts_as_bilm_tf_does() -> None:
    text = PackedText.of(SENTENCES)
    window = TextStreams(text, batch_size=1, bptt=text.steps, shuffle=False).window(0)
    forward_in = "<S> the cat sat <S> no <S> the dog the cat saw"
    forward_out = "the cat sat </S> no </S> the dog the cat saw </S>"
    backward_in = "</S> sat cat the </S> no </S> saw cat the dog the"
    backward_out = "sat cat the <S> no <S> saw cat the dog the <S>"
    assert words(text, window.forward_inputs) == forward_in.split()
    assert words(text, window.forward_targets) == forward_out.split()
    assert words(text, window.backward_inputs) == backward_in.split()
    assert words(text, window.backward_targets) == backward_out.split()


@given(
    st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6), min_size=4, max_size=12),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(0, 2),
)
def test_each_row_goes_on_where_its_last_window_ended(
    sentences: list[list[str]], batch_size: int, bptt: int, epoch: int
) -> None:
    text = PackedText.of(sentences)
    if text.steps < batch_size * bptt:
        return
    streams = TextStreams(text, batch_size, bptt, seed=5)
    count = streams.windows_per_epoch
    windows = [streams.window(epoch * count + k) for k in range(count)]
    reads = np.concatenate([w.forward_inputs for w in windows], 1)
    says = np.concatenate([w.forward_targets for w in windows], 1)
    # the target is what is read next, but for sentence ends, after which <S> is read
    follows = says[:, :-1] == reads[:, 1:]
    assert (follows | ((says[:, :-1] == EOS) & (reads[:, 1:] == BOS))).all()
    reads = np.concatenate([w.backward_inputs for w in windows], 1)
    says = np.concatenate([w.backward_targets for w in windows], 1)
    follows = says[:, :-1] == reads[:, 1:]
    assert (follows | ((says[:, :-1] == BOS) & (reads[:, 1:] == EOS))).all()


def test_rows_stand_one_after_another_and_each_word_is_predicted_once() -> None:
    text = PackedText.of(SENTENCES)
    streams = TextStreams(text, batch_size=2, bptt=3, shuffle=True, seed=1)
    assert streams.windows_per_epoch == 2
    both = np.concatenate([streams.window(0).forward_targets, streams.window(1).forward_targets], 1)
    whole = TextStreams(text, batch_size=1, bptt=12, shuffle=True, seed=1).window(0).forward_targets
    assert both.ravel().tolist() == whole.ravel().tolist()
    assert sorted(whole[whole > EOS]) == sorted(text.tokens)


def test_epochs_differ_in_order_and_are_the_same_on_every_run() -> None:
    text = PackedText.of([[f"w{i}"] for i in range(50)])
    streams = TextStreams(text, batch_size=2, bptt=10, seed=3)
    per_epoch = streams.windows_per_epoch
    first, second = streams.window(0), streams.window(per_epoch)
    assert not np.array_equal(first.forward_targets, second.forward_targets)
    again = TextStreams(text, batch_size=2, bptt=10, seed=3)
    assert np.array_equal(again.window(per_epoch).forward_targets, second.forward_targets)
    assert np.array_equal(streams.window(0).forward_targets, first.forward_targets)
    other = TextStreams(text, batch_size=2, bptt=10, seed=4)
    assert not np.array_equal(other.window(0).forward_targets, first.forward_targets)


def test_some_rows_of_a_window() -> None:
    streams = TextStreams(PackedText.of(SENTENCES), batch_size=3, bptt=2)
    whole, part = streams.window(1), streams.window(1, slice(1, 3))
    assert np.array_equal(part.backward_inputs, whole.backward_inputs[1:3])


def test_types_given_first_keep_their_numbers() -> None:
    text = PackedText.of([["b", "c"]], types=["<S>", "</S>", "a", "b"])
    assert text.types == ["<S>", "</S>", "a", "b", "c"]
    assert text.tokens.tolist() == [3, 4]


def test_what_cannot_be_packed_is_named() -> None:
    with pytest.raises(ValueError, match="no sentence"):
        PackedText.of([[]])
    with pytest.raises(ValueError, match="token 1 of sentence 0 is '</S>'"):
        PackedText.of([["a", "</S>"]])
    with pytest.raises(TypeError, match="not a list of words"):
        PackedText.of(["a sentence"])
    with pytest.raises(ValueError, match="smaller batch_size or bptt"):
        TextStreams(PackedText.of([["a"]]), batch_size=2, bptt=2)
