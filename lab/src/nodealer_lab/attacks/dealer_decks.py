"""What a dealer says who makes decks of its own: it publishes them and opens them as they are."""

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

#: For these two are enough: there is an honest one, and every deck of the dealer's is of large numbers.
TWO_SEATS_GAME: Final = replace(HIGHCARD, seats=2)
#: The deck of a number, as the dealer would have it.
MakeDeck = Callable[[SignedMoment, int], DealersDeck]


def dealer_forgeries(made: MakeDeck) -> dict[str, Forge]:
    """Step to what is sent there."""

    def candidate(moment: SignedMoment) -> bytes:
        deck = made(moment, len(moment.deck.stage.said))
        key, lists = deck.own.key * moment.deck.binding.group.G, deck.lists
        transcript = moment.deck.transcript(moment.duty, 0)
        knowledge = equality.prove_knowledge(transcript, moment.tape, key, deck.own.key)
        return encode(Candidate(key.to_bytes(), knowledge, b"".join(lists.names), lists.numbers.to_bytes()))

    def unblind(moment: SignedMoment) -> bytes:
        own = made(moment, moment.deck.stage._number).own
        values = b"".join(value.to_bytes(VALUE_BYTES, "big") for value in own.prior)
        return encode(Unblind(own.key.to_bytes(), values, b"".join(own.nonces)))

    return {"candidate": candidate, "unblind": unblind}
