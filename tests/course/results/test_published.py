"""The published tables, and what lesson 14 says of them."""

import numpy as np
import pytest

from autograde.exercises.scalar_mix_and_elmo.errors_gone import errors_gone
from course.results.published import GLUE, GLUE_TASKS, NER, NER_FEATURES
from course.why_bert.published_tables import glue_figure, gone_figure


def test_what_the_lesson_says_of_glue() -> None:
    best, elmo, large = (
        np.array(GLUE[n]) for n in ("best before GPT", "BiLSTM+ELMo+Attn", "BERT-large")
    )
    assert int((elmo < best).sum()) == 7
    others = np.stack([scores for name, scores in GLUE.items() if name != "BERT-large"])
    assert (large > others.max(0)).all()
    assert GLUE["BERT-large"][GLUE_TASKS.index("QNLI")] == 92.7
    gpt, base = np.array(GLUE["GPT"]), np.array(GLUE["BERT-base"])
    assert set(np.array(GLUE_TASKS)[gpt < best]) == {"SST-2", "STS-B", "MRPC", "RTE"}
    to_base, to_large = (
        dict(zip(GLUE_TASKS, errors_gone(gpt, bert), strict=True)) for bert in (base, large)
    )
    assert (round(to_base["MNLI"]), round(to_large["MNLI"])) == (14, 26)
    assert round(to_large["SST-2"]) == 41
    assert to_base["SST-2"] / to_large["SST-2"] == pytest.approx(3 / 5, abs=0.02)


def test_somebody_stands_before_bert_at_names() -> None:
    ranked = sorted(NER, key=lambda name: -NER[name][1])
    assert ranked[:2] == ["CSE (Flair)", "BERT-large"]
    assert NER_FEATURES["fine-tuned"] - NER_FEATURES["last 4 side by side"] == pytest.approx(0.3)


def test_the_figures_say_their_numbers() -> None:
    assert "CoLA: " in glue_figure("x").description
    assert "a: MNLI 7, " in gone_figure({"a": np.full(8, 7)}, "x").description
