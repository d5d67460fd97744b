"""Cards on their way to new keys: what is public about them, and which of a seat's secrets they are under.

*Gather* moves cards from keys of their own to one key, *shuffle* multiplies all by one secret and permutes, *arrange*
is a shuffle in an order that the owner chooses, and *lock* gives each card a key of its own.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from nodealer.cards.events import Event
from nodealer.cards.places import Places
from nodealer.group import Points, Scalars, concat
from nodealer.protocols.base import DeckChange
from nodealer.protocols.duel.deck import DuelDeck, cards_digest
from nodealer.protocols.layers import Layer
from nodealer.records import replace
from nodealer.tape import Tape


class TaskKind(enum.Enum):
    """What a task does to the cards."""

    GATHER = "gather"
    SHUFFLE = "shuffle"
    ARRANGE = "arrange"
    LOCK = "lock"


@dataclass(frozen=True)
class Task:
    """One step of the work on cards: what one seat must do to them in one message."""

    kind: TaskKind
    seat: int


class Under(enum.Enum):
    """Which secret of a seat the cards are under, so that the seat can find it on its tape."""

    #: The secrets of the positions where the cards were, or none if they are published.
    PLACES = "places"
    GATHERED = "gathered"
    SHUFFLED = "shuffled"
    #: Gathered, then shuffled: the product of both keys.
    BOTH = "both"


AFTER_SHUFFLE: Final = {Under.PLACES: Under.SHUFFLED, Under.GATHERED: Under.BOTH}


@dataclass(frozen=True)
class Work:
    """Cards that seats are shuffling or locking, the tasks that remain, and the places of the cards afterwards."""

    epoch: int
    #: Where the cards were. Empty for a new deck.
    positions: tuple[int, ...]
    cards: Points
    #: Seat to the public key that all cards are under, or one key per card. Empty if keys are not public.
    keys: Mapping[int, Points]
    under: Mapping[int, Under]
    tasks: tuple[Task, ...]
    anchor: bytes
    #: Where the cards are when all is done, and the events to report then.
    after: Places
    events: tuple[Event, ...] = ()
    #: Places of cards that were face up and get new nonces.
    renew: tuple[int, ...] = ()
    #: Set when the lock begins: the digest of the deck that the keys are applied to.
    origin: bytes = b""
    locked: Mapping[int, Points] = field(default_factory=dict)

    def with_origin(self) -> Self:
        """Return the work with `origin` set if the first lock is next: the keys of the lock are derived from it."""
        if self.tasks and self.tasks[0].kind is TaskKind.LOCK and not self.origin:
            return replace(self, origin=cards_digest(self.cards))
        return self

    def layer(self, deck: DuelDeck) -> Layer[Points]:
        """Return the layer that the cards will form."""
        first = self.after.position_count - len(self.cards)
        return Layer(first, self.epoch, deck.binding, self.origin, self.cards, self.locked)

    def secret(self, deck: DuelDeck, tape: Tape, seat: int) -> Scalars:
        """Return the secret of a seat that the cards are under now: one for all, or one per card."""
        under = self.under[seat]
        if under is Under.PLACES:
            return _secrets_at(deck, tape, self.positions, seat)
        gathered = deck.gather_key(tape, seat, self.epoch)
        if under is Under.GATHERED:
            return gathered
        shuffled = deck.shuffle_key(tape, seat, self.epoch)
        return shuffled if under is Under.SHUFFLED else shuffled * gathered

    def renewed_faces(self, deck: DuelDeck) -> list[int]:
        """Return the cards that get new nonces: all of a new deck, or those that were face up."""
        if not self.positions:
            return list(self.renew)
        return [deck.places.opened[self.positions[place]] for place in self.renew]

    def renewed_cards(self, deck: DuelDeck, tape: Tape) -> Points:
        """Return the cards as the owner puts them in, with new points for new nonces."""
        if not self.renew:
            return self.cards
        faces = self.renewed_faces(deck)
        points = deck.committed_points(faces, deck.fresh_nonces(tape, faces, self.epoch))
        order = list(range(len(self.cards)))
        for number, place in enumerate(self.renew):
            order[place] = len(self.cards) + number
        return concat(self.cards, points).take(order)


def finish(deck: DuelDeck, places: Places, events: tuple[Event, ...]) -> DeckChange:
    """Finish the request with the cards at their new places."""
    peeked = tuple(position for position in deck.peeked if position in places.in_pile)
    return deck.finish(*events, places=places, peeked=peeked)


def all_bare(deck: DuelDeck, positions: tuple[int, ...], seat: int) -> bool:
    """Return whether a seat's key is removed from all these cards."""
    return all(deck.is_bare(position, seat) for position in positions)


def keys_at(deck: DuelDeck, positions: tuple[int, ...], seat: int) -> Points:
    """Return the public keys that cards are under at their positions, or the generator if a key is removed."""
    if all_bare(deck, positions, seat):
        return deck.cipher.G
    public = concat(deck.layers.keys(positions, seat), deck.cipher.G)
    count = len(positions)
    return public.take([count if deck.is_bare(p, seat) else place for place, p in enumerate(positions)])


def _secrets_at(deck: DuelDeck, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
    """Return a seat's secrets that cards are under at their positions, or 1 if a key is removed."""
    if all_bare(deck, positions, seat):
        return deck.cipher.integers([1])
    own = concat(deck.layers.secrets(tape, positions, seat), deck.cipher.integers([1]))
    count = len(positions)
    return own.take([count if deck.is_bare(p, seat) else place for place, p in enumerate(positions)])
