"""Two penalties on the last layer's states, large ones and ones that jump, and the whole loss.

Merity, Keskar & Socher 2017 (arXiv:1708.02182), section 4.5. The paper writes L2 norms; its
published code takes the mean of the squares, which is what stands here.
"""

from torch import Tensor

from elmo_mini.awd_lstm.model import next_word_loss


def awd_loss(
    logits: Tensor,
    targets: Tensor,
    outputs: Tensor,
    dropped: Tensor,
    alpha: float = 2.0,
    beta: float = 1.0,
) -> Tensor:
    """Cross-entropy in nats a word, plus alpha AR of the dropped, plus beta TAR of the outputs.

    Parameters
    ----------
    logits, targets : (B, T, V) and (B, T)
    outputs, dropped : (B, T, D), the last layer's states before and after their dropout
    """
    return (
        next_word_loss(logits, targets)
        + activation_regularisation(dropped, alpha)
        + temporal_activation_regularisation(outputs, beta)
    )


def activation_regularisation(dropped: Tensor, alpha: float = 2.0) -> Tensor:
    """AR: alpha times the mean square of the states, after their dropout.

    Parameters
    ----------
    dropped : (B, T, D)
    """
    return alpha * dropped.square().mean()


def temporal_activation_regularisation(outputs: Tensor, beta: float = 1.0) -> Tensor:
    """TAR: beta times the mean square of the change from step to step, before any dropout.

    Parameters
    ----------
    outputs : (B, T, D); of a single step there is no change, and the penalty is 0
    """
    if outputs.shape[1] < 2:
        return outputs.new_zeros(())
    return beta * (outputs[:, 1:] - outputs[:, :-1]).square().mean()
