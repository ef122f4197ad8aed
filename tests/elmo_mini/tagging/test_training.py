"""Training a tagger: it learns, repeats, stops, and refuses what would train it wrong."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from elmo_mini.errors import ConfigurationError
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.tagging.training import TaggerTrainingOptions, f1_on, train_tagger
from tests.elmo_mini.tagging.made_up import SMALL, sentences

QUICK = TaggerTrainingOptions(epochs=12, learning_rate=0.02)


@pytest.mark.parametrize(
    "changes",
    [{}, {"crf": False}, {"task_rnn": False}, {"lm_position": "input"}],
    ids=lambda changes: str(changes),
)
def test_it_learns_what_only_the_lm_vectors_say(changes: dict[str, object]) -> None:
    train, dev = sentences(60, 2), sentences(40, 3)
    options = TaggerOptions(**{**SMALL, **changes})  # type: ignore[arg-type]
    with_vectors = train_tagger(train, dev, options, QUICK)
    assert f1_on(with_vectors.tagger, dev).f1 > 0.95
    if not changes:
        without = TaggerOptions(lm_position="none", **SMALL)
        plain = train_tagger(train, dev, without, QUICK)
        assert f1_on(plain.tagger, dev).f1 < 0.6


def test_training_is_repeatable_and_gives_the_best_epoch() -> None:
    train, dev = sentences(30, 4), sentences(20, 5)
    options = TaggerOptions(**SMALL)
    state = torch.get_rng_state()
    training = TaggerTrainingOptions(seed=7, epochs=6, patience=2)
    runs = [train_tagger(train, dev, options, training) for _ in range(2)]
    assert torch.equal(torch.get_rng_state(), state)
    assert runs[0].losses == runs[1].losses
    assert runs[0].dev_f1 != train_tagger(train, dev, options, replace(training, seed=8)).dev_f1
    for run in runs:
        assert run.dev_f1[run.best_epoch - 1] == max(run.dev_f1)
        assert f1_on(run.tagger, dev).f1 == max(run.dev_f1)
        assert not run.tagger.training


def test_it_stops_when_dev_no_longer_gains() -> None:
    train = sentences(10, 6)
    training = TaggerTrainingOptions(epochs=50, patience=3, learning_rate=0.0)
    run = train_tagger(train, train, TaggerOptions(**SMALL), training)
    assert (len(run.dev_f1), len(run.losses), run.best_epoch) == (4, 4, 1)


def test_sentences_without_a_word_change_nothing() -> None:
    train, dev = sentences(12, 17), sentences(8, 18)
    empty = TaggedSentence((), (), np.zeros((0, 6), dtype=np.float32))
    training = TaggerTrainingOptions(epochs=2)
    options = TaggerOptions(**SMALL)
    plain = train_tagger(train, dev, options, training)
    with_empty = train_tagger([empty, *train, empty], [*dev, empty], options, training)
    assert (with_empty.losses, with_empty.dev_f1) == (plain.losses, plain.dev_f1)
    with pytest.raises(ValueError, match="0 training and 8 dev sentences have words"):
        train_tagger([empty], dev, options)


def test_what_would_train_it_wrong_is_refused() -> None:
    train, dev = sentences(5, 9), sentences(4, 10)
    options = TaggerOptions(**SMALL)
    bare = [s._replace(lm=None) for s in train]
    with pytest.raises(ValueError, match="there are no LM vectors"):
        train_tagger(bare, bare)
    with pytest.raises(ValueError, match="dev sentence 0 has no LM vectors"):
        train_tagger(train, bare, options)
    with pytest.raises(ValueError, match="both need some"):
        train_tagger(train, [])
    for part, others in (("training", train), ("dev", dev)):
        short = others[3]._replace(labels=others[3].labels[:-1])
        wrong = [*others[:3], short]
        count = len(short.words)
        said = f"{part} sentence 3 has {count} words and {count - 1} labels; give each word one"
        with pytest.raises(ValueError, match=said):
            train_tagger(*((wrong, dev) if part == "training" else (train, wrong)), options)


@pytest.mark.parametrize(
    ("name", "value"),
    [("epochs", 0), ("batch_size", 0), ("patience", 0), ("decay", 0), ("decay", 2)],
)
def test_options_outside_their_range_are_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name} is {value}; it must be"):
        TaggerTrainingOptions(**{name: value})


def test_it_trains_where_it_is_told_to() -> None:
    train = sentences(6, 19)
    run = train_tagger(train, train, TaggerOptions(**SMALL), TaggerTrainingOptions(epochs=1))
    assert {parameter.device for parameter in run.tagger.parameters()} == {torch.device("cpu")}
    with pytest.raises(ConfigurationError, match="cannot compute on meta here"):
        train_tagger(train, train, TaggerOptions(**SMALL), device="meta")
