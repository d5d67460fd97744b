"""The replica: what is accepted, dropped, refused and undone, and who is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import msgspec
import pytest

from conformance.clear import OPERATIONS, bad_order, bad_proof
from conformance.games import Tiny, TinyRules
from conformance.harness import Game, forked, make_config, people, refusal, resigned, roster_of, stands, statement
from conformance.suite import dealt, eager_and_lazy_agree
from nodealer.cards.operations import Capability, Close, Deal, Look, NewDeck, Open, Operation, Peek, Portion, Show
from nodealer.engine.bodies import Begin, Body, Cards, End, Leave, Move, read_body
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica, replay
from nodealer.errors import BadParameter, BadSignature, DecodeError, EntryRefused, IllegalMove, LogBroken
from nodealer.games.base import Game as AnyGame
from nodealer.log.entry import read_entry
from nodealer.wire import encode

Make = Callable[..., Game]


def refused(game: Game, replica: Replica, seat: int, body: Body | bytes, **changes: object) -> str:
    """The reason for which an entry is refused, once it is sure that it is, for this seat, and changed nothing."""
    before = replica.digest()
    answer = refusal(replica, game.by_hand(seat, body, replica, **changes))
    assert isinstance(answer, EntryRefused), answer
    assert answer.seat == seat and answer.entry in (replica.height, None)
    assert replica.digest() == before
    return answer.reason


def duty_of(replica: Replica, seat: int, step: str) -> bytes:
    return next(id for id, one in replica.state.duties.open.items() if (one.duty.seat, one.duty.kind) == (seat, step))


# --- Faults and what follows them ---


def test_a_false_proof_rolls_back_and_names_its_seat(game: Make) -> None:
    """Lazily found much later, the table goes back to before the entry, and goes on from there without its seat."""
    table = game(liars={1: {(1, "key"): bad_proof}})
    replica = table.replica(0, eager=False)
    while batch := table.step():
        for data in batch:
            if table.order(data) is not None:
                replica.append(data)
    false = next(n for n, data in enumerate(table.log) if table.signer(data) == 1 and b'"proof"' in data)
    replica.settle()
    for state in (replica.state, table.state, table.replica().state):
        assert state.phase is Phase.ENDED and state.expelled == {1} and 1 not in state.ended
        (fault,) = state.faults
        assert (fault.seat, fault.entry) == (1, false) and state.fault is fault
        assert "proof of knowledge" in fault.check
        (result,) = state.results
        assert result["gone"] == [1] and len(result["faces"]) == 6, "nobody waits for its card; it has none"
    assert replica.digest() == table.replica().digest()
    eager_and_lazy_agree(table)


def test_what_a_seat_at_fault_says_is_refused(game: Make) -> None:
    """The others go on; it has no word any more, and what it says is no part of the log."""
    table = game(liars={0: {(0, "shuffle"): bad_order}}).play(until=lambda g: bool(g.state.faults))
    assert table.outcomes[-1] is Outcome.FAULT
    assert table.state.fault is not None and table.state.fault.seat == 0
    assert table.state.fault.entry == len(table.log) - 1
    assert stands(table, Phase.PLAYING) and table.state.expelled == table.state.gone == {0}
    replica = table.replica()
    for body in (statement(replica, 1), Leave(), Begin(bytes(32), bytes(32)), b'{"type":"nonsense"}'):
        assert "found at fault" in refused(table, replica, 0, body)
    # Nothing is forgiven to the others either.
    assert refused(table, replica, 1, b'{"type":"nonsense"}')
    table.play()
    assert stands(table, Phase.ENDED) and len(table.state.faults) == 1 and len(table.state.results) == 1
    replica = table.replica()
    assert "found at fault" in refused(table, replica, 0, Leave())
    assert replay(table.config, replica.entries, entropy=table.source, eager=False).digest() == replica.digest()


def test_where_the_cards_cannot_go_on_a_fault_ends_the_hand(game: Make) -> None:
    """By the rule of the game; its bets stay where they are, and the table goes on to the next hand."""
    rules = TinyRules(stake=10)
    table = game(rules, protocol={"recovers": False}, liars={0: {(0, "shuffle"): bad_order}}, hands=2).play()
    state = table.state
    assert state.phase is Phase.ENDED and state.expelled == {0} and len(state.faults) == 1
    assert [result["gone"] for result in state.results] == [[0], []]
    assert [result["faces"] == [] for result in state.results] == [True, False]
    assert state.ledger.chips == {0: 9, 1: 13, 2: 8}
    eager_and_lazy_agree(table)


def unsettled(table: Game) -> tuple[Replica, Replica]:
    """A lazy and an eager replica, before both of which lies what seat 1 said falsely with its key."""
    lazy, eager = table.replica(0, eager=False), table.replica(0)
    for _ in range(2):
        for data in table.step():
            lazy.append(data)
            eager.append(data)
            for seat in table.seats.values():
                seat.receive(data)
            table.log.append(data)
    assert eager.state.expelled == {1} and not lazy.state.faults
    return lazy, eager


def test_entries_refused_on_a_false_state_are_judged_on_the_true_one(game: Make) -> None:
    """A lazy replica that would refuse an entry first finds out whether it stands on false ground."""
    table = game(liars={1: {(1, "key"): bad_proof}})
    lazy, eager = unsettled(table)
    nonsense = table.by_hand(2, b'{"type":"nonsense"}', lazy)
    for replica in (lazy, eager):
        with pytest.raises(EntryRefused):
            replica.append(nonsense)
    assert lazy.state.expelled == {1} and lazy.digest() == eager.digest()


def test_entries_that_only_the_true_state_takes(game: Make) -> None:
    """On the false one it would be seat 1's turn to shuffle; it is out, so it is seat 2's."""
    table = game(liars={1: {(1, "key"): bad_proof}})
    lazy, eager = unsettled(table)
    for _ in range(2):
        (shuffle,) = table.step()
        table.order(shuffle)
        assert lazy.append(shuffle).outcome is Outcome.ACCEPTED is eager.append(shuffle).outcome
    assert table.signer(shuffle) == 2 and lazy.state.expelled == {1}
    assert lazy.digest() == eager.digest() and lazy.undone == 0


def test_what_was_built_on_a_false_entry_is_undone(game: Make) -> None:
    """What its seat said later, and what saw that: no part of the log any more, and nobody else is named for it."""
    table = game(liars={1: {(1, "key"): bad_proof}})
    lazy, eager = unsettled(table)
    kept = table.by_hand(0, shuffle_of(table, lazy, 0), lazy)
    assert lazy.append(kept).outcome is Outcome.ACCEPTED
    later = [table.by_hand(1, shuffle_of(table, lazy, 1), lazy)]
    lazy.append(later[0])
    later.append(table.by_hand(2, shuffle_of(table, lazy, 2), lazy))
    lazy.append(later[1])
    lazy.settle()
    assert lazy.undone == 2 and lazy.height == eager.height + 1
    assert [fault.seat for fault in lazy.state.faults] == [1]
    eager.append(kept)
    for data in later:
        with pytest.raises(EntryRefused):
            eager.append(data)
    assert lazy.digest() == eager.digest()


def shuffle_of(table: Game, replica: Replica, seat: int) -> Cards:
    duty = replica.state.duties.open[duty_of(replica, seat, "shuffle")].duty
    return Cards(duty.id, msgspec.Raw(replica.state.hand.decks[0].message(duty, table.tape(seat))))


def test_failing_entropy_settles_nothing(game: Make) -> None:
    """A source of entropy that fails must not make an unverified log count as verified."""
    table = game(liars={1: {(1, "key"): bad_proof}})
    lazy, _ = unsettled(table)
    source, lazy.entropy = lazy.entropy, lambda size: b""
    for _ in range(2):
        with pytest.raises(BadParameter):
            lazy.settle()
        assert not lazy.state.faults and lazy.checks_settled == 0
    lazy.entropy = source
    lazy.settle()
    assert lazy.state.expelled == {1}


def test_equivocation_expels(game: Make) -> None:
    """The second of two entries with one number is the false one: nothing before it is undone."""
    table = game().play(until=dealt)
    replica = table.replica()
    first = next(data for data in table.log if table.signer(data) == 2)
    assert replica.append(first).outcome is Outcome.REPEATED
    other = resigned(first, table.persons[2].key, lambda entry: entry.update(hand=5))
    before, signed = replica.height, replica.count_signed_by(table.persons[2].key.public)
    assert replica.append(other).outcome is Outcome.FAULT
    assert replica.state.fault is not None and (replica.state.fault.seat, replica.state.fault.entry) == (2, before)
    assert replica.state.fault.check == "signatures" and replica.state.expelled == {2}
    assert replica.state.phase is Phase.PLAYING and replica.state.hand.decks.keys() == {0}
    assert replica.count_signed_by(table.persons[2].key.public) == signed, "it has no number of its own"
    digest = replica.digest()
    with pytest.raises(EntryRefused, match="found at fault"):
        replica.append(other)
    assert replica.append(first).outcome is Outcome.REPEATED, "the same words once more are nothing new"
    assert replica.digest() == digest and len(replica.state.faults) == 1


# --- Refusals ---


def test_out_of_turn_and_too_early(game: Make) -> None:
    table = game().play(until=lambda g: g.state.phase is Phase.PLAYING)
    replica = table.replica()
    keys = {seat: duty_of(replica, seat, "key") for seat in range(3)}
    honest = {read_entry(data).entry.seat: read_entry(data).entry.body for data in table.step()}
    message = Cards(keys[1], msgspec.Raw(b"{}"))
    assert "nothing that this seat owes" in refused(table, replica, 0, message)
    assert "nothing that this seat owes" in refused(table, replica, 0, Cards(bytes(32), msgspec.Raw(b"{}")))
    # Before set-up is finished there is no move, no end, no second begin.
    for body in (Move(keys[0], msgspec.Raw(b'{"show":true}')), End(keys[0]), Begin(keys[0], bytes(32))):
        assert "not of the kind" in refused(table, replica, 0, body)
    assert refused(table, replica, 0, bytes(honest[1]))
    # Signed before what it answers.
    early = forked(replica)
    assert "before what it answers" in refused(
        table,
        early,
        0,
        bytes(honest[0]),
        seen=next(iter(replica._heights)),
        seq=replica.count_signed_by(table.persons[0].key.public),
    )


def test_numbers_and_heads(game: Make) -> None:
    table = game().play(until=dealt)
    replica = table.replica()
    move = Move(duty_of(replica, 0, "move"), msgspec.Raw(b'{"show":false}'))
    seq = replica.count_signed_by(table.persons[0].key.public)
    assert "before its" in refused(table, replica, 0, move, seq=seq + 1)
    assert "not this one" in refused(table, replica, 0, move, seen=bytes(32))
    assert "another session" in refused(table, replica, 0, move, session=bytes(32))
    assert "another hand" in refused(table, replica, 0, move, hand=1)
    assert "another hand or roster" in refused(table, replica, 0, move, roster=bytes(32))


@pytest.mark.parametrize("body", [b"null", b"{}", b"[]", b'{"type":"nonsense"}', b'{"type":"end"}', b'{"type": "end"}'])
def test_bodies_that_are_none(game: Make, body: bytes) -> None:
    table = game()
    assert refused(table, table.replica(), 1, body)


def test_illegal_moves(game: Make) -> None:
    table = game().play(until=dealt)
    replica = table.replica()
    duty = duty_of(replica, 0, "move")
    for move in (
        b"{}",
        b'{"show":1}',
        b'{"show": true}',
        b'{"show":true,"more":1}',
        b"null",
    ):
        assert refused(table, replica, 0, Move(duty, msgspec.Raw(move)))


@dataclass(frozen=True)
class Pointing(Tiny):
    """A game in which a move names any operation: what is refused is then refused by what keeps the cards."""

    asked: Operation | None = None

    def _operations(self) -> list[Operation]:
        return [self.asked] if self.asked is not None and self.showing is not None else super()._operations()

    def moved(self, seat: int, move: bytes) -> Pointing:
        kind, *numbers = json.loads(move)
        makers: dict[str, Callable[..., Operation]] = {
            "show": lambda whose, *positions: Show(0, whose, positions),
            "open": lambda *positions: Open(0, positions=positions),
            "deal": lambda to, *positions: Deal(0, (Portion(to, positions=positions),)),
            "count": lambda to, count: Deal(0, (Portion(to, count),)),
            "new": lambda deck, size: NewDeck(deck, size),
            "deck": lambda deck: Open(deck, 1),
            "peek": lambda count: Peek(0, 0, count),
        }
        return replace(self, asked=makers[kind](*numbers), showing=seat)


class PointingRules(TinyRules):
    @property
    def operations(self) -> frozenset[Capability]:
        return super().operations | {Capability.DEAL_POSITIONS}

    def begin(self, hand: int, seats: tuple[int, ...], before: AnyGame | None, chips: Mapping[int, int]) -> Pointing:
        return Pointing(self, hand, seats)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (["show", 0, 1], "does not hold"),
        (["show", 1, 0], "does not hold"),
        (["show", 0, 4], "does not hold"),
        (["show", 0, 99], "does not hold"),
        (["show", 0, 0, 0], "twice"),
        (["show", 0], "empty"),
        (["open", 1], "not in the pile"),
        (["open", 3], "not in the pile"),
        (["open", 4, 4], "twice"),
        (["open", 99], "not in the pile"),
        (["deal", 1, 0], "not in the pile"),
        (["deal", 1, 3], "not in the pile"),
        (["deal", 9, 4], "no seat 9"),
        (["count", 1, 3], "3 cards were requested, but the pile of deck 0 has 2"),
        (["count", 1, 0], "either a number"),
        (["new", 0, 6], "exists already"),
        (["new", 1, 10_001], "announced 6"),
        (["new", 1, 1], "2 to 10000 cards"),
        (["deck", 5], "no deck 5"),
        (["peek", 1], "did not announce"),
    ],
)
def test_moves_that_ask_for_what_cannot_be(game: Make, move: list[object], reason: str) -> None:
    """Not dealt, another seat's, dealt twice, not held, not announced, not a deck: refused, and the turn stays open."""
    table = game(PointingRules()).play(until=dealt)
    replica = table.replica()
    body = Move(duty_of(replica, 0, "move"), msgspec.Raw(encode(move)))
    assert reason in refused(table, replica, 0, body)
    with pytest.raises(IllegalMove, match=reason):
        table.seats[0].move(move)
    assert (
        replica.append(table.by_hand(0, Move(body.duty, msgspec.Raw(b'["show",0,0]')), replica)).outcome
        is Outcome.ACCEPTED
    )


