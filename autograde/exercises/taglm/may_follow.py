"""Exercise `may_follow`: which label may follow which."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    plain,
)
from autograde.exercises.taglm import LESSON
from elmo_mini.tagging import constrained_crf


def may_follow(before: str, after: str) -> bool:
    """Whether BIOES lets ``after`` stand right behind ``before``; see `label_rules`."""
    return constrained_crf.may_follow(before, after)


def _kinds(*kinds: str) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        labels = ["O"] + [f"{mark}-{kind}" for kind in kinds for mark in "BIES"]
        return {"labels": [labels[int(i)] for i in rng.permutation(len(labels))]}

    return make


def _every_pair(answer: Answer, inputs: Inputs) -> Plain:
    """What the answer says of every pair, under its name, so that a difference names the pair."""
    lines: dict[str, str] = {}
    for before in [constrained_crf.START, *inputs["labels"]]:
        for after in [*inputs["labels"], constrained_crf.END]:
            nothing_between = (before, after) == (constrained_crf.START, constrained_crf.END)
            if nothing_between and inputs["labels"]:
                continue  # a sentence without words is a case of its own
            said = plain(answer(before, after))
            if said is None:
                raise AnswerRefused(
                    f"For {before} then {after} your function returned None. Return True or False."
                )
            if isinstance(said, np.ndarray) and said.ndim == 0:
                said = said.item()
            if not isinstance(said, bool | int):
                raise AnswerRefused(
                    f"For {before} then {after} your function returned {said!r}. Return True or "
                    "False."
                )
            lines[f"{before} then {after}"] = "may" if said else "must not"
    return lines


def _rule(
    before: str,
    after: str,
    *,
    kinds: bool = True,
    side_by_side: bool = True,
    opens: str = "OBS",
    open_after: str = "BI",
    free_start: bool = False,
    free_end: bool = False,
) -> bool:
    """The rule with one thing done otherwise."""
    if before == constrained_crf.START:
        return free_start or after[:1] in opens or after == constrained_crf.END
    if after == constrained_crf.END:
        return free_end or before[:1] not in open_after
    if before[:1] in open_after:
        return after[:1] in "IE" and (not kinds or before[2:] == after[2:])
    if not side_by_side and before[:1] in "ES" and after[:1] in "BS":
        return False
    return after[:1] in opens


def _bio_rule(before: str, after: str) -> bool:
    if after[:1] in "IE":
        return before[:1] in "BI" and before[2:] == after[2:]
    return True


def _rule_by_table(before: str, after: str) -> bool:
    inside = {"<": False, "O": False, "E": False, "S": False, "B": True, "I": True}[before[0]]
    goes_on = after[0] in "IE"
    return inside == goes_on and (not inside or before.split("-", 1)[1] == after.split("-", 1)[1])


def _compares(kind: Callable[[str], str], before: str, after: str) -> bool:
    """The rule, when only a part of each kind is compared."""
    if before[:1] in "BI" and after[:1] in "IE":
        return kind(before[2:]) == kind(after[2:])
    return _rule(before, after)


EXERCISE = Exercise(
    id="may_follow",
    title="Which label may follow which",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=3,
    minutes=10,
    reference=may_follow,
    run=_every_pair,
    cases=(
        Case("one kind", _kinds("NP")),
        Case("two kinds", _kinds("PER", "LOC"), weight=2),
        Case("kinds that begin with E, I and S", _kinds("EVENT", "ITEM", "SITE"), edge=True),
        Case(
            "kinds that begin or end alike",
            _kinds("PERSON", "PERIOD", "SEASON"),
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
            "a sentence without words",
            lambda rng: {"labels": []},
            weight=0.5,
            edge=True,
            asks="`<start>` then `<end>` is allowed: nothing is open.",
        ),
    ),
    mistakes=(
        Mistake(
            "the rules of BIO",
            _bio_rule,
            "These are the rules of BIO, where a span may stop anywhere. In BIOES a span that "
            "was opened with B must be closed with E.",
            hint=1,
        ),
        Mistake(
            "the rules of BIO, where E is nothing special",
            lambda before, after: (
                not after.startswith("I-") or (before[:1] in "BI" and before[2:] == after[2:])
            ),
            "These are the rules of BIO: only I needs an open span. In BIOES so does E, and a span "
            "that was opened with B must be closed with E.",
            hint=1,
        ),
        Mistake(
            "E may come from anywhere",
            lambda before, after: _rule(before, after, opens="OBSE"),
            "You let E stand where no span is open. E closes what B opened; a span of a single "
            "word is S.",
            hint=2,
        ),
        Mistake(
            "the kinds must always be equal",
            lambda before, after: _rule(before, after) and before[2:] == after[2:],
            "You compare the kinds at every pair. They must agree only inside a span: after O or E "
            "a span of any kind may begin.",
            hint=3,
        ),
        Mistake(
            "the kind is not compared",
            lambda before, after: _rule(before, after, kinds=False),
            "B-PER may not be followed by I-LOC: inside a span the kind stays the same.",
            hint=2,
        ),
        Mistake(
            "I may come from anywhere",
            lambda before, after: _rule(before, after, opens="OBSIE"),
            "You let I or E stand where no span is open. They only continue what B opened.",
            hint=2,
        ),
        Mistake(
            "no two spans side by side",
            lambda before, after: _rule(before, after, side_by_side=False),
            "Two spans may touch: after E or S a new span may begin at once.",
            hint=2,
        ),
        Mistake(
            "S leaves a span open",
            lambda before, after: _rule(before, after, open_after="BIS"),
            "S is a whole span of one word. After it nothing is open.",
            hint=1,
        ),
        Mistake(
            "E leaves a span open",
            lambda before, after: _rule(before, after, open_after="BIE"),
            "E closes the span. After it nothing is open.",
            hint=1,
        ),
        Mistake(
            "anything may begin a sentence",
            lambda before, after: _rule(before, after, free_start=True),
            "At `<start>` nothing is open, so a sentence cannot begin with I or E.",
            hint=3,
        ),
        Mistake(
            "anything may end a sentence",
            lambda before, after: _rule(before, after, free_end=True),
            "At `<end>` nothing may be open, so B and I cannot be the last label.",
            hint=3,
        ),
        Mistake(
            "everything may follow everything",
            lambda before, after: True,
            "Your answer is always True. Which labels can only stand where a span is open?",
            hint=1,
        ),
        Mistake(
            "the answer is turned round",
            lambda before, after: not _rule(before, after),
            "Your rule is right and its answer is turned round: True means that it may follow.",
        ),
        Mistake(
            "the label before is not looked at",
            lambda before, after: after[:1] not in ("I", "E"),
            "You allow a label by itself, whatever stands before it. I and E go on with a span "
            "that `before` has opened; all others need that `before` has left none open.",
            hint=1,
        ),
        Mistake(
            "the label after is not looked at",
            lambda before, after: before[:1] not in ("B", "I"),
            "You only ask whether `before` leaves a span open, whatever comes after. In an open "
            "span I and E of its kind may follow.",
            hint=1,
        ),
        Mistake(
            "the kinds must differ",
            lambda before, after: (
                before[:1] in "BI" and before[2:] != after[2:]
                if after[:1] in "IE"
                else before[:1] not in "BI"
            ),
            "Inside a span you ask for *another* kind. I and E go on with the kind that was "
            "opened.",
            hint=2,
        ),
        Mistake(
            "only E goes on",
            lambda before, after: (
                (before[:1] in "BI") == (after[:1] == "E")
                and (before[:1] not in "BI" or before[2:] == after[2:])
            ),
            "You treat I as a label that stands outside. Both I and E go on with an open span.",
            hint=1,
        ),
        Mistake(
            "only the ends of the kinds are compared",
            lambda before, after: _compares(lambda kind: kind[-2:], before, after),
            "You compare only how the kinds end, so PERSON and SEASON are the same to you. Compare "
            "all that follows the first hyphen: `before[2:] == after[2:]`.",
            hint=3,
        ),
        Mistake(
            "only the beginnings of the kinds are compared",
            lambda before, after: _compares(lambda kind: kind[:3], before, after),
            "You compare only how the kinds begin, so PERSON and PERIOD are the same to you. "
            "Compare all that follows the first hyphen: `before[2:] == after[2:]`.",
            hint=3,
        ),
        Mistake(
            "only what follows the last hyphen is compared",
            lambda before, after: _compares(lambda kind: kind.split("-")[-1], before, after),
            "A kind may hold a hyphen, as NON-GPE does, and you compare only what follows the last "
            "one. Compare all that follows the first: `before[2:] == after[2:]`.",
            hint=3,
        ),
        Mistake(
            "only what stands before the second hyphen is compared",
            lambda before, after: _compares(lambda kind: kind.split("-")[0], before, after),
            "A kind may hold a hyphen, as NON-GPE does, and you drop what follows it. Compare all "
            "that follows the first hyphen of the label: `before[2:] == after[2:]`.",
            hint=3,
        ),
        Mistake(
            "a sentence without words is forbidden",
            lambda before, after: (
                _rule(before, after)
                and (before, after) != (constrained_crf.START, constrained_crf.END)
            ),
            "You forbid `<end>` right behind `<start>`. That is a sentence without words: nothing "
            "is open, so it may end.",
            hint=3,
        ),
    ),
    right_answers={"open before, open after": _rule, "a table": _rule_by_table},
)
