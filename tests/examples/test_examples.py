"""The programs in examples/ do what docs/package.md says of them."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from elmo_mini import ElmoEmbedder
from elmo_mini.errors import ConfigurationError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class _Table(dict[str, int]):
    """As pandas' data frame: a loop over it sees the names of its columns."""

    ndim = 2


WORDS = ["She", "plays", "the", "violin", "."]


def test_the_transformer_stands_in_a_pipeline(tmp_path: Path) -> None:
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    ElmoEmbedder().save_pretrained(tmp_path)
    kind = runpy.run_path(str(EXAMPLES / "sklearn_transformer.py"))["ElmoVectors"]
    texts = [" ".join(WORDS), "", "A dull film.", "A fine film."]
    features = clone(kind(folder=str(tmp_path), layer=1)).fit(texts).transform(texts)
    assert features.shape == (4, 512)
    np.testing.assert_allclose(
        features[0], ElmoEmbedder().embed_sentence(WORDS)[1].mean(0), atol=1e-5
    )
    assert not features[1].any()
    said = make_pipeline(kind(), LogisticRegression()).fit(texts, [1, 0, 0, 1]).predict(texts)
    assert said.tolist() == [1, 0, 0, 1]


def test_the_transformer_refuses_what_is_no_list_of_texts() -> None:
    from sklearn.exceptions import NotFittedError

    kind = runpy.run_path(str(EXAMPLES / "sklearn_transformer.py"))["ElmoVectors"]
    with pytest.raises(NotFittedError):
        kind().transform(["a"])
    with pytest.raises(ValueError, match="layer is 3, and the model has layers 0 to 2"):
        kind(layer=3).fit(["a"])
    with pytest.raises(ConfigurationError, match="this one is empty"):  # an unset variable
        kind(folder="").fit(["a"])
    fitted = kind().fit(["a"])
    with pytest.raises(ValueError, match="texts is one string"):
        fitted.transform("a film")
    with pytest.raises(ValueError, match="or a table"):
        fitted.transform(_Table(a=1))
    with pytest.raises(ValueError, match="text 1 is None, and no string"):
        fitted.transform(["a", None])
    assert len(fitted.get_feature_names_out()) == 512  # what set_output asks for


def test_the_component_gives_spacys_tokens_their_vectors() -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install spacy")
    runpy.run_path(str(EXAMPLES / "spacy_component.py"))
    nlp = spacy.blank("en")
    with pytest.raises(ConfigurationError, match="this one is empty"):  # an unset variable
        spacy.blank("en").add_pipe("elmo", config={"folder": ""})
    nlp.add_pipe("elmo", config={"layer": 2})
    expected = ElmoEmbedder().embed_sentence(WORDS)[2]
    for doc in (nlp(" ".join(WORDS)), *nlp.pipe([" ".join(WORDS), ""])):
        if len(doc):
            np.testing.assert_allclose(doc.tensor, expected, atol=1e-5)
            np.testing.assert_allclose(doc[3].vector, expected[3], atol=1e-5)
            np.testing.assert_allclose(doc[1:3].vector, expected[1:3].mean(0), atol=1e-5)
    doc = nlp(" ".join(WORDS))
    doc.tensor = np.zeros((5, 96))  # as a tok2vec behind it does
    np.testing.assert_allclose(doc[3].vector, expected[3], atol=1e-5)
    np.testing.assert_allclose(doc.vector, expected.mean(0), atol=1e-5)
    assert not doc[1:1].vector.any()


def test_the_component_gives_no_token_the_vector_of_another() -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install spacy")
    runpy.run_path(str(EXAMPLES / "spacy_component.py"))
    nlp = spacy.blank("en")
    nlp.add_pipe("elmo")
    cut, merged = (nlp(" ".join(WORDS)) for _ in range(2))
    cut = cut[1:3].as_doc()
    with merged.retokenize() as change:
        change.merge(merged[0:2])
    for doc in (cut, merged):
        for part in (doc, doc[1], doc[1:2]):
            with pytest.raises(ValueError, match="merged, split or cut out"):
                part.vector  # noqa: B018
        expected = ElmoEmbedder().embed_sentence([token.text for token in doc])[-1]
        np.testing.assert_allclose(nlp.get_pipe("elmo")(doc)[1].vector, expected[1], atol=1e-5)
