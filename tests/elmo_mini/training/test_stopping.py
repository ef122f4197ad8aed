"""The three pretraining commands keep their work: asked to stop, killed, and gone on with."""

import errno
import io
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from tqdm import tqdm

from elmo_mini import files
from elmo_mini.__main__ import main
from elmo_mini.awd_lstm.run import AWDRun
from elmo_mini.checkpoints.safetensors_file import read_checkpoint
from elmo_mini.commands.run import BROKEN_PIPE, INTERRUPTED
from elmo_mini.files import held
from elmo_mini.training import session
from elmo_mini.training.pretraining.run import Pretraining
from elmo_mini.training.run import Run
from elmo_mini.training.stopping import noting_signals
from elmo_mini.transformer.pretraining import MaskedPretraining

COMMANDS: dict[str, tuple[type[Run], str, str]] = {
    "pretrain": (Pretraining, "--cells=12 --projection=8 --batch-size=4 --bptt=7 --steps=12", ""),
    "pretrain-awd": (AWDRun, "--dim=6 --hidden=6 --epochs=1 --bptt=20 --batch-size=80", "forward."),
    "pretrain-masked": (
        MaskedPretraining,
        "--dim=8 --heads=2 --layers=1 --longest=16 --steps=12 --validate-steps=5",
        "",
    ),
}
EACH = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = ["the", "dog", "cat", "barks", "sleeps", "here", "now", *(f"w{n}" for n in range(30))]
    lots = random.Random(0)
    path = tmp_path_factory.mktemp("text") / "t.txt"
    path.write_text("\n\n".join(" ".join(lots.choices(words, k=6)) for _ in range(2_600)), "utf-8")
    return path


def arguments(command: str, text: Path, output: Path) -> list[str]:
    options = COMMANDS[command][1].split()
    return [command, f"--text={text}", f"--output={output}", "--device=cpu", *options]


def checkpoint(command: str, output: Path) -> Path:
    return output / f"{COMMANDS[command][2]}checkpoint.safetensors"


def models(command: str, output: Path) -> list[Path]:
    return [f for f in output.glob("*.safetensors") if f != checkpoint(command, output)]


