"""Asked for bfloat16, a run uses it where there are kernels, or says that it uses float32."""

import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from elmo_mini.__main__ import main
from elmo_mini.awd_lstm.model import AWDLSTM
from elmo_mini.awd_lstm.options import AWDLSTMOptions
from elmo_mini.awd_lstm.run import AWDRun
from elmo_mini.awd_lstm.training import AWDTraining
from elmo_mini.checkpoints.safetensors_file import read_checkpoint
from elmo_mini.training import precision
from elmo_mini.training.precision import Precision, has_bfloat16, usable_precision
from elmo_mini.training.run import Run
from elmo_mini.transformer.masked_lm import MaskedLMOptions
from elmo_mini.transformer.pretraining import MaskedPretraining
from tests.elmo_mini.training.pretraining.pretraining_run import small_run
from tests.elmo_mini.transformer.test_pretraining import text_of

pytestmark = pytest.mark.precision

ASKED = "bfloat16 was asked for, but this processor has no kernels for it"


@pytest.fixture(autouse=True)
def _says_again() -> Iterator[None]:
    precision._say_once.cache_clear()
    yield
    precision._say_once.cache_clear()


def processor(monkeypatch: pytest.MonkeyPatch, *, kernels: bool) -> None:
    monkeypatch.setattr(precision, "_processor_has_bfloat16", lambda: kernels)


def awd_run(bfloat16: bool) -> AWDRun:
    torch.manual_seed(0)
    text = torch.tensor([2, 3, 4, 5, 2, 4]).repeat(40)
    training = AWDTraining(epochs=4, batch_size=4, bptt=20, optimiser="adam", bfloat16=bfloat16)
    options = AWDLSTMOptions(vocabulary_size=6, dim=8, hidden_dim=8, layers=1)
    return AWDRun(AWDLSTM(options), text, text[:40], training)


def masked_run(bfloat16: bool) -> MaskedPretraining:
    options = MaskedLMOptions(30, 8, 2, 1, 16)
    return MaskedPretraining(options, text_of(), steps=12, batch_size=8, half=bfloat16)


def bilm_run(bfloat16: bool) -> Run:
    return small_run(softmax="full", precision="bfloat16" if bfloat16 else "float32")


def three_steps(run: Run) -> None:
    """More of a run, whichever it is."""
    run.run(after_step=lambda run: run.step % 3 == 0)


RUNS = pytest.mark.parametrize("make", [bilm_run, awd_run, masked_run])


def test_there_are_kernels_where_the_products_of_both_kinds_can_be_made() -> None:
    """What the probe says is what oneDNN does, on this processor as on any."""
    torch.manual_seed(3)
    before = torch.get_rng_state()
    answer = has_bfloat16("cpu")
    assert torch.equal(torch.get_rng_state(), before)
    lstm = nn.LSTM(16, 16)
    with torch.autocast("cpu", torch.bfloat16):
        if answer:
            assert lstm(torch.ones(2, 2, 16))[0].dtype == torch.bfloat16
        elif torch.backends.mkldnn.is_available():
            with pytest.raises(RuntimeError):
                lstm(torch.ones(2, 2, 16))


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="no such settings")
def test_a_processor_made_to_be_older_has_no_kernels() -> None:
    code = "from elmo_mini.training.precision import has_bfloat16; print(has_bfloat16('cpu'))"
    older = {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=older
    )
    assert done.stdout.strip() == "False"


@RUNS
def test_it_is_said_once_and_the_run_is_that_in_float32(
    make: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    processor(monkeypatch, kernels=False)
    run, again, exact = make(True), make(True), make(False)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith(ASKED)
    assert said.endswith("products are computed in float32.\n")
    for one in (run, again, exact):
        three_steps(one)
    assert str(run.precision) == "float32"
    for weight, expected in zip(run.model.parameters(), exact.model.parameters(), strict=True):
        assert torch.equal(weight, expected)


def test_nothing_is_said_where_nothing_changes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    processor(monkeypatch, kernels=True)
    assert usable_precision("bfloat16", "cpu") == "bfloat16"
    processor(monkeypatch, kernels=False)
    assert usable_precision("float32", "cpu") == "float32"
    assert usable_precision("bfloat16", "cpu", speaks=False) == "float32"
    assert not capsys.readouterr().err


@RUNS
def test_a_run_goes_on_where_there_are_no_kernels_and_the_other_way_round(
    make: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "c.safetensors"
    processor(monkeypatch, kernels=False)
    run = make(True)
    three_steps(run)
    run.save(file)
    capsys.readouterr()
    # Whether or not there are kernels here, `Precision` is told that there are.
    processor(monkeypatch, kernels=True)
    later = make(True)
    later.resume(file)
    assert str(later.precision) == "float32 up to step 3, then bfloat16"
    assert "products in float32 up to step 3; it goes on in bfloat16." in capsys.readouterr().err
    later.precision.now = "float32"  # this processor may have none
    three_steps(later)
    later.save(file)
    processor(monkeypatch, kernels=False)
    last = make(True)
    last.resume(file)
    whole = "float32 up to step 3, then bfloat16 up to step 6, then float32"
    assert str(last.precision) == whole
    assert "products in bfloat16 up to step 6; it goes on in float32." in capsys.readouterr().err
    last.save(file)
    assert read_checkpoint(file)[1]["precision"][1] == [3, "bfloat16"]
    again = make(False)
    again.resume(file)
    assert str(again.precision) == whole


def test_a_change_before_the_first_step_is_none() -> None:
    run = Precision("float32", "cpu")
    run.go_on(0, [(0, "bfloat16")])
    assert str(run) == "float32"


@pytest.mark.parametrize(
    ("command", "card"),
    [
        ("pretrain --precision=bfloat16 --cells=12 --projection=8 --steps=2", "README.md"),
        ("pretrain-awd --bfloat16 --dim=6 --hidden=6 --epochs=1 --sampled=0", "forward.md"),
        ("pretrain-masked --bfloat16 --dim=8 --heads=2 --layers=1 --steps=2", "README.md"),
    ],
    ids=["pretrain", "pretrain-awd", "pretrain-masked"],
)
def test_a_command_says_what_it_used_and_so_does_the_card(
    command: str,
    card: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On this processor, whatever it has."""
    things = (f"the cat sat on the {thing} number {n}." for n in range(1_300) for thing in "ab")
    (tmp_path / "t.txt").write_text("\n\n".join(things), encoding="utf-8")
    options = [f"--text={tmp_path / 't.txt'}", f"--output={tmp_path / 'run'}"]
    assert main([*command.split(), *options]) == 0
    said = capsys.readouterr().err
    used = "bfloat16" if has_bfloat16("cpu") else "float32"
    assert (said.count(ASKED), said.count("\n")) == ((1, 1) if used == "float32" else (0, 0))
    assert f"products in {used}\n" in (tmp_path / "run" / card).read_text(encoding="utf-8")
    (model,) = (f for f in (tmp_path / "run").glob("*.safetensors") if "checkpoint" not in f.name)
    assert read_checkpoint(model)[1]["precision"] == used
