"""A participant against everything that others send, in whatever order, and after any restart."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nodealer
from conformance.clear import ClearProtocol, bad_dealt_share, bad_proof
from conformance.games import TinyRules
from conformance.harness import NAMES, journal_of
from engine.circle import Circle, shows_if_even, votes
from nodealer.cards.operations import Look
from nodealer.engine import inbox
from nodealer.engine.bodies import Agree, Begin, Body, Break, Leave, Move, Propose, Without
from nodealer.engine.commands import (
    AgreeToRoster,
    AnswerQuestion,
    DeclineProposal,
    DisputeCard,
    LeaveHand,
    MakeMove,
    ProposeRoster,
    ProposeSession,
    VoteAbort,
    VoteSkip,
    WithdrawOffer,
)
from nodealer.engine.frame_result import Diverged, Silenced
from nodealer.engine.inbox import HELD_MAX, FrameInbox
from nodealer.engine.lobby_messages import (
    OfferGone,
    OfferMade,
    ProposalDeclined,
    ProposalDropped,
    ProposalMade,
    SessionAgreed,
)
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Options, Question
from nodealer.engine.replica import Applied, Outcome, Replica
from nodealer.engine.resolve import Parts
from nodealer.engine.rosters import proposal_id
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import BadParameter, Declined, IllegalMove, JournalLost
from nodealer.games.free import DealCards, Free, Shuffle
from nodealer.group import group
from nodealer.keys import Identity
from nodealer.log.entry import read_entry, sign_entry
from nodealer.log.roster import Roster, member_of, newcomer_signed_bytes
from nodealer.log.session import Part, Proposal
from nodealer.wire import LOG_ENTRIES_MAX, MESSAGE_BYTES_MAX, encode
from sampling import times

TRIES = settings(max_examples=times(6, deep=300), suppress_health_check=list(HealthCheck))


def copied(home: MemoryPlayerStore) -> MemoryPlayerStore:
    """The same home as it is now: what is written to either from here on is not in the other."""
    twin = copy.copy(home)
    twin.journal = journal_of(home.journal.records)
    twin.lobby, twin.entries = list(home.lobby), list(home.entries)
    return twin


def ended(circle: Circle) -> bool:
    return all(one.replica.state.phase is Phase.ENDED for one in circle.people)


@pytest.fixture(scope="module")
def played() -> Circle:
    """A whole game, undisturbed. Nobody may change anything in it."""
    circle = Circle().play()
    assert ended(circle) and len(circle.digests()) == 1
    return circle


def watcher(circle: Circle, home: MemoryPlayerStore | None = None) -> Participant:
    """Somebody new who looks on."""
    return circle.sit(home or MemoryPlayerStore(None, Identity(bytes(32)), bytes(32)))


def opening(circle: Circle) -> int:
    """How many frames the lobby has."""
    return next(number for number, frame in enumerate(circle.frames) if b'"nonce"' not in frame and frame in circle.log)


# --- Whatever others send ---


def deep(depth: int) -> bytes:
    return b'{"entry":' + b"[" * depth + b"]" * depth + b',"signature":"' + b"A" * 86 + b'=="}'


JUNK = (
    b"",
    b"{}",
    b"[]",
    b"null",
    b"\xff",
    b"[" * 100_000,
    deep(50),
    deep(500),
    deep(950),
    bytes(MESSAGE_BYTES_MAX + 1),
)


def mutated(data: st.DataObject, frame: bytes) -> bytes:
    kind = data.draw(st.sampled_from(["flip", "cut", "double", "number", "as it is"] if frame else ["as it is"]))
    at = data.draw(st.integers(0, max(0, len(frame) - 1)))
    if kind == "flip":
        return frame[:at] + bytes([frame[at] ^ data.draw(st.integers(1, 255))]) + frame[at + 1 :]
    if kind == "cut":
        return frame[:at]
    if kind == "double":
        return frame + frame[at:]
    if kind == "number":
        return frame.replace(b'"seat":%d' % data.draw(st.integers(0, 3)), b'"seat":%d' % data.draw(st.integers(0, 25)))
    return frame


@TRIES
@given(st.data())
def test_nothing_makes_it_raise(played: Circle, data: st.DataObject) -> None:
    """In the lobby and at the table, as a player and as somebody who watches, with numbers and without."""
    place, heard = data.draw(st.integers(0, 3)), data.draw(st.integers(0, len(played.frames)))
    home = played.homes[place]
    one = played.sit(MemoryPlayerStore(home.name, home.identity, home.root))
    numbered, number = data.draw(st.booleans()), 0
    for frame in played.frames[:heard]:
        one.receive(frame, number if numbered else None)
        number += 1
    for _ in range(data.draw(st.integers(1, 12))):
        frame = mutated(data, data.draw(st.sampled_from([*played.frames, *JUNK]))) or data.draw(st.binary(max_size=99))
        at = number + data.draw(st.sampled_from([0, 0, 0, -1, 1, 5, 10**9])) if numbered else None
        one.receive(frame, at)
        number += at == number
        one.options(), one.resend()
    if one.has_session:
        log = one.replica.entries
        assert log == played.log[: len(log)] or one.silenced or not numbered


def test_entries_of_another_session_change_nothing(played: Circle) -> None:
    """The same people with the same keys sign at another table."""
    other = Circle(4, hands=1).play()
    assert {member.key for member in played.people[0].members} < {member.key for member in other.people[0].members}
    one = watcher(played)
    for number, frame in enumerate([*played.frames[:30], *other.frames, *played.frames[30:]]):
        one.receive(frame, number)
    assert one.replica.digest() == played.people[0].replica.digest()


def test_how_deep_an_entry_nests_is_the_same_for_all() -> None:
    """A second entry with one number is a fault: whether it is an entry at all must not hang on anybody's stack."""
    circle = Circle().play(until=lambda circle: circle.people[0].replica.height > 5)
    first = read_entry(next(data for data in circle.log if read_entry(data).entry.seat == 2)).entry
    body = b'{"type":"move","duty":"' + b"A" * 43 + b'=","move":' + b"[" * 940 + b"]" * 940 + b"}"
    second = sign_entry(circle.homes[2].identity, msgspec.structs.replace(first, body=msgspec.Raw(body)))
    twin = watcher(circle)
    for number, frame in enumerate(circle.frames):
        twin.receive(frame, number)
    number = len(circle.frames)

    def further_down(levels: int) -> None:
        if levels:
            further_down(levels - 1)
        else:
            twin.receive(second, number)

    further_down(200)
    circle.people[0].receive(second, number)
    assert twin.replica.state.faults == circle.people[0].replica.state.faults == ()


