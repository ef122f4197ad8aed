"""ELMo as programs use it: `Elmo`, `ElmoEmbedder`, AllenNLP's weights, vectors in files."""
