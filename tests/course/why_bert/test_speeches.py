"""The model that writes speeches: how it is trained, in small, and the file that ships."""

import torch

from course.why_bert import speeches
from elmo_mini.transformer.causal_lm import CausalLM
from elmo_mini.transformer.causal_lm_file import COURSE_CHECKPOINT, load_causal_lm


def test_a_text_of_one_circle_is_learnt() -> None:
    torch.manual_seed(0)
    stream = torch.arange(4_000) % 7
    model = CausalLM(7, 16, 2, 1, longest=speeches.LONGEST)
    before = speeches.perplexity_of(model, stream)
    speeches.fit(model, stream, 10)
    assert speeches.perplexity_of(model, stream) < 0.8 * before


def test_the_file_that_ships_knows_what_often_goes_together() -> None:
    model, words = load_causal_lm()
    said = words.encode(["</s>", "the", "american"])
    with torch.no_grad():
        chances = model(torch.tensor([said]))[0, -1].softmax(-1)
    assert words.id("people") in chances.topk(3).indices.tolist()


def test_the_file_is_small_and_its_card_says_its_licence() -> None:
    assert COURSE_CHECKPOINT.stat().st_size < 2_000_000
    card = COURSE_CHECKPOINT.with_name("README.md").read_text("utf-8")
    assert "Public domain" in card
    assert "python -m course.why_bert.speeches" in card
