"""The tagging data: parts that do not overlap, nested draws, vectors of the frozen biLM."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from elmo_mini import corpora
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.tagging.data import (
    EntitiesDamaged,
    chunking,
    entities,
    few,
    read_entities,
    with_lm_layers,
    with_lm_vectors,
)
from elmo_mini.tagging.spans import spans_of
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.text.tokenizer import tokenize


def names(sentences: list[TaggedSentence]) -> set[str]:
    return {" ".join(s.words[x.start : x.end]) for s in sentences for x in spans_of(s.labels)}


def test_the_courses_entities_are_as_its_page_says() -> None:
    expected = {
        "train": (78, {"PER": 29, "LOC": 39, "ORG": 23}),
        "dev": (20, {"PER": 7, "LOC": 9, "ORG": 7}),
        "test": (62, {"PER": 22, "LOC": 29, "ORG": 19}),
    }
    page = (Path(corpora.__file__).parents[1] / "data" / "README.md").read_text(encoding="utf-8")
    for part, (count, kinds) in expected.items():
        found = entities(part)  # type: ignore[arg-type]
        assert len(found) == count
        assert Counter(x.kind for s in found for x in spans_of(s.labels)) == kinds
        assert f"| {part} | {count} | " + " | ".join(map(str, kinds.values())) in page
    train, dev, test = (entities(part) for part in ("train", "dev", "test"))  # type: ignore[arg-type]
    assert not names(test) & (names(train) | names(dev))
    assert len({s.words for s in (*train, *dev, *test)}) == 160


def test_the_courses_entities_are_tokenised_as_the_course_tokenises() -> None:
    for part in ("train", "dev", "test"):
        for sentence in entities(part):  # type: ignore[arg-type]
            assert tokenize(" ".join(sentence.words)) == list(sentence.words)


def test_brackets_are_read(tmp_path: Path) -> None:
    file = tmp_path / "e.txt"
    file.write_text("# train\n[PER Ada King] met [ORG BBC] .\n# test\nNo name .\n", "utf-8")
    assert read_entities(file, "train") == [
        TaggedSentence(("Ada", "King", "met", "BBC", "."), ("B-PER", "E-PER", "O", "S-ORG", "O"))
    ]
    assert read_entities(file, "test") == [TaggedSentence(("No", "name", "."), ("O",) * 3)]
    assert read_entities(file, "dev") == []
    with pytest.raises(ValueError, match="no part 'all'"):
        read_entities(file, "all")  # type: ignore[arg-type]


@pytest.mark.parametrize("line", ["[PER Ada met", "Ada] met", "[PER] met", "[] met", "[[PER Ada]]"])
def test_broken_brackets_are_named_with_their_line(line: str, tmp_path: Path) -> None:
    file = tmp_path / "e.txt"
    file.write_text(f"# train\nFine .\n{line}\n", "utf-8")
    with pytest.raises(EntitiesDamaged, match=r"e\.txt, line 3"):
        read_entities(file, "train")


def test_draws_are_nested_and_differ_by_seed() -> None:
    pool = [TaggedSentence((str(i),), ("O",)) for i in range(1000)]
    one, ten = few(pool, 0.01, 3), few(pool, 0.1, 3)
    assert (len(one), len(ten), len(few(pool, 1.0, 3))) == (10, 100, 1000)
    assert ten[:10] == one == few(pool, 0.01, 3) != few(pool, 0.01, 4)
    assert len(few(pool[:5], 0.01, 0)) == 1
    assert pool[0].words == ("0",)
    for share in (0, 1.5):
        with pytest.raises(ValueError, match="above 0"):
            few(pool, share, 0)


def test_lm_vectors_are_the_top_layer_forward_half_first() -> None:
    torch.manual_seed(0)
    bilm = FastBiLM(BiLMOptions(projection_dim=6, dim=8, filters=((1, 4), (2, 4)))).eval()
    before = [TaggedSentence(("A", "cat", "sat"), ("O",) * 3), TaggedSentence(("Go",), ("O",))]
    after = with_lm_vectors(bilm, before)
    embedder = ElmoEmbedder(module=bilm)
    for old, new in zip(before, after, strict=True):
        assert new[:2] == old[:2]
        assert new.lm is not None
        top = embedder.embed_sentence(old.words)[-1]
        np.testing.assert_allclose(new.lm, top, atol=2e-3)
    changed = with_lm_vectors(bilm, [TaggedSentence(("A", "cat", "ran"), ("O",) * 3)])[0].lm
    assert changed is not None
    assert after[0].lm is not None
    assert np.array_equal(changed[:2, :6], after[0].lm[:2, :6])  # forward: does not see it
    assert not np.allclose(changed[:2, 6:], after[0].lm[:2, 6:])
    with pytest.raises(ValueError, match="there is no layer 9; choose from -3 to 2"):
        with_lm_layers(bilm, before, (0, 9))


def test_chunking_leaves_no_test_sentence_in_train() -> None:
    try:
        train, dev, test = (chunking(part) for part in ("train", "dev", "test"))  # type: ignore[arg-type]
    except corpora.CorpusMissing as error:
        pytest.skip(str(error))
    words = [{tuple(w.lower() for w in s.words) for s in part} for part in (train, dev, test)]
    assert not words[0] & words[1]
    assert not words[0] & words[2]
    assert (len(train), len(dev), len(test)) == (8008, 893, 2012)
    assert sum(len(spans_of(s.labels)) for s in test) == 23_852  # facts of the shared task


def test_lm_vectors_too_large_for_their_type_are_refused() -> None:
    bilm = load_pretrained()
    bilm.token_encoder.projection.bias.data[0] = 70_000.0
    with pytest.raises(ValueError, match="do not fit float16"):
        with_lm_vectors(bilm, [TaggedSentence(("a",))], layer=0)
