"""The NLTK corpora, where this machine has them, held to the counts that are known of them."""

from collections import Counter
from collections.abc import Callable, Iterable

import nltk.data
import pytest

from elmo_mini.corpora import Corpus
from elmo_mini.corpora.catalogue import CATALOGUE
from elmo_mini.corpora.files import find, search_path

Load = Callable[[str], Corpus]
PARTS = ("train", "dev", "test")
SHORT = [name for name in CATALOGUE if name != "gutenberg"]


@pytest.fixture
def nltk_reader(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], object]:
    """NLTK's own reader of a corpus, as a second opinion."""
    monkeypatch.setattr(nltk.data, "path", [str(folder) for folder in search_path()])

    def reader(name: str) -> object:
        import nltk.corpus

        try:
            corpus = getattr(nltk.corpus, name)
            corpus.fileids()
        except (LookupError, PermissionError) as error:
            pytest.skip(f"NLTK does not read {name} here: {str(error)[:80]}")
        return corpus

    return reader


def count(sentences: Iterable[list[str]]) -> tuple[int, int]:
    lengths = [len(sentence) for sentence in sentences]
    return sum(lengths), len(lengths)


@pytest.mark.parametrize("name", SHORT)
def test_the_catalogue_tells_the_size(real_corpus: Load, name: str) -> None:
    entry = CATALOGUE[name]
    assert count(real_corpus(name).sentences()) == (entry.tokens, entry.sentences)


@pytest.mark.parametrize("name", [*SHORT, pytest.param("gutenberg", marks=pytest.mark.slow)])
def test_no_word_is_empty_or_has_white_space_in_it(real_corpus: Load, name: str) -> None:
    for words in real_corpus(name).sentences():
        assert words
        assert all(word and not any(map(str.isspace, word)) for word in words)


@pytest.mark.parametrize("name", [*SHORT, pytest.param("gutenberg", marks=pytest.mark.slow)])
def test_parts_share_no_sentence(real_corpus: Load, name: str) -> None:
    corpus = real_corpus(name)
    train, dev, test = (
        {tuple(words) for words in corpus.split(part).sentences(lower=True)}  # type: ignore[arg-type]
        for part in PARTS
    )
    assert len(train) > len(dev) > 0
    assert test
    assert not train & dev
    assert not train & test
    assert not dev & test


@pytest.mark.parametrize("name", ["brown", "masc_tagged", "movie_reviews", "gutenberg", "treebank"])
def test_no_document_is_torn_apart(real_corpus: Load, name: str) -> None:
    corpus = real_corpus(name)
    names = [{p.name for p in corpus.split(part).passages()} for part in PARTS]  # type: ignore[arg-type]
    assert not names[0] & names[1]
    assert not names[0] & names[2]
    assert not names[1] & names[2]
    assert set.union(*names) == {p.name for p in corpus.passages()}


def test_brown_has_its_genres_and_tags(real_corpus: Load) -> None:
    brown = real_corpus("brown")
    words = Counter[str]()
    for document, genre in brown.labelled():
        words[genre] += len(document)
    assert len(words) == 15
    assert words["news"] == 100_554
    assert words["learned"] == 181_888
    assert words["belles_lettres"] == 173_096
    assert words["science_fiction"] == 14_470
    assert len({tag for s in brown.tagged_sentences() for _, tag in s}) == 472
    types = {word for sentence in brown.sentences() for word in sentence}
    assert len(types) == 56_057
    assert len({word.lower() for word in types}) == 49_815
    assert Counter(label for _, label in brown.split("test").labelled()).total() == 50


@pytest.mark.parametrize("name", [pytest.param("brown", marks=pytest.mark.slow), "treebank"])
def test_tagged_sentences_are_those_of_nltk(
    real_corpus: Load, nltk_reader: Callable[[str], object], name: str
) -> None:
    ours = real_corpus(name).tagged_sentences()
    theirs = nltk_reader(name).tagged_sents()  # type: ignore[attr-defined]
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == [(word, tag) for word, tag in other if tag != "-NONE-"]


