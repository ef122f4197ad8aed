"""Exercise `may_follow`: which label may follow which."""

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.taglm import LESSON
from elmo_mini.tagging import constrained_crf


def may_follow(before: str, after: str) -> bool:
    """Whether BIOES lets ``after`` stand right behind ``before``; see `label_rules`."""
    return constrained_crf.may_follow(before, after)


@Case.drawn
def _kinds(rng: Random, *kinds: str) -> Inputs:
    labels = ["O"] + [f"{mark}-{kind}" for kind in kinds for mark in "BIES"]
    return {"labels": [labels[int(i)] for i in rng.permutation(len(labels))]}


def _every_pair(answer: Answer, inputs: Inputs) -> Plain:
    """What the answer says of every pair, under its name, so that a difference names the pair."""
    lines: dict[str, str] = {}
    for before in [constrained_crf.START, *inputs["labels"]]:
        for after in [*inputs["labels"], constrained_crf.END]:
            nothing_between = (before, after) == (constrained_crf.START, constrained_crf.END)
            if nothing_between and inputs["labels"]:
                continue  # a sentence without words is a case of its own
            said = plain(answer(before, after))
            if isinstance(said, np.ndarray) and said.ndim == 0:
                said = said.item()
            if not isinstance(said, bool):
                raise AnswerRefused(
                    f"For {before} then {after} your function returned {said!r}. Return True or "
                    "False."
                )
            lines[f"{before} then {after}"] = "may" if said else "must not"
    return lines


def _open_and_going_on(before: str, after: str) -> bool:
    is_open = before[0] in "BI"
    goes_on = after[0] in "IE"
    if is_open != goes_on:
        return False
    return not goes_on or before[2:] == after[2:]


def _by_table(before: str, after: str) -> bool:
    inside = {"<": False, "O": False, "E": False, "S": False, "B": True, "I": True}[before[0]]
    goes_on = after[0] in "IE"
    return inside == goes_on and (not inside or before.split("-", 1)[1] == after.split("-", 1)[1])


