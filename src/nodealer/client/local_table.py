"""A table within one process, with one queue as the frame order.

It replaces the relay when there is no network: in the library's table, in rehearsals, benchmarks and tests.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from nodealer.engine.commands import ProposeSession
from nodealer.engine.frame_result import Received
from nodealer.engine.participant import Participant, StayPolicy
from nodealer.engine.resolve import create_proposal
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import Declined
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.keys import KEY_BYTES, Identity
from nodealer.log.roster import PLAYER
from nodealer.log.session import Limits, Proposal
from nodealer.proofs.checks import Entropy
from nodealer.protocols.base import CardProtocol
from nodealer.tape import ROOT_BYTES

#: Receives a frame and its number in the order, and returns the frames to send.
Receive = Callable[[bytes, int], Iterable[bytes]]
#: Observes what a frame changed, and returns frames to send.
Watch = Callable[[Received], Iterable[bytes]]
#: Makes a person's decision for a participant, and returns the frames to send; none if there is nothing to decide.
Decide = Callable[[Participant], Iterable[bytes]]


class Carrier:
    """Delivers every frame to all receivers, in one order."""

    def __init__(self, receivers: Iterable[Receive]) -> None:
        """Deliver to these receivers, in this order."""
        self._receivers = tuple(receivers)
        self._queue: deque[bytes] = deque()
        self._ordered = 0

    def send(self, frames: Iterable[bytes]) -> None:
        """Queue frames for delivery."""
        self._queue.extend(frames)

    @property
    def waiting(self) -> tuple[bytes, ...]:
        """Return the queued frames in order."""
        return tuple(self._queue)

    def step(self) -> bool:
        """Deliver the next frame; return False if there is none."""
        if not self._queue:
            return False
        frame, number = self._queue.popleft(), self._ordered
        self._ordered += 1
        for receive in self._receivers:
            self.send(receive(frame, number))
        return True


class LocalTable(Carrier):
    """Participants that share one frame order. `run` delivers frames until only people's decisions are open."""

    def __init__(self, participants: Iterable[Participant]) -> None:
        """Connect these participants, and queue the first frames of each."""
        self.participants = tuple(participants)
        #: Observes what happens at the first participant while this runs.
        self._watch: Watch | None = None
        #: Whether frames are delivered until none is left, so that participants may batch their checks.
        self._running = False
        super().__init__(partial(self._receive, participant) for participant in self.participants)
        for participant in self.participants:
            self.send(participant.resend())

    def _receive(self, participant: Participant, frame: bytes, number: int) -> list[bytes]:
        """Deliver a frame to a participant, and return the frames that it sends."""
        watch = self._watch if participant is self.participants[0] else None
        # An observed participant must process each frame as it arrives.
        step = participant.receive(frame, number, more=self._running and watch is None)
        return [*step.send, *(() if watch is None else watch(step))]

    def run(self, decide: Decide | None = None, watch: Watch | None = None) -> None:
        """Let all participants do what they owe. `decide` makes people's decisions when nothing else is left to do.

        `watch` observes what happens at the first participant.
        """
        self._running, self._watch = True, watch
        try:
            while self.step() or self._settle_all() or (decide is not None and self._decide_next(decide)):
                pass
        finally:
            self._running, self._watch = False, None

    def _settle_all(self) -> bool:
        """Let all participants check what they postponed; return whether that produced new frames."""
        for participant in self.participants:
            self.send(participant.settle().send)
        return bool(self._queue)

    def agree(self, proposal: Proposal) -> None:
        """Propose as the first participant and run until all have agreed. Raise `Declined` if they do not."""
        self.send(self.participants[0].command(ProposeSession(proposal)))
        while not all(one.has_session for one in self.participants):
            if not self.step():
                raise Declined("the players did not agree")

    def _decide_next(self, decide: Decide) -> bool:
        """Make one decision, so that the next one is made with its result known; return whether there was one."""
        for participant in self.participants:
            self.send(decide(participant))
            if self._queue:
                return True
        return False

    @property
    def seats(self) -> dict[int, Participant]:
        """Return the seated participants by seat number."""
        return {one.seat.number: one for one in self.participants if one.has_seat}

    @property
    def log(self) -> list[bytes]:
        """Return the log entries so far."""
        return self.participants[0].replica.entries


def seat_players(
    names: Sequence[str],
    protocol: CardProtocol,
    rules: Rules,
    entropy: Entropy,
    *,
    stays: StayPolicy = lambda state: True,
    roles: Mapping[int, str] | None = None,
    package: GamePackage | None = None,
    rehearsal: bool = False,
    clock: Limits | None = None,
) -> LocalTable:
    """Return a table of new players who have agreed to a game, with keys and roots drawn from `entropy`.

    With `clock`, the last name is the timekeeper's.
    """
    homes = [MemoryPlayerStore(name, Identity(entropy(KEY_BYTES)), entropy(ROOT_BYTES)) for name in names]
    table = LocalTable(
        Participant(
            home,
            entropy=entropy,
            accept=lambda proposal: None,
            stay_policy=stays,
            parts=lambda proposal: (protocol, rules, package),
            keeps_time=clock is not None and home is homes[-1],
        )
        for home in homes
    )
    table.run()
    given = roles or {}
    offers = {offer.name: offer for offer in table.participants[0].offers}
    members = [offers[name].as_member(seat, given.get(seat, PLAYER)) for seat, name in enumerate(names)]
    table.agree(create_proposal(rules, protocol, members, rehearsal=rehearsal, clock=clock))
    return table
