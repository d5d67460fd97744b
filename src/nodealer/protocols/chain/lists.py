"""Names and numbers: what a `chain` deck consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from nodealer.errors import DecodeError, Malformed
from nodealer.group import Group, Points
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import Binding
from nodealer.protocols.codec import point_index, read_points
from nodealer.tape import DIGEST_BYTES, digest, expand

NAME_BYTES: Final = DIGEST_BYTES
VALUE_BYTES: Final = 2
#: The size of a card made by the dealer: nonce, value, and redundancy. It is one byte shorter than p, so always below
#: p.
CARD_BYTES: Final = 255


@dataclass(frozen=True)
class Lists:
    """Two parallel lists. A name reveals nothing about its number to seats that did not make it."""

    names: tuple[bytes, ...]
    numbers: Points = field(repr=False)

    @cached_property
    def places(self) -> Mapping[bytes, int]:
        """Map from name to place."""
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def found(self) -> Mapping[bytes, int]:
        """Map from encoded number to place."""
        return point_index(self.numbers)

    @cached_property
    def digest(self) -> bytes:
        """The digest of these lists, from which secrets applied to them are derived."""
        return digest("chain lists", b"".join(self.names), self.numbers.to_bytes())


def name_of(nonce: bytes, prior: bytes) -> bytes:
    """Return H(nonce || prior name)."""
    return digest("chain name", nonce, prior)


def split(data: bytes, count: int, what: str, size: int = NAME_BYTES) -> tuple[bytes, ...]:
    """Split bytes into exactly `count` names, nonces or values. Raise `DecodeError` if the length is wrong."""
    if len(data) != count * size:
        raise DecodeError(f"{what}: {len(data)} bytes instead of {count * size}")
    return tuple(data[at : at + size] for at in range(0, len(data), size))


def read_lists(group: Group, names: bytes, numbers: bytes, size: int) -> Lists:
    """Decode lists. Raise if a name or number repeats, or a number is not in the group or is its identity."""
    lists = Lists(split(names, size, "the names"), read_points(group, numbers, size, "the numbers"))
    if len(lists.places) != size:
        raise Malformed("a name appears twice in the deck")
    if len(lists.found) != size:
        raise Malformed("a number appears twice in the deck")
    return lists


# --- Cards that everyone knows ---


@dataclass(frozen=True)
class PublicCards:
    """Card numbers hashed from the table, and their names. No one chose them or knows a relation between two."""

    binding: Binding
    deck: int
    size: int

    # defence: related
    @cached_property
    def lists(self) -> Lists:
        """The names and numbers. They are computed when first needed, so creating a deck costs nothing."""
        group, place = self.binding.group, (self.binding.session, self.binding.hand, self.deck)
        uniform = (expand("chain public card", *place, value, size=group.uniform_size) for value in range(self.size))
        names = tuple(digest("chain card name", *place, value) for value in range(self.size))
        return Lists(names, group.map_to_points(b"".join(uniform)))


# --- Cards that the dealer made: nonce || value || a hash of both and of their place ---


@dataclass(frozen=True)
class CardPlace:
    """The place that a card of the dealer is bound to. `candidate` is the number of its deck among the dealer's."""

    session: bytes
    hand: int
    deck: int
    candidate: int

    # defence: progression
    def redundancy(self, nonce: bytes, value: int) -> bytes:
        """Return the part that makes a card "self-MAC'ing". Without it the dealer could choose recognisable numbers."""
        bound = (self.session, self.hand, self.deck, self.candidate, nonce, value)
        return expand("chain card", *bound, size=CARD_BYTES - NAME_BYTES - VALUE_BYTES)


def value_names(size: int) -> tuple[bytes, ...]:
    """Return the names at the end of the chain if the dealer made the cards: the values themselves."""
    return tuple(value.to_bytes(NAME_BYTES, "big") for value in range(size))


def card_number(group: Group, place: CardPlace, nonce: bytes, value: int) -> Points:
    """Return the number of a card. Raise `DecodeError` if it is not a square: then no card has this nonce."""
    card = nonce + value.to_bytes(VALUE_BYTES, "big") + place.redundancy(nonce, value)
    return group.points(card.rjust(group.point_size, b"\0"))


def read_number(number: Points, place: CardPlace, size: int) -> tuple[bytes, int] | None:
    """Return the nonce and the value of a bare card, or None if it is not a card of this place."""
    (data,) = encodings(number)
    card = data[-CARD_BYTES:]
    nonce, value = card[:NAME_BYTES], int.from_bytes(card[NAME_BYTES : NAME_BYTES + VALUE_BYTES], "big")
    if any(data[:-CARD_BYTES]) or value >= size:
        return None
    return (nonce, value) if card[NAME_BYTES + VALUE_BYTES :] == place.redundancy(nonce, value) else None
