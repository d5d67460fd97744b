"""The bare steps of `lock`, on any group, without proofs and without a log.

On secp256k1 they are byte for byte those of the npm package `mental-poker` 1.0.0: secrets of 32 bytes, big-endian;
points of 33 bytes, compressed; the j-th face is the sum of all j-th fragments; a player has a key for each place and
after them the one of the cascade. Played so, a game is compatible and not proven: docs/spec/protocols/lock-npm.md says
what is then
seen when.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Final

from nodealer.errors import BadParameter, PeerFault
from nodealer.group import Group, Order, Points, Scalars
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import Cheat
from nodealer.protocols.codec import point_index

#: What a game with a seat that makes no proofs promises, in place of the claims of `lock`. "At the end" is when every
#: seat has opened all its keys, and only for those who then have them all.
NOT_PROVEN: Final = (
    Cheat("a card doubled under another scalar", "at the end", True),
    Cheat("a card replaced by a point that is no card", "at the end", True),
    Cheat("cards marked in the cascade, and the slot repaired in the lock", "at the end", True),
    Cheat("two equal points in a deck that is passed on", "at once", True),
    Cheat("a false key for a card that is drawn or opened", "at once", True),
    Cheat("fragments chosen after seeing the others', where the seats do not commit to them", "never", False),
    Cheat("a cheater who does not open its keys at the end", "never", False),
    Cheat("players telling each other their cards outside the table", "never", False),
)


# --- The steps ---


def faces(fragments: Sequence[Points]) -> Points:
    """Each face from its fragments, one array of fragments a seat."""
    if len({len(points) for points in fragments}) != 1:
        raise BadParameter(f"fragments for different numbers of faces: {[len(points) for points in fragments]}")
    return reduce(lambda total, points: total + points, fragments)


def cascade(secret: Scalars, cards: Points, order: Order) -> Points:
    """Permute, then multiply: card j of the result was card π(j), π the order."""
    return secret.group.products(secret, cards.take(order))


def lock_factors(secret: Scalars, keys: Scalars) -> Scalars:
    """What moves each card from the one secret of the cascade to its own key."""
    return secret.invert() * keys


def lock(secret: Scalars, keys: Scalars, cards: Points) -> Points:
    """Take the secret of the cascade off every card and put the card's own key on, in one multiplication."""
    if len(keys) != len(cards):
        raise BadParameter(f"{len(keys)} keys for {len(cards)} cards")
    return lock_factors(secret, keys) * cards


def unlock(cards: Points, keys: Sequence[Scalars]) -> Points:
    """The cards without these keys, one array of keys a seat."""
    return reduce(lambda total, key: total * key, keys).invert() * cards


# --- A seat of a game that is compatible and not proven ---


@dataclass(frozen=True)
class BareSeat:
    """A seat's fragments and secrets, laid out as the package's player: the keys of the places, then the cascade's."""

    fragments: Points = field(repr=False)
    keys: Scalars = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.keys) != len(self.fragments) + 1:
            raise BadParameter(f"{len(self.keys)} keys for {len(self.fragments)} cards, and not one more")

    @staticmethod
    def draw(group: Group, cards: int, entropy: Callable[[int], bytes]) -> BareSeat:
        """A new seat for a deck of so many cards."""
        fragments = group.map_to_points(entropy(cards * group.uniform_size))
        return BareSeat(fragments, group.wide_scalars(entropy((cards + 1) * group.wide_size)))

    @property
    def cards(self) -> int:
        return len(self.fragments)

    @property
    def public_keys(self) -> Points:
        """What the other seats get before the cascade, so that every secret that arrives can be checked."""
        return self.keys * self.keys.group.G

    def cascade(self, cards: Points, order: Order) -> Points:
        """This seat's turn in the cascade."""
        return cascade(self.keys[self.cards], cards, order)

    def lock(self, cards: Points) -> Points:
        """This seat's turn in the lock."""
        return lock(self.keys[self.cards], self.keys[: self.cards], cards)


def refuse_deck(seat: int, cards: Points, count: int) -> None:
    """All that can be seen of a deck that a seat passes on without a proof: its size, and that no two are equal."""
    if len(cards) != count:
        raise PeerFault(seat, f"passed on {len(cards)} cards instead of {count}")
    if len(point_index(cards)) != count:
        raise PeerFault(seat, "passed on a deck with two equal cards")


def refuse_keys(seat: int, public: Points, secrets: Scalars) -> None:
    """Secrets that arrive must be those of the public keys."""
    if len(public) != len(secrets) or secrets * public.group.G != public:
        raise PeerFault(seat, "sent a key that is not the one it announced")


def recheck(
    deck: Points,
    cascaded: Sequence[Points],
    locked: Sequence[Points],
    announced: Sequence[Points],
    keys: Sequence[Scalars],
) -> None:
    """When the game is over and all keys are open: was every step what it had to be?

    `cascaded` and `locked` are the decks as the seats passed them on, in turn; `announced` are their public keys from
    before the cascade. Raises `PeerFault` for the first seat that opens other keys than these, and then for the first
    that did anything else than permute and multiply. The permutations need not be told: equal sets are enough.
    """
    count = len(deck)
    for seat, (public, key) in enumerate(zip(announced, keys, strict=True)):
        if len(public) != count + 1:
            raise PeerFault(seat, f"announced {len(public)} keys for {count} cards and the cascade")
        refuse_keys(seat, public, key)
    for seat, (after, key) in enumerate(zip(cascaded, keys, strict=True)):
        if sorted(encodings(key[count] * deck)) != sorted(encodings(after)):
            raise PeerFault(seat, "in the cascade it did not multiply every card by its one key")
        deck = after
    for seat, (after, key) in enumerate(zip(locked, keys, strict=True)):
        if lock(key[count], key[:count], deck) != after:
            raise PeerFault(seat, "in the lock it did not move every card from the one key to the card's own")
        deck = after
