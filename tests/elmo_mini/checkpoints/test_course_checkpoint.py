"""The checkpoint that ships with the course: its card, its size, and what it was stored to know."""

import json
import subprocess
import sys

import pytest

from course.results.stored import stored_result
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT, load_pretrained, read_record
from elmo_mini.pretraining.sources import EVALUATED, REVIEWS
from elmo_mini.probing.probe import probe
from elmo_mini.probing.tasks import load_task


def test_it_is_small_enough_to_live_in_the_repository() -> None:
    assert COURSE_CHECKPOINT.stat().st_size <= 10_000_000


def test_the_card_says_where_it_comes_from() -> None:
    record = read_record(COURSE_CHECKPOINT)
    card = (COURSE_CHECKPOINT.parent / "README.md").read_text("utf-8")
    for source in record["sources"]:
        assert source["name"] not in {*EVALUATED, "senseval", "conll2000"}
        assert source["part"] == ("train" if source["name"] in REVIEWS else "whole")
        assert source["licence"] in card
        assert f"{source['tokens']:,}" in card
    assert record["command"] in card
    assert record["commit"] in card
    assert "dirty" not in record["commit"]
    assert f"{record['validation']['both']:.1f}" in card


def test_its_perplexity_is_that_of_its_loss_curve() -> None:
    record = read_record(COURSE_CHECKPOINT)
    history = json.loads((COURSE_CHECKPOINT.parent / "history.json").read_text("utf-8"))
    assert record["validation"] == history["validation"][-1]
    assert record["validation"]["both"] == min(e["both"] for e in history["validation"])


def test_it_separates_senses_as_stored() -> None:
    stored = stored_result("layers_senses").numbers["rows"]
    report = probe(load_pretrained(), load_task("senses"), progress=False)
    for layer in ("layer 0", "layer 1", "layer 2"):
        assert report[layer].accuracy == pytest.approx(stored[layer]["accuracy"], abs=0.01)
    for layer in ("layer 1", "layer 2"):
        assert report.difference(layer, "majority of the form")[1] > 0


def test_it_loads_without_the_libraries_of_training() -> None:
    code = (
        "import sys; import elmo_mini; elmo_mini.load_pretrained();"
        "print([m for m in ('gensim', 'nltk', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
