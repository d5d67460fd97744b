"""One simulated participant with its machine: a player store, a connection, and a process that may be down."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Raw, structs

from nodealer.cards.operations import Deal, Open
from nodealer.client.keyring import Keyring
from nodealer.client.policies import Policy, TimeoutVoter, follow
from nodealer.client.status import TableTimes, table_status
from nodealer.engine.bodies import Book, Cards, Tick, read_body
from nodealer.engine.frame_result import Diverged, Received
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Replica
from nodealer.errors import HomeUnusable, JournalLost, LogRolledBack
from nodealer.keys import Identity
from nodealer.log.entry import Entry, sign_entry
from nodealer.protocols.stages import StagedDeck
from nodealer.tape import SEED_BYTES, expand
from nodealer.wire import encode
from nodealer_lab.sim.cheats import lies_of
from nodealer_lab.sim.dice import SeededDice
from nodealer_lab.sim.entry_groups import EntryGroups
from nodealer_lab.sim.faults.connection import SimConnection
from nodealer_lab.sim.faults.fragile_store import FragileHome, Killed
from nodealer_lab.sim.faults.lies import forge_body
from nodealer_lab.sim.faults.timekeepers import create_timekeeper
from nodealer_lab.sim.plan import BadDisk, Struck
from nodealer_lab.sim.player import SimPlayer
from nodealer_lab.sim.relay import parse_entry
from nodealer_lab.sim.table_keys import FrameSealer

if TYPE_CHECKING:
    from nodealer_lab.sim.world import World

#: In milliseconds: how often a participant's timer fires, after how much silence it reconnects, and how long it waits
#: for others.
TICK_INTERVAL: Final = 500
SILENCE: Final = 1500
PATIENCE: Final = 5000
#: How long it waits for another frame before it processes a batch.
TOGETHER: Final = 50
#: The duty kinds in which protocols publish card keys.
KEYS: Final = ("release", "dealFinal", "revealFinal", "pass")


class Node:
    """One place at the simulated table: a player, the timekeeper, a spectator, or a newcomer."""

    def __init__(self, world: World, place: int) -> None:
        """Create the node at this place, before its process starts.

        Places are numbered in this order: players, the timekeeper if there is one, spectators, and strangers who will
        ask for a seat.
        """
        plan = world.plan
        self.place = place
        self.keeps_time = plan.seats <= place < plan.sitting
        player = "keeper" if self.keeps_time else f"player {place}"
        watcher = f"watcher {place}" if place < plan.sitting + plan.watchers else f"stranger {place}"
        self.name = player if place < plan.sitting else watcher
        #: Whether it joins a running game and would like a seat.
        self.asks_to_sit = place >= plan.sitting + plan.watchers
        self.dice = SeededDice(plan.seed, self.name)
        self.is_old_copy = False
        named = self.name if place < plan.sitting or self.asks_to_sit else None
        # Identities are the same in all games, because checking a new key takes as long as twenty signatures.
        identity = Identity(expand("simulated identity", self.name, size=SEED_BYTES))
        self.home = FragileHome(named, identity, self.dice(SEED_BYTES))
        self.participant: Participant | None = None
        self.muted = False
        #: When its process last started.
        self.started_at = 0
        #: Whether its process is down for good: its store is lost, or its own lies keep it from restarting.
        self.away = False
        #: The divergences that it reported; the entries that it signed and an honest player would not have; and those
        #: that it sent although its journal did not contain them.
        self.diverged: list[Diverged] = []
        self.lied: list[bytes] = []
        self.unkept: list[bytes] = []
        #: Each time it continued from a rolled-back log: how many heads that it had signed on were missing from that
        #: log.
        self.went_back: list[int] = []
        self.player = SimPlayer(world, self)
        self._world = world
        self._clock = world.clock
        self._up, self._down = (self._new_connection(way) for way in ("up", "down"))
        self._online = False
        #: Until when it is partitioned from the relay.
        self._apart = 0
        self._patience = self._new_patience()
        self._times = TableTimes()
        #: The key schedule of its process, if frames are sealed.
        self.keys: Keyring | None = None
        self._sealer: FrameSealer | None = None
        #: Since when no frame has arrived.
        self._quiet = 0
        #: The number of the next frame that the relay sends, and frames that arrived too early to be opened.
        self._coming = 0
        self._early: dict[int, bytes] = {}
        self.groups = EntryGroups(world, self)

    def _new_patience(self) -> Policy:
        """Return the node's policy about time: a planned timekeeper, or a player who votes to skip slow seats."""
        keeper = self._world.plan.keeper
        if keeper is None or not self.keeps_time:
            return TimeoutVoter(PATIENCE / 1000)
        return create_timekeeper(keeper.how, self.dice, self._world.struck)

    def _new_connection(self, way: str) -> SimConnection:
        """Return the connection to the relay ("up") or from it ("down"), with the planned fault rates."""
        world = self._world
        dice = SeededDice(world.plan.seed, self.name, way)
        rates = {} if world.plan.played else world.plan.rates
        return SimConnection(world.clock, dice, rates, world.struck, lambda what: self.trace(f"{way} {what}"))

    def trace(self, what: str) -> None:
        """Write a line to the trace."""
        self._world.trace(self.name, what)

    # --- Starting and stopping ---

    def start(self) -> None:
        """Start the process, for the first time or again."""
        if self.away or self.participant is not None:
            return
        try:
            participant = self._open_participant()
        except (Killed, HomeUnusable) as end:
            self._stop(end)
            return
        if participant is not None:
            self.started_at = self._world.clock.now
            self.trace(f"starts with {len(self.home.entries)} entries and {len(self.home.journal.records)} records")
            self.connect()
            self._schedule_tick(participant)

    def _open_participant(self) -> Participant | None:
        """Start a new process on this store.

        Return None if the log contains entries that the journal lacks: a liar's own lie, or entries signed after the
        backup that the node now plays from.
        """
        self.home.reopen()
        self._patience = self._new_patience()
        self._times = TableTimes()
        self._early.clear()
        self.player.reset()
        self.groups.reset()
        try:
            self.keys = self._world.new_keyring(self)
            participant = self._world.new_participant(self, self.home, self.keys)
        except (JournalLost, LogRolledBack):
            if not self.lies and not self.is_old_copy:
                raise
            self.trace("stays down")
            self.away = True
            return None
        if self.is_old_copy and (missing_heads := self.home.missing_heads):
            self.went_back.append(missing_heads)
        self._sealer = None if self.keys is None else FrameSealer(participant, self.keys)
        self.participant = participant
        return participant

    def _schedule_tick(self, participant: Participant) -> None:
        """Let the process act at every tick of its own clock, as long as this participant runs."""

        def tick() -> None:
            """Act once and schedule the next tick, unless the process was replaced or stopped."""
            if participant is self.participant:
                self.act(self._tick)
                self._schedule_tick(participant)

        self._clock.after(TICK_INTERVAL, tick)

    def act(self, action: Callable[[Participant], Iterable[bytes]]) -> None:
        """Run an action on the participant and send the resulting frames, as far as the process survives.

        A pending batch is processed first, as every driver of a participant does.
        """
        self._run(self._flush)
        self._run(action)

    def _run(self, action: Callable[[Participant], Iterable[bytes]]) -> None:
        """Run an action on the participant and send its frames. Stop the process if it is killed or its disk fails."""
        if self.participant is None:
            return
        try:
            for frame in action(self.participant):
                self.home.burn_fuse()
                self._send(frame)
        except (Killed, HomeUnusable) as end:
            self._stop(end)

    def _stop(self, end: Killed | HomeUnusable) -> None:
        """Take the process down, because it was killed or because its disk failed."""
        if isinstance(end, HomeUnusable):
            self.trace(f"stops: {end}")
            self._world.struck["disk"] += 1
            self._check_refuses_more()
        else:
            self._world.struck["killed"] += 1
        self.go_down(self.dice.pick((300, 2000, 7000)))

    def _check_refuses_more(self) -> None:
        """Check that after a disk error the participant resends nothing that its store does not have."""
        participant = self.participant
        if participant is not None and self._online:
            try:
                said = participant.resend(participant.next_frame_number)
            except (HomeUnusable, Killed):
                # Killed: the kill was already due when the disk failed.
                return
            self._record_unkept(said)

    def _record_unkept(self, said: Iterable[bytes]) -> None:
        """Record entries that an honest node sends although its journal does not contain them."""
        for frame in said:
            if not self.lies and parse_entry(frame) is not None and not self.home.has_signed(frame):
                self.unkept.append(frame)

    def kill(self, kill: Struck) -> None:
        """Kill the process at once, or after some more writes and messages."""
        if self.participant is None:
            return
        if kill.writes == 0:
            self._world.struck["killed"] += 1
            self.go_down(kill.down)
        else:
            self.home.fuse = kill.writes

    def close(self, close: Struck) -> None:
        """Close the player's browser tab; it is opened again much later."""
        if self.participant is not None:
            self._world.struck["closed"] += 1
            self.go_down(close.down)

    def break_disk(self, bad: BadDisk) -> None:
        """Arrange for the disk to fail soon."""
        if self.participant is not None and not self.home.in_doubt:
            self.home.failing, self.home.how, self.home.again = bad.writes, bad.how, bad.again

    def restore(self, copy: FragileHome, *, log_only: bool = False) -> None:
        """Replace the store, or only its log, with an old copy."""
        if not self.away:
            copy = self.home.with_log_of(copy) if log_only else copy
            what = f"{len(copy.entries)} entries and {len(copy.journal.records)} records"
            self.trace(f"gets an old copy of its {'log' if log_only else 'store'} with {what}")
            self._world.struck["restored"] += 1
            running = self.participant is not None
            if running:
                self.go_down(500)
            self.home, self.is_old_copy = copy, True

    def lose_home(self) -> None:
        """Lose the store, and with it everything the node could sign."""
        self.away = True
        if self.participant is not None:
            self._world.struck["closed"] += 1
            self.go_down(0)

    def go_down(self, down: int) -> None:
        """End the process and restart it `down` milliseconds later. The store stays."""
        self.trace(f"is down for {down} ms")
        if self.participant is not None:
            self.lied += lies_of(self.participant)
        self.participant = self._sealer = None
        self.home.crash(self.dice)
        self._disconnect()
        self._clock.after(down, self.start)

    # --- The connection ---

    def cut(self, cut: Struck) -> None:
        """Break the connection for a while."""
        if self._online:
            self.trace(f"is cut off for {cut.down} ms")
            self._world.struck["cut"] += 1
            self._disconnect()
            self._clock.after(cut.down, self.connect)

    def partition(self, down: int) -> bool:
        """Keep the node disconnected for a while. Return whether it was connected."""
        was = self._online
        self._apart = max(self._apart, self._clock.now + down)
        self._disconnect()
        self._clock.after(down, self.connect)
        return was

    def _disconnect(self) -> None:
        """Cut both directions of the connection. Frames in transit are lost."""
        self._online = False
        self._up.cut()
        self._down.cut()

    def connect(self) -> None:
        """Connect again: resend what the relay may have missed, and request all frames from the next one on."""
        if self.participant is not None and not self._online and self._clock.now >= self._apart:
            self._online = True
            self._resync()

    def _resync(self) -> None:
        """Resend what the relay may have missed, and request the frames from the next one on."""
        self._quiet = self._clock.now
        known = len(self._world.relay.frames_for(self.place))
        self.act(lambda participant: participant.resend(known))
        if self.participant is not None:
            self._coming = self.participant.next_frame_number
            self.deliver_new()

    def enable_faults(self) -> None:
        """Let faults hit frames in transit from now on."""
        self._up.rates = self._down.rates = self._world.plan.rates

    def heal(self) -> None:
        """Stop all faults except the permanent ones."""
        self._up.rates = self._down.rates = {}
        self.home.repair()

    def deliver_new(self) -> None:
        """Deliver the frames that the relay has not sent to this node yet."""
        order = self._world.relay.frames_for(self.place)
        while self._online and self._coming < len(order):
            number, frame = self._coming, order[self._coming]
            self._coming += 1
            self._down.send(self._world.describe(frame), partial(self.receive, frame, number))

    def _send(self, frame: bytes) -> None:
        """Send a frame. A lying node may also sign and send a false entry with the same number."""
        entry = parse_entry(frame)
        self._record_unkept((frame,))
        if entry is not None and self._withholds(entry):
            self._world.mute()
        lie = None if entry is None or not self._decides_to_lie(entry) else self._forge(entry)
        if entry is None or lie is None:
            self._transmit(frame)
            return
        # Before the true entry, the lie is rejected; after it, it exposes the seat.
        self._world.struck["lied" if self._lies_about_time else "nonsense"] += 1
        false = sign_entry(self.home.identity, structs.replace(entry, body=Raw(lie)))
        self.lied.append(false)
        for each in (false, frame) if self.dice.chance(900) else (frame, false):
            self._transmit(each)

    @property
    def lies(self) -> bool:
        """True if the node signs entries that no honest player would."""
        plan = self._world.plan
        cheats = plan.cheater is not None and plan.cheater[0] == self.place
        return self._lies_about_time or self.place == plan.liar or cheats

    @property
    def _lies_about_time(self) -> bool:
        """True if this node is a timekeeper that sets its clock back."""
        keeper = self._world.plan.keeper
        return self.keeps_time and keeper is not None and keeper.how == "back"

    def _decides_to_lie(self, entry: Entry) -> bool:
        """Return whether a lying node lies this time. Disclosures are rare, so it lies about them more often."""
        book = self.lies and isinstance(read_body(bytes(entry.body)), Book)
        return self.lies and self.dice.chance(600 if self.keeps_time else 900 if book else 250)

    def _withholds(self, entry: Entry) -> bool:
        """Return whether this entry is the card key or the disclosure that the plan withholds."""
        plan, participant = self._world.plan, self.participant
        if plan.withheld is None or self.place != plan.fated[0] or participant is None:
            return False
        state, body = participant.replica.state, read_body(bytes(entry.body))
        if plan.withheld == "book":
            return isinstance(body, Book)
        known = state.duties.open.get(body.duty) if isinstance(body, Cards) else None
        if known is None or known.duty.deck is None or known.duty.kind not in KEYS:
            return False
        deck = state.hand.decks[known.duty.deck]
        return isinstance(deck, StagedDeck) and isinstance(deck.asked, Deal if plan.withheld == "deal" else Open)

    def _forge(self, entry: Entry) -> bytes | None:
        """Return a false body in place of an entry's true one, or None if the node does not lie about it."""
        if self._lies_about_time:
            return encode(Tick(self.dice.between(0, 3000)))
        if self.place != self._world.plan.liar or self.participant is None:
            return None
        return forge_body(self.participant, bytes(entry.body), self.dice)

    def _transmit(self, text: bytes) -> None:
        """Seal a frame and send it to the relay, if the node is connected and not muted."""
        self.trace(f"sends {self._world.describe(text)}")
        if self._online and not self.muted:
            frame = text if self._sealer is None else self._sealer.seal(text)
            if frame is not None:
                self._world.texts[frame] = text
                self._up.send(self._world.describe(text), lambda: self._world.receive(frame))

    # --- Receiving ---

    def receive(self, frame: bytes, number: int) -> None:
        """Receive a frame from the relay."""
        self.trace(f"receives #{number} {self._world.describe(frame)}")
        if self._sealer is None:
            self._run(lambda participant: self._receive(participant, frame, number))
            return
        # Opening a frame depends on the frames before it, so they are opened in order.
        self._early[number] = frame
        while self.participant is not None and self._sealer is not None:
            following = self.participant.next_frame_number
            if following not in self._early:
                break
            text = self._sealer.open(self._early.pop(following))
            self._run(partial(self._receive, frame=text, number=following))
            if self._sealer is not None and self._sealer.has_new_key():
                self.trace("has a new key")
                self._resync()

    def _receive(self, participant: Participant, frame: bytes, number: int) -> Iterable[bytes]:
        """Pass a frame to the participant and schedule the processing of a batch. Return the frames to send."""
        expected, step = participant.next_frame_number, self.groups.receive(participant, frame, number)
        if participant.next_frame_number > expected:
            self._quiet = self._clock.now
        if not participant.is_settled:
            self._clock.after(TOGETHER, partial(self._flush_if_idle, participant, self.groups.count))
        return self._process(participant, step)

    def _flush_if_idle(self, participant: Participant, count: int) -> None:
        """Process the deferred frames if no frame has arrived since this was scheduled."""
        if participant is self.participant and count == self.groups.count:
            self._run(self._flush)

    def _flush(self, participant: Participant) -> Iterable[bytes]:
        """Process the frames that the participant has deferred, if any, and return the entries that result."""
        return self._process(participant, self.groups.flush(participant)) if not participant.is_settled else []

    def _process(self, participant: Participant, step: Received) -> Iterable[bytes]:
        """Trace the events of a step. Return the frames to send, including those of a planned departure."""
        for happened in step.happened:
            self.trace(f"applies {type(happened).__name__}")
        self.diverged += (one for one in step.happened if isinstance(one, Diverged))
        if step.happened:
            self.player.on_change()
        # A participant that expects more frames does not decide yet whether to leave.
        return [*step.send, *(() if not participant.is_settled else self.player.leave_if_planned(participant))]

    def _tick(self, participant: Participant) -> Iterable[bytes]:
        """Reconnect after long silence. Return the frames that the player and the time policy send at this tick."""
        if self._clock.now - self._quiet > SILENCE and not participant.is_over:
            self._resync()
            self.act(self.player.decide)
        if participant is not self.participant:
            return []
        said = [*self.player.propose(participant), *self._follow_patience(participant)]
        return said if participant is self.participant else []

    def _follow_patience(self, participant: Participant) -> list[bytes]:
        """Return the frames that the time policy sends now. Nothing is decided on entries that are not verified."""
        if not participant.is_settled:
            return []
        self._times.observe(participant, self._clock.now / 1000)
        return follow(self._patience, participant, table_status(participant, self._times))

    # --- After the game ---

    @property
    def living_participant(self) -> Participant:
        """The participant of a running node. Raises `Killed` if the process is down."""
        if self.participant is None:
            raise Killed
        return self.participant

    @property
    def replica(self) -> Replica:
        """The node's copy of the table."""
        return self.living_participant.replica

    @property
    def ended(self) -> bool:
        """True if the game is over for this node and no batch of frames waits to be processed."""
        return self.participant is not None and self.participant.is_settled and self.participant.is_over

    @property
    def behind(self) -> bool:
        """True if the node has seen a frame under a later table key than it has."""
        return self._sealer is not None and self._sealer.behind

    @property
    def locked(self) -> bool:
        """True if the node was removed from the table, or is a spectator of a table whose key has changed."""
        return self._sealer is not None and self._sealer.locked

    def catch_up(self) -> None:
        """Receive all remaining frames after the game has stopped."""
        participant = self.participant or (None if self.away else self._open_participant())
        if participant is None:
            return
        order = self._world.relay.frames_for(self.place)
        for number in range(participant.next_frame_number, len(order)):
            text = order[number] if self._sealer is None else self._sealer.open(order[number])
            step = participant.receive(text, number)
            self.diverged += (one for one in step.happened if isinstance(one, Diverged))
        participant.settle()
        self.lied += lies_of(participant)
