"""Offset decks for tests: alone with all their tapes, with or without proofs, or on the log of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from conformance.harness import Table
from nodealer.cards.operations import Operation
from nodealer.group import Group
from nodealer.protocols.base import Binding, DeckChange, Duty
from nodealer.protocols.offset import Offset
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.tape import Tape
from nodealer.wire import encode

from ..decks import Decks, binding, tapes_of
from ..script import ScriptRules

Forge = Callable[[OffsetDeck, Duty, Tape, bytes], bytes]


def table(group: Group, seats: int = 3, *, dealer: int | None = None, **options: Any) -> Binding:
    return binding("offset", group, seats, roles=() if dealer is None else (("dealer", dealer),), **options)


class UnprovenDeck(OffsetDeck):
    """A deck whose proofs nobody looks at: the protocol as its source has it."""

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        step = super().apply(duty, message)
        return DeckChange(step.deck, step.events)


class Unproven(Offset):
    def new_deck(self, table: Binding, deck: int, size: int, owner: int | None) -> OffsetDeck:
        made = super().new_deck(table, deck, size, owner)
        return UnprovenDeck(**{f.name: getattr(made, f.name) for f in fields(made) if f.init})


@dataclass
class OffsetDecks(Decks[OffsetDeck]):
    """Some seats' messages are forged."""

    #: The order of players that the dealer asks for.
    order: Sequence[int] | None = None
    #: Seat and step to what the seat sends instead.
    forged: dict[tuple[int, str], Forge] = field(default_factory=dict)

    def message(self, deck: OffsetDeck, duty: Duty) -> bytes:
        choice = encode(list(self.order)) if self.order is not None and duty.kind == "requestDealParts" else None
        honest = deck.message(duty, self.tapes[duty.seat], choice)
        forge = self.forged.get((duty.seat, duty.kind))
        return honest if forge is None else forge(deck, duty, self.tapes[duty.seat], honest)


def decks_of(
    group: Group,
    seats: int = 3,
    *,
    order: Sequence[int] | None = None,
    dealer: int | None = None,
    proven: bool = True,
    forged: dict[tuple[int, str], Forge] | None = None,
) -> OffsetDecks:
    protocol = Offset(on=group) if proven else Unproven(on=group)
    return OffsetDecks(table(group, seats, dealer=dealer), tapes_of(seats), protocol, order=order, forged=forged or {})


def played(
    group: Group,
    *script: Sequence[Operation],
    seats: int = 3,
    seed: str = "offset",
    hands: int = 1,
    dealer: int | None = None,
    protocol: Offset | None = None,
) -> Table:
    """A table that has not begun to play a script."""
    roles = {} if dealer is None else {dealer: "dealer"}
    rules = ScriptRules.of(script)
    return Table(protocol or Offset(on=group), rules, seats=seats, seed=seed, hands=hands, roles=roles)
