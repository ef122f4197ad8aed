"""The corpora of this course: what each is, what it holds, and what it may be used for."""

from dataclasses import dataclass
from typing import Literal

from elmo_mini.corpora import readers
from elmo_mini.corpora.readers import Reader

Access = Literal["gensim", "nltk"]


@dataclass(frozen=True)
class Entry:
    """One corpus of the catalogue.

    Attributes
    ----------
    title : what it is, in a line
    tokens, sentences : as this package reads it (the Lee corpus of gensim 4.4, the NLTK packages
        of February 2023); other releases may differ
    reader : reads its files
    licence : what its own distribution says
    caution : what a user should know
    holds : see `Corpus`
    comes_with : ``gensim`` (always there) or ``nltk`` (to be fetched)
    drop_repeated_contexts : splits keep only one of several equal passages
    """

    title: str
    tokens: int
    sentences: int
    reader: Reader
    licence: str
    caution: str = ""
    holds: frozenset[str] = frozenset()
    comes_with: Access = "nltk"
    drop_repeated_contexts: bool = False


def _holds(names: str) -> frozenset[str]:
    return frozenset(names.split())


_CC_BY = "CC BY 4.0"
_WSJ = "from the Wall Street Journal of the Penn Treebank, which is licensed by the LDC"

CATALOGUE: dict[str, Entry] = {
    "lee": Entry(
        title="Lee: Australian news stories, 300 background and 50 test articles",
        tokens=71_520,
        sentences=2_831,
        reader=readers.lee,
        licence="comes with gensim as test data; no licence of its own",
        caution="seven of the background articles occur twice",
        holds=_holds("documents"),
        comes_with="gensim",
    ),
    "brown": Entry(
        title="Brown: balanced American English of 1961, 500 texts in 15 genres",
        tokens=1_161_192,
        sentences=57_340,
        reader=readers.brown,
        licence="non-commercial use; its README permits redistribution",
        caution="the tags are Brown's own, 472 strings, not the Penn set",
        holds=_holds("documents tags labels"),
    ),
    "masc_tagged": Entry(
        title="MASC: contemporary American English, 392 texts in 20 genres",
        tokens=592_514,
        sentences=34_533,
        reader=readers.masc,
        licence="free for research and development, commercial too",
        caution="NLTK counts 592,536: 22 of its tokens have a tag and no word",
        holds=_holds("documents tags labels"),
    ),
    "conll2000": Entry(
        title="CoNLL-2000 chunking: Wall Street Journal, sections 15-18 and 20",
        tokens=259_104,
        sentences=10_948,
        reader=readers.conll2000,
        licence="none stated; " + _WSJ,
        caution="13 distinct sentences occur in both train and test",
        holds=_holds("tags chunks"),
    ),
    "senseval": Entry(
        title="Senses of hard, interest, line and serve in context",
        tokens=603_838,
        sentences=15_225,
        reader=readers.senseval,
        licence="distributed with permission",
        caution="the older line-hard-serve-interest data in Senseval-2 format; the form of the "
        "word alone says something; `serve` is smaller than the published 5,131",
        holds=_holds("tags senses labels"),
        drop_repeated_contexts=True,
    ),
    "qc": Entry(
        title="TREC questions in 6 coarse and 50 fine classes (Li & Roth)",
        tokens=59_393,
        sentences=5_952,
        reader=readers.qc,
        licence="none stated",
        caution="11 test questions also occur in train, one of them with another capital",
        holds=_holds("labels fine_labels"),
    ),
    "sentence_polarity": Entry(
        title="Film-review snippets, 5,331 positive and 5,331 negative (Pang & Lee)",
        tokens=224_073,
        sentences=10_662,
        reader=readers.two_files(("rt-polarity.neg", "neg"), ("rt-polarity.pos", "pos")),
        licence=_CC_BY,
        caution="no official split",
        holds=_holds("labels"),
    ),
    "movie_reviews": Entry(
        title="Whole film reviews, 1,000 positive and 1,000 negative (Pang & Lee)",
        tokens=1_492_681,
        sentences=64_720,
        reader=readers.movie_reviews,
        licence=_CC_BY,
        caution="lower case; may share its origin with sentence_polarity; tokens are those of the "
        "files, where NLTK's words() also cuts at apostrophes and hyphens (1,583,820)",
        holds=_holds("documents labels"),
    ),
    "subjectivity": Entry(
        title="5,000 subjective and 5,000 objective sentences about films (Pang & Lee)",
        tokens=240_575,
        sentences=10_000,
        reader=readers.two_files(("quote.tok.gt9.5000", "subj"), ("plot.tok.gt9.5000", "obj")),
        licence=_CC_BY,
        caution="lower case; read as UTF-8, which it is, so NLTK's count has one token more",
        holds=_holds("labels"),
    ),
    "gutenberg": Entry(
        title="Project Gutenberg: novels, plays and poems",
        tokens=1_276_852,
        sentences=49_251,
        reader=readers.plain("utf-8", "latin-1"),
        licence="public domain",
        caution="which books are there depends on the release: count what is read",
        holds=_holds("documents"),
    ),
    "state_union": Entry(
        title="State of the Union addresses, 1945-2006",
        tokens=393_649,
        sentences=17_911,
        reader=readers.plain("utf-8", "big5"),
        licence="public domain",
        holds=_holds("documents"),
    ),
    "inaugural": Entry(
        title="Inaugural addresses of the presidents of the United States, from 1789",
        tokens=152_079,
        sentences=5_218,
        reader=readers.plain("utf-8", "big5"),
        licence="public domain",
        holds=_holds("documents"),
    ),
    "treebank": Entry(
        title="Penn Treebank sample: Wall Street Journal, sections 00-01 (wsj_0001-0199)",
        tokens=94_084,
        sentences=3_914,
        reader=readers.treebank,
        licence="10 % fragment, fair use, non-commercial use only",
        caution="traces (-NONE-) are taken out; disjoint from the sections of conll2000",
        holds=_holds("documents tags"),
    ),
    "ieer": Entry(
        title="Newswire with named entities (NIST 1999 evaluation, development test)",
        tokens=65_023,
        sentences=2_779,
        reader=readers.ieer,
        licence="none stated",
        holds=_holds("documents entities"),
    ),
}
