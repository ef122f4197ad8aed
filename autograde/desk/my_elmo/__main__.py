"""python -m my_elmo "Dogs bark .": the vectors of a sentence's words."""

import sys

from my_elmo import embed

words = " ".join(sys.argv[1:]).split()
if not words:
    sys.exit('Give a sentence, its words parted by spaces: python -m my_elmo "Dogs bark ."')
(vectors,) = embed([words])
print("{} words, {} numbers each".format(*vectors.shape))
for word, vector in zip(words, vectors, strict=True):
    print(f"{word:>12}", *(f"{number:7.3f}" for number in vector[:6]), " …")
