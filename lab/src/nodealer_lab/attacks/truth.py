"""What was really so in a game, found with everybody's secrets: what an attacker gained is held against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from nodealer.cards.operations import Card
from nodealer.engine.state import TableState
from nodealer.errors import CardUnreadable, NodealerError
from nodealer.proofs.encoding import encodings
from nodealer.protocols.chain.deck import ContradictedCard
from nodealer.protocols.keyed_deck import KeyedDeck
from nodealer_lab.attacks.scene import PlayedGame


@dataclass(frozen=True)
class DealtDeck:
    """A deck at the moment when cards of it have changed their places."""

    state: TableState
    hand: int
    deck: Any
    #: Seat to the cards that it can read; or to why it cannot read one.
    reads: Mapping[int, Mapping[Card, int] | CardUnreadable]

    def hidden_cards(self, seat: int) -> dict[Card, int]:
        """The cards in a seat's hand that are not face up."""
        mine = {self.deck.places.card(position) for position in self.deck.places.hidden(self.deck.places.hand(seat))}
        reads = self.reads.get(seat, {})
        return {} if isinstance(reads, CardUnreadable) else {card: reads[card] for card in mine & reads.keys()}


def dealt_decks(played: PlayedGame) -> Iterator[DealtDeck]:
    """Every deck whenever somebody has got cards of it."""
    known: dict[int, object] = {}
    for state in played.states():
        decks: Mapping[int, Any] = state.hand.decks
        for number, deck in decks.items():
            if known.get(number) is deck.places or not any(deck.places.hand(seat) for seat in deck.binding.players):
                continue
            known[number] = deck.places
            hand = deck.binding.hand
            reads = {seat: _read(deck, played, seat, hand) for seat in deck.binding.players}
            yield DealtDeck(state, hand, deck, reads)


def _read(deck: Any, played: PlayedGame, seat: int, hand: int) -> Mapping[Card, int] | CardUnreadable:
    try:
        return deck.knows(seat, played.tape(seat, hand))  # type: ignore[no-any-return]
    except CardUnreadable as unreadable:
        return unreadable


def all_faces(one: DealtDeck, played: PlayedGame) -> list[int | None]:
    """Every card of a deck with a key for each card, from everybody's secrets; None for one that is none."""
    deck = one.deck
    if not isinstance(deck, KeyedDeck):
        return []
    positions = tuple(range(deck.places.positions))
    keys = {seat: deck.card_secrets(played.tape(seat, one.hand), positions, seat) for seat in deck.binding.players}
    with suppress(NodealerError):
        return deck.unmask(positions, keys)
    return []


def bare_encodings(one: DealtDeck, played: PlayedGame, positions: tuple[int, ...]) -> list[bytes]:
    """The cards of a duel at some places, as they are under nobody's key: the same as what their owner looks up."""
    deck = one.deck
    keys = deck.layers.secrets(played.tape(deck.owner, one.hand), positions, deck.owner)
    keys = keys * deck.layers.secrets(played.tape(deck.rival, one.hand), positions, deck.rival)
    return encodings(keys.invert() * deck.layers.cards(positions))


# --- What attackers gain ---


def find_doubled_card(played: PlayedGame) -> str | None:
    """A card is there twice."""
    for one in dealt_decks(played):
        held = [
            (face, played.names[seat]) for seat in one.deck.binding.players for face in one.hidden_cards(seat).values()
        ]
        for face, name in held:
            if others := [other for again, other in held if again == face and other != name]:
                return f"has {name} and {others[0]} hold the same card"
            if held.count((face, name)) > 1:
                return f"has {name} hold a card twice"
        faces = [face for face in all_faces(one, played) if face is not None]
        if len(set(faces)) < len(faces):
            return "has a card in the deck twice"
    return None


def find_spoilt_card(played: PlayedGame) -> str | None:
    """An honest seat has got a card that is none of the deck, or one that is there twice."""
    for one in dealt_decks(played):
        for seat in played.honest_seats:
            if isinstance(one.reads.get(seat), CardUnreadable):
                return f"has {played.names[seat]} hold a card that cannot be read"
    return None


def find_swapped_card(played: PlayedGame) -> str | None:
    """A card lies face up as another than it was in its holder's hand."""
    were: dict[tuple[int, Card], int] = {}
    for one in dealt_decks(played):
        for seat in one.deck.binding.players:
            were |= {(one.hand, card): face for card, face in one.hidden_cards(seat).items()}
        for position, face in one.deck.places.opened.items():
            card = one.deck.places.card(position)
            if were.get((one.hand, card), face) != face:
                return "shows another card than it held"
    return None


def find_skipped_seat(played: PlayedGame) -> str | None:
    """The table did not wait for an honest seat."""
    for state in played.states():
        for one in state.chronicle.statements:
            if one.of in played.honest_seats:
                name = played.names[one.of]
                return f"throws {name} out" if one.did == "gone" else f"has a move made for {name}"
    return None


def find_stopped_hand(played: PlayedGame) -> str | None:
    """The hand cannot go on, or was broken off, and nobody is named."""
    for state in played.states():
        if any(isinstance(getattr(deck, "stage", None), ContradictedCard) for deck in state.hand.decks.values()):
            return "has the cards stuck, and nobody is named"
        if state.fault is not None and state.fault.seat is None:
            return "has the hand broken off, and nobody is named"
    return None


def honest_named(played: PlayedGame) -> str | None:
    """The log names somebody who did nothing wrong."""
    for state in played.states():
        if state.fault is not None and state.fault.seat in played.honest_seats:
            return f"has {played.names[state.fault.seat]} named"
    return None
