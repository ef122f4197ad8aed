"""``python -m course.from_characters.experiments neighbours``: a character CNN beside its controls.

The token layer of the course checkpoint beside four controls that are asked the same: the same
network with its starting weights, fastText on the checkpoint's own text, and spelling alone, read
as letters to change and as the longest common ending.
"""

from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from course.baselines.untrained import untrained_like
from course.command import Prepared, Result, run_experiments
from course.from_characters.affixes import AFFIXES, VECTORS, affixes_and_vectors, chosen_on_dev
from course.from_characters.spellings import meaning_or_letters, misspelt_words
from course.from_characters.word_similarity import (
    Closeness,
    Encode,
    Table,
    by_ending,
    by_letters,
    by_vectors,
    common_endings,
    finds_meant,
    lower_case_first,
    nearest,
    prefers_meaning,
    reader,
    remembered,
    same_class,
    whitened,
)
from course.results.accuracy import share
from course.results.stored import stored_result
from elmo_mini import corpora
from elmo_mini.checkpoints.official import official_weights
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT, load_pretrained
from elmo_mini.extras import brought_by
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.models import elmo as plain
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.pretraining.sources import course_text

with brought_by("experiments"):
    from gensim.models import FastText

FREQUENT, DRAWN, MORE, RIVALS, LAST = 100, 500, 2_000, 5, 4
TRAINED, UNTRAINED, FASTTEXT, LETTERS, ENDING, UNTRAINED_LAST = (
    "layer 0 of the checkpoint",
    "the same, untrained",
    "fastText, same text",
    "letters to change",
    "longest common ending",
    "the same, untrained, last four letters",
)
LOWER_CASE = f"{ENDING}, lower case first"


def encoder(weights: plain.Weights) -> Closeness:
    """Words by the cosine of their vectors at the token layer."""
    return by_vectors(reader(plain.CharCNN(weights)))


def untrained(bilm: FastBiLM, seed: int) -> Closeness:
    """The token layer as it was before training."""
    return encoder(untrained_weights(bilm, seed))


def untrained_weights(bilm: FastBiLM, seed: int = 0) -> dict[str, Tensor]:
    """The weights that a model of these sizes starts with, under the official names."""
    return official_weights(untrained_like(bilm, seed))


def last_letters(weights: plain.Weights) -> Encode:
    """Vectors of the token layer that is shown nothing of a word but its last four letters."""
    encode = remembered(reader(plain.CharCNN(weights)))
    return lambda words: encode([word[-LAST:] for word in words])


def fasttext(text: list[list[str]], seed: int) -> Closeness:
    """fastText with as many numbers a word, and about as many words read, as the checkpoint."""
    model = FastText(
        text,
        vector_size=256,
        window=5,
        min_count=5,
        sg=1,
        alpha=0.05,
        epochs=3,
        bucket=200_000,
        ns_exponent=0.5,
        sample=1e-4,
        seed=seed,
        workers=1,
    )
    return by_vectors(lambda words: np.stack([model.wv.get_vector(word) for word in words]))


def neighbours(seeds: list[int]) -> tuple[str, Result]:
    """Misspelt words, classes of words and false friends; intervals over words and seeds."""
    text = list(course_text())
    counts = Counter(word for sentence in text for word in sentence)
    known = known_words()
    classes = word_classes()
    tagged = [word for word in known if word in classes]
    rng = np.random.default_rng(0)
    plain_words = _plain(classes)
    unseen = _draw(_never_read(classes, counts), rng)
    frequent = _draw([w for w in plain_words if counts[w] >= FREQUENT and w in known], rng)
    ours = sorted(set(plain_words).intersection(known))
    any_word = _beside_any_word(ours, classes, counts)
    ask: dict[str, Callable[[Closeness], NDArray[np.float64]]] = {
        "misspelt": lambda c: finds_meant(c, misspelt_words(), known),
        "meaning or letters": lambda c: prefers_meaning(c, meaning_or_letters()),
        "meaning or any word": lambda c: prefers_meaning(c, any_word).reshape(-1, RIVALS).mean(1),
        "class of unseen words": lambda c: same_class(c, unseen, tagged, classes),
        "class of frequent words": lambda c: same_class(c, frequent, tagged, classes),
    }
    bilm = load_pretrained()
    makers: dict[str, list[Callable[[], Closeness]]] = {
        TRAINED: [lambda: encoder(official_weights(bilm))],
        UNTRAINED: [partial(untrained, bilm, seed) for seed in seeds],
        FASTTEXT: [partial(fasttext, text, seed) for seed in seeds],
        LETTERS: [lambda: by_letters],
        ENDING: [lambda: by_ending],
    }
    outcome: dict[str, dict[str, NDArray[np.float64]]] = defaultdict(dict)
    for name, make in makers.items():
        readers = [maker() for maker in make]
        for question, answers in ask.items():
            outcome[question][name] = np.stack([answers(reader) for reader in readers])
            print(question, name, outcome[question][name].mean(1), flush=True)
    rows: Result = {}
    for question, by in outcome.items():
        rows[question] = {
            "words": by[TRAINED].shape[1],
            "share": {name: share(values) for name, values in by.items()},
            "checkpoint ahead of": {
                name: share(by[TRAINED] - values) for name, values in by.items() if name != TRAINED
            },
        }
    for question, words in (("unseen", unseen), ("frequent", frequent)):
        most = Counter(classes[word] for word in words).most_common(1)[0]
        rows[f"class of {question} words"]["commonest class"] = most[0]
        rows[f"class of {question} words"]["its share"] = most[1] / len(words)
        rows[f"class of {question} words"]["drawn"] = words
    slips = misspelt_words()
    places = nearest(by_letters, [slip for slip, _ in slips], known, 1)[:, 0]
    commoner = [known[i] == meant for i, (_, meant) in zip(places, slips, strict=True)]
    rows["misspelt"]["letters to change, the commoner of equals"] = float(np.mean(commoner))
    rows["misspelt"]["occur in the checkpoint's text"] = sum(slip in counts for slip, _ in slips)
    rows["meaning or any word"]["drawn"] = [list(triple) for triple in any_word]
    title = "Neighbours of words at the token layer, beside untrained, fastText and spelling"
    return title, rows | {"interval": "95 %, bootstrap over words and seeds"}