def test_nests_of_brackets_are_no_entry(game: Make) -> None:
    table = game().play(until=dealt)
    replica = table.replica()
    deep = table.by_hand(0, Move(bytes(32), msgspec.Raw(b"[" * 50_000 + b"]" * 50_000)), replica)
    assert isinstance(refusal(replica, deep), DecodeError)


def test_replay_from_another_session_hand_or_epoch(game: Make) -> None:
    one, two = game(seed="one").play(), game(seed="one", hands=2).play()
    other = game(seed="two").play()
    for number, data in enumerate(one.log):
        answer = refusal(other.replica(number), data)
        assert isinstance(answer, BadSignature), "other keys, so nobody signed it here"
    # The same keys at another table: signed, and for another session.
    again = make_config(one.config.protocol, one.config.rules, roster_of(one.persons), one.source)
    answer = refusal(Replica(again, entropy=one.source), one.log[0])
    assert isinstance(answer, EntryRefused) and "another session" in answer.reason
    # Bodies of the first hand, signed again in the second.
    begin = next(n for n, data in enumerate(two.log) if read_entry(data).entry.hand == 1)
    replica = two.replica(begin + 3)
    for data in two.log[:begin]:
        entry = read_entry(data).entry
        assert refused(two, replica, entry.seat, bytes(entry.body))


