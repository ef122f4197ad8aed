"""``python -m elmo_mini neighbours``: what a word in a sentence is near to, layer by layer."""

import argparse

from elmo_mini import corpora
from elmo_mini.arguments import non_negative_int, positive_int, typed
from elmo_mini.checkpoints.find import add_model_arguments, model_of
from elmo_mini.embedding.cache import VectorCache
from elmo_mini.embedding.stream import Text
from elmo_mini.probing.neighbours import context_neighbours, in_brackets
from elmo_mini.text.tokenizer import tokenize


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The sentence, the word in it, where to look, and the model."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Find the occurrences of a word in a corpus whose vectors are nearest to those of the\n"
        "word in SENTENCE, by cosine, for each layer. Layer 0 sees no context: there, every\n"
        "occurrence of the same spelling is equally near."
    )
    parser.epilog = (
        "example:\n"
        '  python -m elmo_mini neighbours "She went to see a new play at the theatre." play \\\n'
        "      --forms play plays --corpus brown"
    )
    add = parser.add_argument
    add("sentence", type=typed, metavar="SENTENCE", help="text; it is split into words here")
    add("word", type=typed, metavar="WORD", help="one word of the sentence, as it stands there")
    one = "which one, if the word stands there more than once (default: 1, the first)"
    add("--occurrence", type=positive_int, default=1, metavar="N", help=one)
    add_model_arguments(parser)
    group = parser.add_argument_group("where to look")
    add = group.add_mutually_exclusive_group().add_argument
    corpus = "a corpus of `python -m elmo_mini corpora` (default: brown, or lee where it is not)"
    add("--corpus", metavar="NAME", help=corpus)
    add("--text", metavar="FILE", help="a UTF-8 text file of your own")
    add("--cache", metavar="FILE", help="a .vectors file written by `embed`")
    lines = "every line of that text is a sentence (default: stops and empty lines end one)"
    group.add_argument("--one-sentence-per-line", action="store_true", help=lines)
    add = group.add_mutually_exclusive_group().add_argument
    forms = "compare with these words, whatever their case (default: WORD alone)"
    add("--forms", type=typed, nargs="+", metavar="FORM", help=forms)
    add("--any-word", action="store_true", help="compare with every word, which is slower")
    add = parser.add_argument_group("what to show").add_argument
    layers = "layers to show (default: all)"
    add("--layers", type=non_negative_int, nargs="+", metavar="K", help=layers)
    add(
        "--top", type=positive_int, default=5, metavar="N", help="neighbours per layer (default: 5)"
    )


def run(args: argparse.Namespace) -> int:
    """Print the neighbours."""
    sentence, (name, text) = tokenize(args.sentence), _where(args)
    position = _find(args.word, sentence, args.occurrence)
    found = context_neighbours(
        model_of(args),
        sentence,
        position,
        text,
        forms=args.forms,
        any_word=args.any_word,
        layers=args.layers,
        topn=args.top,
    )
    print(f"\nNearest to: {in_brackets(sentence, position)}\nin {name}")
    for layer, neighbours in found.items():
        print(f"\nlayer {layer}{' (no context)' if layer == 0 else ''}")
        for neighbour in neighbours:
            print(f"  {neighbour}")
        if not neighbours:
            print("  no such word in another sentence of this text")
    return 0


def _find(word: str, sentence: list[str], occurrence: int) -> int:
    places = [place for place, other in enumerate(sentence) if other == word]
    if not places:
        raise ValueError(f"{word!r} is no word of the sentence; its words are: {sentence}")
    if occurrence > len(places):
        raise ValueError(f"{word!r} stands there {len(places)} times; there is no {occurrence}.")
    return places[occurrence - 1]


def _where(args: argparse.Namespace) -> tuple[str, Text | VectorCache]:
    """What is searched, and its name."""
    lines: bool = args.one_sentence_per_line
    if lines and args.text is None:
        raise ValueError(
            "--one-sentence-per-line says how a text file is read; name one with --text FILE, or "
            "leave it out"
        )
    if args.cache is not None:
        return args.cache, VectorCache(args.cache)
    if args.text is not None:
        return args.text, corpora.from_text_file(args.text, one_sentence_per_line=lines).sentences
    corpus = corpora.course_text() if args.corpus is None else corpora.load(args.corpus)
    return corpus.name, corpus.sentences