# --- Numbers ---


@TRIES
@given(st.data())
def test_frames_repeated_too_soon_and_with_gaps(played: Circle, data: st.DataObject) -> None:
    numbers = list(range(len(played.frames)))
    for start in range(0, len(numbers), 8):
        numbers[start : start + 8] = data.draw(st.permutations(numbers[start : start + 8]))
    repeats = data.draw(st.lists(st.sampled_from(numbers), max_size=20))
    places = data.draw(st.lists(st.integers(0, len(numbers)), min_size=len(repeats), max_size=len(repeats)))
    for number, place in zip(repeats, places, strict=True):
        numbers.insert(place, number)
    one = watcher(played)
    for number in numbers:
        one.receive(played.frames[number], number)
    assert one.replica.digest() == played.people[0].replica.digest()


def test_more_frames_ahead_than_wait(played: Circle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "AHEAD_MAX", 3)
    one = watcher(played)
    for number in range(1, 9):
        assert one.receive(played.frames[number], number).happened == ()
    heard = one.receive(played.frames[0], 0).happened
    assert [type(news) for news in heard] == [OfferMade, OfferMade, OfferMade, ProposalMade], (
        "0 and the three that waited"
    )
    for number, frame in enumerate(played.frames):
        one.receive(frame, number)
    assert one.replica.digest() == played.people[0].replica.digest()


def test_frames_ahead_have_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "AHEAD_BYTES_MAX", 10)
    made = FrameInbox()
    for number, frame in ((1, bytes(4)), (2, bytes(7)), (1, bytes(4)), (3, bytes(6)), (4, b"x")):
        assert made.take(frame, number) == []
    assert made.take(b"", 0) == [b"", bytes(4)], "the second was too much, and those behind it wait"
    assert made.take(bytes(7), 4) == [] and made.take(bytes(4), 5) == [], "there is room for what came out"
    assert made.take(bytes(7), 2) == [bytes(7), bytes(6)]


def test_what_a_home_has_is_not_judged_again() -> None:
    made = FrameInbox()
    made.skip_stored([b"a", b"b"])
    frames = [b"x", b"b", b"a", b"x", b"a", b"b", b"c", b"a"]
    assert [made.take(frame, number) for number, frame in enumerate(frames)] == [[]] * 6 + [[b"c"], [b"a"]]
    assert made.next_number == 8 and not made.count_missing_stored


# --- Without numbers ---


def crossing(log: Sequence[bytes], heads: dict[bytes, int], early: int, late: int) -> bool:
    """Whether the later of two entries was signed before its seat had seen the earlier one."""
    return heads[read_entry(log[late]).entry.seen] <= early


def disordered(data: st.DataObject, circle: Circle) -> list[bytes]:
    """The entries of a game in another order, in which only those change places of which one had seen the other."""
    log = list(circle.log)
    replica = circle.people[0].replica
    heads = {head: height for height, head in enumerate(replica._heads)}
    places = list(range(len(log)))
    for _ in range(120):
        at = data.draw(st.integers(0, len(places) - 2))
        one, two = places[at : at + 2]
        if one > two or not crossing(log, heads, one, two):
            places[at : at + 2] = two, one
    return [log[place] for place in places]


