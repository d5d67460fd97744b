"""Attacks on what only its owner may know: keys, tokens, tapes, and what a coalition can read."""
