"""ELMo as a spaCy component: ``nlp.add_pipe("elmo")``, then ``doc.tensor`` and ``token.vector``."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from elmo_mini import ElmoEmbedder


class ElmoComponent:
    """Sets ``doc.tensor``, (tokens, 2 * projection_dim), and the vectors of tokens and spans."""

    def __init__(self, embedder: ElmoEmbedder, layer: int = -1) -> None:
        self.embedder = embedder
        self.layer = layer

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], batch_size: int = 64) -> Iterator[Doc]:
        """Whole batches at once, as ``nlp.pipe`` asks for."""
        for batch in minibatch(docs, batch_size):
            words = [[token.text for token in doc] for doc in batch]
            for doc, layers in zip(batch, self.embedder.embed_batch(words), strict=True):
                doc.tensor = layers[self.layer]
                keep(doc, doc.tensor)
                yield doc


def keep(doc: Doc, vectors: NDArray[np.float32]) -> None:
    """Keep the vectors where other components write `doc.tensor` anew."""
    words = [token.text for token in doc]

    def rows(doc: Doc, start: int, end: int) -> NDArray[np.float32]:
        if len(doc) != len(words) or [t.text for t in doc[start:end]] != words[start:end]:
            raise ValueError(
                "tokens were merged, split or cut out since ELMo has read them; let it read this "
                "doc: nlp.get_pipe('elmo')(doc)"
            )
        return vectors[start:end]

    doc.user_token_hooks["vector"] = lambda token: rows(token.doc, token.i, token.i + 1)[0]
    doc.user_span_hooks["vector"] = lambda span: mean(rows(span.doc, span.start, span.end))
    doc.user_hooks["vector"] = lambda doc: mean(rows(doc, 0, len(doc)))


def mean(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of no word, zeros."""
    return vectors.sum(0) / max(1, len(vectors))


@Language.factory("elmo", default_config={"folder": None, "layer": -1})
def elmo(nlp: Language, name: str, folder: str | None, layer: int) -> ElmoComponent:
    """A component with the model of `folder`, or the course's own."""
    embedder = ElmoEmbedder.from_pretrained(folder) if folder is not None else ElmoEmbedder()
    return ElmoComponent(embedder, layer)
