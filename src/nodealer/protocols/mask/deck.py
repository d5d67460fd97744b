"""The public state of a `mask` deck, and how its secrets are drawn.

A card is (msg, pk, epk). `pk` is the sum of the seats' keys for that card. Messages contain the keys, never the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from nodealer.cards.events import Half
from nodealer.cards.operations import Card, Peek
from nodealer.errors import CardUnreadable
from nodealer.group import Group, Order, Points, Scalars, concat
from nodealer.proofs.encoding import encodings
from nodealer.proofs.hidden_cards import MaskedCards
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import Binding
from nodealer.protocols.keyed_deck import Releasing
from nodealer.protocols.layers import Faces
from nodealer.protocols.recoverable import RecoverableDeck
from nodealer.tape import Tape, digest


@dataclass(frozen=True)
class Masked:
    """Masked cards: parallel arrays of epk and msg."""

    epk: Points
    msg: Points

    @property
    def group(self) -> Group:
        """The group that the points of these cards belong to."""
        return self.epk.group

    def __len__(self) -> int:
        """Return the number of cards."""
        return len(self.epk)

    def digest(self) -> bytes:
        """Return the digest of these cards, from which secrets applied to them are derived."""
        return digest("mask cards", self.epk.to_bytes(), self.msg.to_bytes())

    def take(self, places: Sequence[int] | Order) -> Masked:
        """Return the cards at these places, or all of them in a secret order."""
        return Masked(self.epk.take(places), self.msg.take(places))

    def concat(self, others: Sequence[Masked]) -> Masked:
        """Return these cards followed by the others."""
        epk, msg = (other.epk for other in others), (other.msg for other in others)
        return Masked(concat(self.epk, *epk), concat(self.msg, *msg))


@dataclass(frozen=True)
class PeekRecord:
    """What the log contains about one or several cards for a seat that has peeked at them."""

    #: The table and the epoch of the peek, and the digest of all cards in it.
    binding: Binding = field(repr=False)
    epoch: int
    cards: bytes
    #: For one card: the sum of all other seats' parts of the mask, under the peeking seat's key.
    parts: Masked | None = None

    def secret(self, tape: Tape, deck: int, seat: int) -> Scalars:
        """Return the secret key that others answer the peek under, derived from these cards and this epoch."""
        inputs = self.binding.inputs(deck=deck, epoch=self.epoch, seat=seat, others=(self.cards,))
        return draw_scalars(tape, "mask look key", inputs, self.binding.group, 1)


@dataclass(frozen=True)
class MaskDeck(RecoverableDeck[Masked]):
    """The public state of one `mask` deck."""

    faces: Faces = field(repr=False)
    #: Position and seat to the record of the seat's peek at that card.
    peek_records: Mapping[tuple[int, int], PeekRecord] = field(default_factory=dict, repr=False)

    def taken_keys(self) -> set[bytes]:
        """Return every public key that a card of this deck has or had. No other card may get one of them."""
        every = (keys for layer in self.layers.all_layers for keys in layer.keys.values())
        return {key for keys in every for key in encodings(keys)}

    def bare(self, faces: Sequence[int]) -> Masked:
        """Return these faces as cards without a mask."""
        return Masked(_no_masks(self.binding.group, len(faces)), self.faces.points.take(faces))

    def held_cards(self, positions: tuple[int, ...]) -> Masked:
        """Return cards under their owners' keys alone, (u, w = M + s·u). All other keys to them are published."""
        owner = self.places.owner
        return self._remove_keys(positions, self._published(positions, lambda position, seat: seat != owner(position)))

    def cards_of_remaining(self, positions: tuple[int, ...]) -> Masked:
        """Return cards under the keys of the remaining seats. The keys of seats that left must be published."""
        here = self.binding.players
        return self._remove_keys(positions, self._published(positions, lambda position, seat: seat not in here))

    def _remove_keys(self, positions: tuple[int, ...], off: Scalars) -> Masked:
        """Return cards with published keys removed. `off` has the sum of those keys for each card."""
        cards = self.layers.cards(positions)
        return Masked(cards.epk, cards.msg - off * cards.epk)

    def _published(self, positions: tuple[int, ...], of: Callable[[int, int], bool]) -> Scalars:
        """Return the sum of some seats' published keys for each card. `of(position, seat)` selects the seats."""
        none = self.binding.group.integers([0])
        return concat(
            *(
                sum((self.released[position][seat] for seat in self.masked_by(position) if of(position, seat)), none)
                for position in positions
            )
        )

    def faces_at(self, positions: tuple[int, ...], secrets: Mapping[int, Scalars]) -> list[int | None]:
        """Return the faces at these positions, given every seat's secrets, or None for a card that is not a face."""
        cards = self.layers.cards(positions)
        total = self.binding.group.integers([0] * len(positions))
        for secret in secrets.values():
            total = total + secret
        return self.faces.find(cards.msg - total * cards.epk)

    @property
    def half(self) -> Mapping[int, Half]:
        """A map from seat to the operation that it would leave half done by leaving now.

        After a seat has peeked at cards that it will reorder or keep, any other seat could leave and so let it peek at
        other cards. So all other seats count, including those that owe nothing right now, until the kept card is
        dealt.
        """
        if isinstance(self.asked, Peek) and any(sight.epoch == self.epoch for sight in self.peek_records.values()):
            seats = self.stage.owing if isinstance(self.stage, Releasing) else self.binding.players
            return {seat: Half.DEALT for seat in seats if seat != self.asked.seat}
        return super().half

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        """Return the seat's own cards and open ones, and those it gave away, was shown, or peeked at in the pile."""
        known = dict(super().knows(seat, tape)) | self._peeked_faces(seat, tape)
        there = dict[int, int]()
        for position, who in self.places.seen.items():
            at = dict(who).get(seat)
            if at is not None and self.places.owner(position) is not None and self.places.face(position) is None:
                there[position] = at
        if not there:
            return known
        # All at once: drawing the keys for one card draws those of its whole layer, and a seat may show thousands.
        ats = tuple(there.values())
        found = self.unmask(ats, {seat: self.card_secrets(tape, ats, seat)})
        return known | self._require_faces(there, found)

    def _peeked_faces(self, seat: int, tape: Tape) -> dict[Card, int]:
        """Return the cards that a seat has peeked at and can still locate: M = W − Σ c2 − s·u + t·Σ c1."""
        places, there = self.places, dict[int, int]()
        for position, who in places.peeked.items():
            at = dict(who).get(seat)
            lies = position in places.in_pile or places.owner(position) is not None
            if at is not None and lies and places.face(position) is None:
                there[position] = at
        if not there:
            return {}
        ats, every = tuple(there.values()), [self.peek_records[at, seat] for at in there.values()]
        t = {one.cards: one.secret(tape, self.number, seat) for one in every}
        told = [one.parts for one in every if one.parts is not None]
        parts, cards = told[0].concat(told[1:]), self.layers.cards(ats)
        own = self.card_secrets(tape, ats, seat) * cards.epk
        found = self.faces.find(cards.msg - parts.msg - own + concat(*(t[one.cards] for one in every)) * parts.epk)
        return self._require_faces(there, found)

    def _require_faces(self, there: Iterable[int], found: Iterable[int | None]) -> dict[Card, int]:
        """Return cards with their faces. Raise `CardUnreadable` if one is not a face."""
        known = dict[Card, int]()
        for position, face in zip(there, found, strict=True):
            if face is None:
                raise CardUnreadable(self.number, position, "it is none of the faces of the deck")
            known[self.places.card(position)] = face
        return known

    # --- Proofs about hidden cards ---

    def hidden_cards(self, positions: tuple[int, ...], seat: int) -> MaskedCards:
        """Return a seat's cards for a proof: masked points, what others have published, and the seat's keys."""
        cards = self.layers.cards(positions)
        off = self._published(positions, lambda position, other: other != seat)
        return MaskedCards(cards.epk, cards.msg, off, self.card_keys(positions, seat))

    def face_points(self, faces: tuple[int, ...]) -> Points:
        """Return these faces as points."""
        return _points_of(self.faces, faces)

    # --- Secrets of a shuffle ---

    def shuffle_secret(self, tape: Tape, seat: int, epoch: int) -> Scalars:
        """Return the one key that a seat shuffles an epoch of the deck with."""
        return draw_scalars(tape, "mask shuffle key", self.inputs(seat, epoch), self.binding.group, 1)

    def shuffle_draws(self, tape: Tape, seat: int, epoch: int, cards: Masked, joint: Points) -> tuple[Order, Scalars]:
        """Return the permutation and the masks of a shuffle step, derived from these input cards and this joint key."""
        inputs = self.inputs(seat, epoch, cards.digest(), joint.to_bytes())
        order = tape.permutation("mask permutation", inputs, len(cards))
        return order, draw_scalars(tape, "mask masks", inputs, self.binding.group, len(cards))

    def mask_draws(self, tape: Tape, seat: int, epoch: int, cards: Masked, joint: Points) -> Scalars:
        """Return the masks for cards that stay in place.

        They differ from those of a shuffle. They are published one by one here, which would undo the shuffle on a fork
        that shuffles the same cards.
        """
        inputs = self.inputs(seat, epoch, cards.digest(), joint.to_bytes())
        return draw_scalars(tape, "mask masks in place", inputs, self.binding.group, len(cards))

    # --- Secrets of a rebuild ---

    def held_draws(self, tape: Tape, seat: int, cards: Masked, joint: Points) -> Scalars:
        """Return the masks for a seat's declared cards, derived from the cards, the joint key and the epoch."""
        inputs = self.inputs(seat, self.epoch, cards.digest(), joint.to_bytes())
        return draw_scalars(tape, "mask held cards", inputs, self.binding.group, len(cards))

    # defence: linked-tags
    def tag_secret(self, tape: Tape, seat: int, cards: Masked) -> Scalars:
        """Return the one secret that a seat multiplies all cards of a rebuild by, derived from exactly these cards.

        With the same secret in two rebuilds, or in two forks of one, a card would have the same tag in both.
        """
        return draw_scalars(tape, "mask tags", self.inputs(seat, self.epoch, cards.digest()), self.binding.group, 1)


@lru_cache(maxsize=64)
def _points_of(faces: Faces, chosen: tuple[int, ...]) -> Points:
    """Return some faces of a deck. The result is cached because batches recognise arrays by identity."""
    return faces.points.take(chosen)


@lru_cache(maxsize=16)
def _no_masks(group: Group, count: int) -> Points:
    """Return the epk of cards without a mask. The result is cached so that it is encoded once, not for every deck."""
    return group.identity(count)
