"""The dealer makes decks of one card only, and opens them as they are: six aces instead of six cards."""

from __future__ import annotations

from typing import Final

from nodealer.group import concat
from nodealer.lab.attacks.base import Attack, Moment, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.scene import Played
from nodealer.lab.attacks.truth import dealt
from nodealer.proofs import equality
from nodealer.protocols.chain.deck import DealersDeck, Own
from nodealer.protocols.chain.lists import VALUE_BYTES
from nodealer.protocols.chain.messages import Candidate, Unblind
from nodealer.wire import encode

ACE: Final = 0


def _made(moment: Moment, number: int) -> DealersDeck:
    """A deck that has one value and many nonces."""
    deck = moment.deck
    honest = deck.made(moment.tape, number)
    place = deck.card_place(number)
    drawn = [deck._square(moment.tape, bytes([number, at]), place, ACE) for at in range(deck.size)]
    own = Own(honest.own.key, tuple(nonce for nonce, _ in drawn), (ACE,) * deck.size)
    return DealersDeck(own, concat(*(card for _, card in drawn)))


def _candidate(moment: Moment) -> bytes:
    made = _made(moment, len(moment.deck.stage.said))
    key, lists = made.own.key * moment.deck.binding.group.G, made.lists
    transcript = moment.deck.transcript(moment.duty, 0)
    knowledge = equality.prove_knowledge(transcript, moment.tape, key, made.own.key)
    return encode(Candidate(key.to_bytes(), knowledge, b"".join(lists.names), lists.numbers.to_bytes()))


def _unblind(moment: Moment) -> bytes:
    own = _made(moment, moment.deck.stage._number).own
    values = b"".join(value.to_bytes(VALUE_BYTES, "big") for value in own.prior)
    return encode(Unblind(own.key.to_bytes(), values, b"".join(own.nonces)))


def _knows(played: Played) -> str | None:
    for one in dealt(played):
        hidden = [face for seat in played.honest for face in one.hidden(seat).values()]
        if hidden and set(hidden) == {ACE}:
            return "knows every card, for all are the same"
    return None


#: An opened deck has every value once.
_EVERY_VALUE: Final = Without(
    "nodealer.protocols.chain.candidates:check_opened", "if sorted(values) != list(range(deck.size)):", "if False:"
)

ACES: Final = Attack(
    name="aces",
    does="deals from a deck of one card only, and opens the others like it",
    of=("A10",),
    ways={
        "chain": (
            Way(
                "a false deck of the dealer's, or numbers of its choice, in a deck that is not played",
                {"candidate": _candidate, "unblind": _unblind},
                defence=(_EVERY_VALUE,),
                gained=_knows,
                seat=0,
            ),
        ),
    },
)