def test_masc_is_read_whole(real_corpus: Load, nltk_reader: Callable[[str], object]) -> None:
    masc = real_corpus("masc_tagged")
    theirs = [word for word in nltk_reader("masc_tagged").words() if word.strip()]  # type: ignore[attr-defined]
    assert len(theirs) == CATALOGUE["masc_tagged"].tokens == 592_536 - 22
    genres = Counter(genre for _, genre in masc.labelled())
    assert len(genres) - 1 == 20
    assert genres.total() == 392
    assert genres["uncategorised"] == 3
    dotted = [s for s in masc.tagged_sentences() if ("D.", "NN") in s and ("C.", "NN") in s]
    assert dotted, "both pieces of the token 'D. C.' have its tag"


def test_conll2000_has_its_chunks(real_corpus: Load) -> None:
    corpus = real_corpus("conll2000")
    by_part = {"train": Counter[str](), "test": Counter[str]()}
    tokens = Counter[str]()
    for passage in corpus.passages():
        (sentence,) = passage.sentences
        tokens[passage.part] += len(sentence.words)
        by_part[passage.part].update(c[2:] for c in sentence.chunks if c.startswith("B-"))
    assert tokens == {"train": 211_727, "test": 47_377}
    assert by_part["train"].total() == 106_978
    assert [by_part["train"][kind] for kind in ("NP", "VP", "PP")] == [55_081, 21_467, 21_281]
    assert by_part["test"].total() == 23_852
    first = next(corpus.chunked_sentences())
    assert first[:3] == [("Confidence", "NN", "B-NP"), ("in", "IN", "B-PP"), ("the", "DT", "B-NP")]


@pytest.mark.parametrize(
    ("name", "shared", "test_size"), [("conll2000", 13, 2_012), ("qc", 11, 500)]
)
def test_the_known_duplicates_leave_train_and_not_test(
    real_corpus: Load, name: str, shared: int, test_size: int
) -> None:
    corpus = real_corpus(name)
    official: dict[str, list[str]] = {"train": [], "test": []}
    for passage in corpus.passages():
        official[passage.part].append(" ".join(passage.sentences[0].words).lower())
    both = set(official["train"]) & set(official["test"])
    assert len(both) == shared
    assert len(list(corpus.split("test").sentences())) == test_size
    left = {
        " ".join(words)
        for part in ("train", "dev")
        for words in corpus.split(part).sentences(lower=True)  # type: ignore[arg-type]
    }
    assert left == set(official["train"]) - both


def test_qc_has_coarse_and_fine_labels(real_corpus: Load) -> None:
    qc = real_corpus("qc")
    parts = {"train": Counter[str](), "test": Counter[str]()}
    for passage in qc.passages():
        parts[passage.part][passage.label] += 1
    assert parts["train"] == Counter(ENTY=1250, HUM=1223, DESC=1162, NUM=896, LOC=835, ABBR=86)
    assert parts["test"] == Counter(DESC=138, NUM=113, ENTY=94, LOC=81, HUM=65, ABBR=9)
    assert len({label for _, label in qc.labelled(fine=True)}) == 50
    assert next(qc.labelled(fine=True))[1] == "DESC:manner"


SENSES = {
    "hard": (4_333, 4_329, 24, {"HARD1": 3_455, "HARD2": 502, "HARD3": 376}),
    "interest": (
        2_368,
        2_352,
        29,
        dict(
            zip(
                [f"interest_{n}" for n in (6, 5, 1, 4, 3, 2)],
                [1252, 500, 361, 178, 66, 11],
                strict=True,
            )
        ),
    ),
    "line": (
        4_146,
        4_146,
        51,
        Counter(product=2217, phone=429, text=404, division=374, cord=373, formation=349),
    ),
    "serve": (4_378, 4_369, 44, Counter(SERVE10=1814, SERVE12=1272, SERVE2=853, SERVE6=439)),
}