@TRIES
@given(st.data())
def test_without_numbers_what_builds_on_something_waits_for_it(played: Circle, data: st.DataObject) -> None:
    one = watcher(played)
    for frame in played.frames[: opening(played)]:
        one.receive(frame)
    mixed = disordered(data, played)
    told = [news for frame in mixed for news in one.receive(frame).happened]
    assert one.replica.entries == played.log and one.replica.digest() == played.people[0].replica.digest()
    assert not any(isinstance(news, Diverged) for news in told)


def test_without_numbers_the_log_in_reverse(played: Circle) -> None:
    """As far as nothing crosses: one seat's entries, each built on the one before."""
    one = watcher(played)
    for frame in played.frames[: opening(played)]:
        one.receive(frame)
    for frame in played.log[:3]:
        one.receive(frame)
    chain = list[bytes]()
    replica = copy.copy(one.replica)
    base = watcher(played)
    for frame in [*played.frames[: opening(played)], *played.log[:3]]:
        base.receive(frame)
    for _ in range(6):
        chain.append(played.by_hand(0, Leave(), base.replica))
        base.receive(chain[-1])
    assert base.replica.height == 9 and replica.height == 3
    for frame in reversed(chain):
        assert one.replica.height == 3
        one.receive(frame)
    assert one.replica.digest() == base.replica.digest()


def test_without_numbers_more_than_waits_is_said() -> None:
    circle = Circle().agree()
    one = watcher(circle)
    for frame in circle.frames:
        one.receive(frame)
    replica = one.replica
    ahead = [circle.by_hand(0, Leave(), replica, seq=seq, seen=bytes(32)) for seq in range(1, HELD_MAX + 3)]
    told = [one.receive(frame).happened for frame in [*ahead[:-2], *ahead[:-2]]]
    assert not any(told)
    (said,) = one.receive(ahead[-2]).happened
    assert said == Diverged(0, bytes(32), replica.head)
    assert one.receive(ahead[-1]).happened == (), "once for each head"
    # Another seat has its own.
    other = circle.by_hand(1, Leave(), replica, seen=bytes(32))
    assert one.receive(other).happened == ()
    # And who was told the first one goes on.
    assert [news.outcome for news in one.receive(circle.waiting[0]).happened if isinstance(news, Applied)] == [
        Outcome.ACCEPTED
    ]


def test_without_numbers_what_waits_has_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    circle = Circle().agree()
    one = watcher(circle)
    for frame in circle.frames:
        one.receive(frame)
    ahead = [circle.by_hand(0, Leave(), one.replica, seq=seq, seen=bytes(32)) for seq in (1, 2, 3)]
    monkeypatch.setattr(inbox, "HELD_BYTES_MAX", len(ahead[0]) + len(ahead[1]))
    assert not any(one.receive(frame).happened for frame in ahead[:2])
    assert one.receive(ahead[2]).happened == (Diverged(0, bytes(32), one.replica.head),)
    # Another seat has its own.
    assert one.receive(circle.by_hand(1, Leave(), one.replica, seen=bytes(32))).happened == ()


# --- Two orders ---


def parted(circle: Circle) -> tuple[list[bytes], list[bytes], int]:
    """The frames of a game in two orders: two entries that crossed have changed places. And where."""
    log, frames = circle.log, circle.frames
    heads = {head: height for height, head in enumerate(circle.people[0].replica._heads)}
    for early in range(len(log) - 1):
        if crossing(log, heads, early, early + 1):
            at = frames.index(log[early])
            if frames[at + 1] == log[early + 1]:
                return frames, [*frames[:at], frames[at + 1], frames[at], *frames[at + 2 :]], at
    raise AssertionError("nothing crosses")


def test_two_orders_of_the_same_entries(played: Circle) -> None:
    here, there, at = parted(played)
    one, two = watcher(played), watcher(played)
    said = list[Diverged]()
    for number, (mine, other) in enumerate(zip(here, there, strict=True)):
        one.receive(mine, number)
        step = two.receive(other, number)
        said += [news for news in step.happened if isinstance(news, Diverged)]
        if number <= at + 1:
            assert not said
    assert said and len({(news.seat, news.theirs) for news in said}) == len(said)
    assert all(one.replica.has_seen(news.theirs) and not two.replica.has_seen(news.theirs) for news in said)
    assert all(two.replica.has_seen(news.ours) and not one.replica.has_seen(news.ours) for news in said)
    assert not two.replica.state.faults and not two.silenced


def test_two_orders_are_said_in_the_library() -> None:
    one, _, three = players = [nodealer.Player(name) for name in ("Ada", "Ben", "Cleo")]
    for frame in [frame for player in players for frame in player.hello()]:
        for player in players:
            player.receive(frame)
    waiting = one.propose()
    begun = list[bytes]()
    while waiting:
        frame = waiting.pop(0)
        for player in players:
            said = player.receive(frame)
            begun += [data for data in said if b'"begin"' in data]
            waiting += [data for data in said if b'"begin"' not in data]
    assert len(begun) == 3
    one.receive(begun[0]), one.receive(begun[1])
    three.receive(begun[1]), three.receive(begun[0])
    one.receive(begun[2]), three.receive(begun[2])
    (asked,) = one.shuffle(4)
    three.events()
    assert three.receive(asked) == [] and three.events() == [nodealer.events.Diverged("Ada")]
    assert three.receive(asked) == [] and three.events() == [], "once for each head"


