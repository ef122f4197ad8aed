"""A checkpoint's words and a task's words in one table.

Words that the checkpoint knows keep their rows. Words that are new get the mean of all rows, and
the mean bias, as in the authors' code; stage 2 then moves them to where they belong.
"""

import copy
from collections.abc import Iterable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.text.running_text import BOUNDARY, UNKNOWN, word_vocabulary
from elmo_mini.text.sentences import word_lists
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.ulmfit.task_text import check_words_of


def task_vocabulary(
    sentences: Iterable[Sequence[str]], known: Vocabulary, min_count: int = 2
) -> tuple[Vocabulary, int]:
    """The task's words first, then the other words of the checkpoint.

    Parameters
    ----------
    sentences : the text of the task that may be read: never the test's
    min_count : words that occur less often are no words of the task

    Returns
    -------
    The vocabulary, and how many of its words are the task's: a language model of the task's text
    bets among these.

    Raises
    ------
    ValueError
        If no word occurs so often.
    """
    own = word_vocabulary(sentences, min_count=min_count)
    if set(own.words) <= {UNKNOWN, BOUNDARY}:
        raise ValueError(
            f"no word of the task's text occurs min_count={min_count} times; give more text, or "
            "set it lower"
        )
    rest = [word for word in known.words if word not in own]
    counts = [*own.counts.tolist(), *[0] * len(rest)]
    return Vocabulary([*own.words, *rest], counts, unknown=UNKNOWN), len(own)


def with_words(model: AWDLSTM, known: Vocabulary, wanted: Vocabulary) -> AWDLSTM:
    """A copy of the model that knows other words; the model itself stays as it is.

    Parameters
    ----------
    known : the words of the model's rows
    wanted : the words of the copy's rows

    Raises
    ------
    ValueError
        If `known` is not as large as the model's table.
    """
    check_words_of(model, known)
    with torch.random.fork_rng(devices=[]):  # the weights drawn here are overwritten
        copy = AWDLSTM(replace(model.options, vocabulary_size=len(wanted)))
    weights = model.state_dict()
    for name in ("embedding.weight", "decoder.weight", "decoder.bias"):
        weights[name] = _rows_for(weights[name], known, wanted)
    copy.load_state_dict(weights)
    return copy.train(model.training)


def words_of(texts: Iterable[Sequence[str]], vocabulary: Vocabulary) -> Vocabulary:
    """The words of a vocabulary that occur in texts, and its two special ones, in its order."""
    used = {BOUNDARY, vocabulary.unknown, *(word for text in word_lists(texts) for word in text)}
    words = [word for word in vocabulary.words if word in used]
    return Vocabulary(words, [0] * len(words), unknown=vocabulary.unknown)


def restore_rows(part: AWDLSTM, known: Vocabulary, whole: AWDLSTM, wanted: Vocabulary) -> AWDLSTM:
    """A model of some words that was trained on: a copy of it with the other words of another.

    Parameters
    ----------
    part, known : what was trained, and the words of its rows
    whole, wanted : what it came from, and the words of its rows
    """
    check_words_of(part, known)
    check_words_of(whole, wanted)
    rows = torch.tensor([wanted.id(word) for word in known.words])
    weights = part.state_dict()
    for name in ("embedding.weight", "decoder.weight", "decoder.bias"):
        of_all = whole.state_dict()[name].clone()
        of_all[rows] = weights[name]
        weights[name] = of_all
    back = copy.deepcopy(whole)
    back.load_state_dict(weights)
    return back.eval()


def _rows_for(rows: Tensor, known: Vocabulary, wanted: Vocabulary) -> Tensor:
    """The row of each wanted word, the mean row where it is not known: (V', ...)."""
    found = rows.mean(0).expand(len(wanted), *rows.shape[1:]).clone()
    pairs = [(new, known.id(word)) for new, word in enumerate(wanted.words) if word in known]
    to, source = torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2).T
    found[to] = rows[source]
    return found
