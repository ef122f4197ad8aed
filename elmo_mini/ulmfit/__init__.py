"""ULMFiT's stages on real tasks: vocabulary, text, classifier (`elmo_mini.models.ulmfit`).

Howard & Ruder 2018 (ACL, arXiv:1801.06146). Stage 1 is a checkpoint of `elmo_mini.awd_lstm`.
"""
