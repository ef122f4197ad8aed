"""Corpus readers, one for each format: from the files of a corpus to its passages."""

import re
from collections.abc import Callable, Iterable, Iterator
from html import unescape

from elmo_mini.corpora.files import Store, reading
from elmo_mini.corpora.passages import Instance, Passage, Sentence, shared
from elmo_mini.text.tokenizer import split_sentences, split_spans, tokenize, tokenize_spans

Reader = Callable[[Store], Iterator[Passage]]


def lee(store: Store) -> Iterator[Passage]:
    """One article a line. The 300 background articles are train, the other 50 are test."""
    files = (("lee_background.cor", "utf-8", "train"), ("lee.cor", "latin-1", "test"))
    for name, encoding, part in files:
        lines = store.text(name, encoding).splitlines()
        for number, line in enumerate(filter(str.strip, lines), start=1):
            yield Passage(_plain(line), name=f"{name}:{number}", part=part)


def brown(store: Store) -> Iterator[Passage]:
    """``word/tag`` tokens, one sentence a line, one file a document; the genre is its label."""
    genres = _genres(store, "cats.txt")
    for name, text in store.texts(sorted(genres), "ascii"):
        yield Passage(_tagged_lines(text, "/"), name=name, label=genres[name])


def masc(store: Store) -> Iterator[Passage]:
    """``word_tag`` tokens, one sentence a line, one file a document. Three files have no genre."""
    genres = _genres(store, "categories.txt")
    names = [name for name in store.names() if re.match(r"(spoken|written)/.*\.txt$", name)]
    for name, text in store.texts(names, "utf-8"):
        label = genres.get(name, "uncategorised")
        yield Passage(_tagged_lines(text, "_"), name=name, label=label)


def conll2000(store: Store) -> Iterator[Passage]:
    """One token a line, ``word tag chunk``, an empty line between sentences."""
    for part in ("train", "test"):
        text = store.text(f"{part}.txt", "ascii")
        with reading(store.path, store.name, f"{part}.txt"):
            for block in filter(None, text.strip().split("\n\n")):
                columns = zip(*(line.split() for line in block.splitlines()), strict=True)
                words, tags, chunks = map(shared, columns)
                yield Passage((Sentence(words, tags, chunks),), part=part)


def senseval(store: Store) -> Iterator[Passage]:
    """Marked-up contexts, one instance a passage. The mark-up is not XML, so it is scanned.

    The paragraph marks among the words are left out.
    """
    for word in ("hard", "interest", "line", "serve"):
        text = store.text(f"{word}.pos", "ascii")
        with reading(store.path, store.name, f"{word}.pos"):
            for block in text.split("<instance ")[1:]:
                yield _instance(word, block)


def qc(store: Store) -> Iterator[Passage]:
    """``COARSE:fine question``, one a line; the fine label keeps the coarse one in front."""
    for part in ("train", "test"):
        text = store.text(f"{part}.txt", "latin-1")
        with reading(store.path, store.name, f"{part}.txt"):
            for line in filter(None, text.splitlines()):
                fine, question = line.split(maxsplit=1)
                coarse, _ = fine.split(":")
                sentence = Sentence(shared(question.split()))
                yield Passage((sentence,), label=coarse, fine_label=fine, part=part)


def two_files(*labels: tuple[str, str]) -> Reader:
    """A reader for one tokenised sentence a line, one file for each label."""

    def read(store: Store) -> Iterator[Passage]:
        for name, label in labels:
            for words in map(str.split, store.text(name, "utf-8").split("\n")):
                if words:
                    yield Passage((Sentence(shared(words)),), label=label)

    return read


def movie_reviews(store: Store) -> Iterator[Passage]:
    """One review a file, one tokenised sentence a line, ``neg/`` and ``pos/`` folders."""
    names = [name for name in store.names() if name.endswith(".txt") and "/" in name]
    for name, text in store.texts(names, "ascii"):
        sentences = tuple(Sentence(shared(w)) for w in map(str.split, text.split("\n")) if w)
        yield Passage(sentences, name=name, label=name.split("/")[0])


def plain(*encodings: str) -> Reader:
    """A reader for running text, one document a file, tried in these encodings in turn.

    Underscores, which mark italics in such files, are taken out.
    """

    def read(store: Store) -> Iterator[Passage]:
        names = [name for name in store.names() if name.endswith(".txt")]
        for name, text in store.texts(names, *encodings):
            yield Passage(_plain(text.replace("_", " ")), name=name)

    return read


def treebank(store: Store) -> Iterator[Passage]:
    """Bracketed trees, one file a document; the leaves without the traces (``-NONE-``)."""
    leaf = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
    names = [name for name in store.names() if re.fullmatch(r"combined/wsj_\d+\.mrg", name)]
    for name, text in store.texts(names, "ascii"):
        trees = re.split(r"^\(", text, flags=re.MULTILINE)
        leaves = ([(w, t) for t, w in leaf.findall(tree) if t != "-NONE-"] for tree in trees)
        sentences = (Sentence(*map(shared, zip(*tree, strict=True))) for tree in leaves if tree)
        yield Passage(tuple(sentences), name=name)


