"""The truth about a game, found with all players' secrets. An attacker's gain is measured against it."""

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
    """A deck at a moment when its cards have just moved."""

    state: TableState
    hand: int
    deck: Any
    #: The cards that each seat can read, or the reason why it cannot read one.
    reads: Mapping[int, Mapping[Card, int] | CardUnreadable]

    def hidden_cards(self, seat: int) -> dict[Card, int]:
        """Return the face-down cards in a seat's hand, with their faces."""
        mine = {
            self.deck.places.card(position) for position in self.deck.places.only_hidden(self.deck.places.hand(seat))
        }
        reads = self.reads.get(seat, {})
        return {} if isinstance(reads, CardUnreadable) else {card: reads[card] for card in mine & reads.keys()}


def dealt_decks(played: PlayedGame) -> Iterator[DealtDeck]:
    """Yield every deck with cards in a hand, each time its cards have moved."""
    known: dict[int, object] = {}
    for state in played.states():
        decks: Mapping[int, Any] = state.hand.decks
        for number, deck in decks.items():
            if known.get(number) is deck.places or not any(deck.places.hand(seat) for seat in deck.binding.players):
                continue
            known[number] = deck.places
            hand = deck.binding.hand
            reads = {seat: _readable_cards(deck, played, seat, hand) for seat in deck.binding.players}
            yield DealtDeck(state, hand, deck, reads)


def _readable_cards(deck: Any, played: PlayedGame, seat: int, hand: int) -> Mapping[Card, int] | CardUnreadable:
    """Return the cards that a seat can read with its tape, or the reason why it cannot read one."""
    try:
        return deck.knows(seat, played.tape(seat, hand))  # type: ignore[no-any-return]
    except CardUnreadable as unreadable:
        return unreadable


def all_faces(dealt: DealtDeck, played: PlayedGame) -> list[int | None]:
    """Return the faces of a whole deck, from all players' secrets, with None for what is not a card.

    Only a `KeyedDeck` can be read like this. For other decks the list is empty.
    """
    deck = dealt.deck
    if not isinstance(deck, KeyedDeck):
        return []
    positions = tuple(range(deck.places.position_count))
    keys = {seat: deck.card_secrets(played.tape(seat, dealt.hand), positions, seat) for seat in deck.binding.players}
    with suppress(NodealerError):
        return deck.unmask(positions, keys)
    return []


def bare_encodings(dealt: DealtDeck, played: PlayedGame, positions: tuple[int, ...]) -> list[bytes]:
    """Return the encodings of cards of a duel without any key, which are those that their owner looks up."""
    deck = dealt.deck
    keys = deck.layers.secrets(played.tape(deck.owner, dealt.hand), positions, deck.owner)
    keys = keys * deck.layers.secrets(played.tape(deck.rival, dealt.hand), positions, deck.rival)
    return encodings(keys.invert() * deck.layers.cards(positions))


# --- Gains ---


def find_doubled_card(played: PlayedGame) -> str | None:
    """Find a card that exists twice: in two hands, in one hand, or in the deck.

    Return the gain as a phrase, or None if there is none.
    """
    for dealt in dealt_decks(played):
        held = [
            (face, played.names[seat])
            for seat in dealt.deck.binding.players
            for face in dealt.hidden_cards(seat).values()
        ]
        for face, name in held:
            if others := [other for again, other in held if again == face and other != name]:
                return f"gives {name} and {others[0]} the same card"
            if held.count((face, name)) > 1:
                return f"gives {name} a card twice"
        faces = [face for face in all_faces(dealt, played) if face is not None]
        if len(set(faces)) < len(faces):
            return "has a card in the deck twice"
    return None


def find_spoilt_card(played: PlayedGame) -> str | None:
    """Find an honest seat with a card that is not in the deck, or that exists twice.

    Return the gain as a phrase, or None if there is none.
    """
    for dealt in dealt_decks(played):
        for seat in played.honest_seats:
            if isinstance(dealt.reads.get(seat), CardUnreadable):
                return f"gives {played.names[seat]} a card that cannot be read"
    return None


def find_swapped_card(played: PlayedGame) -> str | None:
    """Find a card that was shown with another face than its holder had.

    Return the gain as a phrase, or None if there is none.
    """
    true_faces: dict[tuple[int, Card], int] = {}
    for dealt in dealt_decks(played):
        for seat in dealt.deck.binding.players:
            true_faces |= {(dealt.hand, card): face for card, face in dealt.hidden_cards(seat).items()}
        for position, face in dealt.deck.places.opened.items():
            card = dealt.deck.places.card(position)
            if true_faces.get((dealt.hand, card), face) != face:
                return "shows a different card from the one it held"
    return None


def find_skipped_seat(played: PlayedGame) -> str | None:
    """Find an honest seat that was skipped or removed by a vote.

    Return the gain as a phrase, or None if there is none.
    """
    for state in played.states():
        for vote in state.chronicle.vote_results:
            if vote.of in played.honest_seats:
                name = played.names[vote.of]
                return f"votes {name} out" if vote.did == "gone" else f"makes a move for {name}"
    return None


def find_stopped_hand(played: PlayedGame) -> str | None:
    """Find a hand that cannot go on, or was aborted, without a culprit.

    Return the gain as a phrase, or None if there is none.
    """
    for state in played.states():
        if any(isinstance(getattr(deck, "stage", None), ContradictedCard) for deck in state.hand.decks.values()):
            return "blocks the cards, and no one is named"
        if state.fault is not None and state.fault.seat is None:
            return "gets the hand aborted, and no one is named"
    return None
