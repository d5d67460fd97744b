"""A replica that follows a log without its signatures and proofs, and writes a script of every hand.

It applies every rule, and computes the same state as any replica does, for a log that is right: it leaves out what only
tells a right log from a false one, and arithmetic whose result nobody looks at. What it leaves out, `check_script`
checks, from the scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, cast

from nodealer.audit.lazy import LazyGroup
from nodealer.audit.scripts import Answered, Asked, Made, Script, outcome_of, table_facts
from nodealer.cards import Card, Event, Operation, Places
from nodealer.errors import LogBroken
from nodealer.group import Group, Points, Scalars
from nodealer.log.entry import Arrival
from nodealer.log.roster import Roster
from nodealer.log.session import Session
from nodealer.play.config import config_of
from nodealer.play.replica import Outcome, Replica
from nodealer.play.state import Config, Phase, TableState
from nodealer.proofs.checks import Check
from nodealer.proofs.transcript import Context, Trace, Transcript
from nodealer.protocols.base import CardProtocol, Claims, Deck, Duty, Step, Table
from nodealer.tape import Item, Tape


class NotInParts(Exception):
    """Something rare that only a whole audit judges: a seat that leaves, a dispute, another roster."""


# --- Proofs that are not looked at ---


class _NoTranscript(Transcript):
    def absorb(self, label: str, *items: Item) -> None:
        pass

    def absorb_points(self, label: str, *arrays: Points) -> None:
        pass

    def challenges(self, label: str, group: Group, count: int) -> Scalars:
        return group.integers([1] * count)


class _NoContext(Context):
    def transcript(self, trace: Trace | None = None) -> Transcript:
        return _NoTranscript(self.seat)


class _SkimmedTable(Table):
    def context(self, *, deck: int, epoch: int, step: str, seat: int) -> Context:
        return _NoContext(**_values(super().context(deck=deck, epoch=epoch, step=step, seat=seat)))


@dataclass(frozen=True)
class _SkimmedConfig(Config):
    def table(self, hand: int, roster: Roster, seats: tuple[int, ...]) -> Table:
        return _SkimmedTable(**_values(super().table(hand, roster, seats)))


def _values(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


# --- Decks that write down what is done to them ---


class _Writer:
    """The script of the hand that is played."""

    def __init__(self) -> None:
        self.entry = 0
        self.begin()

    def begin(self) -> None:
        self.script = Script(self.entry)
        self.decks: dict[int, Deck] = {}
        self.events: list[Event] = []

    def finish(self, last: int) -> Script:
        script = self.script
        script.last, script.outcome = last, outcome_of(self.decks, self.events)
        self.entry = last
        self.begin()
        return script

    def took(self, number: int, step: Step) -> Step:
        self.decks[number] = step.deck
        self.events += step.events
        return replace(step, deck=_WrittenDeck(number, step.deck, self))


class _WrittenDeck:
    def __init__(self, number: int, deck: Deck, writer: _Writer) -> None:
        self._number, self._deck, self._writer = number, deck, writer

    @property
    def places(self) -> Places:
        return self._deck.places

    @property
    def duties(self) -> tuple[Duty, ...]:
        return self._deck.duties

    def request(self, operation: Operation) -> Step:
        step = self._deck.request(operation)
        self._writer.script.steps.append(Asked(self._number, operation))
        return self._writer.took(self._number, step)

    def apply(self, duty: Duty, message: bytes) -> Step:
        step = self._deck.apply(duty, message)
        self._writer.script.steps.append(Answered(self._number, self._writer.entry, duty.id))
        return self._writer.took(self._number, step)

    def digest(self) -> bytes:
        return self._deck.digest()

    def without(self, seats: tuple[int, ...]) -> Step | None:
        raise NotInParts

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        raise NotInParts

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        raise NotInParts


class _WrittenProtocol:
    def __init__(self, inner: CardProtocol, writer: _Writer) -> None:
        self._inner, self._writer = inner, writer
        self.claims: Claims = inner.claims
        self.parameters, self.group = inner.parameters, inner.group

    def new_deck(self, table: Table, deck: int, size: int, owner: int | None) -> Deck:
        made = self._inner.new_deck(table, deck, size, owner)
        self._writer.script.steps.append(Made(deck, size, owner, table_facts(table)))
        self._writer.decks[deck] = made
        return _WrittenDeck(deck, made, self._writer)


class OnHand(Protocol):
    """Takes the script of a hand that is over."""

    def __call__(self, script: Script, /) -> None: ...


class Skimmer(Replica):
    """Follows a log and gives a script for each hand. Every entry is in exactly one of them."""

    def __init__(self, session: Session, on_hand: Callable[[Script], None]) -> None:
        self._writer, self._on_hand = _Writer(), on_hand
        real = config_of(session)
        lazy = config_of(session, cast(Group, LazyGroup(real.protocol.group)))
        protocol = _WrittenProtocol(lazy.protocol, self._writer)
        super().__init__(_SkimmedConfig(session, protocol, lazy.rules), entropy=_no_entropy, eager=False)

    def append(self, data: bytes) -> Outcome:
        self._writer.entry, hand = self.height, self.state.hand
        outcome = super().append(data)
        if self.state.phase in (Phase.BOOKS, Phase.STOPPED) or self.state.proposals:
            raise NotInParts
        if self.state.hand > hand:
            self._on_hand(self._writer.finish(self.height))
        return outcome

    def finish(self) -> None:
        """The log is over: what is left is a script too."""
        self._on_hand(self._writer.finish(self.height))

    def _authenticate(self, arrival: Arrival) -> None:
        if arrival.entry.seat not in self.state.roster.seats or arrival.entry.session != self.config.session.id:
            raise LogBroken("an entry of another table")

    def _owe(self, number: int, before: TableState, checks: Sequence[Check]) -> None:
        pass


def _no_entropy(size: int) -> bytes:
    raise NotInParts
