"""`mask`: ElGamal cards that every player shuffles with a proof and re-masks with a key for each card.

docs/spec/protocols/mask.md describes the protocol as built, message by message.
"""

from __future__ import annotations

from nodealer.protocols.mask.protocol import CLAIMS, Mask

__all__ = ["CLAIMS", "Mask"]
