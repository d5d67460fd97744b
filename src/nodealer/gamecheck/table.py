"""A table of real participants in one process, at which everything that can go otherwise does.

Entries cross on the way in the one order or in the other, participants are lost and come back from their homes, and
seats leave in the middle of a hand. All of it from a seed, so that two tables are told apart by what was done alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from nodealer.client.agents import BotAgent
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import proposal_of
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import Declined
from nodealer.gamecheck.findings import Finding, Found
from nodealer.gamecheck.hand import NAMES
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.keys import Identity
from nodealer.log.roster import PLAYER
from nodealer.protocols.base import CardProtocol
from nodealer.tape import ROOT_BYTES, expand

#: So many frames are enough for any game that ends.
FRAMES_MAX: Final = 60_000
KEY_BYTES: Final = 32


@dataclass(frozen=True)
class CheckedSetup:
    """What is played, on what, by how many, and how often."""

    package: GamePackage
    rules: Rules
    protocol: CardProtocol
    seats: int
    hands: int
    #: Seats with a role of their own, beyond those that play.
    roles: Mapping[int, str]

    @property
    def names(self) -> tuple[str, ...]:
        """Of all who sit there."""
        return (*NAMES[: self.seats], *self.roles.values())


class CheckTable:
    """Participants around one order. Who is asked to decide decides on what it sees, at the same time as the others."""

    def __init__(self, seating: CheckedSetup, *, backwards: bool = False) -> None:
        self.seating = seating
        #: Whether of what is on its way that of the last seat comes first.
        self._backwards = backwards
        self._homes = [
            MemoryPlayerStore(name, Identity(_drawn("key", at, KEY_BYTES)), _drawn("root", at, ROOT_BYTES))
            for at, name in enumerate(seating.names)
        ]
        self._minds = [BotAgent(seating.package, home.root) for home in self._homes]
        self.participants = [self._participant(at) for at in range(len(self._homes))]
        self._coming = [deque[bytes]() for _ in self._homes]
        self.frames: list[bytes] = []
        #: Called after each entry of a hand that is played, with how many there were.
        self.after: Callable[[int], None] = lambda entries: None
        self._agree()

    def _participant(self, place: int) -> Participant:
        seating = self.seating
        return Participant(
            self._homes[place],
            entropy=lambda size: _drawn("entropy", place, size),
            accept=lambda proposal: None,
            stays=stay_for_hands(seating.hands),
            parts=lambda proposal: (seating.protocol, seating.rules, seating.package),
        )

    def _agree(self) -> None:
        for place, participant in enumerate(self.participants):
            self.say(place, participant.resend())
        self._carry()
        offers = {offer.name: offer for offer in self.participants[0].offers}
        roles = self.seating.roles
        members = [offers[name].seated(at, roles.get(at, PLAYER)) for at, name in enumerate(self.seating.names)]
        self.say(0, self.participants[0].propose(proposal_of(self.seating.rules, self.seating.protocol, members)))
        while not all(one.begun for one in self.participants):
            if not self._step():
                raise Declined("the players have not come to an agreement")

    def say(self, place: int, frames: Iterable[bytes]) -> None:
        """What somebody sends is on its way."""
        self._coming[place].extend(frames)

    def run(self) -> None:
        """Play to the end. Raises `Found` for a table that does not get there."""
        while not self._over:
            self._carry()
            for place, participant in enumerate(self.participants):
                if not participant.over:
                    self.say(place, self._minds[place].act(participant))
            if not any(self._coming) and not self._over:
                raise Found(Finding("stuck", f"{self.where}, nobody owes anything, and the game is not over."))

    @property
    def _over(self) -> bool:
        return self.replica.state.phase is Phase.ENDED and not any(self._coming)

    def _carry(self) -> None:
        while self._step():
            if len(self.frames) > FRAMES_MAX:
                raise Found(Finding("endless", f"{self.where}, and after {FRAMES_MAX} entries, the game is not over."))

    def _step(self) -> bool:
        places = [place for place, coming in enumerate(self._coming) if coming]
        if not places:
            return False
        frame, number = self._coming[places[-1 if self._backwards else 0]].popleft(), len(self.frames)
        self.frames.append(frame)
        for place, participant in enumerate(self.participants):
            self.say(place, participant.receive(frame, number).send)
        if self.participants[0].begun and self.replica.state.phase is Phase.PLAYING:
            self.after(self.replica.height)
        return True

    def lose(self, place: int) -> None:
        """A participant is lost, and another one comes back from its home."""
        again = self._participant(place)
        self.participants[place] = again
        self._coming[place].clear()
        for number, frame in enumerate(self.frames):
            again.receive(frame, number)
        self.say(place, again.resend())

    @property
    def replica(self) -> Replica:
        """The table as the first participant sees it."""
        return self.participants[0].replica

    @property
    def where(self) -> str:
        """Which table this is, for people."""
        claims = self.seating.protocol.claims
        return f"On {claims.name}, with {self.seating.seats} seats, in hand {self.replica.state.hand.number + 1}"


def _drawn(label: str, place: int, size: int) -> bytes:
    return expand("check table", label, place, size=size)
