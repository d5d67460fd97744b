"""Forged messages of a dealer of `chain` who makes false decks, publishes them, and opens them as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from nodealer.proofs import equality
from nodealer.protocols.chain.deck import DealersDeck
from nodealer.protocols.chain.lists import VALUE_BYTES
from nodealer.protocols.chain.messages import Candidate, Unblind
from nodealer.wire import encode
from nodealer_lab.attacks.base import Forge, SignedMoment
from nodealer_lab.sim.highcard import GAME as HIGHCARD

#: Two seats are enough for these attacks: one is honest, and each deck of the dealer's consists of large numbers.
TWO_SEATS_GAME: Final = replace(HIGHCARD, seats=2)
#: Makes the deck with this number, as the dealer wants it.
MakeDeck = Callable[[SignedMoment, int], DealersDeck]


def dealer_forgeries(make_deck: MakeDeck) -> dict[str, Forge]:
    """Return the forged message for each step, for a dealer who makes decks with `make_deck`."""

    def candidate(moment: SignedMoment) -> bytes:
        """Publish the next of the dealer's decks, as `make_deck` made it."""
        deck = make_deck(moment, len(moment.deck.stage.said))
        key, lists = deck.own.key * moment.deck.binding.group.G, deck.lists
        transcript = moment.deck.transcript(moment.duty, 0)
        knowledge = equality.prove_knowledge(transcript, moment.tape, key, deck.own.key)
        return encode(Candidate(key.to_bytes(), knowledge, b"".join(lists.names), lists.numbers.to_bytes()))

    def unblind(moment: SignedMoment) -> bytes:
        """Open a deck that was not picked, as `make_deck` made it."""
        own = make_deck(moment, moment.deck.stage._number).own
        values = b"".join(value.to_bytes(VALUE_BYTES, "big") for value in own.prior)
        return encode(Unblind(own.key.to_bytes(), values, b"".join(own.nonces)))

    return {"candidate": candidate, "unblind": unblind}
