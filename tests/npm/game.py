"""A game between seats of which each is ours or the package's: compatible, and not proven."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from nodealer.errors import PeerFault
from nodealer.group import Group, Points, Scalars, group
from nodealer.proofs.encoding import encodings
from nodealer.protocols.codec import point_index, read_points, read_secrets
from nodealer.protocols.lock import bare_steps
from nodealer.protocols.lock.bare_steps import BareSeat
from nodealer.tape import Tape, expand
from nodealer_lab.npm import NodeSeat

CARDS: Final = 52


class Seat(Protocol):
    """What a seat does in a game."""

    @property
    def fragments(self) -> Points: ...
    @property
    def public_keys(self) -> Points: ...
    def faces(self, fragments: Sequence[Points]) -> Points:
        """The faces, which the seat remembers."""

    def cascade(self, deck: Points) -> Points: ...
    def lock(self, deck: Points) -> Points: ...
    def accepts(self, deck: Points) -> bool:
        """Whether the seat finds nothing wrong with a deck that was passed on."""

    def secrets(self, places: Sequence[int]) -> Scalars: ...
    def verifies(self, public: Points, secrets: Scalars) -> bool: ...
    def reads(self, card: Points, place: int, secrets: Sequence[Scalars]) -> int:
        """The face at a place, with the others' secrets and its own; -1 for none."""

    def reveal(self) -> Scalars:
        """All its keys, when the game is over."""


class OurSeat:
    """A seat in Python."""

    def __init__(self, on: Group, seed: str, cards: int = CARDS) -> None:
        self.tape = Tape(expand("seat of a test", seed, size=32))
        drawn = iter(range(2))
        self.bare = BareSeat.draw(on, cards, lambda size: self.tape.draw("seat", b"", size=size, index=next(drawn)))
        self.fragments, self.public_keys = self.bare.fragments, self.bare.public_keys
        self.order = self.tape.permutation("order", b"", cards)
        self.index: dict[bytes, int] = {}

    def faces(self, fragments: Sequence[Points]) -> Points:
        faces = bare_steps.faces(fragments)
        self.index = point_index(faces)
        assert len(self.index) == len(faces)
        return faces

    def cascade(self, deck: Points) -> Points:
        return self.bare.cascade(deck, self.order)

    def lock(self, deck: Points) -> Points:
        return self.bare.lock(deck)

    def accepts(self, deck: Points) -> bool:
        try:
            bare_steps.refuse_deck(0, deck, self.bare.cards)
        except PeerFault:
            return False
        return True

    def secrets(self, places: Sequence[int]) -> Scalars:
        return self.bare.keys.take(places)

    def verifies(self, public: Points, secrets: Scalars) -> bool:
        try:
            bare_steps.refuse_keys(0, public, secrets)
        except PeerFault:
            return False
        return True

    def reads(self, card: Points, place: int, secrets: Sequence[Scalars]) -> int:
        bare = bare_steps.unlock(card, [self.bare.keys[place], *secrets])
        return self.index.get(bare.to_bytes(), -1)

    def reveal(self) -> Scalars:
        return self.bare.keys


class PackageSeat:
    """A seat of the package, in Node. Its keys stay there until they are asked for."""

    def __init__(self, node: NodeSeat, on: Group, cards: int = CARDS) -> None:
        self.node, self.on, self.cards = node, on, cards
        player = node.ask("player", cards=cards)
        self.fragments = self._points(player["fragments"], cards)
        self.public_keys = self._points(player["keys"], cards + 1)

    def faces(self, fragments: Sequence[Points]) -> Points:
        answer = self.node.ask("faces", fragments=[hexes(points) for points in fragments])
        assert answer["distinct"]
        return self._points(answer["deck"], self.cards)

    def cascade(self, deck: Points) -> Points:
        return self._points(self.node.ask("cascade", deck=hexes(deck))["deck"], self.cards)

    def lock(self, deck: Points) -> Points:
        return self._points(self.node.ask("lock", deck=hexes(deck))["deck"], self.cards)

    def accepts(self, deck: Points) -> bool:
        return bool(self.node.ask("distinct", deck=hexes(deck))["distinct"])

    def secrets(self, places: Sequence[int]) -> Scalars:
        return self._scalars(self.node.ask("secrets", places=list(places))["secrets"], len(places))

    def verifies(self, public: Points, secrets: Scalars) -> bool:
        return all(self.node.ask("verify", keys=hexes(public), secrets=hex_secrets(secrets))["valid"])

    def reads(self, card: Points, place: int, secrets: Sequence[Scalars]) -> int:
        known = [secret.to_bytes().hex() for secret in secrets]
        return int(self.node.ask("read", card=card.to_bytes().hex(), place=place, secrets=known)["face"])

    def reveal(self) -> Scalars:
        return self._scalars(self.node.ask("reveal")["secrets"], self.cards + 1)

    def _points(self, said: list[str], count: int) -> Points:
        return read_points(self.on, bytes.fromhex("".join(said)), count, "what Node said")

    def _scalars(self, said: list[str], count: int) -> Scalars:
        return read_secrets(self.on, bytes.fromhex("".join(said)), count, "what Node said")


def hexes(points: Points) -> list[str]:
    return [one.hex() for one in encodings(points)]


def hex_secrets(secrets: Scalars) -> list[str]:
    return [secrets[at].to_bytes().hex() for at in range(len(secrets))]


@dataclass
class Game:
    """The deck on its way through all seats, and what was passed on."""

    seats: Sequence[Seat]
    faces: Points = field(init=False)
    cascaded: list[Points] = field(default_factory=list)
    locked: list[Points] = field(default_factory=list)

    def __post_init__(self) -> None:
        fragments = [seat.fragments for seat in self.seats]
        self.faces, *others = [seat.faces(fragments) for seat in self.seats]
        assert all(faces == self.faces for faces in others)

    @property
    def deck(self) -> Points:
        return [self.faces, *self.cascaded, *self.locked][-1]

    def play(self) -> None:
        """The cascade and the lock. Every seat looks at every deck as it is passed on."""
        for step, decks in (("cascade", self.cascaded), ("lock", self.locked)):
            for seat in self.seats:
                decks.append(getattr(seat, step)(self.deck))
                assert all(other.accepts(self.deck) for other in self.seats)

    def draw(self, number: int, place: int) -> int:
        """A seat draws a card: the others send it their secrets, which it verifies."""
        seat, secrets = self.seats[number], []
        for other in self.seats:
            if other is not seat:
                secrets.append(other.secrets([place]))
                assert seat.verifies(other.public_keys[place], secrets[-1])
        return seat.reads(self.deck[place], place, secrets)

    def open(self, place: int) -> int:
        """A card is opened: every seat reads it, and all read the same."""
        found = {self.draw(number, place) for number in range(len(self.seats))}
        assert len(found) == 1
        return found.pop()

    def keys_verify(self) -> bool:
        """The game is over: every seat verifies every other's keys, all of them."""
        return all(
            seat.verifies(other.public_keys, other.reveal())
            for seat in self.seats
            for other in self.seats
            if other is not seat
        )

    def recheck(self) -> None:
        """What only a seat of ours does then: look at every step again. Raises `PeerFault`."""
        announced, keys = zip(*((seat.public_keys, seat.reveal()) for seat in self.seats), strict=True)
        bare_steps.recheck(self.faces, self.cascaded, self.locked, announced, keys)


def three_seats(node: Callable[[], NodeSeat]) -> list[Seat]:
    """Python, Node, Python."""
    on = group("secp256k1")
    return [OurSeat(on, "first"), PackageSeat(node(), on), OurSeat(on, "last")]
