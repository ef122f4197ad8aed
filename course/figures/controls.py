"""Which of the compared are baselines or controls: counted, drawn, untrained, or blind to context.

They are hollow in every figure of the course: what is asked about is full.
"""

import re

CONTROL = re.compile(
    r"(all |what )?counts?\b|counted vectors|naive bayes|bag\b|clues\b|ceiling|chance|spelling|"
    r"random|fresh$|"
    r"from scratch|nothing$|no lm|two words|average around|word2vec, no context|svd\b|commonest|"
    r"shared words|last word|table of|letters to change|(your|longest) common ending|"
    r"features( and counts)?$|layer 0 around|layer 0, (no context|word before)|.*words shuffled$"
)
UNTRAINED = re.compile(r"\b(untrained|not trained)\b")
BESIDE_A_NETWORK = re.compile(r"\b(yours|states?|masked|bilm|layer \d)\b|mixed")
DIFFERENCE = re.compile(r"\b(less|over)\b")


def is_control(name: str) -> bool:
    """Whether a bar or a line of this name is a baseline or a control.

    Counts beside a network (*counts, yours*) are none, nor is a difference from a control.
    """
    said = " ".join(name.split()).lower()
    if DIFFERENCE.search(said):
        return False
    if UNTRAINED.search(said):
        return True
    network = BESIDE_A_NETWORK.search(said) and not said.startswith("layer 0")
    return bool(CONTROL.match(said)) and not network
