"""After a recovery: what was in progress when a seat left goes on with those who stay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nodealer.cards import Deal, Finished, Open, Operation, Portion, Return, for_those_who_stay
from nodealer.protocols.base import DeckChange

if TYPE_CHECKING:
    from nodealer.protocols.lock.deck import LockDeck


def resume(deck: LockDeck) -> DeckChange:
    """Ask an idle deck again for what it had not finished. Cards that were on their way have gone back."""
    operation = deck.asked
    if operation is None:
        return DeckChange(deck)
    again = _again(deck, operation)
    return DeckChange(deck.at(asked=None), (Finished(operation),)) if again is None else deck.begin(again, operation)


def _again(deck: LockDeck, operation: Operation) -> Operation | None:
    """The operation for those who stay."""
    gone = frozenset(seat for layer in deck.layers for seat in layer.binding.players) - frozenset(deck.binding.players)
    match for_those_who_stay(operation, gone):
        case Return() as give_back:
            # It came while the deck recovered, and then the holder left too: its cards are not there to give.
            there = {position for position, _ in (*deck.places.held, *deck.places.opened, *deck.places.aside)}
            positions = tuple(position for position in give_back.positions if position in there)
            return replace(give_back, positions=positions) if positions else None
        case other:
            return other


def with_living_positions(deck: LockDeck, operation: Operation) -> Operation:
    """A request that names a dead position of the pile means any card that nobody has seen: it takes the next ones."""
    match operation:
        case Deal() if any(deck.dead & set(portion.positions) for portion in operation.portions):
            counted = (Portion(portion.seat, portion.count or len(portion.positions)) for portion in operation.portions)
            return replace(operation, portions=tuple(counted))
        case Open() if deck.dead & set(operation.positions):
            return Open(operation.deck, operation.count or len(operation.positions))
        case _:
            return operation