SLIPS = """
--- hint 1
the rules of BIO: is_open != goes_on -> goes_on and not is_open
    These are the rules of BIO, where a span may stop anywhere. In BIOES a span that was opened with
    B must be closed with E.
the rules of BIO, where E is nothing special: "IE" -> "I" \
        && is_open != goes_on -> goes_on and not is_open
    These are the rules of BIO: only I needs an open span. In BIOES so does E, and a span that was
    opened with B must be closed with E.
S leaves a span open: "BI" -> "BIS"
    S is a whole span of one word. After it nothing is open.
E leaves a span open: "BI" -> "BIE"
    E closes the span. After it nothing is open.
everything may follow everything: return False -> return True \
        && not goes_on or before[2:] == after[2:] -> True
    Your answer is always True. Which labels can only stand where a span is open?
letters are looked for in the kind, too, with their hyphen: before[0] in "BI" \
        -> "B-" in before or "I-" in before && after[0] in "IE" -> "I-" in after or "E-" in after
letters of `before` are looked for in the kind, too, with their hyphen: before[0] in "BI" \
        -> "B-" in before or "I-" in before
letters of `after` are looked for in the kind, too, with their hyphen: after[0] in "IE" \
        -> "I-" in after or "E-" in after
letters are looked for in the kind, too: before[0] in "BI" -> "B" in before or "I" in before \
        && after[0] in "IE" -> "I" in after or "E" in after
letters of `before` are looked for in the kind, too: before[0] in "BI" \
        -> "B" in before or "I" in before
letters of `after` are looked for in the kind, too: after[0] in "IE" -> "I" in after or "E" in after
    `in` looks through the whole label, and finds the letters of the kind: the E of S-PER, the E of
    S-DATE-TIME. Ask for the first letter alone, `label[0]`.
the last letter of `before` is asked for: before[0] -> before[-1]
the last letter of `after` is asked for: after[0] -> after[-1]
the last letters are asked for: before[0] -> before[-1] && after[0] -> after[-1]
    `label[-1]` is the last letter of the kind. The letter before the hyphen is `label[0]`.
no span of two words: is_open != goes_on -> is_open != goes_on or before[0] + after[0] == "BE"
    You forbid E right behind B. That is a span of two words, and allowed.
no two spans of one kind side by side: is_open != goes_on -> is_open != goes_on \
        or (before[0] in "ES" and after[0] in "BS" and before[2:] == after[2:])
    Two spans may touch, also of one kind: after E or S a new span may begin at once.
no two words that are spans: is_open != goes_on \
        -> is_open != goes_on or before[0] + after[0] == "SS"
    Two spans of one word may touch: S may follow S.
the label before is not looked at: is_open != goes_on -> goes_on
    You allow a label by itself, whatever stands before it. I and E go on with a span that `before`
    has opened; all others need that `before` has left none open.
the label after is not looked at: is_open != goes_on -> is_open \
        && not goes_on or before[2:] == after[2:] -> True
    You only ask whether `before` leaves a span open, whatever comes after. In an open span I and E
    of its kind may follow.
only E goes on: "IE" -> "E"
    You treat I as a label that stands outside. Both I and E go on with an open span.
only I goes on: "IE" -> "I"
    You treat E as a label that stands outside. Both I and E go on with an open span.
B leaves no span open: "BI" -> "I"
    You take no span to be open after B. After B and after I a span waits for more.
I leaves no span open: "BI" -> "B"
    You take no span to be open after I. After B and after I a span waits for more.
a span may go on behind its E: is_open != goes_on -> is_open != (goes_on and before[0] != "E")
    You let I or E follow an E of its kind. E closes the span: what comes behind it begins anew.
--- hint 2
E may come from anywhere: in "IE" -> in ("IE" if is_open else "I")
    You let E stand where no span is open. E closes what B opened; a span of a single word is S.
I may come from anywhere: is_open != goes_on -> is_open and not goes_on \
        && not goes_on or -> not is_open or
    You let I or E stand where no span is open. They only continue what B opened.
no two spans side by side: \
        is_open != goes_on -> is_open != goes_on or (before[0] in "ES" and after[0] in "BS")
    Two spans may touch: after E or S a new span may begin at once.
the two must differ: is_open != goes_on -> is_open == goes_on
    You refuse a pair where the two facts agree. Refuse it where they differ: a span is open and the
    next label does not go on, or the other way round.
--- hint 3
the kinds must always be equal: not goes_on or ->
    You compare the kinds at every pair. They must agree only inside a span: after O or E a span of
    any kind may begin.
anything may begin a sentence: is_open = -> if before == "<start>": return True⏎is_open =
    At `<start>` nothing is open, so a sentence cannot begin with I or E.
anything may end a sentence: is_open = -> if after == "<end>": return True⏎is_open =
    At `<end>` nothing may be open, so B and I cannot be the last label.
the kinds are compared outside: not goes_on or -> goes_on or
    You compare the kinds where nothing goes on, and not inside a span. They must agree only inside:
    `not goes_on or ...`.
only the ends of the kinds are compared: \
        before[2:] == after[2:] -> before[2:][-2:] == after[2:][-2:]
    You compare only how the kinds end, so PERSON and SEASON are the same to you. Compare all that
    follows the first hyphen: `before[2:] == after[2:]`.
only the beginnings of the kinds are compared: before[2:] == after[2:] -> before[2:5] == after[2:5]
    You compare only how the kinds begin, so PERSON and PERIOD are the same to you. Compare all that
    follows the first hyphen: `before[2:] == after[2:]`.
the kind of `before` may go on: before[2:] == after[2:] -> after[2:].startswith(before[2:])
the kind of `after` may go on: before[2:] == after[2:] -> before[2:].startswith(after[2:])
    A kind with which another begins counts as that one, as PER and PERSON. All letters count:
    `before[2:] == after[2:]`.
the kind of `before` is looked for in `after`: before[2:] == after[2:] -> before[2:] in after
the kind of `before` is looked for at the end of `after`: before[2:] == after[2:] \
        -> after.endswith(before[2:])
the kind of `before` is looked for at the end of `after`, with its hyphen: \
        before[2:] == after[2:] -> after.endswith(before[1:])
    A kind that another holds counts as that one, as GPE and NON-GPE. All letters count:
    `before[2:] == after[2:]`.
letters of the kind are lost to `{cut}`: \
        before[2:] == after[2:] -> before.{cut}("BIES-") == after.{cut}("BIES-") \
        | cut = strip, lstrip
    `{cut}` takes off every letter that you list, so EVENT and VENT are the same to you. Cut off two
    characters: `before[2:] == after[2:]`.
letters of the kind are lost to `replace`: before[2:] == after[2:] \
        -> before.replace("B-", "").replace("I-", "") == after.replace("I-", "").replace("E-", "")
    `replace` reaches inside the kind, into JOB-NAME. Cut off two characters:
    `before[2:] == after[2:]`.
only what follows the last hyphen is compared: \
        before[2:] == after[2:] -> before.split("-")[-1] == after.split("-")[-1]
    A kind may hold a hyphen, as NON-GPE does, and you compare only what follows the last one.
    Compare all that follows the first: `before[2:] == after[2:]`.
only what stands before the second hyphen is compared: \
        before[2:] == after[2:] -> before.split("-")[1] == after.split("-")[1]
    A kind may hold a hyphen, as NON-GPE does, and you drop what follows it. Compare all that
    follows the first hyphen of the label: `before[2:] == after[2:]`.
a sentence without words is forbidden: \
        is_open = -> if (before, after) == ("<start>", "<end>"): return False⏎is_open =
    You forbid `<end>` right behind `<start>`. That is a sentence without words: nothing is open, so
    it may end.
the kind is compared where nothing is open: \
        not goes_on or -> "-" not in before or "-" not in after or
    You compare the kinds at every step. Behind a closed span the next may be of any kind: compare
    only while a span goes on.
the kind is not compared: before[2:] == after[2:] -> True
    B-PER may not be followed by I-LOC: inside a span the kind stays the same.
the kinds must differ: before[2:] == after[2:] -> before[2:] != after[2:]
    Inside a span you ask for *another* kind. I and E go on with the kind that was opened.
--- no hint
the answer is turned round: return False -> return True \
        && not goes_on or before[2:] == after[2:] -> goes_on and before[2:] != after[2:]
    Your rule is right and its answer is turned round: True means that it may follow.
"""

