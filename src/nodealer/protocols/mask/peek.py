"""A seat peeks at cards of the pile, which stay in place under all seats' keys.

The peeking seat publishes a new key R = t·G, with a proof. For each card, every other seat publishes its part of the
mask under that key, (ρ·G, s·u + ρ·R), and proves K = s·G, c1 = ρ·G, c2 = s·u + ρ·R. The peeking seat removes all parts,
including its own, and reads the face. No key of a card is published. Otherwise the card would be under the peeking
seat's key alone, and dealing it to another seat later would open it to everyone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.cards.events import Half
from nodealer.cards.operations import Look, Peek
from nodealer.errors import BadParameter, Malformed
from nodealer.group import Points, Scalars
from nodealer.proofs import equality, labels, linear
from nodealer.proofs.encoding import encodings
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.mask.deck import MaskDeck, Masked, PeekRecord
from nodealer.protocols.mask.messages import MaskLook, MaskTell
from nodealer.protocols.mask.return_cards import Gathering
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


def peek(deck: MaskDeck, operation: Peek) -> DeckChange:
    """Begin to show a seat the next cards of the pile."""
    positions = deck.places.next_cards(operation.count)
    if operation.seat not in deck.binding.players:
        raise BadParameter(f"there is no seat {operation.seat} to look at cards")
    return DeckChange(deck.in_stage(RequestingPeek(operation, positions, deck.trail), epoch=deck.epoch + 1))


@dataclass(frozen=True)
class RequestingPeek:
    """Stage: the peeking seat publishes a key for this one peek."""

    operation: Peek
    positions: tuple[int, ...]
    anchor: bytes

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return the peeking seat's duty to publish a key."""
        return (deck.duty(self.operation.seat, "look", self.anchor),)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return a key for this peek, with a proof of knowing its secret."""
        t = new_peek_record(deck, self.positions).secret(tape, deck.number, duty.seat)
        R = t * deck.binding.group.G
        knowledge = equality.prove_knowledge(deck.transcript(duty, deck.epoch), tape, R, t)
        return encode(MaskLook(R.to_bytes(), knowledge))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Accept the key, so that all others answer under it. Raise `Malformed` if a card has or had this key."""
        said = read_message(MaskLook, message)
        R = read_points(deck.binding.group, said.key, 1, "the key of the look")
        # The key of a card may be published one day, and everyone could then read what was sent under it.
        if encodings(R)[0] in deck.taken_keys():
            raise Malformed("the key of the peek is already in use")
        check = equality.check_knowledge(deck.transcript(duty, deck.epoch), R, said.knowledge)
        return DeckChange(deck.in_stage(AnsweringPeek(self.operation, self.positions, R, deck.trail)), (), (check,))


@dataclass(frozen=True)
class AnsweringPeek:
    """Stage: all other seats publish their parts of the cards' masks for the peeking seat, in parallel."""

    operation: Peek
    positions: tuple[int, ...]
    key: Points
    anchor: bytes
    #: Seat to its parts of the masks.
    said: Mapping[int, Masked] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return one duty for each other seat that has not answered."""
        return tuple(deck.duty(seat, "tell", self.anchor) for seat in self._owing(deck))

    def _owing(self, deck: MaskDeck) -> tuple[int, ...]:
        """Return the seats that have not answered."""
        done = {self.operation.seat, *self.said}
        return tuple(seat for seat in deck.binding.players if seat not in done)

    def half(self, deck: MaskDeck) -> Mapping[int, Half]:
        """Return the seats that would leave the peek half done by leaving now. A peek counts as a deal.

        As in a deal, the peeking seat together with those that have not answered may already know the cards.
        """
        return dict.fromkeys(self._owing(deck), Half.DEALT) if self.said else {}

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's parts of the masks, encrypted under the key of the peek, with a proof."""
        s, masks = deck.card_secrets(tape, self.positions, duty.seat), self._masks(deck, tape, duty.seat)
        group, epk = deck.binding.group, deck.layers.cards(self.positions).epk
        parts = Masked(masks * group.G, s * epk + masks * self.key)
        statement = _statement(epk, deck.card_keys(self.positions, duty.seat), parts, self.key)
        proof = linear.prove(deck.transcript(duty, deck.epoch), tape, statement, [s, masks])
        return encode(MaskTell(parts.epk.to_bytes(), parts.msg.to_bytes(), proof))

    def _masks(self, deck: MaskDeck, tape: Tape, seat: int) -> Scalars:
        """Return the masks of this seat's answer, derived from these cards, this key and this epoch."""
        cards = deck.layers.cards(self.positions)
        inputs = deck.inputs(seat, deck.epoch, cards.digest(), self.key.to_bytes())
        return draw_scalars(tape, "mask told cards", inputs, deck.binding.group, len(cards))

    # defence: told
    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a seat's parts and return the check of its proof.

        After the last, the peeking seat can read the cards.
        """
        said, group, count = read_message(MaskTell, message), deck.binding.group, len(self.positions)
        epk = read_points(group, said.epk, count, "epk")
        parts = Masked(epk, read_points(group, said.msg, count, "msg"))
        keys = deck.card_keys(self.positions, duty.seat)
        statement = _statement(deck.layers.cards(self.positions).epk, keys, parts, self.key)
        check = linear.check(deck.transcript(duty, deck.epoch), statement, said.proof)
        stage = replace(self, said={**self.said, duty.seat: parts})
        if stage._owing(deck):
            return DeckChange(deck.in_stage(stage), (), (check,))
        step = stage._finish(deck)
        return replace(step, checks=(check, *step.checks))

    def _finish(self, deck: MaskDeck) -> DeckChange:
        """Record the peek, so that the peeking seat can read the cards, and go on to what follows it."""
        epk, msg = deck.binding.group.identity(1), deck.binding.group.identity(1)
        for parts in self.said.values():
            epk, msg = epk + parts.epk, msg + parts.msg
        seat, sight = self.operation.seat, new_peek_record(deck, self.positions)
        peek_records = {
            (p, seat): replace(sight, parts=Masked(epk, msg).take([at])) for at, p in enumerate(self.positions)
        }
        seen = deck.with_fields(
            peek_records={**deck.peek_records, **peek_records}, places=deck.places.apply_peek(self.positions, seat)
        )
        then = self.operation.then
        if then is Look.LOOK or (then is Look.REORDER and len(self.positions) == 1):
            return seen.finish()
        # A search gathers the whole pile: the cards that are not kept are shuffled.
        gathered = seen.places.pile if then is Look.TAKE else self.positions
        return DeckChange(seen.in_stage(Gathering(self.operation, gathered, gathered, deck.trail)))


def new_peek_record(deck: MaskDeck, positions: tuple[int, ...]) -> PeekRecord:
    """Return the record of a peek at these cards, before any seat has answered."""
    return PeekRecord(deck.binding, deck.epoch, deck.layers.cards(positions).digest())


def _statement(epk: Points, own: Points, parts: Masked, key: Points) -> linear.Statement:
    """Return the statement K = s·G; c1 = ρ·G; c2 = s·u + ρ·R for each card, with its own secrets s and ρ."""
    G = own.group.G
    rows = (
        linear.LinearRow(own, ((0, G),)),
        linear.LinearRow(parts.epk, ((1, G),)),
        linear.LinearRow(parts.msg, ((0, epk), (1, key))),
    )
    return linear.Statement(labels.TOLD_CARDS, (len(own), len(own)), rows)
