"""Models of the next word: who reaches whom, the loss, writing, the file."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from course.attention.recurrent_lm import RecurrentLM
from elmo_mini.checkpoints.safetensors_file import CheckpointDamaged
from elmo_mini.models.attention import Block
from elmo_mini.models.fine_tuning import CausalLM, continue_text, next_word_loss
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.files import load_causal_lm, save_causal_lm

SIZES = {"dim": 8, "heads": 2, "layers": 2, "longest": 6}


@torch.no_grad()
def reach(model: nn.Module, ids: Tensor, other: int) -> Tensor:
    """(T, T): row s says at which positions the scores move when `other` stands at position s."""
    texts = ids.repeat(1 + len(ids), 1)
    texts[1:].fill_diagonal_(other)
    scores = model(texts)
    return (scores[1:] - scores[:1]).abs().amax(-1) > 1e-6


def test_no_word_reaches_a_place_before_it() -> None:
    torch.manual_seed(0)
    ids = torch.tensor([3, 5, 2, 7, 4])
    triangle = torch.ones(5, 5).triu().bool()
    for model in (CausalLM(9, **SIZES).eval(), RecurrentLM(9, 8, 10).eval()):
        assert not (reach(model, ids, 8) & ~triangle).any()
    both = CausalLM(9, **SIZES, block=Block).eval()
    assert (reach(both, ids, 8) & ~triangle).any()


def test_the_loss_is_of_the_next_word_at_tokens() -> None:
    torch.manual_seed(0)
    model = CausalLM(9, **SIZES).eval()
    ids, mask = torch.tensor([[3, 5, 2], [4, 1, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]]).bool()
    scores = model(ids, mask)
    wanted = functional.cross_entropy(scores[[0, 0, 1], [0, 1, 0]], torch.tensor([5, 2, 1]))
    assert torch.allclose(next_word_loss(model, ids, mask), wanted)
    assert torch.allclose(model.loss(ids, mask), wanted)


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="7 tokens, but the model has 6 positions"):
        CausalLM(9, **SIZES)(torch.zeros(1, 7, dtype=torch.long))


def test_writing_reads_the_last_words_and_stops() -> None:
    read: list[list[int]] = []

    def model(ids: Tensor) -> Tensor:
        read.append(ids[0].tolist())
        return functional.one_hot((ids + 1) % 6, 6).float() * 20

    def likeliest(chances: Tensor) -> int:
        return int(chances.argmax())

    assert continue_text(model, [0, 1], 9, 5, 3, 1.0, likeliest) == [0, 1, 2, 3, 4, 5]
    assert read == [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3, 4]]


def test_a_file_gives_the_model_back(tmp_path: Path) -> None:
    torch.manual_seed(0)
    vocabulary = Vocabulary(["<unk>", "</s>", "a", "b"], unknown="<unk>")
    model, file = CausalLM(4, **SIZES).eval(), tmp_path / "model.safetensors"
    save_causal_lm(model, SIZES, vocabulary, file, {"corpus": "none"})
    again, words = load_causal_lm(file)
    assert words.words == vocabulary.words
    ids = torch.tensor([[1, 2, 3]])
    assert torch.allclose(again(ids), model(ids), atol=1e-2)

    class Own(CausalLM):
        """A learner's class with the same parts."""

    assert isinstance(load_causal_lm(file, model=Own)[0], Own)
    with pytest.raises(CheckpointDamaged, match="does not fit"):
        load_causal_lm(file, block=lambda dim, heads: torch.nn.Linear(dim, dim))