def test_forged_in_every_seats_name(game: Make) -> None:
    table = game().play(until=dealt)
    replica = table.replica()
    for kind in {bytes(read_entry(data).entry.body)[:20]: data for data in table.log}.values():
        for seat in range(4):
            forged = resigned(kind, people(4, table.source)[3].key, lambda entry: entry.update(seat=seat))
            assert isinstance(refusal(replica, forged), BadSignature)


def test_late_entries_are_dropped(game: Make) -> None:
    """A move that crosses another one: in the log, without effect, nobody's fault."""
    table = game(TinyRules(together=True)).play(until=dealt)
    moves = table.decided()
    assert len(moves) == 3
    replica = table.replica()
    assert replica.append(moves[0]).outcome is Outcome.ACCEPTED
    state = replica.state
    assert replica.append(moves[1]).outcome is Outcome.DROPPED is replica.append(moves[2]).outcome
    assert replica.state is state and replica.height == len(table.log) + 3
    assert replica.count_signed_by(table.persons[1].key.public) == 1 + replay(
        table.config, table.log, entropy=table.source
    ).count_signed_by(table.persons[1].key.public), "it has taken its number"


def test_moves_of_one_round_all_count(game: Make) -> None:
    """Seats that move side by side: whatever order their moves arrive in, none is late."""
    table = game(TinyRules(together=True, rounds=True)).play(until=dealt)
    moves = [seat.move({"show": False}) for seat in table.seats.values()]
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        replica = table.replica()
        assert [replica.append(moves[place]).outcome for place in order] == [Outcome.ACCEPTED] * 3


