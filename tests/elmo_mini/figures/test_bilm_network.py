"""The network of the biLM says in words who bets on whom."""

from elmo_mini.figures.bilm_network import bilm_network


def test_the_network_draws_no_bet_beyond_the_ends() -> None:
    said = bilm_network(["<S>", "dogs", "</S>"]).description
    assert "forward 2 of <S> to forward bet of <S> on dogs and forward 2 of dogs" in said
    assert "forward bet of </S>" not in said
    assert "backward bet of <S>" not in said
