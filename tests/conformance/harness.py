"""A table for tests: everything from one seed, every secret at hand, and every moment of the game on record."""

from __future__ import annotations

import copy
import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from nodealer.cards.events import Event
from nodealer.cards.operations import Seal
from nodealer.engine.bodies import Body, Without
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.engine.seat import Seat
from nodealer.engine.state import Config, TableState
from nodealer.errors import EntryRefused, NodealerError
from nodealer.games.base import Rules
from nodealer.keys import Identity
from nodealer.log.entry import Entry, read_entry, sign_entry
from nodealer.log.journal import MemoryJournal, Record
from nodealer.log.roster import TIMEKEEPER, Roster, member_of
from nodealer.log.session import NONCE_BYTES, Limits, Part, Proposal, Session, nonce_commitment, open_session
from nodealer.proofs.checks import Entropy
from nodealer.protocols.base import CardProtocol, Duty
from nodealer.tape import Tape, hand_tape
from nodealer.wire import encode

from . import transitions

transitions.watch()

NAMES = ("Ada", "Bo", "Cy", "Dee", "Eve", "Flo", "Gus", "Hal", "Ivy", "Jo")


class Source:
    """Bytes that look random and are the same in every run."""

    def __init__(self, seed: str) -> None:
        self._seed = seed.encode()
        self._drawn = 0

    def __call__(self, size: int) -> bytes:
        self._drawn += 1
        return hashlib.shake_256(self._seed + self._drawn.to_bytes(8, "little")).digest(size)

    def below(self, bound: int) -> int:
        return int.from_bytes(self(8), "little") % bound


@dataclass
class Person:
    """What one player owns: its keys, its root, its disk."""

    number: int
    signing: bytes
    root: bytes
    journal: MemoryJournal = field(default_factory=MemoryJournal)

    @cached_property
    def key(self) -> Identity:
        return Identity(self.signing)

    def tape(self, session: bytes, hand: int) -> Tape:
        return hand_tape(self.root, session=session, seat=self.number, hand=hand)


def people(count: int, source: Source) -> list[Person]:
    return [Person(seat, source(32), source(32)) for seat in range(count)]


def roster_of(persons: Iterable[Person], roles: Mapping[int, str] | None = None) -> Roster:
    given = roles or {}
    return Roster(tuple(member_of(p.key, p.number, NAMES[p.number], given.get(p.number, "player")) for p in persons))


def agree_session(proposal: Proposal, entropy: Entropy) -> Session:
    """Commit, then open, for all seats at once."""
    nonces = {seat: entropy(NONCE_BYTES) for seat in proposal.roster.seats}
    commitments = {seat: nonce_commitment(proposal, seat, nonce) for seat, nonce in nonces.items()}
    return open_session(proposal, commitments, nonces)


def make_config(
    protocol: CardProtocol, rules: Rules, roster: Roster, source: Source, clock: Limits | None = None
) -> Config:
    claims = protocol.claims
    parts = Part(rules.name, rules.version), Part(claims.name, claims.version)
    return Config(agree_session(Proposal(*parts, rules.versions, roster, clock=clock), source), protocol, rules)


Decide = Callable[[Seat, Duty], bytes | None]


def show_if_even(seat: Seat, duty: Duty) -> bytes | None:
    """The moves and choices of the tests' persons: even seats show, odd ones pass; cards are put back in reverse."""
    if duty.deck is None and duty.kind == "move":
        return seat.move({"show": seat.number % 2 == 0})
    if duty.deck is not None and duty.choice:
        choose_reversed(seat, duty)
    return None


def choose_reversed(seat: Seat, duty: Duty) -> None:
    """Put the top cards back in reverse order, or take the second. Into an envelope goes a number."""
    hand = seat.replica.state.hand
    operation: Any = None if hand.requests is None else hand.requests.queues[duty.deck or 0][0]
    if isinstance(operation, Seal):
        return seat.choose(duty, b"%d" % (10 * seat.number))
    pile = hand.decks[duty.deck or 0].places.pile
    top = list(pile[: operation.count])
    order = {"reorder": top[::-1], "keep": top[::-1], "take": top[1:2], "look": top}[operation.then.value]
    seat.choose(duty, encode(order))


