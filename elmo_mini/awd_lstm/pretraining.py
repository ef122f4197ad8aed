"""The text of a pretraining run of an AWD-LSTM, and the page that says where the model comes from.

Words are in lower case: with 12,000 of them, *The* and *the* would be two.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from elmo_mini.text.running_text import in_reading_order, text_stream, word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.card import page
from elmo_mini.training.pretraining.sources import (
    WHOLE,
    Source,
    evaluation_sentences,
    from_corpus,
    pack,
)
from elmo_mini.training.pretraining.streams import PackedText
from elmo_mini.training.pretraining.text import hold_out


@dataclass
class PretrainingText:
    """Running text in reading order, (N,) and (M,) ids, and its words.

    Attributes
    ----------
    train, validation : ids
    vocabulary : of the training part
    unknown : share of the validation words that are outside the vocabulary
    """

    train: Tensor
    validation: Tensor
    vocabulary: Vocabulary
    unknown: float


def course_awd_sources() -> list[Source]:
    """The texts of the course's AWD-LSTM: those of its biLM but for the reviews.

    The reviews are the text of a task in lesson 11; reading them is that lesson's second stage.
    """
    return [from_corpus(name) for name in WHOLE]


def read_text(
    sources: list[Source], *, words: int, share: float, direction: str, without_evaluated: bool
) -> PretrainingText:
    """Read, hold out a share in blocks of sentences, count the words, and turn into ids.

    Parameters
    ----------
    words : V, the two special ones among them
    without_evaluated : leave out every sentence on which the course measures a model
    """
    left_out = evaluation_sentences() if without_evaluated else frozenset[str]()
    train, validation = hold_out(pack(sources, left_out), share)
    vocabulary = word_vocabulary(_lowered(train), max_size=words)
    held = text_stream(_lowered(validation), vocabulary)
    unknown = float((held == vocabulary.id("<unk>")).float().mean())
    return PretrainingText(
        in_reading_order(text_stream(_lowered(train), vocabulary), direction),
        in_reading_order(held, direction),
        vocabulary,
        unknown,
    )


def _lowered(text: PackedText) -> Iterator[list[str]]:
    types = [word.lower() for word in text.types]
    for start, end in zip(text.starts[:-1], text.starts[1:], strict=True):
        yield [types[number] for number in text.tokens[start:end]]


def model_card(record: dict[str, Any]) -> str:
    """The record of one direction as a page to read."""
    options, training = record["options"], record["training"]
    return page(
        record,
        f"An AWD-LSTM language model that reads {options['direction']}",
        f"{options['layers']} LSTM layers, word vectors of {options['dim']} dimensions tied to "
        f"the softmax, {options['hidden_dim']} hidden units, {record['weights']:,} weights "
        f"(Merity, Keskar & Socher, 2017). The file holds them as {record['stored_as']}. Load it "
        "with `elmo_mini.awd_lstm.awd_lstm_file.load_awd_lstm`.",
        f"In lower case, {options['vocabulary_size']:,} words with `<unk>` and `</s>`. Sentences "
        "left out stand in a text on which the course measures models.",
        [
            f"{training['epochs']} passes over {record['tokens']:,} words and sentence ends, "
            f"{record['seconds'] / 60:.0f} minutes of processor time on {record['device']}, "
            f"{record['threads']} thread(s)",
            f"dropouts: word types {options['embedding_dropout']:.3g}, input "
            f"{options['input_dropout']:.3g}, between layers {options['hidden_dropout']:.3g}, "
            f"output {options['output_dropout']:.3g}, recurrent weights "
            f"{options['weight_drop']:.3g}",
            f"{training['optimiser']}, its rate at most {training['learning_rate']:g}, windows of "
            f"about {training['bptt']} words, {training['batch_size']} rows",
        ],
        (
            "Validation perplexity",
            f"{record['perplexity']:.1f} on {record['validation_tokens']:,} held-out words; as "
            f"stored {record['perplexity_as_stored']:.1f}. Of these words {record['unknown']:.1%} "
            "are outside the vocabulary and count as one word. Perplexities at other vocabularies "
            "or on other texts do not compare.",
        ),
    )
