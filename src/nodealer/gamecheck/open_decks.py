"""The first part of a check: whole hands on open decks, and everything that can be tried at each moment of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from nodealer.cards.operations import Capability, needed
from nodealer.errors import BadParameter
from nodealer.gamecheck.accounts import refuse_bad_end, refuse_bad_paid
from nodealer.gamecheck.findings import Findings
from nodealer.gamecheck.hand import HandMoment, Setup, begun, wants
from nodealer.gamecheck.playthrough import Trail, played, refuse_memory
from nodealer.gamecheck.probes import Probes
from nodealer.gamecheck.speech import spoken, told_at_the_end
from nodealer.games.base import Ask, Game, Rules, Turn
from nodealer.games.package import GamePackage
from nodealer.tape import expand

#: Says what is being done.
Progress = Callable[[str], None]
SEED_BYTES: Final = 32


@dataclass(frozen=True)
class CheckEffort:
    """How much is tried."""

    #: Games with as many seats as the game has by itself, and with each other number; and hands of each.
    games: int
    others: int
    hands: int
    #: Of each hand: at how many moments something is tried, and how many hands go on from each of them to their end.
    moments: int
    finishes: int
    #: How many of the seats that are to move try hostile moves.
    seats: int


QUICK: Final = CheckEffort(games=2, others=1, hands=2, moments=8, finishes=3, seats=2)
DEEP: Final = CheckEffort(games=8, others=4, hands=3, moments=400, finishes=40, seats=20)


@dataclass
class OpenDecks:
    """What was played and found."""

    package: GamePackage
    rules: Rules
    effort: CheckEffort
    findings: Findings
    progress: Progress
    probes: Probes = field(init=False)
    trails: list[Trail] = field(default_factory=list)
    used: set[Capability] = field(default_factory=set)
    #: How many cannot play, and why.
    refused: dict[int, str] = field(default_factory=dict)
    games: int = 0

    def __post_init__(self) -> None:
        self.probes = Probes(self.findings, self.effort.finishes, self.effort.seats)

    def check(self, counts: Sequence[int]) -> None:
        """Play with so many seats each."""
        for count in counts:
            for game in range(self.effort.games if count == self.package.seats else self.effort.others):
                self.progress(f"{count} seats on open decks, game {game + 1}")
                seed = expand("check", count, game, size=SEED_BYTES)
                with self.findings.noted():
                    self._game(Setup(self.package, self.rules, tuple(range(count)), seed))
                if count in self.refused:
                    break
        self.progress("the same hands once more")
        for trail in self.trails:
            with self.findings.noted():
                refuse_memory(trail)

    def _game(self, setup: Setup) -> None:
        before: Game | None = None
        chips: Mapping[int, int] = dict.fromkeys(setup.seats, setup.rules.stake)
        for number in range(self.effort.hands):
            try:
                first = begun(setup, number, before, chips)
            except BadParameter as error:
                if number == 0:
                    self.refused[len(setup.seats)] = str(error)
                return
            trail = played(first, before, self.findings)
            self.games += 1
            self.trails.append(trail)
            self._look(trail)
            done = refuse_bad_end(trail.moments[-1])
            before, chips = (
                trail.moments[-1].game,
                {seat: chips[seat] + done.net.get(seat, 0) - done.charged.get(seat, 0) for seat in chips},
            )

    def _look(self, trail: Trail) -> None:
        """Everything about one hand."""
        for moment in trail.moments:
            self._note_operations(moment)
            with self.findings.noted():
                refuse_bad_paid(moment)
        for before, after in pairwise(trail.moments):
            spoken(before, after, self.findings)
        self.probes.rounds(trail.moments)
        last = trail.moments[-1]
        with self.findings.noted():
            told_at_the_end(last, refuse_bad_end(last), self.findings)
        self.probes.defaults(trail.moments[0])
        for moment in sampled(trail.moments[:-1], self.effort.moments):
            self.probes.moves(moment)
            self.probes.leaving(moment)
        # Rounds may be few and short: a sample of all moments would pass them over.
        for moment in sampled([one for one in trail.moments[:-1] if side_by_side(one)], self.effort.moments):
            self.probes.orders(moment)

    def _note_operations(self, moment: HandMoment) -> None:
        want = wants(moment)
        for operation in want.operations if isinstance(want, Ask) else ():
            deck = moment.decks.get(operation.deck)
            self.used |= needed(operation, None if deck is None else deck.places.belongs_to)


def side_by_side(moment: HandMoment) -> bool:
    """Whether several seats are waited for."""
    want = wants(moment)
    return isinstance(want, Turn) and len(want.seats) > 1


def sampled(moments: Sequence[HandMoment], most: int) -> Sequence[HandMoment]:
    """So many of the moments, spread over all of them, the first and the last included."""
    if len(moments) <= most:
        return moments
    return [moments[at * (len(moments) - 1) // (most - 1)] for at in range(most)]