def events_of(replica: Replica) -> list[Event]:
    """Everything that happened at a table, told by a replica that takes its log again."""
    again = Replica(replica.config, entropy=Source("events"))
    taken = [again.append(data) for data in replica.entries]
    return [event for applied in taken if applied.outcome is Outcome.ACCEPTED for event in applied.events]


class Game:
    """A table at play. `moments` has, for every height of the log, how long each journal was."""

    def __init__(
        self,
        protocol: CardProtocol,
        rules: Rules,
        *,
        seats: int = 3,
        seed: str = "game",
        hands: int = 1,
        decide: Decide = show_if_even,
        liars: Mapping[int, CardProtocol] | None = None,
        roles: Mapping[int, str] | None = None,
        clock: Limits | None = None,
    ) -> None:
        """With `clock`, one more seat keeps the time: the last one."""
        source = Source(f"{protocol.claims.name}/{protocol.group.backend}/{seed}/{seats}")
        self.source = source
        keeper = {} if clock is None else {seats: TIMEKEEPER}
        self.persons = people(seats + len(keeper), source)
        roster = roster_of(self.persons, {**(roles or {}), **keeper})
        self.config = make_config(protocol, rules, roster, source, clock)
        self.hands = hands
        self.decide = decide
        self.liars = dict(liars or {})
        session = self.config.session
        self.configs = {p.number: Config(session, self.liars.get(p.number, protocol), rules) for p in self.persons}
        self.seats = {p.number: self.seat(p) for p in self.persons}
        self.log: list[bytes] = []
        self.outcomes: list[Outcome] = []
        #: The sets of entries that were signed on one head and so may cross.
        self.batches: list[tuple[int, list[bytes]]] = []
        self.moments: list[dict[int, int]] = [self._lengths()]
        self.silent: set[int] = set()

    def seat(self, person: Person, log: Sequence[bytes] = (), journal: MemoryJournal | None = None) -> Seat:
        return Seat(
            self.configs[person.number],
            person.number,
            root=person.root,
            key=person.key,
            journal=person.journal if journal is None else journal,
            entropy=self.source,
            log=log,
        )

    def _lengths(self) -> dict[int, int]:
        return {p.number: len(p.journal.records) for p in self.persons}

    # --- Playing ---

    def order(self, data: bytes) -> Outcome | None:
        """The relay: one more entry for everybody. None where everybody refuses it: a seat at fault has no word."""
        (outcome,) = {self._received(seat, data) for seat in self.honest}
        if outcome is None:
            return None
        for liar in self.liars.keys() & self.seats.keys():
            # It believes its lies, so it may not understand what the others do once it is out.
            with suppress(EntryRefused):
                self.seats[liar].receive(data)
        self.log.append(data)
        self.outcomes.append(outcome)
        self.moments.append(self._lengths())
        return self.outcomes[-1]

    def _received(self, seat: Seat, data: bytes) -> Outcome | None:
        try:
            return seat.receive(data).outcome
        except EntryRefused:
            if self.signer(data) not in seat.replica.state.expelled:
                raise
            return None

    def due(self) -> list[bytes]:
        """What all seats have to say on the log as it is."""
        sent: list[bytes] = []
        for seat in self.seats.values():
            if seat.number in self.silent | self.found_out:
                continue
            # First it looks what is true: a fault may have ended the hand.
            seat.replica.settle()
            seat.stays = seat.replica.state.hand.number < self.hands
            sent += seat.answer_duties()
        return sent

    def decided(self) -> list[bytes]:
        """What persons decide on the log as it is."""
        sent: list[bytes] = []
        for seat in self.seats.values():
            for duty in seat.open_duties if seat.number not in self.silent | self.found_out else ():
                if duty.choice and (data := self.decide(seat, duty)) is not None:
                    sent.append(data)
        return sent

    def step(self) -> list[bytes]:
        """One batch: what everybody says at once."""
        batch = self.due() or self.decided() or self.due()
        if batch:
            self.moments[-1] = self._lengths()
            self.batches.append((len(self.log), batch))
        return batch

    def play(self, until: Callable[[Game], bool] | None = None) -> Game:
        """Play to the end, or until `until`, asked after each entry, says so."""
        while batch := self.step():
            for data in batch:
                self.order(data)
                if until is not None and until(self):
                    return self
        return self

    # --- Looking ---

    @property
    def state(self) -> TableState:
        """The table as an honest seat sees it that is there."""
        return next(seat for seat in self.honest if seat.number not in self.silent).replica.state

    @property
    def found_out(self) -> frozenset[int]:
        """The liars that have no word any more."""
        return self.state.expelled & self.liars.keys()

    @property
    def honest(self) -> list[Seat]:
        """The seats that run the protocol as it is: a liar's own replica believes its lies."""
        return [seat for seat in self.seats.values() if seat.number not in self.liars]

    def digests(self) -> set[bytes]:
        for seat in self.honest:
            seat.replica.settle()
        return {seat.replica.digest() for seat in self.honest}

    def replica(self, height: int | None = None, *, eager: bool = True) -> Replica:
        """A spectator that has the log up to a height."""
        replica = Replica(self.config, entropy=self.source, eager=eager)
        for data in self.log[:height]:
            replica.append(data)
        return replica

    def tape(self, seat: int, hand: int = 0) -> Tape:
        return self.persons[seat].tape(self.config.session.id, hand)

    def journal_at(self, seat: int, height: int) -> MemoryJournal:
        """The disk of a seat as it was when the log had this height."""
        return journal_of(self.persons[seat].journal.records[: self.moments[height][seat]])

    def signer(self, data: bytes) -> int:
        return read_entry(data).entry.seat

    def by_hand(self, seat: int, body: Body | bytes, replica: Replica, **changes: Any) -> bytes:
        """An entry that no honest program would write, with a good signature."""
        raw = body if isinstance(body, bytes) else encode(body)
        key = self.persons[seat].key
        fields: dict[str, Any] = {
            "session": self.config.session.id,
            "roster": replica.state.roster.digest,
            "hand": replica.state.hand.number,
            "seat": seat,
            "seq": replica.count_signed_by(key.public),
            "seen": replica.head,
        }
        return sign_entry(key, Entry(**(fields | changes), body=msgspec.Raw(raw)))


