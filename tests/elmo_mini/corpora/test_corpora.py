"""The interface on the Lee corpus and on corpora made here; nothing but gensim is needed."""

import subprocess
import sys
from pathlib import Path

import nltk.data
import pytest

from elmo_mini import corpora
from elmo_mini.__main__ import main
from elmo_mini.corpora.catalogue import CATALOGUE
from elmo_mini.corpora.corpus import Corpus
from elmo_mini.corpora.passages import Passage, Sentence


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setattr(nltk.data, "path", [])


def test_the_lee_corpus_is_always_there(nothing_here: None) -> None:
    lee = corpora.lee()
    sentences = list(lee.sentences())
    assert len(sentences) == CATALOGUE["lee"].sentences
    assert sum(map(len, sentences)) == CATALOGUE["lee"].tokens
    assert sentences[0][:6] == ["Hundreds", "of", "people", "have", "been", "forced"]
    assert len(list(lee.documents())) == 350
    assert "£" in {word for sentence in sentences for word in sentence}, "lee.cor is Latin-1"


def test_every_iteration_starts_afresh_and_cannot_be_spoilt() -> None:
    lee = corpora.load("lee")
    first = next(lee.sentences())
    first.clear()
    assert len(next(lee.sentences())) > 6
    assert next(lee.sentences(lower=True))[0] == "hundreds"


def test_lee_splits_into_background_and_test_articles() -> None:
    parts = {part: corpora.lee().split(part) for part in ("train", "dev", "test")}  # type: ignore[arg-type]
    documents = {part: len(list(corpus.documents())) for part, corpus in parts.items()}
    assert documents["test"] == 50
    assert documents["dev"] == 30
    assert 260 <= documents["train"] <= 270
    assert_disjoint(corpora.lee())


def test_a_missing_corpus_says_how_to_fetch_it(nothing_here: None) -> None:
    with pytest.raises(
        corpora.CorpusMissing,
        match=r"'brown' is not on this machine.*`python -m elmo_mini corpora --download brown`",
    ):
        corpora.load("brown")
    assert [name for name, here in corpora.available().items() if here] == ["lee"]


def test_a_name_that_is_no_corpus_is_refused_with_the_list() -> None:
    with pytest.raises(ValueError, match=r"no corpus 'browm'; the corpora are: lee, brown, "):
        corpora.load("browm")


