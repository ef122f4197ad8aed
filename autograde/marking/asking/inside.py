"""Exercises whose `run` needs live objects, such as a module: it goes to the answer's process.

Then the course's own helpers, and the reference where they use it, are in the process of that one
check, and what comes back is believed as far as it is compared here. A student who knows this could
forge it. So each such verdict is stamped, and the list is to become empty.
"""

import copy

from autograde.checking.answers import Inputs
from autograde.checking.case_inputs import case_inputs
from autograde.checking.exercise import Exercise, everything
from autograde.checking.outcomes import Outcome
from autograde.checking.safe_state import as_in_a_new_thread
from autograde.marking.asking.outcomes import raised_outcome
from autograde.marking.asking.peer import Peer
from autograde.marking.asking.wire import BadMessage, Gone, Waited
from autograde.marking.oracles import Symbol, given_back

INSIDE = frozenset(
    [
        "LSTM",
        "LanguageModel",
        "train_windows",
        "LSTMClassifier",
        "start_from",
        "tune_and_watch",
        "decode_step",
        "CRF",
        "with_lm",
        "CharCNN",
        "TwoWay",
        "fit",
        "BiLM",
        "moved",
        "ScalarMix",
        "train_mix",
        "embed",
        "with_elmo",
        "WeightDrop",
        "train_epoch",
        "fine_tune",
        "read_in_chunks",
        "train_blanks",
        "MultiHead",
        "Block",
        "CausalLM",
        "Classifier",
        "scrambled",
        "tune",
    ]
)


def inside_outcome(
    peer: Peer, exercise: Exercise, index: int, seed: int, gone: set[Symbol]
) -> Outcome:
    """The outcome of one case whose `run` is sent to the answer's process."""
    as_in_a_new_thread()
    peer.forget()
    peer.ask("begin")
    run = exercise.run
    symbol = run.__module__, run.__qualname__
    parts, _ = given_back(symbol, gone)
    given = case_inputs(exercise, index, seed)
    try:
        rows = [[part.module, part.source] for part in parts]
        outputs, off = peer.ask("inside", rows, list(symbol), copy.deepcopy(given))
        inputs: Inputs = copy.deepcopy(given)
        view = outputs if exercise.view is everything else exercise.view(inputs, outputs)
        return Outcome(view=view, gradients_off=bool(off))
    except (BadMessage, Gone, Waited):
        raise
    except Exception as error:
        if type(error).__name__ in ("AnswerRefused", "Refused"):
            return Outcome(failure=str(error), sentence=str(error))
        return raised_outcome(error, getattr(error, "told", {}))
