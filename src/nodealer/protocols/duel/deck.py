"""The public state of a `duel` deck, and what a game may ask of it.

A card is C[i] = Ka[i]·Kb[i]·P: under a key of its owner and a key of the rival. Drawing it is the rival's key, playing
it the owner's. Cards that were locked together stand in one *layer*; a reshuffle starts a new one.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from nodealer.cards import Card, Close, Deal, Finished, Moved, Open, Opened, Operation, Peek, Place, Return, Show
from nodealer.errors import BadParameter, CardUnreadable
from nodealer.group import Group, Points, Scalars, concat
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import DeckChange
from nodealer.protocols.codec import point_index
from nodealer.protocols.duel import secrets
from nodealer.protocols.duel.giving import Giving, Revealing
from nodealer.protocols.duel.making import Working
from nodealer.protocols.duel.peeking import finish_peek
from nodealer.protocols.staged import Closed, Idle, StagedDeck
from nodealer.tape import Tape, digest


class Mode(enum.Enum):
    """How a deck is kept honest."""

    PROVEN = "proven"
    COMMITTED = "committed"
    XOR = "xor"

    @property
    def proofs(self) -> bool:
        """Whether every step is proven, and faces are public points."""
        return self is Mode.PROVEN

    @property
    def keys(self) -> bool:
        """Whether each card's key has a public key that it is checked against."""
        return self is not Mode.XOR

    @property
    def word_for_word(self) -> bool:
        """Whether commitments and checks are the source's own."""
        return self is Mode.XOR


@dataclass(frozen=True)
class Layer:
    """Cards that were locked together, the first at position `first`."""

    first: int
    epoch: int
    #: The digest of the deck that the keys were put on: what they were drawn for.
    origin: bytes
    cards: Points
    #: Seat to its public keys; empty where there are none.
    keys: Mapping[int, Points]


