"""Terms of the field: each is introduced in bold by one lesson and is its name from then on."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.lesson_text import for_learners
from tests.test_concepts import plain, rows_of
from tests.test_glossary import ENTRIES

ROOT = Path(__file__).resolve().parent.parent

TAUGHT_IN = {
    "00": "token, relative frequency, Zipf's law",
    "01": "distributional hypothesis, word embedding, skip-gram, CBOW, softmax, "
    "negative sampling, dynamic window, subsampling, noise distribution, sigmoid, "
    "stochastic gradient descent, cosine similarity, pointwise mutual information, vocabulary, "
    "positive PMI, singular value decomposition",
    "02": "static vector, co-occurrence matrix, AdaGrad, polysemous, pseudo-word, "
    "most frequent sense, logistic regression, L2 regularisation, word-sense disambiguation, "
    "subword, out-of-vocabulary",
    "03": "language model, sampling, logit, temperature, hidden state, recurrent, cell state, "
    "vanishing gradient, gradient clipping, truncated backpropagation through time, "
    "embedding matrix, cross-entropy, perplexity, contextual vector",
    "04": "transfer learning, pretraining, fine-tuning, overfitting, catastrophic forgetting, "
    "joint loss, encoder–decoder, encoder, decoder, sequence-to-sequence, attention, "
    "attention weights, teacher forcing, greedy decoding, exposure bias, sequence autoencoder, "
    "BLEU, Student's t",
    "05": "sequence labelling, named-entity recognition, chunking, precision, recall, "
    "conditional random field, emission, transition, partition function, forward algorithm, "
    "marginal, bidirectional LSTM, BiLSTM-CRF",
    "06": "character CNN, filter, convolution, maximum over time, highway, projection, "
    "edit distance, whitening",
    "07": "bidirectional language model, self-supervised, residual connection",
    "08": "softmax-normalised weights, relative error reduction",
    "09": "probe, probing classifier, standardised, momentum, control task, selectivity, "
    "sample efficiency, training set, test set",
    "10": "early stopping, validation set, dropout, locked dropout, hidden-to-hidden weights, "
    "weight drop, DropConnect, weight tying, averaged SGD, embedding dropout, "
    "activation regularisation, ablation",
    "11": "learning-rate schedule, slanted triangular, discriminative fine-tuning, "
    "gradual unfreezing, parameter groups, concat pooling, BPT3C",
    "12": "masked language model, cloze, deeply bidirectional, Transformer encoder, "
    "position embedding, segment embedding, sinusoidal, product of experts, "
    "next-sentence prediction, task head",
    "13": "self-attention, scaled dot-product attention, cross-attention, "
    "multi-head attention, feed-forward layer, layer normalisation, post-norm, pre-norm, "
    "encoder-only, decoder-only, autoregressive, causal mask",
    "14": "head, body, initialisation, warm-up, AdamW, weight decay, feature extraction, prior, "
    "posterior, maximum a posteriori, L2-SP, regularisation",
    "15": "data leakage, cross-validation, paired difference, bootstrap, confidence interval, "
    "EM, co-training, statistical power",
}
"""A lesson's terms, in no order. What several lessons use stands with the first of them."""

TERMS = [
    (term, number) for number, terms in TAUGHT_IN.items() for term in terms.lower().split(", ")
]
every_term = pytest.mark.parametrize(("term", "number"), TERMS, ids=[term for term, _ in TERMS])


@cache
def prose(number: str) -> str:
    """What a learner reads in a lesson's markdown cells, in lower case, with its bold marks."""
    (source,) = ROOT.glob(f"solutions/{number}_*/*.py")
    cells = re.split(r"^# %%", for_learners(source), flags=re.MULTILINE)[1:]
    read = [cell for cell in cells if cell.startswith(" [markdown]") and "instructor=" not in cell]
    bodies = [cell.partition("\n")[2] for cell in read]
    return "\n".join(re.sub(r"^# ?", "", body, flags=re.MULTILINE) for body in bodies).lower()


def introductions(term: str, text: str) -> list[int]:
    """Where a text has the term in bold: the ends of those places."""
    return [found.end() for found in re.finditer(rf"\*\*{re.escape(term)}s?[.:]?\*\*", text)]


@every_term
def test_one_lesson_introduces_the_term_and_goes_on_with_it(term: str, number: str) -> None:
    lessons = [path.name[:2] for path in sorted(ROOT.glob("solutions/??_*"))]
    found = [(n, end) for n in lessons for end in introductions(term, prose(n))]
    assert [n for n, _ in found] == [number]
    assert term in plain(prose(number)[found[0][1] :]), "is never used after its introduction"


@every_term
def test_glossary_and_index_of_concepts_have_the_term(term: str, number: str) -> None:
    glossary = {
        name for words, n, _ in ENTRIES if n == number for name in words.lower().split(", ")
    }
    assert term in glossary
    rows = rows_of((ROOT / "CONCEPTS.md").read_text("utf-8"))
    pointing = [row for row in rows if number in dict(row.places)]
    assert any(term in word for row in pointing for word in (row.idea, *row.words))


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("a **net** holds", 1),
        ("two **nets**, and a net", 1),
        ("**net:** a **net**", 2),
        ("a net, a **network**, a **safety net**", 0),
    ],
)
def test_only_the_whole_term_in_bold_introduces_it(text: str, times: int) -> None:
    assert len(introductions("net", text)) == times
