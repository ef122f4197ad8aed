"""ELMo (lesson 08): the mix of the layers, the module, the embedder, AllenNLP's weights."""

from elmo_mini.elmo.allennlp import load_allennlp_state
from elmo_mini.elmo.embedder import ElmoEmbedder
from elmo_mini.elmo.module import Elmo, batch_to_ids
from elmo_mini.elmo.scalar_mix import ScalarMix

__all__ = ["Elmo", "ElmoEmbedder", "ScalarMix", "batch_to_ids", "load_allennlp_state"]
