"""``python -m course.bilm_from_scratch.course_softmax``: gives the course's biLM a voice.

Trains a softmax of both directions on the frozen top states, over a part of the texts that the
biLM has read, and writes the small file that lesson 07 loads, with its card.
"""

import argparse
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from course.bilm_from_scratch.quantised_softmax import (
    COURSE_SOFTMAX,
    course_softmax,
    most_frequent,
    save_softmax,
)
from elmo_mini.arguments import whole_number
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.token_cache import TokenCache
from elmo_mini.pretraining.sources import course_sources, evaluation_sentences, pack
from elmo_mini.pretraining.streams import PackedText
from elmo_mini.pretraining.text import hold_out
from elmo_mini.records import machine
from elmo_mini.text.character_ids import batch_to_ids
from elmo_mini.text.sentences import BOS_TOKEN, EOS_TOKEN
from elmo_mini.text.vocabulary import Vocabulary

BATCH, DRAWN, HIGHEST, EVERY = 64, 1024, 4e-3, 50
LONGEST = 60
States = tuple[Tensor, Tensor]
"""Top states (N, H) of either direction, and the words that they are asked for, (N,)."""


def main(argv: Sequence[str] | None = None) -> int:
    """Train, measure on held-out text as it will be kept, and write file and card."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--vocabulary", type=whole_number(4, 16_000), default=5_000)
    add("--words", type=whole_number(1_000, 4_000_000), default=150_000, help="of text")
    add("--epochs", type=whole_number(1, 100), default=2)
    add("--output", type=Path, default=COURSE_SOFTMAX)
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    begun = time.process_time()
    train, held = hold_out(pack(course_sources(), evaluation_sentences()))
    bilm, vocabulary = load_pretrained(), most_frequent(options.vocabulary)
    learn = read(bilm, _some(train, options.words), vocabulary)
    judge = read(bilm, _some(held, 20_000), vocabulary)
    print(f"{len(learn[1]):,} bets to learn from, {len(judge[1]):,} held out", flush=True)
    softmax = fit(learn, vocabulary, options.epochs)
    minutes = (time.process_time() - begun) / 60
    record = {"words": options.words, "epochs": options.epochs}
    save_softmax(options.output, softmax.weight.detach(), softmax.bias.detach(), record)
    kept = course_softmax(options.output)
    found = perplexity(kept.weight, kept.bias, judge)
    whole = perplexity(softmax.weight, softmax.bias, judge)
    unknown = float((judge[1] == vocabulary.id(str(vocabulary.unknown))).double().mean())
    size = options.output.stat().st_size / 1e6
    card = (
        "# A voice for the biLM\n\n"
        f"A softmax of both directions over the {options.vocabulary:,} most frequent words of "
        "`vocabulary.json`, for the frozen top states of `model.safetensors`. It is not the one "
        f"that the biLM was trained with. `softmax.safetensors` ({size:.1f} MB) holds it in eight "
        "bits a number, with a scale for each word. Load it with "
        "`course.bilm_from_scratch.quantised_softmax.course_softmax`.\n\n"
        f"Trained on {options.words:,} words of the same texts, {options.epochs} epochs, "
        f"{minutes:.1f} minutes of one core on {machine()}, torch {torch.__version__}\n\n"
        "    python -m course.bilm_from_scratch.course_softmax "
        f"--vocabulary {options.vocabulary} --words {options.words} --epochs {options.epochs}\n\n"
        f"Perplexity {found:.1f} on held-out sentences, each read alone; {whole:.1f} before the "
        f"numbers were cut to eight bits. Of the held-out words {unknown:.1%} count as one unknown "
        "word. Perplexities at other vocabularies or on other texts do not compare.\n"
    )
    options.output.with_name("softmax.md").write_text(card, encoding="utf-8")
    print(f"perplexity {found:.1f}, {whole:.1f} in full; {minutes:.1f} minutes")
    return 0


def _some(text: PackedText, words: int) -> list[list[str]]:
    """Sentences from all over the text, so many words in all."""
    order = torch.randperm(len(text), generator=torch.Generator().manual_seed(0)).tolist()
    kept, seen = [], 0
    for number in order:
        start, end = int(text.starts[number]), int(text.starts[number + 1])
        sentence = [text.types[i] for i in text.tokens[start:end]]
        sentence = [word for word in sentence if word not in (BOS_TOKEN, EOS_TOKEN)]
        if not 0 < len(sentence) <= LONGEST:
            continue
        kept.append(sentence)
        seen += len(sentence)
        if seen >= words:
            break
    return kept


@torch.no_grad()
def read(bilm: FastBiLM, sentences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> States:
    """The top states, as float16, and what they are asked, boundaries included."""
    cache = TokenCache(bilm.token_encoder, 50_000)
    states, asked = [], []
    for rows in _batches(sorted(sentences, key=len)):
        output = bilm(batch_to_ids(rows), token_cache=cache)
        ahead, behind = output["activations"][-1].half().chunk(2, -1)
        for row, sentence in enumerate(rows):
            words = torch.tensor(vocabulary.encode([BOS_TOKEN, *sentence, EOS_TOKEN]))
            last = len(words) - 1
            states += [ahead[row, :last].clone(), behind[row, 1 : last + 1].clone()]
            asked += [words[1:], words[:-1]]
    return torch.cat(states), torch.cat(asked)


def _batches(sentences: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    rest = iter(sentences)
    while rows := list(islice(rest, BATCH)):
        yield rows


def fit(learn: States, vocabulary: Vocabulary, epochs: int) -> nn.Linear:
    """Start from the counts of words, and let the states add to them."""
    states, asked = learn
    softmax = nn.Linear(states.shape[1], len(vocabulary))
    with torch.no_grad():
        softmax.weight.zero_()
        counts = torch.bincount(asked, minlength=len(vocabulary))
        softmax.bias.copy_((counts + 0.5).log())
    steps = epochs * (len(asked) // DRAWN)
    optimizer = torch.optim.Adam(softmax.parameters(), lr=HIGHEST)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 1 - min(n, steps - 1) / steps)
    done = 0
    for _ in range(epochs):
        for drawn in torch.randperm(len(asked)).split(DRAWN)[:-1]:
            with torch.autocast("cpu", torch.bfloat16):
                scores = softmax(states[drawn].float())
            loss = functional.cross_entropy(scores.float(), asked[drawn])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            if done % EVERY == 0:
                print(f"{done:,} of {steps:,}: {loss.item():.3f} nats", flush=True)
            done += 1
    return softmax


@torch.no_grad()
def perplexity(weight: Tensor, bias: Tensor, judge: States) -> float:
    """Of both directions, over all words."""
    nats = [
        functional.cross_entropy(states.float() @ weight.T + bias, asked, reduction="sum")
        for states, asked in zip(*(part.split(DRAWN) for part in judge), strict=True)
    ]
    return float((torch.stack(nats).sum() / len(judge[1])).exp())


if __name__ == "__main__":
    raise SystemExit(main())
