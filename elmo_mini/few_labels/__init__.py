"""A hundred labels: methods for few labels, and the protocol that judges them fairly."""