# --- A hostile seat ---


def test_invented_heads_stop_nobody() -> None:
    circle = Circle(hands=1).agree()
    for number in reversed(range(2 * HELD_MAX)):
        circle.waiting.appendleft(circle.by_hand(2, Leave(), seen=bytes([number]) * 32, seq=100 + number))
        circle.waiting.appendleft(circle.by_hand(2, Leave(), seen=bytes([number]) * 32))
    circle.play()
    assert ended(circle) and len(circle.digests()) == 1 and not circle.people[0].replica.state.faults
    said = circle.told(Diverged)
    assert [news.theirs for news in said] == [bytes([number]) * 32 for number in range(HELD_MAX)]
    # Whoever says so much still leaves room for the others.
    head = bytes([7]) * 32
    late = circle.by_hand(1, Leave(), circle.people[1].replica, seen=head)
    step = circle.people[0].receive(late, len(circle.frames))
    assert step.happened == (Diverged(1, head, circle.people[0].replica.head),)


def test_a_second_entry_with_one_number() -> None:
    circle = Circle(hands=1).play(until=lambda circle: circle.people[0].replica.height > 6)
    first = read_entry(next(data for data in circle.log if read_entry(data).entry.seat == 2)).entry
    again = sign_entry(circle.homes[2].identity, msgspec.structs.replace(first, body=msgspec.Raw(encode(Leave()))))
    circle.waiting.append(again)
    circle.play(decide=lambda one: shows_if_even(one) or votes(one))
    state = circle.people[0].replica.state
    assert [fault.seat for fault in state.faults] == [2] and state.phase is Phase.ENDED
    assert len(circle.digests()) == 1
    assert circle.people[2].is_over and circle.people[2].options() == Options()
    with pytest.raises(IllegalMove):
        circle.people[2].command(LeaveHand())


class Hostile:
    """What a seat can sign that has no program but its key."""

    def __init__(self, circle: Circle, place: int) -> None:
        self.circle = circle
        self.place = place

    def frame(self, data: st.DataObject) -> bytes:
        kind = data.draw(st.sampled_from(["entry", "entry", "entry", "old", "junk"]))
        if kind == "old":
            return bytes(data.draw(st.sampled_from(self.circle.frames)))
        if kind == "junk":
            return bytes(data.draw(st.sampled_from(JUNK[:-1])))
        replica = self.circle.people[0].replica
        signed = replica.count_signed_by(self.circle.homes[self.place].identity.public)
        seq = max(0, signed + data.draw(st.sampled_from([0, 0, 0, 1, 1, 2, -1])))
        heads = [*replica._heads[-4:], replica._heads[0], bytes(32)]
        seen = data.draw(st.sampled_from(heads))
        hand = max(0, replica.state.hand.number + data.draw(st.sampled_from([0, 0, 0, 1, -1])))
        return self.circle.by_hand(self.place, self._body(data, replica), replica, seq=seq, seen=seen, hand=hand)

    def _body(self, data: st.DataObject, replica: Replica) -> Body | bytes:
        duties = sorted(replica.state.duties.open) or [bytes(32)]
        duty = data.draw(st.sampled_from(duties))
        roster = replica.state.roster
        smaller = Roster(tuple(member for member in roster.members if member.seat != 1))
        next_hand = replica.state.hand.number + data.draw(st.integers(0, 1))
        bodies: list[Body | bytes] = [
            Leave(),
            Without((duty,)),
            Break(duty),
            Begin(duty, bytes(32)),
            Move(duty, msgspec.Raw(b'{"show":true}')),
            Propose(smaller, ()),
            Agree(proposal_id(smaller, data.draw(st.integers(0, 2)), next_hand)),
            Agree(proposal_id(roster, data.draw(st.integers(0, 2)), next_hand)),
            b"{}",
        ]
        return data.draw(st.sampled_from(bodies))


@settings(TRIES, max_examples=times(7, deep=1000))
@given(st.data())
def test_all_who_hear_the_same_have_the_same_table(data: st.DataObject) -> None:
    """Whatever a hostile seat signs and whenever, and whoever was killed meanwhile and has heard all of it again."""
    circle = Circle(4, hands=2, rules=TinyRules(deck_max=8))
    hostile = Hostile(circle, 3)
    circle.agree()
    for _ in range(data.draw(st.integers(1, 25))):
        for _ in range(data.draw(st.integers(0, 6))):
            circle.step()
        if not circle.waiting:
            for one in circle.people:
                if one.has_seat:
                    circle.waiting.extend(shows_if_even(one) or votes(one))
        what = data.draw(st.sampled_from(["say", "say", "say", "kill", "roster"]))
        if what == "say":
            circle.waiting.appendleft(hostile.frame(data))
        elif what == "kill":
            circle.bring_back(data.draw(st.sampled_from([0, 1, 2, 4])))
        else:
            one = circle.people[data.draw(st.integers(0, 2))]
            with_fewer = Roster(tuple(m for m in one.replica.state.roster.members if m.seat != 1))
            with suppress(IllegalMove):
                circle.waiting.extend(one.command(ProposeRoster(with_fewer)))
    circle.play(decide=lambda one: shows_if_even(one) or votes(one))
    late = watcher(circle)
    for number, frame in enumerate(circle.frames):
        late.receive(frame, number)
    for place in data.draw(st.sets(st.sampled_from([0, 1, 2, 4]))):
        circle.bring_back(place)
    assert circle.digests(0, 1, 2, 4) == {late.replica.digest()}
    assert not any(circle.people[place].silenced for place in (0, 1, 2, 4))
    assert {fault.seat for fault in late.replica.state.faults} <= {3}


