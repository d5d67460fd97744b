"""The public state of a `duel` deck, and how its secrets are drawn.

A card is C[i] = Ka[i]·Kb[i]·P: under a key of its owner and a key of the rival. Drawing it takes the rival's key;
playing it takes the owner's.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from nodealer.cards.operations import Card
from nodealer.errors import CardUnreadable, Undecided
from nodealer.group import Group, Order, Points, Scalars, concat, hash_to_points
from nodealer.proofs.encoding import encodings
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.codec import point_index
from nodealer.protocols.keyed_deck import Published
from nodealer.protocols.layers import Faces, Layers
from nodealer.protocols.stages import StagedDeck
from nodealer.tape import Tape, digest, framed
from nodealer.wire import encode

NONCE_BYTES: Final = 32
CARDS: Final = b"nodealer/v0/duel cards"


class Mode(enum.Enum):
    """How cheating with a deck is prevented or detected."""

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
        """Whether commitments and checks are exactly those of the source document."""
        return self is Mode.XOR


@dataclass(frozen=True)
class OwnerSays:
    """A stage in which the owner must name the cards at these positions."""

    positions: tuple[int, ...]


@dataclass(frozen=True)
class DuelDeck(StagedDeck):
    """The public state of one player's deck."""

    size: int
    owner: int
    mode: Mode
    #: The group that cards and keys belong to: the table's, or strings of bits.
    cipher: Group = field(repr=False)
    layers: Layers[Points] = field(repr=False)
    #: The points of all cards, if they are public.
    faces: Faces | None = field(default=None, repr=False)
    #: If they are not: a commitment for each card, and the epoch in which it was made.
    commitments: tuple[bytes, ...] = field(default=(), repr=False)
    made: tuple[int, ...] = field(default=(), repr=False)
    #: The published keys of cards.
    released: Published = field(default_factory=dict, repr=False)
    #: The number of shuffles and locks begun so far.
    epoch: int = 0
    #: Cards of the pile that the owner has peeked at.
    peeked: tuple[int, ...] = ()

    @property
    def rival(self) -> int:
        """The seat of the other player."""
        return next(seat for seat in self.binding.players if seat != self.owner)

    def not_peeked(self, positions: Sequence[int]) -> tuple[int, ...]:
        """Return the positions that the owner has peeked at, except these, which are no longer in the pile."""
        gone = frozenset(positions)
        return tuple(position for position in self.peeked if position not in gone)

    # --- Cards ---

    def without_published_keys(self, positions: tuple[int, ...]) -> Points:
        """Return these cards with every published key removed."""
        one = self.cipher.integers([1])
        keys = []
        for position in positions:
            key = one
            for secret in self.released.get(position, {}).values():
                key = key * secret
            keys.append(key)
        return concat(*keys).invert() * self.layers.cards(positions)

    def is_bare(self, position: int, seat: int) -> bool:
        """Return whether a seat's key to a card is public, or was replaced by the card's nonce."""
        return seat in self.released.get(position, {}) or self.places.face(position) is not None

    def faces_of(self, faces: Faces, positions: tuple[int, ...]) -> dict[int, int]:
        """Map the positions of cards whose keys are all published to faces. Raise `Undecided` if one is not a face."""
        found = dict[int, int]()
        for position, face in zip(
            positions, faces.find(self.without_published_keys(positions)) if positions else (), strict=True
        ):
            if face is None:
                raise Undecided(f"card {position} of deck {self.number} is not one of the faces of the deck")
            found[position] = face
        return found

    def own_index(self, tape: Tape) -> Mapping[bytes, int]:
        """Return a map from encoded point to card, from public points or from the nonces on the owner's tape."""
        if self.faces is not None:
            return self.faces.index
        every = range(self.size)
        return point_index(self.committed_points(every, self.nonces(tape, every)))

    def read(self, tape: Tape, positions: tuple[int, ...]) -> list[int]:
        """Return the faces of cards to which the rival's keys are published, read by the owner.

        Raise `CardUnreadable` if one is not a card.
        """
        if not positions:
            return []
        index = self.own_index(tape)
        own = self.layers.secrets(tape, positions, self.owner)
        rivals = concat(*(self.released[position][self.rival] for position in positions))
        bare = (own * rivals).invert() * self.layers.cards(positions)
        found = []
        for position, code in zip(positions, encodings(bare), strict=True):
            if code not in index:
                raise CardUnreadable(self.number, position, "it is not one of the cards of the deck")
            found.append(index[code])
        return found

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        """Return open faces and, for the owner, all cards it has drawn, discarded or peeked at, or must now reveal."""
        faces = dict(self.places.opened)
        if seat == self.owner:
            # Include cards that the owner must reveal now: if one is not a card, the owner must be able to claim that.
            stage: Any = self.stage
            saying = stage.positions if isinstance(stage, OwnerSays) else ()
            mine = (*self.places.hand(seat), *self.places.discards, *self.peeked, *saying)
            hidden = self.places.only_hidden(dict.fromkeys(mine))
            faces.update(zip(hidden, self.read(tape, hidden), strict=True))
        self._refuse_doubled(faces)
        return {self.places.card(position): face for position, face in faces.items()}

    def _refuse_doubled(self, faces: Mapping[int, int]) -> None:
        """Raise `CardUnreadable` if a face (position to face) appears twice. Disclosure shows who doubled it.

        In the proven mode this cannot happen.
        """
        seen = set[int]()
        for position, face in faces.items():
            if face in seen:
                raise CardUnreadable(self.number, position, "its face is in the deck twice")
            seen.add(face)

    def digest(self) -> bytes:
        """Return a digest of the public state, for comparing replicas. It includes the cards that were peeked at."""
        return digest("deck", self.trail, self.places.digest(), encode(self.peeked))

    # --- Nonces and commitments, if faces are not public ---

    # defence: two-names
    def committed_points(self, cards: Sequence[int], nonces: Sequence[bytes]) -> Points:
        """Return the points of cards with their nonces.

        The card is hashed too, so one nonce under two names gives two points.
        """
        if self.mode.word_for_word:
            return self.cipher.points(b"".join(nonces))
        bound = digest("duel cards", self.binding.session, self.binding.hand, self.owner, self.number)
        said = [framed("card", bound, card, nonce) for card, nonce in zip(cards, nonces, strict=True)]
        return hash_to_points(self.cipher, CARDS, said)

    def commitment(self, card: int, nonce: bytes) -> bytes:
        """Return the SHA-256 over card and nonce, with framed parts or joined as in the source document."""
        if self.mode.word_for_word:
            return hashlib.sha256(f"{card}=>".encode() + nonce).digest()
        return hashlib.sha256(framed("duel commitment", card, nonce)).digest()

    def fresh_commitments(self, tape: Tape, cards: Sequence[int], epoch: int) -> bytes:
        """Return commitments to nonces of this epoch."""
        nonces = self.fresh_nonces(tape, cards, epoch)
        return b"".join(self.commitment(card, nonce) for card, nonce in zip(cards, nonces, strict=True))

    def nonces(self, tape: Tape, cards: Sequence[int]) -> list[bytes]:
        """Return the owner's nonces of these cards, as last committed to."""
        return [self._nonce(tape, card, self.made[card]) for card in cards]

    def fresh_nonces(self, tape: Tape, cards: Sequence[int], epoch: int) -> list[bytes]:
        """Return nonces for commitments made in this epoch."""
        return [self._nonce(tape, card, epoch) for card in cards]

    def _nonce(self, tape: Tape, card: int, epoch: int) -> bytes:
        """Return the owner's nonce of a card for commitments made in this epoch, from its tape."""
        return tape.draw("duel nonce", self.inputs(self.owner, epoch, digest("duel card", card)), size=NONCE_BYTES)

    # --- Keys ---

    def gather_key(self, tape: Tape, seat: int, epoch: int) -> Scalars:
        """Return the one key that a seat moves cards to before a reshuffle."""
        return draw_scalars(tape, "duel gather", self.inputs(seat, epoch), self.cipher, 1)

    def shuffle_key(self, tape: Tape, seat: int, epoch: int) -> Scalars:
        """Return the one key that a seat multiplies a deck by when it shuffles: K1 and K2 of the source document."""
        return draw_scalars(tape, "duel shuffle", self.inputs(seat, epoch), self.cipher, 1)

    def order(self, tape: Tape, seat: int, epoch: int, cards: Points) -> Order:
        """Return the permutation of a shuffle, derived from this input deck."""
        inputs = self.inputs(seat, epoch, cards_digest(cards), b"shuffle")
        return tape.permutation("duel permutation", inputs, len(cards))


def cards_digest(cards: Points) -> bytes:
    """Return the digest of these cards, from which secrets applied to them are derived."""
    return digest("duel cards", cards.to_bytes())