@pytest.fixture(scope="module")
def whole(text: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each run from end to end, without a stop."""
    folder = tmp_path_factory.mktemp("whole")
    for command in COMMANDS:
        assert main(arguments(command, text, folder / command)) == 0
    return {command: folder / command for command in COMMANDS}


def without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_seconds(v) for k, v in value.items() if k != "seconds"}
    return [without_seconds(v) for v in value] if isinstance(value, list) else value


def assert_the_same_run(command: str, output: Path, expected: Path) -> None:
    """Weights, optimiser, losses and model, to the last bit."""
    its, record = read_checkpoint(checkpoint(command, output))
    own, expected_record = read_checkpoint(checkpoint(command, expected))
    assert its.keys() == own.keys()
    for name, tensor in own.items():
        assert torch.equal(its[name], tensor), name
    assert without_seconds(record) == without_seconds(expected_record)
    (model,), (expected_model,) = models(command, output), models(command, expected)
    weights, expected_weights = read_checkpoint(model)[0], read_checkpoint(expected_model)[0]
    assert all(torch.equal(weights[name], expected_weights[name]) for name in expected_weights)


@pytest.mark.usefixtures("interruptible_process")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT", "SIGHUP"])
@EACH
def test_asked_to_stop_a_command_ends_its_step_and_loses_none(
    command: str,
    number: str,
    text: Path,
    whole: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = COMMANDS[command][0]
    learn = kind.learn
    asking = signal.Signals[number]
    before = signal.getsignal(asking)

    def interrupted_within(run: Run) -> tuple[float, ...]:
        if run.step == 4:
            for _ in range(1 if number == "SIGINT" else 2):  # a shell and the system both say so
                os.kill(os.getpid(), asking)
        return learn(run)

    with monkeypatch.context() as patch:
        patch.setattr(kind, "learn", interrupted_within)
        assert main(arguments(command, text, tmp_path)) == 0
    assert "Stopped after step 5; the same command goes on" in capsys.readouterr().out
    assert signal.getsignal(asking) is before
    assert read_checkpoint(checkpoint(command, tmp_path))[1]["step"] == 5
    assert not models(command, tmp_path)
    assert main(arguments(command, text, tmp_path)) == 0
    assert "Going on after step 5" in capsys.readouterr().out
    assert_the_same_run(command, tmp_path, whole[command])


def test_nohup_is_obeyed() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        asked: list[int] = []
        with noting_signals(asked):
            signal.raise_signal(signal.SIGHUP)
        assert not asked
    finally:
        signal.signal(signal.SIGHUP, before)


class _Often(tqdm):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "mininterval": 0.0, "miniters": 1})


class _GoneReader(io.StringIO):
    """What reads the output ends once a bar has shown step 4."""

    def write(self, text: str) -> int:
        if self.getvalue().count("4/12"):
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        return super().write(text)


@pytest.mark.parametrize("command", ["pretrain", "pretrain-masked"])
def test_a_reader_that_is_gone_costs_no_step(
    command: str,
    text: Path,
    whole: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(session, "tqdm", _Often)
        patch.setattr(sys, "stdout", _GoneReader())
        assert main(arguments(command, text, tmp_path)) == BROKEN_PIPE
    assert read_checkpoint(checkpoint(command, tmp_path))[1]["step"] == 5
    assert main(arguments(command, text, tmp_path)) == 0
    assert_the_same_run(command, tmp_path, whole[command])


@pytest.mark.usefixtures("interruptible_process")
def test_a_second_interrupt_is_not_kept_waiting(
    text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stuck(run: Run) -> tuple[float, ...]:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
        raise AssertionError("the second interrupt did not come through")

    monkeypatch.setattr(MaskedPretraining, "learn", stuck)
    assert main(arguments("pretrain-masked", text, tmp_path)) == INTERRUPTED
    assert capsys.readouterr().err.endswith("python -m elmo_mini pretrain-masked: interrupted\n")


KILLED = """
import json, os, signal, sys
from pathlib import Path
from elmo_mini.__main__ import main
from elmo_mini.checkpoints import safetensors_file as module
from elmo_mini.commands import pretrain, pretrain_awd, pretrain_masked  # before the forks

save_file, calls = module.save_file, []

def killed_while_writing(tensors, path, **options):
    save_file(tensors, path, **options)
    calls.append(path)
    if len(calls) == 3:
        content = Path(path).read_bytes()
        Path(path).write_bytes(content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

module.save_file = killed_while_writing
for run in json.loads(sys.argv[1]):
    child = os.fork()
    if not child:
        main(run)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=sys.stderr)
"""


def test_killed_while_it_writes_a_checkpoint_a_run_goes_on_from_the_one_before(
    text: Path, whole: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [[*arguments(command, text, tmp_path / command)] for command in COMMANDS]
    killed = json.dumps([[*run, "--checkpoint-steps=2", "--threads=1"] for run in runs])
    done = subprocess.run([sys.executable, "-c", KILLED, killed], capture_output=True, text=True)
    assert done.stderr.split() == [str(-signal.SIGKILL)] * 3
    for command, run in zip(COMMANDS, runs, strict=True):
        folder = tmp_path / command
        assert list(folder.glob("*.part-*")), "the kill came within the writing"
        assert read_checkpoint(checkpoint(command, folder))[1]["step"] == 4
        assert main(run) == 0
        assert "Going on after step 4" in capsys.readouterr().out
        assert not list(folder.glob("*.part-*"))
        assert_the_same_run(command, folder, whole[command])


@EACH
def test_two_runs_do_not_write_one_folder(
    command: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = arguments(command, text, tmp_path)
    file = checkpoint(command, tmp_path)
    with held(file, "wait"):
        assert main([*asked, "--seed=2"]) == 2
        said = capsys.readouterr().err
        assert f"another process is writing {file} just now; wait until it has ended" in said
    assert not list(tmp_path.iterdir())
    with pytest.raises(KeyError), held(file, "wait"):
        raise KeyError
    assert main(asked) == 0
    assert not list(tmp_path.glob("*.lock"))


LOCKED = """
import sys, time
from pathlib import Path
from elmo_mini.files import held
with held(Path(sys.argv[1]), "wait"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_killed_run_holds_nothing(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.safetensors"
    with subprocess.Popen(
        [sys.executable, "-c", LOCKED, str(file)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        try:
            assert other.stdout.readline() == "held\n"
            with pytest.raises(FileExistsError, match="another process"), held(file, "wait"):
                pass
        finally:
            other.kill()
    with held(file, "wait"):
        pass
    assert not list(tmp_path.iterdir())


def test_a_lock_that_was_just_let_go_and_deleted_holds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ends between opening the lock and locking it, and a third makes a new one."""
    file = tmp_path / "checkpoint.safetensors"
    lock = files.beside(file, ".lock")

    def too_late(descriptor: int) -> bool:
        lock.unlink()
        lock.touch()
        return locked(descriptor)

    locked = files._locked
    monkeypatch.setattr(files, "_locked", too_late)
    with pytest.raises(FileExistsError, match="another process"), held(file, "wait"):
        pass


@EACH
def test_another_text_and_a_foreign_model_are_refused_in_a_sentence(
    command: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = arguments(command, text, tmp_path / "run")
    assert main([*run, "--minutes=0"]) == 0
    sentences = text.read_text("utf-8").split("\n\n")
    other = tmp_path / "other.txt"
    other.write_text("\n\n".join(sentences[1300:] + sentences[:1300]), "utf-8")
    assert main(arguments(command, other, tmp_path / "run")) == 2
    assert "the text or its vocabulary is another one" in capsys.readouterr().err
    (tmp_path / "mine").mkdir()
    mine = tmp_path / "mine" / ("forward.md" if command == "pretrain-awd" else "README.md")
    mine.write_text("my own")
    assert main(arguments(command, text, tmp_path / "mine")) == 2
    assert f"holds {mine.name}, which would be lost" in capsys.readouterr().err
    assert mine.read_text() == "my own"


def test_older_checkpoints_lack_what_newer_ones_say(
    text: Path, whole: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of before `elmo_mini.training`: no precision, no text of a masked run, no AWD step."""
    from elmo_mini.checkpoints.safetensors_file import write_checkpoint

    lacking = {
        "pretrain": ["precision"],
        "pretrain-awd": ["precision", "step"],
        "pretrain-masked": ["precision", "text"],
    }
    for command, names in lacking.items():
        run = arguments(command, text, tmp_path / command)
        assert main([*run, "--minutes=0"]) == 0
        file = checkpoint(command, tmp_path / command)
        tensors, record = read_checkpoint(file)
        write_checkpoint(file, tensors, {k: v for k, v in record.items() if k not in names})
        assert main(run) == 0
        said = capsys.readouterr()
        assert "Going on after step 1" in said.out
        assert not said.err
        assert_the_same_run(command, tmp_path / command, whole[command])


def test_a_model_alone_is_no_run(
    text: Path, whole: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in COMMANDS:
        (tmp_path / command).mkdir()
        (model,) = models(command, whole[command])
        checkpoint(command, tmp_path / command).write_bytes(model.read_bytes())
        assert main(arguments(command, text, tmp_path / command)) == 2
        assert "holds a model alone" in capsys.readouterr().err


def test_a_masked_run_that_has_ended_goes_on_with_more_steps(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = arguments("pretrain-masked", text, tmp_path)
    assert main(run) == 0
    assert main([*run, "--steps=14"]) == 0
    assert "Going on after step 12 of 14" in capsys.readouterr().out
    assert json.loads((tmp_path / "history.json").read_text("utf-8"))[-1]["step"] == 14
    for steps in (14, 12):
        assert main([*run, f"--steps={steps}"]) == 0
        said = capsys.readouterr().out
        assert f"Nothing is left to do: step 14 of {steps}." in said
        assert "Going on" not in said
