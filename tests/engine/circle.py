"""Participants around one numbered order, every frame of it on record: any of them may be brought back at any time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from conformance.clear import ClearProtocol
from conformance.games import TinyRules
from conformance.harness import NAMES, Source
from nodealer.engine.bodies import Body
from nodealer.engine.commands import AnswerQuestion, MakeMove, ProposeSession, VoteSkip
from nodealer.engine.frame_result import ReceivedEvent
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import Parts, create_proposal
from nodealer.engine.store import MemoryPlayerStore, PlayerStore
from nodealer.errors import IllegalMove
from nodealer.games.base import Rules
from nodealer.group import group
from nodealer.keys import Identity
from nodealer.log.entry import Entry, sign_entry
from nodealer.log.session import Limits
from nodealer.protocols.base import CardProtocol
from nodealer.wire import encode

Decide = Callable[[Participant], list[bytes]]

#: Who keeps the time, where somebody does.
KEEPER = "Clock"


def shows_if_even(one: Participant) -> list[bytes]:
    """Even seats show, odd ones pass; cards that were looked at go back in reverse."""
    options = one.options()
    if options.choices:
        question = one.question()
        assert question is not None and question.peek is not None and question.peek.deck is not None
        top = one.replica.state.hand.decks[question.peek.deck].places.pile[: question.peek.count]
        return one.command(AnswerQuestion(question, tuple(reversed(top))))
    return one.command(MakeMove({"show": one.seat.number % 2 == 0})) if options.must_move else []


class Circle:
    """`seats` players and `watchers` who only look on; the first player proposes. With `clock`, one keeps the time."""

    def __init__(
        self,
        seats: int = 3,
        *,
        rules: Rules | None = None,
        protocol: CardProtocol | None = None,
        hands: int = 2,
        watchers: int = 1,
        newcomers: int = 0,
        clock: Limits | None = None,
        seed: str = "circle",
    ) -> None:
        self.source = Source(seed)
        self.rules: Rules = rules or TinyRules()
        self.protocol: CardProtocol = protocol or ClearProtocol(group())
        self.hands = hands
        self.seats = seats
        self.clock = clock
        keeper = [] if clock is None else [KEEPER]
        names: list[str | None] = [*NAMES[: seats + newcomers], *keeper, *[None] * watchers]
        self.homes: list[MemoryPlayerStore] = [
            MemoryPlayerStore(name, Identity(self.source(32)), self.source(32)) for name in names
        ]
        self.people = [self.sit(home) for home in self.homes]
        #: What happened to each of them.
        self.happened: list[list[ReceivedEvent]] = [[] for _ in self.people]
        self.frames: list[bytes] = []
        self.waiting: deque[bytes] = deque()
        for one in self.people:
            self.waiting.extend(one.resend())

    def parts(self, proposal: object) -> Parts:
        return self.protocol, self.rules, None

    def sit(self, home: PlayerStore, **options: Any) -> Participant:
        given: dict[str, Any] = {"stay_policy": stay_for_hands(self.hands), "parts": self.parts} | options
        given |= {"keeps_time": home.name == KEEPER}
        return Participant(home, entropy=self.source, **given)

    # --- Playing ---

    def step(self) -> bool:
        """One more frame for everybody."""
        if not self.waiting:
            return False
        frame = self.waiting.popleft()
        self.frames.append(frame)
        for place, one in enumerate(self.people):
            self.waiting.extend(self.hear(place, one, frame, len(self.frames) - 1))
        return True

    def hear(self, place: int, one: Participant, frame: bytes, number: int) -> Iterable[bytes]:
        step = one.receive(frame, number, more=self.expects_more(place))
        self.happened[place].extend(step.happened)
        return step.send

    def expects_more(self, place: int) -> bool:
        """Whether somebody knows that more comes at once."""
        return False

    def greet(self) -> Circle:
        """All offers are there."""
        while self.step():
            pass
        return self

    def agree(self) -> Circle:
        """The session is open, and nothing is signed yet but the first entries, which wait."""
        self.greet()
        self.waiting.extend(self.people[0].command(ProposeSession(self.proposal())))
        while not all(one.has_session for one in self.people):
            assert self.step()
        return self

    def proposal(self) -> Any:
        offers = self.people[0].offers
        members = [offer.as_member(seat) for seat, offer in enumerate(offers[: self.seats])]
        members += [offer.as_member(self.seats) for offer in offers if offer.name == KEEPER]
        return create_proposal(self.rules, self.protocol, members, clock=self.clock)

    def play(self, until: Callable[[Circle], bool] = lambda circle: False, decide: Decide = shows_if_even) -> Circle:
        """Until nobody has anything to say, or `until`, asked after each frame, says so."""
        if not self.people[0].has_session:
            self.agree()
        while not until(self):
            if not self.step():
                for one in self.people:
                    if one.has_seat:
                        self.waiting.extend(decide(one))
                if not self.waiting:
                    break
        return self

    @property
    def keeper(self) -> Participant:
        """Who keeps the time."""
        return next(one for one in self.people if one.store.name == KEEPER)

    # --- Coming back ---

    def bring_back(self, place: int, **options: Any) -> Participant:
        """Somebody is killed, and comes back with its home: it hears everything again."""
        one = self.people[place] = self.sit(self.homes[place], **options)
        self.waiting.extend(one.resend(len(self.frames)))
        for number, frame in enumerate(self.frames):
            self.waiting.extend(self.hear(place, one, frame, number))
        return one

    # --- Looking ---

    @property
    def log(self) -> list[bytes]:
        return self.people[0].replica.entries

    def digests(self, *places: int) -> set[bytes]:
        return {self.people[place].replica.digest() for place in places or range(len(self.people))}

    def told(self, kind: type, place: int = 0) -> list[Any]:
        """What happened to somebody, of one kind."""
        return [one for one in self.happened[place] if isinstance(one, kind)]

    def by_hand(self, place: int, body: Body | bytes, replica: Replica | None = None, **changes: Any) -> bytes:
        """An entry that no honest program would write, with a good signature."""
        table, key = replica or self.people[place].replica, self.homes[place].identity
        seat = next(seat for seat, member in table.state.all_members.items() if member.key == key.public)
        fields: dict[str, Any] = {
            "session": table.config.session.id,
            "roster": table.state.roster.digest,
            "hand": table.state.hand.number,
            "seat": seat,
            "seq": table.count_signed_by(key.public),
            "seen": table.head,
        }
        raw = body if isinstance(body, bytes) else encode(body)
        return sign_entry(key, Entry(**(fields | changes), body=msgspec.Raw(raw)))


def votes(one: Participant) -> list[bytes]:
    """Somebody who would wait for nobody."""
    options = one.options()
    try:
        return one.command(VoteSkip(frozenset(options.waiting_for))) if options.can_vote_skip else []
    except IllegalMove:
        return []
