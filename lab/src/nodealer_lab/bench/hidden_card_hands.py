"""Whole hands of the games that ask for proofs about hidden cards: the size of the log, and the share of the proofs.

"Inside the proofs" means proving, reading and settling them, at every seat. If they are settled together with others in
one sum, it is the additional time of that sum. Everything else comes from the same run: shuffles, keys, signatures,
rules, bots, and the order of the entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import process_time
from typing import Any, Final, TypeVar

from nodealer.cards.operations import Capability
from nodealer.client.agents import bot_decision
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine import replica
from nodealer.engine.commands import AnswerQuestion
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage
from nodealer.games.registry import OURS, find_game
from nodealer.proofs.checks import Check, Entropy, settle
from nodealer.protocols import exclusion, make_protocol
from nodealer.tape import expand
from nodealer_lab.bench.rounds import BenchEffort
from nodealer_lab.bench.rows import BenchRow, size_row, time_row

HANDS: Final = 20
LOG_BYTES: Final = 300_000
#: The highest allowed ratio of the proofs to everything else.
SHARE: Final = 0.5

T = TypeVar("T")


@dataclass
class ProofMeter:
    """CPU seconds spent in proofs about hidden cards, and in the extra sums that only the measurement needs."""

    seconds: float = 0.0
    beside: float = 0.0
    proofs: int = 0
    #: All checks that were created, so that each is recognised by its identity.
    checks: list[Check] = field(default_factory=list)

    @contextmanager
    def metered(self) -> Iterator[None]:
        """Time every such proof until the end of the block."""
        prove, check = exclusion.prove_none, exclusion.check_none

        def timed_prove(*arguments: Any) -> bytes:
            """Make a proof, and add it and its CPU time to the totals."""
            self.proofs += 1
            seconds, made = _time_call(lambda: prove(*arguments))
            self.seconds += seconds
            return made

        def timed_check(*arguments: Any) -> Check:
            """Create the check of a proof, add its CPU time to the total, and remember the check."""
            seconds, made = _time_call(lambda: check(*arguments))
            self.seconds += seconds
            self.checks.append(made)
            return made

        here = (
            (exclusion, "prove_none", timed_prove),
            (exclusion, "check_none", timed_check),
            (replica, "settle", self._settle),
        )
        before = [(module, name, getattr(module, name)) for module, name, _ in here]
        for module, name, one in here:
            setattr(module, name, one)
        try:
            yield
        finally:
            for module, name, one in before:
                setattr(module, name, one)

    def _settle(self, checks: Sequence[Check], entropy: Entropy) -> None:
        """Settle checks and add the share of CPU time caused by proofs about hidden cards.

        Checks settled together cannot be timed one by one. So settle all of them, and then the others alone: the
        difference is the share. The second run is extra work and is counted in `beside`.
        """
        theirs = {id(check) for check in self.checks}
        rest = [check for check in checks if id(check) not in theirs]
        seconds, _ = _time_call(lambda: settle(checks, entropy))
        if len(rest) == len(checks):
            return
        without, _ = _time_call(lambda: settle(rest, entropy)) if rest else (0.0, None)
        self.beside += without
        self.seconds += max(0.0, seconds - without)


def _time_call(call: Callable[[], T]) -> tuple[float, T]:
    """Call a function. Return the CPU seconds it took, and its result."""
    start = process_time()
    made = call()
    return process_time() - start, made


@dataclass
class _SeededEntropy:
    """Deterministic bytes that depend only on a number, so that the hands are the same each time."""

    number: int
    drawn: int = 0

    def __call__(self, size: int) -> bytes:
        """Return the next `size` bytes. They depend only on the number of the game and of the call."""
        self.drawn += 1
        return expand("bench proven", self.number, self.drawn, size=size)


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield two rows for each of our games that asks for such proofs and has a bot, on one thread."""
    for name in OURS:
        package = find_game(name)
        rules = package.from_settings(package.settled({}))
        if Capability.PROVE in rules.operations and package.bot is not None:
            yield from _hand_rows(effort, package)


def _hand_rows(effort: BenchEffort, package: GamePackage) -> Iterator[BenchRow]:
    """Play hands of a game whose players prove facts about hidden cards.

    Measure the average size of a hand's log, and compare the CPU time of those proofs with that of everything else in
    the hands.
    """
    hands, size, total, inside = effort.size(HANDS), 0, 0.0, ProofMeter()
    for number in range(hands):
        with inside.metered():
            seconds, table = _time_call(partial(_play_hand, package, number))
        total += seconds
        size += sum(map(len, table.log))
    n = {"seats": package.seats, "hands": hands, "proofs": inside.proofs}
    rest = total - inside.beside - inside.seconds
    yield size_row(f"{package.name}: the log of a hand, on average", n, size / hands, "bytes", LOG_BYTES)
    times = (inside.seconds / hands, rest / hands)
    yield time_row(f"{package.name}: proofs about hidden cards", n, times, "all else in the same hands", SHARE)


def _play_hand(package: GamePackage, number: int) -> LocalTable:
    """Play one hand with bots in this process. Return the table."""
    rules, protocol = package.from_settings(package.settled({})), make_protocol(package.protocol)
    names = [f"player {seat}" for seat in range(package.seats)]
    table = seat_players(names, protocol, rules, _SeededEntropy(number), stays=stay_for_hands(1), package=package)
    bot = package.new_bot(_SeededEntropy(number))

    def decide(participant: Participant) -> list[bytes]:
        """Return the bot's answer to the question before this participant, or nothing if there is none."""
        question = participant.question()
        return [] if question is None else participant.command(AnswerQuestion(question, bot_decision(bot, question)))

    table.run(decide)
    if table.seats[0].replica.state.phase is not Phase.ENDED:
        raise BadParameter("the game did not end")
    return table
