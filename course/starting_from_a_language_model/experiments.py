"""Full-size experiments of lessons 03 and 04.

``python -m course.starting_from_a_language_model.experiments NAME ...``

Each trains its models with several seeds on the corpus of the course that is there (Brown, or
Lee), and stores what came out in ``course/results`` with its seeds and 95 % intervals.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from course.baselines.kneser_ney import KneserNey
from course.command import Prepared, Result, run_experiments
from course.context_enters.mixed_bets import (
    bets_perplexity,
    cache_bets,
    counted_bets,
    network_bets,
    with_cache,
)
from course.context_enters.sense_vote import COUNTED, SenseTask, words_beside
from course.results.intervals import interval
from course.starting_from_a_language_model.broken_translators import broken_translators
from course.starting_from_a_language_model.classifier_experiments import forgetting, pretraining
from course.starting_from_a_language_model.longer_fine_tuning import forgetting_longer
from course.starting_from_a_language_model.telegram_experiments import seq2seq
from course.static_limits.majority_ceiling import majority_ceiling
from course.static_limits.pseudo_word_vectors import context_average, held_out_accuracy
from elmo_mini import corpora
from elmo_mini.models.context2vec import Context2Vec
from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.probing.classifiers import knn
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.tasks.context2vec_use import context_vectors, train_context2vec
from elmo_mini.tasks.language_model_use import (
    Floats,
    hidden_states,
    stream_perplexity,
    train_language_model,
)
from elmo_mini.text.running_text import text_stream, word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import TrainingOptions
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

Occurrence = tuple[Sequence[str], int]

WORDS = 4_000
SIZE = 64
STRETCH = 1_000  # words that an interval over texts draws together
LARGEST_SENSES = 600
BESIDE = "word2vec vectors of the two words beside"
LEADS = (
    ("LSTM at the word", "LSTM at the word, untrained"),
    ("LSTM at the word", "random vectors of the two words beside"),
    ("context2vec", "context2vec, untrained"),
    ("context2vec", "random vectors of the two words beside"),
    ("context2vec", "LSTM at the word"),
)
BESIDE_LEADS = (
    ("context2vec", BESIDE),
    ("context2vec", COUNTED),
    ("LSTM at the word", COUNTED),
)


@dataclass(frozen=True)
class Setting:
    """What an experiment runs on; models that several experiments use are trained once."""

    corpus: str
    seeds: Sequence[int]

    @cached_property
    def train(self) -> list[list[str]]:
        """Sentences of every second document of the train part, in lower case."""
        documents = list(corpora.load(self.corpus).split("train").documents())[::2]
        return [[word.lower() for word in sentence] for text in documents for sentence in text]

    @cached_property
    def test(self) -> list[list[str]]:
        """Sentences of the test part, in lower case."""
        return list(corpora.load(self.corpus).split("test").sentences(lower=True))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The `WORDS` commonest words of the training text."""
        return word_vocabulary(self.train, max_size=WORDS)

    @cached_property
    def stream(self) -> Tensor:
        """The training text."""
        return text_stream(self.train, self.vocabulary)

    @cached_property
    def language_models(self) -> list[LSTMLanguageModel]:
        """One for each seed, trained on the whole text."""
        return [self.language_model(seed, self.stream) for seed in self.seeds]

    def language_model(self, seed: int, stream: Tensor) -> LSTMLanguageModel:
        """One language model."""
        torch.manual_seed(seed)
        model = LSTMLanguageModel(len(self.vocabulary), SIZE, SIZE)
        losses = train_language_model(model, stream, TrainingOptions(learning_rate=5e-3))
        print(f"language model, seed {seed}: {np.mean(losses[-50:]):.3f} nats", flush=True)
        return model


