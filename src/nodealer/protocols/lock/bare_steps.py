"""The bare steps of `lock`, on any group, without proofs and without a log.

On secp256k1 they are byte for byte those of the npm package `mental-poker` 1.0.0. Secrets have 32 bytes, big-endian,
and compressed points have 33. The j-th face is the sum of all j-th fragments. A player has a key for each position,
followed by the key of the cascade. A game played this way is compatible but not proven: docs/spec/protocols/lock-npm.md
says what is then detected when.
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

#: What a game with a seat that sends no proofs promises, instead of the claims of `lock`. "At the end" means when every
#: seat has opened all its keys, and only for seats that have all of them.
NOT_PROVEN: Final = (
    Cheat("a card doubled under another scalar", "at the end", True),
    Cheat("a card replaced by a point that is not a card", "at the end", True),
    Cheat("cards marked in the cascade, and the slot repaired in the lock", "at the end", True),
    Cheat("two equal points in a deck that is passed on", "at once", True),
    Cheat("a false key for a card that is drawn or opened", "at once", True),
    Cheat("fragments chosen after seeing the others', if the seats do not commit to them", "never", False),
    Cheat("a cheater who does not open their keys at the end", "never", False),
    Cheat("players telling each other their cards outside the table", "never", False),
)


# --- The steps ---


def faces(fragments: Sequence[Points]) -> Points:
    """Return the sum of the fragments of each face. There is one array of fragments per seat."""
    if len({len(points) for points in fragments}) != 1:
        raise BadParameter(f"fragments for different numbers of faces: {[len(points) for points in fragments]}")
    return reduce(lambda total, points: total + points, fragments)


def cascade(secret: Scalars, cards: Points, order: Order) -> Points:
    """Permute, then multiply: card j of the result is card order(j) times the secret."""
    return secret.group.products(secret, cards.take(order))


def lock_factors(secret: Scalars, keys: Scalars) -> Scalars:
    """Return the factors that move each card from the cascade's secret to its own key."""
    return secret.invert() * keys


def lock(secret: Scalars, keys: Scalars, cards: Points) -> Points:
    """Remove the cascade's secret from every card and apply the card's own key, in one multiplication."""
    if len(keys) != len(cards):
        raise BadParameter(f"{len(keys)} keys for {len(cards)} cards")
    return lock_factors(secret, keys) * cards


def unlock(cards: Points, keys: Sequence[Scalars]) -> Points:
    """Return the cards with these keys removed. There is one array of keys per seat."""
    return reduce(lambda total, key: total * key, keys).invert() * cards


# --- A seat of a game that is compatible but not proven ---


@dataclass(frozen=True)
class BareSeat:
    """A seat's fragments and secrets, laid out as the package's player: a key per position, then the cascade's."""

    fragments: Points = field(repr=False)
    keys: Scalars = field(repr=False)

    def __post_init__(self) -> None:
        """Raise `BadParameter` unless there is one key per card and one more for the cascade."""
        if len(self.keys) != len(self.fragments) + 1:
            raise BadParameter(
                f"{len(self.keys)} keys for {len(self.fragments)} cards; there must be one more than cards"
            )

    @staticmethod
    def draw(group: Group, cards: int, entropy: Callable[[int], bytes]) -> BareSeat:
        """Draw a new seat for a deck with this many cards."""
        fragments = group.map_to_points(entropy(cards * group.uniform_size))
        return BareSeat(fragments, group.wide_scalars(entropy((cards + 1) * group.wide_size)))

    @property
    def cards(self) -> int:
        """The number of cards."""
        return len(self.fragments)

    @property
    def public_keys(self) -> Points:
        """The public keys that other seats get before the cascade, to check every secret that arrives later."""
        return self.keys * self.keys.group.G

    def cascade(self, cards: Points, order: Order) -> Points:
        """Take this seat's turn in the cascade."""
        return cascade(self.keys[self.cards], cards, order)

    def lock(self, cards: Points) -> Points:
        """Take this seat's turn in the lock."""
        return lock(self.keys[self.cards], self.keys[: self.cards], cards)


def refuse_deck(seat: int, cards: Points, count: int) -> None:
    """Raise `PeerFault` if a deck sent without a proof has the wrong size or two equal cards."""
    if len(cards) != count:
        raise PeerFault(seat, f"sent {len(cards)} cards instead of {count}")
    if len(point_index(cards)) != count:
        raise PeerFault(seat, "sent a deck with two equal cards")


def refuse_keys(seat: int, public: Points, secrets: Scalars) -> None:
    """Raise `PeerFault` if secrets do not match the seat's public keys."""
    if len(public) != len(secrets) or secrets * public.group.G != public:
        raise PeerFault(seat, "sent a key that is not the one it announced")


def recheck(
    deck: Points,
    cascaded: Sequence[Points],
    locked: Sequence[Points],
    announced: Sequence[Points],
    keys: Sequence[Scalars],
) -> None:
    """Check every step after the game, when all keys are open.

    `cascaded` and `locked` are the decks as the seats sent them, in turn; `announced` are their public keys from before
    the cascade. Raise `PeerFault` for the first seat whose opened keys are not these, and then for the first that did
    anything other than permute and multiply. The permutations need not be known: comparing sets is enough.
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