EXERCISE = Exercise(
    id="may_follow",
    title="Which label may follow which",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=3,
    minutes=7,
    reference=may_follow,
    run=_every_pair,
    cases=(
        Case("one kind", _kinds("NP")),
        Case("two kinds", _kinds("PER", "LOC"), weight=2),
        Case("kinds that begin with E, I and S", _kinds("EVENT", "ITEM", "SITE"), edge=True),
        Case(
            "kinds that begin or end alike",
            _kinds("PERSON", "PERIOD", "SEASON", "PER"),
            edge=True,
            asks="Two kinds are the same only if all their letters are.",
        ),
        Case(
            "kinds with a hyphen",
            _kinds("GPE", "NON-GPE", "NON-ORG"),
            edge=True,
            asks="The kind is all that follows the letter and its hyphen: NON-GPE is not GPE.",
        ),
        Case(
            "kinds with a B, an I or an E before their hyphen",
            _kinds("DATE-TIME", "SCI-FI", "JOB-NAME"),
            edge=True,
            asks="S-DATE-TIME is a span of one word: its first letter says so.",
        ),
        Case(
            "kinds that differ by an E or an S",
            _kinds("EVENT", "VENT", "VENTS"),
            edge=True,
            asks="Two kinds are the same only if all their letters are.",
        ),
        Case(
            "a sentence without words",
            lambda rng: {"labels": []},
            weight=0.5,
            edge=True,
            asks="`<start>` then `<end>` is allowed: nothing is open.",
        ),
    ),
    mistakes=slips(_open_and_going_on, SLIPS),
    right_answers={"open before, going on after": _open_and_going_on, "a table": _by_table},
)
