"""The word2vec trainer: what it learns, that it repeats itself, its files and its errors."""

import json

import numpy as np
import pytest
import torch
from gensim.models import Word2Vec as GensimWord2Vec
from gensim.models.keyedvectors import prep_vectors
from safetensors.torch import save_file

from elmo_mini import corpora
from elmo_mini.errors import ConfigurationError
from elmo_mini.text.vocabulary import UnknownWord
from elmo_mini.word_vectors import word2vec_files, word2vec_trainer
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

SENTENCES = [["the", "cat", "sat"], ["the", "dog", "sat", "down"], ["a", "cat"]] * 30


@pytest.fixture(scope="module")
def lee():
    return [[word.lower() for word in sentence] for sentence in corpora.lee().sentences()]


@pytest.fixture(scope="module")
def small():
    return Word2Vec(SENTENCES, vector_size=8, min_count=1, epochs=2)


# ---------------------------------------------------------------------- learning


@pytest.mark.parametrize("sg", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_on_real_text_it_finds_the_neighbours_that_gensim_finds(lee, sg):
    options = {"sg": sg, "vector_size": 50, "epochs": 8, "workers": 1, "seed": 3}
    ours, theirs = Word2Vec(lee, **options), GensimWord2Vec(lee, **options)
    assert set(ours.vocabulary.words) == set(theirs.wv.index_to_key)
    queries = ours.vocabulary.words[:300]
    shared = [
        len(
            {word for word, _ in ours.most_similar(query)}
            & {word for word, _ in theirs.wv.most_similar(query)}
        )
        for query in queries
    ]
    overlap = np.mean(shared) / 10
    chance = 10 / len(ours)
    assert chance < 0.01
    assert overlap > 0.25


@pytest.mark.parametrize("sg", [0, 1])
def test_the_loss_falls_from_the_loss_of_knowing_nothing(lee, sg):
    model = Word2Vec(lee, sg=sg, epochs=5)
    assert model.loss_history[0] == pytest.approx(6 * np.log(2), abs=1e-4)
    assert np.mean(model.loss_history[-3:]) < 3.3


def test_words_of_two_topics_fall_apart():
    rng = np.random.default_rng(0)
    text = [[f"{topic}{rng.integers(10)}" for _ in range(8)] for topic in "ab" for _ in range(500)]
    for sg in (0, 1):
        model = Word2Vec(text, sg=sg, vector_size=20, epochs=20)
        for word in ("a0", "b0"):
            assert {other[0] for other, _ in model.most_similar(word, topn=9)} == {word[0]}


def test_start_vectors_are_those_of_gensim():
    model = Word2Vec(vector_size=8, min_count=1, seed=11)
    model.build_vocab(SENTENCES)
    np.testing.assert_array_equal(model.vectors, prep_vectors((len(model), 8), seed=11))
    assert not model.output_vectors.any()


def test_defaults_are_those_of_gensim():
    ours, theirs = Word2Vec(), GensimWord2Vec()
    for name, value in ours.settings().items():
        if name not in ("workers", "sample", "shared_negatives", "block_words"):
            assert getattr(theirs, name) == value, name
    assert ours.sample == theirs.sample


@pytest.mark.parametrize(("sg", "step"), [(1, "skip_gram_step"), (0, "cbow_step")])
def test_the_learning_rate_falls_in_a_straight_line(monkeypatch, sg, step):
    rates = []
    monkeypatch.setattr(
        word2vec_trainer, step, lambda _in, _out, _block, rate, *_: rates.append(rate)
    )
    monkeypatch.setattr(word2vec_trainer, "CHUNK_WORDS", 50)
    Word2Vec(SENTENCES * 20, sg=sg, min_count=1, sample=0, alpha=0.5, min_alpha=0.1, block_words=32)
    assert rates[0] == 0.5
    assert rates[-1] == pytest.approx(0.1, abs=0.01)
    slopes = np.diff(rates)
    assert (slopes < 0).all()
    assert np.abs(rates - np.linspace(0.5, 0.1, len(rates))).max() < 0.01


def test_every_epoch_trains_on_every_window_of_the_text(monkeypatch):
    pairs = 0

    def count(_inputs, _outputs, block, *_):
        nonlocal pairs
        pairs += int(block.patterns[block.reach].sum())

    monkeypatch.setattr(word2vec_trainer, "skip_gram_step", count)
    monkeypatch.setattr(word2vec_trainer, "CHUNK_WORDS", 7)
    Word2Vec(SENTENCES, sg=1, min_count=1, sample=0, shrink_windows=False, epochs=3)
    assert pairs == 3 * sum(len(sentence) * (len(sentence) - 1) for sentence in SENTENCES)


def test_subsampling_uses_the_code_formula(monkeypatch):
    seen = []
    monkeypatch.setattr(
        word2vec_trainer,
        "draw_windows",
        lambda ids, sentences, keep, *_: seen.append(keep) or (ids[:0], ids[:0], ids[:0]),
    )
    model = Word2Vec(SENTENCES, min_count=1, sample=0.05, epochs=1)
    ratio = 0.05 / model.vocabulary.frequencies
    np.testing.assert_allclose(seen[0], np.minimum(np.sqrt(ratio) + ratio, 1), rtol=1e-5)


def test_block_length_follows_the_busiest_word(lee):
    model = Word2Vec(sg=1)
    model.build_vocab(lee)
    toy = Word2Vec(sg=1, min_count=1)
    toy.build_vocab(SENTENCES)
    assert toy._block_words() < 20 < 100 < model._block_words() < 1000
    assert Word2Vec(sg=1, block_words=77)._block_words() == 77


def test_a_toy_text_with_long_training_stays_finite():
    for sg in (0, 1):
        model = Word2Vec(SENTENCES, sg=sg, min_count=1, sample=0, epochs=50)
        assert np.linalg.norm(model.vectors, axis=1).max() < 20


# ---------------------------------------------------------------------- repeating


@pytest.mark.parametrize("sg", [0, 1])
def test_a_seed_fixes_every_bit(lee, sg):
    np.random.seed(0)  # noqa: NPY002
    torch.manual_seed(0)
    first = Word2Vec(lee[:300], sg=sg, min_count=2, epochs=1)
    np.random.seed(1)  # noqa: NPY002
    torch.manual_seed(1)
    again = Word2Vec(lee[:300], sg=sg, min_count=2, epochs=1)
    other = Word2Vec(lee[:300], sg=sg, min_count=2, epochs=1, seed=2)
    np.testing.assert_array_equal(first.vectors, again.vectors)
    np.testing.assert_array_equal(first.output_vectors, again.output_vectors)
    assert first.loss_history == again.loss_history
    assert not np.array_equal(first.output_vectors, other.output_vectors)


def test_an_iterator_is_as_good_as_a_list(small):
    streamed = Word2Vec(iter(SENTENCES), vector_size=8, min_count=1, epochs=2)
    np.testing.assert_array_equal(streamed.vectors, small.vectors)


def test_the_number_of_threads_is_put_back():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        Word2Vec(SENTENCES, vector_size=8, min_count=1, epochs=1)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_the_progress_bar_goes_to_standard_output(capfd):
    Word2Vec(SENTENCES, vector_size=8, min_count=1, epochs=1, sg=1, progress=True)
    shown = capfd.readouterr()
    assert "skip-gram" in shown.out
    assert shown.err == ""


def test_without_progress_nothing_is_printed(capfd):
    Word2Vec(SENTENCES, vector_size=8, min_count=1, epochs=1)
    assert tuple(capfd.readouterr()) == ("", "")


# ---------------------------------------------------------------------- files


def test_a_saved_model_comes_back_whole(tmp_path):
    words = [["打", "naïve", 'a "b" \\ c', "x"]] * 5
    model = Word2Vec(words, vector_size=8, min_count=1, sg=1, epochs=2, window=3)
    path = tmp_path / "a new folder" / "model.safetensors"
    model.save(path)
    loaded = Word2Vec.load(path)
    np.testing.assert_array_equal(loaded.vectors, model.vectors)
    np.testing.assert_array_equal(loaded.output_vectors, model.output_vectors)
    assert loaded.vocabulary == model.vocabulary
    assert loaded.settings() == model.settings()
    assert loaded.loss_history == model.loss_history
    assert loaded.most_similar("打") == model.most_similar("打")


def test_a_damaged_or_foreign_file_is_named(tmp_path, small):
    path = tmp_path / "model.safetensors"
    with pytest.raises(FileNotFoundError, match=r"model\.safetensors"):
        Word2Vec.load(path)
    small.save(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"model\.safetensors does not hold"):
        Word2Vec.load(path)
    save_file({"input": torch.zeros(2, 2)}, path)
    with pytest.raises(ValueError, match="its format is None"):
        Word2Vec.load(path)


def test_a_file_whose_vectors_do_not_fit_its_words_is_refused(tmp_path, small):
    path = tmp_path / "model.safetensors"
    content = {
        "format": word2vec_files.FORMAT,
        "settings": json.dumps(small.settings()),
        "vocabulary": json.dumps({"words": ["one"], "counts": [1]}),
        "loss_history": "[]",
    }
    save_file({"input": torch.zeros(2, 8), "output": torch.zeros(2, 8)}, path, metadata=content)
    with pytest.raises(ValueError, match=r"shape \(2, 8\)"):
        Word2Vec.load(path)


# ---------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("vector_size", 0),
        ("vector_size", 10.5),
        ("window", 0),
        ("window", True),
        ("min_count", -1),
        ("negative", 0),
        ("epochs", 0),
        ("workers", 0),
        ("seed", -1),
        ("sg", 2),
        ("cbow_mean", -1),
        ("sample", -0.1),
        ("sample", 2),
        ("min_alpha", 0),
        ("alpha", float("nan")),
        ("ns_exponent", float("inf")),
        ("shared_negatives", 0),
        ("block_words", 0),
    ],
)
def test_an_option_out_of_range_is_named(option, value):
    with pytest.raises(ConfigurationError, match=option):
        Word2Vec(**{option: value})