def language_model(setting: Setting) -> tuple[str, Result]:
    """Perplexity on the same held-out text: one word, n-grams, the LSTM."""
    stream = text_stream(setting.test, setting.vocabulary)
    words = len(setting.vocabulary)
    ids, held_out = setting.stream.tolist(), stream.tolist()
    perplexity: Result = {
        f"{name}, Kneser-Ney": KneserNey(ids, words, order).perplexity(held_out)
        for order, name in ((1, "single words"), (2, "bigrams"), (3, "trigrams"))
    }
    print(perplexity, flush=True)
    perplexity["LSTM"] = interval(
        [
            stream_perplexity(model, stream, batch_size=1, bptt=256)
            for model in setting.language_models
        ]
    )
    print(perplexity["LSTM"], flush=True)
    mixtures, added = _mixtures(setting, stream[None])
    print(mixtures, added, flush=True)
    return f"Perplexity of language models on held-out text of {setting.corpus}", {
        "model": f"one LSTM layer, embedding and state {SIZE}, 1 pass, no dropout",
        "vocabulary": words,
        "train tokens": len(ids),
        "test tokens": len(held_out) - 1,
        "share of <unk> in the test text": held_out.count(0) / len(held_out),
        "perplexity": perplexity,
        "perplexity of mixtures": mixtures,
        "added by the LSTM, nats a word; interval over seeds and stretches of text": added,
    }


def _mixtures(setting: Setting, rows: Tensor) -> tuple[Result, Result]:
    """Perplexity of mixed bets; what the LSTM adds to counts, without a cache and with one.

    Half of the probability comes from the LSTM, half from counts of triples; a tenth of all from
    a cache of the last 400 words.
    """
    counts = KneserNey(setting.stream.tolist(), len(setting.vocabulary), 3)
    triples, cached = counted_bets(counts, rows), cache_bets(rows)
    networks = [network_bets(model, rows, 256) for model in setting.language_models]
    others = [*networks[1:], networks[0]]  # the next seed's
    with_triples = [(bets + triples) / 2 for bets in networks]
    remembered = with_cache(triples, cached)
    both = [with_cache(bets, cached) for bets in with_triples]
    mixtures: Result = {
        "trigrams and a cache": bets_perplexity(remembered),
        "LSTM and trigrams": interval([bets_perplexity(bets) for bets in with_triples]),
        "two LSTMs": interval(
            [bets_perplexity((a + b) / 2) for a, b in zip(networks, others, strict=True)]
        ),
        "LSTM, trigrams and a cache": interval([bets_perplexity(bets) for bets in both]),
    }
    added = {
        name: _added(ours, alone)
        for name, ours, alone in (
            ("to trigrams", with_triples, triples),
            ("to trigrams and a cache", both, remembered),
        )
    }
    return mixtures, added


