"""From characters to a token layer (lesson 06): ids, the character CNN, its cache."""