# --- What a frame is worth hangs on when it came: three frames that would be worth more to who hears them again ---


def test_an_entry_that_came_before_the_session_was_open() -> None:
    """Who opens last knows the session before the others do."""
    circle = Circle(hands=1).greet()
    circle.waiting.extend(circle.people[0].command(ProposeSession(circle.proposal())))
    while not (circle.waiting and all(b'"opening"' in frame for frame in circle.waiting) and len(circle.waiting) == 3):
        circle.step()
    oracle = watcher(circle)
    for number, frame in enumerate([*circle.frames, *circle.waiting]):
        oracle.receive(frame, number)
    early = circle.by_hand(2, Leave(), oracle.replica)
    circle.waiting.appendleft(early)
    while not circle.people[0].has_session:
        circle.step()
    assert early in circle.frames and circle.people[0].replica.height == 0
    circle.bring_back(0)
    assert len(circle.digests()) == 1
    circle.play()
    circle.bring_back(1)
    assert ended(circle) and len(circle.digests()) == 1 and not circle.people[0].replica.state.faults


def test_an_entry_that_was_refused_and_would_be_late_by_now() -> None:
    """It named what nobody waits for. Signed for a hand that is over, it would be taken, without effect."""
    circle = Circle(3, hands=2).play(until=lambda circle: bool(circle.people[0].options().must_move))
    refused = circle.by_hand(2, Without((bytes(32),)))
    circle.waiting.append(refused)
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 1)
    # It has no number of its own yet that would make it a contradiction.
    assert refused in circle.frames and refused not in circle.log
    for place in (0, 1, 3):
        circle.bring_back(place)
    assert len(circle.digests()) == 1 and not circle.people[0].replica.state.faults
    circle.play()
    assert ended(circle) and len(circle.digests()) == 1


def test_an_offer_that_came_while_its_name_was_taken() -> None:
    circle = Circle(2, watchers=1).greet()
    impostor = circle.sit(MemoryPlayerStore(NAMES[0], Identity(bytes(31) + b"x"), bytes(32)))
    circle.waiting.extend(impostor.resend())
    circle.greet()
    circle.waiting.extend(circle.people[0].command(WithdrawOffer()))
    circle.greet()
    assert [offer.name for offer in circle.people[1].offers] == [NAMES[1]]
    circle.bring_back(1)
    circle.bring_back(2)
    assert {one.offers for one in circle.people} == {circle.people[0].offers}


def test_what_came_too_early_of_ones_own_is_said_again() -> None:
    circle = Circle(hands=1).play(until=lambda circle: bool(circle.people[0].options().move))
    one = circle.people[0]
    circle.waiting.clear()
    first, second = one.command(MakeMove({"show": False})), one.command(LeaveHand())
    number = len(circle.frames)
    assert one.receive(second[0], number).send == ()
    for other in circle.people[1:]:
        other.receive(second[0], number)
    step = one.receive(first[0], number + 1)
    assert second[0] in step.send and one.receive(second[0], number + 2).send == ()
    assert second[0] in one.replica.entries
    assert one.receive(second[0], number + 3).send == (), "once is enough"


# --- Coming back ---


@pytest.mark.sample(cases=4)
@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("stop", range(11, 61, 3))
def test_killed_after_any_frame(played: Circle, place: int, stop: int) -> None:
    """The same cards, the same log, and no number twice."""
    circle = Circle().play(until=lambda circle: len(circle.frames) >= stop)
    circle.bring_back(place)
    circle.play()
    assert ended(circle) and circle.digests() == played.digests(0)


@pytest.mark.parametrize("known", [-1, LOG_ENTRIES_MAX + 1, 2**53 - 1])
def test_how_many_frames_no_table_has(known: int) -> None:
    with pytest.raises(BadParameter, match="no table has"):
        Circle().people[0].resend(known)


