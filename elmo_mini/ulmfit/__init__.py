"""ULMFiT: a pretrained language model, fine-tuned on a task's text and then on its labels.

Howard & Ruder 2018 (ACL, arXiv:1801.06146). Stage 1 is a checkpoint of `elmo_mini.awd_lstm`.
"""
