"""A table in one process on which an attack is staged: honest bots, and seats that send what they should not.

Each participant receives frames in an order of its own, so that a lying relay can be staged too. Unless it lies, all
orders are the same.
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
from nodealer.engine.commands import MakeMove
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
    """Participants, and the frames on their way to each. An attack adds what its seats send beyond that."""

    def __init__(
        self,
        scene: Scene,
        *,
        seats: int | None = None,
        hands: int = 1,
        clock: Limits | None = None,
        makers: Mapping[int, MakeParticipant] | None = None,
        stores: Mapping[int, MemoryPlayerStore] | None = None,
        rules: Rules | None = None,
        bots: bool = True,
    ) -> None:
        """Seat new players who have agreed to play.

        With `clock` there is one more seat, the timekeeper. `makers` creates the participants that are not honest, and
        `stores` are of players who come from another table. Without `bots`, only the attack makes moves.
        """
        game = scene.game if seats is None else replace(scene.game, seats=seats)
        here, rules = replace(scene, game=game, hands=hands), rules or default_rules(scene)
        table, self.stores = seat_players(here, makers or {}, rules=rules, clock=clock, stores=stores)
        self._arguments = participant_arguments(here, rules)
        self.participants = list(table.participants)
        #: Seats whose frames are dropped, and seats whose frames are held back until `release_held`.
        self.silent: set[int] = set()
        self.held: set[int] = set()
        #: Returns the seats to hold back, given the state that a sender sees.
        self.hold_when: Callable[[TableState], Collection[int]] = lambda state: ()
        self._held: list[bytes] = []
        #: The events of each participant.
        self.events: dict[int, list[ReceivedEvent]] = {seat: [] for seat in range(len(self.participants))}
        self._package = scene.game if bots else None
        self._pending: list[deque[bytes]] = [deque() for _ in self.participants]
        self.send(table.waiting)

    # --- Participants ---

    def __getitem__(self, seat: int) -> Participant:
        """Return the participant at this seat."""
        return self.participants[seat]

    def state(self, seat: int = 0) -> TableState:
        """Return the state of the table as a seat sees it."""
        return self[seat].replica.state

    # --- Sending and running ---

    def send(self, frames: Iterable[bytes]) -> None:
        """Queue frames for all participants."""
        for frame in frames:
            for pending in self._pending:
                pending.append(frame)

    def step(self) -> bool:
        """Deliver one frame to one participant, or let a bot decide. Return False if no one has anything to send."""
        seat = max(range(len(self.participants)), key=lambda one: len(self._pending[one]))
        if not self._pending[seat]:
            return any(self._let_decide(one) for one in range(len(self.participants)))
        one = self[seat]
        step = one.receive(self._pending[seat].popleft(), one.next_frame_number)
        self.events[seat] += step.happened
        self._send_from(seat, step.send)
        return True

    def _let_decide(self, seat: int) -> bool:
        """Send what a bot decides for a seat. Return whether there was anything to send."""
        frames = [] if seat in self.silent | self.held else self.bot_decision(seat)
        self._send_from(seat, frames)
        return bool(frames)

    def _send_from(self, seat: int, frames: Iterable[bytes]) -> None:
        """Send frames of a seat to all, unless this attack holds that seat's frames back or drops them."""
        self.held.update(self.hold_when(self[seat].replica.state))
        if seat in self.held:
            self._held += frames
        elif seat not in self.silent:
            self.send(frames)

    def release_held(self) -> None:
        """Send the frames that were held back, and hold back no more."""
        self.held, self.hold_when = set(), lambda state: ()
        self.send(self._held)
        self._held = []

    def take_held(self) -> list[bytes]:
        """Return the frames that were held back, without sending them."""
        frames, self._held = self._held, []
        return frames

    def run_until(self, condition: Callable[[TableState], bool]) -> bool:
        """Run until all participants see a state that fulfils the condition. Return False if they never do."""
        for _ in range(STEPS_MAX):
            if all(condition(one.replica.state) for one in self.participants):
                return True
            if not self.step():
                return False
        return False

    def run_to_end(self) -> None:
        """Run until no one has anything to send."""
        self.run_until(lambda state: False)

    def sign_and_send(self, seat: int, *bodies: Body) -> list[bytes]:
        """Have a seat sign and send these bodies, whether the rules allow it or not. Return the signed entries."""
        signed = [self[seat].seat._sign(body) for body in bodies]
        self.send(signed)
        return signed

    def play_move(self, seat: int, move: Message) -> None:
        """Make a move for a seat, and run until no one has anything to send."""
        self.send(self[seat].command(MakeMove(move)))
        self.run_to_end()

    def restart(self, seat: int, store: MemoryPlayerStore) -> None:
        """Restart a participant from a store. Frames on their way to it are lost."""
        self.stores[seat] = store
        self.participants[seat] = Participant(store, **self._arguments)
        self._pending[seat].clear()

    def bot_decision(self, seat: int) -> list[bytes]:
        """Return what a bot would send now for a seat, without sending it."""
        return [] if self._package is None else decide(self[seat], BotAgent(self._package, self[seat].store.root))

    def deliver_to(self, seat: int, frames: Iterable[bytes]) -> None:
        """Queue frames for one participant only, as a lying relay would."""
        self._pending[seat].extend(frames)

    def take_pending(self) -> list[bytes]:
        """Remove all frames that are on their way, and return those for seat 0."""
        frames = list(self._pending[0])
        for pending in self._pending:
            pending.clear()
        return frames

    def sign_again(self, seat: int, data: bytes, body: Body) -> bytes:
        """Have a seat sign another body under the number of one of its entries, and send it."""
        entry = structs.replace(read_entry(data).entry, body=Raw(encode(body)))
        signed = sign_entry(self[seat].store.identity, entry)
        self.send([signed])
        return signed

    # --- Results ---

    def states(self, seat: int = 0) -> Iterator[TableState]:
        """Yield the state of the table after each entry of a seat's log."""
        known = self[seat].replica
        replica = Replica(known.config, entropy=bytes)
        for data in known.entries:
            replica.append(data)
            yield replica.state

    def outcome(self, gain: str | None, lies: Collection[bytes] = (), seat: int = 0) -> AttackOutcome:
        """Return the outcome of the attack: what the log of an honest seat shows, and this gain."""
        replica = self[seat].replica
        return judge_log(replica.config, replica.entries, lies, gain)


def copy_store(store: MemoryPlayerStore) -> MemoryPlayerStore:
    """Return a copy of a player's store as it is now."""
    copy = MemoryPlayerStore(store.name, store.identity, store.root)
    copy.journal = deepcopy(store.journal)
    copy.lobby, copy.session, copy.entries = list(store.lobby), store.session, list(store.entries)
    return copy


# --- The moment to strike ---


def is_playing(state: TableState) -> bool:
    """Return whether a hand is being played."""
    return state.phase is Phase.PLAYING


def awaits_move_of(seat: int) -> Callable[[TableState], bool]:
    """Return a condition for `run_until`: the others wait for a move of this seat."""
    return lambda state: any(known.is_move and known.is_blocking for known in state.duties.of_seat(seat).values())


def blocking_duties(state: TableState, seat: int) -> tuple[bytes, ...]:
    """Return the ids of the duties of a seat that the others wait for, sorted as a vote names them."""
    return tuple(sorted(id for id, known in state.duties.of_seat(seat).items() if known.is_blocking))