def endings(seeds: list[int]) -> tuple[str, Result]:
    """Classes of unseen words by encoders that see all of a word or its end, each whitened, too.

    What the trained one is ahead of an untrained one that looks at the end is more than knowing
    where to look. Beside them stands the ending, as sharp as a few lines make it: how it was
    sharpened was chosen on other words, and 2,000 more are asked about.
    """
    classes, task = word_classes(), same_classes()
    assert task is not None, "word_classes() has raised where Brown is not here"
    asked = partial(same_class, words=task.unseen, candidates=task.known, classes=classes)
    others, more = other_unseen(classes, task.unseen)
    bilm = load_pretrained()
    nets = [untrained_weights(bilm, seed) for seed in seeds]
    encoders: dict[str, list[Encode]] = {
        TRAINED: [remembered(reader(plain.CharCNN(official_weights(bilm))))],
        UNTRAINED: [remembered(reader(plain.CharCNN(net))) for net in nets],
        UNTRAINED_LAST: [last_letters(net) for net in nets],
    }
    plainly = {
        name: np.stack([asked(by_vectors(encode)) for encode in each])
        for name, each in encoders.items()
    }
    sharp = lower_case_first(common_endings)
    plainly[LOWER_CASE] = asked(sharp)[None]
    white = {
        name: np.stack([asked(by_vectors(whitened(e, task.known))) for e in each])
        for name, each in encoders.items()
    }
    print({name: rows.mean() for name, rows in plainly.items()}, flush=True)
    tried = {
        "as it is": common_endings,
        "lower case first": sharp,
        f"the same, at most {LAST} letters": lower_case_first(_at_most_four),
    }
    of_more = [
        same_class(closeness, more, task.known, classes)
        for closeness in (by_vectors(*encoders[TRAINED]), sharp)
    ]
    return (
        "Classes of unseen words: the token layer, untrained ones, and the ending",
        {
            "words": len(task.unseen),
            "share": {name: share(rows) for name, rows in plainly.items()},
            "whitened": {name: share(rows) for name, rows in white.items()},
            "checkpoint ahead of": {
                name: share(plainly[TRAINED] - rows)
                for name, rows in plainly.items()
                if name != TRAINED
            },
            "whitened checkpoint ahead of": {
                name: share(white[TRAINED] - rows)
                for name, rows in white.items()
                if name != TRAINED
            },
            f"{ENDING}, tried on {len(others)} other words": {
                name: float(same_class(closeness, others, task.known, classes).mean())
                for name, closeness in tried.items()
            },
            f"checkpoint ahead of {LOWER_CASE}, {len(more)} more words": share(
                of_more[0] - of_more[1]
            ),
            "interval": "95 %, bootstrap over words and seeds",
        },
    )


def _at_most_four(words: Sequence[str], candidates: Sequence[str]) -> Table:
    return np.minimum(common_endings(words, candidates), LAST)


def labels(seeds: list[int]) -> tuple[str, Result]:
    """Classes of unseen words by a reader that is told those of the known words.

    A logistic regression reads layer 0 or a list of affixes; its penalty is chosen on other words.
    Nothing is drawn, so no seed counts.
    """
    classes, task = word_classes(), same_classes()
    assert task is not None, "word_classes() has raised where Brown is not here"
    others, more = other_unseen(classes, task.unseen)
    words = (task.known, others, [*task.unseen, *more])
    encode = reader(plain.CharCNN(official_weights(load_pretrained())))
    right, penalties = {}, {}
    for name, rows in affixes_and_vectors(encode, words).items():
        labelled = [
            (of, np.array([classes[word] for word in part]))
            for of, part in zip(rows, words, strict=True)
        ]
        right[name], penalties[name] = chosen_on_dev(*labelled)
        print(name, penalties[name], right[name].mean(), flush=True)
    first = len(task.unseen)
    ahead = right[AFFIXES] - right[VECTORS]
    return "Classes of unseen words, learnt from those of the known: layer 0, and affixes", {
        "words": {"labelled": len(task.known), "to choose on": len(others), "asked": first},
        "share": {name: share(rows[:first]) for name, rows in right.items()},
        "affixes ahead of layer 0": share(ahead[:first]),
        f"share of {len(more)} more words": {n: share(rows[first:]) for n, rows in right.items()},
        f"affixes ahead of layer 0, {len(more)} more words": share(ahead[first:]),
        "scikit-learn's C, and the share on the words to choose on": penalties,
        "interval": "95 %, bootstrap over words",
    }


