"""One participant with its machine: a home, a connection, a mind, and a process that may be gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Raw, structs

from nodealer.cards import Card
from nodealer.drive.minds import BotMind
from nodealer.drive.patience import Looks, Patience
from nodealer.errors import IllegalMove, JournalLost
from nodealer.games.base import Turn
from nodealer.games.free.rules import FreeHand
from nodealer.games.package import Bot
from nodealer.keys import Identity
from nodealer.lab.sim.dice import Dice
from nodealer.lab.sim.home import FragileHome, Killed
from nodealer.lab.sim.keeper import keeping
from nodealer.lab.sim.line import Line
from nodealer.lab.sim.minds import free_move
from nodealer.lab.sim.plan import Struck
from nodealer.lab.sim.relay import entry_in
from nodealer.log.entry import Entry, sign_entry
from nodealer.play.bodies import Tick
from nodealer.play.config import proposal_of
from nodealer.play.participant import Diverged, Happened, Participant
from nodealer.play.replica import Applied, Replica
from nodealer.wire import encode

if TYPE_CHECKING:
    from nodealer.lab.sim.world import World

#: How often a participant looks around, after how much silence it asks again, and how long it waits for others: in ms.
LOOKS: Final = 500
SILENCE: Final = 1500
PATIENCE: Final = 5000
#: What a liar signs.
NONSENSE: Final = b'{"type":"nonsense"}'


class Node:
    """A place at the table."""

    def __init__(self, world: World, place: int) -> None:
        plan = world.plan
        self.place = place
        self.keeps_time = plan.seats <= place < plan.sitting
        player = "keeper" if self.keeps_time else f"player {place}"
        self.name = player if place < plan.sitting else f"watcher {place}"
        dice = Dice(plan.seed, self.name)
        self.home = FragileHome(self.name if place < plan.sitting else None, Identity(dice(32)), dice(32))
        self.participant: Participant | None = None
        self.muted = False
        #: What it said about logs that parted.
        self.diverged: list[Diverged] = []
        #: The faces that it could read, each with its hand and card.
        self.faces: set[tuple[int, Card, int]] = set()
        self._world = world
        self._clock = world.clock
        self._dice = dice
        self._mind = BotMind(plan.package, self.home.root)
        self._up, self._down = (self._line(way) for way in ("up", "down"))
        self._online = False
        self._patience = self._new_patience()
        #: What somebody slow thinks about, and until when.
        self._pondered: tuple[bytes, int] = (b"", 0)
        #: Since when nothing has come, and when the table last changed.
        self._quiet = self._changed = 0
        #: The number of the next frame that the relay sends.
        self._coming = 0
        self._proposed = False
        #: Whether it has left, where that is planned.
        self._left = False
        #: Whether it cannot come back any more.
        self.away = False

    def _new_patience(self) -> Looks:
        keeper = self._world.plan.keeper
        if keeper is None or not self.keeps_time:
            return Patience(PATIENCE / 1000)
        return keeping(keeper.how, self._dice, self._world.struck)

    def _line(self, way: str) -> Line:
        world = self._world
        dice = Dice(world.plan.seed, self.name, way)
        return Line(world.clock, dice, world.plan.rates, world.struck, lambda what: self._tell(f"{way} {what}"))

    def _tell(self, what: str) -> None:
        self._world.tell(self.name, what)

    # --- Life and death ---

    def come(self) -> None:
        """The process starts, for the first time or again."""
        self._patience, self._proposed = self._new_patience(), False
        self.participant = self._participant()
        if self.participant is None:
            self._tell("stays away")
            return
        self._tell(f"comes, with {len(self.home.entries)} entries and {len(self.home.journal.records)} records")
        self.connect()
        self._look_again(self.participant)

    def _participant(self) -> Participant | None:
        """One on this home; None for a liar whose own lie stands in its log: its journal does not have it."""
        try:
            return self._world.new_participant(self)
        except JournalLost:
            if not self._lies:
                raise
            self.away = True
            return None

    def _look_again(self, participant: Participant) -> None:
        def look() -> None:
            if participant is self.participant:
                self.living(self._look)
                self._look_again(participant)

        self._clock.after(LOOKS, look)

    def living(self, action: Callable[[Participant], Iterable[bytes]]) -> None:
        """Do something with the participant and send what comes of it, if it lives that long."""
        if self.participant is None:
            return
        try:
            for frame in action(self.participant):
                self.home.burn()
                self._send(frame)
        except Killed:
            self.die(self._dice.pick((300, 2000, 7000)))

    def kill(self, kill: Struck) -> None:
        """At once, or after some more writes and words."""
        if self.participant is None:
            return
        if kill.writes == 0:
            self.die(kill.down)
        else:
            self.home.fuse = kill.writes

    def die(self, down: int) -> None:
        """The process is gone. The home stays."""
        self._tell(f"is killed, for {down} ms")
        self._world.struck["killed"] += 1
        self.participant = None
        self.home.crash(self._dice)
        self._disconnect()
        self._clock.after(down, self.come)

    # --- The connection ---

    def cut(self, cut: Struck) -> None:
        """The connection breaks."""
        if not self._online:
            return
        self._tell(f"is cut off, for {cut.down} ms")
        self._world.struck["cut"] += 1
        self._disconnect()
        self._clock.after(cut.down, self.connect)

    def _disconnect(self) -> None:
        self._online = False
        self._up.cut()
        self._down.cut()

    def connect(self) -> None:
        """A new connection: what was said and not heard, and all frames from the next one on."""
        if self.participant is not None and not self._online:
            self._online = True
            self._again()

    def _again(self) -> None:
        self._quiet = self._clock.now
        known = len(self._world.relay.order(self.place))
        self.living(lambda participant: participant.resend(known))
        if self.participant is not None:
            self._coming = self.participant.expects
            self.stream()

    def heal(self) -> None:
        """From now on nothing strikes, but what does so for good."""
        self._up.rates = self._down.rates = {}
        self.home.fuse = None

    def stream(self) -> None:
        """The relay sends what is new."""
        order = self._world.relay.order(self.place)
        while self._online and self._coming < len(order):
            number, frame = self._coming, order[self._coming]
            self._coming += 1
            self._down.carry(self._world.words(frame), partial(self.receive, frame, number))

    def _send(self, frame: bytes) -> None:
        entry = entry_in(frame)
        lie = None if entry is None else self._lie(entry)
        if entry is None or lie is None or not self._dice.chance(300):
            self._say(frame)
            return
        # Before the true one it is refused; after it, it names its seat.
        false = sign_entry(self.home.identity, structs.replace(entry, body=Raw(lie)))
        for each in (false, frame) if self._dice.chance(900) else (frame, false):
            self._say(each)

    @property
    def _lies(self) -> bool:
        return self._lies_about_time or self.place == self._world.plan.liar

    @property
    def _lies_about_time(self) -> bool:
        keeper = self._world.plan.keeper
        return self.keeps_time and keeper is not None and keeper.how == "back"

    def _lie(self, entry: Entry) -> bytes | None:
        if self._lies_about_time:
            self._world.struck["lied"] += 1
            return encode(Tick(self._dice.between(0, 3000)))
        return NONSENSE if self._lies else None

    def _say(self, frame: bytes) -> None:
        self._tell(f"says {self._world.words(frame)}")
        if self._online and not self.muted:
            self._up.carry(self._world.words(frame), lambda: self._world.take(frame))

    # --- Taking part ---

    def receive(self, frame: bytes, number: int) -> None:
        """A frame arrives."""

        def take(participant: Participant) -> Iterable[bytes]:
            expected, step = participant.expects, participant.receive(frame, number)
            if participant.expects > expected:
                self._quiet = self._clock.now
            for happened in step.happened:
                self._tell(f"sees {type(happened).__name__}")
            self.diverged += (one for one in step.happened if isinstance(one, Diverged))
            self._world.struck["late"] += sum(map(_found_late, step.happened)) if self.place == 0 else 0
            if step.happened:
                self._changed = self._clock.now
                self._clock.after(self._dice.between(20, 300), lambda: self.living(self._think))
            return [*step.send, *self._leave(participant)]

        self._tell(f"hears #{number} {self._world.words(frame)}")
        self.living(take)

    def _look(self, participant: Participant) -> Iterable[bytes]:
        if self._clock.now - self._quiet > SILENCE and not participant.over:
            self._again()
            self.living(self._think)
        said = [*self._propose(participant), *self._patience.look(participant, self._clock.now / 1000)]
        return said if participant is self.participant else []

    def _propose(self, participant: Participant) -> Iterable[bytes]:
        """The first player proposes when all have come."""
        plan, lobby = self._world.plan, participant.lobby
        offers = {offer.name: offer for offer in lobby.offers}
        names = [node.name for node in self._world.nodes[: plan.sitting]]
        if self.place or self._proposed or participant.begun or lobby.proposal or not offers.keys() >= {*names}:
            return []
        self._proposed = True
        members = [offers[name].seated(seat) for seat, name in enumerate(names)]
        limits = None if plan.keeper is None else plan.keeper.limits
        return participant.propose(proposal_of(plan.rules, plan.protocol, members, clock=limits))

    def _think(self, participant: Participant) -> Iterable[bytes]:
        if not participant.seated or self.keeps_time:
            return []
        self._remember(participant)
        if self._ponders(participant):
            return []
        with suppress(IllegalMove):
            if participant.options().unreadable is not None:
                return participant.claim()
            game = participant.replica.state.hand.game
            if isinstance(game, FreeHand):
                return self._choose(participant) or self._ask(participant, game)
            return self._mind.act(participant)
        return []

    def _leave(self, participant: Participant) -> Iterable[bytes]:
        """Leave, or sit out, if this is the seat and the time; and come back later."""
        plan = self._world.plan.leaver
        if plan is None or plan.seat != self.place or self._left or not participant.seated or participant.hearing:
            return []
        if participant.replica.height < plan.entries:
            return []
        self._left, participant.sits_out = True, plan.sits_out or bool(plan.away)
        self._clock.after(plan.away, lambda: self.living(lambda participant: participant.come_back()))
        with suppress(IllegalMove):
            said = participant.sit_out() if plan.sits_out else participant.leave()
            self._world.struck["left"] += 1
            return said
        return []

    def _ponders(self, participant: Participant) -> bool:
        """Whether it is somebody slow, who is asked something and has not thought enough about it."""
        asked = participant.options().asked if self.place == self._world.plan.slow else None
        if asked is None:
            return False
        if self._pondered[0] != asked.id:
            delay = self._dice.pick((100, 6000, 9000))
            self._pondered = (asked.id, self._clock.now + delay)
            self._clock.after(delay, lambda: self.living(self._think))
        return self._clock.now < self._pondered[1]

    def _remember(self, participant: Participant) -> None:
        """Write down which faces it knows, for whoever checks that each is there once."""
        if self.place not in self._world.doomed:
            hand = participant.replica.state.hand.number
            self.faces |= {(hand, card, face) for card, face in participant.seat.cards().items()}

    def _choose(self, participant: Participant) -> Iterable[bytes]:
        """What it does with cards that it looked at."""
        question = participant.question()
        if question is None or question.peek is None:
            return []
        return participant.answer(question, Bot().choose(question.view, question.peek))

    def _ask(self, participant: Participant, game: FreeHand) -> Iterable[bytes]:
        """Nobody owes a move at a table without rules: whoever comes first in order does it, and later the next."""
        want, duty, seat = game.wants, participant.options().move, participant.seat.number
        if duty is None or not isinstance(want, Turn) or seat not in want.may:
            return []
        patience = want.may.index(seat) * PATIENCE
        if self._clock.now - self._changed < patience:
            self._clock.after(LOOKS, lambda: self.living(self._think))
            return []
        return participant.move(free_move(game, seat, self._world.plan.rules.deck_max, self._dice))

    # --- Afterwards ---

    @property
    def living_participant(self) -> Participant:
        """The participant, of a node whose process is there."""
        if self.participant is None:
            raise Killed
        return self.participant

    @property
    def replica(self) -> Replica:
        """Its table."""
        return self.living_participant.replica

    @property
    def ended(self) -> bool:
        """Whether the game is over for it."""
        return self.participant is not None and self.participant.over

    def catch_up(self) -> None:
        """Hear the rest, when nobody says anything any more."""
        self.participant = participant = self.participant or self._participant()
        if participant is None:
            return
        order = self._world.relay.order(self.place)
        for number in range(participant.expects, len(order)):
            step = participant.receive(order[number], number)
            self.diverged += (one for one in step.happened if isinstance(one, Diverged))


def _found_late(happened: Happened) -> bool:
    if not isinstance(happened, Applied) or happened.before.clock is None or happened.after.clock is None:
        return False
    return happened.after.clock.late > happened.before.clock.late
