"""The course's corpora behind one interface: load one, iterate its sentences, split it.

    from elmo_mini import corpora

    brown = corpora.load("brown")
    for sentence in brown.split("train").sentences(): ...

The Lee corpus is always there. The others come through NLTK: ``corpora.download()`` or
``python -m elmo_mini corpora --download`` fetches them once; see ``corpora.catalogue``
for what each holds and may be used for.
"""

from functools import lru_cache

from elmo_mini.corpora.catalogue import CATALOGUE
from elmo_mini.corpora.corpus import Corpus
from elmo_mini.corpora.download import Download, download
from elmo_mini.corpora.files import CorpusDamaged, CorpusMissing, Store, damage, find, find_lee
from elmo_mini.corpora.passages import Instance, Passage, Sentence
from elmo_mini.corpora.text_file import from_text_file

__all__ = [
    "Corpus",
    "CorpusDamaged",
    "CorpusMissing",
    "Download",
    "Instance",
    "Passage",
    "Sentence",
    "available",
    "course_text",
    "download",
    "from_text_file",
    "lee",
    "load",
]


def load(name: str) -> Corpus:
    """The corpus of this name. It is read at its first use and then kept in memory.

    Raises
    ------
    ValueError
        If the catalogue has no such name.
    CorpusMissing
        If it is not on this machine.
    CorpusDamaged
        When it is read, if a file is truncated, empty or not in its encoding.
    """
    if name not in CATALOGUE:
        raise ValueError(f"there is no corpus {name!r}; the corpora are: {', '.join(CATALOGUE)}")
    store = find_lee() if CATALOGUE[name].comes_with == "gensim" else find(name)
    return _open(name, store, store.path.stat().st_mtime_ns)


def lee() -> Corpus:
    """The Lee corpus: Australian news stories that ship inside gensim, so always there."""
    return load("lee")


def available() -> dict[str, bool]:
    """Every name of the catalogue, and whether the corpus is on this machine."""
    return {name: _is_here(name) for name in CATALOGUE}


def course_text(prefer: tuple[str, ...] = ("brown", "lee"), *, say: bool = True) -> Corpus:
    """The first of the preferred corpora that is here; prints one sentence that says which.

    Raises
    ------
    CorpusMissing
        If none of them is here.
    """
    missing: CorpusMissing | None = None
    for name in prefer:
        try:
            corpus = load(name)
        except CorpusMissing as error:
            missing = missing or error
            continue
        if say:
            entry = CATALOGUE[name]
            print(f"Text: {entry.title}; {entry.tokens:,} tokens.")
        return corpus
    raise missing or ValueError("course_text needs at least one name")


def _is_here(name: str) -> bool:
    try:
        load(name)
    except CorpusMissing:
        return False
    return True


@lru_cache(maxsize=32)
def _open(name: str, store: Store, modified: int) -> Corpus:
    entry = CATALOGUE[name]

    @lru_cache(maxsize=1)
    def read() -> tuple[Passage, ...]:
        passages = tuple(entry.reader(store))
        if not passages:
            raise CorpusDamaged(damage(store.path, name, "", "it holds no text"))
        return passages

    return Corpus(
        name=name,
        title=entry.title,
        read=read,
        licence=entry.licence,
        caution=entry.caution,
        holds=entry.holds,
        drop_repeated_contexts=entry.drop_repeated_contexts,
    )
