"""elmo_mini: word2vec to ELMo and masked language models; `elmo_mini.models` has an idea a page.

What programs need is here under its own name, loaded when it is first asked for::

    from elmo_mini import ElmoEmbedder, load_pretrained

    vectors = ElmoEmbedder(module=load_pretrained()).embed_sentence(["She", "plays"])
"""

from elmo_mini._version import __version__

TYPE_CHECKING = False  # what type checkers take for True; typing itself takes longer than all this

if TYPE_CHECKING:
    from elmo_mini.checkpoints.official import load_bilm, save_bilm
    from elmo_mini.checkpoints.pretrained import load_pretrained, save_pretrained
    from elmo_mini.embedding.allennlp import load_allennlp_state
    from elmo_mini.embedding.cache import VectorCache
    from elmo_mini.embedding.elmo import Elmo, batch_to_ids
    from elmo_mini.embedding.embed_file import embed_file
    from elmo_mini.embedding.embedder import ElmoEmbedder
    from elmo_mini.embedding.scalar_mix import AllenNLPScalarMix as ScalarMix
    from elmo_mini.fast.bilm import FastBiLM as BiLM
    from elmo_mini.fast.bilm_options import BiLMOptions
    from elmo_mini.probing.probe import probe
    from elmo_mini.tagging.tagger import Tagger
    from elmo_mini.text.character_ids import remove_sentence_boundaries
    from elmo_mini.word_vectors.glove_trainer import Glove
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
    "BiLM": "fast.bilm.FastBiLM",
    "BiLMOptions": "fast.bilm_options.BiLMOptions",
    "Elmo": "embedding.elmo.Elmo",
    "ElmoEmbedder": "embedding.embedder.ElmoEmbedder",
    "Glove": "word_vectors.glove_trainer.Glove",
    "ScalarMix": "embedding.scalar_mix.AllenNLPScalarMix",
    "Tagger": "tagging.tagger.Tagger",
    "VectorCache": "embedding.cache.VectorCache",
    "Word2Vec": "word_vectors.word2vec_trainer.Word2Vec",
    "batch_to_ids": "embedding.elmo.batch_to_ids",
    "embed_file": "embedding.embed_file.embed_file",
    "load_allennlp_state": "embedding.allennlp.load_allennlp_state",
    "load_bilm": "checkpoints.official.load_bilm",
    "load_pretrained": "checkpoints.pretrained.load_pretrained",
    "probe": "probing.probe.probe",
    "remove_sentence_boundaries": "text.character_ids.remove_sentence_boundaries",
    "save_bilm": "checkpoints.official.save_bilm",
    "save_pretrained": "checkpoints.pretrained.save_pretrained",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'elmo_mini' has no attribute {name!r}")
    import importlib

    module, _, own_name = _HOMES[name].rpartition(".")
    value = getattr(importlib.import_module(f"elmo_mini.{module}"), own_name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