def test_late_by_several_hands(game: Make) -> None:
    """An entry that was due long ago is dropped, or its seat could never speak again: its number is used up."""
    table = game(TinyRules(together=True), hands=4).play(until=dealt)
    late = table.seats[1].move({"show": True})
    later = table.seats[1].vote_skip([2])
    for person in (0, 2):
        table.order(table.seats[person].vote_skip([1]))
    assert 1 in table.state.gone
    table.silent = {1}
    table.play(until=lambda g: g.state.hand.number >= 3)
    replica = table.replica()
    duty = read_body(bytes(read_entry(late).entry.body))
    assert isinstance(refusal(replica, table.by_hand(1, duty, replica, hand=0)), EntryRefused), "not due on this log"
    assert replica.append(late).outcome is Outcome.DROPPED is replica.append(later).outcome
    assert isinstance(refusal(replica, table.by_hand(1, statement(replica, 0, 2), replica, hand=0)), EntryRefused)


# --- Sessions that do not fit ---


def test_the_game_needs_what_the_protocol_has(game: Make) -> None:
    few = OPERATIONS - {Capability.SHOW_ALL, Capability.PEEK_LOOK}
    lacking = (
        "clear cannot show a player's cards to everyone or let any player look at the next cards, which tiny needs"
    )
    with pytest.raises(BadParameter, match=f"^{lacking}; mask can$"):
        game(TinyRules(peek=Look.LOOK), protocol={"operations": few})
    with pytest.raises(BadParameter, match=r"^clear cannot make decks of 10001 cards, only of 2 to 10000; no other"):
        game(TinyRules(deck_max=10_001))
    with pytest.raises(BadParameter, match=r"^clear cannot make decks of 1 cards"):
        game(TinyRules(deck_max=1))
    with pytest.raises(BadParameter, match=r"role dealer; mask, lock, offset and chain can$"):
        game(protocol={"roles": ("dealer",)})
    with pytest.raises(BadParameter, match="the session is for tiny"):
        Replica(
            game(TinyRules(name="tiny")).config.__class__(
                game().config.session, game().config.protocol, TinyRules(name="x")
            ),
            entropy=bytes,
        )
    with pytest.raises(BadParameter, match="the session is for"):
        Replica(
            game().config.__class__(game().config.session, game().config.protocol, TinyRules(version=1)), entropy=bytes
        )


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_seats(game: Make, count: int) -> None:
    with pytest.raises(DecodeError, match="2 to 20 seats"):
        game(seats=count)


