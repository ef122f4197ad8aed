"""What lesson 10 says of its stored results, and what its checks say of odd answers."""

from typing import Any

import pytest
import torch
from torch import nn

from autograde.checking.catalogue import find
from autograde.checking.check import examine
from course.awd_lstm import figures
from course.results.intervals import interval
from course.results.stored import stored_result

ABLATION = stored_result("awd_lstm_ablation").numbers
LARGER = stored_result("awd_lstm_larger").numbers
LONGER = stored_result("awd_lstm_longer").numbers
DROPOUT = stored_result("awd_lstm_dropout").numbers


def crosses_0(point: dict[str, Any]) -> bool:
    return bool(point["low"] <= 0 <= point["high"])


def test_stopping_early_is_the_great_step() -> None:
    systems, ahead = LARGER["systems"], LARGER["better than"]
    last, early = (systems[f"nothing, {when}"]["mean"] for when in ("last epoch", "stopped early"))
    averaging = systems["averaging alone, last epoch"]["mean"]
    assert last > 1.5 * averaging > 1.5 * 1.2 * early
    assert ahead["nothing, stopped early"]["low"] > 1  # "add 2.2 points to it"
    for text in (LARGER, ABLATION):  # "clearly beat only the first"
        assert text["better than"]["nothing, stopped early"]["low"] > 0
        assert crosses_0(text["better than"]["ordinary dropout, stopped early"])


def test_what_is_said_of_the_parts() -> None:
    alone, without = ABLATION["better with it alone"], ABLATION["worse without"]
    clear = {name for name, point in alone.items() if point["low"] > 0}
    assert clear == {"AR and TAR", "locked dropout"}
    assert set(alone["averaging"]["values"]) == {0.0}
    assert {name for name, point in without.items() if point["low"] > 0} == {"tied softmax"}
    assert sum(map(crosses_0, [*alone.values(), *without.values()])) > 7
    assert without["averaging"]["mean"] <= 0  # "no better best one"


def test_what_is_said_of_the_parts_on_more_text() -> None:
    alone = LARGER["better with it alone"]
    clear = {name for name, point in alone.items() if point["low"] > 0}
    assert clear == {"AR and TAR", "locked dropout"}
    assert abs(alone["averaging"]["mean"]) < 0.1  # "next to nothing"
    assert abs(alone["weight drop"]["mean"]) < 0.2  # "no gain on either text"
    assert crosses_0(ABLATION["better with it alone"]["weight drop"])
    behind = LARGER["better than it alone"]  # "any one of them, but not of AR and TAR"
    assert {name for name, point in behind.items() if crosses_0(point)} == {"AR and TAR"}
    assert LARGER["worse without"]["tied softmax"]["low"] > 0


def test_ordinary_dropout_stands_beside_locked() -> None:
    ordinary = figures.alone(ABLATION)["ordinary dropout"]
    assert ordinary["low"] > 0  # "three others help"
    assert figures.alone(LARGER)["ordinary dropout"]["low"] > 0  # "each of the two helps on both"
    picture = figures.worth_of_parts(ABLATION)
    assert picture.description.count("ordinary dropout") >= 2  # its mean and its interval


def test_with_more_epochs_the_whole_is_ahead() -> None:
    ahead = LONGER["better than ordinary dropout"]
    assert ahead["all of it"]["low"] > 0
    assert ahead["all of it without averaging"]["mean"] > ahead["all of it"]["mean"]
    assert crosses_0(ahead["ordinary dropout with averaging"])
    assert crosses_0(LONGER["worse without weight drop, not averaged"])


def test_dropout_helps_a_little_at_both_sizes() -> None:
    ordinary = ABLATION["systems"]["ordinary dropout, stopped early"]["values"]
    whole = figures.gains_of_dropout(DROPOUT["the whole text"], ordinary)
    assert crosses_0(interval(whole))  # "not clearly"
    for size in ("the whole text", "a tenth"):
        means = [point["mean"] for point in DROPOUT[size]["test"].values()]
        assert max(means) < 1.05 * min(means)
        assert interval(figures.gains_of_dropout(DROPOUT[size]))["low"] > 0
        assert min(DROPOUT[size]["best on dev"]) >= 0.6


def test_no_remedy_at_all_is_behind_on_the_whole_text_alone() -> None:
    whole, tenth = (DROPOUT[size]["better than nothing"] for size in ("the whole text", "a tenth"))
    assert {factor for factor, point in whole.items() if crosses_0(point)} == {"0.0"}
    assert all(map(crosses_0, tenth.values()))
    starts = DROPOUT["a tenth"]["nothing, stopped early"]["values"]
    assert round(max(starts) - min(starts)) == 8  # "eight points apart"
    assert "no remedy at all" in figures.by_factor(DROPOUT).description


class AsPublished(nn.Module):
    """Weight drop that puts another matrix into the LSTM at each call."""

    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.lstm, self.p = lstm, p
        self.raw = nn.Parameter(dict(lstm.named_parameters())["weight_hh_l0"].detach().clone())
        del lstm._parameters["weight_hh_l0"]

    def forward(self, x: torch.Tensor, state: Any = None) -> Any:
        """As an LSTM."""
        thin = nn.functional.dropout(self.raw, self.p, self.training)
        self.lstm.weight_hh_l0 = thin
        return self.lstm(x, state)


@pytest.mark.filterwarnings("ignore")
def test_the_published_way_is_told_why_it_stops() -> None:
    report = examine(find("WeightDrop"), AsPublished)
    assert report.points < 5
    assert "cannot train again" in report.message


class WritesAndPutsBack(nn.Module):
    """Weight drop that writes the thinned numbers into the matrix, and the whole ones back."""

    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.lstm, self.p = lstm, p

    def forward(self, x: torch.Tensor, state: Any = None) -> Any:
        """As an LSTM."""
        if not self.training:
            return self.lstm(x, state)
        matrix: Any = self.lstm.weight_hh_l0
        whole = matrix.detach().clone()
        with torch.no_grad():
            matrix.copy_(nn.functional.dropout(whole, self.p))
        came = self.lstm(x, state)
        with torch.no_grad():
            matrix.copy_(whole)
        return came


class KeepsTheThinned(nn.Module):
    """Weight drop that keeps the thinned matrix as an attribute."""

    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.lstm, self.p = lstm, p

    def forward(self, x: torch.Tensor, state: Any = None) -> Any:
        """As an LSTM."""
        matrix: Any = self.lstm.weight_hh_l0
        self.thin = nn.functional.dropout(matrix, self.p, self.training)
        lent = {"weight_hh_l0": self.thin}
        return torch.func.functional_call(self.lstm, lent, (x, state))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (WritesAndPutsBack, "while autograd still needs them"),
        (KeepsTheThinned, "Keep nothing of a call"),
    ],
)
def test_what_autograd_or_the_module_would_refuse_is_told_in_words(
    answer: type[nn.Module], told: str
) -> None:
    report = examine(find("WeightDrop"), answer)
    assert report.points < 5
    assert told in report.message
