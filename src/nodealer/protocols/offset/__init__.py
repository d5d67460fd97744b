"""`offset`: one joint key per deal, one pair per card, and a secret offset that hides the deck until all have shuffled.

docs/spec/protocols/offset.md derives the protocol and describes it message by message.
"""

from __future__ import annotations

from nodealer.protocols.offset.protocol import Offset

__all__ = ["Offset"]
