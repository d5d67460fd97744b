"""Dealing and opening in `offset`: the dealer announces, then the others publish their key parts.

`dealInitial` names who gets what; all seats except the receiver, including the dealer, answer with `dealFinal`.
`revealInitial` opens deals to everyone and carries the dealer's own parts, unless others must publish first; then the
dealer answers with `revealFinal` in its turn, like the others. A holder who shows one of its own cards sends
`revealFinal` without an announcement.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.cards.operations import Deal, Open, Show
from nodealer.errors import Malformed
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_secrets
from nodealer.protocols.keyed_deck import KeyedDeck, Releasing
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.protocols.offset.messages import DealFinal, DealInitial, RevealFinal, RevealInitial
from nodealer.protocols.offset.shuffle import refuse_player
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


def announce(deck: OffsetDeck, operation: Deal | Open) -> DeckChange:
    """Begin a deal or an opening with the dealer's announcement, unless no key parts are missing."""
    parts = ReleasingParts.of(deck, operation)
    return DeckChange(deck.in_stage(Announcing(parts, deck.trail))) if parts.owing else parts.settle(deck)


def show(deck: OffsetDeck, operation: Show) -> DeckChange:
    """Begin a show: only the holder sends a message."""
    return ReleasingParts.of(deck, operation).settle(deck)


def _deal_numbers(positions: tuple[int, ...]) -> tuple[int, ...]:
    """Return the deal numbers of positions, which count from 1."""
    return tuple(position + 1 for position in positions)


def _refuse_deals(said: tuple[int, ...], positions: tuple[int, ...]) -> None:
    """Raise `Malformed` unless a message names exactly these deals."""
    if said != _deal_numbers(positions):
        raise Malformed(f"dealNo is {list(said)}, but must be {list(_deal_numbers(positions))}")


@dataclass(frozen=True)
class Announcing:
    """Stage: the dealer announces which deals go to whom, or are opened to everyone."""

    parts: ReleasingParts
    anchor: bytes

    def duties(self, deck: OffsetDeck) -> tuple[Duty, ...]:
        """Return the dealer's duty to announce the deals or the opening."""
        step = "dealInitial" if isinstance(self.parts.operation, Deal) else "revealInitial"
        return (deck.duty(deck.dealer, step, self.anchor),)

    def _receivers(self, deck: OffsetDeck) -> tuple[int, ...]:
        """Return the player ID of the receiver of each deal. Empty for an opening."""
        if not isinstance(self.parts.operation, Deal):
            return ()
        dealt = deck.places.resolve_deal(self.parts.operation, deck.binding.players)
        return tuple(seat + 1 for seat, positions in dealt.items() for _ in positions)

    def _dealers(self, deck: OffsetDeck) -> tuple[int, ...]:
        """Return the positions whose parts an announcement carries: the dealer's, unless others go first."""
        return self.parts.owing.get(deck.dealer, ()) if deck.dealer in self.parts.in_turn else ()

    def message(self, deck: OffsetDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return which deals go to whom or, for an opening, its deals and the dealer's key parts if they are due."""
        deals = _deal_numbers(self.parts.positions)
        if isinstance(self.parts.operation, Deal):
            return encode(DealInitial("cards", self._receivers(deck), deals))
        owed = self._dealers(deck)
        part = deck.card_secrets(tape, owed, duty.seat).to_bytes() if owed else b""
        return encode(RevealInitial("cards", deals, part))

    def apply(self, deck: OffsetDeck, duty: Duty, message: bytes) -> DeckChange:
        """Accept the dealer's announcement.

        Raise `Malformed` unless it names exactly the requested deals and receivers.
        """
        parts = replace(self.parts, anchor=deck.trail)
        if isinstance(parts.operation, Deal):
            said = read_message(DealInitial, message)
            _refuse_deals(said.dealNo, parts.positions)
            if said.player != self._receivers(deck):
                raise Malformed("the deals go to other players than requested")
            return DeckChange(deck.in_stage(parts))
        opening = read_message(RevealInitial, message)
        _refuse_deals(opening.dealNo, parts.positions)
        owed = self._dealers(deck)
        if not owed:
            if opening.dealKeyPart:
                raise Malformed("the message has key parts that are not due")
            return DeckChange(deck.in_stage(parts))
        keys = read_secrets(deck.binding.group, opening.dealKeyPart, len(owed), "dealKeyPart")
        return parts.accept_keys(deck, deck.dealer, keys)


@dataclass(frozen=True)
class ReleasingParts(Releasing):
    """Stage: seats publish their key parts, in the messages that the source document defines."""

    def duties(self, deck: KeyedDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat whose turn it is to publish its key parts."""
        step = "dealFinal" if isinstance(self.operation, Deal) else "revealFinal"
        return tuple(deck.duty(seat, step, self.anchor) for seat in self.in_turn)

    def message(self, deck: KeyedDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's key parts of the deals that it owes."""
        positions = self.owing[duty.seat]
        part = deck.card_secrets(tape, positions, duty.seat).to_bytes()
        kind = DealFinal if isinstance(self.operation, Deal) else RevealFinal
        return encode(kind("cards", duty.seat + 1, _deal_numbers(positions), part))

    def apply(self, deck: KeyedDeck, duty: Duty, message: bytes) -> DeckChange:
        """Accept a seat's key parts.

        Raise `PeerFault` if one is wrong, `Malformed` if the message names other deals.
        """
        said: DealFinal | RevealFinal
        if isinstance(self.operation, Deal):
            said = read_message(DealFinal, message)
        else:
            said = read_message(RevealFinal, message)
        positions = self.owing[duty.seat]
        refuse_player(duty.seat, said.playerId)
        _refuse_deals(said.dealNo, positions)
        keys = read_secrets(deck.binding.group, said.dealKeyPart, len(positions), "dealKeyPart")
        return self.accept_keys(deck, duty.seat, keys)
