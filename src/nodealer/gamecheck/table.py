"""A table of real participants in one process, at which everything can go wrong that can go wrong at a real table.

Entries cross in one order or the other, participants are lost and restored from their player stores, and seats leave in
the middle of a hand. Everything is derived from fixed seeds, so two tables differ only by what was done at them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from nodealer.client.agents import BotAgent
from nodealer.engine.commands import ProposeSession
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import create_proposal
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

#: More frames than any game needs that ends at all.
FRAMES_MAX: Final = 60_000
KEY_BYTES: Final = 32


@dataclass(frozen=True)
class CheckedSetup:
    """The game, the protocol, the number of seats and the number of hands."""

    package: GamePackage
    rules: Rules
    protocol: CardProtocol
    seats: int
    hands: int
    #: Additional seats with a special role, such as a dealer.
    roles: Mapping[int, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all participants."""
        return (*NAMES[: self.seats], *self.roles.values())


class CheckTable:
    """Participants in one process that receive the same frames in the same order. Bots decide for them."""

    def __init__(self, seating: CheckedSetup, *, backwards: bool = False) -> None:
        """Seat a participant and a bot for each name, and let them agree on the session.

        Raise `Declined` if they do not.
        """
        self.seating = seating
        #: Deliver pending frames of the last seat first.
        self._backwards = backwards
        self._homes = [
            MemoryPlayerStore(name, Identity(_derive("key", at, KEY_BYTES)), _derive("root", at, ROOT_BYTES))
            for at, name in enumerate(seating.names)
        ]
        self._agents = [BotAgent(seating.package, home.root) for home in self._homes]
        self.participants = [self._participant(at) for at in range(len(self._homes))]
        self._pending = [deque[bytes]() for _ in self._homes]
        self.frames: list[bytes] = []
        #: Called after each entry while a hand is being played, with the number of entries.
        self.after: Callable[[int], None] = lambda entries: None
        self._agree_on_proposal()

    def _participant(self, place: int) -> Participant:
        """Create the participant at a place from its store."""
        seating = self.seating
        return Participant(
            self._homes[place],
            entropy=lambda size: _derive("entropy", place, size),
            accept=lambda proposal: None,
            stay_policy=stay_for_hands(seating.hands),
            parts=lambda proposal: (seating.protocol, seating.rules, seating.package),
        )

    def _agree_on_proposal(self) -> None:
        """Let all participants agree on the session. Raise `Declined` if they do not."""
        for place, participant in enumerate(self.participants):
            self.send(place, participant.resend())
        self._deliver_all()
        offers = {offer.name: offer for offer in self.participants[0].offers}
        roles = self.seating.roles
        members = [offers[name].as_member(at, roles.get(at, PLAYER)) for at, name in enumerate(self.seating.names)]
        self.send(
            0,
            self.participants[0].command(
                ProposeSession(create_proposal(self.seating.rules, self.seating.protocol, members))
            ),
        )
        while not all(one.has_session for one in self.participants):
            if not self._deliver_one():
                raise Declined("the players did not agree")

    def send(self, place: int, frames: Iterable[bytes]) -> None:
        """Queue frames of a participant for delivery."""
        self._pending[place].extend(frames)

    def run(self) -> None:
        """Play to the end. Raises `Found` if the table does not get there."""
        while not self._over:
            self._deliver_all()
            for place, participant in enumerate(self.participants):
                if not participant.is_over:
                    self.send(place, self._agents[place].act(participant))
            if not any(self._pending) and not self._over:
                raise Found(Finding("stuck", f"{self.where}, no seat owes anything, but the game is not over."))

    @property
    def _over(self) -> bool:
        """Whether the session has ended and every frame is delivered."""
        return self.replica.state.phase is Phase.ENDED and not any(self._pending)

    def _deliver_all(self) -> None:
        """Deliver frames until none is pending. Raises `Found` if that does not end."""
        while self._deliver_one():
            if len(self.frames) > FRAMES_MAX:
                raise Found(Finding("endless", f"{self.where}, the game is not over after {FRAMES_MAX} entries."))

    def _deliver_one(self) -> bool:
        """Deliver one pending frame to everyone. Returns False if none is pending."""
        places = [place for place, coming in enumerate(self._pending) if coming]
        if not places:
            return False
        frame, number = self._pending[places[-1 if self._backwards else 0]].popleft(), len(self.frames)
        self.frames.append(frame)
        for place, participant in enumerate(self.participants):
            self.send(place, participant.receive(frame, number).send)
        if self.participants[0].has_session and self.replica.state.phase is Phase.PLAYING:
            self.after(self.replica.height)
        return True

    def lose(self, place: int) -> None:
        """Drop a participant and restore it from its player store."""
        again = self._participant(place)
        self.participants[place] = again
        self._pending[place].clear()
        for number, frame in enumerate(self.frames):
            again.receive(frame, number)
        self.send(place, again.resend())

    @property
    def replica(self) -> Replica:
        """The table as the first participant sees it."""
        return self.participants[0].replica

    @property
    def where(self) -> str:
        """This table and hand in words, as the beginning of a sentence."""
        claims = self.seating.protocol.claims
        return f"On {claims.name}, with {self.seating.seats} seats, in hand {self.replica.state.hand.number + 1}"


def _derive(label: str, place: int, size: int) -> bytes:
    """Return fixed pseudorandom bytes for a participant, the same in every run."""
    return expand("check table", label, place, size=size)
