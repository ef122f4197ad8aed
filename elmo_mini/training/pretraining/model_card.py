"""What a run of pretraining a biLM leaves beside its checkpoint: loss curve, model, model card."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from elmo_mini.checkpoints.pretrained import load_pretrained, read_record, save_pretrained
from elmo_mini.files import write_text
from elmo_mini.training.card import origin, page
from elmo_mini.training.pretraining.run import Pretraining
from elmo_mini.training.pretraining.sources import Source
from elmo_mini.training.pretraining.streams import PackedText
from elmo_mini.training.pretraining.text import unknown_share


def describe(training: Pretraining, text: PackedText, validation: PackedText) -> str:
    """What is to be trained on what, in a few lines."""
    settings, vocabulary = training.settings, training.vocabulary
    weights = sum(p.numel() for p in training.bilm.parameters())
    softmax = sum(p.numel() for p in training.model.softmax.parameters())
    epochs = settings.steps / training.streams.windows_per_epoch
    return (
        f"{len(text.tokens):,} words in {len(text):,} sentences to train on, "
        f"{len(validation.tokens):,} held out; {len(vocabulary):,} words in the softmax, "
        f"{unknown_share(validation, vocabulary):.1%} of the held-out words unknown to it.\n"
        f"{weights:,} weights in the biLM, {softmax:,} in the {settings.softmax} softmax.\n"
        f"{settings.steps:,} steps of {settings.batch_size} x {settings.bptt} tokens: "
        f"{epochs:.2f} epochs, on {training.device}, {training.processes.size} process(es)."
    )


def write_history(training: Pretraining, folder: Path) -> None:
    """``history.json``: the settings and the loss curve."""
    history = asdict(training.history)
    del history["unwritten"]
    content = {
        "settings": training.settings.to_dict(),
        "precision": str(training.precision),
        "seconds": training.seconds,
        **history,
    }
    write_text(folder / "history.json", json.dumps(content, indent=1) + "\n")


def write_model(
    training: Pretraining, folder: Path, sources: Sequence[Source], *, half: bool = False
) -> None:
    """``model.safetensors``, ``vocabulary.json`` and the model card ``README.md``."""
    record = model_record(training, sources, half=half)
    dtype = torch.float16 if half else torch.float32
    save_pretrained(training.bilm, folder / "model.safetensors", record, dtype)
    training.vocabulary.save(folder / "vocabulary.json")
    write_text(folder / "README.md", model_card(record))


def halve(model: Path) -> None:
    """Store a model that a run has left in float16, where it is not, and say so in its card."""
    record = read_record(model)
    if record["stored_as"] != "float16":
        record["stored_as"] = "float16"
        save_pretrained(load_pretrained(model), model, record, torch.float16)
        write_text(model.with_name("README.md"), model_card(record))


def model_record(
    training: Pretraining, sources: Sequence[Source], *, half: bool = False
) -> dict[str, Any]:
    """Where a model comes from, as JSON values."""
    return {
        **origin(training, sources),
        "settings": training.settings.to_dict(),
        "weights": sum(p.numel() for p in training.bilm.parameters()),
        "stored_as": "float16" if half else "float32",
        "tokens_read": training.step * training.tokens_per_step,
        "epochs": round(training.step / training.streams.windows_per_epoch, 2),
        "softmax_words": len(training.vocabulary),
        "unknown_in_validation": unknown_share(training.validation.text, training.vocabulary),
        "validation_words": len(training.validation.text.tokens),
        "validation": training.history.validation[-1] if training.history.validation else {},
    }


def model_card(record: dict[str, Any]) -> str:
    """The record as a page to read."""
    lstm, cnn = record["settings"]["options"]["lstm"], record["settings"]["options"]["char_cnn"]
    perplexity = record["validation"]
    return page(
        record,
        "A bidirectional language model",
        f"An ELMo biLM (Peters et al., 2018) with {record['weights']:,} weights: "
        f"{sum(n for _, n in cnn['filters'])} character filters, {cnn['n_highway']} highway "
        f"layer(s), {lstm['n_layers']} LSTM layers of {lstm['dim']} cells projected to "
        f"{lstm['projection_dim']} dimensions in each direction. `model.safetensors` holds it "
        f"in {record['stored_as']}, without the softmax. Load it with "
        "`elmo_mini.checkpoints.pretrained.load_pretrained`.",
        "Sentences left out stand in a text on which the course measures models. "
        f"{record['validation_words']:,} words were held out of these texts for validation.",
        [
            f"{record['tokens_read']:,} words read by each direction: {record['epochs']} epochs, "
            f"{record['step']:,} steps",
            f"{record['seconds'] / 60:.1f} minutes on {record['device']}, "
            f"{record['processes']} process(es)",
        ],
        (
            "Validation perplexity",
            f"forward {perplexity['forward']:.1f}, backward {perplexity['backward']:.1f}, both "
            f"{perplexity['both']:.1f}, at a vocabulary of {record['softmax_words']:,} words "
            f"with sentence ends; {record['unknown_in_validation']:.1%} of the words count as "
            "one unknown word. Perplexities at other vocabularies or on other texts do not "
            "compare.",
        )
        if perplexity
        else None,
    )