@dataclass(frozen=True)
class DuelDeck(StagedDeck):
    """One player's deck."""

    size: int
    owner: int
    mode: Mode
    #: What cards and keys are made of: the table's group, or strings of bits.
    cipher: Group = field(repr=False)
    #: The points of all cards, where they are public.
    faces: Points | None = field(default=None, repr=False)
    #: Where they are not: a commitment for each card, and the epoch in which it was made.
    commitments: tuple[bytes, ...] = field(default=(), repr=False)
    made: tuple[int, ...] = field(default=(), repr=False)
    layers: tuple[Layer, ...] = field(default=(), repr=False)
    #: How many shuffles and locks were begun.
    epoch: int = 0
    #: Cards of the pile that the owner has looked at.
    peeked: tuple[int, ...] = ()

    @property
    def rival(self) -> int:
        """The other player."""
        return next(seat for seat in self.binding.players if seat != self.owner)

    # --- Cards ---

    @cached_property
    def _all_cards(self) -> Points:
        return concat(*(layer.cards for layer in self.layers))

    def cards_at(self, positions: tuple[int, ...]) -> Points:
        """The locked cards at these positions."""
        return self._all_cards.take(positions)

    @cached_property
    def _face_index(self) -> Mapping[bytes, int]:
        return {} if self.faces is None else point_index(self.faces)

    def stripped(self, positions: tuple[int, ...]) -> Points:
        """These cards with every published key taken off."""
        one = self.cipher.integers([1])
        keys = []
        for position in positions:
            key = one
            for secret in self.released.get(position, {}).values():
                key = key * secret
            keys.append(key)
        return concat(*keys).invert() * self.cards_at(positions)

    def is_bare(self, position: int, seat: int) -> bool:
        """Whether a seat's key of a card is public, or was replaced with the card's nonce."""
        return seat in self.released.get(position, {}) or self.places.face(position) is not None

    # --- What a staged deck needs ---

    def masked_by(self, position: int) -> tuple[int, ...]:
        return self.binding.players

    def card_keys(self, positions: tuple[int, ...], seat: int) -> Points:
        return concat(*(layer.keys[seat] for layer in self.layers)).take(positions)

    def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
        parts: dict[int, Scalars] = {}
        for layer in self.layers:
            count = len(layer.cards)
            if any(layer.first <= position < layer.first + count for position in positions):
                parts[layer.first] = secrets.card_keys(self, tape, layer.epoch, layer.origin, count, seat)
        firsts = sorted(parts)
        base = {first: sum(len(parts[other]) for other in firsts if other < first) for first in firsts}
        home = [next(first for first in reversed(firsts) if first <= position) for position in positions]
        places = [base[first] + position - first for first, position in zip(home, positions, strict=True)]
        return concat(*(parts[first] for first in firsts)).take(places)

    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        keys = self.cipher.integers([1] * len(positions))
        for secret in secrets.values():
            keys = keys * secret
        return [self._face_index.get(code) for code in encodings(keys.invert() * self.cards_at(positions))]

    def own_index(self, tape: Tape) -> Mapping[bytes, int]:
        """Encoding to card, for the owner: public points, or those of the nonces on its tape."""
        if self.mode.proofs:
            return self._face_index
        every = range(self.size)
        return point_index(secrets.committed_points(self, every, secrets.nonces(self, tape, every)))

    def read(self, tape: Tape, positions: tuple[int, ...]) -> list[int]:
        """What the owner sees of cards whose rival's keys are published. Raises `CardUnreadable`."""
        if not positions:
            return []
        index = self.own_index(tape)
        own = self.card_secrets(tape, positions, self.owner)
        rivals = concat(*(self.released[position][self.rival] for position in positions))
        bare = (own * rivals).invert() * self.cards_at(positions)
        found = []
        for position, code in zip(positions, encodings(bare), strict=True):
            if code not in index:
                raise CardUnreadable(self.number, position, "it is none of the cards of the deck")
            found.append(index[code])
        return found

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        known = {self.places.card(position): face for position, face in self.places.opened}
        if seat == self.owner:
            # Cards that it has to say now too: if one of them is none, the owner must be able to claim that.
            saying = self.stage.positions if isinstance(self.stage, Revealing) else ()
            mine = (*self.places.hand(seat), *(p for p, _ in self.places.aside), *self.peeked, *saying)
            hidden = tuple(dict.fromkeys(position for position in mine if self.places.face(position) is None))
            known.update(zip(map(self.places.card, hidden), self.read(tape, hidden), strict=True))
        return known

    def digest(self) -> bytes:
        return digest("deck", self.trail, self.places.digest(), repr(self.peeked))

    # --- What a game asks ---

    def begin(self, operation: Operation, asked: Operation) -> DeckChange:
        if not isinstance(self.stage, Idle) or isinstance(self.stage, Closed):
            raise BadParameter(f"deck {self.number} is busy or closed")
        deck = self.at(trail=digest("asked", self.trail, repr(operation)), asked=asked)
        match operation:
            case Deal(portions=portions):
                if any(portion.seat != self.owner for portion in portions):
                    raise BadParameter(f"only seat {self.owner} draws from deck {self.number}")
                positions = self._top(self.places.deal(operation, self.binding.players)[self.owner])
                return deck.give(operation, {self.rival: positions}, positions)
            case Open(count=count, positions=named):
                positions = self._top(self.places.choose(count, named))
                seats = self.binding.players if self.mode.proofs else (self.rival,)
                return deck.give(operation, dict.fromkeys(seats, positions), positions)
            case Peek(seat=seat, count=count):
                if seat != self.owner:
                    raise BadParameter(f"only seat {self.owner} looks at deck {self.number}")
                positions = self.places.next_cards(count)
                return deck.give(operation, {self.rival: positions}, positions)
            case Show(seat=seat, to=to):
                # There are two players: to show a card to the rival is to show it to all.
                if to not in (None, self.rival):
                    raise BadParameter(f"seat {self.owner} can show cards of deck {self.number} to seat {self.rival}")
                positions = self.places.shown(operation)
                return deck.give(operation, {seat: positions} if self.mode.proofs else {}, positions)
            case Return():
                return deck.give_back(operation)
            case Close():
                return deck._close(operation)
            case _:
                raise BadParameter(f"duel cannot {type(operation).__name__.lower()}")

    def _top(self, positions: tuple[int, ...]) -> tuple[int, ...]:
        """Draws are from the top, and from nowhere else."""
        if positions != self.places.pile[: len(positions)]:
            raise BadParameter(f"cards of deck {self.number} are drawn from the top")
        return positions

    def give(
        self, operation: Operation, owing: Mapping[int, tuple[int, ...]], positions: tuple[int, ...]
    ) -> DeckChange:
        """Ask seats for the keys that they have not published yet."""
        still = {seat: tuple(p for p in wanted if not self.is_bare(p, seat)) for seat, wanted in owing.items()}
        stage = Giving(operation, positions, {seat: wanted for seat, wanted in still.items() if wanted}, self.trail)
        return stage.settle(self.at(stage=stage))

    def given(self, operation: Operation, positions: tuple[int, ...]) -> DeckChange:
        """All keys that an operation needs are published."""
        match operation:
            case Deal():
                places = self.places
                for position in positions:
                    places = places.give(position, self.owner)
                moved = tuple(Moved(places.card(position), self.owner) for position in positions)
                peeked = tuple(position for position in self.peeked if position not in positions)
                return DeckChange(
                    self.at(places=places, peeked=peeked, stage=Idle(), asked=None), (*moved, self._finished())
                )
            case Peek():
                return finish_peek(self, operation, positions)
            case Close():
                return DeckChange(self.at(stage=Revealing(operation, positions, self.trail)))
            case _:
                hidden = tuple(position for position in positions if self.places.face(position) is None)
                if self.mode.proofs:
                    return self.turned_up(hidden, self.faces_of(hidden))
                return DeckChange(self.at(stage=Revealing(operation, hidden, self.trail)))

    def turned_up(self, positions: tuple[int, ...], faces: list[int]) -> DeckChange:
        """These cards are face up."""
        places, events = self.places, []
        for position, face in zip(positions, faces, strict=True):
            places = places.open(position, face)
            events.append(Opened(places.card(position), face))
        peeked = tuple(position for position in self.peeked if position not in positions)
        done = self.at(places=places, peeked=peeked, stage=Idle(), asked=None)
        return DeckChange(done, (*events, self._finished()))

    def _finished(self) -> Finished:
        if self.asked is None:
            raise BadParameter("nothing was asked")
        return Finished(self.asked)

    def give_back(self, operation: Return) -> DeckChange:
        """Lay cards aside, put them on the pile or under it, or shuffle them in."""
        if operation.place is Place.DISCARD:
            return super().give_back(operation)
        positions = self.places.given_back(operation)
        after = self.places.restack(positions, operation.place)
        moved = tuple(Moved(self.places.card(position), None) for position in positions)
        if operation.place is not Place.SHUFFLED:
            return Working.lay(self, positions, after, moved)
        return Working.reshuffle(self, (*self.places.pile, *positions), after, moved)

    def _close(self, operation: Close) -> DeckChange:
        """With proofs there is nothing to show at the end. Without, the owner shows everything."""
        if self.mode.proofs:
            return DeckChange(self.at(stage=Closed(), asked=None), (Finished(operation),))
        live = {*self.places.pile, *(p for pairs in (self.places.held, self.places.aside) for p, _ in pairs)}
        hidden = {position for position in live if self.places.face(position) is None}
        # Played cards were checked against their places already, but not by the source's rule.
        again = {position for position, _ in self.places.opened} if self.mode.word_for_word else set()
        positions = tuple(sorted(hidden | again))
        return self.give(operation, {self.rival: tuple(sorted(hidden))}, positions)
