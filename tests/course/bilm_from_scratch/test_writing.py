"""What is written follows the scores, in either direction, and never says `<unk>`."""

import torch
from torch import Tensor, nn

from course.bilm_from_scratch.writing import Speaker, scores_of_pairs, written
from tests.course.texts.test_small_text import text


def test_both_directions_go_on_until_a_boundary() -> None:
    small = text()
    order = [*"abc", "</s>"]

    def scores(part: list[str], direction: str) -> Tensor:
        step = 1 if direction == "forward" else -1
        last = part[-1] if direction == "forward" else part[0]
        following = order[(order.index(last) + step) % 4] if last in order else order[0]
        found = torch.full((len(small.vocabulary),), -1e9)
        found[small.vocabulary.encode([following])] = 0.0
        found[0] = 5.0  # the likeliest is `<unk>`
        return found

    assert written(scores, small.vocabulary, ["<S>"], "forward") == "a b c"
    assert written(scores, small.vocabulary, ["c", "</S>"], "backward") == "a b c"
    assert written(scores, small.vocabulary, ["<S>"], "forward", most=2) == "a b"


def test_pairs_of_neighbours_score_every_word() -> None:
    small = text()
    chances = scores_of_pairs(small)(["<S>", "A"], "forward").exp()
    assert torch.isclose(chances.sum(), torch.tensor(1.0))
    assert small.vocabulary.word(int(chances.argmax())) == "b"


class LengthOfWords(nn.Module):
    """One layer: the first number is how many letters the word has, in either direction."""

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """(B, T, letters) to [(B, T, 2)] and the mask."""
        letters = (ids > 0).sum(-1).float()
        return [torch.stack([letters, -letters], -1)], letters > 0


def test_a_speaker_asks_the_last_word_ahead_and_the_first_behind() -> None:
    small = text()
    speaker = Speaker(LengthOfWords(), 1, small.vocabulary)
    with torch.no_grad():
        speaker.softmax.weight.fill_(1.0)
        speaker.softmax.bias.zero_()
    ahead, behind = (speaker.scores(["a", "bcd"], way) for way in ("forward", "backward"))
    assert ahead[0] == 50  # every word has 50 ids
    assert behind[0] == -50
    assert len(ahead) == len(small.vocabulary)


def test_bets_leave_out_the_unknown_word() -> None:
    small = text()
    speaker = Speaker(LengthOfWords(), 1, small.vocabulary)
    with torch.no_grad():
        speaker.softmax.weight.zero_()
        speaker.softmax.bias.zero_()
        speaker.softmax.bias[0] = 9.0
    assert "<unk>" not in dict(speaker.best(["a"], "forward"))
    assert "<unk>" not in speaker.writes("a", "forward")


def test_the_courses_reader_has_a_voice() -> None:
    speaker = Speaker.of_the_course(LengthOfWords())
    assert speaker.softmax.weight.shape == (len(speaker.vocabulary), 256)
    assert speaker.vocabulary.words[:3] == ["<S>", "</S>", "<UNK>"]
