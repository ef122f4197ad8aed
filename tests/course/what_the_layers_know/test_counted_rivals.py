"""The rivals that read counted vectors beside the clues, on words that clues cannot tell."""

from functools import partial

import numpy as np
import torch

from course.baselines.counted_vectors import CountedVectors
from course.results.span_f1 import f1_share
from course.what_the_layers_know.counted_input import in_place_of, tagged
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
