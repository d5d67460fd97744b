"""State machines: the log, the relay's core, a participant and a deck of each protocol, against anything in any order.

Hypothesis draws what happens next, and looks for the shortest way to what must not be. A machine knows what is right by
a model that is simpler than the code: a list, a set, or the same thing done once more from the beginning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from conformance.harness import Source, forked
from engine.circle import Circle, shows_if_even
from fuzz import played
from fuzz.mutator import Mutator
from nodealer.cards.operations import Card, Deal, Open, Operation, Place, Portion, Return, Show
from nodealer.engine.replica import Outcome, Replica
from nodealer.errors import BadParameter, BadSignature, Malformed, PeerError, PeerFault
from nodealer.group import group
from nodealer.proofs.checks import settle
from nodealer.protocols import PROTOCOLS, make_protocol
from nodealer.protocols.base import Deck, DeckChange, Duty
from nodealer.relay.limits import RelayLimits
from nodealer.relay.permissions import (
    EndedRecord,
    MadeRecord,
    PermissionRecord,
    ReachedRecord,
    Refusal,
    RekeyedRecord,
    TablePermissions,
    check_frame,
    encode_record,
    permissions_of,
)
from nodealer.tape import Tape
from protocols.decks import binding
from sampling import times

SEEDS: Final = st.integers(0, 2**32)


def tried(
    machine: type[RuleBasedStateMachine],
    examples: int,
    deep: int,
    steps: int = 15,
    phases: Collection[Phase] = tuple(Phase),
) -> None:
    checked = settings(
        phases=phases,
        max_examples=times(examples, deep=deep),
        stateful_step_count=times(steps, deep=3 * steps),
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=checked)


# --- The log ---


class LogMachine(RuleBasedStateMachine):
    """A replica that hears the honest entries of a game, each some time, and everything else in between."""

    @initialize()
    def begin(self) -> None:
        self.game = played.game("mask")
        self.eager = self.game.replica(0)
        self.lazy = Replica(self.game.config, entropy=Source("lazy"), eager=False)
        self.height = 0
        self.marks: list[tuple[Any, int]] = []

    @precondition(lambda self: self.height < len(self.game.log))
    @rule()
    def next(self) -> None:
        for replica in (self.eager, self.lazy):
            assert replica.append(self.game.log[self.height]).outcome is Outcome.ACCEPTED
        self.height += 1

    @precondition(lambda self: self.height)
    @rule(at=SEEDS)
    def again(self, at: int) -> None:
        """What is in the log comes once more: it is no second entry."""
        data = self.game.log[at % self.height]
        with suppress(PeerError):
            assert self.eager.append(data).outcome is Outcome.REPEATED

    @rule(seed=SEEDS)
    def false(self, seed: int) -> None:
        """Something else, signed by a seat: refused, and then as if it had not been, or a fault of that seat."""
        data = played.signed_again(self.game, Mutator(f"log {seed}", self.game.log, 1 << 14).next())
        twin, before = forked(self.eager), self.eager.digest()
        try:
            outcome = twin.append(data).outcome
        except (PeerError, BadSignature, Malformed):
            assert twin.digest() == before
        else:
            assert outcome is not Outcome.FAULT or twin.state.expelled == {self.game.signer(data)}

    @rule()
    def remember(self) -> None:
        self.marks.append((self.lazy.checkpoint(), self.height))

    @precondition(lambda self: self.marks)
    @rule()
    def go_back(self) -> None:
        """To the last mark, and on again to where the other one is."""
        mark, height = self.marks.pop()
        self.lazy.roll_back(mark)
        for data in self.game.log[height : self.height]:
            self.lazy.append(data)

    @invariant()
    def is_the_log(self) -> None:
        if hasattr(self, "eager"):
            assert self.eager.entries == self.game.log[: self.height]
            self.lazy.settle()
            assert self.eager.digest() == self.lazy.digest() == played.replicas("mask")[self.height].digest()


# --- The relay's core ---


class RelayMachine(RuleBasedStateMachine):
    """The notes of a table. The model: who has ever been named by whom, and who has written."""

    @initialize()
    def begin(self) -> None:
        self.notes: list[bytes] = []
        #: Token to the token of whoever named it.
        self.named: dict[bytes, bytes | None] = {b"0" * 32: None}
        self.current = b"0" * 32
        self.put(MadeRecord(writer(self.current)))

    def put(self, note: PermissionRecord) -> None:
        self.notes.append(encode_record(note))

    @property
    def standing(self) -> TablePermissions:
        rules = permissions_of(self.notes)
        assert rules is not None
        return rules

    def counts(self, token: bytes) -> bool:
        """The one in use, and those whom it has named, or whom those have named."""
        at: bytes | None = token
        while at is not None and at != self.current:
            at = self.named[at]
        return at == self.current

    @rule(data=st.data(), token=st.binary(min_size=32, max_size=32))
    def rekey(self, data: st.DataObject, token: bytes) -> None:
        """Somebody who may write names another writer. Who may not is not heard by the relay."""
        by = data.draw(st.sampled_from(sorted(self.named)))
        epoch = self.standing.epoch_of(by)
        assert (epoch is not None) == self.counts(by)
        if epoch is not None and token not in self.named:
            self.put(RekeyedRecord(writer(token), epoch))
            self.named[token] = by

    @rule(data=st.data())
    def write(self, data: st.DataObject) -> None:
        """A frame by a later key ends all others but those that it names."""
        by = data.draw(st.sampled_from(sorted(self.named)))
        epoch = self.standing.epoch_of(by)
        if epoch is None:
            assert not self.counts(by)
            return
        self.put(ReachedRecord(epoch))
        self.current = by

    @rule(epoch=st.integers(0, 50), by=st.integers(0, 50))
    def nonsense(self, epoch: int, by: int) -> None:
        """Notes that a crashed relay could have put down twice or too late change nothing."""
        before = self.standing
        self.put(ReachedRecord(min(epoch, before.reached)))
        self.put(MadeRecord(writer(b"x")))
        self.put(RekeyedRecord(before.writers[0], by))
        assert self.standing == before

    @rule()
    def end(self) -> None:
        self.put(EndedRecord())
        assert self.standing.ended

    @rule(size=st.integers(-1, 1 << 23), frames=st.integers(0, 1 << 21), total=st.integers(0, 1 << 33))
    def frame(self, size: int, frames: int, total: int) -> None:
        limits = RelayLimits()
        fits = 0 < size <= limits.frame_bytes and frames < limits.frames_per_table
        fits = fits and total + size <= limits.bytes_per_table
        try:
            check_frame(limits, self.standing, self.standing.reached, size, frames=frames, total=total)
        except Refusal:
            assert not fits
        else:
            assert fits

    @invariant()
    def only_those_who_count_may_write(self) -> None:
        if hasattr(self, "notes"):
            rules = self.standing
            for token in self.named:
                epoch = rules.epoch_of(token)
                assert (epoch is not None) == self.counts(token) == rules.can_write(epoch)
            assert rules.epoch_of(b"?" * 32) is None and not rules.can_write(None)


def writer(token: bytes) -> bytes:
    return hashlib.sha512(token).digest()


# --- A participant ---


class GroupedCircle(Circle):
    """A circle in which some know that more comes with each frame."""

    together: frozenset[int] = frozenset()

    def expects_more(self, place: int) -> bool:
        return place in self.together

    def settle(self) -> None:
        """Nothing more comes for a while."""
        for one in self.people:
            self.waiting.extend(one.settle().send)


class ParticipantMachine(RuleBasedStateMachine):
    """A table at play: frames are carried one by one or come in together, anybody is killed and comes back, and junk
    comes in between."""

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        self.circle = GroupedCircle(2, hands=1, seed=f"machine {seed}")
        self.circle.agree()

    @rule(count=st.integers(1, 8))
    def carry(self, count: int) -> None:
        """The next frames; where there are none, somebody decides something."""
        for _ in range(count):
            if not self.circle.step():
                self.circle.settle()
                for one in self.circle.people:
                    self.circle.waiting.extend(shows_if_even(one) if one.has_seat else ())

    @rule(place=st.integers(0, 2), more=st.booleans())
    def together(self, place: int, more: bool) -> None:
        """From now on one of them knows that more comes with each frame; or does not."""
        which = {place % len(self.circle.people)}
        self.circle.together = self.circle.together | which if more else self.circle.together - which

    @rule(place=st.integers(0, 2), seed=SEEDS, ago=st.integers(1, 9))
    def junk_again(self, place: int, seed: int, ago: int) -> None:
        """For one of them, under a number that it has heard."""
        one, frames = self.circle.people[place], self.circle.frames
        heard, more = max(0, len(frames) - ago), self.circle.expects_more(place)
        one.receive(Mutator(f"junk {seed}", frames, 1 << 13).next(), heard, more=more)
        self.circle.settle()
        one.options(), one.resend()

    @rule(seed=SEEDS)
    def junk(self, seed: int) -> None:
        """For all, in the order: whoever knows the table can say anything there."""
        self.circle.waiting.appendleft(Mutator(f"junk {seed}", self.circle.frames, 1 << 13).next())
        self.circle.step()

    @rule(place=st.integers(0, 2))
    def killed(self, place: int) -> None:
        """It comes back with what it kept, hears everything again, and says again what is not in the order yet."""
        self.circle.bring_back(place)

    @invariant()
    def all_have_heard_the_same(self) -> None:
        if hasattr(self, "circle"):
            self.circle.settle()
            assert len(self.circle.digests()) == 1
            assert not any(one.silenced for one in self.circle.people)

    def teardown(self) -> None:
        """Whatever happened, the game can be played to its end."""
        if hasattr(self, "circle"):
            self.circle.together = frozenset()
            self.circle.settle()
            self.circle.play()
            assert all(one.is_over for one in self.circle.people) and len(self.circle.digests()) == 1


# --- Decks ---


#: Messages with hashes in them, of which any other is as good, until it is opened.
HASHED: Final = {("lock", "commit"), ("chain", "shuffle")}


class DeckMachine(RuleBasedStateMachine):
    """A deck with everybody's tape: any operation, any open duty next, and messages that are not honest."""

    protocol: str
    seats = 3
    size = 6

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        made = make_protocol(self.protocol)
        self.owner = 0 if self.protocol == "duel" else None
        seats = 2 if self.protocol == "duel" else self.seats
        identities = tuple((seat, Source(f"key {seat}")(32)) for seat in range(seats))
        table = replace(
            binding(self.protocol, group(), seats, session=Source(f"session {seed}")(32)), identities=identities
        )
        self.tapes = {seat: Tape(Source(f"{seed} {seat}")(32)) for seat in range(seats)}
        self.deck: Deck = made.new_deck(table, 0, self.size, self.owner)
        self.faces: dict[Card, int] = {}
        self.operations = made.claims.operations

    @property
    def open(self) -> list[Duty]:
        return [duty for duty in self.deck.duties if not duty.optional]

    def take(self, change: DeckChange) -> None:
        settle(list(change.checks), Source("weights"))
        self.deck = change.deck

    @precondition(lambda self: self.open)
    @rule(which=SEEDS, more=st.integers(0, 8))
    def speak(self, which: int, more: int) -> None:
        """Somebody who owes something says it; and often those after it."""
        for _ in range(1 + more):
            if duties := self.open:
                duty = duties[which % len(duties)]
                message = self.deck.message(duty, self.tapes[duty.seat])
                assert message == self.deck.message(duty, self.tapes[duty.seat])
                self.take(self.deck.apply(duty, message))

    @precondition(lambda self: self.open)
    @rule(which=SEEDS, seed=SEEDS)
    def lie(self, which: int, seed: int) -> None:
        """A message that is not honest is malformed or false, names its seat, and leaves the deck as it was."""
        duties, before = self.open, self.deck.digest()
        duty = duties[which % len(duties)]
        honest = self.deck.message(duty, self.tapes[duty.seat])
        data = Mutator(f"lie {seed}", [honest], 1 << 14).next()
        try:
            settle(list(self.deck.apply(duty, data).checks), Source("weights"))
        except Malformed:
            pass
        except PeerFault as fault:
            assert fault.seat == duty.seat
        else:
            assert data == honest or (self.protocol, duty.kind) in HASHED, "accepted, and not what an honest seat says"
        assert self.deck.digest() == before

    @precondition(lambda self: not self.open)
    @rule(seat=st.integers(0, 2), count=st.integers(1, 2), kind=st.sampled_from(["deal", "open", "show", "discard"]))
    def ask(self, seat: int, count: int, kind: str) -> None:
        """What a game could ask for next, or not: then it is said, and nothing changes."""
        seat %= len(self.tapes)
        before = self.deck.digest()
        try:
            change = self.deck.request(self.operation(kind, seat, count))
        except BadParameter:
            assert self.deck.digest() == before
        else:
            self.take(change)

    def operation(self, kind: str, seat: int, count: int) -> Operation:
        hidden = self.deck.places.only_hidden(self.deck.places.hand(seat))[:count]
        if kind == "deal":
            return Deal(0, (Portion(seat, count),))
        if kind == "open":
            return Open(0, count)
        return Show(0, seat, hidden) if kind == "show" else Return(0, hidden, Place.DISCARD)

    @invariant()
    def nobody_reads_a_card_twice_or_otherwise(self) -> None:
        if not hasattr(self, "deck") or self.open:
            return
        for seat, tape in self.tapes.items():
            known = dict(self.deck.knows(seat, tape))
            for card, face in known.items():
                assert self.faces.setdefault(card, face) == face
                holder = self.deck.places.holder(card.position)
                assert holder == seat or self.deck.places.face(card.position) == face or self.owner is not None
        assert len(set(self.faces.values())) == len(self.faces) and set(self.faces.values()) <= set(range(self.size))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_decks(protocol: str) -> None:
    machine = type(f"{protocol} deck", (DeckMachine,), {"protocol": protocol})
    tried(machine, 4, 200)


def test_log() -> None:
    tried(LogMachine, 6, 300, steps=25)


def test_relay_core() -> None:
    tried(RelayMachine, 30, 3000, steps=25)


def test_participant() -> None:
    tried(ParticipantMachine, 8, 300, steps=25)


def test_a_deck_that_can_be_lied_to_is_found() -> None:
    """The machine must be able to fail: a deck that takes what it cannot read."""

    class Gullible(DeckMachine):
        protocol = "mask"

        @rule(which=SEEDS)
        def believe(self, which: int) -> None:
            if duties := self.open:
                assert self.deck.message(duties[which % len(duties)], Tape(bytes(32))) == b""

    with pytest.raises(AssertionError):
        # That there is a way is enough here: the shortest is not looked for.
        tried(Gullible, 5, 5, phases=(Phase.generate,))
