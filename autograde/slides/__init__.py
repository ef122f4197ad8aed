"""A lesson's lecture: a deck of slides that opens offline, made from its source and its figures."""
