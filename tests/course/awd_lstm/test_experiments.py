"""The broken layers of lesson 10, and how its stored results are measured."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from course.awd_lstm import broken_weight_drop, figures
from course.awd_lstm import experiments as awd_lstm
from course.awd_lstm.text import running_text
from course.baselines.kneser_ney import KneserNey
from elmo_mini.awd_lstm.run import AWDRun
from elmo_mini.awd_lstm.training_options import AWDHistory
from elmo_mini.models.awd_lstm import AWDLSTM


def test_the_three_parts_of_a_text_are_as_long_as_asked() -> None:
    text = running_text(1_000, 400, 300, say=False)
    assert 1_000 <= len(text.train) < 1_200
    assert all(400 <= len(part) < 520 for part in (text.dev, text.test))
    assert len(text.vocabulary) == 300
    assert text.said(text.train[:1]) == "</s>"
    assert sum(len(s) + 1 for s in text.sentences) + 1 == len(text.train)


@pytest.fixture
def words() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(1, 6, 8)


def layer(name: str) -> broken_weight_drop.Sound:
    torch.manual_seed(0)
    return broken_weight_drop.RUNS[name](nn.LSTM(8, 8, batch_first=True), 0.5)


def calls_differ(layer: nn.Module, words: torch.Tensor) -> bool:
    return not torch.equal(layer(words)[0], layer(words)[0])


@pytest.mark.parametrize("name", broken_weight_drop.RUNS)
def test_every_run_drops_weights_at_first_and_none_in_evaluation(
    name: str, words: torch.Tensor
) -> None:
    assert calls_differ(layer(name).train(), words)  # so C is not fault 1
    assert not calls_differ(layer(name).eval(), words)


@pytest.mark.parametrize("name", broken_weight_drop.RUNS)
def test_each_broken_layer_has_its_fault_and_no_other(name: str, words: torch.Tensor) -> None:
    broken = layer(name)
    before = broken.whole.detach().clone()
    broken(words)[0].sum().backward()
    found = {
        "A" if broken.whole.grad is None else "",
        "" if torch.equal(broken.whole, before) else "B",
    }
    broken.eval()(words)
    found.add("" if calls_differ(broken.train(), words) else "C")
    assert found - {""} == ({name} if name != "sound" else set())


def test_a_layer_without_its_mask_is_an_lstm(words: torch.Tensor) -> None:
    sound = layer("sound").eval()
    assert torch.equal(sound(words)[0], sound.lstm(words)[0])


def test_counts_alone_give_their_perplexity() -> None:
    bench = awd_lstm.Bench(running_text(600, 200, 60, say=False), [1])
    text = bench.text
    pairs = KneserNey(text.train.tolist(), len(text.vocabulary), 2)
    given = awd_lstm.chances(pairs.scores, text.test, rows=1)
    assert awd_lstm.perplexity_of(given) == pytest.approx(
        pairs.perplexity(text.test.tolist()), rel=1e-4
    )
    assert given.shape == (len(text.test) - 1,)


def test_a_model_beside_counts_is_no_worse_than_nothing_of_either() -> None:
    """An untrained model adds little; the counts keep at least a tenth of the weight."""
    bench = awd_lstm.Bench(running_text(600, 200, 60, say=False), [1])
    torch.manual_seed(0)
    mixed = bench.beside_counts(AWDLSTM(bench.nothing.options))
    triples = awd_lstm.perplexity_of(bench.counted["triples"]["test"])
    assert mixed < 1.2 * triples


def test_a_bench_that_listens_keeps_what_the_network_gave() -> None:
    text = running_text(600, 200, 60, say=False)
    bench, plain = awd_lstm._Listening(text, [1]), awd_lstm.Bench(text, [1])
    torch.manual_seed(0)
    model = AWDLSTM(bench.nothing.options)
    assert bench.beside_counts(model) == plain.beside_counts(model)
    dev, test = bench.heard
    assert 0 < float(test.min()) < float(test.max()) < 1
    triples = bench.counted["triples"]  # word for word
    assert (dev.shape, test.shape) == (triples["dev"].shape, triples["test"].shape)


def test_rivals_stand_beside_the_stored_systems_start_by_start() -> None:
    def row(*values: float) -> dict[str, list[float]]:
        return {"values": list(values)}

    ways = ("alone", "beside triples")
    stored = {how: {figures.BARE: row(5, 6), "all of it": row(4, 4)} for how in ways}
    stored["better than stopping early"] = {"nothing, falling rate": {}, "all of it": {}}
    rivals = {how: {awd_lstm.FALLING: row(3, 5)} for how in ways}
    found = figures.better_than_stopping(stored, rivals)
    assert list(found) == ["falling rate", awd_lstm.FALLING, "all of it"]
    assert found[awd_lstm.FALLING]["alone"]["values"] == [2, 1]
    assert figures.all_of_it_less(awd_lstm.FALLING, stored, rivals)["values"] == [-1, 1]


def test_the_rate_falls_after_an_epoch_that_is_no_best() -> None:
    bench = awd_lstm.Bench(running_text(300, 100, 60, say=False), [1])
    falling = replace(bench.nothing, cut=4.0)
    run = AWDRun(AWDLSTM(falling.options), bench.text.train, bench.text.dev, falling.training)
    for seen, rate in (([9.0], 20.0), ([9.0, 8.0], 20.0), ([9.0, 8.0, 8.5], 5.0)):
        run.history.validation[:] = seen
        assert not bench._after_epoch(run, falling)
        assert run.options.learning_rate == rate


def test_a_part_is_switched_off_and_on_by_itself() -> None:
    bench = awd_lstm.Bench(running_text(300, 100, 60, say=False), [1])
    nothing, awd = bench.nothing, bench.awd
    for part in awd_lstm.PARTS:
        assert awd_lstm.without(awd, part, nothing) != awd
        assert awd_lstm.without(nothing, part, awd) != nothing
    bare = awd
    for part in awd_lstm.PARTS:
        bare = awd_lstm.without(bare, part, nothing)
    assert bare.options == nothing.options
    assert bare.training.alpha == nothing.training.alpha == 0
    assert bare.training.vary is False


def test_a_run_ends_after_its_best_unless_its_weights_are_averaged() -> None:
    seen = AWDHistory(validation=[9.0, 5.0, *[6.0] * (awd_lstm.STOP - 1)])
    assert not awd_lstm._is_past_its_best(seen)
    seen.validation.append(6.0)
    assert awd_lstm._is_past_its_best(seen)
    seen.averaging_since = 7
    assert not awd_lstm._is_past_its_best(seen)