def test_nothing_is_signed_before_all_is_heard() -> None:
    """An old copy of a home does not know what it signed since; the table does."""
    circle = Circle(hands=2).play(until=lambda circle: circle.people[0].replica.height == 8)
    old = copied(circle.homes[0])
    circle.play()
    circle.homes[0] = old
    one = circle.people[0] = circle.sit(old)
    records = old.journal.records
    assert one.resend(len(circle.frames)) == list(one.seat.unconfirmed)
    assert one.is_catching_up and one.options() == Options() and one.missing_frames == len(circle.frames)
    for number, frame in enumerate(circle.frames):
        with pytest.raises(IllegalMove):
            one.command(LeaveHand())
        assert shows_if_even(one) == []
        step = one.receive(frame, number)
        assert step.send == ()
        circle.happened[0] += step.happened
    assert old.journal.records == records
    assert one.silenced is not None and circle.told(Silenced, 0)[-1].reason == one.silenced
    assert one.is_over and one.resend(len(circle.frames)) == list(one.seat.unconfirmed)
    with pytest.raises(IllegalMove, match="not in its journal"):
        one.command(LeaveHand())
    # What happened it still sees.
    assert circle.digests() == {circle.people[1].replica.digest()}


def test_who_does_not_know_how_much_there_is_signs_a_number_twice() -> None:
    """Why a transport tells it."""
    circle = Circle(hands=2).play(until=lambda circle: bool(circle.people[0].options().must_move))
    old = copied(circle.homes[0])
    circle.waiting.extend(circle.by_hand(2, Leave()) for _ in range(1))
    circle.step()
    circle.play()
    one = circle.sit(old)
    one.resend()
    (said,) = shows_if_even(one)
    number = read_entry(said).entry.seq
    assert [read_entry(data).entry.seq for data in circle.log if read_entry(data).entry.seat == 0].count(number) == 1
    assert said not in circle.log


@pytest.mark.parametrize("where", ["lobby", "log"])
def test_a_table_that_lacks_what_was_seen(where: str) -> None:
    circle = Circle(hands=2).play(until=lambda circle: circle.people[0].replica.height == 8)
    height = 3 if where == "lobby" else len(circle.frames) - 2
    one = circle.sit(copied(circle.homes[0]))
    assert not [data for data in one.resend(height) if data not in one.seat.unconfirmed]
    steps = [one.receive(frame, number) for number, frame in enumerate(circle.frames[:height])]
    assert steps[-1].happened == (Silenced(one.silenced or ""),) and "rolled back" in (one.silenced or "")
    assert one.is_over and one.outgoing() == []
    live = circle.people[1]
    live.resend(len(circle.frames))
    assert not live.is_over
    live.resend(len(circle.frames) - 1)
    assert "fewer frames" in (live.silenced or "")


def test_an_empty_table_is_not_the_one_that_was_seen() -> None:
    circle = Circle().greet()
    one = circle.sit(copied(circle.homes[0]))
    one.resend(0)
    assert one.is_over and "rolled back" in (one.silenced or "")


def test_a_journal_that_is_lost() -> None:
    circle = Circle(hands=1).play(until=lambda circle: circle.people[0].replica.height == 8)
    home = copied(circle.homes[0])
    home.journal = journal_of([])
    with pytest.raises(JournalLost):
        circle.sit(home)
    # An entry of this key that another program signed: heard while at the table.
    foreign = circle.by_hand(0, Leave())
    circle.waiting.clear()
    circle.waiting.append(foreign)
    circle.step()
    one = circle.people[0]
    assert one.silenced is not None and one.is_over and one.outgoing() == [] and one.options() == Options()
    assert [news.reason for news in circle.told(Silenced)] == [one.silenced]
    assert not circle.told(Silenced, 1) and len(circle.digests()) == 1


# --- Who watches, and who comes later ---


def test_who_watches_has_no_word(played: Circle) -> None:
    one = played.people[3]
    assert not one.has_seat and one.is_over and one.options() == Options() and one.question() is None
    assert one.outgoing() == [] and one.resend() == []
    for command in (LeaveHand(), VoteAbort(), DisputeCard(), VoteSkip(frozenset({0})), MakeMove({"show": True})):
        with pytest.raises(IllegalMove, match="no seat"):
            one.command(command)
    assert one.session_words == played.people[0].session_words and one.key_words_of(0) == played.people[0].key_words_of(
        0
    )
    with pytest.raises(BadParameter):
        one.lobby.offer()


def newcomer(circle: Circle, place: int = 3) -> tuple[Roster, dict[int, bytes]]:
    key, table = circle.homes[place].identity, circle.people[0]
    roster = Roster((*table.members, member_of(key, place, NAMES[place])))
    return roster, {place: key.sign(newcomer_signed_bytes(table.session.id, roster.digest, roster.member(place)))}