def test_an_empty_text_is_refused():
    for empty in ([], [[]], iter([])):
        with pytest.raises(ValueError, match="the text is empty"):
            Word2Vec(empty)


def test_a_text_without_frequent_words_names_the_way_out():
    with pytest.raises(ValueError, match=r"min_count=5.*'b', occurs 2 times.*min_count=2"):
        Word2Vec([["a", "b", "b"]])


def test_sentences_must_be_lists_of_words():
    with pytest.raises(TypeError, match="list of words"):
        Word2Vec(["a string is no sentence"])


def test_a_model_without_a_text_says_so():
    with pytest.raises(RuntimeError, match="no vocabulary yet"):
        Word2Vec().most_similar("cat")
    with pytest.raises(RuntimeError, match="no vocabulary yet"):
        Word2Vec().train(SENTENCES)


def test_training_on_unknown_words_only_is_refused(small):
    with pytest.raises(ValueError, match="nothing to train on"):
        small.train([["nowhere"]])


def test_an_unknown_word_is_named(small):
    with pytest.raises(UnknownWord, match="'unicorn'"):
        small["unicorn"]


def test_divergence_is_an_error_and_not_a_table_of_nonsense(recwarn):
    with pytest.raises(RuntimeError, match="lower alpha=50"):
        Word2Vec(SENTENCES, min_count=1, sample=0, sg=1, alpha=50.0, epochs=20)
    assert not recwarn.list


