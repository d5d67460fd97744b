"""Finding held cards in a rebuilt `mask` deck by tags, which allow cards to be compared but not read.

Each seat in turn multiplies all cards, those of the deck and the held ones, by one secret. Then all seats together
remove their masks. The result is z·M for every card, and no one knows z: a held card has the tag of exactly one card of
the deck. That card is taken out of the shuffled deck. The multiplied cards are thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.errors import Undecided
from nodealer.group import Points, concat
from nodealer.proofs import equality
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import point_index, read_message, read_points
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskRekey, MaskShares, MaskTags
from nodealer.protocols.mask.rekey import Rebuild, Rekeying
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class Tagging:
    """Stage: each seat in turn multiplies all cards by its one secret."""

    #: The deck after all seats have shuffled it.
    cards: Masked
    #: Seat to its shuffle key.
    keys: Mapping[int, Points]
    #: The cards of the deck and then the held ones, multiplied so far: all epk, then all msg.
    points: Points
    turn: int
    anchor: bytes

    @staticmethod
    def of(deck: MaskDeck, cards: Masked, held: Masked, keys: Mapping[int, Points]) -> Tagging:
        """Return the first tagging stage for a deck that all seats have shuffled, and the held cards."""
        every = cards.concat([held])
        return Tagging(cards, keys, concat(every.epk, every.msg), 0, deck.trail)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return the duty of the seat at `turn` to multiply the cards."""
        return (deck.duty(deck.binding.players[self.turn], "tag", self.anchor),)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return all cards multiplied by the seat's secret, with a proof."""
        z = deck.tag_secret(tape, duty.seat, masked(self.points))
        Z, after = z * z.group.G, z.group.products(z, self.points)
        proof = equality.prove_equality(deck.transcript(duty, deck.epoch), tape, Z, self.points, after, z)
        return encode(MaskTags(Z.to_bytes(), after.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Accept the multiplied cards and return the check of the proof.

        After the last seat, all remove their masks.
        """
        said, group = read_message(MaskTags, message), deck.binding.group
        Z = read_points(group, said.key, 1, "the key of the tags")
        after = read_points(group, said.cards, len(self.points), "the multiplied cards")
        check = equality.check_equality(deck.transcript(duty, deck.epoch), Z, self.points, after, said.proof)
        if self.turn + 1 < len(deck.binding.players):
            stage = replace(self, points=after, turn=self.turn + 1, anchor=deck.trail)
            return DeckChange(deck.in_stage(stage), (), (check,))
        return DeckChange(deck.in_stage(Sharing(self.cards, self.keys, masked(after), deck.trail)), (), (check,))


def masked(points: Points) -> Masked:
    """Split an array of all epk followed by all msg into cards."""
    count = len(points) // 2
    return Masked(points[:count], points[count:])


@dataclass(frozen=True)
class Sharing:
    """Stage: all seats publish their parts of every multiplied card's mask, in parallel."""

    cards: Masked
    keys: Mapping[int, Points]
    #: The cards multiplied by all seats: those of the deck, then the held ones.
    tagged: Masked
    anchor: bytes
    #: Seat to its parts.
    said: Mapping[int, Points] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that has not published its parts."""
        return tuple(deck.duty(seat, "share", self.anchor) for seat in deck.binding.players if seat not in self.said)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's part of every multiplied card's mask, with a proof."""
        s, epk = deck.shuffle_secret(tape, duty.seat, deck.epoch), self.tagged.epk
        shares = s * epk
        transcript = deck.transcript(duty, deck.epoch)
        proof = equality.prove_equality(transcript, tape, self.keys[duty.seat], epk, shares, s)
        return encode(MaskShares(shares.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a seat's parts and return the check of its proof.

        After the last, take the held cards out of the deck.
        """
        said, epk = read_message(MaskShares, message), self.tagged.epk
        shares = read_points(deck.binding.group, said.shares, len(epk), "the shares")
        transcript = deck.transcript(duty, deck.epoch)
        check = equality.check_equality(transcript, self.keys[duty.seat], epk, shares, said.proof)
        stage = replace(self, said={**self.said, duty.seat: shares})
        if len(stage.said) < len(deck.binding.players):
            return DeckChange(deck.in_stage(stage), (), (check,))
        return DeckChange(deck.in_stage(stage._take_out(deck)), (), (check,))

    def _take_out(self, deck: MaskDeck) -> Rekeying | MaskMismatch:
        """Return the next stage, with the cards that no seat holds as the new deck."""
        tags = self.tagged.msg
        for shares in self.said.values():
            tags = tags - shares
        count = len(self.cards)
        places, held = point_index(tags[:count]), encodings(tags[count:])
        found = {places[tag] for tag in held if tag in places}
        if len(places) != count or len(found) != len(held):
            return MaskMismatch(deck.trail)
        rest = self.cards.take([place for place in range(count) if place not in found])
        return Rekeying(Rebuild(None), deck.epoch, rest, self.keys, deck.trail)


@dataclass(frozen=True)
class MaskMismatch:
    """Stage: a held card does not match exactly one card of the rebuilt deck.

    The proof of the last share is checked after its message. It must be false, and then that seat is named before any
    seat answers here. If every proof is valid, this cannot happen; the next message then stops the hand without naming
    anyone.
    """

    anchor: bytes

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return a placeholder duty of the first player, so that the proof of the last share is checked first."""
        return (deck.duty(deck.binding.players[0], "rekey", self.anchor),)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return an empty message."""
        return encode(MaskRekey(b"", b"", b""))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Raise `Undecided`: the hand stops without naming anyone."""
        raise Undecided(f"a held card does not match exactly one card of the rebuilt deck {deck.number}")