def test_a_newcomer_is_a_seat_when_its_roster_is_in_force() -> None:
    circle = Circle(3, newcomers=1, watchers=1, hands=3, rules=TinyRules(deck_max=12))
    circle.play(until=lambda circle: bool(circle.people[0].options().must_move))
    new = circle.people[3]
    assert new.has_session and not new.is_over
    circle.waiting.extend(circle.people[0].command(ProposeRoster(*newcomer(circle))))
    circle.step()
    (proposed,) = circle.people[0].replica.state.proposed
    circle.waiting.extend(circle.people[1].command(AgreeToRoster(proposed)))
    circle.step()
    assert new.resend() == [] and 3 not in new.replica.state.all_members
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 1)
    assert new.has_seat
    assert new.replica.state.roster.seats == (0, 1, 2, 3)
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 2)
    circle.play(until=lambda circle: bool(circle.people[0].options().must_move))
    played = circle.people[0].replica.state.chronicle.records[1]
    assert set(played.names) == {0, 1, 2, 3} and 3 in {read_entry(data).entry.seat for data in circle.log}
    # It comes back like anybody else, and also when it has left again.
    assert circle.bring_back(3).has_seat and len(circle.digests()) == 1
    circle.waiting.extend(circle.people[3].command(ProposeRoster(Roster(circle.people[0].members[:3]))))
    circle.step()
    (proposed,) = circle.people[0].replica.state.proposed
    circle.waiting.extend(
        [*circle.people[0].command(AgreeToRoster(proposed)), *circle.people[1].command(AgreeToRoster(proposed))]
    )
    circle.play()
    assert ended(circle) and circle.people[0].replica.state.roster.seats == (0, 1, 2)
    assert circle.bring_back(3).has_seat, "what it owes of an earlier hand it can still say"
    lost = copied(circle.homes[3])
    lost.journal = journal_of([])
    with pytest.raises(JournalLost):
        circle.sit(lost)


# --- What a person may do ---


def accepts(act: Callable[[], object]) -> bool:
    try:
        act()
    except IllegalMove:
        return False
    return True


def check_options(circle: Circle, place: int) -> None:
    """What is said that may be done is what can be done, each on a twin of its own."""
    home, options = circle.homes[place], circle.people[place].options()

    def twin() -> Participant:
        return circle.sit(copied(home))

    assert repr(twin().options()) == repr(options)
    assert accepts(lambda: twin().command(MakeMove({"show": False}))) == (options.move is not None)
    assert options.must_move <= (options.move is not None)
    for duty in twin().seat.open_duties:
        top = b"[]" if duty.deck is None else encode(twin().replica.state.hand.decks[duty.deck].places.pile[:2])
        assert accepts(lambda duty=duty, top=top: twin().seat.choose(duty, top)) == (duty in options.choices)  # type: ignore[misc]
    assert accepts(lambda: twin().command(DisputeCard())) == (options.unreadable is not None)
    assert accepts(lambda: twin().command(VoteSkip(frozenset(options.waiting_for)))) == options.can_vote_skip
    assert accepts(lambda: twin().command(VoteAbort())) == options.can_vote_abort


@pytest.mark.parametrize("place", range(3))
def test_what_may_be_done_is_what_can_be_done(place: int) -> None:
    circle = Circle(hands=1, rules=TinyRules(peek=Look.REORDER), protocol=ClearProtocol(group(), open_book_at_end=True))
    seen = set[tuple[bool, ...]]()

    def look(circle: Circle) -> bool:
        one = circle.people[place]
        if one.has_session:
            options = one.options()
            here = (options.must_move, bool(options.choices), options.can_vote_skip, options.can_vote_abort)
            if here not in seen or len(circle.frames) % 11 == 0:
                check_options(circle, place)
            seen.add(here)
        return False

    circle.play(until=look)
    assert ended(circle) and len(seen) > 2


def test_a_card_that_does_not_open_is_a_reason_to_claim() -> None:
    circle = Circle(hands=1)
    lying = ClearProtocol(group(), lies={(1, "share"): bad_dealt_share})
    circle.people[1] = circle.sit(circle.homes[1], parts=lambda proposal: (lying, circle.rules, None))
    claimed = list[int]()

    def decide(one: Participant) -> list[bytes]:
        if one.seat.number == 1:
            return []
        if one.options().unreadable is not None:
            claimed.append(one.seat.number)
            check_options(circle, one.seat.number)
            return one.command(DisputeCard())
        return [] if one.options().required is None else shows_if_even(one)

    circle.play(decide=decide)
    assert claimed and len(set(claimed)) == len(claimed)
    assert [fault.seat for fault in circle.people[0].replica.state.faults] == [1]
    assert len(circle.digests(0, 2, 3)) == 1


def test_a_card_that_does_not_open_where_nobody_is_waited_for() -> None:
    circle = Circle(hands=1, rules=Free(6, Free().operations & ClearProtocol(group()).claims.operations))
    lying = ClearProtocol(group(), lies={(1, "share"): bad_dealt_share})
    circle.people[1] = circle.sit(circle.homes[1], parts=lambda proposal: (lying, circle.rules, None))
    moves = [Shuffle(0, 6), DealCards(0, ((2, 2),))]

    def decide(one: Participant) -> list[bytes]:
        free = one.seat.number == 0 and not one.replica.state.duties.blocking
        return one.command(MakeMove(moves.pop(0))) if moves and free and one.options().move is not None else []

    circle.play(decide=decide)
    holder = circle.people[2]
    assert not moves and not holder.replica.state.duties.blocking
    assert holder.options().unreadable is not None and circle.people[0].options().unreadable is None
    circle.waiting.extend(holder.command(DisputeCard()))
    circle.play(decide=decide)
    assert [fault.seat for fault in circle.people[0].replica.state.faults] == [1]
    assert holder.options().unreadable is None