@pytest.mark.parametrize("word", list(SENSES))
def test_senseval_has_every_word_with_its_senses(real_corpus: Load, word: str) -> None:
    size, distinct, median, senses = SENSES[word]
    instances = list(real_corpus("senseval").instances(word))
    assert len(instances) == size
    assert Counter(instance.sense for instance in instances) == senses
    assert len({instance.words for instance in instances}) == distinct
    assert sorted(len(instance.words) for instance in instances)[size // 2] == median
    assert all(i.words[i.position].startswith(word[:4]) for i in instances)
    assert all(len(i.tags) == len(i.words) for i in instances)
    drawn = [i.words for p in PARTS for i in real_corpus("senseval").split(p).instances(word)]  # type: ignore[arg-type]
    assert len(drawn) == len(set(drawn))
    assert distinct - 7 <= len(drawn) <= distinct, "7 contexts serve two words"


@pytest.mark.slow
@pytest.mark.parametrize("word", list(SENSES))
def test_senseval_contexts_are_those_of_nltk(
    real_corpus: Load, nltk_reader: Callable[[str], object], word: str
) -> None:
    ours = real_corpus("senseval").instances(word)
    theirs = nltk_reader("senseval").instances(f"{word}.pos")  # type: ignore[attr-defined]
    for mine, other in zip(ours, theirs, strict=True):
        tokens = [t if isinstance(t, tuple) else (t, "") for t in other.context]
        assert [t for t in tokens if t[0] != "FRASL"] == list(
            zip(mine.words, mine.tags, strict=True)
        )
        assert (mine.words[mine.position], mine.sense) == (tokens[other.position][0], *other.senses)


def test_senseval_refuses_a_word_it_has_not(real_corpus: Load) -> None:
    with pytest.raises(ValueError, match="no word 'bank'; it has hard, interest, line, serve"):
        list(real_corpus("senseval").instances("bank"))


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("sentence_polarity", {"neg": 5_331, "pos": 5_331}),
        ("subjectivity", {"subj": 5_000, "obj": 5_000}),
        ("movie_reviews", {"neg": 1_000, "pos": 1_000}),
    ],
)
def test_reviews_have_their_labels(real_corpus: Load, name: str, labels: dict[str, int]) -> None:
    corpus = real_corpus(name)
    assert Counter(label for _, label in corpus.labelled()) == labels
    tenth = {label: size // 10 for label, size in labels.items()}
    found = Counter(label for _, label in corpus.split("test").labelled())
    assert all(abs(found[label] - size) <= 1 for label, size in tenth.items())


def test_movie_reviews_hold_every_word_that_nltk_counts(real_corpus: Load) -> None:
    from nltk.tokenize import wordpunct_tokenize

    reviews = real_corpus("movie_reviews")
    tokens = [t for words, _ in reviews.labelled() for t in wordpunct_tokenize(" ".join(words))]
    assert (len(tokens), len(set(tokens))) == (1_583_820, 39_768)


def test_treebank_has_no_traces_and_its_45_tags(real_corpus: Load) -> None:
    tags = {tag for sentence in real_corpus("treebank").tagged_sentences() for _, tag in sentence}
    assert "-NONE-" not in tags
    assert len(tags) == 45


def test_ieer_entities_are_those_of_the_marks(real_corpus: Load) -> None:
    ieer = real_corpus("ieer")
    opened = Counter(e[2:] for s in ieer.entity_sentences() for _, e in s if e.startswith("B-"))
    store, marked = find("ieer"), Counter[str]()
    for name, text in store.texts([n for n in store.names() if n != "README"], "latin-1"):
        for story in text.split("<TEXT>")[1:]:
            body = story.partition("</TEXT>")[0]
            marked.update(mark.partition('"')[0] for mark in body.split(' type="')[1:])
        assert name
    assert set(opened) == set(marked)
    assert marked.total() > 3_000
    assert abs(opened.total() - marked.total()) < 0.01 * marked.total(), "a few share a token"
    second = list(ieer.entity_sentences())[1]
    assert ("Daniel", "B-PERSON") in second
    assert ("arap", "I-PERSON") in second
    assert ("'s", "O") in second


@pytest.mark.parametrize(
    ("name", "file", "piece"),
    [
        ("inaugural", "2005-Bush.txt", "years of sabbatical — and then"),
        ("state_union", "1970-Nixon.txt", "what man ’s genius has begun"),
        ("inaugural", "2013-Obama.txt", "us American — is our"),
        ("gutenberg", "chesterton-ball.txt", "Brunetière , Coppée"),
    ],
)
def test_files_of_one_corpus_in_several_encodings(
    real_corpus: Load, name: str, file: str, piece: str
) -> None:
    texts = {p.name: p.sentences for p in real_corpus(name).passages()}
    if file not in texts:
        pytest.skip(f"this release of {name} has no {file}")
    text = " ".join(word for sentence in texts[file] for word in sentence.words)
    assert piece in text
    assert "\ufffd" not in text
    assert "â€" not in text
