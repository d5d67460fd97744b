"""A table in one process: one queue is one order.

It stands in for a relay where there is no network: in the library's table, in rehearsals, benchmarks and tests.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from nodealer.engine.frame_result import Received
from nodealer.engine.participant import Participant, StayPolicy
from nodealer.engine.resolve import proposal_of
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import Declined
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.keys import Identity
from nodealer.log.roster import PLAYER
from nodealer.log.session import Limits, Proposal
from nodealer.proofs.checks import Entropy
from nodealer.protocols.base import CardProtocol
from nodealer.tape import ROOT_BYTES

#: Takes a frame and its number in the order, and gives what to send.
Receive = Callable[[bytes, int], Iterable[bytes]]
#: Looks on at what happens, and may have something to send.
Watch = Callable[[Received], Iterable[bytes]]
#: Makes a person's decision for a participant, and gives what to send; nothing where there is nothing to decide.
Decide = Callable[[Participant], Iterable[bytes]]
KEY_BYTES: Final = 32


class Carrier:
    """Brings every frame to everybody, in one order."""

    def __init__(self, receivers: Iterable[Receive]) -> None:
        self._receivers = tuple(receivers)
        self._coming: deque[bytes] = deque()
        self._ordered = 0

    def say(self, frames: Iterable[bytes]) -> None:
        """Frames that wait to be put into the order."""
        self._coming.extend(frames)

    @property
    def waiting(self) -> tuple[bytes, ...]:
        """The frames that wait, in their order."""
        return tuple(self._coming)

    def step(self) -> bool:
        """Carry the next frame, if there is one."""
        if not self._coming:
            return False
        frame, number = self._coming.popleft(), self._ordered
        self._ordered += 1
        for receive in self._receivers:
            self.say(receive(frame, number))
        return True


class LocalTable(Carrier):
    """Participants around one order. `run` carries frames until nobody owes anything that needs no person."""

    def __init__(self, participants: Iterable[Participant]) -> None:
        self.participants = tuple(participants)
        #: Looks on at what happens to the first participant.
        self.watch: Watch | None = None
        #: Whether frames are carried until none waits: then nobody has to look at each as it comes.
        self._running = False
        super().__init__(partial(self._receive, participant) for participant in self.participants)
        for participant in self.participants:
            self.say(participant.resend())

    def _receive(self, participant: Participant, frame: bytes, number: int) -> list[bytes]:
        watch = self.watch if participant is self.participants[0] else None
        # Whoever is looked on at has everything looked at as it comes.
        participant.more = self._running and watch is None
        step = participant.receive(frame, number)
        return [*step.send, *(() if watch is None else watch(step))]

    def run(self, decide: Decide | None = None) -> None:
        """Let everybody do what they owe. `decide` makes persons' decisions, when nothing else is to be done."""
        self._running = True
        try:
            while self.step() or self._rested() or (decide is not None and self._decided(decide)):
                pass
        finally:
            self._running = False

    def _rested(self) -> bool:
        """No frame waits: all look at what they have put off. Whether anybody had to say something about it."""
        for participant in self.participants:
            self.say(participant.rest().send)
        return bool(self._coming)

    def agree(self, proposal: Proposal) -> None:
        """The first participant proposes; go on until all have agreed. Raises `Declined` when they do not."""
        self.say(self.participants[0].propose(proposal))
        while not all(one.begun for one in self.participants):
            if not self.step():
                raise Declined("the players have not come to an agreement")

    def _decided(self, decide: Decide) -> bool:
        """One at a time: who decides next sees what came of it."""
        for participant in self.participants:
            self.say(decide(participant))
            if self._coming:
                return True
        return False

    @property
    def seats(self) -> dict[int, Participant]:
        """Those who sit, by seat."""
        return {one.seat.number: one for one in self.participants if one.seated}

    @property
    def log(self) -> list[bytes]:
        """The entries so far."""
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
    """A table of fresh players who have agreed to play this, with keys and roots drawn from `entropy`.

    With `clock`, the last of the names is that of one who keeps the time.
    """
    homes = [MemoryPlayerStore(name, Identity(entropy(KEY_BYTES)), entropy(ROOT_BYTES)) for name in names]
    table = LocalTable(
        Participant(
            home,
            entropy=entropy,
            accept=lambda proposal: None,
            stays=stays,
            parts=lambda proposal: (protocol, rules, package),
            keeps_time=clock is not None and home is homes[-1],
        )
        for home in homes
    )
    table.run()
    given = roles or {}
    offers = {offer.name: offer for offer in table.participants[0].offers}
    members = [offers[name].seated(seat, given.get(seat, PLAYER)) for seat, name in enumerate(names)]
    table.agree(proposal_of(rules, protocol, members, rehearsal=rehearsal, clock=clock))
    return table
