"""elmo_mini: the road from word2vec to ELMo, one room per idea in the order of the lessons.

What programs need is here under its own name, loaded when it is first asked for::

    from elmo_mini import ElmoEmbedder, load_pretrained

    vectors = ElmoEmbedder(module=load_pretrained()).embed_sentence(["She", "plays"])
"""

from elmo_mini._version import __version__

TYPE_CHECKING = False  # what type checkers take for True; typing itself takes longer than all this

if TYPE_CHECKING:
    from elmo_mini.bilm.model import BiLM
    from elmo_mini.bilm.options import BiLMOptions
    from elmo_mini.characters.ids import remove_sentence_boundaries
    from elmo_mini.checkpoints.official import load_bilm, save_bilm
    from elmo_mini.checkpoints.pretrained import load_pretrained, save_pretrained
    from elmo_mini.elmo.allennlp import load_allennlp_state
    from elmo_mini.elmo.embedder import ElmoEmbedder
    from elmo_mini.elmo.module import Elmo, batch_to_ids
    from elmo_mini.elmo.scalar_mix import ScalarMix
    from elmo_mini.probing.probe import probe
    from elmo_mini.tagging.tagger import Tagger
    from elmo_mini.vectors.cache import VectorCache
    from elmo_mini.vectors.embed_file import embed_file
    from elmo_mini.word_vectors.glove import Glove
    from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

__all__ = [
    "BiLM",
    "BiLMOptions",
    "Elmo",
    "ElmoEmbedder",
    "Glove",
    "ScalarMix",
    "Tagger",
    "VectorCache",
    "Word2Vec",
    "__version__",
    "batch_to_ids",
    "embed_file",
    "load_allennlp_state",
    "load_bilm",
    "load_pretrained",
    "probe",
    "remove_sentence_boundaries",
    "save_bilm",
    "save_pretrained",
]

# Loaded on demand (PEP 562): `import elmo_mini` needs no torch, which takes two seconds.
_HOMES = {
    "BiLM": "bilm.model",
    "BiLMOptions": "bilm.options",
    "Elmo": "elmo.module",
    "ElmoEmbedder": "elmo.embedder",
    "Glove": "word_vectors.glove",
    "ScalarMix": "elmo.scalar_mix",
    "Tagger": "tagging.tagger",
    "VectorCache": "vectors.cache",
    "Word2Vec": "word_vectors.word2vec_trainer",
    "batch_to_ids": "elmo.module",
    "embed_file": "vectors.embed_file",
    "load_allennlp_state": "elmo.allennlp",
    "load_bilm": "checkpoints.official",
    "load_pretrained": "checkpoints.pretrained",
    "probe": "probing.probe",
    "remove_sentence_boundaries": "characters.ids",
    "save_bilm": "checkpoints.official",
    "save_pretrained": "checkpoints.pretrained",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'elmo_mini' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"elmo_mini.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
