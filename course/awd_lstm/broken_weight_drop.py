"""Weight drop as lesson 10 asks for it, and three more with one planted fault each."""

from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from elmo_mini.models.awd_lstm import RECURRENT, LSTMState


class Sound(nn.Module):
    """An LSTM that is lent a thinned matrix at each call in training."""

    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.lstm, self.p = lstm, p

    @property
    def whole(self) -> Tensor:
        """The recurrent matrix."""
        matrix: Tensor = getattr(self.lstm, RECURRENT)
        return matrix

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """As an LSTM."""
        return self._lent(functional.dropout(self.whole, self.p, self.training), x, state)

    def _lent(self, matrix: Tensor, x: Tensor, state: LSTMState | None) -> tuple[Tensor, LSTMState]:
        outputs, after = functional_call(self.lstm, {RECURRENT: matrix}, (x, state))
        return outputs, after


class UntilTheFirstEvaluation(Sound):
    """Fault 2: what has been evaluated once never drops again."""

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """As an LSTM."""
        if not self.training:
            self.p = 0.0
        return super().forward(x, state)


class CutOff(Sound):
    """Fault 4: the thinned copy has no way back to the matrix."""

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """As an LSTM."""
        thinned = functional.dropout(self.whole.detach(), self.p, self.training)
        return self._lent(thinned, x, state)


class Eroding(Sound):
    """Fault 5: what is dropped once is gone, but for what the next steps learn."""

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """As an LSTM."""
        if self.training:
            self.whole.data = functional.dropout(self.whole.data, self.p)
        return self._lent(self.whole, x, state)


RUNS: dict[str, type[Sound]] = {
    "sound": Sound,
    "A": CutOff,
    "B": Eroding,
    "C": UntilTheFirstEvaluation,
}
