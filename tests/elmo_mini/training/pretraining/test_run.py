import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    optimiser_tensors,
    read_checkpoint,
)
from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.text.character_ids import batch_to_ids
from elmo_mini.training.pretraining.objective import BatchMaker, BiLMWithSoftmax, DropoutMasks
from elmo_mini.training.pretraining.settings import Settings
from elmo_mini.training.pretraining.streams import PackedText, TextStreams
from tests.elmo_mini.training.pretraining.pretraining_run import OPTIONS, STEPS, small_run

ROOT = Path(__file__).parents[4]
MODULE = "tests.elmo_mini.training.pretraining.pretraining_run"


def start(folder: Path, *options: str, processes: int = 1) -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m"]
    if processes > 1:
        command += ["torch.distributed.run", "--standalone", f"--nproc-per-node={processes}", "-m"]
    return subprocess.run(
        [*command, MODULE, str(folder), *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1800,
    )


def outcome(folder: Path) -> tuple[dict[str, list[float]], dict[str, torch.Tensor], dict]:
    losses = json.loads((folder / "losses.json").read_text())
    return losses, *read_checkpoint(folder / "checkpoint.safetensors")


def test_the_loss_is_that_of_the_vectors_that_embedding_gives() -> None:
    torch.manual_seed(0)
    sentence = ["the", "cat", "sat", "on", "the", "mat"]
    text = PackedText.of([sentence])
    model = BiLMWithSoftmax(OPTIONS, len(text.types), "full", 0, 0.0)
    batches = BatchMaker(text.types, np.arange(len(text.types)), 50, "cpu")
    window = TextStreams(text, batch_size=1, bptt=7, shuffle=False).window(0)
    losses, _ = model(batches(window), model.start(1))

    top = model.bilm(batch_to_ids([sentence]))["activations"][-1][0]  # (8, 2H) with boundaries
    forward, backward = top.chunk(2, -1)
    words = torch.tensor([text.types.index(w) for w in ["<S>", *sentence, "</S>"]])
    after = functional.cross_entropy(
        forward[:-1] @ model.softmax.weight.T + model.softmax.bias, words[1:]
    )
    before = functional.cross_entropy(
        backward[1:] @ model.softmax.weight.T + model.softmax.bias, words[:-1]
    )
    torch.testing.assert_close(losses, torch.stack([after, before]), rtol=1e-5, atol=1e-5)


def test_state_carried_over_windows_gives_the_loss_of_one_window() -> None:
    torch.manual_seed(0)
    text = PackedText.of([["a", "b", "c"], ["d", "e"], ["f", "a", "b", "d"]])
    model = BiLMWithSoftmax(OPTIONS, len(text.types), "full", 0, 0.0)
    batches = BatchMaker(text.types, np.arange(len(text.types)), 50, "cpu")
    whole, end = model(batches(TextStreams(text, 1, 12).window(0)), model.start(1))
    streams, state, parts = TextStreams(text, 1, 4), model.start(1), []
    for number in range(3):
        losses, state = model(batches(streams.window(number)), state)
        parts.append(losses)
    torch.testing.assert_close(torch.stack(parts).mean(0), whole, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(state, end, rtol=1e-5, atol=1e-6)


@pytest.mark.precision
def test_bfloat16_products_change_the_loss_a_little_and_train_in_float32() -> None:
    run = small_run(softmax="sampled", dropout=0.0)
    batch, start_state = run.batches(run.streams.window(0)), run.model.start(4)
    masks = DropoutMasks(0, slice(0, 4), 4, "cpu")
    exact, _ = run.model(batch, start_state, masks)
    with torch.autocast("cpu", torch.bfloat16):
        rounded, (h, c) = run.model(batch, start_state, masks)
    rounded.mean().backward()
    assert not torch.equal(rounded, exact)
    torch.testing.assert_close(rounded.float(), exact, rtol=0.02, atol=0)
    assert h.dtype == c.dtype == torch.float32
    assert all(p.grad.dtype == torch.float32 for p in run.model.parameters())


@pytest.mark.precision
def test_a_run_in_bfloat16_trains_and_validates() -> None:
    run = small_run(softmax="adaptive", precision="bfloat16")
    before = run.validate()["both"]
    for _ in range(STEPS):
        run.train_step()
    assert run.validate()["both"] < 0.75 * before
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        ids = batch_to_ids([["ann", "sees"]])
        rough = run.bilm(ids)["activations"]
    for layer, exact in zip(rough, run.bilm(ids)["activations"], strict=True):
        torch.testing.assert_close(layer.float(), exact, atol=0.05, rtol=0.05)


def test_no_gradient_reaches_the_window_before() -> None:
    run = small_run(softmax="full")
    _, (h, c) = run.model(run.batches(run.streams.window(0)), run.model.start(4))
    assert not h.requires_grad
    assert not c.requires_grad


def test_dropout_hits_layer_inputs_and_the_output_and_the_residual_adds_the_dropped_input() -> None:
    torch.manual_seed(0)
    text = PackedText.of([["a", "b", "c"]] * 6)
    model = BiLMWithSoftmax(OPTIONS, len(text.types), "full", 0, 0.5)
    batch = BatchMaker(text.types, np.arange(len(text.types)), 50, "cpu")(
        TextStreams(text, 2, 6).window(0)
    )
    found, _ = model(batch, model.start(2), DropoutMasks(3, slice(0, 2), 2, "cpu"))

    masks = DropoutMasks(3, slice(0, 2), 2, "cpu")
    types = torch.cat([model.bilm.token_encoder(group) for group in batch.char_ids])

    def drop(x: torch.Tensor) -> torch.Tensor:
        return masks.drop(x.unflatten(1, (6, 2)), 0.5).flatten(1, 2)

    first_in = drop(types[batch.inverse.flatten(1)])  # (2, 12, H)
    first, _ = model.bilm.layers[0](first_in, [2] * 6)
    second_in = drop(first)
    second, _ = model.bilm.layers[1](second_in, [2] * 6)
    top = drop(second + second_in)
    expected = model.softmax(top.flatten(0, 1), batch.targets.flatten()).view(2, -1).mean(1)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    assert (first_in == 0).float().mean().item() == pytest.approx(0.5, abs=0.2)


def test_both_directions_train_the_same_token_layer_and_softmax() -> None:
    run = small_run(softmax="full", dropout=0.0)
    batch = run.batches(run.streams.window(0))
    for direction in (0, 1):
        run.model.zero_grad()
        losses, _ = run.model(batch, run.model.start(4), DropoutMasks(0, slice(0, 4), 4, "cpu"))
        losses[direction].backward()
        for name, parameter in run.model.named_parameters():
            assert parameter.grad is not None, name
            if "layers" in name:  # the LSTMs are separate
                assert parameter.grad[direction].abs().sum() > 0, name
                assert parameter.grad[1 - direction].abs().sum() == 0, name
            else:
                assert parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize(
    "softmax", [pytest.param("full", marks=pytest.mark.slow), "sampled", "adaptive"]
)
@pytest.mark.parametrize("optimiser", ["adamw", pytest.param("adagrad", marks=pytest.mark.slow)])
def test_perplexity_falls_to_what_the_toy_language_allows(softmax: str, optimiser: str) -> None:
    rate = 0.02 if optimiser == "adamw" else 0.6
    clip = 1.0 if optimiser == "adamw" else 10.0
    run = small_run(
        softmax=softmax,
        optimiser=optimiser,
        learning_rate=rate,
        clip=clip,
        steps=250,
        dropout=0.0,
        sampled=20,
    )
    before = run.validate()["both"]
    assert run.run()
    after = run.validate()
    # Of five predictions a sentence, the uncertain ones have 4, 3 and 20 choices.
    best = (4 * 3 * 20) ** (1 / 5)
    assert before > 15
    assert best * 0.95 < after["forward"] < best * 1.35
    assert best * 0.95 < after["backward"] < best * 1.35


def test_a_killed_run_goes_on_with_the_numbers_it_would_have_had(tmp_path: Path) -> None:
    assert start(tmp_path / "straight").returncode == 0
    killed = start(tmp_path / "killed", "--kill-at", "27")
    assert killed.returncode == -9, killed.stderr
    assert read_checkpoint(tmp_path / "killed" / "checkpoint.safetensors")[1]["step"] == 20
    assert start(tmp_path / "killed").returncode == 0

    losses, tensors, record = outcome(tmp_path / "straight")
    losses_after, tensors_after, record_after = outcome(tmp_path / "killed")
    assert len(losses) == STEPS
    assert losses_after == {step: losses[step] for step in map(str, range(21, STEPS + 1))}
    assert tensors.keys() == tensors_after.keys()
    for name, tensor in tensors.items():
        assert torch.equal(tensor, tensors_after[name]), name
    for curve in ("training", "validation"):
        assert len(record["history"][curve]) > 1
        for entry, again in zip(
            record["history"][curve], record_after["history"][curve], strict=True
        ):
            entry.pop("seconds", None), again.pop("seconds", None)
            assert entry == again


@pytest.mark.slow
@pytest.mark.parametrize("softmax", ["sampled", "adaptive"])
def test_two_processes_train_as_one_with_the_whole_batch(tmp_path: Path, softmax: str) -> None:
    assert start(tmp_path / "one", "--softmax", softmax).returncode == 0
    two = start(tmp_path / "two", "--softmax", softmax, processes=2)
    assert two.returncode == 0, two.stderr
    losses, tensors, _ = outcome(tmp_path / "one")
    losses_of_two, tensors_of_two, _ = outcome(tmp_path / "two")
    assert losses.keys() == losses_of_two.keys()
    for step, pair in losses.items():
        assert losses_of_two[step] == pytest.approx(pair, abs=1e-5), step
    for name, tensor in tensors.items():
        torch.testing.assert_close(tensors_of_two[name], tensor, rtol=1e-3, atol=1e-4)
    # a run of two processes can go on in one
    small_run(softmax=softmax, dropout=0.2).resume(tmp_path / "two" / "checkpoint.safetensors")


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    small_run(softmax="full").save(path)
    with pytest.raises(ConfigurationError, match=r"dropout is 0\.1 there and 0\.3 here"):
        small_run(softmax="full", dropout=0.3).resume(path)
    with pytest.raises(ConfigurationError, match="text or its vocabulary is another one"):
        small_run(softmax="full", count=130).resume(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointDamaged, match="no whole safetensors file"):
        small_run(softmax="full").resume(path)


def test_validation_uses_the_exact_softmax_also_where_training_samples() -> None:
    run = small_run(softmax="sampled")
    total = torch.zeros(2)
    state = run.model.start(run.validation.batch_size)
    for number in range(run.validation.windows_per_epoch):
        batch = run.batches(run.validation.window(number))
        with torch.no_grad():
            types = torch.cat([run.bilm.token_encoder(group) for group in batch.char_ids])
            _, steps, batch_size = batch.inverse.shape
            inputs, full = types[batch.inverse.flatten(1)], [batch_size] * steps
            first, end_0 = run.bilm.layers[0](inputs, full, (state[0][0], state[1][0]))
            second, end_1 = run.bilm.layers[1](first, full, (state[0][1], state[1][1]))
            softmax = run.model.softmax
            logits = (second + first).flatten(0, 1) @ softmax.weight.T + softmax.bias
            losses = functional.cross_entropy(logits, batch.targets.flatten(), reduction="none")
        total += losses.view(2, -1).mean(1)
        state = tuple(torch.stack(pair) for pair in zip(end_0, end_1, strict=True))
    forward, backward = (total / run.validation.windows_per_epoch).exp().tolist()
    entry = run.validate()
    assert entry["forward"] == pytest.approx(forward, rel=1e-4)
    assert entry["backward"] == pytest.approx(backward, rel=1e-4)


def test_the_gradient_of_all_weights_together_is_clipped() -> None:
    run = small_run(softmax="full", clip=0.01)
    run.train_step()
    squares = sum(p.grad.square().sum().item() for p in run.model.parameters())
    assert math.sqrt(squares) == pytest.approx(0.01, rel=1e-3)


def test_what_is_not_finite_never_reaches_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    run = small_run(softmax="full", optimiser="adam")
    for _ in range(3):
        run.train_step()
    before = {name: t.clone() for name, t in run.model.state_dict().items()}
    moments = {name: t.clone() for name, t in optimiser_tensors(run.optimiser).items()}
    state = run.state
    parallel = run.parallel

    def no_number(*given: object) -> object:
        losses, end = parallel(*given)
        return losses * torch.nan, tuple(x * torch.nan for x in end)

    with monkeypatch.context() as patch:
        patch.setattr(run, "parallel", no_number)
        with pytest.raises(FloatingPointError, match=r"at step 4 the losses are nan.*lower the"):
            run.train_step()
    hook = run.model.softmax.bias.register_hook(lambda gradient: gradient * torch.inf)
    with pytest.raises(FloatingPointError, match=r"gradient's norm (inf|nan); lower the"):
        run.train_step()
    hook.remove()
    assert run.step == 3
    assert run.state is state
    for name, tensor in run.model.state_dict().items():
        assert torch.equal(tensor, before[name]), name
    for name, tensor in optimiser_tensors(run.optimiser).items():
        assert torch.equal(tensor, moments[name]), name
    run.train_step()  # the same step, undisturbed
    straight = small_run(softmax="full", optimiser="adam")
    for _ in range(4):
        straight.train_step()
    for name, tensor in run.model.state_dict().items():
        assert torch.equal(tensor, straight.model.state_dict()[name]), name


def test_a_perplexity_beyond_all_numbers_is_infinite() -> None:
    run = small_run(softmax="full")
    with torch.no_grad():
        run.model.softmax.bias.copy_(torch.linspace(0, 1e6, len(run.model.softmax.bias)))
    assert run.validate()["both"] == math.inf


def test_a_new_run_leaves_the_random_states_of_processor_and_gpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = torch.get_rng_state()
    seeded: list[int] = []
    monkeypatch.setattr("torch.cuda.manual_seed_all", seeded.append)
    one, other = small_run(seed=5), small_run(seed=5)
    assert torch.equal(torch.get_rng_state(), before)
    assert not seeded
    for name, tensor in one.model.state_dict().items():
        assert torch.equal(tensor, other.model.state_dict()[name]), name


def test_settings_out_of_range_are_named() -> None:
    zero: tuple[dict[str, object], ...] = ({"steps": 0}, {"batch_size": 0}, {"sampled": 0})
    for wrong in (
        *zero,
        {"bptt": -1},
        {"dropout": 1.0},
        {"dropout": -0.1},
        {"warm_up": -1},
        {"learning_rate": float("nan")},
        {"weight_decay": -1},
        {"clip": 0},
        {"seed": -1},
        {"shuffle": 1},
    ):
        ((name, value),) = wrong.items()
        with pytest.raises(ConfigurationError, match=f"{name} is {value}; it must be"):
            Settings(options=OPTIONS, **({"steps": 1} | wrong))  # type: ignore[arg-type]


def test_the_learning_rate_rises_and_falls() -> None:
    settings = Settings(options=OPTIONS, steps=100, warm_up=10, learning_rate=1.0)
    assert settings.rate(0) == pytest.approx(0.1)
    assert settings.rate(9) == settings.rate(10) == 1.0
    assert settings.rate(55) == pytest.approx(0.5)
    assert settings.rate(99) == pytest.approx(0, abs=1e-3)
    assert Settings(options=OPTIONS, steps=100, decay="none", warm_up=0).rate(99) == 2e-3
    linear = Settings(options=OPTIONS, steps=100, decay="linear", warm_up=0, learning_rate=1.0)
    assert linear.rate(25) == pytest.approx(0.75)
    with pytest.raises(ConfigurationError, match="cosine, linear, none"):
        Settings(options=OPTIONS, steps=1, decay="steps")


def test_the_loss_curve_holds_means_and_exact_perplexities() -> None:
    run = small_run(softmax="full", steps=30)
    losses = []
    run.run(lambda run: losses.append(run.latest))
    first, second = run.history.training
    assert (first["step"], second["step"]) == (15, 30)
    assert first["tokens"] == 15 * 28
    assert first["forward_loss"] == pytest.approx(np.mean([f for f, _ in losses[:15]]))
    assert second["backward_loss"] == pytest.approx(np.mean([b for _, b in losses[15:]]))
    entry = run.validate()
    assert entry["both"] == pytest.approx(math.sqrt(entry["forward"] * entry["backward"]))


def test_dropout_masks_do_not_depend_on_the_number_of_processes() -> None:
    x = torch.ones(2, 3, 4, 5)
    whole = DropoutMasks(7, slice(0, 4), 4, "cpu").drop(x, 0.4)
    part = DropoutMasks(7, slice(2, 4), 4, "cpu").drop(x[:, :, 2:], 0.4)
    assert torch.equal(part, whole[:, :, 2:])
    assert whole.unique().tolist() == pytest.approx([0, 1 / 0.6])


def test_the_official_format_gives_the_trained_model_back(tmp_path: Path) -> None:
    from elmo_mini.checkpoints.official import load_bilm, save_bilm

    run = small_run(softmax="full", steps=5)
    run.run()
    save_bilm(run.bilm, tmp_path / "options.json", tmp_path / "weights.hdf5")
    again: FastBiLM = load_bilm(tmp_path / "options.json", tmp_path / "weights.hdf5")
    for name, tensor in run.bilm.state_dict().items():
        assert torch.equal(again.state_dict()[name], tensor), name
