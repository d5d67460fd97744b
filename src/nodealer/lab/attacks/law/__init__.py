"""Attacks on the law of the table: who may throw out whom, what counts, what time it is, and what leaving costs."""
