"""A table in one process on which an attack is staged: honest bots, and whoever says what nobody should.

Everybody hears the table in an order of its own, so that a relay that lies can be staged too. As long as it does not,
all orders are the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Final

from msgspec import Raw, structs

from nodealer.client.agents import BotAgent
from nodealer.engine.bodies import Body
from nodealer.engine.frame_result import ReceivedEvent
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.state import TableState
from nodealer.engine.store import MemoryPlayerStore
from nodealer.games.base import Rules
from nodealer.log.entry import read_entry, sign_entry
from nodealer.log.session import Limits
from nodealer.wire import Message, encode
from nodealer_lab.attacks.outcome import AttackOutcome, judge_log
from nodealer_lab.attacks.scene import (
    MakeParticipant,
    Scene,
    decide,
    default_rules,
    participant_arguments,
    seat_players,
)

#: More than happens in any honest game of a scene.
STEPS_MAX: Final = 10_000


class AttackTable:
    """Participants, and what is on its way to each; what a seat says besides is said for it."""

    def __init__(
        self,
        scene: Scene,
        *,
        seats: int | None = None,
        hands: int = 1,
        clock: Limits | None = None,
        makers: Mapping[int, MakeParticipant] | None = None,
        homes: Mapping[int, MemoryPlayerStore] | None = None,
        rules: Rules | None = None,
        bots: bool = True,
    ) -> None:
        """Fresh players who have agreed to play. With `clock` there is one more, who keeps the time. `makers` says who
        is not the honest program, and `homes` who comes with what it had at another table. Without `bots` nothing is
        decided but by whoever stages this."""
        game = scene.game if seats is None else replace(scene.game, seats=seats)
        here, rules = replace(scene, game=game, hands=hands), rules or default_rules(scene)
        table, self.homes = seat_players(here, makers or {}, rules=rules, clock=clock, homes=homes)
        self._as = participant_arguments(here, rules)
        self.participants = list(table.participants)
        #: Seats of which nothing is heard any more, and those of which nothing is heard until they are let go.
        self.silent: set[int] = set()
        self.held: set[int] = set()
        #: And from when on a seat's words are held back, by what it sees.
        self.hold_when: Callable[[TableState], Collection[int]] = lambda state: ()
        self._held: list[bytes] = []
        #: What happened to each.
        self.events: dict[int, list[ReceivedEvent]] = {seat: [] for seat in range(len(self.participants))}
        #: To whom a frame goes, where the relay does not bring it to all.
        self.route: Callable[[bytes], Collection[int]] | None = None
        self._package = scene.game if bots else None
        self._coming: list[deque[bytes]] = [deque() for _ in self.participants]
        self.send(table.waiting)

    # --- Who is there ---

    def __getitem__(self, seat: int) -> Participant:
        return self.participants[seat]

    def state(self, seat: int = 0) -> TableState:
        """The table, as a seat sees it."""
        return self[seat].replica.state

    # --- What happens ---

    def send(self, frames: Iterable[bytes]) -> None:
        """Frames for everybody, or for those to whom the relay brings them."""
        for frame in frames:
            to = range(len(self.participants)) if self.route is None else self.route(frame)
            for seat in to:
                self._coming[seat].append(frame)

    def step(self) -> bool:
        """One frame for one participant, or one decision of a bot. False where nobody has anything to say."""
        seat = max(range(len(self.participants)), key=lambda one: len(self._coming[one]))
        if not self._coming[seat]:
            return any(self._decided(one) for one in range(len(self.participants)))
        one = self[seat]
        step = one.receive(self._coming[seat].popleft(), one.expects)
        self.events[seat] += step.happened
        self._said(seat, step.send)
        return True

    def _decided(self, seat: int) -> bool:
        said = [] if seat in self.silent | self.held else self.bot_decision(seat)
        self._said(seat, said)
        return bool(said)

    def _said(self, seat: int, frames: Iterable[bytes]) -> None:
        self.held.update(self.hold_when(self[seat].replica.state))
        if seat in self.held:
            self._held += frames
        elif seat not in self.silent:
            self.send(frames)

    def release_held(self) -> None:
        """What was held back is on its way."""
        self.held, self.hold_when = set(), lambda state: ()
        self.send(self._held)
        self._held = []

    def take_held(self) -> list[bytes]:
        """What was held back, for whoever holds it: it is not on its way."""
        frames, self._held = self._held, []
        return frames

    def run_until(self, true: Callable[[TableState], bool]) -> bool:
        """Go on until all see that the table is so. False where they never do."""
        for _ in range(STEPS_MAX):
            if all(true(one.replica.state) for one in self.participants):
                return True
            if not self.step():
                return False
        return False

    def run_to_end(self) -> None:
        """Go on until nobody has anything to say."""
        self.run_until(lambda state: False)

    def sign_and_send(self, seat: int, *bodies: Body) -> list[bytes]:
        """A seat signs this, whatever the law says of it, and it is on its way."""
        said = [self[seat].seat._send(body) for body in bodies]
        self.send(said)
        return said

    def play_move(self, seat: int, move: Message) -> None:
        """A person makes a move, and all do what comes of it."""
        self.send(self[seat].move(move))
        self.run_to_end()

    def restart(self, seat: int, home: MemoryPlayerStore) -> None:
        """A participant comes back from what a home has; what was on its way to it is not any more."""
        self.homes[seat] = home
        self.participants[seat] = Participant(home, **self._as)
        self._coming[seat].clear()

    def bot_decision(self, seat: int) -> list[bytes]:
        """What a bot would say now. It is not on its way."""
        return [] if self._package is None else decide(self[seat], BotAgent(self._package, self[seat].home.root))

    def deliver_to(self, seat: int, frames: Iterable[bytes]) -> None:
        """The relay brings frames to one participant alone."""
        self._coming[seat].extend(frames)

    def take_pending(self) -> list[bytes]:
        """What is on its way to everybody is not any more."""
        frames = list(self._coming[0])
        for coming in self._coming:
            coming.clear()
        return frames

    def sign_again(self, seat: int, data: bytes, body: Body) -> bytes:
        """A seat signs something else with the number of an entry of its own, and it is on its way."""
        entry = structs.replace(read_entry(data).entry, body=Raw(encode(body)))
        signed = sign_entry(self[seat].home.identity, entry)
        self.send([signed])
        return signed

    # --- What came of it ---

    def states(self, seat: int = 0) -> Iterator[TableState]:
        """The table after each entry of a seat's log."""
        known = self[seat].replica
        replica = Replica(known.config, entropy=bytes)
        for data in known.entries:
            replica.append(data)
            yield replica.state

    def outcome(self, gain: str | None, lies: Collection[bytes] = (), seat: int = 0) -> AttackOutcome:
        """What the log of an honest seat shows."""
        replica = self[seat].replica
        return judge_log(replica.config, replica.entries, lies, gain)


def copy_store(home: MemoryPlayerStore) -> MemoryPlayerStore:
    """A home as it is now."""
    copy = MemoryPlayerStore(home.name, home.identity, home.root)
    copy.journal = deepcopy(home.journal)
    copy.lobby, copy.session, copy.entries = list(home.lobby), home.session, list(home.entries)
    return copy


# --- When to strike ---


def is_playing(state: TableState) -> bool:
    """A hand is played."""
    return state.phase is Phase.PLAYING


def owes(seat: int, *kinds: str) -> Callable[[TableState], bool]:
    """A seat owes a message of one of these kinds."""
    return lambda state: any(known.duty.kind in kinds for known in state.duties.of(seat).values())


def awaits_move_of(seat: int) -> Callable[[TableState], bool]:
    """The others wait for a move of this seat."""
    return lambda state: any(known.is_move and known.holds_up for known in state.duties.of(seat).values())


def blocking_duties(state: TableState, seat: int) -> tuple[bytes, ...]:
    """What a seat owes that the others wait for, as a statement names it."""
    return tuple(sorted(id for id, known in state.duties.of(seat).items() if known.holds_up))
