"""``python -m course.why_bert.speeches``: a small model that writes like a president.

Trains the blocks of lesson 13, looking back only, on the State of the Union addresses (1945 to
2006, public domain), and writes the file that the lesson loads, with its model card.
"""

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from course.baselines.kneser_ney import KneserNey
from elmo_mini import corpora
from elmo_mini.records import machine
from elmo_mini.recurrent.training import clipped_step, evaluating
from elmo_mini.text.running_text import next_word_windows, stream_rows, text_stream, word_vocabulary
from elmo_mini.transformer.causal_lm import CausalLM
from elmo_mini.transformer.causal_lm_file import COURSE_CHECKPOINT, save_causal_lm
from elmo_mini.transformer.training import rate

CORPUS, WORDS = "state_union", 4_000
DIM, HEADS, LAYERS, LONGEST = 96, 4, 3, 32
SIZES = {"dim": DIM, "heads": HEADS, "layers": LAYERS, "longest": LONGEST}
ROWS, HIGHEST, EVERY = 32, 3e-3, 100


def main(argv: Sequence[str] | None = None) -> int:
    """Train, measure on held-out addresses, and write file and card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--output", type=Path, default=COURSE_CHECKPOINT.parent)
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    text = corpora.load(CORPUS)
    train, dev = (list(text.split(part).sentences(lower=True)) for part in ("train", "dev"))
    vocabulary = word_vocabulary(train, max_size=WORDS)
    stream, held_out = text_stream(train, vocabulary), text_stream(dev, vocabulary)
    model = CausalLM(len(vocabulary), DIM, HEADS, LAYERS, LONGEST)
    begun = time.process_time()
    fit(model, stream, options.epochs)
    minutes = (time.process_time() - begun) / 60
    found = perplexity_of(model, held_out)
    counts = KneserNey(stream.tolist(), len(vocabulary), 2).perplexity(held_out.tolist())
    options.output.mkdir(parents=True, exist_ok=True)
    record = {"corpus": CORPUS, "epochs": options.epochs, "perplexity": found, "pairs": counts}
    save_causal_lm(model, SIZES, vocabulary, options.output / "model.safetensors", record)
    unknown = float((held_out == vocabulary.id("<unk>")).double().mean())
    weights = sum(part.numel() for part in model.parameters())
    about = (
        f"{weights:,} weights: {LAYERS} blocks that look back, {DIM} numbers, "
        f"{HEADS} heads, {LONGEST} places, words in lower case, a vocabulary of "
        f"{len(vocabulary):,}. `model.safetensors` holds it in float16. Load it with "
        "`elmo_mini.transformer.causal_lm_file.load_causal_lm`."
    )
    read = (
        "State of the Union addresses, 1945 to 2006 (NLTK's `state_union`), the train part: "
        f"{len(stream):,} tokens with sentence ends. Public domain."
    )
    took = (
        f"{options.epochs} epochs, {minutes:.1f} minutes of one core on {machine()}, "
        f"torch {torch.__version__}"
    )
    judged = (
        f"Perplexity {found:.1f} on held-out addresses; counts of pairs, smoothed after Kneser and "
        f"Ney, {counts:.1f}. Of the held-out tokens {unknown:.1%} count as one unknown word. "
        "Perplexities at other vocabularies or on other texts do not compare."
    )
    command = f"    python -m course.why_bert.speeches --epochs {options.epochs}"
    card = "\n\n".join(
        [
            "# A model of the next word",
            about,
            "## Text",
            read,
            "## Training",
            took,
            command,
            "## Validation",
            f"{judged}\n",
        ]
    )
    (options.output / "README.md").write_text(card, encoding="utf-8")
    print(f"perplexity {found:.1f}, pairs {counts:.1f}; {minutes:.1f} minutes")
    return 0


def fit(model: CausalLM, stream: Tensor, epochs: int) -> None:
    """Read running text (N,) in windows of the model's length; each epoch begins elsewhere."""
    steps = epochs * (len(stream) // ROWS // LONGEST)
    optimizer = torch.optim.Adam(model.parameters(), lr=HIGHEST, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: rate(min(n, steps), steps))
    model.train()
    for step, (inputs, targets) in enumerate(_windows(stream, steps)):
        loss = functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        clipped_step(model, optimizer, loss)
        schedule.step()
        if step % EVERY == 0:
            print(f"{step:,} of {steps:,}: {loss.item():.3f} nats", flush=True)
    model.eval()


def _windows(stream: Tensor, steps: int) -> Iterator[tuple[Tensor, Tensor]]:
    done = 0
    while True:
        windows = next_word_windows(stream_rows(stream[7 * done :], ROWS), LONGEST)
        order = torch.randperm(len(windows)).tolist()
        for place in order:
            if done == steps:
                return
            yield windows[place]
            done += 1


def perplexity_of(model: CausalLM, stream: Tensor) -> float:
    """On running text, each word with what stands before it in its window."""
    windows = next_word_windows(stream_rows(stream, ROWS), LONGEST)
    with evaluating(model):
        nats = [
            float(functional.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum"))
            for x, y in windows
        ]
    return math.exp(sum(nats) / sum(y.numel() for _, y in windows))


if __name__ == "__main__":
    raise SystemExit(main())
