"""ELMo as a spaCy component: ``nlp.add_pipe("elmo")``, then ``doc.tensor`` and ``token.vector``."""

from collections.abc import Iterable, Iterator

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
                doc.user_token_hooks["vector"] = lambda token: token.doc.tensor[token.i]
                doc.user_span_hooks["vector"] = lambda span: span.doc.tensor[
                    span.start : span.end
                ].mean(0)
                yield doc


@Language.factory("elmo", default_config={"folder": None, "layer": -1})
def elmo(nlp: Language, name: str, folder: str | None, layer: int) -> ElmoComponent:
    """A component with the model of `folder`, or the course's own."""
    embedder = ElmoEmbedder.from_pretrained(folder) if folder else ElmoEmbedder()
    return ElmoComponent(embedder, layer)
