"""A simulated game under a virtual clock, with everything that its plan contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

from nodealer.client.keyring import Keyring
from nodealer.engine.bodies import read_body
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import KeySchedule, Participant
from nodealer.engine.store import PlayerStore
from nodealer.errors import Malformed
from nodealer.keys import KEY_BYTES
from nodealer.relay.sealing import TableSecret
from nodealer_lab.sim.cheats import create_cheater
from nodealer_lab.sim.clock import VirtualClock
from nodealer_lab.sim.dice import SeededDice
from nodealer_lab.sim.node import TICK_INTERVAL, Node
from nodealer_lab.sim.plan import BOUND, HEALED, STILL, GamePlan, Split
from nodealer_lab.sim.relay import SimRelay, parse_entry

#: Receives every event of a game: the time, the name of the node, and what happened.
Trace = Callable[[int, str, str], None]


class World:
    """Participants, a relay, and the faults that hit them."""

    def __init__(self, plan: GamePlan, trace: Trace | None = None) -> None:
        """Create the clock, the relay and all nodes that the plan has from the start."""
        self.plan = plan
        self.clock = VirtualClock()
        #: Sealed frame to plaintext, if frames are sealed.
        self.texts: dict[bytes, bytes] = {}
        self.relay = SimRelay(self.text)
        #: How often each kind of fault struck.
        self.struck: Counter[str] = Counter()
        #: The seats that are permanently muted, see another order, or have lost their store.
        self.doomed: frozenset[int] = frozenset()
        self._trace = trace
        self._secret = TableSecret(SeededDice(plan.seed, "table")(KEY_BYTES), plan.seed, 0)
        self.nodes = [Node(self, place) for place in range(plan.sitting + plan.watchers)]
        #: When each entry first got its place in the order.
        self.ordered: dict[bytes, int] = {}
        self._holding = SeededDice(plan.seed, "holding back")
        self._fork_pending = self._mute_pending = self._loss_pending = True
        self._faults_pending = True

    def text(self, frame: bytes) -> bytes:
        """Return the plaintext of a frame."""
        return self.texts.get(frame, frame)

    def trace(self, who: str, what: str) -> None:
        """Write a line to the trace, if there is one."""
        if self._trace is not None:
            self._trace(self.clock.now, who, what)

    def describe(self, frame: bytes) -> str:
        """Describe a frame for the trace. Return an empty string if there is no trace."""
        return _describe(self.text(frame)) if self._trace is not None else ""

    def new_keyring(self, node: Node) -> Keyring | None:
        """Return the key schedule of a node, or None if frames are not sealed."""
        if not self.plan.sealed:
            return None
        key = self._secret if node.home.name is not None else self._secret.read_key
        return Keyring((key,), SeededDice(self.plan.seed, node.name, "keys", str(self.clock.now)))

    def new_participant(self, node: Node, home: PlayerStore, keys: KeySchedule | None) -> Participant:
        """Start the program of a node, on its store or on a copy of it."""
        plan = self.plan
        named: dict[str, Any] = {
            "entropy": SeededDice(plan.seed, node.name, "entropy", str(self.clock.now)),
            "stay_policy": stay_for_hands(plan.hands),
            "table": plan.seed,
            "parts": lambda proposal: (plan.protocol, plan.rules, plan.package),
            "keeps_time": node.keeps_time,
            "keys": keys,
        }
        if plan.cheater is not None and plan.cheater[0] == node.place:
            return create_cheater(plan.cheater[1], home, **named)
        return Participant(home, **named)

    # --- The relay ---

    def receive(self, frame: bytes) -> None:
        """Receive a frame at the relay, which may hold a tick back."""
        keeper = self.plan.keeper
        entry = None if keeper is None or not keeper.held else parse_entry(self.text(frame))
        if keeper is not None and entry is not None and entry.seat == self.plan.seats:
            self.struck["held"] += 1
            self.clock.after(self._holding.between(0, keeper.held), lambda: self._append(frame))
        else:
            self._append(frame)

    def _append(self, frame: bytes) -> None:
        """Add a frame to the relay's order, apply the faults that are now due, and deliver it to all nodes."""
        self.relay.append(frame)
        self.ordered.setdefault(self.text(frame), self.clock.now)
        if self.plan.keeper is not None and self.plan.keeper.how == "dying":
            self.nodes[self.plan.seats].muted |= self.relay.entries >= self.plan.keeper.entries
        if self.relay.entries and self.clock.now < HEALED // 3:
            # Later, faults would strike when everything should have healed.
            self._schedule_faults()
        self._apply_permanent_faults()
        for node in self.nodes:
            node.deliver_new()

    def _apply_permanent_faults(self) -> None:
        """Apply the permanent faults that are due."""
        plan, entries = self.plan, self.relay.entries
        if (
            plan.fork is not None
            and self._fork_pending
            and entries >= plan.fork.entries
            and len(self.relay.frames) >= plan.fork.frames
        ):
            self._fork_pending = False
            self.trace("relay", f"{plan.fork.how} for {plan.fated}")
            self.doomed |= frozenset(plan.fated)
            self.relay.fork(plan.fork.how, plan.fated, lobby=not plan.fork.entries)
        if plan.fork is not None and self.relay.forked:
            self.struck["forked" if plan.fork.entries else "lobby"] = 1
        if plan.mute is not None and entries >= plan.mute:
            self.mute()
        if plan.lost_home is not None and self._loss_pending and entries >= plan.lost_home:
            self._loss_pending = False
            self.doomed |= {plan.fated[-1]}
            self.nodes[plan.fated[-1]].lose_home()
            self.nodes.append(Node(self, len(self.nodes)))
            self.clock.after(1000, self.nodes[-1].start)

    def mute(self) -> None:
        """Silence the first fated seat for good."""
        if self._mute_pending:
            place = self.plan.fated[0]
            self._mute_pending = False
            self.trace("relay", f"receives nothing more from {place}")
            self.doomed |= {place}
            self.struck["muted"] += 1
            self.nodes[place].muted = True

    # --- Temporary faults ---

    def _partition(self, split: Split) -> None:
        """Disconnect the planned places from the relay for the planned time."""
        self.trace("relay", f"is partitioned from {split.places} for {split.down} ms")
        parted = [self.nodes[place].partition(split.down) for place in split.places]
        self.struck["split"] += any(parted)

    def _schedule_restore(self, node: Node, time: int, *, log_only: bool) -> None:
        """Copy the store of a node now, and replace the store by this copy after `time` milliseconds."""
        self.clock.after(time, partial(node.restore, node.home.copy(), log_only=log_only))

    def _schedule_faults(self) -> None:
        """Schedule everything that the plan has at fixed times, counted from now. Only the first call has an effect."""
        if not self._faults_pending:
            return
        self._faults_pending = False
        plan, after = self.plan, self.clock.after
        for node in self.nodes:
            node.enable_faults()
        for cut in plan.cuts:
            after(cut.time, partial(self.nodes[cut.place].cut, cut))
        for kill in plan.kills:
            after(kill.time, partial(self.nodes[kill.place].kill, kill))
        for close in plan.closed:
            after(close.time, partial(self.nodes[close.place].close, close))
        for bad in plan.disks:
            after(bad.time, partial(self.nodes[bad.place].break_disk, bad))
        for split in plan.splits:
            after(split.time, partial(self._partition, split))
        if plan.backup is not None:
            node = self.nodes[plan.backup.place]
            after(
                plan.backup.copied,
                partial(
                    self._schedule_restore, node, plan.backup.time - plan.backup.copied, log_only=plan.backup.log_only
                ),
            )

    def run(self) -> None:
        """Play until all nodes that can end have ended, or time runs out. Then let every node catch up."""
        dice = SeededDice(self.plan.seed, "start")
        for node in self.nodes:
            self.clock.after(dice.between(0, 500), node.start)
        if not self.plan.played:
            self._schedule_faults()
        self.clock.after(HEALED, self._heal)
        looked = 0
        while self.clock.now < HEALED + BOUND:
            self.clock.step()
            if self.clock.now >= looked + TICK_INTERVAL:
                looked = self.clock.now
                if all(node.ended for node in self.lasting) or self._is_lobby_deadlocked or self._is_stalled:
                    break
        self._heal()
        for node in self.nodes:
            node.catch_up()

    @property
    def _is_lobby_deadlocked(self) -> bool:
        """Whether everything healed long ago and nodes that were shown different lobbies will never agree.

        A node that is away for a while may have begun before it went, and may agree when it is back.
        """
        parted = self.plan.fork is not None and not self.plan.fork.entries
        late = self.clock.now > max(HEALED, *(node.started_at for node in self.nodes)) + BOUND // 4
        waiting = (node.participant is not None and not node.participant.has_session for node in self.lasting)
        return late and parted and all(waiting)

    @property
    def _is_stalled(self) -> bool:
        """Whether everything healed long ago and no new entry arrived for longer than anyone waits or is away.

        A game that has not ended by then will not end.
        """
        since = next(reversed(self.ordered.values()), 0)
        return self.clock.now > HEALED + BOUND // 2 and self.clock.now > since + STILL

    def _heal(self) -> None:
        """End all temporary faults, so that the game can finish."""
        self.trace("all", "heals")
        for node in self.nodes:
            node.heal()

    @property
    def lasting(self) -> list[Node]:
        """The nodes that are not muted, forked off, kept away by their own lies, or removed from the table."""
        return [node for node in self.nodes if node.place not in self.doomed and not node.away and not node.locked]


@lru_cache(maxsize=4096)
def _describe(frame: bytes) -> str:
    """Return a short description of a frame for the trace: the kind of entry, its seat and its number."""
    entry = parse_entry(frame)
    if entry is None:
        return f"a lobby frame ({len(frame)} bytes)"
    with suppress(Malformed):
        return f"{type(read_body(bytes(entry.body))).__name__} {entry.seat}.{entry.seq}"
    return f"nonsense {entry.seat}.{entry.seq}"
