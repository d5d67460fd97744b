"""The keys of cards: which there are, and when each is owed to the table. Before that it is a secret like any other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodealer.protocols.chain.deck import ChainDeck
from nodealer.protocols.chain.draw import Passing, Showing
from nodealer.protocols.duel.deck import DuelDeck
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.protocols.offset.shuffle import RevealingOffsets
from nodealer.tape import Tape

#: Deck, seat and place of a key. What is owed once for a whole deck has a word instead of a place.
Key = tuple[int, int, int | str]
#: The same, and first the hand.
Due = tuple[int, int, int, int | str]


def due(deck: Any) -> Iterator[Key]:
    """What seats owe to the table now."""
    stage = deck.stage
    if isinstance(stage, Passing):
        yield from ((deck.number, deck.order[stage.turn], track.place) for track in stage._linked)
    elif isinstance(stage, Showing):
        yield from ((deck.number, stage.show.seat, place) for place in stage._places(deck))
    elif isinstance(stage, RevealingOffsets):
        yield from ((deck.number, seat, "offset") for seat in deck.binding.players)
    else:
        # In `offset` somebody says first which cards are meant.
        owing = getattr(getattr(stage, "parts", stage), "owing", {})
        yield from ((deck.number, seat, place) for seat, places in owing.items() for place in places)


def keys_of(deck: Any, tape: Tape, seat: int) -> Iterator[tuple[Key, bytes]]:
    """All that a seat could publish of a deck that is made."""
    every = tuple(range(deck.places.position_count))
    if isinstance(deck, ChainDeck):
        nonces = deck.layer_secrets(tape, deck.order.index(seat)).nonces
        yield from (((deck.number, seat, place), nonce) for place, nonce in enumerate(nonces))
        return
    secrets = deck.layers.secrets if isinstance(deck, DuelDeck) else deck.card_secrets
    scalars, size = secrets(tape, every, seat).to_bytes(), deck.binding.group.scalar_size
    for place in every:
        yield (deck.number, seat, place), scalars[place * size : (place + 1) * size]
    if isinstance(deck, OffsetDeck):
        at = deck.order.index(seat)
        before = deck.steps[at - 1].deck if at else deck.start
        assert before is not None
        _, _, rest = deck.step_secrets(tape, seat, before)
        for name, secret in zip(("factor", "offset", "offset"), range(3), strict=True):
            yield (deck.number, seat, name), rest[secret].to_bytes()
