"""Duel decks for tests: alone with both tapes, or on the log of a table where one seat cheats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.harness import Game
from nodealer.cards.operations import NewDeck, Operation
from nodealer.engine.replica import Outcome
from nodealer.engine.seat import Seat
from nodealer.errors import EntryRefused
from nodealer.group import Group
from nodealer.log.entry import read_entry
from nodealer.protocols.base import Binding, Duty
from nodealer.protocols.duel import Duel, DuelDeck
from nodealer.tape import Tape
from nodealer.wire import encode

from ..decks import Decks, binding, tapes_of
from ..kit import Verdict, duty_of, forged
from ..script import LastingRules

MODES: Final = ("proven", "committed", "xor")
Choose = Callable[[DuelDeck, Duty], Sequence[int]]


def duel(group: Group, mode: str = "proven") -> Duel:
    return Duel(b"{}" if mode == "proven" else encode({"mode": mode}), on=group)


def table(group: Group) -> Binding:
    return binding("duel", group, 2)


def second(deck: DuelDeck, duty: Duty) -> Sequence[int]:
    """Take the second card; put cards back in reverse."""
    seen: Sequence[int] = deck.stage.positions  # type: ignore[attr-defined]
    return seen[1:2] if duty.kind == "take" else seen[::-1]


@dataclass
class DuelDecks(Decks[DuelDeck]):
    choose: Choose = second

    def message(self, deck: DuelDeck, duty: Duty) -> bytes:
        choice = encode(list(self.choose(deck, duty))) if duty.choice else None
        return deck.message(duty, self.tapes[duty.seat], choice)

    def reads(self, seat: int, deck: int = 0) -> dict[int, int]:
        """Position to face, for what a seat knows."""
        return {card.position: face for card, face in self.knows(seat, deck).items()}


def fresh(group: Group, mode: str = "proven", size: int = 5) -> DuelDecks:
    decks = DuelDecks(table(group), tapes_of(2, mark=7), duel(group, mode))
    decks.make(size, owner=0)
    return decks


def decide(seat: Seat, duty: Duty) -> bytes | None:
    deck = seat.replica.state.hand.decks[duty.deck or 0]
    assert isinstance(deck, DuelDeck)
    seat.choose(duty, encode(list(second(deck, duty))))
    return None


def played(group: Group, mode: str, *script: Sequence[Operation], seed: str = "duel", hands: int = 1) -> Game:
    """A table that has not begun to play a script."""
    rules = LastingRules.of(script)
    return Game(duel(group, mode), rules, seats=2, seed=seed, hands=hands, decide=decide)


NEW: Final = (NewDeck(0, 5, 0), NewDeck(1, 4, 1))

# --- One seat cheats ---

Forge = Callable[[DuelDeck, Duty, Tape, bytes], bytes]


@dataclass(frozen=True)
class LateVerdict(Verdict):
    """What came of a cheat, and after how many more entries."""

    later: int = 0


def cheat(game: Game, seat: int, steps: Sequence[str], forge: Forge) -> LateVerdict:
    """Play; whenever `seat` owes one of `steps` it sends what `forge` makes of the honest message. Says what came."""
    replica = game.replica(0)
    first: int | None = None
    while batch := _said(game):
        for data in batch:
            duty = duty_of(replica.state, data)
            if duty is not None and duty.seat == seat and duty.kind in steps:
                honest, data = data, forged(game, duty, data, forge)
                if data != honest and first is None:
                    first = len(game.log)
            try:
                outcome = replica.append(data).outcome
            except EntryRefused as refused:
                assert refused.seat == seat
                return LateVerdict(None, refused, len(game.log) - (first or 0))
            game.log.append(data)
            for other in game.seats.values():
                if other.number != seat:
                    other.receive(data)
            _own(game, seat, data)
            if outcome is Outcome.FAULT:
                assert replica.state.expelled == {seat} and len(replica.state.faults) == 1
                return LateVerdict(replica.state.fault, None, len(game.log) - 1 - (first or 0))
    return LateVerdict(None, None)


def _said(game: Game) -> list[bytes]:
    """What seats say. The cheater is a program of ours that sits at the log; its seat only helps it along."""
    return game.due() or game.decided() or game.due()


def _own(game: Game, seat: int, data: bytes) -> None:
    """The cheater's own seat believes that it sent what it sent."""
    own, entry = game.seats[seat], read_entry(data).entry
    if entry.seat == seat:
        own._sent[entry.seq] = data
    own.receive(data)
