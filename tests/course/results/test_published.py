"""The published tables, and what lesson 14 says of them."""

import numpy as np
import pytest

from course.results.published import (
    ELMO,
    FIRST_VERSION,
    GLUE,
    GLUE_TASKS,
    NER,
    NER_FEATURES,
    error_reduction,
)
from course.why_bert.published_tables import fixed_and_open, glue_figure


def test_elmo_s_error_reductions_are_those_of_its_table() -> None:
    before, after = np.array(list(ELMO.values())).T
    printed = [24.9, 5.8, 17.2, 9.8, 21.0, 6.8]
    assert error_reduction(before, after) == pytest.approx(printed, abs=0.11)


def test_what_the_lesson_says_of_glue() -> None:
    best, elmo, large = (
        np.array(GLUE[n]) for n in ("best before GPT", "BiLSTM+ELMo+Attn", "BERT-large")
    )
    assert int((elmo < best).sum()) == 7
    others = np.stack([scores for name, scores in GLUE.items() if name != "BERT-large"])
    assert (large > others.max(0)).all()
    assert FIRST_VERSION["QNLI"]["BERT-large"] == 91.1
    assert GLUE["BERT-large"][GLUE_TASKS.index("QNLI")] == 92.7


def test_somebody_stands_before_bert_at_names() -> None:
    ranked = sorted(NER, key=lambda name: -NER[name][1])
    assert ranked[:2] == ["CSE (Flair)", "BERT-large"]
    assert NER_FEATURES["fine-tuned"] - NER_FEATURES["last 4 side by side"] == pytest.approx(0.3)


def test_the_figures_say_their_numbers() -> None:
    assert "CoLA: " in glue_figure("x").description
    assert "BERT Oct 2018" in fixed_and_open("x").description
