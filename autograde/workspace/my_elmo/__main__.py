"""python -m my_elmo "She plays the cello ." "The plays were long .": vectors in context.

Of one sentence it shows the first numbers of each word's vector. Of several it shows how alike the
vectors of a word are that stands in two places. The model is the one that lies in my_elmo, or any
other in the official format: --options O.json --weights W.hdf5.
"""

import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from itertools import combinations

import torch

from my_elmo import ELMo

GLUED = re.compile(r"(\w.*)([.,;:!?])")


def main() -> None:
    """Read sentences from the command line and show their vectors."""
    parser = ArgumentParser(
        "python -m my_elmo", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("sentence", nargs="*", help="in quotes, a space between its words")
    parser.add_argument("--options", help="JSON file with the sizes of another model")
    parser.add_argument("--weights", help="HDF5 file with its weights")
    given = parser.parse_args()
    sentences = [words for text in given.sentence if (words := text.split())]
    if not sentences:
        parser.error('give a sentence in quotes: python -m my_elmo "Dogs bark ."')
    if (given.options is None) != (given.weights is None):
        parser.error("a model is two files: give --options and --weights, or neither")
    hints(sentences)
    try:
        elmo = ELMo(given.options, given.weights) if given.options else ELMo()
    except (OSError, ValueError) as wrong:
        parser.error(str(wrong))
    vectors = elmo.embed(sentences)
    if len(sentences) == 1:
        show_numbers(sentences[0], vectors[0])
    else:
        show_shared_words(sentences, vectors)


def hints(sentences: list[list[str]]) -> None:
    """What may not be meant as it was typed."""
    if len(sentences) > 1 and all(len(words) == 1 for words in sentences):
        print("Each word is a sentence here. To make them one sentence, put quotes round it.")
    for word in dict.fromkeys(word for words in sentences for word in words):
        if glued := GLUED.fullmatch(word):
            print(f'"{word}" is read as one word; "{glued[1]} {glued[2]}" would be two.')


def show_numbers(words: list[str], vectors: torch.Tensor) -> None:
    """The first numbers of each word's vector."""
    print(f"{len(words)} word{'s' * (len(words) > 1)}, {vectors.shape[1]} numbers each")
    for word, vector in zip(words, vectors, strict=True):
        print(f"{word:>12}", *(f"{number:7.3f}" for number in vector[:6]), " …")


def show_shared_words(sentences: list[list[str]], vectors: list[torch.Tensor]) -> None:
    """The cosine of a word's vectors in each two places where it stands."""
    places: dict[str, list[tuple[str, torch.Tensor]]] = {}
    for number, (words, rows) in enumerate(zip(sentences, vectors, strict=True), start=1):
        print(f"{number}. {' '.join(words)}")
        for at, (word, row) in enumerate(zip(words, rows, strict=True), start=1):
            place = f"{number} (word {at})" if words.count(word) > 1 else f"{number}"
            places.setdefault(word, []).append((place, row))
    shared = {
        word: found
        for word, found in places.items()
        if len(found) > 1 and any(map(str.isalnum, word))
    }
    if shared:
        print("How alike are the vectors of one word in two places? A static table says 1.00.")
    else:
        print("No word stands in two places. Give sentences that share one.")
    for word, found in shared.items():
        for (one, left), (other, right) in combinations(found, 2):
            cosine = torch.cosine_similarity(left, right, 0)
            print(f"{word:>12}  in {one} and {other}: {cosine:.2f}")


main()
