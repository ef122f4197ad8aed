"""Senses of *bank* and of the noun *play* in the Brown corpus, marked for this course.

Brown has parts of speech and no senses. `data/senses_brown.json` names sentences by their number in
the corpus, and words by their place. It was marked by a language model that read each sentence; no
second reader has looked at it, but the text is real, and anybody can: `brown_senses` gives the
sentences.
"""

import json
from importlib.resources import files

from elmo_mini import corpora
from elmo_mini.probing.tasks import Occurrence

FILE = files("elmo_mini") / "data" / "senses_brown.json"


def brown_senses(word: str) -> list[Occurrence]:
    """Occurrences of *bank* (money, river) or *play* (drama, game), with their sense as label.

    Left out are names, capital letters, and other senses (a bank of cloud, the play of light).

    Raises
    ------
    CorpusMissing
        If Brown is not on this machine.
    """
    places = json.loads(FILE.read_text("utf-8"))[word]
    sentences = corpora.load("brown").tagged_sentences()
    wanted: dict[int, list[str]] = {number: [] for rows in places.values() for number, _ in rows}
    for number, sentence in enumerate(sentences):
        if number in wanted:
            wanted[number] = [form for form, _ in sentence]
    return [
        Occurrence(tuple(wanted[number]), place, sense, word)
        for sense, rows in places.items()
        for number, place in rows
    ]


def noun_or_verb(word: str) -> list[Occurrence]:
    """Every occurrence of the word in Brown, with *noun* or *verb* as label: Brown's own tags."""
    found = []
    for sentence in corpora.load("brown").tagged_sentences():
        for place, (form, tag) in enumerate(sentence):
            if form == word and tag in ("NN", "VB"):
                words = tuple(other for other, _ in sentence)
                found.append(Occurrence(words, place, "noun" if tag == "NN" else "verb", word))
    return found
