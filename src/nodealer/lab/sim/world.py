"""A game under a virtual clock, with everything that its seed has planned for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial

from nodealer.errors import Malformed
from nodealer.lab.sim.clock import Clock
from nodealer.lab.sim.dice import Dice
from nodealer.lab.sim.node import LOOKS, Node
from nodealer.lab.sim.plan import BOUND, HEALED, Plan
from nodealer.lab.sim.relay import Relay, entry_in
from nodealer.play.bodies import read_body
from nodealer.play.participant import Participant
from nodealer.play.stays import for_hands

#: Hears of everything: the time, who, and what.
Trace = Callable[[int, str, str], None]


class World:
    """Participants, a relay, and what strikes them."""

    def __init__(self, plan: Plan, trace: Trace | None = None) -> None:
        self.plan = plan
        self.clock = Clock()
        self.relay = Relay()
        #: How often each kind of fault struck.
        self.struck: Counter[str] = Counter()
        #: The seats that are muted or see another order, for good.
        self.doomed: frozenset[int] = frozenset()
        self._trace = trace
        self.nodes = [Node(self, place) for place in range(plan.sitting + plan.watchers)]
        #: When each frame first had its place in the order.
        self.ordered: dict[bytes, int] = {}
        self._holding = Dice(plan.seed, "holding back")

    def tell(self, who: str, what: str) -> None:
        """Something happens."""
        if self._trace is not None:
            self._trace(self.clock.now, who, what)

    def words(self, frame: bytes) -> str:
        """A frame in a line of the trace."""
        return _words(frame) if self._trace is not None else ""

    def new_participant(self, node: Node) -> Participant:
        """The program of a node starts."""
        plan = self.plan
        return Participant(
            node.home,
            entropy=Dice(plan.seed, node.name, "entropy", str(self.clock.now)),
            stays=for_hands(plan.hands),
            table=plan.seed,
            parts=lambda proposal: (plan.protocol, plan.rules, plan.package),
            keeps_time=node.keeps_time,
        )

    def take(self, frame: bytes) -> None:
        """A frame reaches the relay, which may hold a tick back."""
        keeper = self.plan.keeper
        entry = None if keeper is None or not keeper.held else entry_in(frame)
        if keeper is not None and entry is not None and entry.seat == self.plan.seats:
            self.struck["held"] += 1
            self.clock.after(self._holding.between(0, keeper.held), lambda: self._order(frame))
        else:
            self._order(frame)

    def _order(self, frame: bytes) -> None:
        self.relay.take(frame)
        self.ordered.setdefault(frame, self.clock.now)
        if self.plan.keeper is not None and self.plan.keeper.how == "dying":
            self.nodes[self.plan.seats].muted |= self.relay.entries >= self.plan.keeper.entries
        if self.plan.doomed is not None and not self.doomed and self.relay.entries >= self.plan.doomed.entries:
            self._doom()
        self.struck["forked"] = int(self.relay.forked)
        for node in self.nodes:
            node.stream()

    def _doom(self) -> None:
        doomed = self.plan.doomed
        if doomed is None:
            return
        self.tell("relay", f"{doomed.how} for {doomed.seats}")
        self.doomed = frozenset(doomed.seats)
        if doomed.how == "mute":
            self.struck["muted"] += 1
            for seat in doomed.seats:
                self.nodes[seat].muted = True
        else:
            self.relay.fork(doomed)

    def run(self) -> None:
        """Until all have ended who can, or for too long; then everybody hears the rest."""
        dice = Dice(self.plan.seed, "start")
        for node in self.nodes:
            self.clock.after(dice.between(0, 500), node.come)
        for cut in self.plan.cuts:
            self.clock.after(cut.time, partial(self.nodes[cut.place].cut, cut))
        for kill in self.plan.kills:
            self.clock.after(kill.time, partial(self.nodes[kill.place].kill, kill))
        self.clock.after(HEALED, self._heal)
        looked = 0
        while self.clock.now < HEALED + BOUND:
            self.clock.step()
            if self.clock.now >= looked + LOOKS:
                looked = self.clock.now
                if all(node.ended for node in self.lasting):
                    break
        self._heal()
        for node in self.nodes:
            node.catch_up()

    def _heal(self) -> None:
        self.tell("all", "heals")
        for node in self.nodes:
            node.heal()

    @property
    def lasting(self) -> list[Node]:
        """Those who are neither muted nor see another order, nor kept away by their own lies."""
        return [node for node in self.nodes if node.place not in self.doomed and not node.away]


@lru_cache(maxsize=4096)
def _words(frame: bytes) -> str:
    entry = entry_in(frame)
    if entry is None:
        return f"a frame of the lobby ({len(frame)} bytes)"
    with suppress(Malformed):
        return f"{type(read_body(bytes(entry.body))).__name__} {entry.seat}.{entry.seq}"
    return f"nonsense {entry.seat}.{entry.seq}"
