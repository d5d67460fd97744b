"""The first part of a check: play whole hands on open decks, and try everything possible at each moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from nodealer.cards.operations import Capability, needed_capabilities
from nodealer.errors import BadParameter
from nodealer.gamecheck.accounts import refuse_bad_end, refuse_bad_paid
from nodealer.gamecheck.findings import Findings
from nodealer.gamecheck.hand import HandMoment, Setup, begin_hand, want_of
from nodealer.gamecheck.playthrough import Trail, play_hand, refuse_hidden_state
from nodealer.gamecheck.probes import Probes
from nodealer.gamecheck.speech import check_end_texts, check_step_texts
from nodealer.games.base import Ask, Game, Rules, Turn
from nodealer.games.package import GamePackage
from nodealer.tape import expand

#: Called with a short description of what is being done.
Progress = Callable[[str], None]
SEED_BYTES: Final = 32


@dataclass(frozen=True)
class CheckEffort:
    """How much is tried on open decks."""

    #: Games with the default number of seats, games with each other number, and hands per game.
    games: int
    others: int
    hands: int
    #: Per hand: at how many moments something is tried, and how many hands continue from each of them to their end.
    moments: int
    finishes: int
    #: How many of the seats that have to move try hostile moves.
    seats: int


QUICK: Final = CheckEffort(games=2, others=1, hands=2, moments=8, finishes=3, seats=2)
DEEP: Final = CheckEffort(games=8, others=4, hands=3, moments=400, finishes=40, seats=20)


@dataclass
class OpenDecks:
    """Plays a game on open decks and collects findings."""

    package: GamePackage
    rules: Rules
    effort: CheckEffort
    findings: Findings
    progress: Progress
    probes: Probes = field(init=False)
    trails: list[Trail] = field(default_factory=list)
    used: set[Capability] = field(default_factory=set)
    #: Seat counts that cannot play, with the reason.
    refused: dict[int, str] = field(default_factory=dict)
    games: int = 0

    def __post_init__(self) -> None:
        """Create the probes that report to the same findings."""
        self.probes = Probes(self.findings, self.effort.finishes, self.effort.seats)

    def check(self, counts: Sequence[int]) -> None:
        """Play with each of these numbers of seats, then replay every hand."""
        for count in counts:
            for game in range(self.effort.games if count == self.package.seats else self.effort.others):
                self.progress(f"{count} seats on open decks, game {game + 1}")
                seed = expand("check", count, game, size=SEED_BYTES)
                with self.findings.collect():
                    self._play_game(Setup(self.package, self.rules, tuple(range(count)), seed))
                if count in self.refused:
                    break
        self.progress("the same hands once more")
        for trail in self.trails:
            with self.findings.collect():
                refuse_hidden_state(trail)

    def _play_game(self, setup: Setup) -> None:
        """Play and check the hands of one game. Raises `Found` if a hand cannot go on."""
        before: Game | None = None
        chips: Mapping[int, int] = dict.fromkeys(setup.seats, setup.rules.stake)
        for number in range(self.effort.hands):
            try:
                first = begin_hand(setup, number, before, chips)
            except BadParameter as error:
                if number == 0:
                    self.refused[len(setup.seats)] = str(error)
                return
            trail = play_hand(first, before, self.findings)
            self.games += 1
            self.trails.append(trail)
            self._check_hand(trail)
            done = refuse_bad_end(trail.moments[-1])
            before, chips = (
                trail.moments[-1].game,
                {seat: chips[seat] + done.net.get(seat, 0) - done.charged.get(seat, 0) for seat in chips},
            )

    def _check_hand(self, trail: Trail) -> None:
        """Check everything about one hand."""
        for moment in trail.moments:
            self._note_operations(moment)
            with self.findings.collect():
                refuse_bad_paid(moment)
        for before, after in pairwise(trail.moments):
            check_step_texts(before, after, self.findings)
        self.probes.check_rounds(trail.moments)
        last = trail.moments[-1]
        with self.findings.collect():
            check_end_texts(last, refuse_bad_end(last), self.findings)
        self.probes.try_defaults(trail.moments[0])
        for moment in sample(trail.moments[:-1], self.effort.moments):
            self.probes.try_moves(moment)
            self.probes.try_leaving(moment)
        # Rounds may be few and short, so a sample of all moments could miss them.
        for moment in sample([one for one in trail.moments[:-1] if has_simultaneous_moves(one)], self.effort.moments):
            self.probes.try_orders(moment)

    def _note_operations(self, moment: HandMoment) -> None:
        """Remember which capabilities the game has used."""
        want = want_of(moment)
        for operation in want.operations if isinstance(want, Ask) else ():
            deck = moment.decks.get(operation.deck)
            self.used |= needed_capabilities(operation, None if deck is None else deck.places.belongs_to)


def has_simultaneous_moves(moment: HandMoment) -> bool:
    """Return whether several seats have to move at the same time."""
    want = want_of(moment)
    return isinstance(want, Turn) and len(want.seats) > 1


def sample(moments: Sequence[HandMoment], most: int) -> Sequence[HandMoment]:
    """Return at most `most` of the moments, evenly spread, including the first and the last."""
    if len(moments) <= most:
        return moments
    return [moments[at * (len(moments) - 1) // (most - 1)] for at in range(most)]
