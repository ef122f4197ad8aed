"""How the biLM is made fast; `elmo_mini.bilm` shows what it computes."""
