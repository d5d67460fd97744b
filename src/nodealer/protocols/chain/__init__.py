"""`chain`: SRA exponentiation, names that are chained by hashes, and a dealer.

docs/spec/protocols/chain.md describes the protocol as built, message by message, and what it does not detect.
"""

from __future__ import annotations

from nodealer.protocols.chain.protocol import Chain

__all__ = ["Chain"]