def test_a_word_that_comes_in_a_burst_does_not_make_training_diverge():
    """As the slashes of a film script did, four hundred lines of them in a row."""
    rng, words = np.random.default_rng(0), np.array([f"w{i}" for i in range(2000)])
    share = 1 / (np.arange(2000) + 101)
    text = [words[rng.choice(2000, 20, p=share / share.sum())].tolist() for _ in range(6000)]
    script = [
        ["/" if k % 3 == 0 else words[(7 * j + k) % 1000] for k in range(20)] for j in range(400)
    ]
    text[100:100] = script
    model = Word2Vec(text, sg=1, vector_size=20, epochs=1, sample=1e-2, seed=1)
    assert np.linalg.norm(model.vectors, axis=1).max() < 10


def test_lines_of_one_word_do_not_make_training_diverge():
    """As the lines of underscores in a form did."""
    rng, words = np.random.default_rng(0), np.array([f"w{i}" for i in range(2000)])
    share = 1 / (np.arange(2000) + 101)
    text = [words[rng.choice(2000, 20, p=share / share.sum())].tolist() for _ in range(6000)]
    text[100:100] = [["_"] * 60] * 5
    model = Word2Vec(text, sg=1, vector_size=20, epochs=3, sample=1e-1, seed=1)
    assert np.linalg.norm(model.output_vectors, axis=1).max() < 10


# ---------------------------------------------------------------------- wide windows, little text


@pytest.mark.parametrize("sg", [0, 1])
def test_a_window_wider_than_a_sentence_stays_stable(sg):
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(400)]
    share = 1 / (np.arange(400) + 20)
    text = [list(rng.choice(words, 150, p=share / share.sum())) for _ in range(60)]
    model = Word2Vec(text, sg=sg, window=120, vector_size=20, min_count=1, epochs=2)
    assert np.linalg.norm(model.vectors, axis=1).max() < 10
    assert max(model.loss_history) < 6
    assert np.mean(model.loss_history[-5:]) < model.loss_history[0]


def test_a_window_of_a_million_costs_no_more_than_the_longest_sentence():
    options = {"min_count": 1, "vector_size": 4, "epochs": 1, "sample": 0}
    wide = Word2Vec(SENTENCES, sg=1, window=1_000_000, **options)
    assert np.isfinite(wide.vectors).all()


