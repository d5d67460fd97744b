"""Mask decks for tests: alone with all their tapes, or on the log of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.harness import Game, Source, Table
from nodealer.cards.operations import Operation
from nodealer.errors import Malformed, PeerFault
from nodealer.group import Group
from nodealer.proofs.checks import settle
from nodealer.protocols.base import Binding, Duty
from nodealer.protocols.mask import Mask
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.tape import Tape

from ..decks import Decks, binding, tapes_of
from ..script import LastingRules, ScriptRules

Forge = Callable[[MaskDeck, Duty, Tape, bytes], bytes]


def table(group: Group, seats: int = 3, **options: Any) -> Binding:
    return binding("mask", group, seats, **options)


def decks_on(table: Binding, mark: int = 1) -> Decks[MaskDeck]:
    """No deck yet. With another mark all seats have other tapes."""
    return Decks(table, tapes_of(len(table.seats), mark), Mask(on=table.group))


def fresh(group: Group, seats: int = 3, size: int = 4) -> Decks[MaskDeck]:
    decks = decks_on(table(group, seats))
    decks.make(size)
    return decks


def played(group: Group, *script: Sequence[Operation], seats: int = 3, seed: str = "mask", hands: int = 1) -> Table:
    """A table that has not begun to play a script."""
    return Table(Mask(on=group), ScriptRules.of(script), seats=seats, seed=seed, hands=hands)


def lasting(group: Group, *script: Sequence[Operation], seats: int = 4, seed: str = "mask") -> Table:
    """A table whose script goes on when seats leave."""
    return Table(Mask(on=group), LastingRules.of(script), seats=seats, seed=seed)


def deck_of(game: Game) -> MaskDeck:
    deck = game.state.hand.decks[0]
    assert isinstance(deck, MaskDeck)
    return deck


def without(decks: Decks[MaskDeck], *seats: int) -> MaskDeck:
    """The deck right after these have left."""
    change = decks.decks[0].without(seats)
    assert change is not None and isinstance(change.deck, MaskDeck)
    decks.events += change.events
    decks.decks[0] = change.deck
    return change.deck


def refused(deck: MaskDeck, duty: Duty, message: bytes) -> str:
    """Why a message is no good: at once, or when its proof is looked at, which names the seat."""
    try:
        settle(deck.apply(duty, message).checks, Source("weights"))
    except Malformed as error:
        return str(error)
    except PeerFault as fault:
        assert fault.seat == duty.seat
        return "fault" if "does not verify" in fault.reason else fault.reason
    return ""
