"""What an answer that is a class is told: whose stub it is, and in which line it stopped."""

from typing import Any

import pytest

from autograde.checking.catalogue import find
from autograde.checking.check import check, examine, or_reference

ASKED = find("CharCNN")


def written(source: str) -> Any:
    """A class as a notebook's cell defines it."""
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return namespace["CharCNN"]


RELEASED = """
from torch import nn
class CharCNN(nn.Module):
    def __init__(self, weights):
        super().__init__()
        # YOUR CODE HERE
        raise NotImplementedError()

    def forward(self, ids):
        # YOUR CODE HERE
        raise NotImplementedError()
"""


def test_a_class_as_released_is_not_started() -> None:
    report = examine(ASKED, written(RELEASED))
    assert report.points == 0
    assert "Not started yet" in report.message


def test_a_stub_below_a_decorator_is_not_started() -> None:
    namespace: dict[str, Any] = {}
    stub = "    # YOUR CODE HERE\n    raise NotImplementedError()\n"
    exec(f"import torch\n@torch.no_grad()\ndef scalar_mix(layers, w, gamma):\n{stub}", namespace)
    report = examine(find("scalar_mix"), namespace["scalar_mix"])
    assert report.points == 0
    assert "Not started yet" in report.message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("# YOUR CODE HERE\n        raise NotImplementedError()\n\n", "self.w = 1\n\n"),
            "`forward`",
        ),
        (("def forward", "def foward"), "Not started yet"),
        (
            (
                "super().__init__()\n        # YOUR CODE HERE\n        raise",
                "super().__init__()\n        list().x\n        raise",
            ),
            "line 6 of your cell",
        ),
    ],
)
def test_a_class_half_written_is_told_which_half(change: tuple[str, str], said: str) -> None:
    report = examine(ASKED, written(RELEASED.replace(*change, 1)))
    assert report.points == 0
    assert said in report.text()


def test_a_class_without_forward_is_told_so() -> None:
    without = RELEASED.split("    def forward")[0].replace("raise NotImplementedError()", "")
    assert 'missing the required "forward"' in examine(ASKED, written(without)).message


@pytest.mark.parametrize("line", ["made(weights)", "[made(w) for w in [weights]]", "asks(weights)"])
def test_a_class_is_examined_anew_when_a_function_that_it_calls_changes(line: str) -> None:
    answer = written(
        "from elmo_mini.models import elmo as plain\n"
        "def made(weights): raise NotImplementedError\n"
        "def asks(weights): return made(weights)\n"
        "class CharCNN(plain.CharCNN):\n"
        "    def __init__(self, weights):\n"
        f"        {line}\n"
        "        super().__init__(weights)\n"
    )
    assert check("CharCNN", answer) == 0
    answer.__init__.__globals__["made"] = len
    assert or_reference("CharCNN", answer) is answer
