"""What comes in together is looked at as one, and nothing else is different: said, told and blamed as one by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw, structs

from conformance.clear import ClearProtocol, bad_proof
from conformance.games import TinyRules
from engine.circle import Circle, shows_if_even, votes
from nodealer.engine.bodies import Begin, Cards, Move, Word, read_body
from nodealer.engine.commands import (
    ComeBack,
    Command,
    EndGame,
    LeaveHand,
    LeaveTable,
    RequestSeat,
    SitOut,
    VoteAbort,
    WriteNote,
)
from nodealer.engine.frame_result import Received, Silenced
from nodealer.engine.inbox import EntryBatch
from nodealer.engine.prompts import Options
from nodealer.engine.replica import Applied, Replica
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import IllegalMove, ProofRejected
from nodealer.group import group
from nodealer.log.entry import read_entry, sign_entry
from nodealer.proofs.checks import settle
from nodealer.wire import encode
from sampling import times

#: Who listens, and who lies.
LISTENS, LIES = 2, 1


@dataclass(frozen=True)
class Heard:
    """What somebody said and was told, with the frame of the log that an entry saw, and how it ended."""

    said: list[bytes]
    told: list[object]
    kept: list[bytes]
    digest: bytes
    faults: list[tuple[int, int | None]]
    silenced: str | None


def hear(
    circle: Circle,
    frames: Sequence[tuple[int, bytes]],
    together: Collection[int],
    asked: Collection[int] = (),
    rests: Collection[int] = (),
) -> Heard:
    """Somebody who plays hears these frames from the beginning; after those in `together` it knows that more comes,
    after those in `asked` it is asked something, and after those in `rests` nothing more comes for a while."""
    home = circle.homes[LISTENS]
    fresh = MemoryPlayerStore(home.name, home.identity, home.root)
    one = circle.sit(fresh)
    said, steps = one.resend(), list[Received]()
    for at, (number, frame) in enumerate(frames):
        steps.append(one.receive(frame, number, more=at in together))
        if at in asked and one.has_session:
            steps.append(one.settle())
            one.options()
            # What is seen was looked at: nothing is left that could turn out to be false.
            before = one.replica.digest()
            one.replica.settle()
            assert one.replica.digest() == before
        if at in rests:
            steps.append(one.settle())
            assert one.is_settled
    steps.append(one.settle())
    said += [frame for step in steps for frame in step.send]
    told = [_told(happened) for step in steps for happened in step.happened]
    faults = [(fault.entry, fault.seat) for fault in one.replica.state.faults]
    return Heard(said, told, fresh.entries, one.replica.digest(), faults, one.silenced)


def _told(happened: object) -> object:
    if isinstance(happened, Applied):
        return happened.number, happened.outcome, happened.after.digest(), happened.events
    return happened


def begins(frames: Sequence[bytes]) -> int:
    """The first frame of the log."""
    return next(at for at, frame in enumerate(frames) if isinstance(body_of(frame), Begin))


def body_of(frame: bytes) -> object:
    try:
        return read_body(bytes(read_entry(frame).entry.body))
    except Exception:
        return None


@pytest.fixture(scope="module", params=["honest", "a false proof"])
def circle(request: pytest.FixtureRequest) -> Circle:
    """A hand up to the first move, which a person would make."""
    made = Circle(4, hands=1, rules=TinyRules(deck_max=8))
    if request.param != "honest":
        lying = ClearProtocol(group(), lies={(LIES, "key"): bad_proof})
        made.people[LIES] = made.sit(made.homes[LIES], parts=lambda proposal: (lying, made.rules, None))
    made.play(decide=lambda one: [] if one.seat.number == LIES else shows_if_even(one) or votes(one))
    first = next((at for at, frame in enumerate(made.frames) if isinstance(body_of(frame), Move)), len(made.frames))
    del made.frames[first:]
    return made


def test_any_grouping_is_as_one_by_one(circle: Circle, monkeypatch: pytest.MonkeyPatch) -> None:
    frames, sums = list(enumerate(circle.frames)), [0]

    def counted(*arguments: object) -> None:
        sums[0] += 1
        settle(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("nodealer.engine.replica.settle", counted)
    alone = hear(circle, frames, ())
    one_by_one, sums[0] = sums[0], 0
    liar = circle.people[LIES].seat.number
    assert alone.silenced is None and {seat for _, seat in alone.faults} <= {liar}
    first, last = begins(circle.frames), len(frames)
    assert hear(circle, frames, range(last)) == alone
    # A false one costs the sum of all before each is looked at alone.
    assert sums[0] < one_by_one or alone.faults
    groupings = [range(start, start + size) for size in (1, 2, 3, 5, last) for start in range(first, last)]
    for together in groupings[:: max(1, len(groupings) // times(12, deep=10_000))]:
        assert hear(circle, frames, together) == alone
    assert hear(circle, frames, range(first, last, 2)) == alone


@given(data=st.data())
@settings(max_examples=times(12, deep=300), deadline=None)
def test_whoever_asks_in_between_changes_nothing(circle: Circle, data: st.DataObject) -> None:
    """Any grouping, with questions and pauses anywhere: the same is said, told, kept and blamed."""
    frames = list(enumerate(circle.frames))
    places = st.sets(st.integers(begins(circle.frames), len(frames) - 1))
    together, asked, rests = data.draw(places), data.draw(places), data.draw(places)
    assert hear(circle, frames, together, asked, rests) == hear(circle, frames, ())


def test_a_group_is_not_endless(circle: Circle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who goes on and on saying what needs no answer does not keep a liar from being named."""
    longest = [0]

    class Counted(EntryBatch):
        def take(self, data: bytes) -> bool:
            taken = super().take(data)
            longest[0] = max(longest[0], self.size)
            return taken

    monkeypatch.setattr("nodealer.engine.participant.EntryBatch", Counted)
    frames = list(enumerate(circle.frames))
    alone = hear(circle, frames, ())
    for most in (1, 2, 3):
        monkeypatch.setattr("nodealer.engine.participant.TOGETHER_MAX", most)
        longest[0] = 0
        assert hear(circle, frames, range(len(frames))) == alone
        assert longest[0] == most