def test_a_false_proof_is_the_same_for_who_hears_it_later() -> None:
    """One hears it entry by entry; one that comes back settles its log all at once; one hears it all afterwards."""
    circle = Circle(4, hands=2, rules=TinyRules(deck_max=8))
    lying = ClearProtocol(group(), lies={(1, "key"): bad_proof})
    circle.people[1] = circle.sit(circle.homes[1], parts=lambda proposal: (lying, circle.rules, None))
    circle.play(decide=lambda one: [] if one.seat.number == 1 else shows_if_even(one) or votes(one))
    for place in (0, 2, 3, 4):
        circle.bring_back(place)
    assert len(circle.digests(0, 2, 3, 4)) == 1
    state = circle.people[0].replica.state
    assert [fault.seat for fault in state.faults] == [1] and state.phase is Phase.ENDED


def test_an_answer_to_what_is_not_asked_any_more() -> None:
    """Its move is made for it, and it is its turn again: what was decided then is not said now."""
    circle = Circle(3, hands=2, rules=TinyRules(passes=True))
    circle.play(until=lambda circle: bool(circle.people[0].options().must_move))
    one = circle.people[0]
    question = one.question()
    assert isinstance(question, Question)
    for place in (1, 2):
        circle.waiting.extend(circle.people[place].command(VoteSkip(frozenset({0}))))
    circle.play(until=lambda circle: one.replica.state.hand.number == 1 and one.options().must_move)
    assert one.options().must_move and one.question() != question
    with pytest.raises(IllegalMove, match="no longer open"):
        one.command(AnswerQuestion(question, question.duty))  # type: ignore[arg-type]


# --- The lobby ---


def test_who_does_not_want_to_play_after_all() -> None:
    circle = Circle(3).greet()
    circle.waiting.extend(circle.people[2].command(WithdrawOffer()))
    circle.greet()
    assert [offer.name for offer in circle.people[0].offers] == list(NAMES[:2])
    assert circle.people[2].resend() == [] and circle.told(OfferGone)
    circle.seats = 2
    circle.agree()
    assert not circle.people[2].has_seat and circle.people[2].has_session
    circle.play()
    assert ended(circle)


def test_who_declines_what_is_proposed() -> None:
    circle = Circle(3).greet()
    circle.waiting.extend(circle.people[0].command(ProposeSession(circle.proposal())))
    circle.step()
    circle.waiting.extendleft(circle.people[1].command(DeclineProposal("not tonight")))
    circle.greet()
    assert circle.told(ProposalDropped) and [news.reason for news in circle.told(ProposalDeclined)] == ["not tonight"]
    assert not circle.people[0].has_session
    assert ended(circle.play())


def unplayable(circle: Circle) -> Proposal:
    members = tuple(offer.as_member(seat) for seat, offer in enumerate(circle.people[0].offers))
    return Proposal(Part("chess", 1), Part("clear", 0), (), Roster(members))


def no_such_game(proposal: Proposal) -> Parts:
    raise BadParameter(f"there is no game {proposal.game.name!r} here")


def test_a_game_that_cannot_be_run_is_declined() -> None:
    circle = Circle(3).greet()
    circle.waiting.extend(circle.people[0].command(ProposeSession(unplayable(circle))))
    circle.greet()
    assert not any(one.has_session for one in circle.people)
    refused = [news for news in circle.told(ProposalDeclined, 2) if news.mine]
    assert len(refused) == 1 and "session is for chess" in refused[0].reason
    assert ended(circle.play())


def test_who_watches_a_game_that_cannot_be_run() -> None:
    circle = Circle(2)
    circle.people[2] = circle.sit(circle.homes[2], parts=no_such_game)
    circle.greet()
    circle.waiting.extend(circle.people[0].command(ProposeSession(circle.proposal())))
    circle.greet()
    one = circle.people[2]
    assert circle.told(SessionAgreed, 2) and circle.told(Silenced, 2) == [Silenced("there is no game 'tiny' here")]
    assert one.is_over and not one.has_session and one.outgoing() == []
    with pytest.raises(IllegalMove, match="no game"):
        _ = one.replica
    with pytest.raises(BadParameter, match="no game"):
        circle.sit(copied(circle.homes[2]), parts=no_such_game)


def test_a_player_declines_aloud_in_the_library() -> None:
    def never(proposal: nodealer.events.Proposal) -> None:
        raise Declined("never")

    players = [nodealer.Player("Ada"), nodealer.Player("Ben", accept=never)]
    for frame in [frame for player in players for frame in player.hello()]:
        for player in players:
            player.receive(frame)
    (proposed,) = players[0].propose()
    players[0].receive(proposed)
    (said,) = players[1].receive(proposed)
    players[0].receive(said)
    assert players[0].events()[-1] == nodealer.events.Declined("Ben", "never")
