"""What a masked language model says about itself: its model card."""

from typing import Any

import torch

from elmo_mini.training.card import page


def model_card(record: dict[str, Any]) -> str:
    """The record of a run as a page to read."""
    validation, threads = record["validation"], record["threads"]
    cores = "" if record["device"][:3] != "CPU" else "one core on " if threads == 1 else "the "
    return page(
        record,
        "A masked language model",
        f"A BERT in small (Devlin et al., 2019) with {record['weights']:,} weights: "
        f"{record['layers']} blocks of {record['dim']} numbers and {record['heads']} heads, "
        f"{record['longest']} places, whole words in lower case, a vocabulary of "
        f"{record['words']:,}, no dropout. `model.safetensors` holds it in float16, with its "
        "words and its softmax. Load it with `elmo_mini.transformer.files.load_masked_lm`.",
        "Sentences left out stand in a text on which the course measures models. One sentence "
        "in fifty was held out for validation.",
        [
            f"{record['step']:,} steps of {record['batch_size']} pairs of sentences, "
            f"{record['words_read']:,} tokens with [CLS] and [SEP]; "
            f"{record['chosen']:.0%} of the words were asked for, and one half of the second "
            "sentences was drawn at random",
            f"{record['seconds'] / 60:.0f} minutes of {cores}{record['device']}",
        ],
        (
            "Validation",
            f"{validation['nats']:.3f} nats for each hidden word (perplexity "
            f"{torch.tensor(validation['nats'], dtype=torch.float64).exp():.1f}), "
            f"{validation['pairs']:.1%} of the pairs judged right. A perplexity with both sides "
            "in sight does not compare with a language model's.",
        ),
    )