@pytest.mark.parametrize("together", [False, True])
def test_somebody_else_who_signs_for_a_seat_is_noticed(circle: Circle, together: bool) -> None:
    """An entry with a number under which this seat has said something else, which is not in the log yet."""
    home = circle.homes[LISTENS]
    one = circle.sit(MemoryPlayerStore(home.name, home.identity, home.root))
    key, said = home.identity.public, one.resend()
    for number, frame in enumerate(circle.frames):
        if one.has_session and isinstance(body_of(frame), Cards):
            entry = read_entry(frame).entry
            if one.replica.state.roster.member(entry.seat).key == key:
                break
        said += one.receive(frame, number, more=together).send
    assert frame in said and not one.is_over
    foreign = sign_entry(home.identity, structs.replace(entry, body=Raw(encode(Word("not mine")))))
    step = one.receive(foreign, number, more=together)
    reasons = [happened.reason for happened in step.happened if isinstance(happened, Silenced)]
    assert reasons == [one.silenced] and "not in its journal" in reasons[0]


@pytest.mark.parametrize("first", [0, 1])
def test_an_old_copy_signs_nothing_between_frames_that_came_too_soon(circle: Circle, first: int) -> None:
    """All frames of the table wait for one of the first: what this seat has signed is among them, further on."""
    home = circle.homes[LISTENS]
    old = MemoryPlayerStore(home.name, home.identity, home.root)
    one, frames = circle.sit(old), list(enumerate(circle.frames))
    one.resend(len(frames))
    late = [*frames[:first], *frames[first + 1 :], frames[first]]
    steps = [one.receive(frame, number, more=True) for number, frame in late]
    steps.append(one.settle())
    assert old.journal.records == () and "not in its journal" in (one.silenced or "")
    assert not one.is_catching_up and steps[-1].send == ()


def test_an_old_copy_that_has_what_it_signed_at_hand_signs_nothing_else(circle: Circle) -> None:
    """It has heard all that the table had when it came. Then what it answers comes together with the answer, which it
    has signed before: from the home that it is an old copy of, and that was still on its way."""
    key = circle.homes[LISTENS].identity.public
    members = circle.people[LISTENS].replica.config.session.proposal.roster.members
    mine = next(member.seat for member in members if member.key == key)
    answers = [
        at for at, frame in enumerate(circle.frames) if isinstance(body_of(frame), Cards) and _seat(frame) == mine
    ]
    assert [answer for answer in answers if _signs_when_it_has_its_answer(circle, answer)] == []
    # In some of them it would have answered: with what it answers alone it does.
    assert [answer for answer in answers if _signs_when_it_has_its_answer(circle, answer, without=True)]


def test_an_old_copy_signs_nothing_at_a_false_proof_before_what_it_signed(circle: Circle) -> None:
    """A proof that was put off is false: what follows from that it would say now, with its own answer at hand."""
    home, first = circle.homes[LISTENS], begins(circle.frames)
    tried = 0
    for end in range(first + 1, len(circle.frames) + 1):
        old = MemoryPlayerStore(home.name, home.identity, home.root)
        one = circle.sit(old)
        one.resend(0)
        for number, frame in enumerate(circle.frames[:end]):
            one.receive(frame, number, more=True)
        if one.is_settled:
            continue
        log, mine, records = circle.frames[first:end], LISTENS, old.journal.records
        signed = sum(_seat(frame) == mine for frame in log)
        entry = structs.replace(
            read_entry(log[0]).entry,
            seat=mine,
            seq=signed,
            seen=one.replica.head,
            body=Raw(encode(Word("said there"))),
        )
        steps = one.receive(sign_entry(home.identity, entry), end, more=True), one.settle()
        assert "not in its journal" in (one.silenced or "")
        assert old.journal.records == records and not any(step.send for step in steps)
        tried += 1
    assert tried


