"""`duel`: two players, each with a deck of their own. As source 004 describes it, and in two modes that hold.

`proven` (the default) proves every step. `committed` is the source's flow on the curve, checked when cards are played
and at the end. `xor` is the source word for word, which is broken, and exists to show how.
"""

from nodealer.protocols.duel.deck import DuelDeck
from nodealer.protocols.duel.protocol import Duel

__all__ = ["Duel", "DuelDeck"]
