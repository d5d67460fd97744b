"""`bench hand --protocol duel`: setting up two decks, with all steps of both seats and each proof checked by both."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from time import process_time
from typing import Final

from nodealer.cards.events import Event
from nodealer.cards.operations import Capability, Deal, NewDeck, Operation, Portion
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter
from nodealer.games.base import Ask, Done, Game, Want, WithoutStakes
from nodealer.group import Group
from nodealer.protocols import make_protocol
from nodealer_lab.bench.rounds import BenchEffort, bare, interleaved, using_threads
from nodealer_lab.bench.rows import BenchRow, size_row, time_row

#: A deck of the usual size, and the largest one that the protocol supports.
USUAL: Final = 60
LARGEST: Final = 1000
#: The highest allowed ratio of a card of the largest deck to a card of the usual one.
PER_CARD: Final = 1.2
OPENING: Final = 5
#: Creating a thousand cards takes long, so a few pairs are enough.
PAIRS: Final = 3


@dataclass(frozen=True)
class SetUpHand(WithoutStakes):
    """A hand that creates two decks and deals an opening hand from each."""

    seats: tuple[int, ...]
    cards: int
    done: bool = False

    @property
    def wants(self) -> Want:
        """Ask every seat to make a deck of its own and draw its first cards. Then the hand is done."""
        if self.done:
            return Done({"cards": self.cards})
        made: list[Operation] = []
        for seat in self.seats:
            made += [NewDeck(seat, self.cards, seat), Deal(seat, (Portion(seat, min(OPENING, self.cards)),))]
        return Ask(tuple(made))

    def told(self, events: tuple[Event, ...]) -> Game:
        """End the hand: the decks are made and the first cards drawn."""
        return replace(self, done=True)

    def moved(self, seat: int, move: bytes) -> Game:
        """Raise `BadParameter`: this hand has no moves."""
        raise BadParameter("no seat moves while decks are created")

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Game:
        """End the hand, because a player left."""
        return replace(self, done=True)


@dataclass(frozen=True)
class SetUpRules:
    """The rules of the benchmark's game."""

    deck_max: int
    name: str = "bench set-up"
    version: int = 0
    stake: int = 0
    versions = ()
    parameters: bytes = b"{}"
    operations = frozenset({Capability.OWNED_DECK, Capability.DEAL_TOP_TO_OWNER})

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Game:
        """Begin a hand in which every seat makes a deck of the largest size."""
        return SetUpHand(seats, self.deck_max)


@dataclass(frozen=True)
class DuelBench:
    """Two decks of this many cards."""

    cards: int
    on: Group

    def play(self) -> tuple[LocalTable, float]:
        """Return a finished set-up, and the CPU time of both seats together."""
        rules = SetUpRules(self.cards)
        table = seat_players(
            ["one", "two"], make_protocol("duel", on=self.on), rules, os.urandom, stays=stay_for_hands(1)
        )
        start = process_time()
        table.run()
        seconds = process_time() - start
        if table.seats[0].replica.state.phase is not Phase.ENDED:
            raise BadParameter(f"the set-up did not end: {table.seats[0].replica.state.faults}")
        return table, seconds

    def per_card(self) -> float:
        """Return the CPU time of one seat for each card. A seat works on both decks."""
        return self.play()[1] / (4 * self.cards)


def run(effort: BenchEffort, native: Group) -> Iterator[BenchRow]:
    """Yield all rows, on one thread."""
    # The times are for one card, too short to tell how long the measurement took.
    effort = replace(effort, pairs=min(effort.pairs, PAIRS), seconds=0.0)
    with using_threads(1):
        usual, largest = DuelBench(effort.size(USUAL), native), DuelBench(effort.size(LARGEST), native)
        times = interleaved(effort, lambda: usual.play()[1] / 2, bare("fixed_base", 2 * usual.cards))
        yardstick = f"{2 * usual.cards} × fixed base"
        yield time_row("set two decks up, CPU of one seat", {"cards": usual.cards}, times, yardstick)
        for bench in (usual, largest):
            size = sum(map(len, bench.play()[0].log)) / (2 * bench.cards)
            yield size_row("messages of a set-up, a card", {"cards": bench.cards}, size, "bytes")
        times = interleaved(effort, largest.per_card, usual.per_card)
        yield time_row(
            "set-up, CPU of one seat, a card", {"cards": largest.cards}, times, f"of {usual.cards}", PER_CARD
        )
