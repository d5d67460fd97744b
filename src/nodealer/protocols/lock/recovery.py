"""Held cards in a recovery: raised to the secrets of the new cascade, found in its deck, and taken out.

A held card is V = s·face under its holder's secret alone, K = s·G: all other seats have published theirs. The holder
shows X = (e/s)·V with log_V X = log_K E, and the others in turn multiply it by their e. The result is that card's point
in the deck after the cascade, and no one has seen a face.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nodealer.errors import BadParameter, Undecided
from nodealer.group import Points, concat
from nodealer.proofs import equality, linear
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.lock.card_lock import Locking
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.messages import HeldCards, LockedCards, RaisedCards
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


def holder(deck: LockDeck, position: int) -> int:
    """Return the remaining seat that holds or has discarded a card."""
    return deck.places.held[position] if position in deck.places.held else deck.places.discards[position]


def held_point(deck: LockDeck, position: int) -> Points:
    """Return V = s·face: the locked card with all published secrets removed, leaving only the holder's."""
    mine = holder(deck, position)
    others = [seat for seat in deck.masked_by(position) if seat != mine]
    product = deck.binding.group.integers([1])
    for seat in others:
        if seat not in deck.released.get(position, {}):
            raise BadParameter(f"card {position} is held, but seat {seat} has not published its secret")
        product = product * deck.released[position][seat]
    return product.invert() * deck.layers.cards((position,))


# defence: held
def _statement(deck: LockDeck, seat: int, positions: tuple[int, ...], E: Points, X: Points) -> linear.Statement:
    """Return the statement E = t·K and X = t·V for each card, with t = e/s."""
    V = concat(*(held_point(deck, position) for position in positions))
    K = deck.card_keys(positions, seat)
    same = E + deck.binding.group.identity(len(positions))
    rows = (linear.LinearRow(same, ((0, K),)), linear.LinearRow(X, ((0, V),)))
    return linear.Statement("lock held cards", (len(positions),), rows)


@dataclass(frozen=True)
class LockDeclaring:
    """Stage: all holders move their cards to their one secret of this cascade, in parallel."""

    held: tuple[int, ...]
    cards: Points
    keys: Mapping[int, Points]
    #: Position to the card as raised so far.
    raised: Mapping[int, Points]
    anchor: bytes

    def _mine(self, deck: LockDeck, seat: int) -> tuple[int, ...]:
        """Return the held positions of a seat."""
        return tuple(position for position in self.held if holder(deck, position) == seat)

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        """Return one duty for each holder that has not declared its held cards."""
        owing = {holder(deck, position) for position in self.held if position not in self.raised}
        return tuple(deck.duty(seat, "held", self.anchor) for seat in sorted(owing))

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's held cards under its secret of this cascade, with a proof that they are the same cards."""
        seat, positions = duty.seat, self._mine(deck, duty.seat)
        e = deck.cascade_secret(tape, seat)
        ratio = e * deck.card_secrets(tape, positions, seat).invert()
        X = ratio * concat(*(held_point(deck, position) for position in positions))
        statement = _statement(deck, seat, positions, self.keys[seat], X)
        proof = linear.prove(deck.transcript(duty, deck.epoch), tape, statement, [ratio])
        return encode(HeldCards(X.to_bytes(), proof))

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a seat's held cards and return the check of its proof.

        After the last, seats raise the cards in turn.
        """
        said, positions = read_message(HeldCards, message), self._mine(deck, duty.seat)
        X = read_points(deck.binding.group, said.cards, len(positions), "the held cards")
        statement = _statement(deck, duty.seat, positions, self.keys[duty.seat], X)
        check = linear.check(deck.transcript(duty, deck.epoch), statement, said.proof)
        raised = {**self.raised, **{position: X[place] for place, position in enumerate(positions)}}
        stage = replace(self, raised=raised)
        if len(raised) < len(self.held):
            return DeckChange(deck.in_stage(stage), (), (check,))
        step = Raising(self.held, self.cards, self.keys, raised, deck.binding.players, deck.trail).next(deck)
        return replace(step, checks=(check,))


@dataclass(frozen=True)
class Raising:
    """Stage: each seat in turn multiplies all other seats' held cards by its one secret."""

    held: tuple[int, ...]
    cards: Points
    keys: Mapping[int, Points]
    raised: Mapping[int, Points]
    #: The seats whose turn is still to come.
    turns: tuple[int, ...]
    anchor: bytes

    def _others(self, deck: LockDeck, seat: int) -> tuple[int, ...]:
        """Return the held positions of all other seats."""
        return tuple(position for position in self.held if holder(deck, position) != seat)

    def next(self, deck: LockDeck) -> DeckChange:
        """Skip seats that have nothing to multiply. After the last, take the held cards out of the deck."""
        turns = self.turns
        while turns and not self._others(deck, turns[0]):
            turns = turns[1:]
        if turns:
            return DeckChange(deck.in_stage(replace(self, turns=turns, anchor=deck.trail)))
        return self._take_out(deck)

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        """Return the duty of the next seat to raise the other seats' held cards."""
        return (deck.duty(self.turns[0], "raise", self.anchor),)

    def _points(self, deck: LockDeck, seat: int) -> Points:
        """Return the other seats' held cards, as raised so far."""
        return concat(*(self.raised[position] for position in self._others(deck, seat)))

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return all other seats' held cards multiplied by this seat's secret of the cascade, with a proof."""
        e = deck.cascade_secret(tape, duty.seat)
        before = self._points(deck, duty.seat)
        after = e * before
        transcript = deck.transcript(duty, deck.epoch)
        proof = equality.prove_equality(transcript, tape, self.keys[duty.seat], before, after, e)
        return encode(RaisedCards(after.to_bytes(), proof))

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record the raised cards and return the check of the proof.

        After the last seat, take held cards out of the deck.
        """
        said, positions = read_message(RaisedCards, message), self._others(deck, duty.seat)
        after = read_points(deck.binding.group, said.cards, len(positions), "the raised cards")
        before = self._points(deck, duty.seat)
        transcript = deck.transcript(duty, deck.epoch)
        check = equality.check_equality(transcript, self.keys[duty.seat], before, after, said.proof)
        raised = {**self.raised, **{position: after[place] for place, position in enumerate(positions)}}
        step = replace(self, raised=raised, turns=self.turns[1:]).next(deck)
        return replace(step, checks=(check, *step.checks))

    def _take_out(self, deck: LockDeck) -> DeckChange:
        """Lock the cards that no remaining seat holds as the new deck."""
        held = {self.raised[position].to_bytes() for position in self.held}
        rest = [place for place, card in enumerate(encodings(self.cards)) if card not in held]
        if len(rest) != len(self.cards) - len(self.held):
            return DeckChange(deck.in_stage(LockMismatch(deck.trail)))
        return DeckChange(deck.in_stage(Locking.of(deck, self.cards.take(rest), self.keys)))


@dataclass(frozen=True)
class LockMismatch:
    """Stage: a held card does not match exactly one card of the recovered deck.

    The proof of the last raise is checked after its message. It must be false, and then that seat is named before any
    seat answers here. If every proof is valid, this cannot happen; the next message then stops the hand without naming
    anyone.
    """

    anchor: bytes

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        """Return a placeholder duty of the first player, so that the proof of the last raise is checked first."""
        return (deck.duty(deck.binding.players[0], "lock", self.anchor),)

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return an empty message."""
        return encode(LockedCards(b"", b"", b""))

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        """Raise `Undecided`: the hand stops without naming anyone."""
        raise Undecided(f"a held card does not match exactly one card of the recovered deck {deck.number}")