def test_the_course_text_is_the_first_that_is_here_and_says_so(
    nothing_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert corpora.course_text(("brown", "lee")).name == "lee"
    output = capsys.readouterr()
    assert output.out == (
        "Text: Lee: Australian news stories, 300 background and 50 test articles; 71,520 tokens.\n"
    )
    assert output.err == ""
    corpora.course_text(("lee",), say=False)
    assert capsys.readouterr().out == ""
    with pytest.raises(corpora.CorpusMissing, match="brown"):
        corpora.course_text(("brown", "qc"))


@pytest.mark.parametrize(
    ("method", "what"),
    [
        ("tagged_sentences", "tags"),
        ("chunked_sentences", "chunks"),
        ("entity_sentences", "entities"),
        ("labelled", "labels"),
        ("instances", "senses"),
    ],
)
def test_asking_for_what_a_corpus_has_not_is_a_clear_error(method: str, what: str) -> None:
    with pytest.raises(ValueError, match=f"lee has no {what} .it has: documents"):
        list(getattr(corpora.lee(), method)())


def test_the_command_lists_every_corpus_with_its_licence(
    nothing_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["corpora"]) == 0
    listing = capsys.readouterr().out
    assert "1 of 14 corpora are on this machine." in listing
    assert "python -m elmo_mini corpora --download" in listing
    words = " ".join(listing.replace("non-\n", "non-").split())
    for name, entry in CATALOGUE.items():
        assert f"{name}: {entry.title}." in words.replace("non- ", "non-")
        assert entry.licence


def test_importing_the_package_loads_neither_torch_nor_gensim_nor_nltk() -> None:
    code = (
        "import sys; from elmo_mini import corpora;"
        "from elmo_mini.text import tokenizer, vocabulary; corpora.lee();"
        "print([m for m in ('torch', 'gensim', 'nltk', 'sklearn') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "[]", result.stderr


def made(passages: list[Passage], *, unique: bool = False) -> Corpus:
    return Corpus(
        name="made",
        title="made here",
        read=lambda: passages,
        holds=frozenset({"labels"}),
        drop_repeated_contexts=unique,
    )


def passage(text: str, **more: str) -> Passage:
    return Passage(tuple(Sentence(tuple(line.split())) for line in text.split("|")), **more)


def assert_disjoint(corpus: Corpus) -> None:
    train, dev, test = (
        {tuple(words) for words in corpus.split(part).sentences(lower=True)}  # type: ignore[arg-type]
        for part in ("train", "dev", "test")
    )
    assert train
    assert dev
    assert test
    assert not train & dev
    assert not train & test
    assert not dev & test


def test_a_drawn_split_has_eight_one_and_one_tenths_of_each_label() -> None:
    labels = ["a"] * 100 + ["b"] * 50
    corpus = made([passage(f"text {n}", label=label) for n, label in enumerate(labels)])
    shares = {
        part: [label for _, label in corpus.split(part).labelled()]  # type: ignore[arg-type]
        for part in ("train", "dev", "test")
    }
    assert {p: (s.count("a"), s.count("b")) for p, s in shares.items()} == {
        "train": (80, 40),
        "dev": (10, 5),
        "test": (10, 5),
    }
    assert_disjoint(corpus)


def test_the_draw_depends_on_neither_the_order_of_the_files_nor_the_process() -> None:
    passages = [passage(f"text {n}", name=f"file{n}") for n in range(40)]
    test = {p.name for p in made(passages).split("test").passages()}
    assert test == {p.name for p in made(passages[::-1]).split("test").passages()}
    assert test == {"file8", "file17", "file24", "file34"}


def test_sentences_of_test_leave_train_and_dev_and_those_of_dev_leave_train() -> None:
    nods = ["He nodded .", "HE nodded ."]
    passages = [passage(f"alone {n}|{nods[n % 2]}", name=f"file{n}") for n in range(40)]
    corpus = made(passages)
    assert_disjoint(corpus)
    assert len(list(corpus.split("test").sentences())) == 8
    assert len(list(corpus.split("dev").sentences())) == 4
    assert all(len(p.sentences) == 1 for p in corpus.split("train").passages())


def test_a_passage_with_nothing_left_disappears() -> None:
    passages = [passage("He nodded .", name=f"file{n}") for n in range(40)]
    assert list(made(passages).split("train").passages()) == []


def test_an_official_test_set_is_kept_whole_and_dev_is_cut_from_train() -> None:
    train = [passage(f"train {n}", part="train") for n in range(50)]
    test = [passage(f"test {n}", part="test") for n in range(7)]
    corpus = made([*train, *test, passage("test 3", part="train")])
    assert [p.sentences[0].words[1] for p in corpus.split("test").passages()] == list("0123456")
    assert len(list(corpus.split("dev").passages())) == 5
    assert_disjoint(corpus)


def test_repeated_contexts_are_drawn_once() -> None:
    passages = [passage(f"context {n % 30}", label="sense") for n in range(60)]
    corpus = made(passages, unique=True)
    words = [
        tuple(words)
        for part in ("train", "dev", "test")
        for words in corpus.split(part).sentences()  # type: ignore[arg-type]
    ]
    assert len(words) == len(set(words)) == 30


def test_a_split_that_cannot_be_made_is_refused() -> None:
    small = made([passage(f"text {n}") for n in range(9)])
    with pytest.raises(ValueError, match="too small to split: it has 9 passages"):
        small.split("test")
    with pytest.raises(ValueError, match="no part 'valid': choose one of train, dev, test"):
        corpora.lee().split("valid")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="already the train part of lee"):
        corpora.lee().split("train").split("test")
