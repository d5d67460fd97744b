"""Every label that enters a challenge, a derived secret or a generator. No label is defined elsewhere.

Each label has a single use. This domain separation prevents a proof of one kind from being accepted as another.
"""

from __future__ import annotations

from typing import Final

#: Bound into every transcript. Must change if any proof changes.
VERSION: Final = 1

DOMAIN: Final = "nodealer/proof"

# Kinds of proof: the first item of a statement.
KNOWLEDGE: Final = "knowledge of keys"
EQUALITY: Final = "equality, one secret"
EQUALITY_MANY: Final = "equality, a secret each"
SHUFFLE: Final = "shuffle"
HELD_CARDS: Final = "held cards, masked anew"
HANDED_CARDS: Final = "held cards, handed to another key"
TOLD_CARDS: Final = "masks of cards, told under another key"
EXCLUSION: Final = "hidden cards, none of these faces"

# Kinds of hidden cards.
MASKED: Final = "masked cards"
LOCKED: Final = "locked cards"

# Items of transcripts.
GROUP: Final = "group"
CONTEXT: Final = "context"
STATEMENT: Final = "statement"
NAMES: Final = "names"
COMMITMENT: Final = "commitment"
CHALLENGE: Final = "challenge"
WEIGHTS: Final = "weights"

# Hash-to-group.
GENERATORS: Final = b"nodealer/v0/commitment generators"
BLINDING_GENERATOR: Final = b"nodealer/v0/blinding generator"