class Table(Game):
    """A table that can be stopped between any two entries. What was signed and is not in the log yet is `pending`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.pending: list[bytes] = []

    def next(self) -> bytes | None:
        """The next entry, which is then no longer pending."""
        self.pending = self.pending or self.step()
        return self.pending.pop(0) if self.pending else None

    def play(self, until: Callable[[Game], bool] | None = None) -> Table:
        while (data := self.next()) is not None:
            self.order(data)
            if until is not None and until(self):
                return self
        return self

    @property
    def present(self) -> list[Seat]:
        return [seat for seat in self.seats.values() if seat.number not in self.silent]


def journal_of(records: Iterable[Record]) -> MemoryJournal:
    journal = MemoryJournal()
    for record in records:
        journal.write(record)
    return journal


def forked(replica: Replica) -> Replica:
    """The same replica once more: its states are immutable, so only its lists need copying."""
    twin = copy.copy(replica)
    for name, value in vars(replica).items():
        if isinstance(value, list | dict | deque):
            setattr(twin, name, copy.copy(value))
    twin._signed = {key: list(entries) for key, entries in replica._signed.items()}
    return twin


def resigned(data: bytes, key: Identity, change: Callable[[dict[str, Any]], None]) -> bytes:
    """An entry with something changed in it, signed again by its own seat."""
    entry = json.loads(bytes(read_entry(data).signed))
    change(entry)
    return signed_json(entry, key)


def signed_json(entry: dict[str, Any], key: Identity) -> bytes:
    """Any JSON, signed as if it were an entry."""
    raw = json.dumps(entry, separators=(",", ":"), ensure_ascii=False).encode()
    return b'{"entry":' + raw + b',"signature":' + encode(key.sign(raw)) + b"}"


def stands(game: Game, phase: Phase) -> bool:
    """Whether the table is in this phase. A function, so that a type checker does not believe that it stays there."""
    return game.state.phase is phase


def statement(replica: Replica, *seats: int) -> Without:
    """A statement that names everything that these seats owe now and others wait for."""
    owed = [id for id, known in replica.state.duties.open.items() if known.duty.seat in seats and known.is_blocking]
    return Without(tuple(sorted(owed)))


def refusal(replica: Replica, data: bytes) -> NodealerError | Outcome:
    """What a replica makes of an entry, on a twin, so that the replica itself is as before."""
    try:
        return forked(replica).append(data).outcome
    except NodealerError as error:
        return error
