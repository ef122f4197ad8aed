"""Taggers of lesson 05 with vectors that are counted in the biLM's text in the place of its own."""

from functools import cache

import numpy as np

from course.baselines.counted_vectors import CountedVectors
from course.taglm.tagger_setup import READERS, Parts, System, TaggerSetup, with_the_spread_of
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.tagging.data import with_lm_vectors
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.training.pretraining.sources import course_text


class CountedSetup(TaggerSetup):
    """The setup without the language model: neighbours counted in the same text, and squeezed.

    A word's vector stands there twice, as long as the biLM's two directions, and with the spread of
    theirs: what reading that text brings without a network.
    """

    def parts(self, task: str, layer: int = -1) -> Parts:
        """A data set without vectors."""
        return {name: READERS[task](name) for name in ("train", "dev", "test")}

    def sentences(
        self, task: str, system: System, share: float, seed: int
    ) -> list[list[TaggedSentence]]:
        """As `TaggerSetup.sentences`."""
        chosen = super().sentences(task, system, share, seed)
        train = with_lm_vectors(load_pretrained(self.checkpoint), chosen[0], layer=system.layer)
        lm = train[0].lm
        assert lm is not None
        vectors = _counted_vectors(lm.shape[1] // 2)
        told = [[s._replace(lm=np.tile(vectors(s.words), 2)) for s in part] for part in chosen]
        return with_the_spread_of(train, told)


@cache
def _counted_vectors(size: int) -> CountedVectors:
    return CountedVectors(course_text(), size)