def _added(mixed: Sequence[Tensor], alone: Tensor) -> Result:
    """Nats a word by which mixtures surprise less; stretches of 1,000 words are drawn whole."""
    gains = np.stack([(bets / alone).log().flatten().numpy() for bets in mixed])
    mean, low, high = bootstrap_interval(gains, np.arange(gains.shape[1]) // STRETCH)
    return {"mean": mean, "low": low, "high": high, "values": gains.mean(1).tolist()}


def place_features(
    setting: Setting,
    place: int,
    static: Word2Vec,
    contexts: Context2Vec,
    occurrences: list[Occurrence],
) -> dict[str, Floats]:
    """Vectors (N, D) of each occurrence, by each of the models of one seed."""
    sentences, at_places = [words for words, _ in occurrences], [at for _, at in occurrences]
    model, vocabulary = setting.language_models[place], setting.vocabulary
    torch.manual_seed(100 + place)
    untrained = LSTMLanguageModel(len(vocabulary), SIZE, SIZE)
    nowhere = Context2Vec(len(vocabulary), SIZE, SIZE, SIZE)
    # A first word has no state before it here: zeros stand for it.
    states = [
        np.vstack([np.zeros((1, SIZE), np.float32), s])
        for s in hidden_states(model, vocabulary, sentences)
    ]
    places = context_vectors(contexts, vocabulary, sentences)
    controls = {
        "LSTM at the word, untrained": hidden_states(untrained, vocabulary, sentences),
        "context2vec, untrained": context_vectors(nowhere, vocabulary, sentences),
    }
    found: dict[str, Sequence[Floats] | Floats] = {
        "random vectors of the two words beside": words_beside(sentences, at_places, place),
        **{
            name: [row[at] for row, at in zip(rows, at_places, strict=True)]
            for name, rows in controls.items()
        },
        "static vector of the form": [
            static[words[at]] if words[at] in static else np.zeros(SIZE, np.float32)
            for words, at in occurrences
        ],
        "mean of word2vec vectors around": [
            context_average(w, at, static) for w, at in occurrences
        ],
        "LSTM before the word": [s[at] for s, (_, at) in zip(states, occurrences, strict=True)],
        "LSTM at the word": [s[at + 1] for s, (_, at) in zip(states, occurrences, strict=True)],
        "context2vec": [p[at] for p, (_, at) in zip(places, occurrences, strict=True)],
    }
    return {name: np.asarray(rows, np.float32) for name, rows in found.items()}


def senses(setting: Setting) -> tuple[str, Result]:
    """Which sense a word has, from vectors of its place, on senseval and the course's sentences."""
    random = np.random.default_rng(0)
    groups: dict[str, tuple[list[Occurrence], list[str]]] = {}
    for word in sorted({i.word for i in corpora.load("senseval").instances()}):
        distinct = list({i.words: i for i in corpora.load("senseval").instances(word)}.values())
        drawn = random.permutation(len(distinct))[:LARGEST_SENSES]
        chosen = [distinct[number] for number in sorted(drawn)]
        occurrences: list[Occurrence] = [([w.lower() for w in i.words], i.position) for i in chosen]
        groups[word] = (occurrences, [i.sense for i in chosen])
    task = SenseTask()
    course_asked: list[Occurrence] = list(zip(task.tokens, task.positions, strict=True))
    scores: dict[str, dict[str, dict[str, list[float]]]] = {}
    course_right: dict[str, list[NDArray[np.bool_]]] = {}
    ids = [setting.vocabulary.encode(sentence) for sentence in setting.train]
    for place, seed in enumerate(setting.seeds):
        static, contexts = _two_readers(setting, ids, seed)
        for word, (occurrences, answers) in groups.items():
            found = scores.setdefault(word, {"linear": {}, "5-NN": {}})
            features = place_features(setting, place, static, contexts, occurrences)
            folds = np.random.default_rng(seed).permutation(len(occurrences)) % 5
            for name, rows in features.items():
                linear = held_out_accuracy(rows, answers, c=0.1)
                found["linear"].setdefault(name, []).append(linear)
                right = 0
                for fold in range(5):
                    train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
                    predicted = knn(rows[train], [answers[k] for k in train], rows[test], 5)
                    right += sum(s == answers[t] for s, t in zip(predicted, test, strict=True))
                found["5-NN"].setdefault(name, []).append(right / len(occurrences))
        features = place_features(setting, place, static, contexts, course_asked)
        for name, rows in features.items():
            course_right.setdefault(name, []).append(task.correct(rows))
        means = {name: round(float(np.mean(right)), 3) for name, right in course_right.items()}
        print(f"seed {seed}:", means, flush=True)
    words, spellings, tested = (
        part[task.is_test].tolist() for part in (task.words, task.spellings, task.senses)
    )
    return "Senses from vectors of a place: LSTM states, context2vec, averages", {
        "models": f"trained on {setting.corpus}, {WORDS} words, size {SIZE}, 1 pass; word2vec 3",
        "classifiers": "5 held-out folds of the distinct contexts: logistic regression (C=0.1), "
        "or the vote of the 5 nearest (cosine); course sentences: 3 nearest among 8 a sense",
        "senseval": {
            word: {
                "occurrences": len(answers),
                "senses": len(set(answers)),
                "ceiling of the word": majority_ceiling([word] * len(answers), answers),
                "ceiling of its forms": majority_ceiling([w[at] for w, at in occurrences], answers),
                **{
                    kind: {name: interval(values) for name, values in by_name.items()}
                    for kind, by_name in scores[word].items()
                },
            }
            for word, (occurrences, answers) in groups.items()
        },
        "course sentences": {
            "test sentences": len(tested),
            "words": len(set(words)),
            "ceiling of the word": majority_ceiling(words, tested),
            "ceiling of its forms": majority_ceiling(spellings, tested),
            "3-NN": {
                name: interval([float(seed.mean()) for seed in right])
                for name, right in course_right.items()
            },
            "leads, over words and seeds": {
                f"{one} before {other}": task.score(
                    np.array(course_right[one], float) - np.array(course_right[other], float)
                )
                for one, other in LEADS
            },
        },
    }


def trained_beside(setting: Setting) -> tuple[str, Result]:
    """Senses of the course's sentences: both readers against two rivals that are cheap.

    Random vectors of the two words beside cannot say that *river* and *stream* are alike; trained
    ones can. Naive Bayes counts the form and two words on either side, and reads no other text.
    """
    task = SenseTask()
    occurrences: list[Occurrence] = list(zip(task.tokens, task.positions, strict=True))
    ids = [setting.vocabulary.encode(sentence) for sentence in setting.train]
    right: dict[str, list[NDArray[np.bool_]]] = defaultdict(list)
    for model, seed in zip(setting.language_models, setting.seeds, strict=True):
        static, contexts = _two_readers(setting, ids, seed)
        right[BESIDE].append(task.correct(vectors_beside(static, occurrences)))
        for name, rows in {
            "context2vec": context_vectors(contexts, setting.vocabulary, task.tokens),
            "LSTM at the word": hidden_states(model, setting.vocabulary, task.tokens),
        }.items():
            places = [row[at] for row, at in zip(rows, task.positions, strict=True)]
            right[name].append(task.correct(np.stack(places)))
        print(f"seed {seed}:", {name: runs[-1].mean() for name, runs in right.items()}, flush=True)
    shares = {name: interval([float(x.mean()) for x in rows]) for name, rows in right.items()}
    counted = task.by_counting()
    right[COUNTED] = [counted] * len(setting.seeds)
    leads = {
        f"{one} before {other}": task.score(
            np.array(right[one], float) - np.array(right[other], float)
        )
        for one, other in BESIDE_LEADS
    }
    return "Senses: two readers, trained vectors of the two words beside, and counting", {
        "models": f"trained on {setting.corpus}, {WORDS} words, size {SIZE}, 1 pass; word2vec 3",
        "3-NN": shares,
        COUNTED: task.score(counted.astype(float)),
        "leads, over words and seeds": leads,
    }


def _two_readers(setting: Setting, ids: list[list[int]], seed: int) -> tuple[Word2Vec, Context2Vec]:
    torch.manual_seed(seed)
    contexts = Context2Vec(len(setting.vocabulary), SIZE, SIZE, SIZE)
    options = TrainingOptions(learning_rate=5e-3, seed=seed)
    train_context2vec(contexts, ids, setting.vocabulary.counts, options)
    static = Word2Vec(
        setting.train, vector_size=SIZE, sg=1, alpha=0.05, epochs=3, min_count=5, seed=seed
    )
    return static, contexts


def vectors_beside(static: Word2Vec, occurrences: list[Occurrence]) -> Floats:
    """(N, 2 SIZE): of the word before and the word after, each of length 1, zeros if unknown."""
    rows = []
    for words, at in occurrences:
        row = np.zeros((2, SIZE), np.float32)
        for side, place in enumerate((at - 1, at + 1)):
            if 0 <= place < len(words) and words[place] in static:
                vector = static[words[place]]
                row[side] = vector / np.linalg.norm(vector)
        rows.append(row.ravel())
    return np.stack(rows)


EXPERIMENTS: dict[str, Callable[[Setting], tuple[str, Result]]] = {
    "language-model": language_model,
    "senses": senses,
    "trained-beside": trained_beside,
    "pretraining": lambda setting: pretraining(setting.seeds),
    "forgetting": lambda setting: forgetting(setting.seeds),
    "forgetting-longer": lambda setting: forgetting_longer(setting.seeds),
    "seq2seq": lambda setting: seq2seq(setting.train, setting.test, setting.seeds),
    "broken-translators": lambda setting: broken_translators(setting.seeds[0]),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments(
        "starting_from_a_language_model.experiments",
        "context_",
        __doc__,
        EXPERIMENTS,
        _prepare,
        argv,
        seeds=3,
    )


def _prepare(args: argparse.Namespace) -> Prepared:
    corpus = corpora.course_text().name
    about = f"{corpus}, every second document of its train part"
    return (Setting(corpus, args.seeds),), {"corpus": about}


if __name__ == "__main__":
    raise SystemExit(main())
