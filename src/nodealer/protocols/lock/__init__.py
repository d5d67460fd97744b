"""`lock`: every card is under one secret of each seat; shuffled with one secret for all cards, locked with one each.

docs/spec/protocols/lock.md describes the protocol as built, message by message.
"""

from __future__ import annotations

from nodealer.protocols.lock.protocol import Lock

__all__ = ["Lock"]
