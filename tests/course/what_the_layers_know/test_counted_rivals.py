"""The rivals that read counted vectors beside the clues, on words that clues cannot tell."""

from functools import partial

import numpy as np
import torch

from autograde.exercises.what_the_layers_know.nearest_labels import nearest_labels
from course.baselines.counted_vectors import CountedVectors
from course.results.span_f1 import f1_share
from course.results.stored import stored_result
from course.what_the_layers_know.counted_input import in_place_of, tagged
from course.what_the_layers_know.counted_senses import ALONE, BOTH, Judged, around, nearest_votes
from course.what_the_layers_know.counted_words import Rival
from course.what_the_layers_know.fewer_labels import BothScores
from elmo_mini.probing.probing_tasks import Occurrence
from elmo_mini.tagging.tagged_sentences import TaggedSentence

NOUNS, VERBS = ("ox", "cup", "lid", "fig", "hem", "jar"), ("sip", "beg", "nod", "run", "wag", "try")
TEXT = [["the", noun, "."] for noun in NOUNS] + [["to", verb, "."] for verb in VERBS]
COUNTED = CountedVectors(TEXT * 5, size=4)
PAIRS = [(word, "N") for word in NOUNS] + [(word, "V") for word in VERBS]


def test_a_word_without_a_known_clue_is_told_by_its_neighbours_in_the_text() -> None:
    rival = Rival([Occurrence((word,), 0, label) for word, label in PAIRS], COUNTED)
    known, asked = np.array([0, 1, 2, 6, 7, 8]), np.array([3, 4, 5, 9, 10, 11])
    assert rival.right(known, asked, 1.0, 10.0).all()
    assert not rival.right(known, asked, 0.0, 10.0).all()
    assert rival.vectors.shape == (12, 12)
    assert not rival.vectors[:, :4].any(), "no word stands before a sentence"


def test_the_linear_tagger_learns_from_the_vectors_as_well() -> None:
    def told(pairs: list[tuple[str, str]]) -> list[tuple[TaggedSentence, torch.Tensor]]:
        sentences = [TaggedSentence((word,), ("S-" + label,)) for word, label in pairs]
        vectors = in_place_of(COUNTED, [s.words for s in sentences], 4.0)
        return list(zip(sentences, vectors, strict=True))

    known = dict(enumerate(told([*PAIRS[:3], *PAIRS[6:9]])))
    asked = told([*PAIRS[3:6], *PAIRS[9:]])
    assert asked[0][1].shape == (1, 3, 8)
    counts = tagged(partial(BothScores, width=8), known, asked, 0.1, 20, seed=0)
    assert f1_share(counts[None])["mean"] == 1


def test_the_stored_votes_are_those_of_the_exercise() -> None:
    random = np.random.default_rng(0)
    train, test = random.standard_normal((12, 5)), random.standard_normal((40, 5))
    labels = random.choice(["bank", "shore", "bench"], 12).tolist()
    for k in (1, 3, 4):
        assert nearest_votes(train, labels, test, k) == nearest_labels(train, labels, test, k)


def test_naive_bayes_hears_a_vote_and_is_judged_word_by_word() -> None:
    def told(words: str, label: str, group: str) -> Occurrence:
        return Occurrence(tuple(words.split()), 1, label, group)

    train = [
        told("the bank lent", "money", "bank"),
        told("muddy bank flooded", "river", "bank"),
        told("a spring uncoiled", "metal", "spring"),
        told("last spring rained", "season", "spring"),
    ]
    test = [
        told("the bank lent", "money", "bank"),
        told("some bank somewhere", "river", "bank"),
        told("one spring anew", "metal", "spring"),
    ]
    assert around(test[0], 2) == ["", "the", "bank", "lent", ""]
    judged = Judged(train, test)
    vectors = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1], [1, 0]], float)
    # every known sentence votes, so the nearest decides
    assert judged.right(vectors, bayes=False).tolist() == [True, True, True]
    by_counts, heard = (judged.right(of, bayes=True) for of in (None, vectors))
    assert by_counts.tolist() == [True, False, True]
    assert heard.tolist() == [True, True, True]
    assert judged.words.tolist() == [0, 0, 1]
    share = judged.share(heard, by_counts)
    assert share["mean"] == 1 / 3
    assert share["low"] < share["mean"] < share["high"]


def test_what_votes_and_what_is_heard_is_stored_under_the_lessons_names() -> None:
    stored = stored_result("counted_senses_votes").numbers
    for found in (stored["right"], stored["layer less counted"]):
        assert list(found) == [ALONE, BOTH]
    for name, gain in stored["naive Bayes gains by"].items():
        before, after = stored["naive Bayes alone"], stored["right"][BOTH][name]
        assert abs(after["mean"] - before["mean"] - gain["mean"]) < 1e-9
