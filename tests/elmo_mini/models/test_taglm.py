"""The layers of TagLM against PyTorch's, and where the LM vectors enter."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from elmo_mini.models.taglm import BiLSTM, TaggerOptions, lm_part, with_lm


def test_both_directions_read_as_packed_sequences_do() -> None:
    torch.manual_seed(0)
    ours = BiLSTM(5, 4)
    theirs = nn.LSTM(5, 4, bidirectional=True, batch_first=True)
    for name, parameter in ours.forwards.named_parameters():
        theirs.get_parameter(name).data.copy_(parameter)
        theirs.get_parameter(f"{name}_reverse").data.copy_(ours.backwards.get_parameter(name))
    lengths = torch.tensor([3, 6, 1, 6])
    x = torch.randn(4, 6, 5)
    mask = torch.arange(6) < lengths.unsqueeze(1)
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(theirs(packed)[0], batch_first=True)
    torch.testing.assert_close(ours(x, mask)[mask], expected[mask])


@pytest.mark.parametrize(
    ("position", "sizes"),
    [
        ("none", [3, 2, 2]),
        ("input", [8, 2, 2]),
        ("after_first", [3, 7, 2]),
        ("after_second", [3, 2, 7]),
    ],
)
def test_lm_vectors_enter_where_they_should(position: str, sizes: list[int]) -> None:
    read: list[Tensor] = []

    def layer(x: Tensor) -> Tensor:
        read.append(x)
        return torch.ones(1, 4, 2)

    lm = torch.randn(1, 4, 5)
    out = with_lm(torch.zeros(1, 4, 3), lm, layer, layer, position)  # type: ignore[arg-type]
    assert [x.shape[-1] for x in (*read, out)] == sizes
    for x in (*read, out):
        if x.shape[-1] > 3:
            torch.testing.assert_close(x[..., -5:], lm)


def test_forward_only_is_the_first_half() -> None:
    vectors = torch.arange(8.0).view(1, 2, 4)
    assert lm_part(vectors, "forward").tolist() == [[[0, 1], [4, 5]]]
    assert lm_part(vectors, "both") is vectors
    with pytest.raises(ValueError, match="backward"):
        lm_part(vectors, "backward")  # type: ignore[arg-type]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="lm_position is 'first'"):
        TaggerOptions(lm_position="first")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lm_position is 'first'"):
        with_lm(torch.ones(1, 1, 1), torch.ones(1, 1, 1), torch.abs, torch.abs, "first")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nothing is left"):
        TaggerOptions(task_rnn=False, lm_position="none")
