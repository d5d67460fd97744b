"""The shuffle of a `mask` deck, seat by seat.

The steps that follow it, tags and new keys, are in `tags.py` and `rekey.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nodealer.cards.operations import NewDeck
from nodealer.errors import Malformed
from nodealer.group import Points, concat
from nodealer.proofs import shuffle
from nodealer.proofs.checks import Check
from nodealer.proofs.relations import AddMask, Remask
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskReshuffle, MaskShuffle
from nodealer.protocols.mask.rekey import Arranged, Purpose, Rebuild, Rekeying
from nodealer.protocols.mask.tags import Tagging
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class MaskShuffling:
    """Stage: each seat in turn masks all cards and permutes them. In a new deck, its key joins in the same step."""

    purpose: Purpose
    epoch: int
    #: None before the first shuffle of a new deck: the cards are then its bare faces.
    cards: Masked | None
    #: The joint key so far. It is complete from the start, except in a new deck.
    joint: Points
    #: Seat to shuffle key, for the seats that have joined.
    keys: Mapping[int, Points]
    turn: int
    anchor: bytes

    def before(self, deck: MaskDeck) -> Masked:
        """Return the cards that the next seat starts from."""
        return deck.bare(range(deck.faces.size)) if self.cards is None else self.cards

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return the duty of the seat at `turn` to shuffle."""
        return (deck.duty(deck.binding.players[self.turn], self._step, self.anchor),)

    @property
    def _step(self) -> str:
        """The kind of duty: a first shuffle or a reshuffle."""
        return "shuffle" if isinstance(self.purpose, NewDeck) else "reshuffle"

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the cards masked and permuted, with a shuffle proof and, in a new deck, the seat's key."""
        seat, group, given = duty.seat, deck.binding.group, self.before(deck)
        s = deck.shuffle_secret(tape, seat, self.epoch)
        S = s * group.G
        joins = isinstance(self.purpose, NewDeck)
        joint = self.joint + S if joins else self.joint
        order, masks = deck.shuffle_draws(tape, seat, self.epoch, given, joint)
        before = given.take(order)
        epk = before.epk + masks * group.G
        if joins and self.turn:
            msg = before.msg + group.combine(s, before.epk, masks, joint)
        else:
            # No key joins, or every epk is still the identity and there is nothing to add the key to.
            msg = before.msg + masks * joint
        transcript = deck.transcript(duty, self.epoch)
        if joins:
            joining = AddMask(self.joint, S, given.epk, given.msg, epk, msg)
            proof = shuffle.prove(transcript, tape, joining, order, lambda b: concat(b.dot(masks), s))
            return encode(MaskShuffle(S.to_bytes(), epk.to_bytes(), msg.to_bytes(), proof))
        pairs = Remask(self.joint, given.epk, given.msg, epk, msg)
        proof = shuffle.prove(transcript, tape, pairs, order, lambda b: b.dot(masks))
        return encode(MaskReshuffle(epk.to_bytes(), msg.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Accept the shuffled cards and return the check of the shuffle proof. Then it is the next seat's turn."""
        if isinstance(self.purpose, NewDeck):
            return self._join(deck, duty, read_message(MaskShuffle, message))
        said, given = read_message(MaskReshuffle, message), self.before(deck)
        cards = _read(said, given)
        relation = Remask(self.joint, given.epk, given.msg, cards.epk, cards.msg)
        check = shuffle.check(deck.transcript(duty, self.epoch), relation, said.proof)
        return replace(self, cards=cards)._next(deck, check)

    # defence: only-friends
    def _join(self, deck: MaskDeck, duty: Duty, said: MaskShuffle) -> DeckChange:
        """Check the shuffle of a new deck, in which the seat's key joins."""
        S, given = read_points(deck.binding.group, said.key, 1, "the shuffle key"), self.before(deck)
        if any(key == S for key in self.keys.values()):
            raise Malformed("the shuffle key is another seat's")
        cards = _read(said, given)
        relation = AddMask(self.joint, S, given.epk, given.msg, cards.epk, cards.msg)
        check = shuffle.check(deck.transcript(duty, self.epoch), relation, said.proof)
        keys = {**self.keys, duty.seat: S}
        return replace(self, cards=cards, joint=relation.joint, keys=keys)._next(deck, check)

    # defence: only-friends
    def _next(self, deck: MaskDeck, check: Check) -> DeckChange:
        """Return the change to the next seat's turn or, after the last, to the next stage."""
        if self.turn + 1 < len(deck.binding.players):
            return DeckChange(deck.in_stage(replace(self, turn=self.turn + 1, anchor=deck.trail)), (), (check,))
        cards = self.before(deck)
        if isinstance(self.purpose, Arranged) and self.purpose.kept is not None:
            cards = self.purpose.kept.concat([cards])
        if isinstance(self.purpose, Rebuild) and self.purpose.held is not None:
            return DeckChange(deck.in_stage(Tagging.of(deck, cards, self.purpose.held, self.keys)), (), (check,))
        return DeckChange(deck.in_stage(Rekeying(self.purpose, self.epoch, cards, self.keys, deck.trail)), (), (check,))


def _read(said: MaskShuffle | MaskReshuffle, given: Masked) -> Masked:
    """Decode the shuffled cards: as many as the seat was given."""
    group, count = given.group, len(given)
    return Masked(read_points(group, said.epk, count, "epk"), read_points(group, said.msg, count, "msg"))
