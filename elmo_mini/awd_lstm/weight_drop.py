"""Weight drop: DropConnect on the matrix through which an LSTM's state meets itself.

Merity, Keskar & Socher 2017 (arXiv:1708.02182), section 2. One mask is drawn for a whole window,
so the same connections are missing at every step. Nothing inside the LSTM changes, and its fast
implementation stays in use.

Letters in the shape comments: B rows, T steps, D input size, H hidden size.
"""

from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F

LSTMState = tuple[Tensor, Tensor]
RECURRENT = "weight_hh_l0"


class WeightDropLSTM(nn.Module):
    """One LSTM layer whose recurrent matrix loses a share of its weights in training.

    The LSTM owns the whole matrix, as it is trained and saved. A call in training lends it a
    thinned copy for that call alone. So there is nothing to put back after it: changing between
    training and evaluation, copying and saving work as for any layer.

    Parameters
    ----------
    input_size : D
    hidden_size : H
    p : share of the recurrent weights dropped
    """

    def __init__(self, input_size: int, hidden_size: int, p: float) -> None:
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, batch_first=True)
        self.p = p

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """(B, T, D) and the state before it to (B, T, H) and the state after it.

        A state is (h, c), each (1, B, H); none stands for zeros.
        """
        if not self.training or self.p == 0:
            outputs, after = self.lstm(x, state)
            return outputs, after
        whole = getattr(self.lstm, RECURRENT)  # (4H, H)
        thinned = {RECURRENT: F.dropout(whole, self.p)}
        outputs, after = functional_call(self.lstm, thinned, (x, state))
        return outputs, after
