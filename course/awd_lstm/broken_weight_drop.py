"""Three AWD-LSTMs whose weight drop has one planted fault each, and their symptoms."""

import copy
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from elmo_mini.awd_lstm.model import AWDLSTM
from elmo_mini.awd_lstm.options import AWDLSTMOptions
from elmo_mini.awd_lstm.run import train_awd_lstm
from elmo_mini.awd_lstm.training import AWDHistory, AWDTraining
from elmo_mini.awd_lstm.weight_drop import RECURRENT, LSTMState, WeightDropLSTM
from elmo_mini.progress import progress_bar


class UntilTheFirstEvaluation(WeightDropLSTM):
    """Fault 2: what has been evaluated once never drops again."""

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """As an LSTM."""
        if not self.training:
            self.p = 0.0
        return super().forward(x, state)


class CutOff(WeightDropLSTM):
    """Fault 4: the thinned copy has no way back to the matrix."""

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """As an LSTM."""
        whole = getattr(self.lstm, RECURRENT).detach()
        thinned = {RECURRENT: functional.dropout(whole, self.p, self.training)}
        outputs, after = functional_call(self.lstm, thinned, (x, state))
        return outputs, after


class Eroding(WeightDropLSTM):
    """Fault 5: what is dropped once is gone, but for what the next steps learn."""

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """As an LSTM."""
        if self.training:
            whole = getattr(self.lstm, RECURRENT)
            whole.data = functional.dropout(whole.data, self.p)
        outputs, after = self.lstm(x, state)
        return outputs, after


RUNS: dict[str, type[WeightDropLSTM]] = {
    "sound": WeightDropLSTM,
    "A": CutOff,
    "B": Eroding,
    "C": UntilTheFirstEvaluation,
}


@dataclass(frozen=True)
class Symptoms:
    """What can be seen of a run without its code.

    Attributes
    ----------
    history : its losses
    first_calls : how far the states of two calls in training are apart before any training,
        largest distance
    training_calls : the same after training
    evaluation_calls : the same after training, in evaluation
    moved : how far the recurrent matrix is from where it began, as a share of its first norm
    typical : the median size of its weights now, in that at the start
    """

    history: AWDHistory
    first_calls: float
    training_calls: float
    evaluation_calls: float
    moved: float
    typical: float

    @property
    def numbers(self) -> list[float]:
        """All but the losses, in this order."""
        calls = [self.first_calls, self.training_calls, self.evaluation_calls]
        return [*calls, self.moved, self.typical]


def symptoms(
    name: str, options: AWDLSTMOptions, text: Tensor, validation: Tensor, training: AWDTraining
) -> Symptoms:
    """Train the run of this name, and look at it.

    Only weight drop is on, so that nothing else moves the states.
    """
    torch.manual_seed(training.seed)
    model = AWDLSTM(options)
    model.layers = nn.ModuleList(
        RUNS[name](size, hidden, options.weight_drop) for size, hidden in options.layer_sizes
    )
    first, window = _matrix(model).clone(), validation[None, :50]
    first_calls = _apart(copy.deepcopy(model).train(), window)
    history = train_awd_lstm(model, text, validation, training)
    now = _matrix(model).clone()
    return Symptoms(
        history,
        first_calls,
        _apart(model.train(), window),
        _apart(model.eval(), window),
        float((now - first).norm() / first.norm()),
        float(now.abs().median() / first.abs().median()),
    )


def look_at_all(
    words: int, text: Tensor, validation: Tensor, *, epochs: int = 6, size: int = 100
) -> dict[str, Symptoms]:
    """The symptoms of all four runs, the sound one first."""
    options = replace(
        AWDLSTMOptions(vocabulary_size=words, dim=size, hidden_dim=size, layers=1).scaled(0.0),
        weight_drop=0.5,
    )
    training = AWDTraining(
        epochs=epochs, batch_size=10, bptt=35, learning_rate=20.0, alpha=0.0, beta=0.0
    )
    return {
        name: symptoms(name, options, text, validation, training)
        for name in progress_bar(list(RUNS), "training")
    }


def _matrix(model: AWDLSTM) -> Tensor:
    layer = model.layers[0]
    assert isinstance(layer, WeightDropLSTM)
    found: Tensor = getattr(layer.lstm, RECURRENT).detach()
    return found


@torch.no_grad()
def _apart(model: AWDLSTM, window: Tensor) -> float:
    one, other = (model.encode(window)[0] for _ in range(2))
    return float((one - other).abs().max())