def ieer(store: Store) -> Iterator[Passage]:
    """Newswire with marked entities, one story a passage; sentences are split and labelled here."""
    story = re.compile(r"<DOC>(.*?)</DOC>", re.DOTALL)
    for name in store.names():
        if name != "README":
            text = store.text(name, "latin-1")
            with reading(store.path, store.name, name):
                for number, match in enumerate(story.finditer(text), start=1):
                    body = match[1].partition("<TEXT>")[2].partition("</TEXT>")[0]
                    yield Passage(_entities(body), name=f"{name}:{number}")


def _plain(text: str) -> tuple[Sentence, ...]:
    return tuple(Sentence(shared(tokenize(sentence))) for sentence in split_sentences(text))


def _tagged_lines(text: str, mark: str) -> tuple[Sentence, ...]:
    lines = (_tagged(line.split(), mark) for line in text.split("\n"))
    return tuple(sentence for sentence in lines if sentence.words)


def _tagged(pieces: list[str], mark: str) -> Sentence:
    """Tokens with tags. MASC has tokens with a blank inside, ``D. C._NN``: both get the tag."""
    parts = [piece.rpartition(mark) for piece in pieces]
    if all(word for word, _, _ in parts):  # the rule; the loop is for what breaks it
        return Sentence(shared(w for w, _, _ in parts), shared(t.upper() for _, _, t in parts))
    words: list[str] = []
    tags: list[str] = []
    for piece, (word, separator, tag) in zip(pieces, parts, strict=True):
        if not separator:
            words.append(piece)
            continue
        if word:
            words.append(word)
        while len(tags) < len(words):
            tags.append(tag.upper())
    tags += [""] * (len(words) - len(tags))
    return Sentence(shared(words), shared(tags))


def _genres(store: Store, name: str) -> dict[str, str]:
    text = store.text(name, "utf-8")
    with reading(store.path, store.name, name):
        pairs = (line.split() for line in text.splitlines() if line.strip())
        return {file: genre for file, genre in pairs}  # noqa: C416 (dict() would hide the two)


_PARAGRAPH = "FRASL"
_ANSWER = re.compile(r'senseid="([^"]+)"')
_HEAD_OR_WORD = re.compile(
    r"""(?P<head><head>)
      | <wf\s+pos=(?:"(?P<a>[^"]+|")"|'(?P<b>[^']+)')>\s*(?P<word>.*?)\s*</wf>
      | <[^>]*>                      # sentence, paragraph and font marks
      | (?P<bare>[^\s<]+)            # a few words without a tag
    """,
    re.VERBOSE | re.DOTALL,
)


def _instance(word: str, block: str) -> Passage:
    (sense,) = _ANSWER.findall(block)
    context = block.partition("<context>")[2].partition("</context>")[0]
    tokens: list[tuple[str, str]] = []
    position = None
    for match in _HEAD_OR_WORD.finditer(context):
        if match["head"]:
            position = len(tokens)
        elif (token := match["word"] or match["bare"]) and token != _PARAGRAPH:
            tokens.append((unescape(token), match["a"] or match["b"] or ""))
    if position is None:
        raise ValueError("an instance without its head word")
    words, tags = (shared(column) for column in zip(*tokens, strict=True))
    instance = Instance(words, tags, word=word, position=position, sense=sense)
    return Passage((instance,), label=sense, fine_label=word)


_ENTITY = re.compile(r"<b_\w+ type=\"(?P<kind>[^\"|]+)[^>]*>(?P<name>.*?)<e_\w+>", re.DOTALL)
_MARK = re.compile(r"<[^>]*>")


def _entities(body: str) -> tuple[Sentence, ...]:
    """Take the marks out of a story, remember what they covered, and label its tokens by place."""
    kinds: list[str] = []
    text, done = "", 0
    for match in _ENTITY.finditer(body):
        text += _MARK.sub("", body[done : match.start()])
        kinds += [""] * (len(text) - len(kinds))
        name = _MARK.sub("", match["name"])
        text += name
        done = match.end()
        kinds += ["B-" + match["kind"]] + ["I-" + match["kind"]] * (len(name) - 1)
    text += _MARK.sub("", body[done:])
    kinds += [""] * (len(text) - len(kinds))
    text = text.replace("\n\t", "\n\n")  # a tab opens a paragraph
    sentences = []
    for first, last in split_spans(text):
        spans = tokenize_spans(text[first:last])
        words = shared(text[first + start : first + end] for start, end in spans)
        labels = _iob2(kinds[first + start] or "O" for start, _ in spans)
        sentences.append(Sentence(words, entities=labels))
    return tuple(sentences)


def _iob2(labels: Iterable[str]) -> tuple[str, ...]:
    """An ``I-`` that continues nothing, because a token hid its ``B-``, becomes the ``B-``."""
    mended, before = [], "O"
    for label in labels:
        opens = label.startswith("I-") and before[2:] != label[2:]
        mended.append("B-" + label[2:] if opens else label)
        before = label
    return shared(mended)