def known_words() -> list[str]:
    """The 16,000 words of the course checkpoint's softmax, the commonest first."""
    return list(Vocabulary.load(COURSE_CHECKPOINT.with_name("vocabulary.json")).words[3:])


def word_classes() -> dict[str, str]:
    """The commonest tag of each word of Brown, without its marks for headlines and titles."""
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in corpora.load("brown").tagged_sentences():
        for word, tag in sentence:
            tags[word][tag.split("-")[0]] += 1
    return {word: seen.most_common(1)[0][0] for word, seen in tags.items()}


def _plain(classes: dict[str, str]) -> list[str]:
    return sorted(word for word in classes if word.isalpha() and word.islower())


def _never_read(classes: dict[str, str], counts: Counter[str]) -> list[str]:
    return [word for word in _plain(classes) if word not in counts and len(word) > 4]


def other_unseen(classes: dict[str, str], unseen: list[str]) -> tuple[list[str], list[str]]:
    """500 words to choose a reader's settings on, and 2,000 more: none of `unseen`, all like it."""
    counts = Counter(word for sentence in course_text() for word in sentence)
    left = [word for word in _never_read(classes, counts) if word not in set(unseen)]
    drawn = np.random.default_rng(1).permutation(left)[: DRAWN + MORE].tolist()
    return drawn[:DRAWN], drawn[DRAWN:]


def _draw(words: list[str], rng: np.random.Generator) -> list[str]:
    return [words[i] for i in rng.permutation(len(words))[:DRAWN]]


def _beside_any_word(
    words: Sequence[str], classes: dict[str, str], counts: Counter[str]
) -> list[tuple[str, str, str]]:
    """Each word, its like in meaning, and another of that one's class, length and frequency.

    The third is drawn, `RIVALS` times for each word that has so many to draw from.
    """
    rng, triples = np.random.default_rng(1), []
    for word, meaning, letters in meaning_or_letters():
        rivals = [
            w
            for w in words
            if w not in (word, meaning, letters)
            and classes[w] == classes.get(meaning)
            and abs(len(w) - len(meaning)) <= 1
            and 0.5 < counts[w] / counts[meaning] < 2
        ]
        if len(rivals) >= RIVALS:
            drawn = rng.choice(rivals, RIVALS, replace=False)
            triples += [(word, meaning, str(rival)) for rival in drawn]
    return triples


@dataclass(frozen=True)
class WordClasses:
    """Unseen words, known words, and which pairs are of one class.

    Attributes
    ----------
    unseen : 500 words that do not occur in the checkpoint's text
    known : (N,) words of its vocabulary that Brown has tagged
    same : (500, N) whether an unseen and a known word have the same commonest tag
    """

    unseen: list[str]
    known: list[str]
    same: NDArray[np.bool_]


def same_classes() -> WordClasses | None:
    """The task on grammar; None, and a sentence printed, where Brown's tags are not here."""
    try:
        classes = word_classes()
    except corpora.CorpusMissing:
        print("The Brown corpus is not here. These are stored numbers, of the course's own parts.")
        return None
    unseen = stored_result("characters_neighbours").numbers["class of unseen words"]["drawn"]
    known = [word for word in known_words() if word in classes]
    tags = [np.array([classes[word] for word in words]) for words in (unseen, known)]
    return WordClasses(unseen, known, tags[0][:, None] == tags[1])


def stored_grammar() -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """The stored shares of a class by reader, and the checkpoint's lead over the common ending."""
    stored = stored_result("characters_endings").numbers
    return stored["share"], stored["checkpoint ahead of"][LOWER_CASE]


def ordinary_rivals() -> list[tuple[str, str, str]]:
    """Words with their likes in meaning, and five ordinary words each against these."""
    drawn = stored_result("characters_neighbours").numbers["meaning or any word"]["drawn"]
    return [(word, meaning, rival) for word, meaning, rival in drawn]


def stored_fasttext() -> list[dict[str, float]]:
    """How often fastText on the same text prefers meaning: to ordinary words, and look-alikes."""
    stored = stored_result("characters_neighbours").numbers
    return [
        stored[question]["share"][FASTTEXT]
        for question in ("meaning or any word", "meaning or letters")
    ]


def _prepare(args: Namespace) -> Prepared:
    return (args.seeds,), {}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    return run_experiments(
        "from_characters.experiments",
        "characters_",
        __doc__,
        {"neighbours": neighbours, "endings": endings, "labels": labels},
        _prepare,
        argv,
        seeds=3,
    )


if __name__ == "__main__":
    raise SystemExit(main())