def test_the_parts_of_a_wide_window_are_all_its_pairs_once(monkeypatch):
    rng, found = np.random.default_rng(0), []
    text = [list(map(str, rng.integers(0, 30, length))) for length in (40, 1, 70, 25)]

    def note(_inputs, _outputs, block, *_):
        words, pattern = block.context()
        n = len(block.reach)
        first, _ = block.span
        for place, column in pattern.nonzero().tolist():
            center = int(block.words[block.window + place])
            found.append((center, int(words[place + column]), first + column))
        assert pattern.shape[0] == n

    monkeypatch.setattr(word2vec_trainer, "skip_gram_step", note)
    options = {"window": 33, "min_count": 1, "sample": 0, "epochs": 1, "shrink_windows": False}
    model = Word2Vec(sg=1, **options)
    model.build_vocab(text)
    model.train(text)
    expected = [
        (row[i], row[j], j - i)
        for row in map(model.vocabulary.encode, text)
        for i in range(len(row))
        for j in range(max(0, i - 33), min(len(row), i + 34))
        if i != j
    ]
    assert sorted(found) == sorted(expected)


def test_where_nothing_could_be_learnt_that_is_said():
    for text in ([["the", "cat", "sat", "on", "the", "mat"]], [["a"], ["b"], ["a"]] * 5):
        with pytest.warns(UserWarning, match="next to nothing was learnt: .* sample=0"):
            Word2Vec(text, min_count=1, vector_size=4, epochs=1)


@pytest.mark.parametrize("sg", [0, 1])
@pytest.mark.parametrize(
    ("repeated", "options"), [(1, {"epochs": 5}), (30, {"epochs": 5, "alpha": 1e-4})]
)
def test_a_model_that_finds_all_pairs_alike_says_so(sg, repeated, options):
    text = [[f"w{number % 120}" for number in range(300)]] * repeated
    with pytest.warns(UserWarning, match=r"next to nothing was learnt: .* as likely as not"):
        model = Word2Vec(text, sg=sg, min_count=1, vector_size=8, **options)
    assert len(model.loss_history) > 0


def test_few_blocks_are_measured_at_their_end():
    text = [[f"w{number}" for number in range(8)]] * 40
    options = {"sg": 1, "window": 3, "min_count": 1, "sample": 0, "block_words": 320}
    with pytest.raises(
        RuntimeError, match=r"training diverged, .* lower alpha=1\.0 or block_words"
    ):
        Word2Vec(text, epochs=2, alpha=1.0, min_alpha=1.0, **options)


def test_a_very_long_vector_is_told():
    model = Word2Vec(SENTENCES, min_count=1, vector_size=4, sample=0)
    model._input[0] = 20.0
    with pytest.warns(UserWarning, match=r"the longest vector has length 40, so training may"):
        model._check_learnt(100, 10_000)


def test_a_loss_that_rises_is_told(recwarn):
    model = Word2Vec(SENTENCES, min_count=1, vector_size=4, epochs=1, sample=0)
    assert not recwarn.list
    start = 6 * np.log(2)
    model.loss_history = [start] * 50 + [start * 9] * 2 + [start] * 50
    with pytest.warns(UserWarning, match=r"the loss rose from 4\.16 to 37\.4 on the way"):
        model._check_learnt(100, 10_000)
    model.loss_history = [start] * 50 + [start * 9] * 50
    with pytest.raises(RuntimeError, match=r"the loss is 37\.4, where it began with 4\.16: lower"):
        model._check_learnt(100, 10_000)


@pytest.mark.parametrize("sg", [0, 1])
def test_a_double_default_trains_the_same_vectors(sg):
    options = {"sg": sg, "min_count": 1, "vector_size": 4, "epochs": 1, "sample": 0}
    wanted = Word2Vec(SENTENCES, **options)
    torch.set_default_dtype(torch.float64)
    try:
        ours = Word2Vec(SENTENCES, **options)
    finally:
        torch.set_default_dtype(torch.float32)
    assert ours.vectors.dtype == np.float32
    np.testing.assert_array_equal(ours.vectors, wanted.vectors)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("vector_size", 10**9),
        ("window", 10**9),
        ("workers", 10**6),
        ("alpha", "0.1"),
        ("sample", None),
    ],
)
def test_what_can_only_be_a_slip_is_named_before_it_fills_the_memory(option, value):
    with pytest.raises(ConfigurationError, match=option):
        Word2Vec(**{option: value})
