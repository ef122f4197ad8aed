"""The linear CRF on clues learns what capitals tell."""

from course.taglm.clue_crf import clue_counts
from elmo_mini.tagging.tagged_sentences import TaggedSentence

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ivy", "Jon")


def sentence(name: str, learnt: bool = True) -> TaggedSentence:
    label = "S-PER" if learnt else "O"
    return TaggedSentence(("we", "saw", name, "there"), ("O", "O", label, "O"))


def test_a_capital_names_somebody_who_was_never_met() -> None:
    known, new = [sentence(name) for name in NAMES[:7]], [sentence(name) for name in NAMES[7:]]
    assert clue_counts(known, known, new, seed=0).sum(0).tolist() == [3, 3, 3]
    nobody = [sentence(name, learnt=False) for name in NAMES[:7]]
    assert clue_counts([*nobody, known[0]], nobody, new, seed=0).sum(0)[0] < 3
