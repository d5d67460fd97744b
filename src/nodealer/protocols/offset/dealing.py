"""Dealing and opening in `offset`: the dealer announces, then the others publish their key parts.

`dealInitial` names who gets what; all but the receiver answer `dealFinal`, the dealer included. `revealInitial` opens
deals to all and carries the dealer's own parts; the others answer `revealFinal`. A holder who shows a card of its own
says `revealFinal` without being asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nodealer.cards import Deal, Open, Show
from nodealer.errors import Malformed
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_secrets
from nodealer.protocols.offset.making import refuse_player
from nodealer.protocols.offset.messages import DealFinal, DealInitial, RevealFinal, RevealInitial
from nodealer.protocols.staged import Releasing
from nodealer.tape import Tape
from nodealer.wire import encode

if TYPE_CHECKING:
    from nodealer.protocols.offset.deck import OffsetDeck
    from nodealer.protocols.staged import StagedDeck


def begin_release(
    deck: OffsetDeck,
    operation: Deal | Open | Show,
    owing: Mapping[int, tuple[int, ...]],
    positions: tuple[int, ...],
) -> DeckChange:
    """The dealer's announcement first, where there is something to ask for."""
    still = {seat: tuple(p for p in wanted if deck.owes(seat, p)) for seat, wanted in owing.items()}
    parts = Parts(operation, positions, {seat: wanted for seat, wanted in still.items() if wanted}, deck.trail)
    if isinstance(operation, Show) or not parts.owing:
        return parts.settle(deck.at(stage=parts))
    return DeckChange(deck.at(stage=Announcing(parts, deck.trail)))


def _deal_numbers(positions: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(position + 1 for position in positions)


def _refuse_deals(said: tuple[int, ...], positions: tuple[int, ...]) -> None:
    if said != _deal_numbers(positions):
        raise Malformed(f"dealNo {list(said)} where {list(_deal_numbers(positions))} is asked for")


@dataclass(frozen=True)
class Announcing:
    """The dealer says which deals go to whom, or are opened to all."""

    parts: Parts
    anchor: bytes

    def duties(self, deck: OffsetDeck) -> tuple[Duty, ...]:
        step = "dealInitial" if isinstance(self.parts.operation, Deal) else "revealInitial"
        return (deck.duty(deck.dealer, step, self.anchor),)

    def _receivers(self, deck: OffsetDeck) -> tuple[int, ...]:
        if not isinstance(self.parts.operation, Deal):
            return ()
        dealt = deck.places.deal(self.parts.operation, deck.binding.players)
        return tuple(seat + 1 for seat, positions in dealt.items() for _ in positions)

    def message(self, deck: OffsetDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        deals = _deal_numbers(self.parts.positions)
        if isinstance(self.parts.operation, Deal):
            return encode(DealInitial("cards", self._receivers(deck), deals))
        owed = self.parts.owing.get(deck.dealer, ())
        part = deck.card_secrets(tape, owed, duty.seat).to_bytes() if owed else b""
        return encode(RevealInitial("cards", deals, part))

    def apply(self, deck: OffsetDeck, duty: Duty, message: bytes) -> DeckChange:
        parts = replace(self.parts, anchor=deck.trail)
        if isinstance(parts.operation, Deal):
            said = read_message(DealInitial, message)
            _refuse_deals(said.dealNo, parts.positions)
            if said.player != self._receivers(deck):
                raise Malformed("the deals go to other players than asked for")
            return DeckChange(deck.at(stage=parts))
        opening = read_message(RevealInitial, message)
        _refuse_deals(opening.dealNo, parts.positions)
        owed = parts.owing.get(deck.dealer, ())
        if not owed:
            if opening.dealKeyPart:
                raise Malformed("key parts that nobody asked for")
            return DeckChange(deck.at(stage=parts))
        keys = read_secrets(deck.binding.group, opening.dealKeyPart, len(owed), "dealKeyPart")
        return parts.take(deck, deck.dealer, keys)


@dataclass(frozen=True)
class Parts(Releasing):
    """Seats publish their key parts, in the words of the source."""

    def duties(self, deck: StagedDeck) -> tuple[Duty, ...]:
        step = "dealFinal" if isinstance(self.operation, Deal) else "revealFinal"
        return tuple(deck.duty(seat, step, self.anchor) for seat in self.owing)

    def message(self, deck: StagedDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        positions = self.owing[duty.seat]
        part = deck.card_secrets(tape, positions, duty.seat).to_bytes()
        kind = DealFinal if isinstance(self.operation, Deal) else RevealFinal
        return encode(kind("cards", duty.seat + 1, _deal_numbers(positions), part))

    def apply(self, deck: StagedDeck, duty: Duty, message: bytes) -> DeckChange:
        said: DealFinal | RevealFinal
        if isinstance(self.operation, Deal):
            said = read_message(DealFinal, message)
        else:
            said = read_message(RevealFinal, message)
        positions = self.owing[duty.seat]
        refuse_player(duty.seat, said.playerId)
        _refuse_deals(said.dealNo, positions)
        keys = read_secrets(deck.binding.group, said.dealKeyPart, len(positions), "dealKeyPart")
        return self.take(deck, duty.seat, keys)