COMMANDS: tuple[Command, ...] = (
    LeaveHand(),
    LeaveTable(),
    EndGame(),
    SitOut(),
    ComeBack(),
    RequestSeat(),
    VoteAbort(),
    WriteNote("x"),
)


def test_nothing_builds_on_what_is_not_looked_at_yet(circle: Circle) -> None:
    """Until it settles it signs nothing, shows nothing and changes its mind about nothing."""
    home, tried = circle.homes[LISTENS], 0
    fresh = MemoryPlayerStore(home.name, home.identity, home.root)
    one = circle.sit(fresh)
    one.resend(0)
    for number, frame in enumerate(circle.frames):
        step = one.receive(frame, number, more=True)
        if one.is_settled:
            continue
        tried += 1
        records = fresh.journal.records
        assert step == Received() and one.options() == Options() and one.question() is None
        for act in (one.view, one.resend, one.outgoing):
            with pytest.raises(IllegalMove, match="not verified yet"):
                act()
        for command in COMMANDS:
            with pytest.raises(IllegalMove, match="not verified yet"):
                one.command(command)
        assert not one.sits_out and fresh.journal.records == records
    one.settle()
    assert tried and one.is_settled and one.settle() == Received()


def _seat(frame: bytes) -> int:
    return read_entry(frame).entry.seat


def _signs_when_it_has_its_answer(circle: Circle, answer: int, *, without: bool = False) -> bool:
    """Whether it signs anything when an answer of its own comes just before what it answers; or that alone."""
    home = circle.homes[LISTENS]
    old = MemoryPlayerStore(home.name, home.identity, home.root)
    one, asks = circle.sit(old), answer - 1
    one.resend(0)
    for number, frame in enumerate(circle.frames[:asks]):
        one.receive(frame, number, more=True)
    one.settle()
    records, entry = old.journal.records, read_entry(circle.frames[answer]).entry
    if not without:
        other = structs.replace(entry, body=Raw(encode(Word("said from the other copy"))))
        one.receive(sign_entry(home.identity, other), answer, more=True)
    one.receive(circle.frames[asks], asks, more=True)
    one.settle()
    assert without or "not in its journal" in (one.silenced or "")
    return old.journal.records != records


def test_any_order_of_arrival_is_the_order_of_the_log(circle: Circle) -> None:
    """Frames of others that come before those they follow wait for them."""
    frames, own = list(enumerate(circle.frames)), circle.people[LISTENS].replica.config.session.proposal.roster
    number = next(member.seat for member in own.members if member.key == circle.homes[LISTENS].identity.public)
    swapped, at = frames[: begins(circle.frames)], begins(circle.frames)
    while at < len(frames):
        pair = frames[at : at + 2]
        others = all(read_entry(frame).entry.seat != number for _, frame in pair)
        swapped += reversed(pair) if others else pair
        at += 2
    assert swapped != frames
    together, alone = hear(circle, swapped, range(len(frames))), hear(circle, swapped, ())
    assert (together.kept, together.digest, together.faults) == (alone.kept, alone.digest, alone.faults)


def test_a_table_in_one_process_has_fewer_sums_and_the_same_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has nothing to say waits for what is coming; the frames are the same."""

    def played(together: bool) -> tuple[list[bytes], set[bytes], int]:
        sums = [0]

        def counted(*arguments: object) -> None:
            sums[0] += 1
            settle(*arguments)  # type: ignore[arg-type]

        class Grouped(Circle):
            more = False

            def step(self) -> bool:
                self.more = together and len(self.waiting) > 1
                return super().step()

            def expects_more(self, place: int) -> bool:
                return self.more

        with monkeypatch.context() as patch:
            patch.setattr("nodealer.engine.replica.settle", counted)
            made = Grouped(4, hands=1, rules=TinyRules(deck_max=8)).play()
        return made.frames, made.digests(), sums[0]

    alone, grouped = played(False), played(True)
    assert grouped[:2] == alone[:2] and grouped[2] < alone[2]


def test_a_false_check_is_raised_where_the_table_does_not_go_back(circle: Circle) -> None:
    one = circle.people[0].replica
    again = Replica(one.config, entropy=circle.source, eager=False)
    again.rewinds = False
    for frame in circle.frames[begins(circle.frames) :]:
        try:
            again.append(frame)
        except ProofRejected as rejected:
            assert one.state.faults and rejected.seat == one.state.faults[0].seat
            return
    if one.state.faults:
        with pytest.raises(ProofRejected):
            again.settle()