def test_a_game_that_asks_for_more_than_it_announced(game: Make) -> None:
    """The game is wrong, so nobody at the table is named, and nothing has changed."""

    @dataclass(frozen=True)
    class Odd(Tiny):
        first: Operation = field(default_factory=lambda: NewDeck(0, 7))

        def _operations(self) -> list[Operation]:
            return [self.first]

    @dataclass(frozen=True)
    class OddRules(TinyRules):
        first: Operation = field(default_factory=lambda: NewDeck(0, 7))

        def begin(self, hand: int, seats: tuple[int, ...], before: AnyGame | None, chips: Mapping[int, int]) -> Odd:
            return Odd(self, hand, seats, first=self.first)

    for first, words in (
        (NewDeck(0, 7), "announced 6"),
        (NewDeck(0, 1), "2 to 10000 cards"),
        (NewDeck(16, 6), "not below 16"),
        (Close(0), "did not announce"),
    ):
        table = game(replace(OddRules(), first=first))
        batch = table.step()
        with pytest.raises(BadParameter, match=words):
            for data in batch:
                table.order(data)


# --- Whole logs ---


def test_replay(game: Make) -> None:
    table = game(hands=2).play()
    for eager in (True, False):
        replica = replay(table.config, table.log, entropy=table.source, eager=eager)
        assert replica.digest() in table.digests() and replica.state.phase is Phase.ENDED
        assert replica.checks_settled == 6
    for height in range(len(table.log)):
        assert replay(table.config, table.log[:height], entropy=table.source).state.phase is not Phase.ENDED


def test_broken_logs(game: Make) -> None:
    table = game().play()
    broken = [
        [*table.log, table.log[0]],
        [*table.log[:4], table.log[4][:-1]],
        [*table.log[:4], b""],
        table.log[1:],
        [*table.log[:3], *table.log[4:]],
        [*table.log[:8], table.by_hand(0, b"{}", table.replica(8)), *table.log[8:]],
    ]
    for entries in broken:
        with pytest.raises(LogBroken):
            replay(table.config, entries, entropy=table.source)
    flipped = bytearray(table.log[4])
    flipped[-5] ^= 1
    with pytest.raises((BadSignature, LogBroken)):
        replay(table.config, [*table.log[:4], bytes(flipped)], entropy=table.source)


def test_bodies_are_read_strictly() -> None:
    end = encode(End(bytes(32)))
    assert read_body(end) == End(bytes(32))
    for bad in (end + b" ", end.replace(b'"end"', b'"other"'), end[:-1], b"", end.replace(b"AAAA", b"AAA", 1)):
        with pytest.raises(DecodeError):
            read_body(bad)
