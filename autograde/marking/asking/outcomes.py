"""What an answer in another process does with the cases of an exercise.

The exercise's own `run` and `view` work here, in the process that judges. In the other one nothing
of the exercise is known but the arguments of each call.
"""

import copy
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch

from autograde.checking.answers import AnswerRefused, in_range
from autograde.checking.case_inputs import case_inputs
from autograde.checking.exercise import Answer, Exercise, Inputs, everything
from autograde.checking.outcomes import Outcome, said
from autograde.checking.own_words import own_words
from autograde.checking.refused_form import remembering, without_form
from autograde.checking.safe_state import as_in_a_new_thread
from autograde.checking.work_limit import TooMuchWork
from autograde.marking.asking.errors import TOLD
from autograde.marking.asking.peer import Peer
from autograde.marking.asking.wire import BadMessage, Gone, Waited


def asked_outcome(peer: Peer, exercise: Exercise, index: int, seed: int) -> Outcome:
    """The outcome of one case.

    Raises
    ------
    BadMessage, Gone, Waited
        If the other process does not keep to the protocol, ends, or takes too long.
    """
    as_in_a_new_thread()
    peer.forget()
    limit = exercise.work_limit
    try:
        answer = peer.ask("begin", asdict(limit) if limit else None)
    except (BadMessage, Gone, Waited):
        raise
    except Exception as error:
        raise BadMessage("no beginning") from error
    given = case_inputs(exercise, index, seed)
    came = _outcome_of(exercise, answer, given)
    left_off = not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    return replace(came, gradients_off=True) if left_off else came


def _outcome_of(exercise: Exercise, answer: Answer, given: Inputs) -> Outcome:
    remembered, calls = remembering(answer)
    try:
        with np.errstate(all="ignore"):
            outputs = exercise.run(remembered, copy.deepcopy(given))
        inputs = copy.deepcopy(given) if exercise.view is not everything else given
        return Outcome(view=in_range(exercise.view(inputs, outputs)))
    except (BadMessage, Gone, Waited):
        raise
    except AnswerRefused as refused:
        return Outcome(failure=str(refused), sentence=str(refused), returned=without_form(calls))
    except Exception as error:
        if exercise.work_limit is not None and type(error).__name__ == TooMuchWork.__name__:
            sentence = exercise.work_limit.sentence
            return Outcome(failure=sentence, sentence=sentence)
        return raised_outcome(error, getattr(error, "told", {}))


def raised_outcome(error: BaseException, told: dict[str, Any]) -> Outcome:
    """What is said of an error; the other process may have added where it arose."""
    if isinstance(error, NotImplementedError):
        sentence = str(told.get("sentence") or "This is not written yet.")[:TOLD]
        return Outcome(failure="NotImplementedError", sentence=sentence, not_started=True)
    failure, line = said(error), str(told.get("line") or "")[:TOLD]
    sentence = own_words(error, line) or f"Your function stopped with {failure}{line}"
    return Outcome(failure=failure, sentence=sentence)
