"""Text (every lesson): tokens, vocabularies, sentences with senses, batches."""
