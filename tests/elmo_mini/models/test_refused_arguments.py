"""What a page cannot compute is refused in a sentence, and never answered with a wrong number."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from elmo_mini.models.awd_lstm import embedding_dropout, locked_dropout
from elmo_mini.models.fine_tuning import CausalLM, Classifier, continue_text, tune
from elmo_mini.models.glove import cooccurrence_counts
from elmo_mini.models.lstm_language_model import (
    LSTMLanguageModel,
    draw_word,
    perplexity,
    train_windows,
)
from elmo_mini.models.masked_lm import corrupt
from elmo_mini.models.skip_gram import sgns_step, train_skip_gram
from elmo_mini.models.ulmfit import cosine, slanted_triangular

IDS = torch.tensor([[5, 6, 7]])
ONES = torch.ones(1, 3).bool()
SIZES = {"dim": 4, "heads": 1, "layers": 1, "longest": 6}


def model() -> CausalLM:
    return CausalLM(9, **SIZES)


def tuned(steps: int, warm_up: int) -> list[float]:
    classifier = Classifier(model(), 2)
    batch = IDS, ONES, torch.tensor([1])
    optimizer = torch.optim.SGD(classifier.parameters(), lr=0.1)
    return tune(classifier, [batch] * steps, optimizer, warm_up, 0.0)


def written(beginning: list[int], longest: int, temperature: float) -> list[int]:
    def likeliest(chances: Tensor) -> int:
        return int(chances.argmax())

    return continue_text(model(), beginning, 3, 0, longest, temperature, likeliest)


def windows(clip: float) -> list[float]:
    language_model = LSTMLanguageModel(9, 4, 4)
    optimiser = torch.optim.SGD(language_model.parameters(), lr=0.1)
    pair = IDS[:, :-1], IDS[:, 1:]
    loss = nn.CrossEntropyLoss()
    return train_windows(
        language_model,
        [pair],
        lambda a, b: loss(a.flatten(0, 1), b.flatten()),
        optimiser,
        clip,
        lambda _: None,
    )


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "loss of one token": (lambda: model().loss(IDS[:, :1], ONES[:, :1]), "no token has a next"),
    "loss of padding": (lambda: model().loss(IDS, ~ONES), "no token has a next"),
    "no word": (lambda: CausalLM(0, **SIZES), "words=0, layers=1, longest=6: each must"),
    "no layer": (lambda: CausalLM(9, **SIZES | {"layers": 0}), "each must be at least 1"),
    "no position": (lambda: CausalLM(9, **SIZES | {"longest": 0}), "each must be at least 1"),
    "temperature 0": (lambda: written([5], 6, 0.0), "temperature=0.0; .*the temperature above 0"),
    "temperature below 0": (lambda: written([5], 6, -1.0), "the temperature above 0"),
    "temperature nan": (lambda: written([5], 6, math.nan), "the temperature above 0"),
    "no beginning": (lambda: written([], 6, 1.0), "a beginning of 0 words"),
    "nothing read": (lambda: written([5], 0, 1.0), "longest=0"),
    "as much warm-up as steps": (lambda: tuned(3, 3), "warm_up=3 of 3 steps; it must be"),
    "more warm-up than steps": (lambda: tuned(3, 9), "warm_up=9 of 3 steps"),
    "no warm-up": (lambda: tuned(3, 0), "at least 1 and fewer"),
    "warm-up below 0": (lambda: tuned(3, -1), "at least 1 and fewer"),
    "more than all chosen": (lambda: corrupt(IDS, 9, chosen=2), "chosen=2, .* are shares"),
    "less than none chosen": (lambda: corrupt(IDS, 9, chosen=-1), "chosen=-1, .* are shares"),
    "chosen nan": (lambda: corrupt(IDS, 9, chosen=math.nan), "are shares"),
    "masked below 0": (lambda: corrupt(IDS, 9, masked=-0.1), "are shares"),
    "two parts above one whole": (lambda: corrupt(IDS, 9, replaced=0.3), "parts of one whole"),
    "bytes as ids": (lambda: corrupt(IDS.byte(), 9), "torch.uint8; they must be signed"),
    "ids that are no whole numbers": (lambda: corrupt(IDS.float(), 9), "signed whole numbers"),
    "clip 0": (lambda: windows(0.0), "clip is 0.0; it must be above 0"),
    "clip below 0": (lambda: windows(-1.0), "clip is -1.0"),
    "clip nan": (lambda: windows(math.nan), "clip is nan"),
    "word at temperature 0": (lambda: draw_word(torch.zeros(3), 0.0), "temperature is 0.0; it"),
    "word below": (lambda: draw_word(torch.zeros(3), -1.0), "temperature is -1.0"),
    "fewer tokens than none": (lambda: perplexity([1.0, 2.0], [-1, 2]), "one number of tokens"),
    "an id below 0": (lambda: cooccurrence_counts([[0, -1]], 3, 2), "a word's id is -1; ids run"),
    "rise of all steps": (lambda: slanted_triangular(5, 10, 1.0), "cut_share=1.0"),
    "rise below 0": (lambda: slanted_triangular(5, 10, -0.1), "cut_share=-0.1"),
    "a valley": (lambda: slanted_triangular(5, 10, 0.1, 0.5), "ratio=0.5; .* at least 1"),
    "a run of no steps": (lambda: slanted_triangular(0, 0), "outside a run of 0 steps"),
    "cosine of no steps": (lambda: cosine(0, 0), "outside a run of 0 steps"),
    "cosine beyond the run": (lambda: cosine(11, 10), "step 11 is outside a run of 10"),
    "dropout below 0": (lambda: locked_dropout(torch.ones(1, 2, 3), -0.1), "between 0 and 1"),
    "dropout above 1": (lambda: embedding_dropout(torch.ones(9, 2), IDS, 1.5), "between 0 and 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_computed_is_refused(case: str) -> None:
    compute, says = REFUSED[case]
    with pytest.raises(ValueError, match=says):
        compute()


def test_the_ends_of_a_range_belong_to_it() -> None:
    assert len(tuned(3, 2)) == 3
    assert len(written([5], 1, 1e-3)) > 1
    assert torch.equal(corrupt(IDS, 9, chosen=1, masked=0.9, replaced=0.1)[1], IDS)
    assert len(windows(math.inf)) == 1
    assert [slanted_triangular(step, 4, 0.0) for step in (0, 4)] == [1.0, 1 / 32]


def test_dropout_of_everything_leaves_zeros_and_no_numbers_that_are_none() -> None:
    assert not locked_dropout(torch.ones(2, 3, 4), 1.0).any()
    assert not embedding_dropout(torch.ones(9, 2), IDS, 1.0).any()


def test_a_perplexity_that_no_float_holds_is_infinite() -> None:
    assert perplexity([1000.0], [3]) == math.inf


def test_a_mask_of_ones_and_zeros_is_a_mask() -> None:
    one = model().eval()
    mask = torch.tensor([[1, 1, 0]])
    assert torch.equal(one.loss(IDS, mask), one.loss(IDS, mask.bool()))


def test_skip_gram_says_at_which_step_it_diverged() -> None:
    torch.manual_seed(0)
    pairs = torch.tensor([[0, 1], [1, 2]] * 50)
    with pytest.raises(FloatingPointError, match=r"^step \d+: the loss is (nan|inf); lower the"):
        train_skip_gram(pairs, torch.ones(3), sgns_step, 4, 2, 10, 1e30, lambda *_: None)
